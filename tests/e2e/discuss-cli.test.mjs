// Discussions on the command line: as somebody without a model sees them first, and as a script reads them.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { idIn, run, said, scripted, stateOf, topic, transcript, withScript, withVoices } from './lib/script.mjs';
import { onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const notice = /^Rehearsal: scripted lines, no model was called\.$/gm;

test('with one command, no server and no model, a newcomer sees a whole discussion', async (t) => {
    const folder = await tempFolder(t);
    const emptied = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:1', TMPDIR: emptied };
    const { code, stdout, stderr } = await cli(folder, ['discuss', '--rehearse', 'Tea or coffee?'], { env });
    assert.equal(code, 0, stderr);
    assert.deepEqual(
        [...stdout.matchAll(/^--- Round (\d) of 3 \(rehearsal\) ---$/gm)].map(([, number]) => number),
        ['1', '2', '3'],
    );
    assert.equal(stdout.match(/^🔵 Divergent/gm).length, 3);
    assert.equal(stdout.match(/^🟢 Convergent/gm).length, 3);
    assert.equal(stdout.match(/^🔴 Critical/gm).length, 3);
    assert.match(stdout, /^🔵 Divergent passed: Every way/m);
    assert.doesNotMatch(stdout, /\x1b/);
    assert.equal(stderr.match(notice).length, 2, 'on the first screen and on the last');
    assert.match(stderr, /thrown away/);
    assert.deepEqual(await readdir(emptied), [], 'nothing is left behind');
});

test('a rehearsal says so wherever it is shown, and without a server it is not left to itself', async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:1', TMPDIR: folder };
    const left = await cli(folder, ['discuss', '--rehearse', 'Why?', '--no-wait'], { env });
    assert.equal(left.code, 2, left.stderr);
    assert.match(left.stderr, /witan serve/);
    const server = await start(t, {});
    const begun = await run(server, ['discuss', '--rehearse', 'Why?', '--rounds', '1', '--no-wait']);
    assert.ok(begun.stderr.match(notice));
    const id = begun.stdout.trim();
    await until(async () => (await stateOf(server, id)).discussion.status === 'completed', 'it ends');
    for (const more of [[], ['--format', 'transcript'], ['--format', 'md'], ['--json'], ['--follow']])
        assert.ok((await run(server, ['discuss', 'show', id, ...more])).stderr.match(notice), more.join());
    assert.match((await run(server, ['discuss', 'list'])).stdout, /Why\? \(rehearsal\)/);
    const chat = await run(server, ['chat', '--rehearse'], { input: 'Why?\ntranscript\nstatus\n' });
    assert.equal((chat.stdout + chat.stderr).match(notice).length, 4, 'greeting, answer, transcript, status');
});

test('a rehearsal has a whole vote, with its dissent, under each rule', async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:1' };
    const tallies = { majority: [2, 1, 0], borda: [5, 4, 0], weighted: [0.8, 0.1, 0] };
    for (const [rule, points] of Object.entries(tallies)) {
        const args = ['discuss', '--rehearse', 'What to drink?', '--rounds', '1', '--vote', 'tea,coffee,water', '--rule', rule];
        const { code, stdout, stderr } = await cli(folder, args, { env });
        assert.equal(code, 0, stderr);
        const lines = ['tea', 'coffee', 'water'].map((choice, i) => `  ${choice}: ${points[i]}\n`).join('');
        const dissent = '  Dissent: Divergent is for coffee (confidence 0.6).\n';
        assert.ok(stdout.includes(`Vote (${rule}, rehearsal): tea\n${lines}${dissent}`), stdout);
        assert.match(stdout, /less than agreement/);
    }
    const agreed = await cli(folder, ['discuss', '--rehearse', 'Which?', '--rounds', '1', '--vote', 'a,b', '--threshold', '0.6'], { env });
    assert.match(agreed.stdout, /That is agreement\./);
});

test('the server of a rehearsal ends with its command, however that ends', async (t) => {
    const folder = await tempFolder(t);
    for (const signal of ['SIGINT', 'SIGKILL']) {
        const env = { WITAN_URL: 'http://127.0.0.1:1', TMPDIR: folder };
        const running = begin(folder, ['discuss', '--rehearse', 'Tea or coffee?'], { env });
        await until(() => /^Discussion /m.test(running.stderr), 'it has begun');
        const { pid } = running.child;
        const [server] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
        running.child.kill(signal);
        await running.done;
        await until(async () => !(await readFile(`/proc/${server}/cmdline`, 'utf8').catch(() => '')), 'the server has ended');
    }
});

onBothEngines('without a model it refuses at once, stores nothing and says what to do', {}, async (server) => {
    const { code, stdout, stderr } = await run(server, ['discuss', 'Tea or coffee?']);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    const ways = [/Divergent cannot speak/, /ollama pull/, /models:\n +default:\n +provider: /, /_API_KEY/, /start the server anew/, /--model ollama:llama3\.2/, /--rehearse/];
    for (const what of ways) assert.match(stderr, what);
    assert.doesNotMatch(stderr, /participants|options\./, 'in the words of the command line');
    const asked = await run(server, ['chat'], { input: 'Tea or coffee?\nspecialists on\nWhy?\n' });
    assert.equal(asked.code, 1);
    const said = asked.stderr.trimEnd().split('\n').filter((line) => !/^Session |discuss your questions/.test(line));
    assert.match(said[0], /cannot speak\. There is no model to ask/);
    assert.equal(asked.stderr.match(/witan model list/g).length, 1, 'what to do is said once');
    assert.equal(asked.stderr.match(/witan chat --rehearse/g).length, 1);
    assert.doesNotMatch(asked.stderr, /witan discuss/);
    assert.ok(said.length <= 4, asked.stderr);
    assert.match(said.at(-1), /cannot speak/, 'each question is refused');
    // Each by its place in the list, and whoever takes turns by themselves needs no model.
    const create = (participants, more = {}) => server.api('POST', '/api/discussions', { topic: 'Why?', participants, ...more });
    assert.equal((await create([], { cast: 'specialists' })).body.field, 'participants');
    assert.equal((await server.api('POST', '/api/discussions', { topic: 'Why?' })).body.field, 'participants');
    assert.equal((await server.api('POST', '/api/discussions', { topic: 'Why?', cast: 'nobody' })).body.field, 'cast');
    await server.must(201, 'POST', '/api/agents', { name: 'Guest', ai_model_config: { provider: 'external' } });
    await server.must(201, 'POST', '/api/agents', { name: 'Keyless', ai_model_config: 'openai:gpt-4o' });
    for (const mode of ['turns', 'rounds', 'parallel']) {
        const refused = await create([{ agentName: 'Guest' }, { agentName: 'Keyless' }], { mode });
        assert.equal(refused.status, 400, refused.text);
        assert.equal(refused.body.field, 'participants[1]');
        assert.match(refused.body.error, /Keyless cannot speak\. The variable OPENAI_API_KEY/);
    }
    const rows = async (table) => Number((await server.sql(`SELECT COUNT(*) FROM ${table}`))[0][0]);
    for (const table of ['discussion_state', 'discussion_participants', 'tasks', 'projects', 'discussion_logs']) assert.equal(await rows(table), 0, table);
    assert.equal(await rows('agent_templates'), 2, 'nobody was made for it');
    assert.equal((await create([{ agentName: 'Guest' }])).status, 201);
    assert.equal((await create([{ agentName: 'Keyless' }], { options: { rehearse: true } })).status, 201);
    const cast = await server.must(201, 'POST', '/api/discussions', { topic: 'Why?', cast: 'specialists', options: { rehearse: true } });
    assert.deepEqual(cast.agentsMade, ['Divergent', 'Convergent', 'Critical']);
    assert.deepEqual((await stateOf(server, cast.discussion.id)).speakerOrder, cast.agentsMade);
});

onBothEngines('the transcript comes to the letter, and alone on stdout', {}, async (server, t) => {
    await server.stop();
    server.args = [...server.args, ...(await scripted(server.folder))];
    await server.restart();
    const { code, stdout, stderr } = await run(server, ['discuss', topic, '--format', 'transcript']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, transcript);
    assert.match(stderr, /Made the agent Divergent\./);
    assert.match(stderr, /🔵 Divergent passed: All major perspectives covered/);
    const id = idIn(stderr);
    assert.equal((await run(server, ['discuss', 'show', id, '--format', 'transcript'])).stdout, transcript);
    const json = JSON.parse((await run(server, ['discuss', 'show', id, '--format', 'json'])).stdout);
    assert.equal(json.total_contributions, 7);
    assert.deepEqual(json.full_discussion[6], { agent: 'Critical', round: 3, content: said.Critical[2] });
    assert.match((await run(server, ['discuss', 'show', id, '--format', 'md'])).stdout, /^### 🔴 Critical$/m);
    assert.match((await run(server, ['discuss', 'show', id])).stdout, /^SPEAKER +TURNS +PASSES +CALLS[^]*^Critical +\d+ +\d+ +\d+[^]*^in all +\d+/m);
    assert.equal((await run(server, ['discuss', 'show', id, '--format', 'pdf'])).code, 2);
    assert.match((await run(server, ['discuss', 'list'])).stdout, new RegExp(`${id} +completed +rounds +3/3`));
    // The agents are there now, and nobody is made twice.
    const again = await run(server, ['discuss', topic, '--rounds', '1', '--no-wait']);
    assert.match(again.stdout, /^[0-9a-f-]{36}\n$/);
    assert.doesNotMatch(again.stderr, /Made/);
    await until(async () => (await stateOf(server, again.stdout.trim())).discussion.status === 'completed', 'it ends by itself');
    void t;
});

test('who does not want to wait gets the id at once, in mode turns, too', async (t) => {
    const server = await withScript(t, { delay: '1h' });
    for (const mode of ['turns', 'rounds', 'parallel']) {
        const began = Date.now();
        const { code, stdout, stderr } = await run(server, ['discuss', topic, '--mode', mode, '--no-wait']);
        assert.equal(code, 0, stderr);
        assert.ok(Date.now() - began < 45_000, 'a message is held for 55 seconds');
        const { discussion, entries } = await stateOf(server, stdout.trim());
        assert.equal(discussion.status, 'active');
        assert.equal(entries.length, mode === 'turns' ? 1 : 0, 'the topic is the first message');
        assert.equal((await run(server, ['discuss', 'cancel', discussion.id])).code, 0);
    }
});

test('a person is seated among the agents, and told how to take the word', async (t) => {
    const server = await start(t);
    const add = await run(server, ['agent', 'add', 'Manager', '--model', '{"provider": "scripted"}']);
    assert.equal(add.code, 0, add.stderr);
    const rests = await run(server, ['discuss', 'Tea or coffee?', '--agents', 'user,Manager', '--mode', 'turns', '--rounds', '2']);
    assert.equal(rests.code, 0, rests.stderr);
    assert.match(rests.stdout, /User\nTea or coffee\?\n[^]*Manager/);
    assert.match(rests.stderr, /it is the turn of User/);
    // The line that it shows, with something said, goes on.
    const [, line] = rests.stderr.match(/^ {2}witan (call discussion_message .*)$/m);
    const said = line.split(' ').map((word) => word.replace("'...'", 'Coffee.'));
    const going = await run(server, said);
    assert.equal(going.code, 0, going.stderr);
    const id = line.match(/id=(\S+)/)[1];
    const state = await until(async () => {
        const now = await stateOf(server, id);
        return now.discussion.status === 'completed' && now;
    }, 'it ends');
    assert.deepEqual(state.speakerOrder, ['User', 'Manager']);
    assert.equal(state.entries.filter(({ speaker }) => speaker === 'User').length, 2);
    // With a name; in rounds the turn waits in the inbox.
    const named = await run(server, ['discuss', 'Tea?', '--agents', 'Manager,user: Maya', '--rounds', '1', '--no-wait']);
    assert.equal(named.code, 0, named.stderr);
    assert.deepEqual((await stateOf(server, named.stdout.trim())).speakerOrder, ['Manager', 'Maya']);
    await until(async () => (await server.must(200, 'GET', '/api/inbox')).items.some(({ type }) => type === 'turn'), 'it is their turn');
});

test('a fork goes on from the entry it was told', async (t) => {
    const server = await withScript(t);
    const whole = await run(server, ['discuss', topic]);
    const fork = await run(server, ['discuss', 'fork', idIn(whole.stderr), '--at', '4', '--format', 'transcript']);
    assert.equal(fork.code, 0, fork.stderr);
    assert.equal(fork.stdout, transcript, 'the script says the same again');
    const state = await stateOf(server, idIn(fork.stderr));
    assert.equal(state.discussion.forkedFrom, idIn(whole.stderr));
    assert.equal((await run(server, ['discuss', 'fork', idIn(whole.stderr), '--at', '99'])).code, 2);
});

onBothEngines('a replay makes every decision again, and sees what was altered', {}, async (server) => {
    await server.stop();
    server.args = [...server.args, ...(await scripted(server.folder))];
    await server.restart();
    const replay = (id, more = []) => run(server, ['discuss', 'replay', id, ...more]);
    const kinds = [
        ['--smart', 'shadow'],
        ['--mode', 'parallel', '--vote', 'monolith,microservices', '--smart', 'on'],
        ['--mode', 'turns'],
        ['--budget', 'calls=4'],
        ['--rounds', '1', '--rehearse'],
    ];
    const ids = [];
    for (const more of kinds) {
        const ended = await run(server, ['discuss', topic, ...more]);
        assert.equal(ended.code, 0, ended.stderr);
        ids.push(idIn(ended.stderr));
    }
    const fork = await run(server, ['discuss', 'fork', ids[0], '--at', '5']);
    ids.push(idIn(fork.stderr));
    for (const id of ids) {
        const { decisions } = await server.must(200, 'GET', `/api/discussions/${id}/decisions`);
        const { code, stdout } = await replay(id);
        assert.equal(code, 0, stdout);
        const made = Number(stdout.match(/^All (\d+) decisions come out/)[1]);
        const places = new Set(decisions.map(({ kind, round: of, turn, afterSeq }) => [kind, of, turn, kind === 'reply' && afterSeq].join()));
        assert.ok(made >= places.size && made > 3, `${made} made, ${places.size} stored`);
    }
    // One turn says something else; one pass is not one; one decision is another; one is gone.
    const alter = [
        `UPDATE discussion_logs SET content = 'Something else.' WHERE discussion_id = '${ids[0]}' AND kind = 'turn' AND round_number = 2 AND turn_index = 1`,
        `UPDATE discussion_logs SET manner = 'said' WHERE discussion_id = '${ids[1]}' AND kind = 'turn' AND round_number = 3 AND turn_index = 0`,
        `UPDATE discussion_decisions SET verdict = 'failed' WHERE discussion_id = '${ids[2]}' AND kind = 'stop'`,
        `DELETE FROM discussion_decisions WHERE discussion_id = '${ids[3]}' AND seq = 2`,
    ];
    for (const [i, statement] of alter.entries()) {
        await server.sql(statement);
        const { code, stdout } = await replay(ids[i]);
        assert.equal(code, 3, stdout);
        assert.match(stdout, /^Round \d, turn -?\d/);
        assert.equal(JSON.parse((await replay(ids[i], ['--json'])).stdout).agrees, false);
    }
});

test('it says why it ended, and what smart termination would have saved', async (t) => {
    const server = await start(t, {});
    const parrot = await model(t, ({ user }) => (user.includes('The choices:') ? '{"choice": "tea", "confidence": 1}' : 'We should drink tea, for it is hot and it is here.'));
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { parrot: openai(parrot) }))];
    await server.restart();
    const end = async (more) => {
        const { code, stderr } = await run(server, ['discuss', 'What to drink?', '--rounds', '3', ...more]);
        assert.equal(code, 0, stderr);
        return stderr;
    };
    assert.match(await end([]), /after 3 round\(s\) .*: the rounds are used up\./);
    assert.match(await end(['--smart', 'on']), /after 2 round\(s\) .*: nothing new was said\./);
    assert.match(await end(['--smart', 'on', '--vote', 'tea,coffee']), /after 1 round\(s\) .*: agreement was reached\./);
    assert.match(await end(['--smart', 'shadow']), /: the rounds are used up\.\nSmart termination would have ended it after round 2 \(nothing new was said\) and saved 1 round\(s\) with 3 call\(s\)\./);
    assert.match(await end(['--budget', 'calls=4']), /: the budget is used up\./);
    await parrot.down();
    const failed = await run(server, ['discuss', 'What to drink?', '--rounds', '1']);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /failed after 1 round\(s\) .*: nobody could speak\./);
});

test('what was typed wrong is named as it was typed, and nothing is stored', async (t) => {
    const server = await withScript(t);
    const wrong = {
        '--vote': ['--vote', 'one'],
        '--rule': ['--vote', 'a,b', '--rule', 'loudest'],
        '--threshold': ['--vote', 'a,b', '--threshold', '3'],
        '--smart': ['--smart', 'very'],
        '--budget': ['--budget', 'calls=0'],
        '--rounds': ['--rounds', '101'],
        '--mode': ['--mode', 'chorus'],
        '--agents': ['--agents', 'Nobody'],
        '--format': ['--format', 'pdf'],
    };
    for (const [option, args] of Object.entries(wrong)) {
        const { code, stdout, stderr } = await run(server, ['discuss', 'Why?', ...args]);
        assert.equal(code, 2, `${option}: ${stderr}`);
        assert.equal(stdout, '');
        assert.match(stderr, new RegExp(`^witan: ${option}`), stderr);
    }
    assert.deepEqual((await server.must(200, 'GET', '/api/discussions')).discussions, []);
    assert.deepEqual((await server.must(200, 'GET', '/api/agents')).agents, []);
});

test('a replay counts ballots that came in out of order, with their dissent', async (t) => {
    const server = await start(t, {});
    const voters = await model(t, async ({ user, system }) => {
        const name = ['Divergent', 'Convergent', 'Critical'].find((who) => `${system} ${user}`.includes(`You are ${who}`));
        const slow = { Divergent: 300, Convergent: 150, Critical: 0 }[name] ?? 0;
        if (!user.includes('The choices:')) return `${name} speaks.`;
        return { text: `{"choice": "${name === 'Critical' ? 'tea' : name === 'Divergent' ? 'coffee' : 'water'}", "confidence": 0.7}`, first: slow };
    });
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { voters: openai(voters) }))];
    await server.restart();
    const ended = await run(server, ['discuss', 'What to drink?', '--rounds', '1', '--vote', 'tea,coffee,water']);
    assert.match(ended.stdout, /^Vote \(majority\): a tie, which is not broken$/m, ended.stdout + ended.stderr);
    const { code, stdout } = await run(server, ['discuss', 'replay', idIn(ended.stderr)]);
    assert.equal(code, 0, stdout);
    // The same ballots under every rule; who has not voted says so.
    const votes = await run(server, ['discuss', 'votes', idIn(ended.stderr)]);
    assert.equal(votes.code, 0, votes.stderr);
    assert.match(votes.stdout, /^Divergent +coffee +0\.7/m);
    assert.deepEqual([...votes.stdout.matchAll(/^Vote \((\w+)\): (.*)$/gm)].map(([, rule, won]) => [rule, won]),
        ['majority', 'borda', 'weighted'].map((rule) => [rule, 'a tie, which is not broken']));
    assert.equal(JSON.parse((await run(server, ['discuss', 'votes', idIn(ended.stderr), '--json'])).stdout).counts.length, 3);
    const silent = await run(server, ['discuss', 'Why?', '--rounds', '1']);
    assert.equal((await run(server, ['discuss', 'votes', idIn(silent.stderr)])).code, 3);
});

test('a replay knows rounds that were added and agents that are gone', async (t) => {
    let changed;
    const wait = new Promise((resolve) => (changed = resolve));
    const server = await withVoices(t, (name, turn, text) => ({ text, wait }));
    const begun = await run(server, ['discuss', topic, '--rounds', '1', '--no-wait']);
    const id = begun.stdout.trim();
    await server.must(200, 'POST', `/api/discussions/${id}/rounds`, { add: 1 });
    assert.equal((await run(server, ['agent', 'delete', 'Critical'])).code, 0);
    changed();
    await until(async () => (await stateOf(server, id)).discussion.status === 'completed', 'it ends');
    const state = await stateOf(server, id);
    assert.equal(state.discussion.rounds, 2);
    assert.ok(state.entries.some(({ metadata }) => metadata.skipped));
    const { code, stdout } = await run(server, ['discuss', 'replay', id]);
    assert.equal(code, 0, stdout);
});

test('agents are kept by name', async (t) => {
    const server = await withScript(t);
    const made = await run(server, ['agent', 'add', 'Critical', '--role', 'critical', '--prompt', 'Be kind.']);
    assert.match(made.stdout, /^[0-9a-f-]{36}\n$/);
    assert.equal((await run(server, ['agent', 'add', 'critical'])).code, 7);
    assert.match((await run(server, ['agent', 'list'])).stdout, /Critical +critical +default/);
    assert.equal((await run(server, ['agent', 'set', 'critical', '--model', 'lines'])).code, 0);
    assert.match((await run(server, ['agent', 'show', 'CRITICAL'])).stdout, /model +lines\n {2}Be kind\./);
    assert.equal((await run(server, ['agent', 'set', 'critical', '--model', 'nobody'])).code, 2);
    const alone = await run(server, ['discuss', 'Why?', '--agents', 'Critical', '--rounds', '1']);
    assert.match(alone.stdout, /^🔴 Critical \(scripted\)\nKey concern/m);
    assert.equal((await run(server, ['discuss', 'Why?', '--agents', 'Nobody'])).code, 2);
    assert.equal((await run(server, ['discuss', 'Why?', '--rule', 'borda'])).code, 2);
    assert.equal((await run(server, ['agent', 'delete', 'Critical'])).code, 0);
    assert.equal((await run(server, ['agent', 'show', 'Critical'])).code, 1);
});

test('Ctrl-C stops the discussion; another signal leaves it going', async (t) => {
    const server = await withScript(t, { delay: '1h' }); // it does not end by itself meanwhile
    for (const [signal, code, status] of [['SIGTERM', 143, 'active'], ['SIGINT', 130, 'cancelled']]) {
        const running = begin(server.folder, ['discuss', topic], { env: { WITAN_URL: server.url } });
        const id = (await until(() => running.stderr.match(/^Discussion (\S+)$/m), 'it says which'))[1];
        await until(async () => (await stateOf(server, id)).discussion.phase !== 'opening', 'it has begun');
        await until(async () => (await server.metric('witan_streams')) >= 1, 'it is listened to');
        running.child.kill(signal);
        assert.equal((await running.done).code, code);
        assert.equal((await stateOf(server, id)).discussion.status, status);
        if (status === 'active') await server.must(200, 'POST', `/api/discussions/${id}/cancel`);
    }
});

test('a discussion can be paused, cut into and let go on', async (t) => {
    const server = await withScript(t, { delay: '1h' });
    const id = (await run(server, ['discuss', topic, '--no-wait'])).stdout.trim();
    assert.equal((await run(server, ['discuss', 'pause', id])).code, 0);
    const paused = await run(server, ['discuss', 'show', id, '--follow']);
    assert.equal(paused.code, 0);
    assert.match(paused.stderr, /discuss resume/);
    assert.equal((await stateOf(server, id)).discussion.status, 'paused');
    assert.equal((await run(server, ['discuss', 'interject', id, 'The budget is fixed.'])).code, 0);
    assert.equal((await run(server, ['discuss', 'interject', id, 'No.', '--by', 'Nobody'])).code, 2);
    assert.equal((await run(server, ['discuss', 'resume', id])).code, 0);
    assert.equal((await run(server, ['discuss', 'cancel', id])).code, 0);
    const shown = await run(server, ['discuss', 'show', id]);
    assert.match(shown.stdout, /cuts in\nThe budget is fixed\./);
    assert.match(shown.stderr, /cancelled/);
    assert.equal((await run(server, ['discuss', 'cancel', id])).code, 7);
});

test('a discussion answers a prompt, as the council', async (t) => {
    const server = await withScript(t);
    const prompt = await server.ask({ prompt_message: topic, required_responses: 1 });
    const answered = await run(server, ['discuss', topic, '--rounds', '1', '--for', prompt.id]);
    assert.equal(answered.code, 0, answered.stderr);
    const { discussion } = await stateOf(server, idIn(answered.stderr));
    assert.deepEqual(discussion.ref, { kind: 'prompt', id: prompt.id });
    const shown = await server.show(prompt.id);
    assert.ok(JSON.stringify(shown).includes('Key concern'), 'the last word of the discussion is the reply');
    const nobody = await run(server, ['discuss', topic, '--for', '01890a5d-ac96-774b-bcce-b302099a8057']);
    assert.notEqual(nobody.code, 0);
    assert.equal((await run(server, ['discuss', 'list', '--status', 'active'])).stdout, '');
});

test('a discussion answers a question, as the council, with its dissent', async (t) => {
    const server = await start(t, {});
    const voters = await model(t, ({ user }) =>
        !user.includes('The choices:') ? 'I have thought about it.'
        : user.includes('You are Divergent') ? '{"choice": "coffee", "confidence": 0.6}' : '{"choice": "tea", "confidence": 0.8}');
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { voters: openai(voters) }))];
    await server.restart();
    const asked = async () => (await run(server, ['ask', 'Tea or coffee?', '--choice', 'tea', '--choice', 'coffee', '--no-wait'])).stdout.trim();
    const discuss = (id, more) => run(server, ['discuss', 'Tea or coffee?', '--rounds', '1', '--for', id, ...more]);
    const question = await asked();
    const answered = await discuss(question, ['--vote', 'tea,coffee']);
    assert.equal(answered.code, 0, answered.stderr);
    assert.match(answered.stderr, /The question has the council's answer\./);
    assert.equal((await run(server, ['wait', question])).stdout, 'tea\n');
    const { question: shown } = await server.must(200, 'GET', `/api/questions/${question}`);
    assert.equal(shown.status, 'answered');
    assert.equal(shown.outcome.source, 'agents', 'never as a person');
    assert.equal(shown.outcome.by, 'Council');
    assert.match(shown.response.text, /Dissent: Divergent \(coffee\)\./);
    // A second council comes too late; a rehearsal answers nothing; without a vote there is no choice.
    assert.equal((await discuss(question, [])).code, 7);
    const open = await asked();
    const rehearsed = await discuss(open, ['--vote', 'tea,coffee', '--rehearse']);
    assert.equal(rehearsed.code, 2, rehearsed.stderr);
    assert.match((await discuss(open, [])).stderr, /The question was not answered/);
    assert.equal((await server.must(200, 'GET', `/api/questions/${open}`)).question.status, 'pending');
});

test('lines on standard input are a script', async (t) => {
    const server = await withScript(t);
    const input = `# a remark\nspecialists on\n${topic}\ntranscript\nspecialists off\nAnd in one word?\n/status\n/quit\nnever asked\n`;
    const { code, stdout, stderr } = await run(server, ['chat'], { input });
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(transcript), stdout);
    assert.match(stdout, /🟣 Moderator \(scripted\)\nA monolith, to begin with\./);
    assert.match(stdout, /^specialists {2}off$/m);
    const session = stderr.match(/^Session ([0-9a-f-]{36})/m)[1];
    const { projects } = await server.must(200, 'GET', '/api/projects');
    const [chat] = projects.filter(({ name }) => name === 'Chat');
    const { tasks } = await server.must(200, 'GET', `/api/projects/${chat.id}/tasks?session_id=${session}`);
    assert.equal(tasks.length, 2, 'each question is a task of the session');
    assert.ok(tasks.every(({ status }) => status === 'closed'));
    const [, first] = tasks;
    const result = typeof first.result === 'string' ? JSON.parse(first.result) : first.result;
    assert.equal(result.total_contributions, 7);
    assert.equal((await run(server, ['chat'], { input: 'rounds 1000\n' })).code, 2);
});

test('a question in a chat is asked with the earlier ones in mind, until it is told to forget', async (t) => {
    const server = await start(t, {});
    const long = 'x'.repeat(5000);
    const speaker = await model(t, ({ user }) => (user.includes('capital of France') && !user.includes('Earlier') ? `It is Paris. ${long}` : 'Another answer.'));
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { speaker: openai(speaker) }))];
    await server.restart();
    const input = 'What is the capital of France?\nHow large is it?\nstatus\nclear\nAnd its river?\nstatus\ntranscript\n';
    const { code, stdout, stderr } = await run(server, ['chat'], { input });
    assert.equal(code, 0, stderr);
    const [first, second, third] = speaker.calls.map(({ user }) => user);
    assert.doesNotMatch(first, /Earlier in this conversation/);
    assert.match(second, /How large is it\?\n\n\(Earlier in this conversation[^]*Question: What is the capital of France\?\nModerator: It is Paris\./);
    assert.ok(!second.includes(long), 'only the beginning of what was said');
    assert.doesNotMatch(third, /Paris|How large/);
    assert.deepEqual([...stdout.matchAll(/^remembers {4}(\d)/gm)].map(([, count]) => count), ['2', '1']);
    assert.match(stdout, /^'And its river\?'$/m, 'the topic is the question');
    assert.match((await run(server, ['chat'], { input: 'help\n' })).stdout, /^ {2}clear +Forget/m);
    // However long a chat goes on, what it takes along stays small.
    const many = Array.from({ length: 9 }, (_, i) => `Question number ${i}?`).join('\n');
    await run(server, ['chat'], { input: `${many}\n` });
    const last = speaker.calls.at(-1).user;
    assert.ok(last.includes('Question: Question number 7?') && !last.includes('Question number 2?'), last);
});
