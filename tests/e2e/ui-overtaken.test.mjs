// Replies overtake each other, and events overtake replies: what a page shows last is what was so last, and nothing that was
// typed meanwhile is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { start } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

// The next reply to such a request is as the server gives it now, and comes when it is let go. Nothing may happen before
// the browser knows of it: the request would be gone.
async function holdNext(page, url, method = 'GET') {
    let letGo, tell;
    const held = new Promise((done) => (letGo = done));
    const asked = new Promise((done) => (tell = done));
    let taken = false;
    await page.route(url, async (route) => {
        if (taken || route.request().method() !== method) return route.fallback();
        taken = true;
        const response = await route.fetch();
        tell(route.request());
        await held;
        await route.fulfill({ response });
    });
    const release = async () => {
        const request = await asked;
        letGo();
        await (await request.response()).finished();
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))); // it is drawn
    };
    return { asked, release };
}

// As when the server has told of more than this browser has heard.
const reload = (page) => page.evaluate(() => new BroadcastChannel('witan-stream').postMessage({ kind: 'reload', seq: 0 }));
const live = (page) => page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
const ask = (server, fields, options) => server.must(201, 'POST', '/api/questions', { question: 'Which region?', type: 'blocking', responseType: 'text', ...fields }, options);

test('what is typed while a message is on its way is the next message', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/chat');
    const field = page.getByRole('textbox', { name: 'Message to the squad' });
    await field.fill('First.');
    const post = await holdNext(page, /\/api\/chat$/, 'POST');
    await field.press('Enter');
    await page.getByRole('log').getByText('First.').waitFor(); // told of by an event, before the reply
    await page.keyboard.type('Second');
    await post.release();
    assert.equal(await field.inputValue(), 'Second');
    await page.keyboard.type(', and more.');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Second, and more.').waitFor();
    // What is refused comes back, in front of what was typed after it.
    await page.route(/\/api\/chat$/, (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 422, json: { error: 'Not like this.', code: 'invalid' } }) : route.fallback()));
    await field.fill('Third.');
    await field.press('Enter');
    await page.getByRole('alert').getByText('Not like this.').waitFor();
    assert.equal(await field.inputValue(), 'Third.');
    await page.reload();
    assert.equal(await field.inputValue(), 'Third.');
});

test('a question that was answered is not opened again by a reply from before', async (t) => {
    const server = await start(t);
    const { questionId } = await ask(server);
    const page = await visit(t, server, '/inbox');
    await live(page);
    const read = await holdNext(page, new RegExp(`/api/questions/${questionId}$`));
    await page.getByRole('link', { name: 'Which region?' }).first().click();
    await read.asked;
    await page.getByLabel('Your answer').waitFor();
    const again = page.waitForResponse((response) => response.url().endsWith(questionId));
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'text', value: 'eu' } });
    await (await again).finished();
    await page.getByText(/answered.*: eu/).first().waitFor();
    await read.release();
    assert.equal(await page.getByLabel('Your answer').count(), 0);
});

test('a job that is told of and listed at the same time has one row', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/jobs');
    await live(page);
    await page.getByText('No job so far').waitFor();
    const read = await holdNext(page, /\/api\/jobs\/[0-9a-f-]{36}$/);
    await server.must(201, 'POST', '/api/jobs', { kind: 'release', status: 'running', input: { title: 'Release 2.4' } });
    await read.asked;
    const row = page.getByRole('listitem').filter({ hasText: 'Release 2.4' });
    await reload(page);
    await row.waitFor();
    await read.release();
    assert.equal(await row.count(), 1);
});

test('a list of what has ended does not become shorter while it is read', async (t) => {
    const server = await start(t);
    for (let i = 0; i < 51; i++) {
        const { questionId } = await ask(server, { question: `Question ${i}?` });
        await server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'text', value: 'yes' } });
    }
    const page = await visit(t, server, '/inbox?status=answered');
    await live(page);
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('51 answered').waitFor();
    const read = await holdNext(page, /\/api\/questions\/ended/);
    await reload(page);
    await read.asked;
    await read.release();
    await page.getByText('51 answered').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0);
});

test('a task that is made while the others are being read stays', async (t) => {
    const server = await start(t);
    const work = await Work.begin(server);
    await work.task('Read the feed');
    const page = await visit(t, server, `/projects/${work.project.id}?view=tasks`);
    await live(page);
    const row = (title) => page.getByRole('listitem').filter({ hasText: title });
    await row('Read the feed').waitFor();
    const read = await holdNext(page, /\/tasks\?/);
    await reload(page);
    await read.asked;
    await work.task('Write the table');
    await row('Write the table').waitFor();
    await read.release();
    assert.equal(await row('Write the table').count(), 1);
});

test('a prompt that ends while the list of those that wait is on its way does not stay in the inbox', async (t) => {
    const server = await start(t);
    await makeUser(server, 'Maya', 'correct horse', 'owner');
    const cookie = await login(server, 'Maya', 'correct horse');
    const as = { headers: { Cookie: cookie, Origin: server.url } };
    const page = await visit(t, server, '/inbox', { cookie });
    await live(page);
    await page.getByText('Nothing needs you').waitFor();
    const row = (text) => page.locator('.rows').getByRole('listitem').filter({ hasText: text });
    const read = await holdNext(page, /\/api\/inbox\?type=prompt/);
    const { prompt } = await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Scout', prompt_message: 'And you, @Maya?', required_responses: 1 }, as);
    await read.asked;
    await server.must(200, 'PATCH', `/api/discussion/${prompt.id}`, { action: 'resolve' }, as);
    await ask(server, {}, as);
    await row('Which region?').waitFor(); // what was told of before has been heard
    await read.release();
    await row('And you').waitFor({ state: 'detached' });
});

test('the audit log shows what fits its filter, whichever reply comes last', async (t) => {
    const server = await start(t);
    await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    await server.say('Scout', 'Here.');
    const page = await visit(t, server, '/settings');
    await live(page);
    const read = await holdNext(page, /\/api\/audit\?/);
    await page.getByRole('link', { name: 'Audit' }).first().click();
    await read.asked;
    await page.getByLabel('What', { exact: true }).fill('project_create');
    await page.keyboard.press('Enter');
    const rows = page.getByRole('list').last().getByRole('listitem');
    await rows.filter({ hasText: 'Project create' }).waitFor();
    await read.release();
    assert.equal(await rows.count(), 1);
});

test('the first page says that it listens once it does', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/jobs');
    await live(page);
    const read = await holdNext(page, /\/api\/questions\/pending/);
    await page.goto('/welcome');
    await read.asked;
    await page.getByRole('heading', { name: 'Your agents can ask now.' }).waitFor();
    assert.equal(await page.getByText('This page is listening.').count(), 0);
    await read.release();
    await page.getByText('This page is listening.').waitFor();
});

test('what is chosen while a choice is being saved stays chosen', async (t) => {
    const server = await start(t);
    const { project } = await Work.begin(server, { hilConfig: 'major_only' });
    const page = await visit(t, server, `/projects/${project.id}?view=settings`);
    await live(page);
    await page.getByRole('group', { name: 'Scope changes' }).getByRole('radio', { name: 'Notify user but proceed' }).check();
    const patch = await holdNext(page, /\/api\/projects\/[0-9a-f-]{36}$/, 'PATCH');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await patch.asked;
    await page.getByRole('button', { name: 'Full' }).click();
    await patch.release();
    await page.getByRole('button', { name: 'Full', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await page.getByRole('group', { name: 'Scope changes' }).getByRole('radio', { name: 'Notify user but proceed', checked: true }).waitFor();
});
