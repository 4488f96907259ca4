// The squad chat in the browser: prompts as yellow cards with their replies, and a composer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accessible, fits, framed, person, settled, visit } from './lib/browser.mjs';
import { becomes, onBothEngines, quickOnce, start, until } from './lib/server.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
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
    const rows = () => log.getByRole('listitem').filter({ hasNotText: 'New since' }).count();
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

// How far what was said last is from where it is read: the end of the list from what stands below it. Negative: hidden by it.
const fromEnd = (page) =>
    page.evaluate(() => {
        const last = [...document.querySelectorAll('[role=log] > ol > li')].at(-1).getBoundingClientRect();
        return Math.round(document.querySelector('.composer').getBoundingClientRect().top - last.bottom);
    });

test('the chat opens at its newest message, at the desk and on the phone, whatever comes late, and asks for each thing once', async (t) => {
    const server = await start(t);
    const prompts = [];
    for (let i = 0; i < 30; i++) {
        await server.say('Scout', `Line ${i}.\n\n${'- a point that takes a line\n'.repeat(i % 7)}\n${'Much was said about it. '.repeat((i * 7) % 31)}`);
        prompts.push(await ask(server, `What of ${i}?\n\n${'It is not a short question. '.repeat(i % 9)}`));
        if (i % 3 === 0) await answer(server, prompts.at(-1), 'Builder', 'That is fine.\n\n'.repeat(1 + (i % 4)));
    }
    await server.say('Scout', 'The last word.');
    const count = async (page, path) => {
        const asked = [];
        const note = (request) => request.method() === 'GET' && /\/api\/(discussion|chat|agents|presence)\b/.test(request.url()) && asked.push(request.url());
        page.on('request', note);
        await (path ? page.goto(path) : page.reload());
        await page.getByRole('log').getByText('The last word.').waitFor({ state: 'attached' });
        await settled(page);
        page.off('request', note);
        assert.ok(asked.length >= 20, `${asked.length} were asked for`);
        assert.equal(asked.length, new Set(asked).size, 'nothing is asked for twice');
    };
    for (const options of [{}, { width: 390, height: 844, hasTouch: true, scheme: 'dark' }]) {
        const page = await (await person(t, server, options)).newPage();
        // Cards come when they come, and grow where they stand.
        await page.route('**/api/discussion/*', async (route) => {
            const late = prompts.slice(0, 18).some(({ id }) => route.request().url().endsWith(id));
            if (late) await page.waitForTimeout(400);
            await route.continue().catch(() => {});
        });
        const near = async (what) => {
            await until(async () => Math.abs((await fromEnd(page)) - (options.width ? 16 : 20)) <= 16, `${what}: the newest is in view`).catch(async (why) => assert.fail(`${why.message}; it is ${await fromEnd(page)} px away`));
            await framed(page);
            assert.equal(await page.getByRole('button', { name: /new message|To the newest/ }).count(), 0, what);
        };
        await count(page, '/chat');
        await near('opened');
        await count(page);
        await near('loaded again');
        // A text that becomes longer, and a window that changes its size, move it with them.
        await server.say('Builder', 'More.\n\n'.repeat(12));
        await until(() => page.getByRole('log').getByText('More.').last().isVisible(), 'it came');
        await near('more came');
        await page.setViewportSize({ width: (options.width ?? 1280) - 60, height: 600 });
        await near('a smaller window');
        await fits(page, 'the chat');
        // A link to a prompt finds it, and nothing is new by that.
        await count(page, `/chat?prompt=${prompts[3].id}`);
        const card = page.locator(`#prompt-${prompts[3].id}`);
        await page.waitForFunction((wanted) => document.activeElement?.id === wanted, `prompt-${prompts[3].id}`);
        const inView = () => card.evaluate((element) => element.getBoundingClientRect().bottom > 60 && element.getBoundingClientRect().top < innerHeight - 60);
        await until(inView, 'the card is in view');
        await settled(page);
        assert.ok(await inView(), 'and stays in view');
        assert.equal(await page.getByRole('button', { name: /new message/ }).count(), 0, 'nothing is new by a link');
    }
});

test('what came since one last looked begins at a line, is counted rightly, and a link makes nothing new', async (t) => {
    const server = await start(t);
    for (let i = 0; i < 25; i++) await server.say('Scout', `Line ${i}.`);
    const page = await visit(t, server, '/chat');
    const log = page.getByRole('log', { name: 'Messages' });
    const since = log.getByText(/^New since \d\d:\d\d$/);
    const below = page.getByRole('button', { name: /new message/ });
    const after = () => since.evaluate((element) => element.closest('li').nextElementSibling.textContent);
    await log.getByText('Line 24.').waitFor();
    assert.equal(await since.count(), 0, 'whoever comes for the first time has missed nothing');
    // Elsewhere meanwhile, and back by a link to one of what came.
    const rail = page.getByRole('navigation', { name: 'Main' });
    await rail.getByRole('link', { name: /^Jobs/ }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await server.say('Scout', 'Came first.');
    const prompt = await ask(server, 'Came second?');
    for (let i = 0; i < 30; i++) await server.say('Scout', `Later ${i}.`);
    await page.evaluate((to) => {
        const link = Object.assign(document.createElement('a'), { href: to });
        document.body.append(link);
        link.click();
        link.remove();
    }, `/chat?prompt=${prompt.id}`);
    await page.waitForFunction((wanted) => document.activeElement?.id === wanted, `prompt-${prompt.id}`);
    await settled(page);
    assert.equal(await below.count(), 0, 'what was there before is not new');
    assert.match(await after(), /Came first\./);
    await server.say('Scout', 'Right now.');
    await page.getByRole('button', { name: '1 new message' }).click();
    await log.getByText('Right now.').waitFor();
    // All was seen by now: another visit begins there.
    await rail.getByRole('link', { name: /^Jobs/ }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await rail.getByRole('link', { name: /^Chat/ }).click();
    await log.getByText('Right now.').waitFor();
    await settled(page);
    assert.equal(await since.count(), 0);
    await server.say('Scout', 'Before my eyes.');
    await log.getByText('Before my eyes.').waitFor();
    await settled(page);
    assert.equal(await since.count(), 0, 'what is seen as it comes was not missed');
    // Nobody looks: the line comes before the first of what is somebody else's.
    const look = (state) =>
        page.evaluate((is) => {
            Object.defineProperty(document, 'visibilityState', { value: is, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }, state);
    await look('hidden');
    await server.must(201, 'POST', '/api/chat', { agent_name: 'local', is_human: true, message: 'From my phone.' });
    for (let i = 0; i < 40; i++) await server.say('Builder', `Unseen ${i}.`);
    await log.getByText('Unseen 39.').waitFor();
    await look('visible');
    await page.getByRole('button', { name: /^40 new since/ }).click();
    await until(() => since.isVisible(), 'the line is in view');
    assert.match(await after(), /Unseen 0\./);
    assert.equal(await below.count(), 0, 'all of it was there before one went up');
    // Up here what comes is counted, but for what one writes oneself.
    await server.must(201, 'POST', '/api/chat', { agent_name: 'local', is_human: true, message: 'From my phone again.' });
    await server.say('Builder', 'One more.');
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    // A link to a message, too.
    const { messages } = await server.must(200, 'GET', '/api/chat?limit=100');
    const { id } = messages.find(({ message }) => message === 'Later 3.');
    await page.goto(`/chat?message=${id}`);
    await page.waitForFunction((wanted) => document.activeElement?.id === wanted, `message-${id}`);
    await settled(page);
    assert.equal(await below.count(), 0);
    await accessible(page, 'the chat with a line');
    // What cannot be seen in a prompt is marked beside the talk, too.
    await ask(server, 'Prompt photo\u202Egnp.exe?');
    const open = page.getByRole('complementary', { name: 'About this chat' }).getByRole('button', { name: /^Prompt photo/ });
    await open.getByText('U+202E').waitFor();
    assert.ok(!(await open.textContent()).includes('\u202E'));
});

test('the chat shows who is here and where, a question who else looks at it; on the phone behind a button', async (t) => {
    const server = await start(t);
    await makeUser(server, 'Ana', 'three odd otters', 'owner');
    await makeUser(server, 'Ben', 'three odd otters');
    const scout = { token: await makeToken(server, { role: 'agent', agent: 'Scout' }) };
    const { questionId } = await server.must(201, 'POST', '/api/questions', { type: 'blocking', question: 'Which colour?', responseType: 'text' }, scout);
    await server.say('Scout', 'Here.', scout);
    const as = async (name, path, options) => visit(t, server, path, { cookie: await login(server, name, 'three odd otters'), ...options });
    const ana = await as('Ana', '/chat');
    const people = ana.getByRole('complementary', { name: 'About this chat' });
    const line = (name) => people.getByRole('listitem').filter({ hasText: name });
    await line('Ana').getByText('You').waitFor();
    await line('Scout').getByText('waits for you').waitFor();
    assert.equal(await line('Ben').count(), 0);
    const ben = await as('Ben', '/inbox');
    await line('Ben').getByText('in the inbox').waitFor();
    await ben.goto(`/inbox/${questionId}`);
    await line('Ben').getByText('at a question').waitFor();
    await ana.goto(`/inbox/${questionId}`);
    await ana.getByText('Ben is looking at this too').waitFor();
    await accessible(ana, 'a question that two look at');
    await ben.goto('/settings');
    await ana.getByText('Ben is looking at this too').waitFor({ state: 'detached' });
    // On the phone.
    const phone = await as('Ana', '/chat', { width: 390, height: 844, hasTouch: true });
    await phone.getByRole('button', { name: '2 here' }).tap();
    const about = phone.getByRole('dialog', { name: 'About this chat' });
    await about.getByRole('listitem').filter({ hasText: 'Ben' }).getByText('elsewhere here').waitFor();
    await accessible(phone, 'who is here');
    await fits(phone, 'who is here');
    // A tab that is closed says so.
    await ben.close({ runBeforeUnload: true });
    await about.getByText('Ben').waitFor({ state: 'detached' });
    await phone.getByRole('button', { name: '1 here' }).waitFor();
});

test('two who are here under one name are two lines', async (t) => {
    const server = await start(t);
    await makeUser(server, 'Ana', 'three odd otters', 'owner');
    for (let i = 0; i < 2; i++) {
        const desk = { token: await makeToken(server, { role: 'member', name: 'Desk' }) };
        await server.must(204, 'POST', '/api/presence', { tab: randomUUID(), page: 'inbox' }, desk);
    }
    const page = await visit(t, server, '/chat', { cookie: await login(server, 'Ana', 'three odd otters') });
    const people = page.getByRole('complementary', { name: 'About this chat' });
    await people.getByRole('listitem').filter({ hasText: 'Ana' }).getByText('You').waitFor();
    await until(async () => (await people.getByRole('listitem').filter({ hasText: 'Desk' }).count()) === 2, 'both are there');
});
