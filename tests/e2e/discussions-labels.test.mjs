// Models that begin with a label, as what they are shown does: on all three wires, whether or not the server obeys
// the stops that it is sent, and in pieces of one character.
import assert from 'node:assert/strict';
import { configure } from './lib/model.mjs';
import { onBothEngines } from './lib/server.mjs';
import { make, over, speak } from './lib/stage.mjs';
import { listen } from './lib/streams.mjs';
import { threeWires } from './lib/wires.mjs';

// What the model says, what is logged of it (null: a pass, with this reason), and how often it is asked by a
// server that obeys stops and by one that does not.
const habits = {
    Plain: { says: 'Good morning.', logged: 'Good morning.', asked: [1, 1] },
    Own: { says: (name) => `[${name}]: It is me.`, logged: 'It is me.', asked: [2, 1] },
    Bare: { says: (name) => `${name}: It is me. [And more]`, logged: 'It is me.', asked: [1, 1] },
    Bold: { says: (name) => `**[${name}]:** It is me.\n\nAgain.`, logged: 'It is me.', asked: [2, 1] },
    Stranger: { says: '[Somebody]: Hello there.\n[Nobody]: Go away.', logged: 'Hello there.', asked: [2, 2] },
    Both: { says: (name, other) => `[${other}]: I said so.\n[${name}]: And I say no.`, logged: 'And I say no.', asked: [2, 2] },
    Another: { says: (name, other) => `[${other}]: I approve.`, reason: 'The model began to speak for somebody else.', asked: [2, 2] },
    Passes: { says: '[PASS] All is said.', reason: 'All is said.', asked: [2, 1] },
    Mute: { says: '', reason: 'The model sent nothing.', asked: [2, 1] },
};

onBothEngines('a model that writes a label in front is heard, on every wire', {}, async (server, t) => {
    const { calls, models } = await threeWires(t, ({ system }) => JSON.parse(system));
    await server.stop();
    server.args = await configure(server.folder, models);
    await server.restart();
    const reader = await listen(t, server, { query: '?types=turn.delta,turn.finished' });
    for (const [model, { provider, model: manner }] of Object.entries(models)) {
        const name = (habit) => `${habit}-${model}`;
        for (const [habit, { says }] of Object.entries(habits))
            await server.must(201, 'POST', '/api/agents', {
                name: name(habit),
                role: 'talker',
                system_prompt: JSON.stringify(typeof says === 'string' ? says : says(name(habit), name('Plain'))),
                ai_model_config: { provider: model },
            });
        const order = Object.keys(habits).map(name);
        const { id } = await make(server, 'Who speaks?', 'turns', order, { rounds: 1 });
        await speak(server, id, 'Begin.');
        const { entries } = await over(server, id);
        const all = calls.splice(0);
        for (const [at, [habit, { says, logged, reason, asked }]] of Object.entries(habits).entries()) {
            const of = `${habit} on ${model}`;
            const { speaker, content, metadata } = entries[at + 1];
            assert.equal(speaker, name(habit));
            assert.equal(content, logged ?? reason, of);
            assert.equal(metadata.pass ?? false, logged === undefined, of);
            const own = all.filter(({ system }) => system === JSON.stringify(typeof says === 'string' ? says : says(name(habit), name('Plain'))));
            // Anthropic says whether a reply ended at a stop; the others do not tell silence from it.
            const wanted = habit === 'Mute' ? (provider === 'anthropic' ? 1 : 2) : asked[manner === 'obeys' ? 0 : 1];
            assert.equal(own.length, wanted, `${of}: asked ${own.length} times`);
            assert.ok(own[0].stops.includes('['), of);
            if (own[1]) assert.deepEqual(own[1].stops, [], `${of}: the second time without stops`);
            // What was shown while it came in is what stands in the log.
            const finished = await reader.until(
                () => reader.of('turn.finished').find(({ entry }) => entry.speaker === name(habit)),
                `${of} has finished`,
            );
            const shown = reader
                .of('turn.delta')
                .filter(({ turnId }) => turnId === finished.turnId)
                .map(({ text }) => text)
                .join('');
            assert.equal(shown, logged ?? '', of);
        }
        assert.equal((await server.must(200, 'GET', `/api/discussions/${id}/replay`)).agrees, true, model);
    }
});
