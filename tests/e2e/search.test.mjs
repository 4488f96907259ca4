// Finding things by their words: from the command line, at once after they were written, and in a store of before.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines, until } from './lib/server.mjs';
import { sql } from './lib/sql.mjs';

const ask = (server, question) =>
    server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text', agent: 'Builder' });

onBothEngines('search finds what was written on the command line', {}, async (server) => {
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const { questionId } = await ask(server, 'Drain the Zürich node tonight?');
    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Zürich shop' });

    const table = (await witan('search', 'zurich')).stdout.trimEnd().split('\n');
    assert.match(table[0], /^KIND +ID +STATUS +AGE +FROM +PROJECT +WHAT$/);
    assert.equal(table.length, 3);
    assert.match(table[1], /^project .* Zürich shop$/);
    assert.match(table[2], /^question .* pending .* Builder .*Drain the Zürich node tonight\?$/);

    const json = JSON.parse((await witan('search', '--json', 'drain', 'ZUR')).stdout);
    assert.deepEqual(
        json.results.map(({ id }) => id),
        [questionId],
    );
    assert.equal(json.complete, true);
    const within = JSON.parse((await witan('search', '--json', '--project', shop.id, 'zurich')).stdout);
    assert.deepEqual(
        within.results.map(({ kind }) => kind),
        ['project'],
    );
    const nothing = await witan('search', 'berlin');
    assert.equal(nothing.code, 3);
    assert.equal(nothing.stdout, '');
    assert.match(nothing.stderr, /Nothing was found/);
    const noJson = await witan('search', '--json', 'berlin');
    assert.equal(noJson.code, 3);
    assert.deepEqual(JSON.parse(noJson.stdout).results, []);
    const empty = await witan('search');
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /`witan search` needs a word/);
    assert.equal((await witan('search', '--kind', 'animal', 'x')).code, 2);
});

// As a store of before is brought up to date: things without words, all of them noted.
onBothEngines('search takes in what was there before', {}, async (server) => {
    for (let i = 0; i < 3; i++) await ask(server, `Which marmot is number ${i}?`);
    const found = async () => (await server.must(200, 'GET', '/api/search?q=marmot')).results.length;
    assert.equal(await found(), 3);
    await sql(server.db, 'DELETE FROM search_words');
    assert.equal(await found(), 0);
    await sql(server.db, `INSERT INTO search_queue (kind, ref_id) SELECT 'question', id FROM agent_questions`);
    await until(async () => (await found()) === 3, 'the words are there again');
});

onBothEngines('words that are taken in are no deadlines that have ended', {}, async (server) => {
    await ask(server, 'Drain the node?');
    const left = async () => Number((await server.sql('SELECT COUNT(*) FROM search_queue'))[0][0]);
    await until(async () => (await left()) === 0, 'its words are in the index');
    assert.equal(await server.metric('witan_deadlines_ended_total'), 0);
});
