// What is said is heard while it is being said, on every kind of stream, and by those who join late.
import assert from 'node:assert/strict';
import { agent, discussion, id, state } from './lib/councils.mjs';
import { makeToken } from './lib/identity.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { onBothEngines, until } from './lib/server.mjs';
import { connect, listen } from './lib/streams.mjs';

const pieces = ['We ', 'könnten ', 'mit ', '🍵 ', 'anfangen, ', 'finde ', 'ich.'];

async function stage(server, t, answer) {
    const answers = await model(t, answer);
    await server.stop();
    server.args = await configure(server.folder, { default: openai(answers) });
    await server.restart();
    return answers;
}

// The rule for readers: a piece belongs at its offset, and replaces what was there.
function textOf(reader, turnId) {
    let text = [];
    for (const { offset, text: piece } of reader.of('turn.delta').filter((delta) => delta.turnId === turnId)) {
        assert.ok(offset <= text.length, `a piece is missing before ${offset}`);
        text = [...text.slice(0, offset), ...piece];
    }
    return text.join('');
}

onBothEngines('every piece reaches every kind of reader before the turn is over', {}, async (server, t) => {
    let release;
    const rest = new Promise((resolve) => (release = resolve));
    await stage(server, t, () => ({ pieces: pieces.slice(0, 3), then: rest, last: pieces.slice(3) }));
    const anna = await agent(server, 'Anna');
    const of = await discussion(server, 1, [anna], { rounds: 1, wants_drive: 0 });
    const readers = [
        await listen(t, server, { path: `/api/discussions/${of}/stream` }),
        await listen(t, server, { query: '?types=turn.delta,turn.finished' }),
        await connect(t, server, { query: `?discussionId=${of}` }),
    ];
    await server.sql(`UPDATE discussion_state SET wants_drive = 1 WHERE discussion_id = '${of}'`);
    for (const reader of readers) {
        const first = await reader.until(() => textOf(reader, reader.of('turn.delta')[0]?.turnId) === pieces.slice(0, 3).join('').trim() && reader.of('turn.delta')[0], `reader ${readers.indexOf(reader)}`);
        assert.equal(reader.of('turn.finished').length, 0);
        assert.equal(first.discussionId, of);
        assert.equal(first.speaker, 'Anna');
        assert.equal(first.round, 1);
        assert.equal(first.turnIndex, 0);
    }
    release();
    for (const reader of readers) {
        const finished = await reader.saw('turn.finished');
        assert.equal(finished.entry.content, pieces.join(''));
        assert.equal(textOf(reader, finished.turnId), pieces.join(''));
    }
    const over = readers[0].types();
    assert.ok(over.lastIndexOf('turn.delta') < over.indexOf('turn.finished'), over.join());
});

onBothEngines('what a model thinks, and whom it names, is not shown while it speaks', {}, async (server, t) => {
    let release;
    const rest = new Promise((resolve) => (release = resolve));
    await stage(server, t, () => ({ pieces: ['<thi', 'nk>They will ', 'hate it.</think>', '\n\nAn', 'na: ', 'Tea '], then: rest, last: ['first, then ', 'cake.\n', '[Be', 'rt]: No!'] }));
    const of = await discussion(server, 1, [await agent(server, 'Anna'), await agent(server, 'Bert')], { rounds: 1, wants_drive: 0 });
    const reader = await listen(t, server, { path: `/api/discussions/${of}/stream` });
    await server.sql(`UPDATE discussion_state SET wants_drive = 1 WHERE discussion_id = '${of}'`);
    const first = await reader.saw('turn.delta');
    assert.deepEqual([first.offset, first.text], [0, 'Tea']);
    release();
    const finished = await reader.saw('turn.finished');
    assert.equal(finished.entry.content, 'Tea first, then cake.');
    for (const { text } of reader.of('turn.delta').filter(({ turnId }) => turnId === finished.turnId)) assert.doesNotMatch(text, /think|hate|Anna|Bert|No!/);
    assert.equal(textOf(reader, finished.turnId), 'Tea first, then cake.');
});

onBothEngines('who joins late gets the text so far', {}, async (server, t) => {
    let release;
    const rest = new Promise((resolve) => (release = resolve));
    await stage(server, t, () => ({ pieces: pieces.slice(0, 4), then: rest, last: pieces.slice(4) }));
    const of = await discussion(server, 1, [await agent(server, 'Anna')], { rounds: 1 });
    const early = await listen(t, server, { path: `/api/discussions/${of}/stream` });
    await early.until(() => textOf(early, early.of('turn.delta')[0]?.turnId) === pieces.slice(0, 4).join('').trim());
    const late = [
        await listen(t, server, { path: `/api/discussions/${of}/stream` }),
        await listen(t, server, { query: `?discussionId=${of}` }),
        await connect(t, server, { query: `?discussionId=${of}` }),
    ];
    const changed = await connect(t, server, { query: '?types=alert' });
    changed.socket.send(JSON.stringify({ type: 'subscribe', discussionId: of }));
    late.push(changed);
    for (const reader of late) {
        const delta = await reader.saw('turn.delta');
        assert.equal(delta.offset, 0);
        assert.equal(delta.text, pieces.slice(0, 4).join('').trim());
    }
    release();
    for (const reader of [early, ...late]) {
        const { turnId } = await reader.saw('turn.finished');
        assert.equal(textOf(reader, turnId), pieces.join(''));
    }
});

onBothEngines('a turn that is asked for again begins anew', {}, async (server, t) => {
    await stage(server, t, ({ number }) => (number === 1 ? { pieces: ['Wrong ', 'start '], drop: true } : { pieces }));
    const of = await discussion(server, 1, [await agent(server, 'Anna')], { rounds: 1, wants_drive: 0 });
    const reader = await listen(t, server, { path: `/api/discussions/${of}/stream` });
    await server.sql(`UPDATE discussion_state SET wants_drive = 1 WHERE discussion_id = '${of}'`);
    const { turnId, entry } = await reader.saw('turn.finished');
    assert.equal(entry.content, pieces.join(''));
    assert.equal(textOf(reader, turnId), pieces.join(''));
});

onBothEngines('pieces have no number, and nobody hears what they may not', {}, async (server, t) => {
    await stage(server, t, () => ({ pieces }));
    const project = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    const other = await server.must(201, 'POST', '/api/projects', { name: 'Other' });
    const owner = await makeToken(server, { role: 'owner' });
    const bound = await makeToken(server, { agent: 'Zoe', project: other.id });
    const of = await discussion(server, 1, [await agent(server, 'Anna')], {
        rounds: 1,
        wants_drive: 0,
        project_id: project.id,
    });
    const raw = await fetch(`${server.url}/api/discussions/${of}/stream`, {
        headers: { Authorization: `Bearer ${owner}` },
    });
    const outsider = await listen(t, server, { token: bound });
    for (const [path, token] of [
        [`/api/discussions/${of}/stream`, bound],
        [`/api/discussions/${id(99)}/stream`, owner],
        ['/api/discussions/nonsense/stream', owner],
    ])
        await server.must(404, 'GET', path, undefined, { token });
    await server.must(401, 'GET', `/api/discussions/${of}/stream`);
    await server.sql(`UPDATE discussion_state SET wants_drive = 1 WHERE discussion_id = '${of}'`);
    await until(async () => (await state(server, of)).status === 'completed', 'it has ended');
    let text = '';
    for await (const part of raw.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.includes('discussion.ended')) break;
    }
    const frames = text.split('\n\n').filter((frame) => frame.includes('data:'));
    for (const frame of frames) assert.equal(frame.includes('"turn.delta"'), !frame.startsWith('id: '), frame);
    assert.ok(frames.some((frame) => frame.includes('"turn.delta"')));
    assert.deepEqual(outsider.of('turn.delta'), []);
    assert.deepEqual(outsider.of('turn.finished'), []);
});
