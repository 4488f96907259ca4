// The number of a question means what this terminal has shown, whatever others list meanwhile.
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { makeWorkspace } from './lib/identity.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';
import { Terminal, numbersIn } from './lib/terminal.mjs';

async function ask(server, question, fields = {}) {
    const { questionId } = await server.must(201, 'POST', '/api/questions', {
        question,
        type: 'approval',
        responseType: 'approval',
        ...fields,
    });
    return questionId;
}

const stateOf = async (server, id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question.status;
const enter = (terminal) => async () => {
    await terminal.saw(/Enter goes on/);
    terminal.type('\n');
};

onBothEngines('two terminals and a pipe list and answer, and nobody hits the wrong one', {}, async (server, t) => {
    const [a, b] = [await Terminal.open(t, server), await Terminal.open(t, server)];
    const cache = await ask(server, 'Restart cache?');
    const first = numbersIn((await a.run('witan inbox')).shown);
    assert.deepEqual(first, { 'Restart cache?': '1' });

    // Another terminal, a pipe and a script list otherwise, before and after.
    const deploy = await ask(server, 'Deploy to PRODUCTION?', { timeoutMinutes: 5 });
    await b.run('witan inbox --type approval --json');
    await a.run('witan inbox --sort deadline --json');
    await a.run('witan inbox --sort deadline | cat');
    await a.run('witan inbox --sort deadline --plain');
    await cli(server.folder, ['inbox', '--sort', 'deadline'], { env: { WITAN_URL: server.url } });
    // It has shown no numbers, so it has none.
    const early = await b.run('witan answer 1 --approve --yes');
    assert.equal(early.code, 1, early.shown);
    assert.match(early.shown, /This terminal has shown nothing with the number 1/);
    const others = numbersIn((await b.run('witan inbox --sort deadline')).shown);
    assert.deepEqual(others, { 'Deploy to PRODUCTION?': '1', 'Restart cache?': '2' });

    const done = await a.run('witan answer 1 --approve', enter(a));
    assert.equal(done.code, 0, done.shown);
    const before = done.shown.slice(0, done.shown.indexOf('Enter goes on'));
    assert.match(before, /Restart cache\?[^]*Answer: approved/);
    assert.match(done.shown, /Answered [0-9a-f]{8} "Restart cache\?": approved\./);
    assert.deepEqual([await stateOf(server, cache), await stateOf(server, deploy)], ['answered', 'pending']);

    // A number is never given to another question; the same one in the other terminal is another question's.
    assert.deepEqual(numbersIn((await a.run('witan inbox')).shown), { 'Deploy to PRODUCTION?': '2' });
    assert.equal((await a.run('witan answer 1 --approve --yes')).code, 7);
    assert.equal(await stateOf(server, deploy), 'pending');
    const no = await b.run('witan answer 1 --reject', enter(b));
    assert.match(no.shown, /Answered [0-9a-f]{8} "Deploy to PRODUCTION\?": rejected\./);
    assert.equal((await a.run('witan answer 2 --approve --yes')).code, 7);
});

test('lists that follow, filter and grow keep the numbers of a terminal', async (t) => {
    const server = await start(t);
    const a = await Terminal.open(t, server);
    const known = {};
    const check = (shown) => {
        for (const [text, number] of Object.entries(numbersIn(shown))) {
            assert.equal(known[text] ?? number, number, text);
            known[text] = number;
        }
        assert.equal(new Set(Object.values(known)).size, Object.keys(known).length);
    };
    await ask(server, 'One?');
    await ask(server, 'Two?', { type: 'blocking', responseType: 'text' });
    await a.run('witan inbox --watch >/dev/tty & echo $! >watch.pid', () => a.saw(/Two\?/));
    check(a.shown.replaceAll('\r', ''));
    await ask(server, 'Three?');
    await a.saw(/3 {2}[0-9a-f]{8} {2}approval .*Three\?/);
    for (const args of ['--type approval', '--sort deadline', '--limit 1', '']) {
        check((await a.run(`witan inbox ${args}`)).shown);
        await ask(server, `More ${args}?`);
    }
    assert.equal(known['Three?'], '3');
    await a.run('kill $(cat watch.pid); rm watch.pid');
    const text = await a.run(`witan answer ${known['Two?']} 'Own words'`);
    assert.equal(text.code, 0, text.shown);
    assert.match(text.shown, /"Two\?": Own words/);
});

test('a number that means nothing here is refused, and says what to do', async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url };
    const id = await ask(server, 'Deploy?');
    const a = await Terminal.open(t, server);
    await a.run('witan inbox');
    // A script has no terminal, though one has shown this number.
    const script = await cli(server.folder, ['answer', '1', '--approve'], { env });
    assert.equal(script.code, 2, script.stderr);
    assert.match(script.stderr, /no terminal here[^]*inbox --plain/);
    for (const number of ['0', '2', '99999', '999999']) {
        const none = await a.run(`witan answer ${number} --approve --yes`);
        assert.equal(none.code, 1, none.shown);
        assert.match(none.shown, /`witan inbox` shows/);
    }
    // Another way to a server, and another workspace, are other lists.
    const { port } = new URL(server.url);
    await makeWorkspace(server, 'research');
    for (const elsewhere of [`--url http://localhost:${port}`, '--workspace research']) {
        const other = await a.run(`witan answer 1 --approve --yes ${elsewhere}`);
        assert.equal(other.code, 2, other.shown);
        assert.match(other.shown, /asks somewhere else/);
    }
    // In a terminal of its own, within this one, the outer one's numbers are unknown.
    const inner = await a.run("script -qec 'witan answer 1 --approve --yes' /dev/null");
    assert.equal(inner.code, 1, inner.shown);
    assert.equal(await stateOf(server, id), 'pending');
    // Within a pipe it is still this terminal.
    const piped = await a.run('echo | witan answer 1 --reject --yes 2>&1 | cat');
    assert.match(piped.shown, /"Deploy\?": rejected/);
    assert.equal(await stateOf(server, id), 'answered');
});

test('a short id means the same everywhere', async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url };
    const witan = (...args) => cli(server.folder, args, { env });
    const ids = [await ask(server, 'Deploy?'), await ask(server, 'Restart?')];
    const list = (await witan('inbox')).stdout.trimEnd().split('\n');
    assert.match(list[0], /^ID +TYPE /);
    assert.deepEqual(
        list.slice(1).map((line) => line.split(' ')[0]),
        ids.map((id) => id.slice(-8)),
    );
    const done = await witan('answer', ids[1].slice(-8).toUpperCase(), '--approve');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /^Answering [0-9a-f]{8} "Restart\?": approved\nAnswered [0-9a-f]{8} "Restart\?": approved\./);
    assert.deepEqual([await stateOf(server, ids[0]), await stateOf(server, ids[1])], ['pending', 'answered']);
    const waited = await witan('wait', ids[0].slice(-8), '--patience', '0s', '--url', 'http://127.0.0.1:9');
    assert.equal(waited.code, 8);
    const none = await witan('answer', ids[1].slice(-8), '--approve');
    // What was settled a moment ago says so, by whom and when; what never was there is not found.
    assert.equal(none.code, 7);
    assert.match(none.stderr, /local has already answered this question, now|local has already answered this question, \d+s ago/);
    const never = await witan('answer', 'deadbeef', '--approve');
    assert.equal(never.code, 1);
    assert.match(never.stderr, /Nothing that waits has an id that ends in deadbeef/);
});

test('Enter goes on, anything else does not', async (t) => {
    const server = await start(t);
    const a = await Terminal.open(t, server);
    const id = await ask(server, 'Deploy?', { action: { name: 'sh', args: { cmd: 'rm -r /' } } });
    await a.run('witan inbox');
    for (const typed of ['n\n', 'what\n', '\u0004']) {
        const run = await a.run('witan answer 1 --approve', async () => {
            await a.saw(/rm -r[^]*Enter goes on/);
            a.type(typed);
        });
        assert.equal(run.code, 6, run.shown);
        assert.match(run.shown, /Nothing was answered/);
    }
    const stopped = await a.run('witan answer 1 --approve', async () => {
        await a.saw(/Enter goes on/);
        a.type('\u0003');
    });
    assert.equal(stopped.code, 130, stopped.shown);
    assert.equal(await stateOf(server, id), 'pending');
    // Without an answer it is shown and asked for one; what was typed before is none. The terminal shows what it is
    // typed until the program begins, so that it has come before.
    const line = 'stty echo; echo ready; until [ -e typed ]; do sleep 0.05; done; stty -echo; witan answer 1';
    const typed = await a.run(line, async () => {
        await a.saw(/ready/);
        a.type('approve\n');
        await a.saw(/approve/);
        await writeFile(join(server.folder, 'typed'), '');
        await a.saw(/Deploy\?[^]*approve or reject> /);
        a.type('perhaps\n');
        // Whoever mistyped is asked again.
        await a.saw(/not "perhaps"[^]*> /);
        a.type('\u0004');
    });
    assert.equal(typed.code, 6, typed.shown);
    assert.match(typed.shown, /not "perhaps"/);
    assert.equal(await stateOf(server, id), 'pending');
    // What is redirected does not hide what is asked for.
    const hidden = await a.run('witan answer 1 --approve >out 2>&1', enter(a));
    assert.match(hidden.shown, /Deploy\?/);
    assert.equal(await stateOf(server, id), 'answered');
});

test('what a closed terminal has left behind is tidied away', async (t) => {
    const server = await start(t);
    await ask(server, 'Deploy?');
    const folder = join(server.folder, '.local/state/witan/terminals');
    for (let round = 0; round < 3; round++) {
        const a = await Terminal.open(t, server);
        await a.run('witan inbox');
        await a.close();
        // The shell has gone with its terminal.
        await until(async () => {
            const b = await Terminal.open(t, server);
            await b.run('witan inbox');
            const left = await readdir(folder);
            await b.close();
            return left.length <= 2;
        }, 'few are left');
    }
});
