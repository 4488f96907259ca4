# Shared by bench/run and its parts: builds, starts servers, takes figures, keeps the table. POSIX sh.

# The caller has gone to the root of the tree.
root=$(pwd)
build=${BUILD:-build}
bin=$root/$build/bench
witan=${WITAN_BIN:-$root/$build/witan}
load=$bin/load

rounds=${BENCH_ROUNDS:-3}
seconds=${BENCH_SECONDS:-3}

say() { echo "bench: $*" >&2; }
fail() { say "$*"; exit 1; }

# Everything here goes when the run ends, whatever happened; the stores lie on the disk of the build folder, for a
# /tmp in memory would make fsync cost nothing.
setup() {
    mkdir -p "$bin"
    tmp=$(mktemp -d "$bin/run.XXXXXX")
    # nginx gives up root, and its workers have to reach their folder.
    chmod 755 "$tmp"
    table=$tmp/table
    : >"$table"
    : >"$tmp/pids"
    trap cleanup EXIT
    trap 'exit 130' INT TERM
    ulimit -n "$(ulimit -Hn)"
}

cleanup() {
    status=$?
    while read -r pid; do
        kill -9 "$pid" 2>/dev/null || :
    done <"$tmp/pids"
    [ "$status" = 0 ] || tail -n 5 "$tmp"/*.log 2>/dev/null >&2 || :
    [ -n "${BENCH_KEEP:-}" ] || rm -rf "$tmp"
}

# The compiler and flags of the server itself, as make wrote them down.
build_programs() {
    make -s BUILD="$build" "$build/flags"
    flags=$(cat "$build/flags")
    if [ -x "$bin/pgscript" ] && [ -z "$(find bench/src "$build/flags" -newer "$bin/pgscript" -type f)" ]; then
        return
    fi
    # The yardstick of get and post; the server itself does without.
    need_packages /usr/include/microhttpd.h libmicrohttpd-dev
    say "building the programs of the benchmarks"
    cd bench/src
    compile load load.c util.c http_in.c net.c request.c closed.c sse.c idle.c first.c \
        exchange.c ask.c answer.c
    compile bare_mhd bare_mhd.c util.c -lmicrohttpd
    make -s -C "$root" BUILD="$build" "$build/libwitan.a"
    compile bare_http -I"$root/src" -I"$root" bare_http.c util.c "$root/$build/libwitan.a" -lz -lwslay -lcrypto
    compile fill fill.c util.c -lsqlite3
    compile bare_sqlite bare_sqlite.c oplog.c util.c -lsqlite3
    compile ready ready.c http_in.c net.c util.c -lsqlite3
    # A library, hence neither -fPIE nor -pie.
    # shellcheck disable=SC2086
    $(echo "$flags" | sed 's/ -fPIE / /; s/ -pie / /') -fPIC -shared -o "$bin/record.so" record.c -ldl
    compile model model.c util.c
    compile bare_exec bare_exec.c util.c
    compile bare_llm -I"$root/src" -I"$root" bare_llm.c util.c "$root/$build/libwitan.a" -lcurl -ljansson -lsodium -lutf8proc -lz -lcrypto
    compile pgscript pgscript.c oplog.c util.c -lpq
    cd "$root"
}

compile() {
    program=$1
    shift
    # shellcheck disable=SC2086
    $flags -o "$bin/$program" "$@"
}

# installs PACKAGE... unless the file $1 is there
need_packages() {
    file=$1
    shift
    [ ! -e "$file" ] || return 0
    say "installing $*"
    apt-get install -y --no-install-recommends "$@" >"$tmp/apt.log" 2>&1 || fail "cannot install $*; see $tmp/apt.log"
}

free_port() {
    while :; do
        port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
        hex=$(printf ':%04X 00000000:0000 0A' "$port")
        grep -q "$hex" /proc/net/tcp || break
    done
    echo "$port"
}

# serve NAME URL: starts the server and waits for its first answer; sets $pid and $at
serve() {
    port=$(free_port)
    at=127.0.0.1:$port
    ${PRELOAD:+env LD_PRELOAD="$PRELOAD" BENCH_RECORD="$RECORD"} \
        "$witan" serve --listen "$at" --db "$2" >"$tmp/$1.log" 2>&1 &
    pid=$!
    echo "$pid" >>"$tmp/pids"
    tries=0
    until "$load" once --target "$at" --path /readyz >/dev/null 2>&1; do
        kill -0 "$pid" 2>/dev/null || fail "the server ended at its start: $(tail -n 3 "$tmp/$1.log")"
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "the server does not answer: $(tail -n 3 "$tmp/$1.log")"
        sleep 0.05
    done
}

# end PID: a polite stop, and wait for it
end() {
    kill "$1" 2>/dev/null || :
    wait_gone "$1"
}

wait_gone() {
    tries=0
    while kill -0 "$1" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "process $1 does not stop"
        sleep 0.05
    done
    wait "$1" 2>/dev/null || :
    # Its number may come back as somebody else's, who is not ours to kill.
    sed -i "/^$1\$/d" "$tmp/pids"
}

# bare MODE LIKE: starts the bare libmicrohttpd program, or with MODE "engine" the server's own engine; sets
# $bare_pid and $bare_at
bare() {
    rm -f "$tmp/bare.in"
    mkfifo "$tmp/bare.in"
    : >"$tmp/bare.port"
    program="bare_mhd $1"
    [ "$1" != engine ] || program=bare_http
    # shellcheck disable=SC2086
    "$bin/"$program --like "$2" <"$tmp/bare.in" >"$tmp/bare.port" 2>"$tmp/bare.log" &
    bare_pid=$!
    echo "$bare_pid" >>"$tmp/pids"
    exec 7>"$tmp/bare.in"
    until [ -s "$tmp/bare.port" ]; do
        kill -0 "$bare_pid" 2>/dev/null || fail "bare_mhd: $(cat "$tmp/bare.log")"
        sleep 0.02
    done
    bare_at=127.0.0.1:$(cat "$tmp/bare.port")
}

end_bare() {
    exec 7>&-
    wait_gone "$bare_pid"
}

# one figure out of a line of JSON: field NAME LINE
field() {
    echo "$2" | sed -n "s/.*\"$1\":\([-0-9.]*\).*/\1/p"
}

# runs the load generator, shows its line, and gives one field of it (rps unless $want says otherwise)
figure() {
    line=$("$load" "$@") || fail "load $*: $line"
    echo "  $1: $line" >&2
    field "${want:-rps}" "$line"
}

median() {
    printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b ? a / b : 0 }'; }

# row NAME OURS LIMIT RATIO OP TARGET: judges and keeps one line of the table
row() {
    verdict=$(awk -v r="$4" -v op="$5" -v t="$6" 'BEGIN { print (op == ">=" ? r >= t : r <= t) ? "PASS" : "MISS" }')
    printf '%s|%s|%s|%s|%s %s|%s\n' "$1" "$2" "$3" "$4" "$5" "$6" "$verdict" >>"$table"
    say "$1: ours $2, limit $3, ratio $4 ($5 $6): $verdict"
}

print_table() {
    printf '\n%s\n' "machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), Linux $(uname -r), $(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo)"
    printf '%s\n\n' "load: $(cut -d' ' -f1-3 /proc/loadavg) before the run: $load_before"
    { echo "name|ours|limit|ratio|target|verdict"; cat "$table"; } |
        awk -F'|' '{ printf "%-44s | %12s | %12s | %8s | %9s | %s\n", $1, $2, $3, $4, $5, $6 }'
}

json='Content-Type: application/json'

# ask TARGET COUNT FILE [REQUIRED]: makes prompts and writes their ids to FILE
ask() {
    "$load" post --target "$1" --path /api/discussion --header "$json" --connections 64 --count "$2" --pick "$3" \
        --body "{\"requester_agent\":\"Asker\",\"prompt_message\":\"What should be cached, number {n}?\",\"required_responses\":${4:-100},\"timeout_minutes\":1440}" \
        >"$tmp/ask.json" || fail "cannot make prompts: $(cat "$tmp/ask.json")"
}

answer='{"agent_name":"bench-agent-{n}","message":"Mind the cache: it is read far more often than written. Number {n}."}'
