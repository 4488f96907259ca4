# Runs of agents: what a step of a tool loop costs around its model, against the bare client of models and against LangGraph
# with its in-memory saver; what thousands of runs take that wait for people; and what resuming many of them costs others.

# The model's server, and LangGraph.
# shellcheck source=bench/model.sh
. bench/model.sh

runner() { "$node" bench/runs.mjs "$1" "http://$at" "$2" ${3:+"$3"}; }

install_langgraph
runs=$((600 / scale)) steps=20
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

# Runs that wait for people are rows. The store's caches are filled by making them, so what is compared is a server that has
# been started again on the same store, and one on an empty store.
start_model --call ask_question '{"question":"Which of them?","type":"blocking","responseType":"text","timeoutMinutes":1440}' --steps 1
serve_model empty 100
empty_kb=$(rss_kb "$pid") empty_threads=$(threads "$pid")
end "$pid"
serve_model paused 100
runner pause $((10000 / scale))
end "$pid"
serve_model paused 100
sleep 2
paused_kb=$(rss_kb "$pid") paused_threads=$(threads "$pid")
each=$(ratio $((paused_kb - empty_kb)) $((10000 / scale)))
row "KB for each of 10,000 runs that wait" "$each" 1 "$each" '<=' 1
row "threads, 10,000 runs wait / none" "$paused_threads" "$empty_threads" "$(ratio "$paused_threads" "$empty_threads")" '<=' 1

ask "$at" 1 "$tmp/runs.id"
path=/api/discussion/$(cat "$tmp/runs.id")
quiet=$(figure get --target "$at" --path "$path" --connections 64 --seconds "$seconds")
runner resume $((1000 / scale)) &
resuming=$!
busy=$(figure get --target "$at" --path "$path" --connections 64 --seconds "$seconds")
wait "$resuming" || fail "the runs did not resume"
row "GET/s while 1,000 runs resume / without" "$busy" "$quiet" "$(ratio "$busy" "$quiet")" '>=' 0.8
end "$pid"
end_model
