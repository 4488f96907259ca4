# What list and get cost with 1,000,000 messages and 100,000 prompts in the store, against 1,000 of each.

big=$tmp/big.db
small=$tmp/small.db

# The start part may have made it already in this run.
[ -f "$big" ] || sh bench/seed_big "$big" $((1000000 / scale)) $((100000 / scale)) "$tmp/big.ids"
sh bench/seed_big "$small" 1000 1000 "$tmp/small.ids"
# A thousand prompts spread evenly over each store.
for size in big small; do
    awk -v n="$(wc -l <"$tmp/$size.ids")" 'NR % int(n / 1000 > 1 ? n / 1000 : 1) == 0' "$tmp/$size.ids" >"$tmp/$size.some"
done

serve big "sqlite:$big"
big_pid=$pid big_at=$at
serve small "sqlite:$small"

# cost NAME LOAD-OPTIONS-FOR-PATHS, with SIZE standing for the store
cost() {
    name=$1
    shift
    ours='' limit=''
    for round in $(seq "$rounds"); do
        # shellcheck disable=SC2046
        limit="$limit $(figure get --target "$at" --connections 8 --warmup 0.3 --seconds "$seconds" \
            $(echo "$@" | sed "s#SIZE#$tmp/small#"))"
        # shellcheck disable=SC2046
        ours="$ours $(figure get --target "$big_at" --connections 8 --warmup 0.3 --seconds "$seconds" \
            $(echo "$@" | sed "s#SIZE#$tmp/big#"))"
    done
    # shellcheck disable=SC2086
    ours=$(median $ours) limit=$(median $limit)
    row "cost of $name, large / small store" "$ours" "$limit" "$(ratio "$limit" "$ours")" '<=' 1.5
}

cost "GET prompt" --paths SIZE.some --prefix /api/discussion/
cost "GET prompts" --path "/api/discussion?limit=50"
cost "GET prompts of an agent" --path "/api/discussion?agent=Growth&limit=50"
cost "GET chat" --path "/api/chat?limit=50"
end "$pid"
end "$big_pid"
