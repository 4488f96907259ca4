// Discussions in the browser: watched as they are spoken, joined, steered, and read afterwards.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { person, seen, visit } from './lib/browser.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { becomes, onBothEngines, start, until } from './lib/server.mjs';

const lines = `Divergent: Three ways: **speed**, loss, people.
Convergent: They point the same way: the database.
Critical: Who deletes what has expired?
Divergent: [PASS] every perspective is on the table
Convergent: One partition a day.
Critical: That closes it.
Divergent: Nothing from me.
Convergent: It stands.
Critical: Then let us vote.
Divergent: {"choice": "cookie", "confidence": 0.7}
Convergent: {"choice": "database", "confidence": 0.9}
Critical: {"choice": "database", "confidence": 0.8}
`;

async function withModel(server, models) {
    await server.stop();
    server.args = [...(server.args ?? []), ...(await configure(server.folder, models))];
    return server.restart();
}

async function scripted(server) {
    const script = join(server.folder, 'script.txt');
    await writeFile(script, lines);
    return withModel(server, { lines: { provider: 'scripted', script } });
}

async function seat(server, ...names) {
    for (const name of names) await server.must(201, 'POST', '/api/agents', { name, role: name.toLowerCase(), system_prompt: `Speaker: ${name}.` });
    return names.map((agentName) => ({ agentName }));
}

const get = (server, id) => server.must(200, 'GET', `/api/discussions/${id}`);

onBothEngines('a discussion is started, joined at one’s turn, voted on, and kept', {}, async (server, t) => {
    await scripted(server);
    const page = await visit(t, server, '/discussions');
    await page.getByText('No discussions yet').waitFor();
    await page.getByRole('button', { name: 'New discussion' }).click();
    const form = page.getByRole('dialog', { name: 'New discussion' });
    await form.getByRole('checkbox', { name: 'Critical' }).waitFor();
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByRole('alert').getByText('Write what it is about.').waitFor();
    await form.getByLabel('Topic').fill('Where do sessions live?');
    await form.getByRole('switch', { name: 'I take part' }).check();
    await form.getByLabel('Rounds', { exact: true }).last().fill('2');
    await form.getByLabel('Vote at the end').fill('database\ncookie');
    await form.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'Where do sessions live?' }).waitFor();
    const log = page.getByRole('log', { name: 'Transcript' });
    await log.getByText('Who deletes what has expired?').waitFor();
    assert.equal(await log.getByText('speed').evaluate((element) => element.tagName), 'STRONG');
    await page.getByText('Rehearsal: scripted lines, no model was called.').waitFor();
    await page.getByRole('heading', { name: 'Your turn' }).waitFor();
    await until(async () => (await log.getByText('Scripted').count()) === 3, 'each line says that it is scripted');
    await page.getByLabel('Your contribution').fill('Can we write less often?');
    await page.reload(); // a draft survives
    await page.getByRole('heading', { name: 'Your turn' }).waitFor();
    await becomes(() => page.getByLabel('Your contribution').inputValue(), 'Can we write less often?', 'the draft is there');
    await page.getByRole('button', { name: 'Speak' }).click();
    await log.getByRole('listitem').filter({ hasText: 'passed: every perspective is on the table' }).waitFor();
    await log.getByText('That closes it.').waitFor();
    await page.getByRole('button', { name: 'Add a round' }).click();
    await page.getByText('of 3', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: /^Pass/ }).click();
    await page.getByRole('navigation', { name: 'Rounds' }).getByRole('button', { name: 'Round 3' }).waitFor();
    await log.getByText('Then let us vote.').waitFor();
    await page.getByRole('heading', { name: 'Your turn' }).waitFor();
    await page.getByRole('button', { name: 'Next turn' }).click();
    await page.getByRole('heading', { name: /^Why it ended: round 3 was the last/ }).waitFor();
    await page.getByRole('heading', { name: 'Vote' }).waitFor();
    await page.getByText(/calls, tokens not reported/).waitFor();
    for (const [name, reads] of [['Export .md', /Where do sessions live/], ['Export .json', /"topic":\s*"Where do sessions live/]]) {
        const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
        assert.match(await readFile(await file.path(), 'utf8'), reads);
    }
    await page.goto('/discussions?status=completed');
    await page.getByRole('listitem').filter({ hasText: 'Where do sessions live?' }).getByText('Completed').waitFor();
});

test('what is being said is seen while it is said, also by who comes late; it is paused, cut into and cancelled', async (t) => {
    const server = await start(t);
    let release;
    const rest = new Promise((done) => (release = done));
    const answers = await model(t, ({ number }) => (number === 1 ? { pieces: ['We ', '🍵 ', '**bol', 'd and [far](https://exam'], then: rest, last: ['ple.org) begin**.\n\n- it', ' is'] } : { text: 'Later.', wait: new Promise(() => {}) }));
    await withModel(server, { default: openai(answers) });
    const page = await visit(t, server, '/discussions');
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Tea?', participants: await seat(server, 'Divergent', 'Critical'), rounds: 1 });
    await page.getByRole('link', { name: 'Tea?' }).click();
    const late = await visit(t, server, `/discussions/${discussion.id}`);
    for (const one of [page, late]) {
        await one.getByRole('log').getByText('We 🍵').waitFor();
        // Markdown is shown while it is written: a mark that is open, an address that is not all there.
        assert.equal(await one.getByRole('log').getByText('bold and far', { exact: true }).evaluate((element) => element.tagName), 'STRONG');
        await one.getByRole('log').getByText('speaks now').waitFor();
        await one.getByText('Speaks now:').waitFor();
    }
    release();
    for (const one of [page, late]) {
        await one.getByRole('log').getByText(/^We 🍵 bold and far.*example\.org.* begin\.$/).waitFor();
        await one.getByRole('log').getByRole('listitem').filter({ hasText: /^it is$/ }).waitFor();
    }
    await page.getByRole('button', { name: 'Interject now' }).click();
    await page.getByLabel('Your contribution').fill('Coffee, please.');
    await page.getByRole('button', { name: 'Interject', exact: false }).first().click();
    await late.getByRole('log').getByRole('listitem').filter({ hasText: 'Coffee, please.' }).getByText('cut in').waitFor();
    // Space and arrows are the control's that has the focus, and the page's where none has.
    await seen(page);
    const radio = (name) => page.getByRole('radio', { name });
    await radio('Transcript').focus();
    for (const name of ['Compare', 'Shape']) {
        await page.keyboard.press('ArrowRight');
        await becomes(() => radio(name).isChecked(), true, `an arrow leads to ${name}`);
    }
    await radio('Transcript').focus();
    await page.keyboard.press('Space');
    await becomes(() => radio('Transcript').isChecked(), true, 'Space chooses');
    await page.getByRole('button', { name: 'Interject now' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Not now' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Interject now' }).waitFor();
    assert.equal((await get(server, discussion.id)).discussion.status, 'active', 'nothing was paused by that');
    await page.getByRole('log').focus();
    await page.keyboard.press('Space');
    await late.getByRole('status').getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await late.getByRole('status').getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Cancel discussion…' }).click();
    await page.getByRole('dialog', { name: 'Cancel this discussion?' }).getByRole('button', { name: 'Cancel' }).click();
    await late.getByRole('heading', { name: 'Why it ended: it was cancelled, by You' }).waitFor();
    assert.equal((await get(server, discussion.id)).discussion.status, 'cancelled');
});

// Runs in the page. What a server tells in passing comes before what its log holds, and by as much as that is behind: here until the
// test lets it go.
function holdLog() {
    const ask = window.fetch;
    const go = new Promise((done) => (window.letGo = done));
    const passing = () => {
        const held = [];
        let text = '';
        return new TransformStream({
            transform(piece, to) {
                const frames = (text + piece).split('\n\n');
                text = frames.pop();
                for (const frame of frames)
                    if (!/^id:/m.test(frame)) to.enqueue(`${frame}\n\n`);
                    else if (held.push(frame) === 1) void go.then(() => held.splice(0).forEach((one) => to.enqueue(`${one}\n\n`)));
            },
        });
    };
    window.fetch = async (input, init) => {
        const reply = await ask(input, init);
        if (!reply.body || !String(input).startsWith('/api/events')) return reply;
        return new Response(reply.body.pipeThrough(new TextDecoderStream()).pipeThrough(passing()).pipeThrough(new TextEncoderStream()), reply);
    };
}

test('who begins to speak again before the word that their last turn is over is named once, and so is each turn', async (t) => {
    const server = await start(t);
    let release;
    const seated = new Promise((done) => (release = done));
    const answers = await model(t, ({ number }) => ({ text: `This is turn ${number}.`, wait: seated }));
    await withModel(server, { default: openai(answers) });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Tea?', participants: await seat(server, 'Divergent', 'Critical'), rounds: 2 });
    const context = await person(t, server);
    await context.addInitScript(holdLog);
    const page = await context.newPage();
    await page.goto(`/discussions/${discussion.id}`);
    await page.getByRole('heading', { name: 'Tea?' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    release();
    const turns = page.getByRole('log').getByRole('listitem').filter({ hasText: /This is turn \d\./ });
    await until(async () => (await turns.count()) === 4, 'all of it is shown while it is said');
    assert.match(await page.getByText('Speaks now:').innerText(), /^Speaks now:\s*Divergent\s*Critical$/);
    await page.evaluate(() => window.letGo());
    await page.getByRole('heading', { name: /^Why it ended/ }).waitFor();
    assert.equal(await turns.count(), 4);
    assert.equal(await page.getByText('Speaks now:').count(), 0);
});

test('a vote shows what won and who dissents, the rail follows what is read, and all of it is printed; an unknown discussion says so', async (t) => {
    const server = await start(t);
    const answers = await model(t, ({ system, user, number }) => (/confidence/.test(system + user) ? `{"choice": "${/Speaker: Divergent/.test(system) ? 'coffee' : 'tea'}", "confidence": 0.8}` : `${'Tea is hot, and there is much to say about it. '.repeat(number === 1 ? 160 : 12)}See [more](https://example.org/tea). That is the end of it.`));
    await withModel(server, { default: openai(answers) });
    const participants = await seat(server, 'Divergent', 'Convergent', 'Critical');
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Tea?', participants, rounds: 5, options: { vote: { choices: ['tea', 'coffee'], rule: 'majority' } } });
    await until(async () => (await get(server, discussion.id)).discussion.status === 'completed', 'it has ended');
    const page = await visit(t, server, `/discussions/${discussion.id}`);
    const vote = page.getByRole('region', { name: 'Vote' });
    await vote.getByRole('listitem').filter({ hasText: 'tea' }).getByText('2').waitFor();
    await vote.getByText('Won: tea').waitFor();
    await vote.getByRole('listitem').filter({ hasText: 'Divergent' }).getByText('chose coffee, 80 % sure').waitFor();
    await page.getByText(/calls, [\d,]+k? tokens/).waitFor();
    assert.equal(await page.getByText('Rehearsal').count(), 0);
    // The rail says which round is read, wherever somebody scrolls; where it leads to is where one is.
    const rail = page.getByRole('navigation', { name: 'Rounds' });
    const current = () => rail.locator('[aria-current=step]').innerText().then((text) => Number(/\d+/.exec(text)[0]));
    const log = page.getByRole('log');
    const scrollTo = (id) => log.evaluate((pane, to) => (pane.scrollTop = to ? pane.scrollTop + document.getElementById(to).getBoundingClientRect().top - pane.getBoundingClientRect().top : pane.scrollHeight), id);
    assert.equal(await current(), 5);
    for (const round of [2, 4, 1, 3]) {
        await scrollTo(`r${round}`);
        await becomes(current, round, `round ${round} is read`);
    }
    await scrollTo();
    await becomes(current, 5, 'the newest is read');
    await rail.getByRole('button', { name: 'Round 5' }).click();
    await becomes(current, 5, 'it led there');
    await rail.getByRole('button', { name: 'Round 2' }).click();
    await becomes(current, 2, 'it led there');
    // On paper: all that was said and where links lead, black on white, without the frame and without what can be pressed.
    assert.equal(await log.getByText('That is the end of it.').count(), 14, 'a long one is folded on the screen');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await log.getByText('That is the end of it.').count(), 15);
    for (const gone of [page.getByRole('navigation'), page.getByRole('button'), page.getByRole('textbox'), page.getByRole('banner')]) for (const one of await gone.all()) assert.equal(await one.isVisible(), false, await one.innerText());
    const paper = await page.evaluate(() => {
        const style = getComputedStyle(document.body);
        return [style.backgroundColor, style.color, getComputedStyle(document.querySelector('.prose a'), '::after').content];
    });
    assert.deepEqual(paper.slice(0, 2), ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    assert.match(paper[2], /attr\(href\)|example\.org\/tea/);
    assert.ok((await page.pdf()).length > 1000);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen' });
    await rail.waitFor();
    await page.goto('/discussions/00000000-0000-4000-8000-000000000000');
    await page.getByRole('heading', { name: 'There is no such discussion' }).waitFor();
    // Where one person and the agents take turns, the person begins: also on a server of one person, who has no account.
    const turns = await server.must(201, 'POST', '/api/discussions', { topic: 'Biscuits?', mode: 'turns', participants });
    const own = await visit(t, server, `/discussions/${turns.discussion.id}`);
    await own.getByLabel('Your contribution').fill('With chocolate?');
    await own.keyboard.press('Control+Enter');
    await own.getByRole('log').getByRole('listitem').filter({ hasText: 'With chocolate?' }).getByText('You', { exact: true }).waitFor();
});
