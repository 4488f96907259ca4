# SSE: 1,000 subscribers x 300 chat messages, posted one after another, against nginx with nchan.

subscribers=$((1000 / scale))
messages=300
module=/usr/lib/nginx/modules/ngx_nchan_module.so
need_packages "$module" nginx libnginx-mod-nchan

serve sse "sqlite:$tmp/sse.db"
# ours_round [OPTION...]
ours_round() {
    figure sse --target "$at" --path '/api/events?types=chat.message' --publish /api/chat --header "$json" \
        --connections "$subscribers" --count "$messages" --body '{"agent_name":"Builder","message":"bench-{n}"}' "$@"
}
# A first round warms up and shows an event, whose very bytes nchan then delivers.
ours_round --sample "$tmp/sse.sample" >/dev/null
sed 's/bench-[0-9][0-9]*/bench-{n}/' "$tmp/sse.sample" >"$tmp/sse.body"

nchan_at=127.0.0.1:$(free_port)
mkdir "$tmp/nginx"
chmod 755 "$tmp/nginx"
# As many workers as the server has HTTP threads: one for each core, at most 8.
workers=$(nproc)
[ "$workers" -le 8 ] || workers=8
sed "s#@PORT@#${nchan_at#*:}#; s#@MODULE@#$module#; s#@WORKERS@#$workers#" bench/nchan.conf >"$tmp/nginx/nginx.conf"
nginx -p "$tmp/nginx/" -c "$tmp/nginx/nginx.conf" >"$tmp/nginx.log" 2>&1 &
nginx_pid=$!
echo "$nginx_pid" >>"$tmp/pids"
tries=0
until "$load" once --target "$nchan_at" --path /publish --body x >/dev/null 2>&1; do
    kill -0 "$nginx_pid" 2>/dev/null || fail "nginx does not start: $(tail -n 2 "$tmp/nginx.log")"
    tries=$((tries + 1))
    [ $tries -lt 200 ] || fail "nginx does not answer"
    sleep 0.05
done

# The processor time that a program and its children have taken, in ticks.
ticks() {
    # shellcheck disable=SC2046
    cat /proc/"$1"/stat $(pgrep -P "$1" | sed 's#.*#/proc/&/stat#') | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum }'
}

ours='' limit='' ours_ticks=0 nchan_ticks=0
for round in $(seq "$rounds"); do
    before=$(ticks "$nginx_pid")
    limit="$limit $(figure sse --target "$nchan_at" --path /events --publish /publish --header "$json" \
        --connections "$subscribers" --count "$messages" --body-file "$tmp/sse.body")"
    nchan_ticks=$((nchan_ticks + $(ticks "$nginx_pid") - before))
    before=$(ticks "$pid")
    ours="$ours $(ours_round)"
    ours_ticks=$((ours_ticks + $(ticks "$pid") - before))
done
end "$nginx_pid"
end "$pid"
# shellcheck disable=SC2086
ours=$(median $ours) limit=$(median $limit)
row "SSE deliveries / nginx with nchan" "$ours" "$limit" "$(ratio "$ours" "$limit")" '>=' 2.2
# Both may keep the one client busy, which is then what is measured; what each delivery costs its server is not.
deliveries=$((subscribers * messages * rounds))
tick_us=$((1000000 / $(getconf CLK_TCK)))
row "us of processor time for each delivery / the same" \
    "$(echo "$ours_ticks $tick_us $deliveries" | awk '{ print $1 * $2 / $3 }')" \
    "$(echo "$nchan_ticks $tick_us $deliveries" | awk '{ print $1 * $2 / $3 }')" "$(ratio "$ours_ticks" "$nchan_ticks")" '<=' 1
