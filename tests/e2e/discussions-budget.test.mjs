// Budgets against models over real sockets: what reaches them is what was allowed.
import assert from 'node:assert/strict';
import { onBothEngines } from './lib/server.mjs';
import { make, over, stage } from './lib/stage.mjs';

const agrees = async (server, of) => {
    const replay = await server.must(200, 'GET', `/api/discussions/${of}/replay`);
    assert.equal(replay.agrees, true, JSON.stringify(replay.differences));
};

onBothEngines('a budget of calls holds for a model that breaks off', {}, async (server, t) => {
    const answers = await stage(server, t, ['Ada', 'Bob'], () => ({ pieces: ['I was about', ' to'], drop: true }));
    const { id } = await make(server, 'Calls', 'rounds', ['Ada', 'Bob'], { options: { budget: { calls: 2 } } });
    const shown = await over(server, id);
    assert.equal(answers.calls.length, 2);
    assert.equal(shown.discussion.usage.calls, 2);
    await agrees(server, id);
});

onBothEngines('without a budget, attempts that failed are counted too', {}, async (server, t) => {
    const answers = await stage(server, t, ['Ada'], (call) => (call.number === 1 ? { pieces: ['I was'], drop: true } : 'Here I am.'));
    const { id } = await make(server, 'Calls', 'rounds', ['Ada'], { rounds: 1 });
    const shown = await over(server, id);
    assert.equal(answers.calls.length, 2);
    assert.equal(shown.discussion.usage.calls, 2);
    assert.equal(shown.entries[0].content, 'Here I am.');
    await agrees(server, id);
});

// Each call takes 15 tokens, as the model tells: ten for what it was told, and one for each word.
onBothEngines('a budget of tokens holds when twenty are asked at once', {}, async (server, t) => {
    const names = Array.from({ length: 20 }, (_, at) => `Agent${at}`);
    const answers = await stage(server, t, names, () => 'One two three four five');
    const { id } = await make(server, 'Tokens', 'parallel', names, { options: { budget: { tokens: 30 } } });
    const shown = await over(server, id);
    const { tokensIn, tokensOut } = shown.discussion.usage;
    assert.equal(tokensIn + tokensOut, 30);
    assert.equal(answers.calls.length, 2);
    assert.equal(shown.discussion.endReason, 'budget');
    assert.equal(answers.calls[1].body.max_tokens, 5, 'what is left without what it is told');
    await agrees(server, id);
    // With plenty, all are asked, and none may take more than its share.
    const { id: rich } = await make(server, 'Tokens', 'parallel', names, { rounds: 1, options: { budget: { tokens: 200_000 } } });
    assert.equal((await over(server, rich)).entries.length, 20);
    const most = answers.calls.slice(2).map(({ body }) => body.max_tokens);
    assert.ok(Math.max(...most) <= 200_000 && Math.min(...most) > 1000, most.join());
    await agrees(server, rich);
});
