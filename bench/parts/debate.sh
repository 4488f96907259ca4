# The published mechanics of debates, in simulation: scripted agents, the server's own rules, no model and no clock.

# The rules are linked in, so the program is made anew whenever this part runs.
compile debate bench/src/debate.c bench/src/util.c "$build/libwitan.a" -ljansson -lm

"$bin/debate" >"$tmp/debate.txt" || fail "debate broke"
cat "$tmp/debate.txt" >&2

# debate_part PART NAME OP TARGET: the same figures in every run, hence one run
debate_part() {
    line=$("$bin/debate" "$1") || fail "debate $1: $line"
    ours=$(field ours "$line") limit=$(field limit "$line")
    row "$2" "$ours" "$limit" "$(ratio "$ours" "$limit")" "$3" "$4"
}

debate_part weights "right, weighted / majority votes" '>=' 1
debate_part stop "calls, stop above 2/3 / all rounds" '<=' 0.7
debate_part borda "borda leads, overtaken / decided early" '<=' 0
debate_part equal "right, votes / debate at equal calls" '>=' 1
