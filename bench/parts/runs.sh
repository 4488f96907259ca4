# Runs of agents: what a step of a tool loop costs around its model, against the bare client of models and against LangGraph
# with its in-memory saver; what thousands of runs take that wait for people; and what resuming many of them costs others.

# The model's server, and LangGraph.
# shellcheck source=bench/model.sh
. bench/model.sh

runner() { "$node" bench/runs.mjs "$1" "http://$at" "$2" ${3:+"$3"}; }

install_langgraph
runs=$((1000 / scale)) steps=20
ours='' bare='' graph=''
start_model --call report_progress '{"step":"counting"}' --steps "$steps"
for round in $(seq "$rounds"); do
    serve_model "runs$round" 100
    ours="$ours $(runner rate "$runs" "$steps")"
    end "$pid"
    bare="$bare $("$bin/bare_llm" "$model_url" 100 "$seconds" | cut -d' ' -f1)"
    graph="$graph $("$node" "$peer/runs.mjs" "$model_url" 100 "$seconds")"
done
end_model
# shellcheck disable=SC2086
ours=$(median $ours) bare=$(median $bare) graph=$(median $graph)
row "steps/s, 100 runs at a time / LangGraph" "$ours" "$graph" "$(ratio "$ours" "$graph")" '>=' 4
row "steps/s, 100 runs at a time / bare client" "$ours" "$bare" "$(ratio "$ours" "$bare")" '>=' 0.35

# Commands: each a program of its own, held to its bounds, begun and ended in the store.
more='tools:
  cat:
    description: Says what it is told.
    input_schema: {type: object}
    argv: [/bin/cat]
'
ours='' bare=''
start_model --call cat '{}' --steps "$steps"
for round in $(seq "$rounds"); do
    serve_model "commands$round" 100
    ours="$ours $(runner rate $((100 / scale)) "$steps")"
    end "$pid"
    bare="$bare $("$bin/bare_exec" 8 "$seconds" /bin/cat)"
done
end_model
unset more
# shellcheck disable=SC2086
ours=$(median $ours) bare=$(median $bare)
row "steps/s with a command / bare fork and exec" "$ours" "$bare" "$(ratio "$ours" "$bare")" '>=' 0.2

# Runs that wait for people are rows. What they take of memory is seen on a server that has been started again on the same store,
# beside one on an empty store, both at rest: making them fills the store's caches. Threads, and files with connections, are
# counted on the server that has paused them: after the first half, when it has all connections to the model that it keeps, and after
# the second.
pausing=$((10000 / scale)) half=$((5000 / scale)) resuming=$((1000 / scale))
start_model --call ask_question '{"question":"Which of them?","type":"blocking","responseType":"text","timeoutMinutes":1440}' --steps 90
serve_model empty 100
at_rest "$pid"
empty_kb=$(rss_kb "$pid")
end "$pid"
serve_model paused 100
runner pause "$half"
at_rest "$pid"
half_threads=$(threads "$pid") half_files=$(open_files "$pid")
runner pause "$half"
at_rest "$pid"
paused_threads=$(threads "$pid") paused_files=$(open_files "$pid")
end "$pid"
serve_model paused 100
at_rest "$pid"
paused_kb=$(rss_kb "$pid")
each=$(ratio $((paused_kb - empty_kb)) "$pausing")
row "KB for each of 10,000 runs that wait" "$each" 1 "$each" '<=' 1
row "threads, 10,000 runs wait / 5,000" "$paused_threads" "$half_threads" "$(ratio "$paused_threads" "$half_threads")" '<=' 1
files=$(ratio $((paused_files - half_files)) "$half")
row "open files and connections for each of 5,000 more" "$files" 0.01 "$files" '<=' 0.01

# GET beside runs that resume: many at once, and then for the whole of the time, where another part of them is answered as soon
# as one has resumed.
ask "$at" 1 "$tmp/runs.id"
path=/api/discussion/$(cat "$tmp/runs.id")
gets() { figure get --target "$at" --path "$path" --connections 64 --seconds "${1:-$seconds}"; }

# The second in which as many are answered at once.
quiet='' busy=''
for round in $(seq "$rounds"); do
    quiet="$quiet $(gets 1)"
    runner burst "$resuming" >"$tmp/burst.out" &
    burst=$!
    busy="$busy $(gets 1)"
    wait "$burst" || fail "the runs did not resume"
    say "resumed beside that in ms: $(cat "$tmp/burst.out")"
    at_rest "$pid"
done
# shellcheck disable=SC2086
quiet=$(median $quiet) busy=$(median $busy)
row "GET/s in the second in which 1,000 runs resume / without" "$busy" "$quiet" "$(ratio "$busy" "$quiet")" '>=' 0.8

# And for the whole of the time.
quiet='' busy=''
for round in $(seq "$rounds"); do
    quiet="$quiet $(gets)"
    rm -f "$tmp/resume.in"
    mkfifo "$tmp/resume.in"
    : >"$tmp/resume.out"
    runner resume "$resuming" <"$tmp/resume.in" >"$tmp/resume.out" &
    resumer=$!
    echo "$resumer" >>"$tmp/pids"
    exec 9>"$tmp/resume.in"
    until grep -q resuming "$tmp/resume.out"; do
        kill -0 "$resumer" 2>/dev/null || fail "the runs did not resume"
        sleep 0.02
    done
    busy="$busy $(gets)"
    kill -0 "$resumer" 2>/dev/null || fail "the runs stopped resuming"
    exec 9>&-
    wait "$resumer" || fail "the runs did not resume"
    say "resumed a second beside that: $(tail -n 1 "$tmp/resume.out")"
    at_rest "$pid"
done
# shellcheck disable=SC2086
quiet=$(median $quiet) busy=$(median $busy)
row "GET/s while 1,000 runs resume all the time / without" "$busy" "$quiet" "$(ratio "$busy" "$quiet")" '>=' 0.8
end "$pid"
end_model
