// A hint is there to be typed. Every command that a message of the program names is one that there is, with options that it
// has; and what is done when something is missing leaves nothing behind.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { commandsIn, wrongCommands } from './lib/hints.mjs';
import { start, tempFolder } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const source = new URL('../../src', import.meta.url).pathname;

// The texts of a file in C, each with those that follow it without anything between.
function textsOf(code) {
    const texts = [];
    for (const [run] of code.replace(/\/\*[^]*?\*\//g, '').matchAll(/"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*/g))
        texts.push([...run.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text]) => text.replace(/\\n/g, '\n').replace(/\\(.)/g, '$1')).join(''));
    return texts;
}

test('every command that a message names is there, with its options', { timeout: 300_000 }, async (t) => {
    const folder = await tempFolder(t);
    const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.c') || name.endsWith('.h'));
    const commands = new Set();
    for (const name of files) for (const text of textsOf(await readFile(join(source, name), 'utf8'))) for (const command of commandsIn(text)) commands.add(command);
    assert.ok(commands.size > 60, `only ${commands.size}`);
    assert.deepEqual(await wrongCommands(folder, commands), []);
    // It would be seen.
    assert.equal((await wrongCommands(folder, new Set(['witan --project list', 'witan answer 1 --aprove', 'witan inbox', 'witan prompt']))).length, 2);
});

test('a chat that nobody can answer leaves no project behind', async (t) => {
    const server = await start(t);
    const witan = (args, input) => cli(server.folder, args, { env: { WITAN_URL: server.url }, input });
    const projects = async () => (await server.must(200, 'GET', '/api/projects')).projects.map(({ name }) => name);
    const chat = await witan(['chat'], 'REST or GraphQL?\nAnd why?\n');
    assert.equal(chat.code, 1, chat.stderr);
    assert.equal(chat.stderr.match(/There is no model to ask/g).length, 2);
    assert.equal(chat.stderr.match(/chat --rehearse/g).length, 1, 'what to do is said once');
    assert.doesNotMatch(chat.stderr, /options\.rehearse|participants/);
    assert.deepEqual(await projects(), []);
    // Somebody has a model, but none that there is: the server refuses, and what was made for the question goes again.
    await server.must(201, 'POST', '/api/agents', { name: 'Other', ai_model_config: { provider: 'external' } });
    assert.equal((await witan(['chat'], 'REST or GraphQL?\n')).code, 1);
    assert.deepEqual(await projects(), []);
    // A project of one's own stays, whatever becomes of the question.
    await server.must(201, 'POST', '/api/projects', { name: 'Chat' });
    assert.equal((await witan(['chat'], 'REST or GraphQL?\n')).code, 1);
    assert.deepEqual(await projects(), ['Chat']);
});

test('without a project, open questions are those of all; where one is needed, the hint is a command', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const sets = [];
    for (const name of ['Web shop', 'Warehouse']) {
        const work = await Work.begin(server, { name });
        const task = await work.claimed(`Task of ${name}`);
        sets.push((await work.stuck(task.id, `Which ${name}?`)).notificationId);
    }
    const all = await witan('open-questions');
    assert.equal(all.code, 0, all.stderr);
    for (const name of ['Web shop', 'Warehouse']) assert.match(all.stdout, new RegExp(`^${name}\\n.*open_question[^]*?Which ${name}\\?`, 'm'));
    assert.deepEqual(JSON.parse((await witan('open-questions', '--json')).stdout).notifications.map(({ id }) => id).sort(), sets.sort());
    const one = (await witan('open-questions', '--project', 'Warehouse')).stdout;
    assert.match(one, /Which Warehouse\?/);
    assert.doesNotMatch(one, /Web shop/);

    const refused = await witan('decide', '--category', 'scopeChanges', 'An export');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /several projects/);
    const commands = new Set(commandsIn(refused.stderr));
    assert.ok(commands.has('witan project list'), refused.stderr);
    assert.deepEqual(await wrongCommands(server.folder, commands), []);
    const [, option] = refused.stderr.match(/(--project "[^"]+")/);
    assert.equal((await witan('decide', '--category', 'scopeChanges', 'An export', '--project', option.slice(11, -1))).code, 3);
});

test('an unknown variable is told of, and a mistyped one refused', { timeout: 120_000 }, async (t) => {
    const server = await start(t);
    const witan = (env, ...args) => cli(server.folder, args, { env: { WITAN_URL: server.url, ...env } });
    assert.equal((await witan({}, 'whoami')).stderr, '');
    const near = await witan({ WITAN_LISTEN: '1.2.3.4:5' }, 'whoami');
    assert.equal(near.code, 0);
    assert.equal(near.stderr, 'witan does not know the variable WITAN_LISTEN. Did you mean WITAN_SERVER_LISTEN?\n');
    const far = await witan({ WITAN_COLOUR_OF_SKY: 'blue', WITAN_PORT: '80' }, 'user', 'list', '--db', server.db);
    assert.equal(far.code, 0, far.stderr);
    for (const name of ['WITAN_COLOUR_OF_SKY', 'WITAN_PORT']) assert.match(far.stderr, new RegExp(`does not know the variable ${name}`));
    assert.equal((await witan({ WITAN_LISTEN: 'x' }, 'whoami', '--quiet')).stderr, '');
    // What container managers set, and what a model has its key in, is nobody's slip.
    const foreign = { WITAN_PORT: 'tcp://10.0.0.1:7117', WITAN_PORT_7117_TCP_ADDR: '10.0.0.1', WITAN_SERVICE_HOST: '10.0.0.1', WITAN_TEST_PG: 'x' };
    assert.equal((await witan(foreign, 'whoami')).stderr, '');
    const wrong = await witan({ WITAN_TOKN: 'secret' }, 'whoami');
    assert.equal(wrong.code, 2);
    assert.equal(wrong.stderr, 'witan: There is no variable WITAN_TOKN.\n       Did you mean WITAN_TOKEN?\n');
});
