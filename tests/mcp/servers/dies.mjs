// An MCP server that dies in the middle of its first call, and says in a file that it had begun. Where the file is there already
// it does what it is asked.
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , file] = process.argv;
const had = existsSync(file);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const methods = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'dies', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'pay', description: 'Pays once.', inputSchema: { type: 'object' } }] }),
    'tools/call': () => {
        appendFileSync(file, 'begun\n');
        if (!had) process.exit(9);
        return { content: [{ type: 'text', text: 'paid' }] };
    },
};
for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    if (methods[method]) say({ id, result: methods[method](params) });
    else say({ id, error: { code: -32601, message: 'Method not found' } });
}
