// From the terminal to the browser and back: questions are answered on their page, by those who may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, seen, visit } from './lib/browser.mjs';
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
    await page.getByText('You answered 1 today.').waitFor();

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

// Who has opened a link looks at its question; Jonas is somebody else.
async function byLink(t, server) {
    await makeUser(server, 'Jonas', 'a long password', 'owner');
    const jonas = { headers: { Cookie: await login(server, 'Jonas', 'a long password'), Origin: server.url } };
    const token = await makeToken(server, { role: 'member', name: 'Maya' });
    const agent = await makeToken(server, { role: 'agent', name: 'Scout' });
    const held = () => server.metric('witan_waits');
    const look = async (fields, prepare) => {
        const { questionId } = await ask(server, { timeoutMinutes: 60, ...fields }, { token: agent });
        const { url } = await server.must(201, 'POST', `/api/questions/${questionId}/link`, {}, { token });
        const page = await visit(t, server, new URL(url, server.url).pathname, { width: 390, height: 844 });
        await prepare?.(page);
        const before = await held();
        await page.getByRole('button', { name: 'Show the question' }).click();
        await page.getByText('This link answers this one question, once.').waitFor();
        if (!prepare) await until(async () => (await held()) > before, 'the server holds the page’s look');
        const settle = (response) => server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response }, jonas);
        return { page, settle, read: async () => (await server.must(200, 'GET', `/api/questions/${questionId}`, undefined, jonas)).question };
    };
    return look;
}
const approval = { question: 'Deploy?', type: 'approval', responseType: 'approval' };
const no = { type: 'approval', value: false, text: 'Not on a Friday' };
const untaken = (page) => page.getByRole('region', { name: 'Answers that were not taken' }).getByRole('article');

test('who came by a link sees how the question ended while they look, and keeps what they typed', async (t) => {
    const server = await start(t);
    const look = await byLink(t, server);
    const rejected = await look(approval);
    await rejected.settle(no);
    const told = rejected.page.getByRole('status').filter({ hasText: /Jonas .*Rejected/ });
    await told.waitFor();
    await told.getByText('Not on a Friday').waitFor();
    assert.equal(await rejected.page.getByRole('button', { name: /^(Approve|Reject)/ }).count(), 0);

    // Its reply did not come, and by now the link has ended: it says no more than that, and nothing asks again.
    const waits = '**/api/questions/*?wait=*';
    const cut = await look({}, (page) => page.route(waits, (route) => route.abort()));
    await cut.page.getByLabel('Your answer').fill('my long and careful words');
    await cut.settle({ type: 'text', value: 'other' });
    await cut.page.unroute(waits);
    await cut.page.getByText('This question has been settled, and its link has ended with it.').waitFor();
    await cut.page.getByText('my long and careful words').waitFor();
    await cut.page.getByRole('button', { name: 'Copy' }).waitFor();
    let asked = 0;
    cut.page.on('request', () => asked++);

    const late = await look({});
    await late.page.getByLabel('Your answer').fill('late words');
    await server.advance(61 * 60_000);
    await late.page.getByRole('status').filter({ hasText: 'Time ran out at' }).waitFor();
    await late.page.getByText('late words').waitFor();
    await late.page.waitForTimeout(5500);
    assert.equal(asked, 0);
});

test('who answers by a link after somebody else is told who was first, and keeps their words', async (t) => {
    const server = await start(t);
    const look = await byLink(t, server);
    const race = await look(approval);
    await race.page.route('**/answer', async (route) => {
        await race.settle(no);
        await route.continue();
    });
    await race.page.getByRole('button', { name: 'Approve' }).click();
    const lost = untaken(race.page);
    await lost.getByText(/Jonas .*Rejected/).waitFor();
    await lost.getByText('You said: Approved').waitFor();
    assert.equal((await race.read()).response.value, false);
    assert.equal(await race.page.getByText('Kept on this device').count(), 0);

    const offline = await look({});
    await offline.page.getByLabel('Your answer').fill('my long and careful words');
    await offline.page.context().setOffline(true);
    await offline.page.getByRole('button', { name: 'Send answer' }).click();
    await offline.page.getByText('Kept on this device').waitFor();
    await offline.settle({ type: 'text', value: 'other' });
    await offline.page.context().setOffline(false);
    await untaken(offline.page).getByText(/Jonas .*other/).waitFor();
    await untaken(offline.page).getByText('my long and careful words').waitFor();
    await offline.page.getByText('Kept on this device').waitFor({ state: 'hidden' });
});

test('an answer by a link whose reply was lost is not told as one that was not taken', async (t) => {
    const server = await start(t);
    const look = await byLink(t, server);
    const { page, read } = await look({});
    let lost = false;
    await page.route('**/answer', async (route) => {
        if (lost) return route.continue();
        lost = true;
        await route.fetch();
        await route.abort();
    });
    await page.getByLabel('Your answer').fill('eu');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent.' }).waitFor();
    assert.equal((await read()).response.value, 'eu');
    assert.equal(await untaken(page).count(), 0);
});

test('without a script the same page is a form', async (t) => {
    const server = await start(t);
    const evil = await ask(server, { question: 'Open photo\u200Bgnp.exe?', type: 'approval', responseType: 'approval', action: { name: 'b\u0430sh', args: { command: `ls${' '.repeat(3000)}; rm -rf /`, file: 'photo\u202Egnp.exe', lines: 'one\ntwo' } } });
    const form = await visit(t, server, `/q/${evil.questionId}`, { javaScriptEnabled: false });
    await form.getByRole('heading', { name: 'Open photoU+200Bgnp.exe?' }).waitFor();
    const body = await form.locator('main').innerText();
    for (const words of ['bа U+0430sh', 'ls3,000 blanks; rm -rf /', 'photoU+202Egnp.exe', 'one\ntwo']) assert.ok(body.includes(words), body);
    assert.ok(!body.includes('\u202E'));
    assert.ok(body.indexOf('rm -rf') < body.indexOf('Approve'), 'one decides behind what is decided about');

    const { questionId } = await ask(server, { responseType: 'boolean' });
    const page = await visit(t, server, `/q/${questionId}`, { javaScriptEnabled: false });
    await page.getByRole('heading', { name: 'Which region?' }).waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Thank you').waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.response.value, true);
});

test('a form without a script says that the approval of who asked does not count', async (t) => {
    const server = await start(t);
    await makeUser(server, 'Maya', 'a long password', 'owner');
    const cookie = await login(server, 'Maya', 'a long password');
    const { questionId } = await ask(server, { type: 'approval', responseType: 'approval' }, { headers: { Cookie: cookie, Origin: server.url } });
    const page = await visit(t, server, `/q/${questionId}`, { cookie, javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Your approval does not count' }).waitFor();
    await page.getByText(/You asked for this yourself/).waitFor();
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

// An id of 64 bits is no number that JavaScript can hold: it would be shown, approved and sent as another one.
test('a number of any length is shown and sent digit for digit: in the inbox, the queue, a batch, a second tab, after a reload, without a script', async (t) => {
    const server = await start(t);
    const people = ['Ada', 'Jonas', 'Maya'];
    for (const name of people) await makeUser(server, name, 'a long password', 'owner');
    const [asker, jonas, maya] = await Promise.all(people.map((name) => login(server, name, 'a long password')));
    const as = (cookie) => ({ headers: { Cookie: cookie, Origin: server.url } });
    const account = '1234567890123456789';
    const args = (sum) => ({ account: JSON.rawJSON(account), sum, of: [{ bank: JSON.rawJSON('-9223372036854775808'), name: 'so long that all of it does not stand in a line of the tree of values' }] });
    const pay = async (question, fields) => (await ask(server, { question, type: 'approval', responseType: 'approval', timeoutMinutes: 60, action: { name: 'pay', args: args(5), limit: JSON.rawJSON('9007199254740993') }, ...fields }, as(asker))).questionId;
    const now = async (id) => (await server.api('GET', `/api/questions/${id}`, undefined, as(asker))).text;
    const approved = async (id, sum) => {
        await until(async () => (await now(id)).includes('"status":"answered"'), 'it is approved');
        assert.ok((await now(id)).includes(`"approvedArgs":${JSON.stringify(args(sum))}`), await now(id));
    };
    const context = await person(t, server, { cookie: maya });
    const [page, second] = [await context.newPage(), await context.newPage()];
    const shows = async (place) => {
        for (const digits of [account, '-9223372036854775808', '9007199254740993']) await place.getByText(digits, { exact: true }).first().waitFor();
        assert.equal(await place.getByText(/rawJSON|12345678901234567(?!89)/).count(), 0);
    };
    const change = async (place, of, sum) => {
        const field = of.getByRole('textbox', { name: 'Edit arguments' });
        await field.fill((await field.inputValue()).replace('"sum": 5', `"sum": ${sum}`));
        const lines = await of.getByRole('group', { name: /^Difference/ }).locator('.add, .del').allInnerTexts();
        assert.deepEqual(lines.map((line) => line.replace(/\s+/g, ' ')), ['Removed: "sum": 5,', `Added: "sum": ${sum},`]);
        await place.getByRole('button', { name: 'Approve with changes' }).click();
    };

    // In the inbox; another tab, which is told by this one, hears of it and goes on hearing.
    const first = await pay('Pay first?');
    await page.goto(`/inbox/${first}`);
    await second.goto('/inbox');
    await second.getByRole('link', { name: 'Pay first?' }).waitFor();
    await shows(page.locator('.act'));
    await seen(page);
    await page.keyboard.press('e');
    await change(page, page, 6);
    await approved(first, 6);
    await second.getByRole('link', { name: 'Pay first?' }).waitFor({ state: 'detached' });
    const told = await pay('Pay second?');
    await second.getByRole('link', { name: 'Pay second?' }).click();
    await shows(second.locator('.act'));
    await second.getByRole('button', { name: 'Edit arguments' }).click();
    // What could not be sent is sent by the next page.
    await context.route('**/answer', (route) => route.abort());
    await change(second, second, 7);
    await second.getByText(/1 answer kept/).waitFor();
    await context.unroute('**/answer');
    await second.reload();
    await approved(told, 7);
    await second.close();

    // In the queue, and several at once: what another has changed is approved as they changed it, or it would be another change.
    const third = await pay('Pay third?');
    const [theirs, plain] = [await pay('Pay theirs?', { requiredApprovals: 2 }), await pay('Pay as proposed?')];
    await server.must(200, 'POST', `/api/questions/${theirs}/answer`, { response: { type: 'approval', value: true, args: args(8) } }, as(jonas));
    await page.goto('/approvals');
    const row = (text) => page.getByRole('row').filter({ hasText: text });
    await shows(row('Pay third?'));
    await row('Pay third?').getByRole('button', { name: 'Edit arguments' }).click();
    await change(row('Pay third?'), page.getByRole('region', { name: /Pay third/ }), 9);
    await approved(third, 9);
    for (const text of ['Pay theirs?', 'Pay as proposed?']) await row(text).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Approve 2…' }).click();
    const sheet = page.getByRole('dialog', { name: 'Approve these 2?' });
    for (const text of ['Pay theirs?', 'Pay as proposed?']) await shows(sheet.getByRole('listitem').filter({ hasText: text }));
    await sheet.locator('.body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await until(async () => (await sheet.getByRole('button', { name: 'Approve 2' }).getAttribute('aria-disabled')) === null, 'the end was seen');
    await sheet.getByRole('button', { name: 'Approve 2' }).click();
    await approved(theirs, 8);
    await until(async () => (await now(plain)).includes('"status":"answered"'), 'what was proposed is approved');

    // On its own page, where such a number stands alone.
    const bare = await pay('Close it?', { action: { name: 'close', args: JSON.rawJSON(account) }, context: { errorDetails: JSON.rawJSON('9007199254740995'), currentStep: JSON.rawJSON('9007199254740997'), row: JSON.rawJSON('9007199254740999') } });
    await page.goto(`/q/${bare}`);
    for (const digits of [account, '9007199254740995', '9007199254740997', '9007199254740999']) await page.getByText(digits).waitFor();
    assert.equal(await page.getByText('rawJSON').count(), 0);

    // The same without a script, and at the command line.
    const last = await pay('Pay last?', { requiredApprovals: 2 });
    await server.must(200, 'POST', `/api/questions/${last}/answer`, { response: { type: 'approval', value: true, args: args(4) } }, as(jonas));
    const token = await makeToken(server, { role: 'member', name: 'Terminal' });
    const shown = await begin(server.folder, ['show', last], { env: { WITAN_URL: server.url, WITAN_TOKEN: token } }).done;
    for (const digits of [account, '-9223372036854775808', '9007199254740993']) assert.ok(shown.stdout.includes(digits), shown.stdout);
    const form = await visit(t, server, `/q/${last}`, { cookie: maya, javaScriptEnabled: false });
    const body = await form.locator('main').innerText();
    for (const digits of [account, '-9223372036854775808', '9007199254740993']) assert.ok(body.includes(digits), body);
    await form.getByRole('button', { name: 'Approve' }).click();
    await approved(last, 4);
});

// Arguments that nobody would see: what is done stands behind blanks, in a word that is turned around, far below.
test('nothing is approved that was not on screen to its end, and what cannot be seen in it is marked', async (t) => {
    const server = await start(t);
    const people = ['Maya', 'Jonas', 'Ada'];
    for (const name of people) await makeUser(server, name, 'a long password', 'owner');
    const [asker, maya, jonas] = await Promise.all(people.toReversed().map((name) => login(server, name, 'a long password')));
    const as = (cookie) => ({ headers: { Cookie: cookie, Origin: server.url } });
    const approval = (action, fields) => ask(server, { question: `${action.name}?`, type: 'approval', responseType: 'approval', action, ...fields }, as(asker));
    const hidden = await approval({ name: 'b\u0430sh', args: { command: `ls${' '.repeat(3000)}; rm -rf /`, file: 'photo\u202Egnp.exe' } });
    const script = (last) => [...Array.from({ length: 300 }, (_, i) => `echo ${i}`), last].join('\n');
    const long = await approval({ name: 'run', args: { script: script('rm -rf /') } }, { requiredApprovals: 2 });
    const now = async ({ questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}`, undefined, as(asker))).question;
    const page = await (await person(t, server, { cookie: jonas })).newPage();
    const approve = page.getByRole('button', { name: 'Approve' });

    // What has to be loaded before it can be marked is not there yet, and so is not approved.
    let marks;
    await page.route('**/assets/Marked*', async (route) => {
        await new Promise((done) => (marks = done));
        await route.fallback();
    });
    await page.goto(`/inbox/${hidden.questionId}`);
    await until(() => marks, 'they are wanted');
    await page.getByRole('button', { name: 'Scroll to the end first' }).waitFor();
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    marks();
    await page.unroute('**/assets/Marked*');
    await page.getByText('3,000 blanks').waitFor();
    await page.getByText('; rm -rf /').waitFor();
    // Each value is marked for itself, one after the other.
    await until(async () => (await page.getByText('U+202E').count()) === 1, 'the turn of the direction is marked');
    await until(async () => (await page.locator('.act').getByText('U+0430').count()) === 1, 'the foreign letter is marked');
    assert.equal(await page.getByRole('button', { name: /Show all/ }).count(), 0);
    await approve.click();
    await until(async () => (await now(hidden)).status === 'answered', 'what is on screen is approved');

    // Neither the button nor the key approves what has not been seen; each says so.
    await page.goto(`/inbox/${long.questionId}`);
    const onward = page.getByRole('button', { name: 'Scroll to the end first' });
    await onward.waitFor();
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0, 'its pane scrolls, and not the page');
    const scrolled = () => page.locator('.ask').evaluate((pane) => pane.scrollTop);
    const notSent = page.getByText(/^Not sent: /);
    for (const press of [() => approve.dispatchEvent('click'), () => page.keyboard.press('a')]) {
        const before = await scrolled();
        await seen(page, 'run?');
        await press();
        await notSent.waitFor();
        await until(async () => (await scrolled()) > before, 'it leads on');
        await notSent.waitFor({ state: 'detached' });
    }
    assert.equal((await now(long)).approvals.have, 0);

    // By the keyboard alone to the end; then it waits for somebody to decide.
    await onward.focus();
    await until(async () => {
        if (await onward.isVisible()) await page.keyboard.press('Enter');
        return (await approve.getAttribute('aria-disabled')) === null;
    }, 'the end is on screen');
    assert.equal((await now(long)).approvals.have, 0);

    // Somebody else changes the arguments: that has to be seen, too, and is what is approved then.
    const args = { script: script('rm -rf ./build') };
    await page.locator('.ask').evaluate((pane) => pane.scrollTo(0, 0));
    await server.must(200, 'POST', `/api/questions/${long.questionId}/answer`, { response: { type: 'approval', value: true, args } }, as(maya));
    await page.getByText('Others have approved it with these changes.', { exact: false }).waitFor();
    await onward.waitFor();
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    await page.mouse.move(640, 500);
    await until(async () => {
        await page.mouse.wheel(0, 4000);
        return (await approve.getAttribute('aria-disabled')) === null;
    }, 'the end is on screen');
    await approve.click();
    await until(async () => (await now(long)).status === 'answered', 'it is approved');
    assert.deepEqual((await now(long)).approvedArgs, args);

    // What another changes after several were approved, and before that is sent, is not approved with them.
    const several = await approval({ name: 'copy', args: { to: 'a' }, env: { SUDO: '1' } }, { requiredApprovals: 2 });
    await page.goto('/approvals');
    const row = page.getByRole('row').filter({ hasText: 'copy?' });
    await row.getByText('SUDO').waitFor(); // whatever else stands in an action
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Approve 1…' }).click();
    const sheet = page.getByRole('dialog', { name: 'Approve this one?' });
    await sheet.getByRole('button', { name: 'Approve 1' }).and(page.locator(':not([aria-disabled])')).click();
    await server.must(200, 'POST', `/api/questions/${several.questionId}/answer`, { response: { type: 'approval', value: true, args: { to: 'b' } } }, as(maya));
    await page.getByRole('region', { name: 'Answers that were not taken' }).getByText('Another approver has changed the arguments').waitFor();
    assert.deepEqual([(await now(several)).approvals.have, (await now(several)).approvedArgs], [1, { to: 'b' }]);
});
