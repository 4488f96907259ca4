// Time limits, with the clock in the test's hand.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listen } from './lib/streams.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';
import { holdLock } from './lib/sql.mjs';

const minute = 60_000;

// Moves the clock to `ms` after the prompt was made, to the millisecond as far as stamps go.
async function moveTo(server, prompt, ms) {
    const probe = await server.ask({ prompt_message: 'What time is it?', timeout_minutes: 1440 });
    const now = Date.parse(probe.created_at) - Date.parse(prompt.created_at);
    return server.advance(ms - now);
}

onBothEngines('a prompt times out after its limit and keeps what it collected', {}, async (server, t) => {
    const reader = await listen(t, server);
    const prompt = await server.ask({ timeout_minutes: 5 });
    await server.answer(prompt.id, 'Builder', 'Only me.');
    const state = await server.show(prompt.id);
    assert.equal(Date.parse(state.timeoutAt) - Date.parse(prompt.created_at), 5 * minute);

    await moveTo(server, prompt, 4 * minute);
    assert.equal((await server.show(prompt.id)).status, 'collecting');
    await server.advance(2 * minute);
    // The reply to the move says that everything due has happened: the event is already on its way.
    const ended = await reader.saw('prompt.ended');
    assert.equal(ended.promptId, prompt.id);
    assert.equal(ended.status, 'timed_out');
    const late = await server.show(prompt.id);
    assert.equal(late.status, 'timed_out');
    assert.equal(late.ready, true);
    assert.equal(late.terminal, true);
    assert.equal(late.outcome.source, 'timeout');
    assert.deepEqual(
        late.collectedContext.map(({ message }) => message),
        ['Only me.'],
    );
    const refused = await server.answer(prompt.id, 'Growth');
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error, 'Cannot respond to prompt with status: timed_out');
    assert.equal(
        (await server.api('PATCH', `/api/discussion/${prompt.id}`, { action: 'resolve' })).status,
        409,
    );
});

// Real time goes on while a test runs, so the exact moment is one that a row brings along.
onBothEngines('a prompt exactly at its limit has not timed out', {}, async (server) => {
    const insert = (prompt, ms) =>
        server.sql(`INSERT INTO squad_chat
        (id, agent_name, message, message_type, discussion_prompt_id, created_at) VALUES ('${randomUUID()}', 'Builder',
        'In time?', 'discussion_response', '${prompt.id}', '${new Date(Date.parse(prompt.created_at) + ms).toISOString()}')`);
    const [exact, over] = [
        await server.ask({ timeout_minutes: 10 }),
        await server.ask({ timeout_minutes: 10 }),
    ];
    await insert(exact, 10 * minute);
    await insert(over, 10 * minute + 1);
    assert.equal((await server.show(exact.id)).responseCount, 1);
    assert.equal((await server.show(over.id)).responseCount, 0);
    await server.advance(11 * minute);
    const ended = await server.show(exact.id);
    assert.equal(ended.status, 'timed_out');
    assert.ok(
        Date.parse(ended.outcome.at) > Date.parse(ended.timeoutAt),
        'it ended after its limit, not at it',
    );
});

test('the function for schedulers applies the same limit', async (t) => {
    const server = await start(t, { engine: 'postgres' });
    const counts = await server.sql(`BEGIN;
        INSERT INTO discussion_prompts (id, requester_agent, prompt_message, timeout_minutes, created_at) VALUES
            ('${randomUUID()}', 'A', 'at the limit', 1, date_trunc('milliseconds', now()) - interval '1 minute'),
            ('${randomUUID()}', 'A', 'past the limit', 1, date_trunc('milliseconds', now()) - interval '60001 ms');
        SELECT public.timeout_stale_discussion_prompts();
        COMMIT;`);
    assert.deepEqual(counts, [['1']]);
});

// Whoever ends a prompt holds its row for a moment; those who ask meanwhile hear of the end, not of the crowd.
test('a prompt that is being ended is waited for', async (t) => {
    const server = await start(t, { engine: 'postgres' });
    const prompt = await server.ask({ timeout_minutes: 5 });
    const holding = holdLock(server.db, `SELECT 1 FROM discussion_prompts WHERE id = '${prompt.id}' FOR UPDATE`, 60_000);
    await until(holding.held, 'the row is held');
    const moved = server.advance(6 * minute);
    setTimeout(holding.release, 300);
    const seen = [];
    while (seen.at(-1) !== 'timed_out') seen.push((await server.show(prompt.id)).status);
    await Promise.all([holding, moved]);
    assert.deepEqual([...new Set(seen)].filter((status) => status !== 'collecting'), ['timed_out']);
});

onBothEngines('moving back brings nothing back, and later limits come later', {}, async (server) => {
    const first = await server.ask({ timeout_minutes: 10 });
    await server.advance(11 * minute);
    assert.equal((await server.show(first.id)).status, 'timed_out');
    const back = await server.advance(-60 * minute);
    assert.equal(back.offset_ms ?? back.offsetMs, -49 * minute);
    assert.equal((await server.show(first.id)).status, 'timed_out');
    const second = await server.ask({ timeout_minutes: 10 });
    assert.ok(Date.parse(second.created_at) < Date.parse(first.created_at));
    await server.advance(9 * minute);
    assert.equal((await server.show(second.id)).status, 'collecting');
    await server.advance(2 * minute);
    assert.equal((await server.show(second.id)).status, 'timed_out');
});

onBothEngines('a thousand at once end once each', {}, async (server, t) => {
    const count = 1000;
    const reader = await listen(t, server, { query: '?types=prompt.ended' });
    for (let made = 0; made < count; made += 100)
        await Promise.all(Array.from({ length: 100 }, () => server.ask({ timeout_minutes: 3 })));
    await server.advance(4 * minute);
    await reader.saw('prompt.ended', count);
    assert.equal(reader.events.length, count);
    assert.equal(new Set(reader.events.map(({ promptId }) => promptId)).size, count);
    const { prompts } = await server.must(200, 'GET', '/api/discussion');
    assert.deepEqual(prompts, []);
});

onBothEngines(
    'limits that pass while the server is down are applied at the next start, once',
    {},
    async (server, t) => {
        const asked = await Promise.all(Array.from({ length: 20 }, () => server.ask({ timeout_minutes: 5 })));
        const kept = await server.ask({ timeout_minutes: 1440 });
        const before = await listen(t, server);
        await server.say('Developer', 'mark');
        const { seq: mark } = await before.saw('chat.message');
        before.close();
        await server.kill9();
        // What a long night would do: the offset is a row of the store.
        await server.sql(`INSERT INTO facts (name, value) VALUES ('clock_offset_ms', '${6 * minute}')
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
        await server.restart();
        const reader = await listen(t, server, { lastEventId: mark });
        await reader.saw('prompt.ended', asked.length);
        for (const { id } of asked) assert.equal((await server.show(id)).status, 'timed_out');
        assert.equal((await server.show(kept.id)).status, 'collecting');
        await server.kill9();
        await server.restart();
        await server.advance(0);
        const ended = await server.sql(`SELECT count(*) FROM events WHERE type = 'prompt.ended'`);
        assert.equal(Number(ended[0][0]), asked.length);
    },
);

onBothEngines('the clock is not for everybody', { clock: false }, async (server) => {
    assert.equal((await server.api('POST', '/api/test/clock', { advance_ms: 1 })).status, 404);
});
