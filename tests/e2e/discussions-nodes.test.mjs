// Two servers on one PostgreSQL: one drives a discussion, and the other takes over when it is gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, deterministic, discussion, said, state } from './lib/councils.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { start, tempFolder, until } from './lib/server.mjs';
import { listen } from './lib/streams.mjs';

const lease = 5000;

// Two nodes, each with a model server of its own, so that it can be seen who asked.
async function pair(t, first = {}) {
    const slow = await model(t, (call) => ({ text: deterministic(call), ...(first.answer?.(call) ?? {}) }));
    const quick = await model(t, deterministic);
    const node = async (answers, more) => {
        const folder = await tempFolder(t);
        const args = await configure(folder, { default: openai(answers) });
        return start(t, { engine: 'postgres', folder, args, clock: false, ...more });
    };
    const a = await node(slow);
    return { slow, quick, a, more: (settings) => node(quick, { db: a.db, ...settings }) };
}

async function assertOnce(server, of, turns) {
    const log = await said(server, of);
    assert.equal(log.length, turns, log.join('\n'));
    const places = log.map((line) => line.split(' | ').slice(0, 3).join());
    assert.equal(new Set(places).size, turns);
    return log;
}

const done = (server, of) => until(async () => (await state(server, of)).status === 'completed', 'it has ended');

test('the other node takes over when one is killed', { timeout: 600_000 }, async (t) => {
    const { slow, quick, a, more } = await pair(t, { answer: ({ number }) => (number > 2 ? { hang: true } : {}) });
    const agents = [await agent(a, 'Anna'), await agent(a, 'Bert')];
    const of = await discussion(a, 1, agents, { rounds: 3 });
    await until(() => slow.calls.length === 3, 'the third turn is out');
    const b = await more();
    await a.kill9();
    await done(b, of);
    await assertOnce(b, of, 6);
    assert.equal(quick.calls.length, 4, 'what was stored is not asked for again');
});

test('a node that stops in order lets go at once', { timeout: 600_000 }, async (t) => {
    const { slow, a, more } = await pair(t, { answer: ({ number }) => (number > 1 ? { hang: true } : {}) });
    const agents = [await agent(a, 'Anna'), await agent(a, 'Bert')];
    const of = await discussion(a, 1, agents, { rounds: 2 });
    await until(() => slow.calls.length === 2, 'the second turn is out');
    const b = await more();
    await a.stop();
    await done(b, of);
    await assertOnce(b, of, 4);
    await until(() => slow.calls[1].ended === 'closed', 'the call was closed');
});

test('what a node writes after it was stopped for longer than its lease is refused', { timeout: 600_000 }, async (t) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const { slow, quick, a, more } = await pair(t, {
        answer: ({ number }) => (number === 2 ? { text: 'From a node that was thought dead.', wait: held } : {}),
    });
    const agents = [await agent(a, 'Anna'), await agent(a, 'Bert')];
    const of = await discussion(a, 1, agents, { rounds: 2 });
    await until(() => slow.calls.length === 2, 'the second turn is out');
    const b = await more();
    a.child.kill('SIGSTOP');
    t.after(() => a.child.kill('SIGCONT'));
    await done(b, of);
    const before = await assertOnce(b, of, 4);
    release();
    await pause(lease / 10);
    a.child.kill('SIGCONT');
    // It sees that its lease ran out, or has heard of the other node first, and closes the call; or its write is turned away.
    await until(() => /lease on discussions ran out|not this node's any more|a turn came too late/.test(a.log), 'nothing came of the late reply');
    await until(async () => (await a.metric('witan_calls')) === 0, 'nothing is under way there any more');
    await pause(500);
    assert.deepEqual(await assertOnce(b, of, 4), before);
    assert.ok(!before.some((line) => line.includes('thought dead')));
    assert.equal(quick.calls.length, 3);
    assert.ok(slow.calls.length >= 2);
});

test('who joins on the other node gets the text so far', { timeout: 600_000 }, async (t) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    t.after(() => release());
    const { a, more } = await pair(t, { answer: () => ({ pieces: ['So ', 'far ', 'so good'], then: held, last: ['.'] }) });
    const of = await discussion(a, 1, [await agent(a, 'Anna')], { rounds: 1 });
    const saved = async () => (await a.sql('SELECT partial FROM discussion_turns'))[0]?.[0];
    await until(async () => (await saved()) === 'So far so good', 'the text is saved');
    const b = await more({ env: { WITAN_COUNCIL_DRIVE: 'false' } }); // however long the first one is held up
    const reader = await listen(t, b, { path: `/api/discussions/${of}/stream` });
    const delta = await reader.saw('turn.delta');
    assert.deepEqual([delta.offset, delta.text, delta.speaker], [0, 'So far so good', 'Anna']);
    release();
    assert.equal((await reader.saw('turn.finished')).entry.content, 'So far so good.');
});

test('discussions made on either node are all driven, each by one', { timeout: 600_000 }, async (t) => {
    const { slow, quick, a, more } = await pair(t);
    const b = await more();
    const agents = [await agent(a, 'Anna'), await agent(a, 'Bert'), await agent(a, 'Cleo')];
    const all = [];
    for (let i = 0; i < 20; i++) all.push(await discussion(i % 2 ? a : b, 100 + i, agents, { rounds: 2 }));
    for (const of of all) await done(a, of);
    for (const of of all) await assertOnce(b, of, 6);
    assert.equal(slow.calls.length + quick.calls.length, 120);
});

test('a turn grows for those who listen on the other node', { timeout: 600_000 }, async (t) => {
    let finish;
    const held = new Promise((resolve) => (finish = resolve));
    t.after(() => finish());
    const words = ['One ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven '];
    const { a, more } = await pair(t, { answer: () => ({ pieces: words, every: 900, then: held, last: ['eight.'] }) });
    const anna = await agent(a, 'Anna');
    const of = await discussion(a, 1, [anna], { rounds: 1, wants_drive: 0, status: 'paused' });
    const b = await more({ env: { WITAN_COUNCIL_DRIVE: 'false' } });
    const reader = await listen(t, b, { path: `/api/discussions/${of}/stream` });
    await b.must(200, 'POST', `/api/discussions/${of}/resume`);
    await reader.until(() => reader.of('turn.delta').length >= 3, 'the text grows');
    assert.equal(reader.of('turn.finished').length, 0);
    let text = '';
    for (const piece of reader.of('turn.delta')) {
        assert.ok(piece.offset <= text.length, 'nothing is left out');
        text = text.slice(0, piece.offset) + piece.text;
    }
    assert.ok(words.join('').startsWith(text) && text.length > words[0].length, text);
    finish();
    await done(b, of);
    await reader.saw('turn.finished');
});
