# Durable POST of a response on PostgreSQL against pgbench that runs the same statements with 16 clients.

pg_dir=$tmp/pg
posts=$((8000 / scale))
clients=16
each=$((posts / clients))
pgbench=$(ls -d /usr/lib/postgresql/*/bin/pgbench 2>/dev/null | sort -V | tail -n 1)
pgbench=${pgbench:-$(command -v pgbench)} || fail "pgbench is not installed (package postgresql)"

pg_stop() { [ ! -d "$pg_dir" ] || "$root/tests/pg" stop "$pg_dir" immediate 2>/dev/null || :; }
trap 'pg_stop; cleanup' EXIT
pg_url=$("$root/tests/pg" start "$pg_dir") || fail "PostgreSQL does not start"

# A few responses one after another, recorded, become the script.
PRELOAD=$bin/record.so RECORD=$tmp/pgrecord
serve pgrecord "$pg_url"
PRELOAD=''
ask "$at" 9 "$tmp/pg.ids"
head -n 8 "$tmp/pg.ids" >"$tmp/pg.answered"
untouched=$(tail -n 1 "$tmp/pg.ids")
"$load" post --target "$at" --paths "$tmp/pg.answered" --prefix /api/discussion/ --header "$json" --count 8 \
    --body "$answer" >/dev/null || fail "cannot answer on PostgreSQL"
end "$pid"
"$bin/pgscript" --pg "$pg_url" --record "$tmp/pgrecord" --mark bench-agent- --prompts "$tmp/pg.answered" \
    --per-prompt 8 >"$bin/pgbench_respond.sql"

# pgbench_round N: prompts for its clients, then the transactions; each round has ids of its own
pgbench_round() {
    start=$(($1 * 1000000))
    psql -qX -v ON_ERROR_STOP=1 "$pg_url" >/dev/null <<SQL
SELECT string_agg(column_name, ', ') AS others
  FROM information_schema.columns
 WHERE table_schema = current_schema AND table_name = 'discussion_prompts' AND is_generated = 'NEVER'
   AND column_name <> 'id'
\\gset
INSERT INTO discussion_prompts (id, :others)
SELECT CAST(lpad(to_hex(k), 8, '0') || '-' || lpad(to_hex(c), 4, '0') || '-7000-9000-000000000000' AS UUID), :others
  FROM discussion_prompts p, generate_series(0, $clients - 1) c, generate_series($start / 8, ($start + $each) / 8 + 1) k
 WHERE p.id = '$untouched';
SQL
    # With the server's own session settings: without witan.node the triggers take pgbench for another program and
    # NOTIFY in each transaction, which makes commits wait for one another.
    PGOPTIONS='-c witan.node=on -c timezone=UTC' "$pgbench" -n -M prepared -c $clients -j 2 -t "$each" -D n="$start" -f "$bin/pgbench_respond.sql" "$pg_url" \
        >"$tmp/pgbench.log" 2>&1 || fail "pgbench: $(tail -n 3 "$tmp/pgbench.log")"
    grep -q 'failed transactions: 0 ' "$tmp/pgbench.log" || fail "pgbench: $(grep failed "$tmp/pgbench.log")"
    sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$tmp/pgbench.log"
}

# The server is stopped while pgbench runs: it would number the events that pgbench leaves, and be in the way.
ours='' limit=''
for round in $(seq "$rounds"); do
    tps=$(pgbench_round "$round")
    echo "  pgbench: $tps" >&2
    limit="$limit $tps"
    serve pg "$pg_url"
    ask "$at" $((posts / 8)) "$tmp/pg.ids"
    ours="$ours $(figure post --target "$at" --paths "$tmp/pg.ids" --prefix /api/discussion/ --header "$json" \
        --connections 64 --count "$posts" --body "$answer")"
    end "$pid"
done
pg_stop
trap cleanup EXIT
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit)
row "POST response on PostgreSQL / pgbench" "$ours" "$limit" "$(ratio "$ours" "$limit")" '>=' 0.6
