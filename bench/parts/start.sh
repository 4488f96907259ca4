# Start to first answer: on an empty store and on the large one, after a clean stop and after kill -9 under load.

big=$tmp/big.db
empty=$tmp/empty.db
[ -f "$big" ] || sh bench/seed_big "$big" $((1000000 / scale)) $((100000 / scale)) "$tmp/big.ids"

# start_ms STORE: starts, prints milliseconds; leaves the process id in $tmp/start.pid and address in $tmp/start.at
start_ms() {
    start_at=127.0.0.1:$(free_port)
    line=$("$load" first --target "$start_at" --path '/api/chat?limit=1' -- \
        "$witan" serve --listen "$start_at" --db "sqlite:$1" 2>"$tmp/start.log") || fail "start: $(tail -n 2 "$tmp/start.log")"
    field pid "$line" >"$tmp/start.pid"
    field pid "$line" >>"$tmp/pids"
    echo "$start_at" >"$tmp/start.at"
    field ms "$line"
}

end_start() {
    kill "-${1:-TERM}" "$(cat "$tmp/start.pid")"
    wait_gone "$(cat "$tmp/start.pid")"
}

# starts STORE clean|killed: the median of several
starts() {
    figures=''
    start_ms "$1" >/dev/null
    for round in $(seq $((rounds * 2 + 1))); do
        if [ "$2" = killed ]; then
            "$load" post --target "$(cat "$tmp/start.at")" --path /api/chat --header "$json" --connections 64 \
                --seconds 20 --body '{"agent_name":"Builder","message":"About to be cut off, number {n}."}' \
                >/dev/null 2>&1 &
            writer=$!
            sleep 1
            end_start KILL
            kill "$writer" 2>/dev/null || :
            wait "$writer" 2>/dev/null || :
        else
            end_start
        fi
        figures="$figures $(start_ms "$1")"
    done
    end_start
    # shellcheck disable=SC2086
    median $figures
}

new_ms=$(start_ms "$empty")
say "first start, making a new store: $new_ms ms"
end_start
for how in clean killed; do
    empty_ms=$(starts "$empty" $how)
    big_ms=$(starts "$big" $how)
    row "ms to first answer, large / empty, $how" "$big_ms" "$empty_ms" "$(ratio "$big_ms" "$empty_ms")" '<=' 2
done
