// ?wait=: the reply comes when the prompt ends, or at its time; nobody waits for ever, and nobody is kept.
import assert from 'node:assert/strict';
import { RawConnection } from './lib/raw.mjs';
import { full, onBothEngines, promptly, quickOnce, until } from './lib/server.mjs';

const waiting = (server) => server.metric('witan_waits');

function hold(server, id, seconds, options) {
    return server.api('GET', `/api/discussion/${id}?wait=${seconds}`, undefined, {
        agent: undefined,
        ...options,
    });
}

async function timed(promise) {
    const began = Date.now();
    const value = await promise;
    return [value, Date.now() - began];
}

onBothEngines('a wait ends when the prompt does', {}, async (server) => {
    const prompt = await server.ask({ required_responses: 2 });
    const held = timed(hold(server, prompt.id, 55));
    await until(async () => (await waiting(server)) === 1, 'the server holds the wait');
    await server.answer(prompt.id, 'Builder');
    assert.equal(await waiting(server), 1);
    await server.answer(prompt.id, 'Growth');
    const [reply, ms] = await held;
    assert.equal(reply.status, 200);
    assert.equal(reply.body.status, 'resolved');
    assert.equal(reply.body.collectedContext.length, 2);
    assert.ok(ms < promptly, `${ms} ms`);

    // What has ended before is told at once.
    const [again, at] = await timed(hold(server, prompt.id, 55));
    assert.equal(again.body.status, 'resolved');
    assert.ok(at < promptly, `${at} ms`);
});

onBothEngines('a wait ends by cancel and by time limit as well', {}, async (server) => {
    const [cancelled, late] = [await server.ask(), await server.ask({ timeout_minutes: 1 })];
    const held = [hold(server, cancelled.id, 55), hold(server, late.id, 55)];
    await until(async () => (await waiting(server)) === 2, 'the server holds both');
    await server.must(200, 'PATCH', `/api/discussion/${cancelled.id}`, { action: 'cancel' });
    await server.advance(61_000);
    assert.deepEqual(
        (await Promise.all(held)).map(({ body }) => [body.status, body.ready, body.terminal]),
        [
            ['cancelled', false, true],
            ['timed_out', true, true],
        ],
    );
});

onBothEngines('a wait ends at its time with the state as it is', {}, async (server) => {
    const prompt = await server.ask();
    await server.answer(prompt.id, 'Builder');
    const [reply, ms] = await timed(hold(server, prompt.id, 1));
    assert.equal(reply.status, 200);
    assert.equal(reply.body.status, 'collecting');
    assert.equal(reply.body.responseCount, 1);
    assert.ok(ms >= 950 && ms < promptly, `${ms} ms`);
    await quickOnce(900, async () => {
        const [now, none] = await timed(hold(server, prompt.id, 0));
        assert.equal(now.status, 200);
        return none;
    });
});

onBothEngines('a wait that is too long, or for nothing, is refused', {}, async (server) => {
    const prompt = await server.ask();
    for (const seconds of ['56', '-1', 'x', '1e1', '99999999999999999999']) {
        const reply = await hold(server, prompt.id, seconds);
        assert.equal(reply.status, 400, `wait=${seconds}: ${reply.text}`);
        assert.equal(reply.body.field, 'wait');
    }
    assert.equal((await hold(server, '00000000-0000-7000-8000-00000000dead', 55)).status, 404);
});

onBothEngines('a client that goes away is let go', {}, async (server) => {
    const prompt = await server.ask();
    const connections = Array.from({ length: 20 }, () =>
        new RawConnection(server).send(
            `GET /api/discussion/${prompt.id}?wait=55 HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`,
        ),
    );
    await until(async () => (await waiting(server)) === 20, 'the server holds them');
    connections.forEach((connection, i) =>
        i % 2 ? connection.close() : connection.socket.resetAndDestroy(),
    );
    await until(async () => (await waiting(server)) === 0, 'the server lets them go');
    await server.answer(prompt.id, 'Builder');
});

onBothEngines('a stop gives every wait a reply', {}, async (server) => {
    const prompt = await server.ask();
    const held = Array.from({ length: 10 }, () => hold(server, prompt.id, 55));
    await until(async () => (await waiting(server)) === 10, 'the server holds them');
    const [, ms] = await timed(server.stop());
    assert.ok(ms < promptly, `the stop took ${ms} ms`);
    for (const reply of await Promise.all(held)) {
        assert.ok([200, 503].includes(reply.status), reply.text);
        if (reply.status === 200) assert.equal(reply.body.status, 'collecting');
        else assert.ok(reply.headers['retry-after']);
    }
    await server.restart();
    assert.equal((await server.show(prompt.id)).status, 'collecting');
});

// A socket each, without a client library, so that ten thousand fit into the test as well.
async function holdMany(server, { id }, count) {
    const host = new URL(server.url).host;
    const connections = [];
    for (let i = 0; i < count; i++) {
        connections.push(new RawConnection(server).send(`GET /api/discussion/${id}?wait=55 HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
        if (i % 100 === 99) await until(async () => (await waiting(server)) === i + 1, `it holds ${i + 1}`);
    }
    return connections;
}

onBothEngines('very many waits at once all hear it', {}, async (server) => {
    const count = full && server.engine === 'sqlite' ? 10_000 : 1000;
    const prompt = await server.ask({ required_responses: 1 });
    const connections = await holdMany(server, prompt, count);
    // Meanwhile others are served.
    await server.say('Developer', 'Still here.');
    assert.equal((await server.answer(prompt.id, 'Builder')).status, 201);
    const replies = await Promise.all(connections.map((connection) => connection.reply()));
    for (const reply of replies) {
        assert.equal(reply?.status, 200);
        assert.equal(JSON.parse(reply.text).status, 'resolved');
    }
    connections.forEach((connection) => connection.close());
    await until(async () => (await waiting(server)) === 0, 'none is left');
});

if (full)
    onBothEngines('ten thousand clients that vanish are gone within 2 s', {}, async (server) => {
        const prompt = await server.ask();
        await quickOnce(2000, async () => {
            const connections = await holdMany(server, prompt, 10_000);
            for (const connection of connections) connection.socket.resetAndDestroy();
            const began = Date.now();
            await until(async () => (await waiting(server)) === 0, 'all are gone');
            return Date.now() - began;
        });
    });
