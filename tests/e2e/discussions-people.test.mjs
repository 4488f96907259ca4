// Discussions with people and other programs in them: words that wait for the end of a turn, two who post at once, rows that
// were written with plain SQL, a question that a council answers, and a server that an agent may not have called.
import assert from 'node:assert/strict';
import { agent } from './lib/councils.mjs';
import { model } from './lib/model.mjs';
import { onBothEngines, until } from './lib/server.mjs';
import { make, over, show, speakerOf, stage } from './lib/stage.mjs';

// A promise that the test keeps when it wants to, and at its end.
function gate(t) {
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    t.after(() => open());
    return { open, opened };
}

onBothEngines('words for after the turn wait for its end, and the next speaker hears them', {}, async (server, t) => {
    const rest = gate(t);
    const answers = await stage(server, t, ['Anna', 'Bert'], (call) =>
        call.number === 1 ? { pieces: ['I would begin '], then: rest.opened, last: ['with tests.'] } : `${speakerOf(call)} goes on.`,
    );
    const { id: of } = await make(server, 'What first?', 'rounds', ['Anna', 'Bert'], { rounds: 1 });
    await until(() => answers.calls.length === 1, 'she speaks');
    await server.must(200, 'POST', `/api/discussions/${of}/interject`, { content: 'Mind the cost.', when: 'after_turn' });
    assert.deepEqual((await show(server, of)).entries, []);
    rest.open();
    const { entries } = await over(server, of);
    assert.deepEqual(
        entries.map(({ content }) => content),
        ['I would begin with tests.', 'Mind the cost.', 'Bert goes on.'],
    );
    assert.equal(entries[0].metadata.partial, undefined);
    assert.equal(entries[1].metadata.interjection, 'after_turn');
    assert.equal(entries[1].turnIndex, -1);
    assert.match(answers.calls[1].user, /Mind the cost\./);
    assert.equal(answers.calls.length, 2);
});

onBothEngines('of two who post at once one is heard, and the other is told to wait', {}, async (server, t) => {
    const rest = gate(t);
    await stage(server, t, ['Anna'], (call) => ({ wait: rest.opened, text: `${speakerOf(call)} answers.` }));
    const { id: of } = await make(server, 'How do we begin?', 'turns', ['user', 'Anna']);
    const posts = ['paula', 'maya'].map((userId) => server.api('POST', `/api/discussions/${of}`, { message: `It is ${userId}.`, userId }));
    const refused = await Promise.race(posts);
    assert.equal(refused.status, 409, refused.text);
    assert.equal(refused.body.code, 'busy');
    rest.open();
    const replies = await Promise.all(posts);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const { entries, nextSpeaker, speakerOrder } = await show(server, of);
    assert.equal(entries.length, 2);
    assert.match(entries[0].content, /^It is (paula|maya)\.$/);
    assert.equal(entries[1].content, 'Anna answers.');
    assert.equal(nextSpeaker, speakerOrder[0]);
});

// What another program does: rows for the project, the order and the state, and then only messages.
onBothEngines('a discussion that was set up with plain SQL goes through its three rounds', {}, async (server, t) => {
    await stage(server, t, [], (call) => `${call.system.match(/Speaker: (\w+)\./)[1]} speaks, call ${call.number}.`);
    const project = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    const seats = [null];
    for (const [name, role] of [['Manager', 'manager'], ['First', 'specialist'], ['Second', 'specialist']])
        seats.push(await agent(server, name, { role }));
    for (const [order, seat] of seats.entries())
        await server.sql(
            `INSERT INTO discussion_participants (project_id, agent_id, role, sequence_order)
             VALUES ('${project.id}', ${seat ? `'${seat.id}'` : 'NULL'}, '${seat?.role ?? 'user'}', ${order})`,
        );
    await server.sql(
        `INSERT INTO discussion_state (project_id, current_turn_index, current_round, status) VALUES ('${project.id}', 0, 1, 'active')`,
    );
    let reply;
    for (let round = 1; round <= 3; round++) {
        reply = await server.must(200, 'POST', `/api/discussions/${project.id}`, { message: `Message ${round}.`, userId: 'paula' });
        assert.equal(reply.entries.length, 4 * round);
        const rows = await server.sql(`SELECT content FROM discussion_logs WHERE project_id = '${project.id}' AND round_number = ${round} ORDER BY seq`);
        assert.equal(rows[0][0], `Message ${round}.`);
        assert.equal(rows.length, 4);
        if (round < 3) assert.equal(reply.nextSpeaker, reply.speakerOrder[0]);
    }
    assert.deepEqual(
        reply.entries.map(({ speaker }) => speaker),
        [1, 2, 3].flatMap(() => [reply.speakerOrder[0], 'Manager', 'First', 'Second']),
    );
    assert.equal(new Set(reply.entries.map(({ content }) => content)).size, 12, 'each says something of its own');
    assert.equal(reply.discussion.status, 'completed');
    const [[status]] = await server.sql(`SELECT status FROM discussion_state WHERE project_id = '${project.id}'`);
    assert.equal(status, 'completed');
});

onBothEngines('a question that is put to a council is answered by it, with its dissent', {}, async (server, t) => {
    const votes = { Anna: 'tea', Bert: 'coffee', Cleo: 'tea' };
    await stage(server, t, Object.keys(votes), (call) => {
        const who = speakerOf(call);
        if (/confidence/.test(call.system + call.user)) return JSON.stringify({ choice: votes[who], confidence: 0.8, ranking: ['tea', 'coffee'] });
        return who ? `${who} is for ${votes[who]}.` : 'They talked it over.';
    });
    const { questionId } = await server.must(201, 'POST', '/api/questions', { question: 'What do we serve?', type: 'blocking', responseType: 'text' });
    const { id: of } = await make(server, 'What do we serve?', 'rounds', Object.keys(votes), {
        rounds: 1,
        ref: { kind: 'question', id: questionId },
        options: { vote: { choices: ['tea', 'coffee'] } },
    });
    await over(server, of);
    const { question } = await server.must(200, 'GET', `/api/questions/${questionId}`);
    assert.equal(question.status, 'answered');
    assert.equal(question.outcome.source, 'agents');
    assert.equal(question.outcome.by, 'Council');
    const text = JSON.stringify(question);
    assert.match(text, /The vote is for: tea\./);
    assert.match(text, /Dissent: Bert \(coffee\)\./);
});

// The name is harmless; where it leads is not, and that is seen when it is called.
onBothEngines('a server inside, which only an agent names, is not called and tells nothing', {}, async (server, t) => {
    const inside = await model(t, () => 'the secret of the house');
    const url = inside.url.replace('127.0.0.1', 'localhost');
    const config = { provider: 'openai', model: 'm', base_url: url };
    const refused = await server.api('POST', '/api/agents', { name: 'Spy', ai_model_config: config });
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.body.field, 'ai_model_config.base_url');
    const spy = await agent(server, 'Spy', { ai_model_config: JSON.stringify(config) });
    const { id: of } = await make(server, 'Who is there?', 'rounds', ['Spy'], { rounds: 1 });
    const { entries } = await over(server, of);
    assert.equal(entries[0].agentId, spy.id);
    assert.equal(entries[0].metadata.pass, true);
    assert.match(entries[0].content, /may not be called/);
    assert.equal(inside.calls.length, 0);
    assert.doesNotMatch(JSON.stringify(entries), /secret of the house/);
});
