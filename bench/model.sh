# Shared by the parts that ask a model: its server, one of ours whose default it is, and LangGraph beside it. POSIX sh.

node=$root/.node/bin/node
[ -x "$node" ] || node=$(command -v node) || fail "LangGraph needs node; ./dev test brings one"

install_langgraph() {
    peer=$bin/peers/langgraph
    mkdir -p "$peer"
    cp bench/peers/langgraph/* bench/peers/langgraph/.npmrc "$peer/"
    [ -d "$peer/node_modules/@langchain/langgraph" ] && return
    say "installing LangGraph"
    (cd "$peer" && npm ci >"$tmp/npm.log" 2>&1) || fail "cannot install LangGraph: $(tail -n 3 "$tmp/npm.log")"
}

# start_model [OPTION...]: sets $model_pid and $model_url
start_model() {
    rm -f "$tmp/model.in"
    mkfifo "$tmp/model.in"
    : >"$tmp/model.port"
    "$bin/model" "$@" <"$tmp/model.in" >"$tmp/model.port" 2>"$tmp/model.log" &
    model_pid=$!
    echo "$model_pid" >>"$tmp/pids"
    exec 8>"$tmp/model.in"
    until [ -s "$tmp/model.port" ]; do sleep 0.02; done
    model_url=http://127.0.0.1:$(cat "$tmp/model.port")/v1
}

end_model() {
    exec 8>&-
    wait_gone "$model_pid"
}

# serve_model NAME CALLS: a server whose default model is the one that runs; $more is added to its settings
serve_model() {
    mkdir -p "$tmp/config/witan"
    printf 'models:\n  default:\n    provider: openai\n    base_url: %s\n    model: test\n    max_in_flight: %s\nlog:\n  level: warn\n' \
        "$model_url" "$2" >"$tmp/config/witan/config.yaml"
    printf '%s' "${more:-}" >>"$tmp/config/witan/config.yaml"
    XDG_CONFIG_HOME=$tmp/config
    export XDG_CONFIG_HOME
    serve "$1" "sqlite:$tmp/$1.db"
    unset XDG_CONFIG_HOME
}

# at_rest PID: returns when it has hardly worked for a second; what a start has to catch up with is then behind it
at_rest() {
    before=-9
    until now=$(awk '{ print $14 + $15 }' "/proc/$1/stat") && [ $((now - before)) -le 5 ]; do
        before=$now
        sleep 1
    done
}

rss_kb() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }
open_files() { ls "/proc/$1/fd" | wc -l; }
threads() { awk '/Threads/ { print $2 }' "/proc/$1/status"; }
