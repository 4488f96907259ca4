// An MCP server that starts when there is a file with its tools, and says so when the file has changed.
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const [, , file] = process.argv;
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tools = () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((name) => ({ name, description: `Knows ${process.env.LATE_KEY}.`, inputSchema: { type: 'object' } }));
const methods = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'late', version: '1' } }),
    'tools/list': () => ({ tools: tools() }),
    'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name}: done` }] }),
};
console.error(`It was given ${process.env.LATE_KEY}`);
while (!existsSync(file)) await pause(20);
let known = readFileSync(file, 'utf8');
setInterval(() => {
    const now = existsSync(file) ? readFileSync(file, 'utf8') : known;
    if (now === known) return;
    known = now;
    say({ method: 'notifications/tools/list_changed' });
}, 20);
for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    if (methods[method]) say({ id, result: methods[method](params) });
    else say({ id, error: { code: -32601, message: 'Method not found' } });
}
process.exit(0);
