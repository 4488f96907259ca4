# Durable POST of a response on SQLite, 64 connections, against a bare handler that hands over to a thread
# without any store, and against a bare loop that runs the identical statements in batches of 64.

posts=$((24000 / scale))
store=$tmp/post.db

# post_round TARGET IDS: at most eight replies to a prompt, so that what it has collected stays small
post_round() {
    figure post --target "$1" --paths "$2" --prefix /api/discussion/ --header "$json" --connections 64 \
        --count "$posts" --body "$answer"
}

serve post "sqlite:$store"
ask "$at" 1 "$tmp/post.id"
path=/api/discussion/$(cat "$tmp/post.id")
"$load" once --target "$at" --path "$path" --header "$json" --body "$answer" >"$tmp/post.like" ||
    fail "cannot answer a prompt: $(tail -n 1 "$tmp/post.like")"
bare handoff "$tmp/post.like"
ours='' limit=''
for round in $(seq "$rounds"); do
    ask "$at" $((posts / 8)) "$tmp/post.ids"
    limit="$limit $(figure post --target "$bare_at" --paths "$tmp/post.ids" --prefix /api/discussion/ --header "$json" \
        --connections 64 --warmup 0.5 --seconds "$seconds" --body "$answer")"
    ours="$ours $(post_round "$at" "$tmp/post.ids")"
done
end_bare
# shellcheck disable=SC2086
post_rps=$(median $ours) limit=$(median $limit)
row "POST response / bare handoff" "$post_rps" "$limit" "$(ratio "$post_rps" "$limit")" '>=' 0.4

# The record: from a stopped store with fresh prompts, of which each replay gets its own copy.
ask "$at" $((posts / 8)) "$tmp/post.ids"
end "$pid"
copy() {
    rm -f "$2" "$2-wal" "$2-shm"
    cp "$1" "$2"
    [ ! -f "$1-wal" ] || cp "$1-wal" "$2-wal"
}
copy "$store" "$tmp/before.db"
PRELOAD=$bin/record.so RECORD=$tmp/record
serve record "sqlite:$store"
PRELOAD=''
say "recording (slower than the server alone)"
post_round "$at" "$tmp/post.ids" >/dev/null
end "$pid"
limit=''
for round in $(seq "$rounds"); do
    copy "$tmp/before.db" "$tmp/replay.db"
    line=$("$bin/bare_sqlite" --db "$tmp/replay.db" --record "$tmp/record" --operations "$posts") || fail "the replay broke"
    echo "  replay: $line" >&2
    limit="$limit $(field rps "$line")"
done
rm -f "$tmp/record" "$tmp"/replay.db* "$tmp"/before.db*
# shellcheck disable=SC2086
limit=$(median $limit)
row "POST response / bare SQLite loop" "$post_rps" "$limit" "$(ratio "$post_rps" "$limit")" '>=' 0.2
