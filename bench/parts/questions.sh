# Questions to people: from the asking to the answer in the waiter's hand, against the same on restate in the same run;
# 10,000 waiters held and answered; and what the inbox costs in a store with a million answered questions.

ask_body='{"question":"Which region shall number {n} use?","type":"blocking","responseType":"text","timeoutMinutes":1440}'

# ask_questions TARGET COUNT FILE: asks and writes the ids to FILE
ask_questions() {
    "$load" post --target "$1" --path /api/questions --header "$json" --connections 64 --count "$2" --pick "$3" \
        --body "$ask_body" >"$tmp/questions.json" || fail "cannot ask: $(cat "$tmp/questions.json")"
}

# Node 22 or newer where ./dev brought one.
node=$root/.node/bin/node
[ -x "$node" ] || node=$(command -v node) || fail "restate's SDK needs node; ./dev test brings one"

install_restate() {
    peer=$bin/peers/restate
    mkdir -p "$peer"
    cp bench/peers/restate/* bench/peers/restate/.npmrc "$peer/"
    [ -d "$peer/node_modules/@restatedev/restate-server" ] && return
    say "installing restate"
    (cd "$peer" && npm ci >"$tmp/npm.log" 2>&1) || fail "cannot install restate: $(tail -n 3 "$tmp/npm.log")"
}

# Starts restate's server on a folder of its own, on the same disk, and the service that asks; sets $restate_at.
start_restate() {
    restate_port=$(free_port) admin_port=$(free_port) fabric_port=$(free_port) service_port=$(free_port)
    restate_at=127.0.0.1:$restate_port
    mkdir -p "$tmp/restate"
    set -- "$peer"/node_modules/@restatedev/restate-server-linux-*/bin/restate-server
    RESTATE_INGRESS__BIND_ADDRESS=127.0.0.1:$restate_port RESTATE_ADMIN__BIND_ADDRESS=127.0.0.1:$admin_port \
        RESTATE_BIND_ADDRESS=127.0.0.1:$fabric_port RESTATE_BASE_DIR=$tmp/restate RESTATE_DISABLE_TELEMETRY=true \
        RESTATE_LISTEN_MODE=tcp "$1" >"$tmp/restate.log" 2>&1 &
    restate_pid=$!
    echo "$restate_pid" >>"$tmp/pids"
    tries=0
    until "$load" once --target "127.0.0.1:$admin_port" --path /health >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "restate does not answer: $(tail -n 3 "$tmp/restate.log")"
        sleep 0.05
    done
    "$node" "$peer/service.mjs" "$service_port" "$restate_port" "$admin_port" >"$tmp/service.log" 2>&1 &
    service_pid=$!
    echo "$service_pid" >>"$tmp/pids"
    until grep -q '^ready' "$tmp/service.log"; do
        kill -0 "$service_pid" 2>/dev/null || fail "restate's service: $(tail -n 3 "$tmp/service.log")"
        sleep 0.05
    done
}

# Both sides in turns, with what the other does not need stopped meanwhile.
install_restate
start_restate
serve questions "sqlite:$tmp/questions.db"
ours='' limit='' ours_p99='' limit_p50=''
for round in $(seq "$rounds"); do
    kill -STOP "$pid"
    line=$("$load" post --target "$restate_at" --path /asker/ask --header "$json" --connections 64 --warmup 1 \
        --seconds "$seconds" --body '{"question":"Which region shall number {n} use?"}') || fail "restate: $line"
    echo "  restate: $line" >&2
    limit="$limit $(field rps "$line")" limit_p50="$limit_p50 $(field p50 "$line")"
    kill -CONT "$pid"
    kill -STOP "$restate_pid" "$service_pid"
    line=$("$load" ask --target "$at" --path /api/questions --connections 64 --warmup 1 --seconds "$seconds") ||
        fail "ask: $line"
    echo "  ask: $line" >&2
    ours="$ours $(field rps "$line")" ours_p99="$ours_p99 $(field p99 "$line")"
    kill -CONT "$restate_pid" "$service_pid"
done
kill -9 "$restate_pid" "$service_pid"
wait_gone "$restate_pid"
wait_gone "$service_pid"
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit) ours_p99=$(median $ours_p99) limit_p50=$(median $limit_p50)
row "ask, wait, answer, heard / restate" "$ours" "$limit" "$(ratio "$ours" "$limit")" '>=' 10
row "p99 of ours / p50 of restate (ms)" "$ours_p99" "$limit_p50" "$(ratio "$ours_p99" "$limit_p50")" '<=' 1

# The durable POST of the ground floor, unless this run has measured it.
if [ -z "${post_rps:-}" ]; then
    post_rps=''
    for round in $(seq "$rounds"); do
        ask "$at" $((3000 / scale)) "$tmp/post.ids"
        post_rps="$post_rps $(figure post --target "$at" --paths "$tmp/post.ids" --prefix /api/discussion/ \
            --header "$json" --connections 64 --count $((24000 / scale)) --body "$answer")"
    done
    # shellcheck disable=SC2086
    post_rps=$(median $post_rps)
fi
end "$pid"

# Waiters: a server of its own, so that its memory is theirs.
waiters=$((10000 / scale))
serve waiters "sqlite:$tmp/waiters.db"
each='' ours=''
for round in $(seq "$rounds"); do
    ask_questions "$at" "$waiters" "$tmp/waiters.ids"
    before=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    rm -f "$tmp/waiters.in"
    mkfifo "$tmp/waiters.in"
    : >"$tmp/waiters.out"
    "$load" answer --target "$at" --paths "$tmp/waiters.ids" --prefix /api/questions/ <"$tmp/waiters.in" \
        >"$tmp/waiters.out" 2>"$tmp/waiters.log" &
    holder=$!
    echo "$holder" >>"$tmp/pids"
    exec 8>"$tmp/waiters.in"
    until "$load" once --target "$at" --path /metrics 2>/dev/null | grep -q "^witan_waits $waiters\$"; do
        kill -0 "$holder" 2>/dev/null || fail "answer: $(tail -n 1 "$tmp/waiters.log")"
        sleep 0.1
    done
    held=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    # Memory that the first round has warmed up is there already in the second.
    [ -n "$each" ] || each=$(awk -v a="$held" -v b="$before" -v n="$waiters" 'BEGIN { printf "%.2f", (a - b) / n }')
    echo go >&8
    exec 8>&-
    wait "$holder" || fail "answer: $(tail -n 1 "$tmp/waiters.log")"
    wait_gone "$holder"
    line=$(tail -n 1 "$tmp/waiters.out")
    echo "  answer: $line" >&2
    ours="$ours $(field rps "$line")"
done
end "$pid"
# shellcheck disable=SC2086
ours=$(median $ours)
row "KB for each of $waiters waiters" "$each" 4 "$(ratio "$each" 4)" '<=' 1
row "answers to $waiters waiters / durable POST" "$ours" "$post_rps" "$(ratio "$ours" "$post_rps")" '>=' 0.5

# The inbox: made by the server, then filled with answered questions that nobody has open any more.
answered=$((1000000 / scale))
fill_answered() {
    "$bin/fill" "$1" <<END
PRAGMA synchronous = OFF;
PRAGMA foreign_keys = OFF;
BEGIN;
INSERT INTO jobs (id, workspace_id, kind, status, created_at, ended_at, lone)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $answered)
SELECT printf('018f0000-0000-7000-9000-%012x', i), workspace_id, 'question', 'completed', 1700000000000 + i,
       1700000060000 + i, 1
  FROM n, (SELECT workspace_id FROM jobs LIMIT 1);
INSERT INTO agent_questions (id, job_id, workspace_id, type, question, status, response_type, response, responded_by,
                             responded_at, timeout_at, created_at, question_key, asked_by, outcome_source, outcome_by,
                             ended_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $answered)
SELECT printf('018f0000-0000-7000-8000-%012x', i), printf('018f0000-0000-7000-9000-%012x', i), workspace_id, 'blocking',
       'Which region shall number ' || i || ' use?', 'answered', 'text', '{"type":"text","value":"eu"}', 'local',
       strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + i, 'unixepoch'),
       strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700001800 + i, 'unixepoch'),
       strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + i, 'unixepoch'), i * 2654435761, 'local', 'human', 'local',
       strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000060 + i, 'unixepoch')
  FROM n, (SELECT workspace_id FROM jobs LIMIT 1);
COMMIT;
END
}
for size in big:$((10000 / scale)) small:10; do
    serve "inbox-${size%%:*}" "sqlite:$tmp/inbox-${size%%:*}.db"
    ask_questions "$at" "${size##*:}" "$tmp/inbox.ids"
    end "$pid"
done
say "filling the inbox's store with $answered answered questions"
fill_answered "$tmp/inbox-big.db"
serve inbox-big "sqlite:$tmp/inbox-big.db"
big_pid=$pid big_at=$at
serve inbox-small "sqlite:$tmp/inbox-small.db"
# Of a page of ten, so that both replies are of the same size.
for sort in created deadline; do
    ours='' limit=''
    for round in $(seq "$rounds"); do
        path="/api/questions/pending?workspaceId=default&limit=10&sort=$sort"
        limit="$limit $(figure get --target "$at" --path "$path" --connections 8 --warmup 0.3 --seconds "$seconds")"
        ours="$ours $(figure get --target "$big_at" --path "$path" --connections 8 --warmup 0.3 --seconds "$seconds")"
    done
    # shellcheck disable=SC2086
    ours=$(median $ours) limit=$(median $limit)
    row "cost of the inbox by $sort, large / small" "$ours" "$limit" "$(ratio "$limit" "$ours")" '<=' 1.5
done
end "$pid"
end "$big_pid"
rm -f "$tmp"/inbox-*.db*
