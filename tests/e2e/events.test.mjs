// Server-sent events: all of them, in order, once, to whom they concern.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { assertInOrder, listen } from './lib/streams.mjs';
import { makeToken, makeWorkspace } from './lib/identity.mjs';
import { onBothEngines, quickOnce, until } from './lib/server.mjs';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

onBothEngines('a prompt tells its story in order', {}, async (server, t) => {
    const reader = await listen(t, server);
    const prompt = await server.ask({ required_responses: 2 });
    await server.answer(prompt.id, 'Builder', 'Mind the cache.');
    await server.answer(prompt.id, 'Growth', 'Ship it.');
    await reader.until(() => reader.of('chat.message').length === 4, 'all four messages');
    const story = reader.events.map((event) => [event.type, event.message_type ?? event.status]);
    const answers = story.slice(2);
    assert.deepEqual(story.slice(0, 2).sort(), [
        ['chat.message', 'discussion_prompt'],
        ['prompt.created', 'collecting'],
    ]);
    assert.deepEqual(answers.slice(0, 3), [
        ['chat.message', 'discussion_response'],
        ['prompt.responded', 'collecting'],
        ['chat.message', 'discussion_response'],
    ]);
    assert.deepEqual(
        answers.slice(3).map(([type]) => type),
        ['prompt.responded', 'prompt.ended', 'chat.message'],
    );
    for (const event of reader.events) {
        assert.match(event.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.match(event.workspaceId, uuid);
        assert.ok(event.seq > 0);
    }
    const [, last] = reader.of('prompt.responded');
    assert.equal(last.promptId, prompt.id);
    assert.equal(last.responseCount, 2);
    assert.deepEqual(reader.of('prompt.ended')[0].outcome.source, 'agents');
    assertInOrder(reader.events);
});

onBothEngines('a reader that comes back misses nothing and sees nothing twice', {}, async (server, t) => {
    const first = await listen(t, server);
    for (let i = 0; i < 5; i++) await server.say('Developer', `before ${i}`);
    await first.saw('chat.message', 5);
    const { seq: id } = first.events.at(-1);
    first.close();
    // More than a page of the log, so that catching up takes several reads.
    for (let done = 0; done < 600; done += 50)
        await Promise.all(Array.from({ length: 50 }, (_, i) => server.say('Developer', `away ${done + i}`)));
    const second = await listen(t, server, { lastEventId: id });
    const third = await listen(t, server, { query: `?after=${id}` });
    await server.say('Developer', 'back');
    for (const reader of [second, third]) {
        await reader.saw('chat.message', 601);
        const messages = reader.events.map(({ message }) => message);
        assert.equal(messages.length, 601);
        assert.equal(new Set(messages).size, 601);
        assert.equal(messages.at(-1), 'back');
        assertInOrder(reader.events);
    }
    assert.deepEqual(
        second.events.map(({ seq }) => seq),
        third.events.map(({ seq }) => seq),
    );
});

onBothEngines('a reader that is cut off before its first event misses nothing either', {}, async (server, t) => {
    let text = '';
    const request = http.get(`${server.url}/api/events`, { agent: false }, (reply) => reply.on('data', (part) => (text += part)));
    const [, id] = await until(() => text.match(/^id: (\d+)\n\n/m), 'the stream says where it begins');
    request.destroy();
    await server.say('Developer', 'meanwhile');
    const back = await listen(t, server, { lastEventId: id });
    assert.equal((await back.saw('chat.message')).message, 'meanwhile');
});

onBothEngines('catching up while others write leaves no gap', {}, async (server, t) => {
    await server.say('Developer', 'first');
    let writing = true;
    let written = 0;
    const writers = Array.from({ length: 4 }, async () => {
        while (writing) await server.say('Developer', `message ${++written}`);
    });
    const readers = [];
    for (let i = 0; i < 10; i++) {
        await until(() => written > i * 40, 'some more are written');
        readers.push(await listen(t, server, { query: '?after=0' }));
    }
    writing = false;
    await Promise.all(writers);
    for (const reader of readers) {
        await reader.saw('chat.message', written + 1);
        assert.equal(reader.events.length, written + 1);
        assertInOrder(reader.events);
    }
});

onBothEngines('filters', {}, async (server, t) => {
    const [project, task] = [randomUUID(), randomUUID()];
    const workspace = '00000000-0000-7000-8000-000000000001';
    await server.sql(
        `INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('${project}', '${workspace}', 'P', 0)`,
    );
    await server.sql(`INSERT INTO tasks (id, workspace_id, project_id, title, created_at)
        VALUES ('${task}', '${workspace}', '${project}', 'T', 0)`);
    const typed = await listen(t, server, { query: '?types=prompt.ended,prompt.responded' });
    const projected = await listen(t, server, { query: `?projectId=${project}` });
    const both = await listen(t, server, { query: `?types=prompt.created&projectId=${project}` });
    const job = await listen(t, server, { query: `?jobId=${randomUUID()}` });
    const all = await listen(t, server);
    const other = await server.ask({ required_responses: 1 });
    const mine = await server.ask({ required_responses: 1, task_id: task });
    for (const { id } of [other, mine]) await server.answer(id, 'Builder');
    await all.saw('prompt.ended', 2);
    await typed.saw('prompt.ended', 2);
    await projected.saw('prompt.ended');
    await both.saw('prompt.created');
    assert.deepEqual(typed.types(), ['prompt.responded', 'prompt.ended', 'prompt.responded', 'prompt.ended']);
    // Messages that name the task are the project's too.
    assert.deepEqual(
        projected.types().filter((type) => type.startsWith('prompt.')),
        ['prompt.created', 'prompt.responded', 'prompt.ended'],
    );
    assert.ok(
        projected.events.every(
            ({ promptId, discussion_prompt_id: thread }) => (promptId ?? thread) === mine.id,
        ),
    );
    assert.deepEqual(both.types(), ['prompt.created']);
    assert.deepEqual(job.types(), []);
});

onBothEngines('another workspace hears nothing', {}, async (server, t) => {
    await makeWorkspace(server, 'other');
    const [here, there] = [
        await makeToken(server, { role: 'member' }),
        await makeToken(server, { role: 'member', workspace: 'other' }),
    ];
    const near = await listen(t, server, { token: here });
    const far = await listen(t, server, { token: there });
    await server.say('Developer', 'ours', { token: here });
    const prompt = await server.ask({}, { token: here });
    await server.say('Developer', 'theirs', { token: there });
    await far.saw('chat.message');
    await near.saw('prompt.created');
    assert.deepEqual(
        far.events.map(({ message }) => message),
        ['theirs'],
    );
    assert.ok(near.events.every(({ message }) => message !== 'theirs'));
    const again = await listen(t, server, { token: there, query: '?after=0' });
    await again.saw('chat.message');
    assert.deepEqual(
        again.events.map(({ message }) => message),
        ['theirs'],
    );
    assert.equal(
        (await server.api('GET', `/api/discussion/${prompt.id}`, undefined, { token: there })).status,
        404,
    );
    assert.equal((await server.answer(prompt.id, 'Builder', 'x', { token: there })).status, 404);
});

onBothEngines(
    'the last event before a stop is server.stopping, and the reader goes on afterwards',
    {},
    async (server, t) => {
        const reader = await listen(t, server);
        await server.say('Developer', 'before');
        await reader.saw('chat.message');
        await server.stop();
        await reader.saw('server.stopping');
        assert.equal(reader.types().at(-1), 'server.stopping');
        await server.restart();
        // The reader comes back by itself.
        await server.say('Developer', 'after');
        await reader.saw('chat.message', 2);
        assert.deepEqual(
            reader.of('chat.message').map(({ message }) => message),
            ['before', 'after'],
        );
    },
);

// An id in another form would be in the table and never be found: it counts, or the program hears of it.
onBothEngines('no reply by plain SQL gets lost over the form of an id', {}, async (server) => {
    const prompt = await server.ask({ required_responses: 1 });
    const insert = (id, promptId) => server.sql(`INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id)
        VALUES ('${id}', 'Outsider', 'Here.', 'discussion_response', '${promptId}')`).then(() => true, () => false);
    assert.equal(await insert('reply-1', prompt.id), false);
    assert.equal((await server.show(prompt.id)).responseCount, 0);
    const taken = await insert(randomUUID().toUpperCase(), prompt.id.toUpperCase());
    assert.equal(taken, server.engine === 'postgres');
    assert.equal((await server.show(prompt.id)).responseCount, taken ? 1 : 0);
    const { messages, nextCursor } = await server.must(200, 'GET', '/api/chat?limit=1');
    assert.equal(messages.length, 1);
    if (taken) await server.must(200, 'GET', `/api/chat?cursor=${nextCursor}`);
});

onBothEngines('what another program writes with plain SQL wakes waits and streams', {}, async (server, t) => {
    const reader = await listen(t, server);
    await quickOnce(server.engine === 'postgres' ? 500 : 1500, async () => {
        const prompt = await server.ask({ required_responses: 1 });
        const held = server.api('GET', `/api/discussion/${prompt.id}?wait=30`, undefined, { agent: undefined });
        await until(async () => (await server.metric('witan_waits')) === 1, 'the wait is held');
        await server.sql(`INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id)
            VALUES ('${randomUUID()}', 'Outsider', 'From psql, @Builder.', 'discussion_response', '${prompt.id}')`);
        const began = Date.now();
        const reply = await held;
        const took = Date.now() - began;
        assert.equal(reply.body.status, 'resolved');
        assert.equal(reply.body.collectedContext[0].agent, 'Outsider');
        await reader.until(
            () => reader.of('prompt.ended').some(({ promptId }) => promptId === prompt.id),
            'the end is told',
        );
        return took;
    });
    await reader.until(
        () => reader.of('chat.message').some(({ agent_name }) => agent_name === 'Outsider'),
        'the message',
    );
    await until(async () => {
        const { notifications } = await server.must(200, 'GET', '/api/notifications?agent=Builder');
        return notifications.length > 0;
    }, 'the mention is told');
    assert.ok((await server.metric('witan_deadline_late_ms')) < 60_000, 'what it wrote was not due for years');
});

// A client that opens a stream and then does not read.
function openAndSleep(t, server, path) {
    return new Promise((opened, failed) => {
        const request = http.get(server.url + path, { agent: false }, (reply) => {
            reply.pause();
            opened(reply);
        });
        request.on('error', failed);
        t.after(() => request.destroy());
    });
}

// So much of a body at least, or all that is left of it.
async function take(parts, least = Infinity) {
    let text = '';
    while (text.length < least) {
        const { value, done } = await parts.next();
        if (done) break;
        text += value;
    }
    return text;
}

// Who takes nothing at all for half a minute is dropped without a word, so this one takes a little now and then.
onBothEngines('a reader that is too slow is cut off, slows nobody, and can resume', {}, async (server, t) => {
    const quick = await listen(t, server);
    const slow = await openAndSleep(t, server, '/api/events');
    const parts = slow.setEncoding('utf8')[Symbol.asyncIterator]();
    const text = 'x'.repeat(60_000);
    const count = 1000;
    let got = '';
    for (let done = 0; done < count; done += 40) {
        await Promise.all(
            Array.from({ length: 40 }, (_, i) => server.say('Developer', `${done + i} ${text}`)),
        );
        got += await take(parts, 512 << 10);
    }
    await quick.saw('chat.message', count);
    assertInOrder(quick.events);
    got += await take(parts);
    const frames = got.split('\n\n').filter((frame) => frame.includes('data:'));
    const last = JSON.parse(frames.at(-1).match(/^data: ?(.*)$/m)[1]);
    assert.equal(last.type, 'stream.cut');
    const id = Number([...got.matchAll(/^id: ?(\d+)$/gm)].at(-1)[1]);
    const received = frames.length - 1;
    assert.ok(received < count, `${received} of ${count} were received`);
    const back = await listen(t, server, { lastEventId: String(id) });
    await back.saw('chat.message', count - received);
    assert.equal(back.events.length, count - received);
});

onBothEngines('what a stream is asked for is checked', {}, async (server) => {
    for (const query of ['after=x', 'after=-1', `types=${'status,'.repeat(40)}status`, 'types=status,nope']) {
        const reply = await server.api('GET', `/api/events?${query}`, undefined, { agent: undefined });
        assert.equal(reply.status, 400, query);
    }
    const mistyped = await server.api('GET', '/api/events?types=prompt.create', undefined, { agent: undefined });
    assert.equal(mistyped.body.field, 'types');
    assert.match(mistyped.body.hint, /prompt\.created/);
    assert.equal((await server.api('POST', '/api/events', {})).status, 405);
});
