// Discussions at a terminal, by a person who watches, stops, looks away and comes back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin } from './lib/cli.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { begun, run, said, stateOf, topic, withScript, withVoices } from './lib/script.mjs';
import { start, until } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';

test('at a terminal words come as they are spoken, Ctrl-C stops what is said and not the program', async (t) => {
    const server = await withVoices(t, (name, turn, text) => begun(text, 4));
    const terminal = await Terminal.open(t, server, { TERM: 'xterm', XDG_STATE_HOME: join(server.folder, 'state') });
    // Keys mean what they do in a line only where there is one: Ctrl-C and Ctrl-D before the prompt are the terminal's.
    const { code, shown } = await terminal.run('witan chat', async () => {
        await terminal.saw(/You: /);
        terminal.type('specialists on\r');
        await terminal.saw(/discuss your questions[^]*You: /);
        terminal.type(`${topic}\r`);
        await terminal.saw(/🔵 Divergent.*\r\nLet me explore/);
        assert.doesNotMatch(terminal.shown, /matter significantly/, 'the turn is not over yet');
        terminal.type('\x03');
        await terminal.saw(/Stopped\.[^]*You: /);
        terminal.type('half a line\x03');
        terminal.type('status\r');
        await terminal.saw(/specialists {2}on[^]*You: /);
        terminal.type('\x04');
    });
    assert.equal(code, 0, shown);
    const { discussions } = await server.must(200, 'GET', '/api/discussions');
    assert.deepEqual(discussions.map(({ status }) => status), ['cancelled']);
    const again = await terminal.run('witan chat', async () => {
        await terminal.saw(/You: /);
        terminal.type('\x1b[A');
        await terminal.saw(/status/);
        terminal.type('\r');
        await terminal.saw(/specialists {2}off[^]*You: /);
        terminal.type('quit\r');
    });
    assert.equal(again.code, 0, 'the history is kept between two runs');
});

test('what a hostile model says is text and nothing else', async (t) => {
    const server = await start(t, {});
    const liar = await model(t, () => 'Before\x1b]0;owned\x07\x1b[2Jafter \u202Etxet');
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { liar: openai(liar) }))];
    await server.restart();
    const terminal = await Terminal.open(t, server);
    const { shown } = await terminal.run('witan discuss Why --rounds 1');
    assert.match(shown, /Before.*after/);
    assert.doesNotMatch(shown, /[\x1b\x07\u202E]/);
});

test('Ctrl-C at a terminal stops the discussion that is being shown, and nothing is left running', async (t) => {
    const server = await withVoices(t, (name, turn, text) => begun(text, 4));
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run(`witan discuss '${topic}'`, async () => {
        await terminal.saw(/🔵 Divergent.*\r\nLet me explore/);
        terminal.type('\x03');
    });
    assert.equal(code, 130, shown);
    assert.match(shown, /Stopped\./);
    const { discussions } = await server.must(200, 'GET', '/api/discussions');
    assert.deepEqual(discussions.map(({ status }) => status), ['cancelled']);
    // Who only looks on stops looking.
    const id = (await run(server, ['discuss', topic, '--no-wait'])).stdout.trim();
    const looking = await terminal.run(`witan discuss show ${id} --follow`, async () => {
        await terminal.saw(/🔵 Divergent.*\r\nLet me explore/);
        terminal.type('\x03');
    });
    assert.equal(looking.code, 130, looking.shown);
    assert.equal((await stateOf(server, id)).discussion.status, 'active');
});

const squeezed = (text) => text.replace(/\s+/g, '');
const often = (text, part) => squeezed(text).split(squeezed(part)).length - 1;

// Everything that was said stands there once, whatever happened to the server meanwhile.
function wholeAndOnce(shown) {
    for (const [name, turns] of Object.entries(said))
        for (const text of turns.filter((words) => !words.startsWith('[PASS]')))
            assert.equal(often(shown, text), 1, `${name}: ${text}\n in \n${shown}`);
    for (const number of [1, 2, 3]) assert.equal(often(shown, `--- Round ${number} of 3`), 1, shown);
    assert.equal(often(shown, 'passed: '), 2, shown);
}

test('who follows a discussion goes on after the server was away, without a turn lost or told twice', async (t) => {
    // The server goes away twice, in the middle of these turns, each of which is asked for again.
    const middles = ['Convergent 0', 'Critical 1'];
    const server = await withVoices(t, (name, turn, text) => {
        if (middles[0] === `${name} ${turn}`) return middles.shift() && begun(text, 3);
    });
    const { stdout } = await run(server, ['discuss', topic, '--no-wait']);
    const id = stdout.trim();
    const follower = begin(server.folder, ['discuss', 'show', id, '--follow'], { env: { WITAN_URL: server.url } });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run(`witan discuss show ${id} --follow`, async () => {
        await terminal.saw(/Synthesizing these/);
        await server.kill9();
        await terminal.saw(/Trying again for up to 300 seconds/);
        await until(() => /Trying again/.test(follower.stderr), 'the other one notices, too');
        await server.restart();
        await terminal.saw(/I validate this/);
        await server.stop();
        await server.restart();
    });
    assert.equal(code, 0, shown);
    wholeAndOnce(shown.replace(/^.*(Trying again.*|The server is back\.)\n/gm, ''));
    const followed = await follower.done;
    assert.equal(followed.code, 0, followed.stderr);
    wholeAndOnce(followed.stdout);
    assert.match(followed.stderr, /The server is back\./);
    // One who is not patient says at once that nobody is there.
    await server.stop();
    assert.equal((await run(server, ['discuss', 'show', id])).code, 8);
    assert.equal((await run(server, ['discuss', 'show', id, '--follow', '--patience', '0s'])).code, 8);
    await server.restart();
});

test('every agent has a colour and a shape of its own, where there are colours', async (t) => {
    const server = await withScript(t);
    const names = ['Ann', 'Ben', 'Critical', 'Dora'];
    for (const name of names) assert.equal((await run(server, ['agent', 'add', name])).code, 0);
    const line = `witan discuss Why --agents ${names.join(',')} --rounds 1 --rehearse`;
    const heads = (shown) => [...shown.matchAll(/^(\S+) (?:\x1b\[(\d+)m)?(Ann|Ben|Critical|Dora)/gmu)].map(([, shape, colour, name]) => ({ shape, colour, name }));
    const colourful = await Terminal.open(t, server, { TERM: 'xterm', NO_COLOR: '' });
    const first = heads((await colourful.run(line)).shown);
    assert.deepEqual(first.map(({ name }) => name), names);
    assert.equal(new Set(first.map(({ shape }) => shape)).size, 4);
    assert.equal(new Set(first.map(({ colour }) => colour)).size, 4);
    assert.ok(first.every(({ colour }) => colour));
    assert.deepEqual(first[2], { shape: '🔴', colour: '31', name: 'Critical' }, 'a known role keeps its own');
    const { discussions } = await server.must(200, 'GET', '/api/discussions');
    const again = heads((await colourful.run(`witan discuss show ${discussions[0].id}`)).shown);
    assert.deepEqual(again, first, 'and they are the same whenever it is shown');
    for (const env of [{ TERM: 'xterm', NO_COLOR: '1' }, { TERM: 'dumb', NO_COLOR: '' }]) {
        const plain = await Terminal.open(t, server, env);
        const { shown } = await plain.run(line);
        assert.doesNotMatch(shown, /\x1b/);
        assert.deepEqual(heads(shown).map(({ shape }) => shape), first.map(({ shape }) => shape));
    }
});
