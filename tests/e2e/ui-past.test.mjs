// What has ended is looked up in the inbox, and everything that waits stands there, whatever it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, framed, person, visit } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, onBothEngines, start, until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const ask = (server, fields) => server.must(201, 'POST', '/api/questions', { question: 'Run it?', type: 'approval', responseType: 'approval', ...fields });
const answer = (server, { questionId }, value = true) => server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'approval', value } });
const row = (page, text) => page.locator('.rows').getByRole('listitem').filter({ hasText: text });
const query = (page) => new URL(page.url()).searchParams;

onBothEngines('what was answered, has timed out or was cancelled is looked up by its status, and the address says so', {}, async (server, t) => {
    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Web shop' });
    const yes = await ask(server, { question: 'Create tickets?', agent: 'Scout', projectId: shop.id });
    const no = await ask(server, { question: 'Delete signals?', agent: 'Planner' });
    const gone = await ask(server, { question: 'Merge clusters?' });
    await ask(server, { question: 'Too late?', timeoutMinutes: 5 });
    await answer(server, yes);
    await answer(server, no, false);
    await server.must(200, 'POST', `/api/questions/${gone.questionId}/cancel`, {});
    await server.advance(6 * 60_000);
    const open = await ask(server, { question: 'Still open?' });
    const page = await visit(t, server, '/inbox');
    await row(page, 'Still open?').waitFor();
    assert.equal(await row(page, 'Create tickets?').count(), 0);
    await page.getByLabel('Status').selectOption('Answered');
    await row(page, 'Delete signals?').getByText('You: Rejected').waitFor();
    await row(page, 'Create tickets?').getByText('You: Approved').waitFor();
    assert.equal(await row(page, 'Still open?').count(), 0);
    await becomes(() => query(page).get('status'), 'answered', 'the address says so');
    await page.getByText('2 answered').waitFor();
    await accessible(page, 'what was answered');
    await page.getByLabel('Project').selectOption('Web shop');
    await page.getByText('1 answered').waitFor();
    await becomes(() => query(page).get('project'), shop.id, 'the address says which');
    // By the keyboard alone: the first one opens, and says who said what.
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).click();
    await page.keyboard.press('j');
    await page.getByRole('article').getByText(/You answered|answered/).first().waitFor();
    await becomes(() => new URL(page.url()).pathname, `/inbox/${yes.questionId}`, 'the first one');
    // The address alone leads there, and the way back is the browser's.
    await page.goto('/inbox?status=cancelled');
    await row(page, 'Merge clusters?').getByText('Cancelled').waitFor();
    await page.getByLabel('Status').selectOption('Timed out');
    await row(page, 'Too late?').getByText('Timed out without an answer').waitFor();
    await page.goBack();
    await row(page, 'Merge clusters?').waitFor();
    await becomes(() => query(page).get('status'), 'cancelled', 'back where it was');
    // What ends while somebody looks comes by itself.
    await server.must(200, 'POST', `/api/questions/${open.questionId}/cancel`, {});
    await row(page, 'Still open?').waitFor();
    await page.getByText('2 cancelled').waitFor();
});

test('what has ended comes in pages', async (t) => {
    const server = await start(t);
    for (let i = 0; i < 53; i++) await answer(server, await ask(server, { question: `Question ${i}?` }));
    const page = await visit(t, server, '/inbox?status=answered', { width: 390, height: 844 });
    await page.getByText('50+ answered').waitFor();
    await row(page, 'Question 52?').waitFor();
    assert.equal(await row(page, 'Question 0?').count(), 0);
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('53 answered').waitFor();
    await row(page, 'Question 0?').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0);
    await page.goto('/inbox?status=timeout');
    await page.getByText('Nothing has timed out').waitFor();
    await accessible(page, 'nothing has timed out');
    await page.getByRole('link', { name: 'Show what is open' }).click();
    await page.getByText('Nothing needs you').waitFor();
});

onBothEngines('open questions of projects, prompts that mention one and turns stand in the inbox and are answered from there', {}, async (server, t) => {
    await makeUser(server, 'Maya', 'correct horse', 'owner');
    const cookie = await login(server, 'Maya', 'correct horse');
    const as = { headers: { Cookie: cookie, Origin: server.url } };
    const must = (status, method, path, body) => server.must(status, method, path, body, as);
    const page = await visit(t, server, '/inbox', { cookie });
    await page.getByText('Nothing needs you').waitFor();
    // All of it comes by events.
    const work = await Work.begin({ must }, { name: 'Web shop' });
    const task = await work.claimed('Payment');
    await work.stuck(task.id, 'Which provider?', 'Which currency?');
    await row(page, 'Which provider? (and 1 more)').getByText('Open questions').waitFor();
    const { prompt } = await must(201, 'POST', '/api/discussion', { requester_agent: 'Scout', prompt_message: 'What do you think, @Maya?', required_responses: 1 });
    await row(page, 'What do you think').getByText('Prompt').waitFor();
    await must(201, 'POST', '/api/agents', { name: 'Eve', role: 'critic', ai_model_config: { provider: 'external' } });
    const { caller } = await must(200, 'GET', '/api/me');
    const { discussion } = await must(201, 'POST', '/api/discussions', { topic: 'Tabs or spaces?', mode: 'rounds', rounds: 1, participants: [{ role: 'user', userId: caller.id }, { agentName: 'Eve' }] });
    await row(page, 'Tabs or spaces?').getByText('Your turn').waitFor();
    await page.getByRole('heading', { name: /3 need you/ }).waitFor();
    await accessible(page, 'all kinds');
    const list = (await must(200, 'GET', '/api/inbox')).items.map(({ type }) => type).sort();
    assert.deepEqual(list, ['open_questions', 'prompt', 'turn'], 'the same as the command line lists');

    await page.getByLabel('Type').selectOption('Prompt');
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'What do you think').getByRole('link').click();
    await page.getByRole('button', { name: 'Reply' }).click();
    await page.getByLabel('Your reply').fill('Spaces.');
    await accessible(page, 'a prompt in the inbox');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.getByText('This is not waiting any more').waitFor();
    assert.equal((await must(200, 'GET', `/api/discussion/${prompt.id}`)).prompt.status, 'resolved');

    await page.goto('/inbox');
    await row(page, 'Which provider?').getByRole('link').click();
    await page.getByRole('textbox', { name: 'Which provider?' }).fill('Stripe');
    await page.getByRole('textbox', { name: 'Which currency?' }).fill('Euro');
    await accessible(page, 'a set in the inbox');
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByText('This is not waiting any more').waitFor();
    await row(page, 'Which provider?').waitFor({ state: 'detached' });

    await row(page, 'Tabs or spaces?').getByRole('link').click();
    await page.getByRole('link', { name: 'Take your turn' }).click();
    await page.getByRole('heading', { name: 'Tabs or spaces?' }).waitFor();
    await becomes(() => new URL(page.url()).pathname, `/discussions/${discussion.id}`, 'where the turn is');
});

test('a link to a prompt leads to it in the chat', async (t) => {
    const server = await start(t);
    const { id } = await server.ask({ prompt_message: 'The one that is meant?' });
    for (let i = 0; i < 130; i++) await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: `Noise ${i}` });
    const page = await (await person(t, server)).newPage();
    // A browser may tell that the newest came into view when the way to the prompt has already begun, which waits for a reply; what
    // else asks for it comes after that.
    const log = page.getByRole('log', { name: 'Messages' });
    const arrived = () => page.waitForFunction((wanted) => document.activeElement?.id === wanted, `prompt-${id}`);
    const tell = async () => {
        await log.getByText('Noise 129').waitFor();
        await log.evaluate((element) => {
            element.scrollTop = element.scrollHeight;
            element.dispatchEvent(new Event('scroll'));
        });
        await framed(page);
    };
    let requests = 0;
    await page.route(`**/api/discussion/${id}`, async (route) => {
        await (++requests === 1 ? tell() : arrived());
        await route.continue();
    });
    await page.goto(`/chat?prompt=${id}`);
    const card = page.getByRole('article').filter({ hasText: 'The one that is meant?' });
    await card.waitFor();
    await arrived();
    const inView = () => card.evaluate((element) => element.getBoundingClientRect().top >= 0 && element.getBoundingClientRect().bottom <= innerHeight);
    await until(inView, 'it is in view');
    // What comes meanwhile is not followed.
    await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: 'The newest.' });
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    await framed(page);
    assert.ok(await inView(), 'and stays there');
});
