// Requests that are wrong in every way we know of: each is refused with the right words, and changes nothing.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import zlib from 'node:zlib';
import { RawConnection, post, raw } from './lib/raw.mjs';
import { start } from './lib/server.mjs';

const good = JSON.stringify({ agent_name: 'Developer', message: 'hello' });
let server, host;
const endings = [];

async function rows() {
    return (await server.must(200, 'GET', '/api/chat')).messages.length;
}

// Whatever it is, nothing may come of it.
async function changesNothing(act) {
    const had = await rows();
    const result = await act();
    assert.equal(await rows(), had, 'a row was written');
    return result;
}

describe('robustness', () => {
    before(async () => {
        server = await start({ after: (end) => endings.unshift(end) });
        host = new URL(server.url).host;
        await server.say('Developer', 'the first');
    });
    after(async () => {
        for (const end of endings) await end();
    });

    const smuggled = {
        'Content-Length with Transfer-Encoding': ['Content-Length: 4', 'Transfer-Encoding: chunked'],
        'Transfer-Encoding with Content-Length': ['Transfer-Encoding: chunked', 'Content-Length: 4'],
        'two different lengths': ['Content-Length: 4', `Content-Length: ${good.length}`],
        'two lengths in one line': [`Content-Length: ${good.length}, 4`],
        'a length with a sign': [`Content-Length: +${good.length}`],
        'a negative length': ['Content-Length: -1'],
        'a length in hex': ['Content-Length: 0x10'],
        'a length that overflows': ['Content-Length: 99999999999999999999999999'],
        'an unknown encoding': ['Transfer-Encoding: gzip, chunked'],
        'chunked that is not last': ['Transfer-Encoding: chunked, identity'],
        'chunked with a tab': ['Transfer-Encoding:\tchunked', 'Content-Length: 4'],
        'a space before the colon': [`Content-Length : ${good.length}`],
        'a folded header': ['X-A: b', ' Content-Length: 5', `Content-Length: ${good.length}`],
    };
    for (const [name, lines] of Object.entries(smuggled))
        test(`smuggling: ${name}`, async () => {
            const reply = await changesNothing(async () => {
                const connection = new RawConnection(server);
                const second = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
                connection.send(
                    `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${lines.join('\r\n')}\r\n\r\n` +
                        `0\r\n\r\n${second}`,
                );
                const first = await connection.reply();
                // The connection is over: what follows is not taken for another request.
                assert.equal(
                    await connection.reply({ limit: 3000 }),
                    undefined,
                    'a second request was answered',
                );
                connection.close();
                return first;
            });
            if (reply)
                assert.ok(
                    (reply.status >= 400 && reply.status < 500) || reply.status === 501,
                    `status ${reply.status}`,
                );
        });

    test('a chunked body is a body', async () => {
        const half = good.length >> 1;
        const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
        const reply = await raw(
            server,
            `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
                `Transfer-Encoding: chunked\r\n\r\n${chunk(good.slice(0, half))}${chunk(good.slice(half))}0\r\n\r\n`,
        );
        assert.equal(reply.status, 201);
    });

    test('paths that are no paths', async () => {
        for (const path of [
            '/api/chat%00',
            '/api/chat%00/x',
            '/api/%63hat/%',
            '/api/chat%zz',
            '/api/discussion/%00',
            '/api/discussion/not-an-id',
            '/api/discussion/..%2f..',
            '/api//chat',
            '/nothing',
            '/api',
            '/api/chat/x/y',
            '/api/discussion/%ff%fe',
            '/API/chat',
        ]) {
            const reply = await raw(server, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
            assert.ok([400, 404].includes(reply.status), `${path}: ${reply.status}`);
            const { error, code } = JSON.parse(reply.text);
            assert.ok(error.length > 5 && /^[a-z_]+$/.test(code), reply.text);
        }
    });

    test('queries that are no queries', async () => {
        for (const query of [
            'limit=%00',
            'limit=%zz',
            'limit=%ff',
            'limit=0',
            'limit=201',
            'limit=-1',
            'limit=1.5',
            'limit=x',
            'limit=99999999999999999999',
            'limit=',
            'cursor=%F0%28%8C%28',
            'cursor=nonsense',
            Array(40).fill('a=b').join('&'),
        ]) {
            const reply = await server.api('GET', `/api/chat?${query}`);
            assert.equal(reply.status, 400, `${query}: ${reply.status} ${reply.text}`);
        }
    });

    test('405 says what is allowed, 404 is JSON', async () => {
        const reply = await changesNothing(() => server.api('DELETE', '/api/chat'));
        assert.equal(reply.status, 405);
        assert.deepEqual(
            reply.headers.allow
                .split(/, */)
                .filter((name) => name !== 'HEAD' && name !== 'OPTIONS')
                .sort(),
            ['GET', 'POST'],
        );
        assert.equal(reply.body.code, 'method_not_allowed');
        assert.equal((await raw(server, `BREW /api/chat HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 405);
        const missing = await server.api('GET', '/api/nothing');
        assert.equal(missing.status, 404);
        assert.equal(missing.body.code, 'not_found');
    });

    test('a body must be JSON and say so', async () => {
        for (const type of [
            'text/plain',
            'application/x-www-form-urlencoded',
            'multipart/form-data; boundary=x',
            'application/jsonp',
            '',
        ]) {
            const reply = await changesNothing(() =>
                server.api('POST', '/api/chat', good, { headers: { 'Content-Type': type } }),
            );
            assert.equal(reply.status, 415, `"${type}": ${reply.text}`);
        }
        for (const type of [
            'application/json',
            'application/json; charset=utf-8',
            'Application/JSON;charset=UTF-8',
        ])
            assert.equal(
                (await server.api('POST', '/api/chat', good, { headers: { 'Content-Type': type } })).status,
                201,
                type,
            );
    });

    const malformed = {
        empty: '',
        blank: '  ',
        'a word': 'hello',
        'cut off': '{"agent_name": "A", "message": "b',
        'a comma': '{"agent_name": "A",}',
        comment: '{"agent_name": "A" /* who */, "message": "b"}',
        list: '[]',
        number: '1',
        null: 'null',
        text: '"x"',
        'two objects': `${good}${good}`,
        'text after': `${good} x`,
        'single quotes': "{'agent_name': 'A', 'message': 'b'}",
        NaN: '{"agent_name": "A", "message": NaN}',
        'a byte order mark': `\ufeff${good}`,
        'NUL escaped': '{"agent_name": "A", "message": "a\\u0000b"}',
        'NUL in a name': '{"agent_name": "A\\u0000", "message": "b"}',
        'NUL itself': '{"agent_name": "A", "message": "a\0b"}',
        'NUL after': `${good}\0`,
        'half a surrogate': '{"agent_name": "A", "message": "\\ud800"}',
        'raw control': '{"agent_name": "A", "message": "a\x01b"}',
        'wrong UTF-8': Buffer.concat([
            Buffer.from('{"agent_name": "A", "message": "'),
            Buffer.from([0xc3, 0x28]),
            Buffer.from('"}'),
        ]),
        'overlong UTF-8': Buffer.concat([
            Buffer.from('{"agent_name": "A", "message": "'),
            Buffer.from([0xc0, 0xaf]),
            Buffer.from('"}'),
        ]),
        'a surrogate in UTF-8': Buffer.concat([
            Buffer.from('{"agent_name": "A", "message": "'),
            Buffer.from([0xed, 0xa0, 0x80]),
            Buffer.from('"}'),
        ]),
        'deep lists': `{"agent_name": "A", "message": "b", "x": ${'['.repeat(200)}${']'.repeat(200)}}`,
        'very deep': '['.repeat(100_000),
        'deep objects': '{"a":'.repeat(5000),
        'the same key twice': '{"agent_name": "A", "message": "b", "message": "c"}',
    };
    for (const [name, body] of Object.entries(malformed))
        test(`body: ${name}`, async () => {
            const reply = await changesNothing(() => raw(server, post(server, '/api/chat', body)));
            assert.equal(reply.status, 400, reply.text);
            assert.ok(JSON.parse(reply.text).error);
        });
    for (const name of ['NUL escaped', 'NUL itself', 'half a surrogate', 'raw control', 'wrong UTF-8', 'overlong UTF-8', 'NaN'])
        test(`body: ${name}, with the field named`, async () => {
            assert.equal(JSON.parse((await raw(server, post(server, '/api/chat', malformed[name]))).text).field, 'message');
        });

    test('wrong values name their field', async () => {
        const wrong = [
            ['/api/chat', { agent_name: 1, message: 'x' }, 'agent_name'],
            ['/api/chat', { agent_name: 'A', message: ['x'] }, 'message'],
            ['/api/chat', { agent_name: 'A', message: 'x', is_human: 'yes' }, 'is_human'],
            ['/api/chat', { agent_name: 'A', message: 'x', message_type: 'shout' }, 'message_type'],
            [
                '/api/chat',
                { agent_name: 'A', message: 'x', discussion_prompt_id: 'nope' },
                'discussion_prompt_id',
            ],
            ['/api/chat', { agent_name: ' ', message: 'x' }, 'agent_name'],
            ['/api/chat', { agent_name: 'A\nB', message: 'x' }, 'agent_name'],
            ['/api/chat', { agent_name: 'x'.repeat(65), message: 'x' }, 'agent_name'],
            ['/api/chat', { agent_name: 'A', message: 'x'.repeat(65_537) }, 'message'],
            ...[0, 101, -1, 1.5, '2', 1e30, true].map((value) => [
                '/api/discussion',
                { requester_agent: 'A', prompt_message: 'Q', required_responses: value },
                'required_responses',
            ]),
            ...[0, 1441, -5, 0.5, '30', 1e300].map((value) => [
                '/api/discussion',
                { requester_agent: 'A', prompt_message: 'Q', timeout_minutes: value },
                'timeout_minutes',
            ]),
        ];
        for (const [path, body, field] of wrong) {
            const reply = await changesNothing(() => server.api('POST', path, body));
            const text = JSON.stringify(body).slice(0, 80);
            assert.equal(reply.status, 400, `${text}: ${reply.text}`);
            assert.equal(reply.body.field, field, `${text}: ${reply.text}`);
        }
        for (const number of ['1e400', '123456789012345678901234567890', '-0x1', '1.']) {
            const reply = await changesNothing(() => raw(server, post(server, '/api/discussion',
                `{"requester_agent":"A","prompt_message":"Q","required_responses":${number}}`)));
            assert.equal(reply.status, 400, number);
            assert.equal(JSON.parse(reply.text).field, 'required_responses', number);
        }
        for (const body of [{}, { requester_agent: 'A' }, { requester_agent: 'A', prompt_message: null }]) {
            const missing = await server.api('POST', '/api/discussion', body);
            assert.equal(missing.status, 400);
            assert.equal(missing.body.error, 'Missing required fields: requester_agent, prompt_message');
        }
        const unknown = await changesNothing(() =>
            server.api('POST', '/api/chat', { agent_name: 'A', message: 'x', colour: 'blue' }),
        );
        assert.equal(unknown.status, 400, unknown.text);
        assert.equal(unknown.body.field, 'colour', unknown.text);
    });

    test('every character that is allowed comes back as it went', async () => {
        const text =
            'tab\t newline\n "quotes" \\ / 🗨️ 漢字 \u2028 \u0001 \uffff </script> ' + 'é'.repeat(100);
        const { message } = await server.say('Ünïcode 🐝', text);
        assert.equal(message.message, text);
        assert.equal(message.agent_name, 'Ünïcode 🐝');
        assert.equal((await server.must(200, 'GET', '/api/chat?limit=1')).messages[0].message, text);
    });

    test('a body over the limit is refused before it is sent', async () => {
        const reply = await changesNothing(() =>
            raw(
                server,
                `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
                    `Expect: 100-continue\r\nContent-Length: ${2 << 20}\r\n\r\n`,
            ),
        );
        assert.equal(reply.status, 413);
        assert.equal(reply.headers.connection?.toLowerCase(), 'close');
        const sent = await changesNothing(() =>
            server
                .api('POST', '/api/chat', 'x'.repeat(2 << 20), { agent: undefined })
                .catch((error) => ({ status: error.code })),
        );
        assert.ok([413, 'EPIPE', 'ECONNRESET'].includes(sent.status), String(sent.status));
        // Chunks that go on for ever are cut off as well.
        const endless = new RawConnection(server);
        endless.send(
            `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
        for (let i = 0; i < 40; i++) endless.send(chunk);
        const cut = await endless.reply();
        endless.close();
        if (cut) assert.equal(cut.status, 413);
    });

    test('100-continue is said when the body may come', async () => {
        const connection = new RawConnection(server);
        connection.send(
            `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
                `Expect: 100-continue\r\nContent-Length: ${good.length}\r\n\r\n`,
        );
        assert.equal((await connection.reply()).status, 100);
        connection.send(good);
        assert.equal((await connection.reply()).status, 201);
        connection.close();
    });

    test('HEAD is GET without a body', async () => {
        const connection = new RawConnection(server);
        connection.send(`HEAD /api/chat HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        const head = await connection.reply({ head: true });
        assert.equal(head.status, 200);
        assert.ok(Number(head.headers['content-length']) > 0);
        connection.send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        assert.equal((await connection.reply()).status, 200);
        connection.close();
    });

    test('large replies are compressed for those who take it', async () => {
        for (let i = 0; i < 5; i++) await server.say('Developer', 'long '.repeat(1000));
        const reply = await new Promise((done) =>
            http.get(`${server.url}/api/chat`, { headers: { 'Accept-Encoding': 'gzip' } }, (incoming) => {
                const parts = [];
                incoming.on('data', (part) => parts.push(part));
                incoming.on('end', () => done({ headers: incoming.headers, bytes: Buffer.concat(parts) }));
            }),
        );
        assert.equal(reply.headers['content-encoding'], 'gzip');
        assert.match(reply.headers.vary ?? '', /accept-encoding/i);
        assert.ok(JSON.parse(zlib.gunzipSync(reply.bytes)).messages.length > 5);
        const plain = await server.api('GET', '/api/chat', undefined, {
            headers: { 'Accept-Encoding': 'gzip;q=0' },
        });
        assert.equal(plain.headers['content-encoding'], undefined);
        assert.ok(reply.bytes.length < plain.bytes.length / 4);
    });

    test('one connection serves many requests, also when they come at once', async () => {
        const connection = new RawConnection(server);
        const one = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
        connection.send(one.repeat(5));
        for (let i = 0; i < 5; i++) assert.equal((await connection.reply()).status, 200);
        for (let i = 0; i < 20; i++) {
            connection.send(post(server, '/api/chat', good));
            assert.equal((await connection.reply()).status, 201);
        }
        connection.close();
    });

    test('bytes that are no HTTP, and headers without end', async () => {
        for (const bytes of [
            '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
            'hello\r\n\r\n',
            'GET\r\n\r\n',
            `GET /healthz HTTP/9.9\r\nHost: ${host}\r\n\r\n`,
            `GET /api/chat?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
            `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
        ]) {
            const reply = await raw(server, bytes, { limit: 3000 });
            if (reply)
                assert.ok(
                    reply.status >= 400 && reply.status <= 505,
                    `${bytes.slice(0, 20)}: ${reply.status}`,
                );
        }
        assert.equal((await server.api('GET', '/healthz')).status, 200);
    });

    test('every reply has a request id and tells browsers not to guess', async () => {
        const reply = await server.api('GET', '/api/chat');
        assert.ok(reply.headers['x-request-id']);
        assert.equal(reply.headers['x-content-type-options'], 'nosniff');
        const named = await server.api('GET', '/api/chat', undefined, {
            headers: { 'X-Request-Id': 'mine-17' },
        });
        assert.equal(named.headers['x-request-id'], 'mine-17');
        const odd = await server.api('GET', '/api/chat', undefined, {
            headers: { 'X-Request-Id': 'x'.repeat(300) },
        });
        assert.notEqual(odd.headers['x-request-id'], 'x'.repeat(300));
    });

    test('what is watched from outside', async () => {
        for (const path of ['/healthz', '/readyz']) assert.equal((await server.api('GET', path)).status, 200);
        const { text, headers } = await server.api('GET', '/metrics');
        assert.match(headers['content-type'], /^text\/plain/);
        for (const name of [
            'witan_requests_total',
            'witan_request_seconds_bucket',
            'witan_write_queue',
            'witan_batch_size_bucket',
            'witan_streams',
            'witan_waits',
            'witan_deadlines_ended_total',
        ])
            assert.match(text, new RegExp(`^${name}[{ ]`, 'm'));
        assert.match(text, /^witan_requests_total\{operation="chat_post",status="201"\} [1-9]/m);
        for (const line of text.trim().split('\n'))
            assert.match(line, /^(# (HELP|TYPE) \S+ .+|\w+(\{[^}]*\})? [0-9.e+-]+)$/);
        const ends = [...text.matchAll(/^witan_tool_calls_total\{end="([^"]*)"\}/gm)].map(([, end]) => end);
        assert.deepEqual(ends, ['ok', 'error', 'unavailable', 'timeout', 'too_large', 'cancelled', 'interrupted']);
    });
});
