// By the keyboard alone, and never by accident.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framed, person, seen, visit } from './lib/browser.mjs';
import { becomes, start, until } from './lib/server.mjs';
import { storyServer } from './lib/story.mjs';

const ask = (server, fields) => server.must(201, 'POST', '/api/questions', { question: 'Which region?', type: 'blocking', responseType: 'text', ...fields });
const approval = { type: 'approval', responseType: 'approval' };
const status = async (server, { questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}`)).question;
const ended = (server, asked) => until(async () => { const found = await status(server, asked); return found.status !== 'pending' && found; }, 'it is answered');

// The window of somebody who has only a keyboard, and how many keys they have pressed; what they write is not counted.
async function keyboard(t, server, path) {
    const page = await visit(t, server, path);
    let count = 0;
    return {
        page,
        press: async (key) => {
            count++;
            await page.keyboard.press(key);
        },
        write: (text) => page.keyboard.type(text),
        pressed: () => {
            const was = count;
            count = 0;
            return was;
        },
    };
}
const focused = (page) => page.evaluate(() => document.activeElement.id);
const options = [{ label: 'Frankfurt' }, { label: 'Dublin' }];

test('with 35 open questions own words take three keys, ten mixed questions 25, a discussion six, more time two', async (t) => {
    const server = await storyServer(t);
    const kinds = [{ responseType: 'text' }, { responseType: 'choice', options, allowOther: true }, approval, { responseType: 'choice', options }, { responseType: 'boolean' }];
    const asked = [];
    for (let i = 0; i < 35; i++) asked.push(await ask(server, { question: `Number ${i}?`, timeoutMinutes: 20 + i, ...kinds[i % 5] }));
    const { page, press, write, pressed } = await keyboard(t, server, '/inbox');
    await page.locator('.list-head').getByText('35 need you').waitFor();
    const at = async (i) => {
        await seen(page, `Number ${i}?`);
        assert.equal(await focused(page), 'h-ask', 'the question has the focus');
    };

    // In words of one's own: to a question for a text, by Enter, which opens the field.
    await press('j');
    await at(0);
    await press('Enter');
    await becomes(() => page.evaluate(() => document.activeElement.tagName), 'TEXTAREA', 'the field is open');
    await write('just as it was');
    await press('Control+Enter');
    assert.ok(pressed() <= 3);
    assert.equal((await ended(server, asked[0])).response.value, 'just as it was');
    // Beside a choice, by the number after the last.
    await at(1);
    await press('3');
    await becomes(() => page.evaluate(() => document.activeElement.placeholder), 'Your own words', 'the field is open');
    await write('2 of each');
    await press('Control+Enter');
    assert.ok(pressed() <= 3);
    assert.equal((await ended(server, asked[1])).response.text, '2 of each');

    // More time: to the next, and a key.
    await at(2);
    const before = (await status(server, asked[3])).timeoutAt;
    await press('j');
    await at(3);
    await press('+');
    assert.ok(pressed() <= 2);
    await until(async () => (await status(server, asked[3])).timeoutAt > before, 'it has more time');
    await press('k');
    pressed();

    // Ten of all kinds, one after the other; what begins a text is not lost.
    const given = [];
    for (let i = 2; i < 12; i++) {
        await page.locator('[data-settled]').waitFor();
        const n = Number((await page.getByRole('article').getByRole('heading', { level: 2 }).textContent()).match(/\d+/)[0]);
        await at(n);
        const kind = n % 5;
        given.push([n, kind]);
        if (kind === 0) await write('nobody knows').then(() => press('Control+Enter'));
        else if (kind === 1) await press('3').then(() => write('words')).then(() => press('Control+Enter'));
        else if (kind === 2 && n > 2) await press('r').then(() => write('why')).then(() => press('Control+Enter'));
        else if (kind === 3) await press('2').then(() => press('Enter'));
        else await press(n % 2 ? 'r' : 'a');
    }
    const keys = pressed();
    assert.ok(keys <= 25, `ten questions took ${keys} keys`);
    const expected = { 0: { value: 'nobody knows' }, 1: { text: 'words' }, 2: { value: false, text: 'why' }, 3: { value: 'Dublin' } };
    assert.equal(given.length, 10);
    for (const [n, kind] of given) {
        const { response } = await ended(server, asked[n]);
        for (const [part, value] of Object.entries(n === 2 ? { value: true } : (expected[kind] ?? { value: n % 2 === 0 }))) assert.deepEqual(response[part], value, `number ${n}`);
    }

    // A discussion, from anywhere.
    await page.goto('/jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    pressed();
    await press('g');
    await press('d');
    await page.getByRole('button', { name: 'New discussion' }).waitFor();
    await press('c');
    await page.getByRole('checkbox', { name: 'Divergent' }).waitFor();
    await write('Tea or coffee, and why?');
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'Tea or coffee, and why?' }).waitFor();
    assert.ok(pressed() <= 6);
});

test('keys leave buttons and links what is theirs, and a decision that comes too early says so', async (t) => {
    const server = await start(t);
    const asked = [];
    for (let i = 0; i < 2; i++) asked.push(await ask(server, { ...approval, question: `Run ${i}?`, timeoutMinutes: 20 + i }));
    const page = await visit(t, server, `/inbox/${asked[0].questionId}`);
    await seen(page, 'Run 0?');
    // Enter presses a button and follows a link while a question is open.
    await page.getByRole('link', { name: 'Run 1?' }).focus();
    await page.keyboard.press('Enter');
    await seen(page, 'Run 1?');
    await page.getByRole('button', { name: 'Reject…' }).focus();
    await page.keyboard.press('Enter');
    await becomes(() => page.evaluate(() => document.activeElement.tagName), 'TEXTAREA', 'it asks why');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Help and keyboard shortcuts' }).focus();
    await page.keyboard.press('Space');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.waitFor();
    await page.keyboard.press('a'); // reaches nothing below
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    // Both presses are sent at once, faster than anybody: the question that the first one shows has not been seen.
    await page.getByRole('heading', { name: 'Run 1?' }).focus();
    await Promise.all([page.keyboard.press('k'), page.keyboard.press('a')]);
    await page.getByRole('region', { name: 'Messages' }).getByText('Too early, nothing was decided').waitFor();
    await becomes(() => page.locator('[aria-live=assertive]').first().textContent(), 'Too early, nothing was decided: what you see has only just come. Press again.', 'who listens is told, too');
    // What was asked for and is still being loaded is meant by whoever types on.
    await page.route('**/assets/Snooze*', async (route) => {
        await new Promise((done) => setTimeout(done, 500));
        await route.fallback();
    });
    await seen(page, 'Run 0?');
    await page.waitForTimeout(500); // after the key that came too early
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await page.keyboard.press('a');
    await page.getByRole('dialog', { name: 'Remind me' }).waitFor();
    await page.keyboard.press('Escape');
    // A reason whose field has lost the focus decides nothing by its letters.
    await seen(page, 'Run 0?');
    await page.waitForTimeout(500);
    await page.keyboard.press('r');
    await page.getByLabel(/^Why not/).blur();
    await page.keyboard.press('a');
    assert.equal(await page.getByText(/Sending in/).count(), 0);
    await page.getByRole('button', { name: /^Back/ }).click();
    // Nor has one that is covered, or not on screen.
    await seen(page, 'Run 0?');
    await page.evaluate(() => {
        const cover = document.body.appendChild(document.createElement('div'));
        cover.id = 'cover';
        cover.style.cssText = 'position: fixed; inset: 0; z-index: 99';
    });
    await page.keyboard.press('a');
    await page.getByRole('region', { name: 'Messages' }).getByText('is not on screen').waitFor();
    for (const one of asked) assert.equal((await status(server, one)).status, 'pending');
    await page.evaluate(() => document.getElementById('cover').remove());
    // A bar that comes late pushes it down, and makes it smaller within the place that it had: it has to be seen anew, from then on.
    await page.evaluate(() => {
        const bar = document.querySelector('header.top').appendChild(document.createElement('div'));
        bar.style.cssText = 'block-size: 45px';
    });
    await framed(page);
    await seen(page, 'Run 0?');
    await page.waitForTimeout(500); // that key was one without a meaning, and the next comes after a pause
    await page.keyboard.press('a');
    await ended(server, asked[0]);
});

test('an answer by one key can be taken back for a moment', async (t) => {
    const server = await start(t);
    const asked = await ask(server, approval);
    const page = await (await person(t, server)).newPage();
    // From one key to the next a busy machine may take longer than that moment.
    await page.addInitScript(() => {
        const wait = window.setTimeout;
        window.moments = 60;
        window.setTimeout = (act, ms, ...rest) => wait(act, ms === 4000 ? ms * window.moments : ms, ...rest);
    });
    await page.goto(`/inbox/${asked.questionId}`);
    await seen(page, 'Which region?');
    await page.keyboard.press('a');
    await page.getByText(/Sending in/).waitFor();
    await page.keyboard.press('z');
    await page.getByText('Taken back. Nothing was sent.').waitFor();
    assert.equal((await status(server, asked)).status, 'pending');
    await page.evaluate(() => (window.moments = 1));
    await page.getByRole('link', { name: 'Which region?' }).first().click();
    await seen(page, 'Which region?');
    await page.keyboard.press('a');
    await ended(server, asked);
});

test('whoever types while twenty approvals arrive answers none of them', async (t) => {
    const server = await start(t);
    const first = await ask(server, {});
    const page = await visit(t, server, `/q/${first.questionId}`);
    await page.goto(`/jobs`);
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.goto(`/inbox/${first.questionId}`);
    await page.getByLabel('Your answer').click();
    const asked = [];
    const typing = page.keyboard.type('aaaa rrrr 1111 and so on, a a a r r r 1 2 3 yes approve reject all of it', { delay: 25 });
    for (let i = 0; i < 20; i++) asked.push(await ask(server, { ...approval, question: `Run ${i}?` }));
    await typing;
    for (const one of asked) assert.equal((await status(server, one)).status, 'pending');
    assert.match(await page.getByLabel('Your answer').inputValue(), /^aaaa rrrr 1111 .* all of it$/);
});

test('a question that comes opens by itself only for somebody idle, and takes no key that is under way', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/jobs');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const asked = await ask(server, { ...approval, question: 'Run it?' });
    const dialog = page.getByRole('dialog', { name: 'Run it?' });
    await dialog.waitFor();
    await page.waitForFunction(() => document.activeElement.tagName === 'H2'); // on the heading, not on a button
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await status(server, asked)).status, 'pending');
    await page.getByRole('heading', { name: /need(s)? you/ }).waitFor();

    // Somebody is at the keyboard, and stays there.
    await page.evaluate(() => setInterval(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' })), 100));
    await page.keyboard.press('Shift');
    const second = await ask(server, { ...approval, question: 'And this?' });
    await page.getByRole('heading', { name: '2 need you' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal((await status(server, second)).status, 'pending');
    await until(async () => /^\(2\) Jobs/.test(await page.title()), 'the title counts them');
});
