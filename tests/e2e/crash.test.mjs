// kill -9 in the middle of load, again and again: nothing that was acknowledged is lost, no event is missed
// or told twice.
import assert from 'node:assert/strict';
import { full, onBothEngines } from './lib/server.mjs';
import { assertInOrder, listen } from './lib/streams.mjs';
import { Load, checkLedger } from './lib/load.mjs';

const rounds = full ? 20 : 3;

onBothEngines('kill -9 under load', {}, async (server, t) => {
    const reader = await listen(t, server, { query: '?after=0' });
    const load = new Load(server);
    for (let round = 0; round < rounds; round++) {
        await load.more(150);
        await reader.until(() => reader.opened > round, 'the reader is back');
        await server.kill9();
        await server.restart();
    }
    await load.more(50);
    await load.stop();
    assert.ok(load.lost > 0, 'the crashes met requests on their way');
    await checkLedger(load);
    // Everything in the log reached the reader, which came back by itself each time.
    const logged = (await server.sql('SELECT seq FROM events ORDER BY seq')).map(([seq]) => Number(seq));
    await reader.until(() => reader.events.at(-1).seq >= logged.at(-1), 'the reader has the last event');
    assertInOrder(reader.events);
    assert.deepEqual(
        reader.events.map(({ seq }) => seq),
        logged,
    );
    assert.equal(reader.opened, rounds + 1);
});

onBothEngines('a stop in the middle of load is in order', {}, async (server) => {
    const load = new Load(server);
    for (let round = 0; round < 3; round++) {
        await load.more(100);
        await server.stop();
        await server.restart();
    }
    await load.stop();
    for (const reply of load.refused) assert.equal(reply.status, 503, reply.text);
    await checkLedger(load);
});
