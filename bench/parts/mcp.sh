# tools/call of a read against the same read over REST, and against a server on the official SDK of TypeScript that
# answers the same from memory; and what those take who wait in wait_for_answer.

[ -d tests/mcp/node_modules ] || fail "the part mcp needs the packages of tests/mcp; ./dev test brings them"
mcp_node=$(command -v "$root"/.node/node_modules/node-linux-*/bin/node || command -v node) || fail "the part mcp needs node"

serve mcp "sqlite:$tmp/mcp.db"
ask "$at" 1 "$tmp/mcp.id" 3
id=$(cat "$tmp/mcp.id")
body="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait_for_squad\",\"arguments\":{\"id\":\"$id\",\"wait_seconds\":0}}}"

# What the peer answers is what the server answered.
curl -sf -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" -d "$body" "http://$at/mcp" >"$tmp/mcp.reply" ||
    fail "tools/call fails"
REPLY=$("$mcp_node" -p 'JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).result)' "$tmp/mcp.reply")
export REPLY
rm -f "$tmp/peer.in"
mkfifo "$tmp/peer.in"
: >"$tmp/peer.port"
"$mcp_node" bench/mcp_peer.mjs <"$tmp/peer.in" >"$tmp/peer.port" 2>"$tmp/peer.log" &
peer_pid=$!
echo "$peer_pid" >>"$tmp/pids"
exec 8>"$tmp/peer.in"
until [ -s "$tmp/peer.port" ]; do
    kill -0 "$peer_pid" 2>/dev/null || fail "the peer does not start: $(tail -n 3 "$tmp/peer.log")"
    sleep 0.05
done
peer_at=127.0.0.1:$(cat "$tmp/peer.port")

mcp_figure() {
    figure post --target "$1" --path /mcp --header "Content-Type: application/json" \
        --header "Accept: application/json, text/event-stream" --body "$body" --connections 64 --warmup 0.5 --seconds "$seconds"
}
ours='' rest='' peer=''
for round in $(seq "$rounds"); do
    ours="$ours $(mcp_figure "$at")"
    rest="$rest $(figure get --target "$at" --path "/api/discussion/$id" --connections 64 --warmup 0.5 --seconds "$seconds")"
    peer="$peer $(mcp_figure "$peer_at")"
done
exec 8>&-
wait_gone "$peer_pid"
# shellcheck disable=SC2086
ours=$(median $ours) rest=$(median $rest) peer=$(median $peer)
row "tools/call of a read / the same over REST" "$ours" "$rest" "$(ratio "$ours" "$rest")" '>=' 0.6
row "tools/call of a read / the SDK of TypeScript" "$ours" "$peer" "$(ratio "$ours" "$peer")" '>=' 5

waiting=$((1000 / scale))
each=$("$mcp_node" bench/mcp_waits.mjs "http://$at" "$pid" "$waiting") || fail "cannot wait"
end "$pid"
row "KB for each of $waiting in wait_for_answer" "$each" 32 "$(ratio "$each" 32)" '<=' 1
