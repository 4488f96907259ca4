# Discussions: what a turn costs around its model, against the bare client of models and against LangGraph with its
# in-memory saver; what thousands that wait take; and how soon the first word is heard.

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

# serve_model NAME CALLS: a server on a fresh store whose default model is the one that runs
serve_model() {
    mkdir -p "$tmp/config/witan"
    printf 'models:\n  default:\n    provider: openai\n    base_url: %s\n    model: test\n    max_in_flight: %s\nlog:\n  level: warn\n' \
        "$model_url" "$2" >"$tmp/config/witan/config.yaml"
    XDG_CONFIG_HOME=$tmp/config
    export XDG_CONFIG_HOME
    serve "$1" "sqlite:$tmp/$1.db"
    unset XDG_CONFIG_HOME
}

client() { "$node" --no-warnings --experimental-sqlite bench/turns.mjs "$1" "$tmp/$2.db" "http://$at" "$3" ${4:+"$4"}; }
rss_kb() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }
threads() { awk '/Threads/ { print $2 }' "/proc/$1/status"; }

install_langgraph
discussions=$((2000 / scale))
ours='' bare='' graph=''
start_model
for round in $(seq "$rounds"); do
    serve_model "turns$round" 200
    ours="$ours $(client rate "turns$round" "$discussions")"
    end "$pid"
    bare="$bare $("$bin/bare_llm" "$model_url" 200 "$seconds" | cut -d' ' -f1)"
    graph="$graph $("$node" "$peer/turns.mjs" "$model_url" 200 "$seconds")"
done
end_model
# shellcheck disable=SC2086
ours=$(median $ours) bare=$(median $bare) graph=$(median $graph)
row "turns/s, 200 calls at a time / LangGraph" "$ours" "$graph" "$(ratio "$ours" "$graph")" '>=' 20
row "turns/s, 200 calls at a time / bare client" "$ours" "$bare" "$(ratio "$ours" "$bare")" '>=' 0.2

# Thousands wait for a model that does not answer: what each of 256 calls takes, beside a server with one call out and as
# many in line.
waiting_kb() {
    serve_model "waiting$1" "$1"
    client out "waiting$1" $((5000 / scale)) "$1"
    sleep 2
    rss=$(rss_kb "$pid") held_by=$(threads "$pid")
    kill -9 "$pid"
    wait_gone "$pid"
}
start_model --first 600000
waiting_kb 1
one=$rss
waiting_kb 256
each=$(ratio $((rss - one)) 255)
row "KB for a call in flight, 5,000 wait" "$each" 16 "$(ratio "$each" 16)" '<=' 1
say "threads meanwhile: $held_by"
end_model

start_model --first 50
serve_model first 8
heard=$(client first first $((80 / scale)))
direct=$("$bin/bare_llm" "$model_url" 1 "$seconds" | cut -d' ' -f2)
row "ms to the first word over SSE / direct client" "$heard" "$direct" "$(ratio "$heard" "$direct")" '<=' 1.2
end "$pid"
end_model
