// A model server for tests: speaks the wire of OpenAI, says what the test wants, and remembers who asked what.
import http from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atEnd } from './server.mjs';

const chunk = (delta, finish = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'test', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = (tokens) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'test', choices: [], usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens } })}\n\n`;

const words = (text) => text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];

const wanted = ({ name, args, id }, index) => ({
    index,
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
});

// What `answer` may give: a text, or { text | pieces, calls ({ name, args, id }), first, every (ms), status, hang, flood,
// html, drop, wait (a promise to hold it back by), then (the same, after the pieces), last (pieces that follow) }.
async function speak(reply, call, say) {
    if (say.status) {
        reply.writeHead(say.status, { 'Content-Type': 'application/json', ...say.headers });
        reply.end(JSON.stringify({ error: { message: say.words ?? 'no' } }));
        return;
    }
    if (say.html) {
        reply.writeHead(200, { 'Content-Type': 'text/html' });
        reply.end('<!doctype html><title>Welcome</title><p>Please log in.');
        return;
    }
    if (say.hang) return;
    reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
    reply.flushHeaders();
    if (say.wait) await say.wait;
    if (say.first) await pause(say.first);
    const pieces = say.pieces ?? words(say.text ?? '');
    for (const piece of pieces) {
        if (reply.destroyed) return;
        reply.write(chunk({ content: piece }));
        if (say.every) await pause(say.every);
    }
    if (say.then) await say.then;
    for (const piece of say.last ?? []) reply.write(chunk({ content: piece }));
    while (say.flood && !reply.destroyed)
        if (!reply.write(chunk({ content: 'more and more '.repeat(500) }))) await pause(1);
    if (say.stay) await call.closed;
    if (say.drop) return reply.destroy();
    if (say.calls) reply.write(chunk({ tool_calls: say.calls.map(wanted) }));
    reply.write(chunk({}, say.calls ? 'tool_calls' : 'stop'));
    reply.end(`${usage(pieces.length)}data: [DONE]\n\n`);
}

export class Model {
    constructor(answer) {
        this.answer = answer;
        this.calls = [];
        this.open = 0;
        this.most = 0;
        this.server = http.createServer((request, reply) => this.#serve(request, reply));
        this.server.keepAliveTimeout = 60_000;
    }

    async up() {
        await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
        this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
        return this;
    }

    down() {
        this.server.closeAllConnections();
        return new Promise((done) => this.server.close(done));
    }

    async #serve(request, reply) {
        const parts = [];
        for await (const part of request) parts.push(part);
        const body = JSON.parse(Buffer.concat(parts).toString() || '{}');
        const of = (role) => body.messages?.filter((message) => message.role === role).map(({ content }) => content);
        const call = { body, system: of('system')?.join('\n') ?? '', user: of('user')?.join('\n') ?? '', at: Date.now() };
        call.number = this.calls.push(call);
        this.most = Math.max(this.most, ++this.open);
        call.closed = new Promise((done) => reply.on('close', done));
        call.closed.then(() => {
            this.open--;
            call.ended = reply.writableFinished ? 'whole' : 'closed';
        });
        const say = await this.answer(call, this);
        await speak(reply, call, typeof say === 'string' ? { text: say } : say);
    }
}

// One that ends with the test.
export async function model(t, answer) {
    const server = await new Model(answer).up();
    atEnd(t, () => server.down());
    return server;
}

// A config.yaml that names it, in the folder of a server; returns the arguments for the server.
export async function configure(folder, models, more = '') {
    const lines = Object.entries(models).flatMap(([name, settings]) => [
        `  ${name}:`,
        ...Object.entries(settings).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
    ]);
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'models.yaml');
    await writeFile(file, `models:\n${lines.join('\n')}\n${more}`);
    return ['--config', file];
}

export const openai = (server, more = {}) => ({ provider: 'openai', base_url: server.url, model: 'test', ...more });
