// `witan inbox --watch` on a terminal: a list one moves in, live, answered from, resized, and left as it was found.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { Screen } from './lib/screen.mjs';
import { Terminal } from './lib/terminal.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';
import { make, over, speakerOf, stage } from './lib/stage.mjs';
import { Work } from './lib/work.mjs';

const ask = async (server, question, fields = {}) =>
    (await server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text', agent: 'Builder', ...fields })).questionId;
const approval = { type: 'approval', responseType: 'approval' };
const answerOf = async (server, id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question;
const answered = (server, id) => until(async () => (await answerOf(server, id)).status === 'answered', 'it is answered');

onBothEngines('the inbox on a terminal is moved in, filtered and answered from', {}, async (server, t) => {
    const deploy = await ask(server, 'Deploy to production?', { ...approval, timeoutMinutes: 10 });
    const region = await ask(server, 'Which region?', { responseType: 'choice', options: [{ id: 'eu', label: 'Europe', value: 'eu' }, { id: 'us', label: 'America', value: 'us' }], timeoutMinutes: 20 });
    const screen = await Screen.open(t, server);
    await screen.enter('witan inbox --watch');
    let text = await screen.shows(/Which region\?[^]*q quit/);
    assert.match(text, /^witan inbox {2}2 wait, 2 need you\n/);
    assert.match(text, /LEFT +TYPE +FROM +WHAT\n *\d+:\d\d +approval +Builder +Deploy to production\?\n *\d+:\d\d +blocking +Builder +Which region\?/);

    // What is asked meanwhile appears by itself, wherever it comes from.
    const why = await ask(server, 'Why 東京?', { timeoutMinutes: 30 });
    await screen.shows(/Why 東京\?/);

    // An approval is shown whole and waits for Enter; Escape takes it back.
    await screen.type('a');
    await screen.shows(/Deploy to production\?[^]*Answer "approve"\? Enter sends it\./);
    await screen.press('Escape');
    await screen.shows(/q back/);
    assert.equal((await answerOf(server, deploy)).status, 'pending');
    await screen.type('r');
    await screen.shows(/Answer "reject"\?/);
    await screen.press('Enter');
    await answered(server, deploy);
    assert.equal((await answerOf(server, deploy)).response.value, false);
    await screen.shows(/Sent\./);

    // Options by number; a wrong key says what is right.
    await screen.shows(/2 wait/);
    await screen.type('9');
    await screen.shows(/There are 2 options\./);
    await screen.type('2');
    await screen.shows(/Answer "us"\?/);
    await screen.press('Enter');
    await answered(server, region);
    await screen.shows(/1 waits/);

    // A text is typed, also in another script.
    await screen.type('a');
    await screen.shows(/Answer:/);
    await screen.type('Weil 世界 groß ist?');
    await screen.press('BSpace');
    await screen.shows(/Answer: Weil 世界 groß ist$/m);
    await screen.press('Enter');
    await answered(server, why);
    assert.equal((await answerOf(server, why)).response.value, 'Weil 世界 groß ist');
    await screen.shows(/Nothing waits for an answer\./);

    await screen.type('q');
    text = await screen.shows(/\$$/);
    assert.doesNotMatch(text, /Nothing waits/, 'the screen is as it was');
});

onBothEngines('everything that waits is there, and what others settle leaves', {}, async (server, t) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Search page');
    await work.coder(task.id, { status: 'failed', open_questions: [{ text: 'Which database?' }, { text: 'How many a page?' }] });
    await work.post('/decisions', { category: 'scopeChanges', description: 'Drop the old page?', agent: 'Planner' });
    const prompt = { requester_agent: 'Dev', prompt_message: 'What says @local?', required_responses: 1, timeout_minutes: 60 };
    const { prompt: asked } = await server.must(201, 'POST', '/api/discussion', prompt);
    const screen = await Screen.open(t, server, { columns: 120 });
    await screen.enter('witan inbox --watch');
    const text = await screen.shows(/Which database\? \(and 1 more\)/);
    assert.match(text, /3 wait/);
    assert.match(text, /approval +Planner +Web shop/);
    assert.match(text, /prompt +Dev/);

    // The filter looks at all that stands in a row.
    await screen.type('/');
    await screen.type('which');
    await screen.shows(/\/which: 1/);
    await screen.press('Enter');
    await screen.press('Enter');
    await screen.shows(/open_questions[^]*q1 +Which database\?[^]*q2 +How many/);
    await screen.type('a');
    await screen.shows(/Answer:/);
    await screen.type('PostgreSQL');
    await screen.press('Enter');
    await screen.shows(/other questions of the set are still open/);
    await screen.type('a');
    await screen.shows(/= PostgreSQL[^]*Answer:/);
    await screen.type('20');
    await screen.press('Enter');
    await screen.shows(/Nothing here matches the filter\./);
    assert.equal((await work.show(task.id)).status, 'open');
    await screen.press('Escape');

    // A prompt is answered in the person's own name.
    await screen.shows(/2 wait/);
    await screen.press('Down');
    await screen.press('Enter');
    await screen.shows(/prompt {2}asked by Dev/);
    await screen.type('a');
    await screen.shows(/Answer:/);
    await screen.type('Go on.');
    await screen.press('Enter');
    await until(async () => (await server.show(asked.id)).status === 'resolved', 'the prompt is resolved');
    await screen.shows(/1 waits/);

    // Somebody else settles what is being looked at.
    const { items } = JSON.parse((await cli(server.folder, ['inbox', '--json'], { env: { WITAN_URL: server.url } })).stdout);
    await screen.press('Enter');
    await screen.shows(/Drop the old page\?[^]*q back/);
    await server.must(200, 'POST', `/api/questions/${items[0].id}/answer`, { response: { type: 'approval', value: true } });
    await screen.shows(/It has been settled meanwhile\./);
});

onBothEngines('a turn that people owe a discussion is taken on the screen, or passed', {}, async (server, t) => {
    // She answers when the screen has seen that nobody waits for us any more.
    let goOn;
    const seen = new Promise((resolve) => (goOn = resolve));
    t.after(() => goOn());
    await stage(server, t, ['Anna'], (call) => ({ wait: seen, text: `${speakerOf(call)} answers.` }));
    const { id: of } = await make(server, 'How do we begin?', 'rounds', ['user', 'Anna'], { rounds: 2 });
    const screen = await Screen.open(t, server, { columns: 100 });
    await screen.enter('witan inbox --watch');
    await screen.shows(/1 waits, 1 needs you\n[^]*turn +.*How do we begin\?/);
    await screen.press('Enter');
    await screen.shows(/How do we begin\?[^]*q back/);
    await screen.type('a');
    await screen.shows(/Answer:/);
    await screen.type('With tests.');
    await screen.press('Enter');
    await screen.shows(/Nothing waits for an answer\./);
    goOn();

    // The second round asks again, and r passes.
    await screen.shows(/1 waits, 1 needs you\n[^]*turn +.*How do we begin\?/);
    await screen.type('r');
    await screen.shows(/Answer "pass"\? Enter sends it\./);
    await screen.press('Enter');
    const ended = await over(server, of);
    assert.equal(ended.discussion.status, 'completed');
    assert.deepEqual(
        ended.entries.map(({ content }) => content),
        ['With tests.', 'Anna answers.', '', 'Anna answers.'],
    );
    await screen.shows(/Nothing waits for an answer\./);
});

test('the screen is resized, and nothing in it steers the terminal', async (t) => {
    const server = await start(t);
    const nasty = 'Look \u001b]0;stolen\u0007\u001b[2J\u001b[31mhere\u009b5n now';
    await ask(server, nasty, { context: { note: '\u001b[1;1Hmoved\u001b[?1049l' }, timeoutMinutes: 5 });
    for (let i = 1; i <= 30; i++) await ask(server, `Question ${String(i).padStart(2, '0')} ${'long '.repeat(20)}`, { timeoutMinutes: 10 + i });
    const screen = await Screen.open(t, server, { columns: 100, rows: 24 });
    await screen.enter('witan inbox --watch');
    let text = await screen.shows(/Question 19/);
    assert.match(text, /Look .*here.* now/);
    assert.doesNotMatch(text, /Question 20/);
    assert.match(text, /long …$/m);
    assert.ok(!(await screen.tmux('display-message', '-p', '#{pane_title}')).includes('stolen'));

    await screen.resize(44, 10);
    text = await screen.shows(/^witan inbox {2}31 wait, 31 need you\n *LEFT +TYPE +WHAT\n[^]*Question 05/);
    assert.doesNotMatch(text, /Question 06/);
    assert.ok(text.split('\n').every((line) => line.length <= 44), text);
    // The chosen row stays in sight.
    await screen.type('G');
    await screen.shows(/Question 30/);
    await screen.resize(30, 5);
    await screen.shows(/Question 30/);
    await screen.type('g');
    await screen.shows(/Look/);
    await screen.press('Enter');
    await screen.resize(60, 20);
    text = await screen.shows(/note: .*moved/);
    assert.match(text, /^witan inbox/);
    await screen.press('C-c');
    await screen.shows(/\$$/);
    await screen.enter('echo "<$?>"; stty -a | grep -c " echo "');
    await screen.shows(/<130>\n1\n/);
});

test('the screen takes no yes before its end was seen, and marks what cannot be seen', async (t) => {
    const server = await start(t);
    const script = [...Array.from({ length: 60 }, (_, i) => `echo ${i}`), 'rm -rf photo\u202Egnp.exe'].join('\n');
    const id = await ask(server, 'Run p\u0430ypal?', { ...approval, action: { name: 'run', args: { script } }, timeoutMinutes: 10 });
    const screen = await Screen.open(t, server);
    await screen.enter('witan inbox --watch');
    await screen.shows(/Run pа<U\+0430>ypal\?/);
    await screen.type('a');
    await screen.shows(/Answer "approve"\? Scroll to its end first/);
    await screen.press('Enter');
    for (let i = 0; i < 4; i++) await screen.type(' ');
    await screen.shows(/rm -rf photo<U\+202E>gnp\.exe[^]*Answer "approve"\? Enter sends it\./);
    assert.equal((await answerOf(server, id)).status, 'pending');
    await screen.press('Enter');
    await answered(server, id);
});

test('the terminal is given back however it ends, and the server may go and come', async (t) => {
    const server = await start(t);
    const id = await ask(server, 'Still there?', { timeoutMinutes: 60 });
    const screen = await Screen.open(t, server);
    for (const signal of ['TERM', 'HUP', 'SEGV', 'QUIT']) {
        await screen.enter('ulimit -c 0; clear; witan inbox --watch; echo "<$?>"; stty -a | grep -c " icanon "');
        await screen.shows(/Still there\?[^]*q quit/);
        const [pid] = (await screen.tmux('list-panes', '-F', '#{pane_pid}')).trim().split('\n');
        const child = execFileSync('pgrep', ['-P', pid, '-x', 'witan']).toString().trim();
        process.kill(Number(child), `SIG${signal}`);
        const text = await screen.shows(/<\d+>\n1\n/);
        assert.doesNotMatch(text, /Still there/, signal);
    }
    await screen.enter('witan inbox --watch');
    await screen.shows(/Still there\?[^]*q quit/);
    await server.kill9();
    await screen.shows(/the server is away; trying again/);
    await server.restart();
    await screen.shows(/^witan inbox {2}1 waits, 1 needs you\n/);
    await server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'text', value: 'Yes' } });
    await screen.shows(/Nothing waits for an answer\./);
});

test('a terminal that cannot be drawn on, and a pipe, get lines', async (t) => {
    const server = await start(t);
    await ask(server, 'Plain?', { timeoutMinutes: 5 });
    const terminal = await Terminal.open(t, server);
    const { shown } = await terminal.run('witan inbox --watch', async () => {
        await terminal.saw(/Plain\?/);
        terminal.type('\u0003');
    });
    assert.match(shown, /^1 +[0-9a-f]{8} +blocking .*Plain\?/m);
    assert.ok(!shown.includes('\u001b'));
    const screen = await Screen.open(t, server);
    await screen.enter('witan inbox --watch | head -2 | cat');
    assert.match(await screen.shows(/Plain\?/), /ID +TYPE[^]*Plain\?/);
});
