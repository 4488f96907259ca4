# Discussions: what a turn costs around its model, against the bare client of models and against LangGraph with its
# in-memory saver; what thousands that wait take; and how soon the first word is heard.

# shellcheck source=bench/model.sh
. bench/model.sh

client() { "$node" --no-warnings --experimental-sqlite bench/turns.mjs "$1" "$tmp/$2.db" "http://$at" "$3" ${4:+"$4"}; }

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
