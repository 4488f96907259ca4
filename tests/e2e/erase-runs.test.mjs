// What agents on models were told of people: their feedback, chat and answers stand in the first input of a run, in results of
// its calls and in its log, among the words of others. Once a person is erased, theirs are gone from there, and nothing else is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { columnsHolding, everything, textColumns } from './lib/everything.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { asked, assertReplays, command, completed, finish, question, stage, step, trace } from './lib/runs.mjs';
import { until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const name = 'Quentín';
const words = 'xylöphone'; // in everything that they say
const mark = 'kazoo'; // in everything that others say
const password = 'another long password';

const open_questions = ['Which colour?', 'Which size?'].map((text, i) => ({ id: `q${i + 1}`, text }));

// The analyst asks first; Ada asks, and paints as she may; the coder and the analyst of later are done at once.
function play(call) {
    if (call.system.includes('the analyst of') && !call.user.includes('Answer ('))
        return { calls: [finish({ open_questions })] };
    if (!call.system.includes('You are Ada.')) return { calls: [finish({ status: 'success', summary: 'Done.' })] };
    const steps = [
        [question('Which way?', { type: 'non_blocking', defaultResponse: { type: 'text', value: 'left' } })],
        [{ name: 'paint', args: { colour: 'red' } }],
        [question('Which door?')],
    ];
    return { calls: steps[step(call) - 1] ?? [finish('We are done.')] };
}

// Where the text of an input says that somebody speaks stands what they have said.
function assertSays(entry, of) {
    const text = Buffer.from(entry.text);
    const said = (entry.data?.said ?? []).map(({ as, by, at, bytes }) => [as, by ?? null, text.subarray(at, at + bytes).toString()]);
    assert.deepEqual(said, of);
}

// The same server, where every call that does not say who makes it is somebody's.
const calledBy = (server, who) =>
    Object.assign(Object.create(server), { api: (method, path, body, options) => server.api(method, path, body, options ?? who) });

const inputOf = async (server, id) => (await trace(server, id)).entries.find(({ kind }) => kind === 'input');

async function erased(t, engine) {
    const tools = async (folder) => ({ paint: await command(folder, 'paint', 'cat', { needs_approval: true }) });
    const { server: plain } = await stage(t, play, { tools, engine });
    await makeUser(plain, 'Boss', 'a long enough password', 'owner');
    await makeUser(plain, name, password, 'admin');
    const server = calledBy(plain, { token: await makeToken(plain, { name: 'boss', role: 'owner' }) });
    const as = { headers: { Cookie: await login(plain, name, password), Origin: plain.url } };
    const work = await Work.begin(server);
    const own = (path, body, status = 201, method = 'POST') => server.must(status, method, path, body, as);
    const begin = async (fields) => (await server.must(201, 'POST', '/api/jobs', { kind: 'agent', projectId: work.project.id, ...fields })).id;

    // The analyst works on their feedback, twice: before and after two people have answered.
    const feedback = await own(work.path('/feedback'), { text: `The door is ${words}.` });
    const analyst = { agent: 'analyst', input: { feedbackId: feedback.id } };
    const first = await begin(analyst);
    await completed(server, first);
    const { notifications: [set] } = await work.get('/notifications');
    await own(work.path(`/notifications/${set.id}`), { responses: [{ questionId: 'q1', answer: `${words} red` }], keepOpen: true }, 200, 'PATCH');
    await server.must(200, 'PATCH', work.path(`/notifications/${set.id}`), { responses: [{ questionId: 'q2', answer: `${mark} wide` }] });
    const second = await begin(analyst);
    await completed(server, second);

    // The coder is told the chat of its task.
    const task = await work.task('Paint');
    const say = (agent_name, message, who) => server.must(201, 'POST', work.path(`/tasks/${task.id}/chat`), { agent_name, message, is_human: true }, who);
    await say('Boss', `${mark}, said Boss`);
    await say(name, `${words}, I say`, as);
    const coded = await begin({ agent: 'coder', taskId: task.id, input: 'Paint it.' });
    await completed(server, coded);

    // They answer at once, approve with other arguments, and answer late what Ada has gone on without.
    const ada = await begin({ agent: 'Ada', input: { task: 'Do it.' } });
    const answer = (asking, response) => own(`/api/questions/${asking.id ?? asking.questionId}/answer`, { response: { type: asking.responseType, ...response } }, 200);
    const waiting = (text) =>
        until(async () => (await asked(server, ada)).find((one) => one.question.includes(text)), `it asks ${text}`);
    await answer(await waiting('Which way?'), { value: `${words} right` });
    await answer(await waiting('paint'), { value: true, args: { colour: words } });
    await answer(await waiting('Which door?'), { value: `${words} door` });
    await completed(server, ada);

    assertSays(await inputOf(server, first), [['text', null, `The door is ${words}.`]]);
    const told = [
        ['text', null, `The door is ${words}.`],
        ['text', null, 'Which colour?'],
        ['name', name, name],
        ['answer', name, `${words} red`],
        ['text', null, 'Which size?'],
        ['name', 'boss', 'boss'],
        ['answer', 'boss', `${mark} wide`],
    ];
    assertSays(await inputOf(server, second), told);
    const talk = (boss, their, said) => [
        ['name', boss, boss],
        ['text', null, `${mark}, said Boss`],
        ['name', their, their],
        ['text', null, said],
    ];
    assertSays(await inputOf(server, coded), talk('Boss', name, `${words}, I say`));
    for (const id of [first, second, coded, ada]) await assertReplays(server, id);

    const columns = await textColumns(server);
    const before = await columnsHolding(server, columns, words);
    for (const column of ['run_entries.text', 'run_calls.output', 'run_calls.approved_arguments']) assert.ok(before.includes(column), column);
    const { code, stderr } = await cli(server.folder, ['user', 'erase', name, '--yes', '--db', server.db]);
    assert.equal(code, 0, stderr);
    const left = (await everything(server)).filter((row) => [words, name].some((part) => row.toLowerCase().includes(part.toLowerCase())));
    assert.deepEqual(left.map((row) => row.slice(0, 600)), []);

    const gone = told.map((piece) => piece.map((each) => each?.replace(name, 'erased').replace(/.*xylöphone.*/, '[erased]') ?? null));
    assertSays(await inputOf(server, first), [['text', null, '[erased]']]);
    assertSays(await inputOf(server, second), gone);
    assertSays(await inputOf(server, coded), talk('Boss', 'erased', '[erased]'));
    const { text } = await inputOf(server, coded);
    assert.match(text, /\[Boss\]: kazoo, said Boss\n\[erased\]: \[erased\]\n/);
    assert.match(text, /How much you may decide by yourself/, 'what follows is whole');
    for (const id of [first, second, coded, ada]) await assertReplays(server, id);
}

for (const engine of ['sqlite', 'postgres'])
    test(`erasing a person leaves nothing of theirs in what runs were told, and all of the others (${engine})`, { timeout: 300_000 }, (t) => erased(t, engine));
