// The same request again, with the same Idempotency-Key: the first reply, and one row.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines } from './lib/server.mjs';
import { makeToken } from './lib/identity.mjs';

const keyed = (key, more = {}) => ({ headers: { 'Idempotency-Key': key }, ...more });
const body = { agent_name: 'Developer', message: 'Once.' };

async function count(server, options) {
    const { messages } = await server.must(200, 'GET', '/api/chat', undefined, options);
    return messages.filter(({ message }) => message === body.message).length;
}

onBothEngines('a repeat gives the first reply, also after a restart', {}, async (server) => {
    const first = await server.api('POST', '/api/chat', body, keyed('k1'));
    assert.equal(first.status, 201);
    const again = await server.api('POST', '/api/chat', body, keyed('k1'));
    assert.equal(again.status, 201);
    assert.equal(again.text, first.text);
    await server.kill9();
    await server.restart();
    const later = await server.api('POST', '/api/chat', body, keyed('k1'));
    assert.equal(later.text, first.text);
    assert.equal(await count(server), 1);

    const other = await server.api('POST', '/api/chat', { ...body, message: 'Twice.' }, keyed('k1'));
    assert.equal(other.status, 409);
    assert.notEqual((await server.api('POST', '/api/chat', body, keyed('k2'))).text, first.text);
    assert.equal(await count(server), 2);
    // The key belongs to the operation.
    assert.equal(
        (
            await server.api(
                'POST',
                '/api/discussion',
                { requester_agent: 'A', prompt_message: 'Q' },
                keyed('k1'),
            )
        ).status,
        201,
    );
});

onBothEngines('a key is forgotten after a day, and errors are not kept', {}, async (server) => {
    await server.api('POST', '/api/chat', body, keyed('day'));
    await server.advance(23 * 3_600_000);
    await server.api('POST', '/api/chat', body, keyed('day'));
    assert.equal(await count(server), 1);
    await server.advance(2 * 3_600_000);
    assert.equal((await server.api('POST', '/api/chat', body, keyed('day'))).status, 201);
    assert.equal(await count(server), 2);

    const prompt = await server.ask();
    const wrong = { agent_name: 'Builder' };
    assert.equal((await server.api('POST', `/api/discussion/${prompt.id}`, wrong, keyed('e'))).status, 400);
    assert.equal(
        (
            await server.api(
                'POST',
                `/api/discussion/${prompt.id}`,
                { ...wrong, message: 'Right.' },
                keyed('e'),
            )
        ).status,
        201,
    );
});

onBothEngines('a purge leaves the keys of what is open', {}, async (server) => {
    const asked = { question: 'Deploy?', type: 'approval', responseType: 'approval' };
    const ask = () => server.must(201, 'POST', '/api/questions', asked, keyed('deploy'));
    const { questionId } = await ask();
    await server.api('POST', '/api/chat', body, keyed('said'));
    await new Promise((wake) => setTimeout(wake, 1100));
    const purge = (...args) =>
        cli(server.folder, ['purge', '--kind', 'idempotency', '--older-than', '1s', '--db', server.db, ...args]);
    const dry = JSON.parse((await purge('--dry-run', '--json')).stdout);
    assert.equal(dry.kinds.find(({ kind }) => kind === 'idempotency').rows, 1);
    const done = await purge('--yes');
    assert.equal(done.code, 0, done.stderr);
    assert.equal((await ask()).questionId, questionId);
    await server.api('POST', '/api/chat', body, keyed('said'));
    assert.equal(await count(server), 2);
});

onBothEngines('many at once with the same key make one row', {}, async (server) => {
    for (let round = 0; round < 10; round++) {
        const once = { agent_name: 'Developer', message: `Round ${round}` };
        const replies = await Promise.all(
            Array.from({ length: 8 }, () => server.api('POST', '/api/chat', once, keyed(`r${round}`))),
        );
        const made = replies.filter(({ status }) => status === 201);
        assert.ok(made.length >= 1);
        assert.equal(new Set(made.map(({ text }) => text)).size, 1);
        for (const { status } of replies) assert.ok([201, 409, 503].includes(status), String(status));
        const { messages } = await server.must(200, 'GET', '/api/chat');
        assert.equal(messages.filter(({ message }) => message === once.message).length, 1);
    }
});

onBothEngines("keys are the caller's own, and a secret is not told twice", {}, async (server) => {
    const [one, two] = [
        await makeToken(server, { role: 'owner', name: 'one' }),
        await makeToken(server, { role: 'owner', name: 'two' }),
    ];
    const [a, b] = [
        await server.api('POST', '/api/chat', body, keyed('k', { token: one })),
        await server.api('POST', '/api/chat', body, keyed('k', { token: two })),
    ];
    assert.deepEqual([a.status, b.status], [201, 201]);
    assert.notEqual(a.text, b.text);
    const wish = { name: 'new', role: 'agent' };
    const made = await server.api('POST', '/api/tokens', wish, keyed('t', { token: one }));
    assert.equal(made.status, 201);
    const repeat = await server.api('POST', '/api/tokens', wish, keyed('t', { token: one }));
    assert.equal(repeat.status, 409);
    assert.ok(!repeat.text.includes(made.body.secret));
});

onBothEngines('a key that is no key is refused', {}, async (server) => {
    for (const key of ['', 'x'.repeat(256)]) {
        const reply = await server.api('POST', '/api/chat', body, keyed(key));
        assert.equal(reply.status, 400, `"${key.slice(0, 10)}": ${reply.text}`);
    }
    assert.equal(await count(server), 0);
});
