// From the terminal to the browser and back: questions are answered on their page, by those who may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './lib/browser.mjs';
import { begin } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';

const ask = (server, fields, options) => server.must(201, 'POST', '/api/questions', { question: 'Which region?', type: 'blocking', responseType: 'text', ...fields }, options);
const asked = async (run) => (await until(() => run.stderr.match(/\/q\/([0-9a-f-]{36})/), 'the terminal says where'))[1];
const terminal = (server, ...args) => begin(server.folder, ['ask', ...args], { env: { WITAN_URL: server.url } });

onBothEngines('a question asked in a terminal is answered in the browser, and the terminal goes on', {}, async (server, t) => {
    const page = await visit(t, server, '/inbox');
    const run = terminal(server, 'Tea or coffee?', '--choice', 'tea', '--choice', 'coffee');
    await page.getByRole('listitem').filter({ hasText: 'Tea or coffee?' }).getByRole('link').click();
    await page.getByRole('radio', { name: 'coffee' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    const { code, stdout } = await run.done;
    assert.deepEqual([code, stdout], [0, 'coffee\n']);
    await page.getByText('Nothing needs you').waitFor();

    const yes = terminal(server, 'Deploy?', '--approve');
    await page.goto(`/q/${await asked(yes)}`);
    await page.getByRole('timer', { name: 'Time left' }).first().waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent.' }).waitFor();
    assert.equal((await yes.done).code, 0);

    const no = terminal(server, 'Drop the tables?', '--approve');
    await page.goto(`/inbox/${await asked(no)}`);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).fill('After the backup.');
    await page.getByRole('button', { name: 'Reject', exact: false }).click();
    const rejected = await no.done;
    assert.equal(rejected.code, 3);
    assert.match(rejected.stdout + rejected.stderr, /After the backup/);
});

onBothEngines('text, yes or no, and own words beside a choice', {}, async (server, t) => {
    const [text, yesNo, other] = await Promise.all([
        ask(server, { question: 'What **name**?' }),
        ask(server, { question: 'Really?', responseType: 'boolean' }),
        ask(server, { question: 'Which one?', responseType: 'choice', allowOther: true, options: [{ label: 'A' }, { label: 'B' }] }),
    ]);
    const answer = async ({ questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}?wait=55`)).question;
    const page = await visit(t, server, `/q/${text.questionId}`);
    await page.getByRole('heading', { name: 'What name?' }).waitFor();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Write an answer first.').waitFor();
    await page.getByLabel('Your answer').fill('Ada');
    await page.getByRole('button', { name: 'Send answer' }).click();
    assert.equal((await answer(text)).response.value, 'Ada');
    await page.goto(`/q/${yesNo.questionId}`);
    await page.getByRole('button', { name: 'No' }).click();
    assert.equal((await answer(yesNo)).response.value, false);
    await page.goto(`/q/${other.questionId}`);
    await page.getByRole('radio', { name: 'Something else…' }).check();
    await page.getByLabel('Your own words').fill('C, of course');
    await page.getByRole('button', { name: 'Send answer' }).click();
    assert.equal((await answer(other)).response.text, 'C, of course');
});

onBothEngines('a link is opened without a login, answers its question, and nothing else', {}, async (server, t) => {
    const token = await makeToken(server, { role: 'member', name: 'Maya' });
    const { questionId } = await ask(server, {}, { token });
    const { url } = await server.must(201, 'POST', `/api/questions/${questionId}/link`, {}, { token });
    const page = await visit(t, server, new URL(url, server.url).pathname, { width: 390, height: 844 });
    await page.getByRole('button', { name: 'Show the question' }).click();
    await page.getByRole('heading', { name: 'Which region?' }).waitFor();
    await page.getByText('This link answers this one question, once.').waitFor();
    await page.getByLabel('Your answer').fill('eu');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent.' }).waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`, undefined, { token })).question.response.value, 'eu');
    await page.goto('/inbox');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
});

test('without a script the same page is a form', async (t) => {
    const server = await start(t);
    const { questionId } = await ask(server, { responseType: 'boolean' });
    const page = await visit(t, server, `/q/${questionId}`, { javaScriptEnabled: false });
    await page.getByRole('heading', { name: 'Which region?' }).waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Thank you').waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.response.value, true);
});

onBothEngines('who is too late sees who was faster and what they said, and keeps their own words', {}, async (server, t) => {
    await makeUser(server, 'Maya', 'a long password', 'owner');
    await makeUser(server, 'Jonas', 'a long password', 'owner');
    const [maya, jonas] = [await login(server, 'Maya', 'a long password'), await login(server, 'Jonas', 'a long password')];
    const own = { headers: { Cookie: jonas, Origin: server.url } };
    const { questionId } = await ask(server, {}, own);
    const page = await visit(t, server, `/inbox/${questionId}`, { cookie: maya });
    await page.getByLabel('Your answer').fill('SQLite, we have no operations team.');
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'text', value: 'PostgreSQL' } }, own);
    await page.getByText(/Jonas answered .*: PostgreSQL/).waitFor();
    await page.getByText('SQLite, we have no operations team.').waitFor();
});

onBothEngines('two browsers and a terminal answer at once: one wins, and all see it', {}, async (server, t) => {
    const { questionId } = await ask(server, { responseType: 'choice', options: [{ label: 'eu' }, { label: 'us' }, { label: 'asia' }] });
    const pages = await Promise.all([visit(t, server, `/inbox/${questionId}`), visit(t, server, `/inbox/${questionId}`)]);
    for (const [i, page] of pages.entries()) await page.getByRole('radio', { name: ['eu', 'us'][i] }).check();
    const [, , run] = await Promise.all([
        // The button may be gone already: then somebody was faster than the hand.
        ...pages.map((page) => page.getByRole('button', { name: 'Send answer' }).evaluateAll((buttons) => buttons[0]?.click())),
        begin(server.folder, ['answer', questionId, 'asia'], { env: { WITAN_URL: server.url } }).done,
    ]);
    const { question } = await server.must(200, 'GET', `/api/questions/${questionId}?wait=55`);
    assert.equal(question.status, 'answered');
    assert.equal(run.code === 0, question.response.value === 'asia');
    const { logs } = await server.must(200, 'GET', `/api/jobs/${question.jobId}/logs`);
    assert.equal(logs.filter(({ kind }) => kind === 'answer').length, 1);
    for (const page of pages) await page.getByText('Nothing needs you').waitFor();
});
