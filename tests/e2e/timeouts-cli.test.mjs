// Deadlines as people write them, how long they may be, and errors in the words of the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { start } from './lib/server.mjs';

const minutes = ({ createdAt, timeoutAt }) => (Date.parse(timeoutAt) - Date.parse(createdAt)) / 60_000;

async function ask(server, ...args) {
    const env = { WITAN_URL: server.url };
    const made = await cli(server.folder, ['ask', 'Which?', '--no-wait', '--json', ...args], { env });
    if (made.code) return made;
    const { questionId } = JSON.parse(made.stdout);
    return (await server.must(200, 'GET', `/api/questions/${questionId}`)).question;
}

test('the usual forms of a duration are read', async (t) => {
    const server = await start(t);
    for (const [text, want] of [
        ['15m', 15],
        ['1.5h', 90],
        ['5m30s', 5.5],
        ['1d', 1440],
    ])
        assert.equal(minutes(await ask(server, '--timeout', text)), want, text);
    const short = await ask(server, '--timeout', '2m');
    assert.equal(short.code, 2);
    assert.match(short.stderr, /--timeout must be from 5 to 1440 minutes/);
    const long = await ask(server, '--timeout', '3d');
    assert.match(long.stderr, /--timeout must be from 5 to 1440 minutes/);
    const stranger = await ask(server, '--to', 'nobody-here');
    assert.equal(stranger.code, 2);
    assert.match(stranger.stderr, /--to/);
    assert.doesNotMatch(stranger.stderr, /assignedTo/);
    for (const bad of ['soon', '5m5m', '-5m', '1.2345s'])
        assert.match((await ask(server, '--timeout', bad)).stderr, /--timeout takes a duration such as/, bad);

    // A number alone could be anything, everywhere a duration is taken.
    const bare = await ask(server, '--timeout', '5');
    assert.equal(bare.code, 2);
    assert.equal(bare.stderr, 'witan: --timeout 5 does not say whether these are minutes.\n       Write 5m for minutes, 5h for hours or 5s for seconds.\n');
    const env = { WITAN_URL: server.url, WITAN_DB: server.db };
    for (const args of [['extend', 'ID', '--by', '30'], ['prompt', 'ask', 'x', '--agent', 'a', '--timeout', '30'], ['wait', 'ID', '--patience', '30'], ['purge', '--older-than', '30'], ['model', 'test', '--timeout', '30'], ['token', 'create', '--expires', '30']]) {
        const { code, stderr } = await cli(server.folder, args, { env });
        assert.equal(code, 2, `${args}\n${stderr}`);
        assert.match(stderr, /Write 30m for minutes/, args.join(' '));
    }

    // Prompts count whole minutes, and nothing is rounded behind one's back.
    const prompt = await cli(
        server.folder,
        ['prompt', 'ask', 'Cache?', '--agent', 'Dev', '--timeout', '30s'],
        { env: { WITAN_URL: server.url } },
    );
    assert.equal(prompt.code, 2);
    assert.match(prompt.stderr, /--timeout takes whole minutes, not "30s"/);
});

test('questions.max_timeout is the top, extending included', async (t) => {
    const server = await start(t, { env: { WITAN_QUESTIONS_MAX_TIMEOUT: '3d' } });
    const question = await ask(server, '--timeout', '2d');
    assert.equal(minutes(question), 2880);
    const moved = await server.must(200, 'POST', `/api/questions/${question.id}/extend`, { minutes: 1440 });
    assert.equal(Date.parse(moved.timeoutAt) - Date.parse(question.createdAt), 3 * 86_400_000);
    await server.must(400, 'POST', `/api/questions/${question.id}/extend`, { minutes: 5 });
    assert.match((await ask(server, '--timeout', '4d')).stderr, /--timeout must be from 5 to 4320 minutes/);
});

test('what an approval is for travels with it', async (t) => {
    const server = await start(t);
    const question = await ask(server, '--approve', '--action', 'scale', '--args', '{"to": 5}');
    assert.deepEqual(question.action, { name: 'scale', args: { to: 5 } });
    assert.match((await ask(server, '--approve', '--args', '{}')).stderr, /--args needs --action/);
    assert.match((await ask(server, '--approve', '--action', 'x', '--args', 'no')).stderr, /--args takes a JSON/);
});
