// A model server that speaks all three wires in pieces of one character, and obeys the stops that it is sent or not.
import http from 'node:http';
import { atEnd } from './server.mjs';

const event = (value) => `data: ${JSON.stringify(value)}\n\n`;

// Of each wire: its path, the stops it was sent, what the system says, a piece, and the end.
const wires = {
    openai: {
        path: '/v1/chat/completions',
        stops: (body) => body.stop ?? [],
        system: (body) => body.messages.find(({ role }) => role === 'system')?.content ?? '',
        type: 'text/event-stream',
        piece: (text) => event({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
        end: () => `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
    },
    anthropic: {
        path: '/v1/messages',
        stops: (body) => body.stop_sequences ?? [],
        system: (body) => body.system ?? '',
        type: 'text/event-stream',
        piece: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
        end: (stopped) =>
            event({ type: 'message_delta', delta: { stop_reason: stopped ? 'stop_sequence' : 'end_turn' } }) + event({ type: 'message_stop' }),
    },
    ollama: {
        path: '/api/chat',
        stops: (body) => body.options?.stop ?? [],
        system: (body) => body.messages.find(({ role }) => role === 'system')?.content ?? '',
        type: 'application/x-ndjson',
        piece: (text) => `${JSON.stringify({ message: { content: text }, done: false })}\n`,
        end: () => `${JSON.stringify({ message: { content: '' }, done: true, done_reason: 'stop' })}\n`,
    },
};

// `answer` is given {wire, system, stops, model} and gives a text. A model whose name ends in "obeys" does.
export async function threeWires(t, answer) {
    const calls = [];
    const server = http.createServer(async (request, reply) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        const body = JSON.parse(Buffer.concat(parts).toString());
        const [name, wire] = Object.entries(wires).find(([, { path }]) => request.url === path);
        const call = { wire: name, system: wire.system(body), stops: wire.stops(body), model: body.model };
        calls.push(call);
        const text = answer(call);
        const cuts = body.model.endsWith('obeys') ? call.stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0) : [];
        const said = cuts.length ? text.slice(0, Math.min(...cuts)) : text;
        reply.writeHead(200, { 'Content-Type': wire.type });
        for (const letter of said) reply.write(wire.piece(letter));
        reply.end(wire.end(cuts.length > 0));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    atEnd(t, () => (server.closeAllConnections(), new Promise((done) => server.close(done))));
    const url = `http://127.0.0.1:${server.address().port}`;
    const models = Object.fromEntries(
        Object.keys(wires).flatMap((provider) =>
            ['obeys', 'goes-on'].map((model) => [
                `${provider}-${model}`,
                { provider, base_url: provider === 'openai' ? `${url}/v1` : url, model, retries: 0 },
            ]),
        ),
    );
    return { calls, models };
}
