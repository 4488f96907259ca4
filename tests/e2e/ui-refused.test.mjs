// An answer that was not taken, or does not count, is told to whoever gave it: wherever they are, until they have read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person, seen, visit } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, start, until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const approval = { type: 'approval', responseType: 'approval' };
const ask = (server, fields, options) => server.must(201, 'POST', '/api/questions', { question: 'Run it?', ...approval, ...fields }, options);
const answer = (server, { questionId }, response, options) => server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response }, options);
const get = async (server, { questionId }, options) => (await server.must(200, 'GET', `/api/questions/${questionId}`, undefined, options)).question;
const cards = (page) => page.getByRole('region', { name: 'Answers that were not taken' }).getByRole('article');
const card = (page, text) => cards(page).filter({ hasText: text });

async function twoPeople(server) {
    for (const name of ['Maya', 'Jonas']) await makeUser(server, name, 'a long password', 'owner');
    const cookies = [await login(server, 'Maya', 'a long password'), await login(server, 'Jonas', 'a long password')];
    return cookies.map((cookie) => ({ cookie, as: { headers: { Cookie: cookie, Origin: server.url } } }));
}

// The moment in which an answer can be taken back takes a hundred times as long: it is over when something ends it.
const longMoments = (context) =>
    context.addInitScript(() => {
        const wait = window.setTimeout;
        window.setTimeout = (act, ms, ...rest) => wait(act, ms === 4000 ? ms * 100 : ms, ...rest);
    });

// Somebody is faster, between the click and the server.
function faster(page, path, act) {
    let first = true;
    return page.route(path, async (route) => {
        if (route.request().method() !== 'GET' && first) {
            first = false;
            await act();
        }
        await route.continue();
    });
}

test('who is overruled while their answer can still be taken back is told at once, on every page, until it is put away', async (t) => {
    const server = await start(t);
    const [maya, jonas] = await twoPeople(server);
    const asked = await ask(server, { question: 'Drop the **tables**?', action: { name: 'db.drop', args: { all: true } } }, jonas.as);
    const next = await ask(server, { question: 'Next?', type: 'blocking', responseType: 'text' }, jonas.as);
    const context = await person(t, server, { cookie: maya.cookie });
    await longMoments(context);
    const [page, other] = [await context.newPage(), await context.newPage()];
    await page.addInitScript(() => {
        window.spoken = [];
        addEventListener('DOMContentLoaded', () => new MutationObserver(() => window.spoken.push(document.querySelector('[aria-live=assertive]')?.textContent)).observe(document.body, { subtree: true, childList: true, characterData: true }));
    });
    await page.goto(`/inbox/${asked.questionId}`);
    await page.bringToFront();
    await becomes(() => page.getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled'), null, 'its end was on screen');
    await seen(page);
    await page.keyboard.press('a');
    await page.getByText(/^Sending in \d s$/).waitFor();
    await becomes(() => new URL(page.url()).pathname, `/inbox/${next.questionId}`, 'the page moves on');
    // Others see that she types; she does not, in any of her tabs.
    const his = await visit(t, server, `/inbox/${next.questionId}`, { cookie: jonas.cookie });
    await his.getByLabel('Your answer').waitFor();
    await page.getByLabel('Your answer').fill('half a sen');
    await his.getByText('Maya is typing an answer').waitFor();
    await other.goto(`/inbox/${next.questionId}`);
    await other.getByLabel('Your answer').waitFor();
    for (const tab of [page, other]) assert.equal(await tab.getByText('is typing').count(), 0);
    await server.must(200, 'POST', `/api/questions/${asked.questionId}/answer`, { response: { type: 'approval', value: false, text: 'Not on Fridays' } }, { headers: { ...jonas.as.headers } });
    const lost = card(page, 'Drop the tables?');
    await lost.getByRole('heading', { name: 'Your answer was not taken: Drop the tables?' }).waitFor();
    await lost.getByText(/^Jonas answered .*: Rejected$/).waitFor();
    await lost.getByText('“Not on Fridays”').waitFor();
    await lost.getByText('You said: Approved').waitFor();
    assert.equal(await page.getByText('Sending in').count(), 0);
    // Nobody's typing is disturbed, and it is spoken once.
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
    await until(() => page.evaluate(() => window.spoken.some((words) => words?.includes('Drop the tables?'))), 'it is spoken');
    await accessible(page, 'an answer that was not taken');
    await fits(page, 'an answer that was not taken');
    // The page's keys are alive, the other tab and other pages have it, and so has a reload.
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
    await lost.waitFor();
    await card(other, 'Drop the tables?').waitFor();
    await page.evaluate(() => (window.spoken = []));
    await page.reload();
    await lost.getByText(/^Jonas answered .*: Rejected$/).waitFor();
    assert.ok(!(await page.evaluate(() => window.spoken)).some((words) => words?.includes('Drop the tables?')), 'and is not spoken again');
    // On the phone it stands above the page.
    await page.setViewportSize({ width: 390, height: 844 });
    await lost.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('article').getByText(/Jonas answered/).last().waitFor();
    await fits(page, 'on the phone');
    await accessible(page, 'on the phone');
    await lost.getByRole('button', { name: 'Put away: Drop the tables?' }).click();
    await lost.waitFor({ state: 'detached' });
    await card(other, 'Drop the tables?').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('article').getByText(/Jonas answered/).waitFor();
    assert.equal(await cards(page).count(), 0);
    assert.equal((await get(server, asked, maya.as)).response.value, false);
});

test('an approval that does not count, one that is forbidden meanwhile, and what was lost in a batch are told', async (t) => {
    const server = await start(t);
    const [maya, jonas] = await twoPeople(server);
    // Another window of hers is faster, between the click and the server: the yes of one person counts once.
    const twice = await ask(server, { question: 'Twice?', requiredApprovals: 2 }, jonas.as);
    const page = await visit(t, server, `/inbox/${twice.questionId}`, { cookie: maya.cookie });
    await faster(page, `**/api/questions/${twice.questionId}/answer`, () => answer(server, twice, { type: 'approval', value: true }, maya.as));
    await page.getByRole('button', { name: 'Approve' }).click();
    await card(page, 'Twice?').getByText(/You had approved this before/).waitFor();
    await card(page, 'Twice?').getByRole('heading', { name: 'Your approval does not count: Twice?' }).waitFor();
    assert.equal(await page.getByText('Sent: Approved').count(), 0);
    assert.equal((await get(server, twice, maya.as)).status, 'pending');
    await card(page, 'Twice?').getByRole('button', { name: /Put away/ }).click();
    // Jonas takes the role away between the click and the server, and gives it back.
    const { users } = await server.must(200, 'GET', '/api/users', undefined, jonas.as);
    const role = (word) => server.must(200, 'PATCH', `/api/users/${users.find(({ name }) => name === 'Maya').id}`, { role: word }, jonas.as);
    const asked = await ask(server, { question: 'Which one?', type: 'blocking', responseType: 'text' }, jonas.as);
    await page.goto(`/inbox/${asked.questionId}`);
    await page.getByLabel('Your answer').fill('The *second* one,\nof course.');
    await faster(page, `**/api/questions/${asked.questionId}/answer`, () => role('viewer'));
    await page.getByRole('button', { name: 'Send answer' }).click();
    await card(page, 'Which one?').getByText('The *second* one,').waitFor();
    await role('member');
    await page.reload();
    await card(page, 'Which one?').getByRole('button', { name: 'Send again' }).click();
    await until(async () => (await get(server, asked, jonas.as)).response?.value === 'The *second* one,\nof course.', 'it is answered');
    await card(page, 'Which one?').waitFor({ state: 'detached' });
    // In a batch: one is decided meanwhile, one does not count.
    const [taken, again] = [await ask(server, { question: 'Taken?' }, jonas.as), await ask(server, { question: 'Again?', requiredApprovals: 2 }, jonas.as)];
    await page.goto('/approvals');
    for (const name of ['Taken?', 'Again?']) await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Approve 2…' }).click();
    await faster(page, '**/api/questions/answer', async () => {
        await answer(server, taken, { type: 'approval', value: false }, jonas.as);
        await answer(server, again, { type: 'approval', value: true }, maya.as);
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 2' }).click();
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Again?' }).getByText(/You had approved this before/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'One more' }).click();
    await card(page, 'Again?').getByText(/You had approved this before/).waitFor();
    await card(page, 'Taken?').getByText(/Jonas answered.*Rejected/).waitFor();
    await page.getByRole('button', { name: 'Put all away' }).click();
    await becomes(() => cards(page).count(), 0, 'all are gone');
    // In a discussion that has ended meanwhile.
    await server.must(201, 'POST', '/api/agents', { name: 'Critical', role: 'critical', system_prompt: 'Speaker.' }, jonas.as);
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Where to?', mode: 'turns', participants: [{ agentName: 'Critical' }], options: { rehearse: true } }, jonas.as);
    await page.goto(`/discussions/${discussion.id}`);
    await page.getByLabel('Your contribution').fill('North');
    await faster(page, '**/api/discussions/*', () => server.must(200, 'POST', `/api/discussions/${discussion.id}/cancel`, {}, jonas.as));
    await page.getByRole('button', { name: 'Begin' }).click();
    await card(page, 'Where to?').getByText('You said: North').waitFor();
    // Nothing of it stays for whoever comes after a logout.
    await page.getByRole('button', { name: 'Maya, account' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    // The login is a page of its own, which may still be on its way.
    await becomes(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('witan.refused')).join()).catch(() => 'not there yet'), '', 'no card is kept');
});

test('what has timed out is answered late from its page, and its job restarted with that', async (t) => {
    const server = await start(t);
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running' });
    const asked = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, { question: 'Which region?', type: 'blocking', responseType: 'choice', options: [{ label: 'eu' }, { label: 'us' }], timeoutMinutes: 5 });
    const page = await visit(t, server, `/inbox/${asked.questionId}`);
    await page.getByRole('radio', { name: 'us' }).check();
    await server.advance(6 * 60_000);
    await page.getByText(/Time ran out/).waitFor();
    await page.getByText(/Nothing goes on by itself; with it you can restart the job, once/).waitFor();
    await page.getByRole('button', { name: 'Answer late…' }).click();
    await page.waitForFunction(() => document.activeElement?.matches('textarea')); // a letter means no key of the page
    assert.ok(await page.getByRole('radio', { name: 'us' }).isChecked(), 'what was chosen in time is still chosen');
    await accessible(page, 'a late answer');
    await page.getByRole('button', { name: 'Keep as a late answer' }).click();
    await page.getByText('Kept with the question. Nothing goes on by itself.').waitFor();
    assert.equal(await cards(page).count(), 0, 'who knew that it was late is not told that it was');
    await page.getByText('Came after the deadline, and kept').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Restart the job with “us”' }).click();
    await until(() => /\/jobs\//.test(page.url()), 'to the new job');
    const again = await server.must(200, 'GET', `/api/jobs/${new URL(page.url()).pathname.split('/')[2]}`);
    assert.deepEqual([again.restartOf, again.answer.response.value], [job.id, 'us']);
    await page.goto(`/inbox/${asked.questionId}`);
    await page.getByRole('link', { name: 'Open the new job' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Answer late|Restart/ }).count(), 0);
    // An answer that was kept offline while the time ran out did not know it: a card says so, and what can be done.
    const other = await server.must(201, 'POST', `/api/jobs/${again.id}/questions`, { question: 'Name?', type: 'blocking', responseType: 'text', timeoutMinutes: 5 });
    await page.goto(`/inbox/${other.questionId}`);
    await page.getByLabel('Your answer').fill('Grace');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText(/1 answer kept/).waitFor();
    await server.advance(6 * 60_000);
    await page.context().setOffline(false);
    await card(page, 'Name?').getByText(/Its time was up before your answer came. It is kept/).waitFor();
    await card(page, 'Name?').getByText('You said: Grace').waitFor();
    await page.goto('/jobs');
    await card(page, 'Name?').getByRole('button', { name: 'Restart the job with “Grace”' }).click();
    await page.getByText('A new job has begun with the late answer.').waitFor();
    await card(page, 'Name?').waitFor({ state: 'detached' });
});

test('what was said to a set and a prompt that had been settled is told', async (t) => {
    const server = await start(t);
    const work = await Work.begin(server);
    const { notificationId } = await work.result('planner', 'plan', 'refunds', { open_questions: [{ id: 'q1', text: 'How far back?' }] });
    const page = await visit(t, server, `/projects/${work.project.id}`);
    await page.getByLabel('How far back?').fill('A year');
    await faster(page, '**/notifications/*', () => work.answer(notificationId, { q1: 'A month' }));
    await page.getByRole('button', { name: 'Send answer' }).click();
    await card(page, 'How far back?').getByText('You answered first: A month').waitFor();
    await card(page, 'How far back?').getByText('You said: A year').waitFor();
    assert.equal(await page.getByText('Sent.').count(), 0);
    const { prompt } = await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Scout', prompt_message: 'Which **colour**?', required_responses: 2, timeout_minutes: 5 });
    await page.goto(`/chat?prompt=${prompt.id}`);
    await page.getByRole('button', { name: 'Reply' }).click();
    await page.getByLabel('Your reply').fill('Green');
    await faster(page, '**/api/discussion/*', () => server.must(200, 'PATCH', `/api/discussion/${prompt.id}`, { action: 'cancel' }));
    await page.getByRole('button', { name: 'Send reply' }).click();
    await card(page, 'Which colour?').getByText('You said: Green').waitFor();
    await page.getByRole('button', { name: 'One more' }).waitFor();
    // Should the file that draws the cards not come, it is said all the same.
    await page.route('**/assets/Refused-*', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText(/not taken: How far back\? .* You said: A year/).waitFor();
});
