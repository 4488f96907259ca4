// Two answers at once, an answer against a cancel: exactly one end, and nothing counted twice or lost.
import assert from 'node:assert/strict';
import { assertInOrder, listen } from './lib/streams.mjs';
import { onBothEngines } from './lib/server.mjs';

const prompts = 200;

function askMany(server, count, fields) {
    return Promise.all(
        Array.from({ length: count }, (_, i) => server.ask({ prompt_message: `Question ${i}`, ...fields })),
    );
}

onBothEngines('200 prompts, two answers at once each: all resolved with two', {}, async (server, t) => {
    const reader = await listen(t, server, { query: '?types=prompt.ended' });
    const asked = await askMany(server, prompts, { required_responses: 2 });
    const replies = await Promise.all(
        asked.flatMap(({ id }) => [server.answer(id, 'Builder'), server.answer(id, 'Growth')]),
    );
    for (const reply of replies) assert.equal(reply.status, 201, reply.text);
    // Of each pair, one saw itself as the last.
    assert.equal(replies.filter((reply) => reply.body.ready).length, prompts);
    const states = await Promise.all(asked.map(({ id }) => server.show(id)));
    assert.equal(states.filter(({ status }) => status === 'resolved').length, prompts);
    for (const state of states) {
        assert.equal(state.responseCount, 2);
        assert.deepEqual(state.collectedContext.map(({ agent }) => agent).sort(), ['Builder', 'Growth']);
        assert.equal(state.outcome.source, 'agents');
    }
    await reader.saw('prompt.ended', prompts);
    assert.equal(new Set(reader.events.map(({ promptId }) => promptId)).size, prompts);
    assertInOrder(reader.events);
});

onBothEngines('the same agent twice at once counts once', {}, async (server) => {
    const asked = await askMany(server, 50, { required_responses: 2 });
    const replies = await Promise.all(
        asked.flatMap(({ id }) => [server.answer(id, 'Builder', 'one'), server.answer(id, 'builder', 'two')]),
    );
    for (const reply of replies) assert.equal(reply.status, 201, reply.text);
    for (const { id } of asked) {
        const state = await server.show(id);
        assert.equal(state.status, 'collecting');
        assert.equal(state.responseCount, 1);
        assert.equal(state.collectedContext.length, 2);
    }
});

onBothEngines('answers race with cancel: exactly one end', {}, async (server, t) => {
    const reader = await listen(t, server, { query: '?types=prompt.ended' });
    const asked = await askMany(server, 100, { required_responses: 1 });
    const outcomes = await Promise.all(
        asked.map(async ({ id }, i) => {
            const answer = () => server.answer(id, 'Builder');
            const cancel = () => server.api('PATCH', `/api/discussion/${id}`, { action: 'cancel' });
            const order = i % 2 ? [answer(), cancel()] : [cancel(), answer()].reverse();
            const [answered, cancelled] = await Promise.all(order);
            return { id, answered, cancelled };
        }),
    );
    for (const { id, answered, cancelled } of outcomes) {
        const { status, outcome, collectedContext } = await server.show(id);
        if (answered.status === 201) {
            assert.equal(cancelled.status, 409, cancelled.text);
            assert.equal(status, 'resolved');
            assert.equal(outcome.source, 'agents');
            assert.equal(collectedContext.length, 1);
        } else {
            assert.equal(answered.status, 400, answered.text);
            assert.equal(answered.body.error, 'Cannot respond to prompt with status: cancelled');
            assert.equal(cancelled.status, 200, cancelled.text);
            assert.equal(status, 'cancelled');
            assert.equal(outcome.source, 'cancelled');
            assert.equal(collectedContext.length, 0);
        }
    }
    await reader.saw('prompt.ended', asked.length);
    assert.equal(new Set(reader.events.map(({ promptId }) => promptId)).size, asked.length);
});
