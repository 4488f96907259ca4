// A server that speaks 2026-07-28, made with the SDK of that era: over stdio, or with an argument over HTTP on a port that it says.
// It greets whoever says their name, and learns another tool when it is told to.
import http from 'node:http';
import { Readable } from 'node:stream';
import { McpServer, acceptedContent, createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function make() {
    const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('greet', { description: 'Greets.' }, async (context) => {
        const answer = acceptedContent(context.mcpReq.inputResponses, 'who');
        if (!answer)
            return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: form }) } });
        return { content: [{ type: 'text', text: `Hello ${answer.name}` }] };
    });
    server.registerTool('learn', { description: 'Learns another.' }, async () => {
        server.registerTool('learnt', { description: 'Was learnt.' }, async () => ({ content: [{ type: 'text', text: 'I can.' }] }));
        return { content: [{ type: 'text', text: 'Now there is one more.' }] };
    });
    return server;
}

if (!process.argv[2]) {
    serveStdio(make);
} else {
    const handler = createMcpHandler(make);
    const server = http.createServer(async (request, reply) => {
        const body = request.method === 'POST' ? { body: Readable.toWeb(request), duplex: 'half' } : {};
        const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, { method: request.method, headers: request.headers, ...body }));
        reply.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body) Readable.fromWeb(answer.body).pipe(reply);
        else reply.end();
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
