// Another reader of the same bytes: node's parser, as its http server uses it. What it refuses, witan refuses.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { patience, start } from './lib/server.mjs';

const full = process.env.WITAN_FULL === '1';
const endings = [];
// What node has read, and why it stopped, by the port that it came from.
const read = new Map();
const faults = new Map();
let server, node, host;

// Sends bytes and the end of them, and reads all that comes back.
function exchange(port, bytes) {
    return new Promise((done) => {
        const parts = [];
        let from;
        const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
            from = socket.localPort;
            socket.end(bytes);
        });
        socket.on('data', (part) => parts.push(part));
        socket.on('error', () => {});
        socket.on('close', () => done({ from, text: Buffer.concat(parts).toString('latin1') }));
        socket.setTimeout(patience, () => socket.destroy());
    });
}

// How many requests were read: ours refuses with "Connection: close", and says so nowhere else here.
function served(text) {
    const heads = text.split(/(?=HTTP\/1\.1 \d\d\d )/).filter((part) => part.startsWith('HTTP/1.1 '));
    return heads.filter((head) => !/^HTTP\/1\.1 100/.test(head) && !/\r\nconnection: close\r\n/i.test(head)).length;
}

async function compare(bytes) {
    const port = Number(new URL(server.url).port);
    const [theirs, ours] = await Promise.all([exchange(node.address().port, bytes), exchange(port, bytes)]);
    const whole = (read.get(theirs.from) ?? []).filter((request) => request.complete).length;
    const fault = faults.get(theirs.from);
    read.delete(theirs.from);
    faults.delete(theirs.from);
    return { theirs: whole, ours: served(ours.text), text: ours.text, fault };
}

// The same bytes in every run.
function dice(seed) {
    let state = seed;
    return (most) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * most);
    };
}

const odd = ['\0', '\r', '\n', '\r\n', ' ', '\t', ':', ';', ',', '"', '(', '+', '-', '0', 'x', '\x01', '\x7f', '\x80', '\xff', '\x0b'];

function spoil(base, roll) {
    let text = base;
    for (let times = 1 + roll(2); times > 0; times--) {
        const at = roll(text.length);
        const kind = roll(4);
        if (kind === 0) text = text.slice(0, at) + odd[roll(odd.length)] + text.slice(at);
        else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1);
        else if (kind === 2) text = text.slice(0, at) + odd[roll(odd.length)] + text.slice(at + 1);
        else {
            const lines = text.split('\r\n');
            const line = roll(lines.length);
            lines.splice(line, 0, lines[line]);
            text = lines.join('\r\n');
        }
    }
    return text;
}

describe('node reads the same', () => {
    let bases;

    before(async () => {
        server = await start({ after: (end) => endings.unshift(end) });
        host = new URL(server.url).host;
        node = http.createServer({ insecureHTTPParser: false }, (request, reply) => {
            const from = request.socket.remotePort;
            read.set(from, [...(read.get(from) ?? []), request]);
            request.resume();
            request.on('end', () => reply.end('ok'));
        });
        node.on('clientError', (error, socket) => {
            faults.set(socket.remotePort, error.code);
            socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        });
        await new Promise((done) => node.listen(0, '127.0.0.1', done));
        endings.unshift(() => new Promise((done) => node.close(done)));
        const last = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
        bases = [
            `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nAccept: */*\r\nX-A: b\r\n\r\n${last}`,
            `POST /healthz HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello${last}`,
            `POST /healthz HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;a=b\r\nyou\r\n0\r\nX-T: u\r\n\r\n${last}`,
        ];
    });
    after(async () => {
        for (const end of endings) await end();
    });

    test('good requests are read by both', async () => {
        for (const base of bases) {
            const { theirs, ours, text } = await compare(Buffer.from(base, 'latin1'));
            assert.equal(theirs, 2);
            assert.equal(ours, 2, text);
        }
    });

    test('what it refuses is refused', async () => {
        const roll = dice(20261115);
        const cases = [];
        while (cases.length < (full ? 20_000 : 1_500)) cases.push(spoil(bases[roll(bases.length)], roll));
        let refused = 0;
        const work = async () => {
            for (let text = cases.pop(); text !== undefined; text = cases.pop()) {
                const { theirs, ours, fault } = await compare(Buffer.from(text, 'latin1'));
                // A method that node has never heard of is not malformed.
                if (fault === 'HPE_INVALID_METHOD') continue;
                assert.ok(ours <= theirs, `node reads ${theirs} requests, witan ${ours} (${fault}): ${JSON.stringify(text.replace(/[^\x20-\x7e\r\n]/g, escape))}`);
                if (theirs < 2) refused++;
            }
        };
        await Promise.all(Array.from({ length: 16 }, work));
        assert.ok(refused > 200, `only ${refused} were refused at all`);
    });
});
