// The yardstick of the part `mcp`: a server on the official SDK that answers a tool from memory, without sessions.
import { createServer } from 'node:http';
import { McpServer } from '../tests/mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js';
import { StreamableHTTPServerTransport } from '../tests/mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/server/streamableHttp.js';

const reply = JSON.parse(process.env.REPLY);

async function answer(request, response) {
    const server = new McpServer({ name: 'peer', version: '1' });
    server.registerTool('wait_for_squad', { description: 'From memory.' }, async () => reply);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    response.on('close', () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
}

const http = createServer(answer).listen(0, '127.0.0.1', () => console.log(http.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
