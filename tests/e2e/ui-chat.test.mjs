// The squad chat in the browser: prompts as yellow cards with their replies, and a composer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, framed, visit } from './lib/browser.mjs';
import { becomes, onBothEngines, quickOnce, start, until } from './lib/server.mjs';
import { listen } from './lib/streams.mjs';

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
    await until(async () => (await field.inputValue()) === '', 'the field is empty again');
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

test('@ completes names by keys alone; [ and ] walk through the prompts, R replies', async (t) => {
    const server = await start(t);
    await server.say('Scout', 'Here.');
    await server.must(201, 'POST', '/api/agents', { name: 'Scribe', role: 'writer' });
    const [first, second] = [await ask(server, 'First?'), await ask(server, 'Second?')];
    const page = await visit(t, server, '/chat');
    await page.getByRole('article', { name: 'Second?' }).waitFor();
    await page.keyboard.press('c');
    const field = page.getByRole('textbox', { name: 'Message to the squad' });
    await page.keyboard.type('Ask @sc');
    const names = page.getByRole('listbox', { name: 'Names' });
    await names.getByRole('option', { name: 'Scribe' }).waitFor();
    assert.equal(await names.getByRole('option', { selected: true }).textContent(), 'Scout');
    assert.equal(await field.getAttribute('aria-activedescendant'), await names.getByRole('option', { selected: true }).getAttribute('id'));
    await accessible(page, 'names');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await names.waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), 'Ask @Scribe ');
    await page.keyboard.type('and me@example.org');
    assert.equal(await names.count(), 0, 'an address calls nobody');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Ask @Scribe and me@example.org').waitFor();
    await page.keyboard.type('/prompt Third?');
    await page.getByLabel('Replies needed').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Question to the squad' }).inputValue(), 'Third?');
    await field.or(page.getByRole('textbox', { name: 'Question to the squad' })).blur();
    const at = () => page.evaluate(() => document.activeElement.id);
    await page.keyboard.press('[');
    await becomes(at, `prompt-${second.id}`, 'at the last prompt');
    await page.keyboard.press('[');
    await becomes(at, `prompt-${first.id}`, 'at the one before');
    await page.keyboard.press('r');
    await page.getByLabel('Your reply').fill('By keys.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('By keys.').waitFor();
});

test('five thousand messages that arrive while one reads above move nothing, and do not fill the page', async (t) => {
    const server = await start(t);
    const write = (from, to) => server.sql(`WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        INSERT INTO squad_chat (id, agent_name, message, created_at)
        SELECT printf('00000000-0000-4000-8000-%012d', i), 'Scout', 'Message ' || i || '.', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day', '+' || i || ' seconds') FROM n`);
    const heard = await listen(t, server, { query: '?types=chat.message' });
    await write(1, 300);
    await heard.until(() => heard.events.length === 300, 'the first are told of', 120_000);
    const page = await visit(t, server, '/chat');
    const log = page.getByRole('log', { name: 'Messages' });
    await log.getByText('Message 300.', { exact: true }).waitFor();
    const read = log.getByText('Message 250.', { exact: true });
    await read.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await until(async () => (await page.evaluate(() => document.querySelector('[role=log]').scrollTop)) > 0, 'it has scrolled');
    await framed(page);
    const top = () => read.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const before = await top();
    await write(301, 5300);
    await page.getByRole('button', { name: '5000 new messages' }).waitFor({ timeout: 120_000 });
    assert.ok(Math.abs((await top()) - before) <= 2, `what is read was at ${before} and is at ${await top()}`);
    const rows = () => log.getByRole('listitem').count();
    assert.ok((await rows()) <= 600, `${await rows()} rows`);
    // Reading on, row by row, leads to the rest.
    await log.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await log.getByText('Message 800.', { exact: true }).waitFor({ state: 'attached' });
    assert.ok((await rows()) <= 600, `${await rows()} rows`);
    await page.getByRole('button', { name: /new messages/ }).click();
    await log.getByText('Message 5300.', { exact: true }).waitFor();
    assert.ok((await rows()) <= 200, `${await rows()} rows`);
    await page.getByRole('button', { name: /new messages/ }).waitFor({ state: 'detached' });
    // And from here on the newest are followed again.
    await server.say('Builder', 'The newest.');
    await log.getByText('The newest.').waitFor();
    await until(() => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 80), 'the newest is in view');
    for (const message of ['Message 5050.', 'Message 4950.']) {
        await log.getByRole('button', { name: 'Show older' }).click();
        await log.getByText(message, { exact: true }).waitFor({ state: 'attached' });
    }
});

test('five thousand messages, and one of two million letters, are read in parts', async (t) => {
    const server = await start(t);
    // Another program has written them, and nobody is being told of them any more.
    const heard = await listen(t, server, { query: '?types=chat.message' });
    await server.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO squad_chat (id, agent_name, message, created_at)
        SELECT printf('00000000-0000-4000-8000-%012d', i), 'Scout', 'Message ' || i || '.', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day', '+' || i || ' seconds') FROM n`);
    await server.sql(`INSERT INTO squad_chat (id, agent_name, message) VALUES ('00000000-0000-4000-8000-000000009999', 'Scout', 'Long: ' || replace(hex(zeroblob(1000000)), '00', 'ab'))`);
    await heard.until(() => heard.events.length > 5000, 'all are told of', 300_000);
    heard.close();
    const page = await visit(t, server, '/chat');
    const log = page.getByRole('log', { name: 'Messages' });
    await log.getByText('Message 5000.').waitFor();
    assert.ok((await log.textContent()).length < 100_000, 'the long one is cut');
    await log.getByRole('button', { name: 'Show all of it (2.0 MB)' }).click();
    await log.getByRole('button', { name: 'Show less' }).waitFor();
    await until(async () => (await log.textContent()).length > 2_000_000, 'all of it is there');
    await log.getByRole('button', { name: 'Show less' }).click();
    for (const message of ['Message 4850.', 'Message 4750.', 'Message 4650.']) {
        await log.getByRole('button', { name: 'Show older' }).click();
        await log.getByText(message, { exact: true }).waitFor({ state: 'attached' });
    }
    const scroll = async () => {
        const pane = document.querySelector('[role=log]');
        let longest = 0;
        new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (longest = Math.max(longest, duration)))).observe({ type: 'longtask' });
        for (let top = pane.scrollHeight; top > 0; top -= 400) {
            pane.scrollTop = top;
            await new Promise(requestAnimationFrame);
        }
        return longest;
    };
    await quickOnce(2000, () => page.evaluate(scroll)); // scrolling does not hold the page up
    assert.ok((await log.getByRole('listitem').count()) <= 600);
    await server.say('Builder', 'The newest.');
    await log.getByText('The newest.').waitFor({ state: 'attached' });
});
