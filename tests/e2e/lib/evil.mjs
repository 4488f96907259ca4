// A server whose every word is hostile: it passes on what the real one says, with what steers a terminal behind each text.
import { once } from 'node:events';
import http from 'node:http';
import { atEnd } from './server.mjs';

// The clipboard, the screen, colours that hide, C1, marks that turn the reading direction, a line that is written over.
export const evil = '\u001b]52;c;aGk=\u0007\u001b[2J\u001b[8m\u009b31m\u0085\u202e\u2066\u007f\rover';

// What a program goes by: ids, times, numbers, addresses and, unless they are to be spoilt as well, words of the protocol.
const plain = /^([0-9a-f-]{32,}|\d{4}-\d\d-\d\dT.*|\d*|https?:.*)$/;
const word = /^[a-z][a-z_.-]*$/;

function spoil(value, words) {
    if (typeof value === 'string') return plain.test(value) || (!words && word.test(value)) ? value : value + evil;
    if (Array.isArray(value)) return value.map((one) => spoil(one, words));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoil(one, words)]));
    return value;
}

// As servers write it: what JSON must escape is escaped, and nothing else.
const json = (text, words) => JSON.stringify(spoil(JSON.parse(text), words));

export async function evilServer(t, url) {
    const self = { words: false };
    const server = http.createServer((request, reply) => {
        const onward = http.request(new URL(request.url, url), { method: request.method, headers: { ...request.headers, host: new URL(url).host, 'accept-encoding': 'identity' } }, (answer) => {
            const type = answer.headers['content-type'] ?? '';
            const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
            let rest = '';
            answer.setEncoding('utf8');
            reply.writeHead(answer.statusCode, headers);
            answer.on('data', (text) => {
                rest += text;
                if (!type.startsWith('text/event-stream')) return;
                const lines = rest.split('\n');
                rest = lines.pop();
                for (const line of lines) reply.write(`${line.startsWith('data: {') ? `data: ${json(line.slice(6), self.words)}` : line}\n`);
            });
            answer.on('end', () => {
                if (type.startsWith('application/json') && rest) rest = json(rest, self.words);
                else if (type.startsWith('text/') && rest) rest += evil;
                reply.end(rest);
            });
            answer.on('error', () => reply.destroy());
        });
        onward.on('error', () => reply.destroy());
        reply.on('close', () => onward.destroy());
        request.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(t, () => {
        server.closeAllConnections();
        server.close();
    });
    self.url = `http://127.0.0.1:${server.address().port}`;
    return self;
}
