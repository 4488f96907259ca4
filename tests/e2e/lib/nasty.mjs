// A model server that misbehaves: OpenAI's path, and after it in the URL what is wrong today. Every way of being
// wrong is one function that gets the raw socket after the request has come.
import { once } from 'node:events';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { atEnd } from './server.mjs';

const crlf = '\r\n';
const ok = `HTTP/1.1 200 OK${crlf}Connection: close${crlf}`;
const events = `${ok}Content-Type: text/event-stream${crlf}${crlf}`;
const say = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const call = (part) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...part }] } }] })}\n\n`;
const begunCall = call({ id: 'c1', type: 'function', function: { name: 'finish', arguments: '{"result": "half of' } });
const stop = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;
const done = 'data: [DONE]\n\n';
// Made beforehand: that takes longer than a client may wait for the first word.
const bomb = gzipSync(Buffer.alloc(64 << 20, say('boom')));

// Waits until the other side has taken it, so that a slow reader does not fill this process.
const send = async (socket, bytes) => {
    if (!socket.destroyed && !socket.write(bytes))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
};

async function byteByByte(socket, text) {
    socket.setNoDelay(true);
    for (const byte of Buffer.from(text)) {
        await send(socket, Buffer.from([byte]));
        await new Promise((next) => setImmediate(next));
    }
    socket.end();
}

export const ways = {
    bytes: (socket) => byteByByte(socket, events + say('grüß dich 🐝') + say(' und mehr') + stop + done),
    stops: (socket) => byteByByte(socket, events + say('One. Spea') + say('ker: never') + stop + done),
    unfinished: (socket) => socket.end(events + say('half')),
    halfCall: (socket) => socket.end(events + begunCall),
    resetCall: (socket) => socket.write(events + begunCall, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    silent: () => {},
    stuck: (socket) => socket.write(events + say('half')),
    html: (socket) => socket.end(`${ok}Content-Type: text/html${crlf}${crlf}<!doctype html><h1>Welcome to nginx!</h1>`),
    page404: (socket) => socket.end(`HTTP/1.1 404 Not Found${crlf}Connection: close${crlf}Content-Type: text/html${crlf}${crlf}<h1>404</h1>`),
    redirect: (socket, server) =>
        socket.end(`HTTP/1.1 307 Temporary Redirect${crlf}Connection: close${crlf}Location: http://localhost:${server.port}/bytes/v1/chat/completions${crlf}${crlf}`),
    longer: (socket) => socket.end(`HTTP/1.1 200 OK${crlf}Content-Type: text/event-stream${crlf}Content-Length: 100000${crlf}${crlf}${say('half')}`),
    shorter: (socket) => socket.end(`HTTP/1.1 200 OK${crlf}Content-Type: text/event-stream${crlf}Content-Length: 20${crlf}${crlf}${say('more than twenty bytes')}${stop}`),
    reset: (socket) => socket.write(events + say('half'), () => setTimeout(() => socket.resetAndDestroy(), 20)),
    notHttp: (socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n'),
    notJson: (socket) => socket.end(`${events}data: {"choices": [\n\n`),
    keyEcho: (socket, server) =>
        socket.end(`HTTP/1.1 401 Unauthorized${crlf}Connection: close${crlf}Content-Type: application/json${crlf}${crlf}` +
            JSON.stringify({ error: { message: `Wrong: ${server.lastHead.match(/authorization: (.*)\r\n/i)?.[1]}` } })),
    async bomb(socket) {
        await send(socket, `${ok}Content-Type: text/event-stream${crlf}Content-Encoding: gzip${crlf}${crlf}`);
        await send(socket, bomb);
        socket.end();
    },
    async foldedTransfer(socket) {
        await send(socket, `${ok}Content-Type: text/event-stream${crlf}Transfer-Encoding: gzip, chunked${crlf}${crlf}`);
        await send(socket, `${bomb.length.toString(16)}${crlf}`);
        await send(socket, bomb);
        socket.end(`${crlf}0${crlf}${crlf}`);
    },
    async endless(socket) {
        await send(socket, events);
        while (!socket.destroyed) await send(socket, say('more and more and more of it ').repeat(200));
    },
    async longLine(socket) {
        await send(socket, `${events}data: {"choices":[{"delta":{"content":"`);
        for (let i = 0; i < 160 && !socket.destroyed; i++) await send(socket, 'x'.repeat(64 << 10));
        socket.end(`"}}]}\n\n${done}`);
    },
    afterTheEnd: (socket) => socket.write(events + say('Whole.') + stop + done),
};

export async function nastyServer(t) {
    const server = { requests: [], closed: 0, lastHead: '' };
    const listener = net.createServer((socket) => {
        let text = '';
        socket.on('error', () => {});
        socket.on('close', () => server.closed++);
        socket.on('data', (bytes) => {
            text += bytes.toString('latin1');
            const head = text.indexOf('\r\n\r\n');
            if (head < 0 || text.length < head + 4 + Number(text.match(/content-length: (\d+)/i)?.[1] ?? 0)) return;
            server.lastHead = text.slice(0, head + 2);
            const path = text.split(' ')[1];
            server.requests.push(path);
            text = '';
            void ways[path.split('/')[1]]?.(socket, server);
        });
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    server.port = listener.address().port;
    server.url = (way) => `http://127.0.0.1:${server.port}/${way}/v1`;
    server.close = () => listener.close();
    atEnd(t, server.close);
    return server;
}
