// The squad chat in the browser: prompts as yellow cards with their replies, and a composer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './lib/browser.mjs';
import { onBothEngines, start } from './lib/server.mjs';

const ask = async (server, prompt_message, fields) => (await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Developer', prompt_message, ...fields })).prompt;
const answer = (server, prompt, agent_name, message) => server.must(201, 'POST', `/api/discussion/${prompt.id}`, { agent_name, message });
const get = async (server, { id }) => (await server.must(200, 'GET', `/api/discussion/${id}`)).prompt;

onBothEngines('agents ask each other in the chat, and a person replies, resolves and cancels', {}, async (server, t) => {
    const page = await visit(t, server, '/chat');
    await page.getByText('Nothing has been said yet').waitFor();
    await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: 'The feed has **changed** <b>now</b>.' });
    await page.getByRole('listitem').filter({ hasText: 'The feed has changed <b>now</b>.' }).waitFor();
    const prompt = await ask(server, 'What should I mind?', { required_responses: 3 });
    const card = page.getByRole('article', { name: 'What should I mind?' });
    await card.getByText('Discussion').waitFor();
    await card.getByText('0/3 responses').waitFor();
    await card.getByRole('timer').waitFor();
    await answer(server, prompt, 'Builder', 'Memory is enough.');
    await answer(server, prompt, 'Scout', 'Mind the version.');
    await card.getByText('2/3 responses').waitFor();
    await card.getByText('Collecting').waitFor();
    assert.deepEqual(await card.getByRole('progressbar').evaluate(({ value, max }) => [value, max]), [2, 3]);
    const reply = page.getByText('Mind the version.');
    const [left, border] = await reply.evaluate((element) => {
        const thread = element.closest('.thread');
        const style = getComputedStyle(thread);
        return [thread.getBoundingClientRect().left - thread.previousElementSibling.getBoundingClientRect().left, [style.borderInlineStartWidth, style.borderInlineStartColor]];
    });
    assert.deepEqual([left, border], [24, ['3px', 'rgb(36, 87, 214)']]);
    assert.equal(await card.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgb(255, 246, 214)');
    await card.getByRole('button', { name: 'Reply' }).click();
    await page.getByLabel('Your reply').fill('Do not cache prices.');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await card.getByText('Resolved').waitFor();
    await card.getByText('3/3 responses').waitFor();
    assert.equal((await get(server, prompt)).collected_context.at(-1).is_human, true);
    assert.equal(await card.getByRole('button').count(), 0, 'what has ended offers nothing');
    const [early, gone] = [await ask(server, 'Early?'), await ask(server, 'Gone?')];
    await page.getByRole('article', { name: 'Early?' }).getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('article', { name: 'Early?' }).getByText('Resolved').waitFor();
    await page.getByRole('article', { name: 'Gone?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('article', { name: 'Gone?' }).getByText('Cancelled').waitFor();
    assert.deepEqual([(await get(server, early)).status, (await get(server, gone)).status], ['resolved', 'cancelled']);
});

test('people write, and ask the squad; what was typed survives a refusal', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/chat');
    const field = page.getByRole('textbox', { name: 'Message to the squad' });
    await field.fill('Hello, all.');
    await page.reload(); // a draft survives
    assert.equal(await field.inputValue(), 'Hello, all.');
    await page.route('**/api/chat', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 422, json: { error: 'Not like this.', code: 'invalid' } }) : route.continue()));
    await field.press('Enter');
    await page.getByRole('alert').getByText('Not like this.').waitFor();
    assert.equal(await field.inputValue(), 'Hello, all.');
    await page.unroute('**/api/chat');
    await field.press('Enter');
    await page.getByRole('log').getByText('Hello, all.').waitFor();
    assert.equal(await field.inputValue(), '');
    await page.getByRole('button', { name: 'Ask the squad' }).click();
    await page.getByRole('textbox', { name: 'Question to the squad' }).fill('Tea or coffee?');
    await page.getByLabel('Replies needed').fill('1');
    await page.getByRole('button', { name: 'Send' }).click();
    const card = page.getByRole('article', { name: 'Tea or coffee?' });
    await card.getByText('0/1 responses').waitFor();
    await page.getByRole('complementary', { name: 'About this chat' }).getByRole('button', { name: /Tea or coffee/ }).waitFor();
    await server.advance(31 * 60_000);
    await card.getByText('Timed out').waitFor();
    await page.getByText('Went on with 0 of 1 (timed out)').waitFor();
});
