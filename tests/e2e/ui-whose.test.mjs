// Whose a question is: for whom, who may answer it, given to somebody else; and what needs one, by one number everywhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person, seen, visit } from './lib/browser.mjs';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { becomes, start, until } from './lib/server.mjs';

const password = 'a long enough password';
const row = (page, text) => page.getByRole('listitem').filter({ hasText: text });

// Maya is a member, Bo an admin; Builder asks.
async function people(t) {
    const server = await start(t);
    await makeUser(server, 'Maya', password);
    await makeUser(server, 'Bo', password, 'admin');
    const agent = await makeToken(server);
    const cookies = { Maya: await login(server, 'Maya', password), Bo: await login(server, 'Bo', password) };
    const as = (name) => ({ headers: { Cookie: cookies[name], Origin: server.url } });
    const ask = async (question, fields = {}, by = { token: agent }) =>
        (await server.must(201, 'POST', '/api/questions', { question, type: 'approval', responseType: 'approval', timeoutMinutes: 60, agent: 'Builder', ...fields }, by)).questionId;
    return { server, cookies, as, ask };
}

test('what is not one’s own says for whom it is and why; its buttons are dead and its keys mean nothing', async (t) => {
    const { server, cookies, as, ask } = await people(t);
    const ids = [
        await ask('Assigned to Bo?', { assignedTo: 'Bo' }),
        await ask('For admins?', { requiredRole: 'admin' }),
        await ask('Asked by Maya?', {}, as('Maya')),
        await ask('For everybody?'),
    ];
    const said = ['assigned to Bo', 'needs somebody with the role admin', 'You asked for this yourself'];
    const page = await visit(t, server, '/inbox', { cookie: cookies.Maya });
    await page.getByText('1 needs you, 4 open').waitFor();
    for (const [text, whom] of [['Assigned to Bo?', 'for Bo'], ['For admins?', 'needs an admin'], ['Asked by Maya?', 'your own request']]) await row(page, text).getByText(whom).waitFor();
    for (const [at, reason] of said.entries()) {
        await page.goto(`/inbox/${ids[at]}`);
        const approve = page.getByRole('button', { name: 'Approve' });
        assert.equal(await approve.getAttribute('aria-disabled'), 'true', reason);
        const why = page.locator(`#${await approve.getAttribute('aria-describedby')}`);
        await why.filter({ hasText: reason }).waitFor();
        await approve.focus(); // it can be reached, and says why to who listens
        await seen(page);
        await page.keyboard.press('a');
        await approve.click({ force: true });
        if (at < 2) await page.keyboard.press('r');
        assert.equal(await page.getByLabel(/^Why not/).count(), 0);
    }
    await accessible(page, 'what is not one’s own');
    // What one asked for oneself can be taken back by a no; the rest is another's.
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).waitFor();
    await page.goto(`/q/${ids[0]}`);
    await page.getByText('This question is assigned to Bo.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled'), 'true');
    // In the queue nothing of it can be selected either.
    await page.goto('/approvals');
    await becomes(() => page.getByRole('checkbox', { disabled: true }).count(), 3, 'what is not hers');
    assert.equal(await page.getByRole('checkbox', { disabled: false }).count(), 1);
    // The same without a script.
    const bare = async (id) => (await server.api('GET', `/q/${id}`, undefined, as('Maya'))).text;
    assert.match(await bare(ids[0]), /This question is assigned to Bo\./);
    assert.doesNotMatch(await bare(ids[0]), /<form/);
    assert.match(await bare(ids[2]), /You asked for this yourself[^]*<form/);
    for (const id of ids) assert.equal((await server.must(200, 'GET', `/api/questions/${id}`, undefined, as('Bo'))).question.status, 'pending');
    // Who may only look has no buttons, and reads why.
    await makeUser(server, 'Vic', password, 'viewer');
    const vic = await visit(t, server, `/inbox/${ids[3]}`, { cookie: await login(server, 'Vic', password) });
    await vic.getByText('This question needs somebody with the role member.').waitFor();
});

test('a question is given to somebody by the keyboard, with a note; they see it as theirs and hand it back', async (t) => {
    const { server, cookies, as, ask } = await people(t);
    const id = await ask('Which region?', { type: 'blocking', responseType: 'text' });
    const maya = await visit(t, server, `/inbox/${id}`, { cookie: cookies.Maya });
    const bo = await visit(t, server, '/jobs', { cookie: cookies.Bo, width: 390, height: 800, hasTouch: true });
    await maya.getByLabel('Your answer').waitFor();
    await maya.getByRole('button', { name: 'Assign to…' }).focus();
    await maya.keyboard.press('Enter');
    const sheet = maya.getByRole('dialog', { name: 'Who should answer this?' });
    await sheet.getByRole('radio', { name: 'Bo' }).waitFor();
    assert.deepEqual(await sheet.getByRole('radio').count(), 2, 'Maya may take it herself');
    await accessible(maya, 'assigning');
    await maya.keyboard.press('Enter'); // nobody is chosen yet
    await maya.keyboard.press('Space');
    await maya.keyboard.press('Tab');
    await maya.keyboard.type('You know them.');
    await maya.keyboard.press('Enter');
    await maya.getByText('It is for Bo now.').waitFor();
    await sheet.waitFor({ state: 'hidden' });
    await maya.getByText('This question is assigned to Bo.').waitFor();
    assert.equal(await maya.getByLabel('Your answer').count(), 0);
    assert.equal(await maya.getByRole('button', { name: 'Assign to…' }).count(), 0, 'it is not hers to give any more');
    // He hears of it where he is, reads why, and gives it back by touch.
    await bo.getByRole('heading', { name: /1 needs you/ }).waitFor();
    await bo.goto(`/inbox/${id}`);
    await bo.getByText(/For you\. Maya assigned it: You know them\./).waitFor();
    await fits(bo, 'a question that was given to somebody');
    assert.match((await server.api('GET', `/q/${id}`, undefined, as('Bo'))).text, /For <bdi>Bo<\/bdi>\.[^]*<bdi>Maya<\/bdi> said about it:[^]*You know them\.[^]*<form/, 'and without a script');
    await bo.getByRole('button', { name: 'Assign to…' }).tap();
    const back = bo.getByRole('dialog', { name: 'Who should answer this?' });
    await back.getByText('Whoever may answer it').tap();
    await fits(bo, 'assigning');
    await back.getByRole('button', { name: 'Give back' }).tap();
    await bo.getByText('It is for whoever may answer it now.').waitFor();
    await maya.getByLabel('Your answer').waitFor();
});

test('what needs one is the same number in title, badge, rail, bar, heading, on the phone and in the terminal', async (t) => {
    const { server, cookies, as, ask } = await people(t);
    const project = (await server.must(201, 'POST', '/api/projects', { name: 'Shop' }, as('Bo'))).id;
    const task = (await server.must(201, 'POST', `/api/projects/${project}/tasks`, { title: 'Search' }, as('Bo'))).id;
    await server.must(201, 'POST', `/api/projects/${project}/results`, { agent: 'coder', sourceId: task, result: { open_questions: [{ text: 'Which database?' }] } }, as('Bo'));
    const first = await ask('For everybody?');
    await ask('For everybody else?', { type: 'blocking', responseType: 'text' });
    await ask('Assigned to Bo?', { assignedTo: 'Bo' });
    await ask('For admins?', { requiredRole: 'admin' });
    await ask('Asked by Maya?', {}, as('Maya'));
    await ask('Whenever?', { type: 'non_blocking', responseType: 'text', timeoutMinutes: undefined, defaultResponse: { type: 'text', value: 'Now.' } });
    const snoozed = await ask('Later?');
    await server.must(200, 'POST', `/api/questions/${snoozed}/snooze`, { minutes: 20 }, as('Maya'));
    await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Dev', prompt_message: 'What says @Maya?', timeout_minutes: 60 }, as('Bo'));
    const token = await makeToken(server, { name: 'hers', role: 'member', user: 'Maya' });

    const context = await person(t, server, { cookie: cookies.Maya });
    await context.addInitScript(() => {
        navigator.setAppBadge = async (n) => void (globalThis.badge = n);
        navigator.clearAppBadge = async () => void (globalThis.badge = 0);
    });
    const page = await context.newPage();
    const number = (text) => Number(/\d+/.exec(text)?.[0] ?? 0);
    const texts = async (...places) => Promise.all(places.map(async (place) => number((await place.textContent().catch(() => '')) ?? '')));
    // Every place that says it, by its name.
    const everywhere = async () => {
        const [bar, rail] = await texts(page.locator('#needs-h'), page.locator('nav').getByRole('link', { name: /^Inbox/ }).locator('.count'));
        return { title: number(await page.title()), badge: await page.evaluate(() => globalThis.badge ?? 0), bar, rail };
    };
    const all = (n) => ({ title: n, badge: n, bar: n, rail: n });
    const terminal = async () => number((await cli(server.folder, ['inbox'], { env: { WITAN_URL: server.url, WITAN_TOKEN: token } })).stderr);
    const heading = () => page.locator('.list-head').textContent().then(number);

    await page.goto('/jobs');
    await becomes(everywhere, all(4), 'on a page without questions');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox 4 need you', exact: true }).waitFor();
    for (const path of ['/inbox', `/inbox/${first}`, `/projects/${project}`, '/chat', '/notifications']) {
        await page.goto(path);
        await becomes(everywhere, all(4), path);
        if (path.startsWith('/inbox')) await becomes(heading, 4, 'the heading of the list');
    }
    assert.equal(await terminal(), 4);
    assert.equal((await server.must(200, 'GET', '/api/inbox?limit=1', undefined, as('Maya'))).needYou, 4, 'however little is shown');

    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto('/jobs');
    await becomes(everywhere, all(4), 'on a phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    // It goes down everywhere at once, by an answer, by assigning, by snoozing; and up again.
    await server.must(200, 'POST', `/api/questions/${first}/assign`, { to: 'Bo' }, as('Maya'));
    await becomes(everywhere, all(3), 'one is another’s now');
    await server.must(200, 'POST', `/api/questions/${snoozed}/wake`, {}, as('Maya'));
    await becomes(everywhere, all(4), 'one is awake');
    await server.must(200, 'POST', `/api/questions/${first}/answer`, { response: { type: 'approval', value: true } }, as('Bo'));
    await server.must(200, 'POST', `/api/questions/${snoozed}/answer`, { response: { type: 'approval', value: true } }, as('Bo'));
    await becomes(everywhere, all(3), 'others have answered');
    await until(async () => (await terminal()) === 3, 'in the terminal, too');
});
