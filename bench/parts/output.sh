# Reading agents' output: a result inside 64 KB of prose and code, and 1 MB of hostile braces.

# The reader is linked in, so the program is made anew whenever this part runs.
compile output bench/src/output.c bench/src/util.c "$build/libwitan.a" -ljansson

# output_part MODE NAME OP TARGET
output_part() {
    ours='' limit=''
    for round in $(seq "$rounds"); do
        line=$("$bin/output" "$1") || fail "output $1: $line"
        echo "  $1: $line" >&2
        ours="$ours $(field ours "$line")"
        limit="$limit $(field limit "$line")"
    done
    # shellcheck disable=SC2086
    ours=$(median $ours) limit=$(median $limit)
    row "$2" "$ours" "$limit" "$(ratio "$ours" "$limit")" "$3" "$4"
}

output_part object "MB/s, result in prose / JSON alone" '>=' 0.3
output_part braces "ns per byte, hostile braces / prose" '<=' 2
