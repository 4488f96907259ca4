// Whatever `witan inbox` lists is answered as it is shown: by its number, by its short id, by the command that `witan show`
// names. What has been settled says so, by whom, before anybody is asked for anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';
import { Terminal, numbersIn } from './lib/terminal.mjs';
import { Work } from './lib/work.mjs';

const texts = { set: 'Cache the price list: Which cache? (and 1 more)', approval: 'Drop the page?', choice: 'Which region?', prompt: 'What says @local?', turn: 'Tea or coffee?' };

// One of each kind, each as its own kind of agent asks it.
async function oneOfEach(server) {
    const work = await Work.begin(server, { hilConfig: 'confirm_all' });
    await server.must(201, 'POST', '/api/projects', { name: 'Another' });
    const task = await work.claimed('Cache the price list');
    const { notificationId: set } = await work.stuck(task.id, 'Which cache?', 'How large?');
    const { questionId: approval } = await work.post('/decisions', { category: 'scopeChanges', description: texts.approval });
    const options = ['eu', 'us'].map((value) => ({ id: value, label: value, value }));
    const { questionId: choice } = await server.must(201, 'POST', '/api/questions', { question: texts.choice, type: 'blocking', responseType: 'choice', options });
    const { prompt } = await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Dev', prompt_message: texts.prompt, required_responses: 2 });
    await server.must(201, 'POST', '/api/agents', { name: 'Anna', ai_model_config: { provider: 'external' } });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: texts.turn, mode: 'rounds', rounds: 1, participants: [{ role: 'user' }, { agentName: 'Anna' }] });
    const listed = async (type) => (await server.must(200, 'GET', `/api/inbox?type=${type}`)).items[0];
    const turn = (await until(() => listed('turn'), 'a person owes a turn')).id;
    return { work, ids: { set, approval, choice, prompt: prompt.id, turn }, discussion: discussion.id };
}

const question = async (server, id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question;
const entries = async (server, id) => (await server.must(200, 'GET', `/api/discussions/${id}`)).entries.map(({ content }) => content);

test('a turn of a certain person is taken by the login of whoever sits here, and by nobody else', async (t) => {
    const server = await start(t);
    await server.must(201, 'POST', '/api/agents', { name: 'Anna', ai_model_config: { provider: 'external' } });
    const participants = [{ role: 'user', userId: 'paula' }, { agentName: 'Anna' }];
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Soup?', mode: 'rounds', rounds: 1, participants });
    const { id } = await until(async () => (await server.must(200, 'GET', '/api/inbox?type=turn')).items[0], 'paula owes a turn');
    const answer = (USER) => cli(server.folder, ['answer', id.slice(-8), 'Soup.'], { env: { WITAN_URL: server.url, USER } });
    assert.equal((await answer('maya')).code, 7);
    assert.deepEqual(await entries(server, discussion.id), []);
    const done = await answer('paula');
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(await entries(server, discussion.id), ['Soup.']);
});

onBothEngines('everything in the inbox is answered by its number', {}, async (server, t) => {
    const { work, ids, discussion } = await oneOfEach(server);
    const terminal = await Terminal.open(t, server);
    const list = await terminal.run('witan inbox');
    const number = numbersIn(list.shown);
    assert.match(list.shown, /witan answer N/);
    assert.deepEqual(Object.keys(number).sort(), Object.values(texts).sort());
    const run = async (line, typed) => {
        const done = await terminal.run(line, async () => {
            for (const [prompt, words] of typed ?? []) {
                await terminal.saw(prompt);
                terminal.type(`${words}\n`);
            }
        });
        assert.equal(done.code, 0, `${line}\n${done.shown}`);
        return done.shown;
    };

    // With words, and without: then each is shown whole and asks for what it takes.
    const set = async () => (await work.get(`/notifications/${ids.set}`)).responses.map(({ answer }) => answer);
    await run(`witan answer ${number[texts.set]} q1=Redis`);
    assert.deepEqual(await set(), ['Redis']);
    await run(`witan answer ${number[texts.set]}`, [[/q2, or Enter for later> /, '1 GB']]);
    assert.deepEqual(await set(), ['Redis', '1 GB']);
    await run(`witan answer ${number[texts.approval]}`, [[/Drop the page\?[^]*approve or reject> /, 'reject']]);
    assert.equal((await question(server, ids.approval)).response.value, false);
    await run(`witan answer ${number[texts.choice]}`, [[/one of the options> /, 'mars'], [/Choose one of: 1 eu, 2 us\.[^]*> /, 'us']]);
    assert.equal((await question(server, ids.choice)).response.value, 'us');
    await run(`witan answer ${number[texts.prompt]} "Mind the cache."`);
    assert.equal((await server.must(200, 'GET', `/api/discussion/${ids.prompt}`)).collectedContext[0].message, 'Mind the cache.');
    await run(`witan answer ${number[texts.turn]}`, [[/what you say, or pass> /, 'Tea.']]);
    await until(async () => (await entries(server, discussion)).includes('Tea.'), 'it was said');
    assert.match((await terminal.run('witan inbox')).shown, /Nothing waits/);

    // A second time each says that it is settled, and by whom; nobody is asked for Enter.
    const again = { set: 'q1=Memcached', approval: '--approve', choice: 'eu', turn: 'Coffee.' };
    for (const [kind, words] of Object.entries(again)) {
        const { code, shown } = await terminal.run(`witan answer ${number[texts[kind]]} ${words}`);
        assert.equal(code, 7, `${kind}\n${shown}`);
        assert.match(shown, kind === 'turn' ? /is not waiting any more/ : /(by local|local has already answered)[^]*(now|ago)/);
        assert.doesNotMatch(shown, /Enter goes on|> $/);
    }
    assert.deepEqual(await set(), ['Redis', '1 GB']);
    assert.equal((await question(server, ids.approval)).response.value, false);
});

test('what show names is what answers it, by short ids, from anywhere', async (t) => {
    const server = await start(t);
    const { work, ids, discussion } = await oneOfEach(server);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const shown = {};
    for (const [kind, id] of Object.entries(ids)) shown[kind] = (await witan('show', id.slice(-8))).stdout.match(/^answer with: (.*)$/m)?.[1];
    const short = (kind) => ids[kind].slice(-8);
    assert.deepEqual(shown, {
        set: `witan answer ${short('set')} q1="..." q2="..."`,
        approval: `witan answer ${short('approval')} --approve, or: witan answer ${short('approval')} --reject`,
        choice: `witan answer ${short('choice')} "eu", or another of the options`,
        prompt: `witan answer ${short('prompt')} "..."`,
        turn: `witan answer ${short('turn')} "...", or: witan answer ${short('turn')} pass`,
    });
    // Without an answer and without a terminal, the same is said, and nothing is done.
    for (const [kind, id] of Object.entries(ids)) {
        const { code, stderr } = await witan('answer', id.slice(-8));
        assert.equal(code, 2, stderr);
        assert.ok(stderr.includes(shown[kind]), `${kind}: ${stderr}`);
    }
    // What does not fit a kind is refused with what does.
    for (const args of [['answer', short('set'), '--approve'], ['cancel', short('set')], ['wait', short('turn')], ['extend', short('prompt'), '--by', '5m'], ['prompt', 'show', short('set')], ['resolve', short('choice'), '--approve'], ['resolve', short('prompt'), 'x']]) {
        const { code, stderr } = await witan(...args);
        const kind = Object.keys(ids).find((one) => args.includes(short(one)));
        assert.equal(code, 2, `${args}\n${stderr}`);
        assert.ok(stderr.includes(shown[kind].split(',')[0]), `${args}\n${stderr}`);
    }
    assert.equal((await server.must(200, 'GET', '/api/inbox')).items.length, 5);

    // Several at once: what is no question is left out, with its command; the rest is answered.
    const several = await witan('answer', short('set'), short('approval'), '--approve', '--yes');
    assert.equal(several.code, 2, several.stderr);
    assert.ok(several.stderr.includes(shown.set), several.stderr);
    assert.equal((await question(server, ids.approval)).response.value, true);

    assert.equal((await witan('resolve', short('set'), 'q1=Redis')).code, 0);
    assert.equal((await witan('answer', short('set'), '--value', '1 GB')).code, 0, 'the only one that is left');
    assert.equal((await work.get(`/notifications/${ids.set}`)).status, 'resolved');
    assert.equal((await witan('answer', short('choice'), 'eu')).code, 0);
    const settled = await witan('answer', ids.set, 'q1=Memcached');
    assert.equal(settled.code, 7, settled.stderr);
    assert.match(settled.stderr, /settled differently by local, [^]*answered: Redis/);
    assert.equal((await witan('answer', ids.set, 'q1=Redis')).code, 0, 'the same again is none');
    assert.equal((await witan('prompt', 'answer', short('prompt'), 'No.', '--agent', 'Builder')).code, 0);
    assert.equal((await witan('answer', short('prompt'), 'Yes.')).code, 0);
    const ended = await witan('answer', ids.prompt, 'Too late.');
    assert.equal(ended.code, 7, ended.stderr);
    assert.match(ended.stderr, /has been settled/);
    assert.equal((await witan('answer', short('turn'), 'pass')).code, 0);
    await until(async () => !(await server.must(200, 'GET', '/api/inbox?type=turn')).items.length, 'it was passed');
    assert.ok(!(await entries(server, discussion)).includes('pass'));
});

test('an answer after the deadline says so before it asks', async (t) => {
    const server = await start(t);
    const { questionId: id } = await server.must(201, 'POST', '/api/questions', { question: 'Deploy?', type: 'approval', responseType: 'approval' });
    const terminal = await Terminal.open(t, server);
    await terminal.run('witan inbox');
    await server.advance(3_600_000);
    await until(async () => (await question(server, id)).status === 'timeout', 'its time is up');
    const late = await terminal.run('witan answer 1 --approve', async () => {
        await terminal.saw(/time of this question was up[^]*decides nothing[^]*Enter goes on/);
        terminal.type('\n');
    });
    assert.equal(late.code, 7, late.shown);
    assert.match(late.shown, /kept; `witan restart /);
    assert.equal((await question(server, id)).lateAnswers.length, 1);
});
