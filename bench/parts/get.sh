# GET of a prompt with two replies, 64 connections, against a bare libmicrohttpd handler with the same bytes.

serve get "sqlite:$tmp/get.db"
ask "$at" 1 "$tmp/get.id" 3
path=/api/discussion/$(cat "$tmp/get.id")
"$load" post --target "$at" --path "$path" --header "$json" --count 2 --body "$answer" >/dev/null ||
    fail "cannot answer the prompt"

"$load" once --target "$at" --path "$path" >"$tmp/get.like" || fail "cannot read the prompt"
bare get "$tmp/get.like"
# All but the headers that differ from one request to the next.
same() { sed '/^Date:/d; /^Connection:/d; /^X-Request-Id:/Id' "$1" | sort; }
"$load" once --target "$bare_at" --path "$path" >"$tmp/get.bare"
[ "$(same "$tmp/get.like")" = "$(same "$tmp/get.bare")" ] || fail "the bare handler answers other bytes than the server"

ours='' limit=''
for round in $(seq "$rounds"); do
    limit="$limit $(figure get --target "$bare_at" --path "$path" --connections 64 --warmup 0.5 --seconds "$seconds")"
    ours="$ours $(figure get --target "$at" --path "$path" --connections 64 --warmup 0.5 --seconds "$seconds")"
done
end_bare
end "$pid"
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit)
row "GET prompt / bare libmicrohttpd" "$ours" "$limit" "$(ratio "$ours" "$limit")" '>=' 0.75

# The HTTP engine alone, with the same bytes, to tell what of it all is HTTP.
ours='' limit=''
for round in $(seq "$rounds"); do
    for mode in get engine; do
        bare $mode "$tmp/get.like"
        line=$(figure get --target "$bare_at" --path "$path" --connections 64 --warmup 0.5 --seconds "$seconds")
        end_bare
        [ $mode = get ] && limit="$limit $line" || ours="$ours $line"
    done
done
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit)
row "bare engine / bare libmicrohttpd" "$ours" "$limit" "$(ratio "$ours" "$limit")" '>=' 1
