// A stop without grace under 400 connections that post: each exchange is freed by one, the loop or its owner. Any report
// ends the process with the sanitizer's code, and the test with it.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { full, start, until } from '../e2e/lib/server.mjs';

const connections = 400;
const rounds = full ? 12 : 3;

// Posts over and over on one connection, until the server ends it.
function post(server, sent) {
    const { host, hostname, port } = new URL(server.url);
    const body = JSON.stringify({ agent_name: 'Poster', message: 'On and on.' });
    const request =
        `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`;
    const socket = net.connect(Number(port), hostname, () => socket.write(request));
    socket.on('error', () => {}); // it is cut off, which is what this is about
    socket.on('data', () => {
        sent.replies++;
        socket.write(request);
    });
    return new Promise((closed) => socket.on('close', closed));
}

for (const engine of ['sqlite', 'postgres'])
    test(`a stop without grace leaves each exchange to one (${engine})`, { timeout: 300_000 }, async (t) => {
        const env = { WITAN_SERVER_STOP_GRACE: '0s', WITAN_LIMITS_TOKEN_RATE: '1000000', WITAN_LIMITS_TOKEN_BURST: '1000000' };
        const server = await start(t, { engine, env });
        for (let round = 0; round < rounds; round++) {
            if (round > 0) await server.restart();
            const sent = { replies: 0 };
            const closed = Array.from({ length: connections }, () => post(server, sent));
            await until(() => sent.replies >= connections, 'the connections post');
            await server.stop(); // which looks for exit code 0
            await Promise.all(closed);
            assert.doesNotMatch(server.log, /ThreadSanitizer/);
        }
    });
