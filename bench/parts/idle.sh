# 10,000 idle SSE streams, then 10,000 long polls: memory of each, GET beside them, and how soon the server notices
# that they vanished.

held=$((10000 / scale))

rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
open_files() { ls "/proc/$1/fd" | wc -l; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

get_rounds() {
    for round in $(seq "$rounds"); do
        figure get --target "$at" --path "$get_path" --connections 64 --warmup 0.3 --seconds "$seconds"
    done
}

# hold NAME LOAD-OPTIONS...: one of the two kinds, on a server of its own
hold() {
    name=$1
    shift
    serve "idle-$name" "sqlite:$tmp/idle-$name.db"
    ask "$at" $((1000 / scale)) "$tmp/idle.ids"
    sed 's/$/?wait=50/' "$tmp/idle.ids" >"$tmp/idle.waits"
    get_path=/api/discussion/$(head -n 1 "$tmp/idle.ids")
    before=$(get_rounds)
    # The connections of these rounds are closed, but the server may not have heard of it yet.
    sleep 1
    files_before=$(open_files "$pid")
    rss_before=$(rss_kb "$pid")

    rm -f "$tmp/idle.in"
    mkfifo "$tmp/idle.in"
    : >"$tmp/idle.out"
    "$load" idle --target "$at" --connections "$held" "$@" <"$tmp/idle.in" >"$tmp/idle.out" 2>"$tmp/idle.log" &
    holder=$!
    echo "$holder" >>"$tmp/pids"
    exec 8>"$tmp/idle.in"
    until grep -q established "$tmp/idle.out"; do
        kill -0 "$holder" 2>/dev/null || fail "idle: $(tail -n 1 "$tmp/idle.log")"
        sleep 0.1
    done
    sleep 2
    files_held=$(open_files "$pid")
    [ $((files_held - files_before)) -ge "$held" ] || fail "the server holds only $((files_held - files_before)) of $held"
    rss_held=$(rss_kb "$pid")
    during=$(get_rounds)

    kill -0 "$holder" 2>/dev/null || fail "idle: $(tail -n 1 "$tmp/idle.log")"
    echo reset >&8
    exec 8>&-
    until grep -q ended "$tmp/idle.out"; do
        kill -0 "$holder" 2>/dev/null || break
        sleep 0.01
    done
    reset_at=$(now_ms)
    while [ "$(open_files "$pid")" -gt $((files_before + held / 100)) ]; do
        [ $(($(now_ms) - reset_at)) -lt 30000 ] || break
        sleep 0.02
    done
    gone_ms=$(($(now_ms) - reset_at))
    wait "$holder" || fail "the server dropped connections: $(tail -n 1 "$tmp/idle.out")"
    wait_gone "$holder"
    after=$(get_rounds)
    end "$pid"

    each=$(awk -v a="$rss_held" -v b="$rss_before" -v n="$held" 'BEGIN { printf "%.2f", (a - b) / n }')
    # shellcheck disable=SC2086
    alone=$(median $before $after) beside=$(median $during)
    row "KB for each of $held idle $name" "$each" 4 "$(ratio "$each" 4)" '<=' 1
    row "GET beside $held idle $name / alone" "$beside" "$alone" "$(ratio "$beside" "$alone")" '>=' 0.85
    row "ms until $held vanished $name are gone" "$gone_ms" 2000 "$(ratio "$gone_ms" 2000)" '<=' 1
}

hold streams --path /api/events --header 'Accept: text/event-stream'
hold waits --paths "$tmp/idle.waits" --prefix /api/discussion/
