// The first page that a newcomer sees: what it says to type is typed, and does what it says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { accessible, fits, framed, visit } from './lib/browser.mjs';
import { binary, onBothEngines, start, until } from './lib/server.mjs';

const run = promisify(execFile);
const env = { ...process.env, PATH: `${dirname(process.env.WITAN_BIN ?? 'build/witan')}:${process.env.PATH}` };

test('a newcomer asks from a shell and answers in the page', async (t) => {
    // Out of its clone, where nothing is installed: what the page says to type is what can be typed there.
    const server = await start(t, { argv0: 'build/witan' });
    await mkdir(join(server.folder, 'build'));
    await symlink(binary, join(server.folder, 'build/witan'));
    const page = await visit(t, server, '/');
    await page.getByRole('link', { name: 'See how it works' }).click();
    await page.getByRole('heading', { name: 'Your agents can ask now.' }).waitFor();
    await page.getByText('This page is listening.').waitFor();
    await page.getByText('What will open here').waitFor();
    // An option that is cut in two at a hyphen is copied wrong by who types it: a line ends at blanks only.
    const halved = await page.$$eval('.tty .word', (words) => words.filter((word) => word.getClientRects().length > 1).map((word) => word.textContent));
    assert.deepEqual(halved, []);
    const [light, dark] = await page.$eval('.tty', (tty) => [tty.closest('.way'), tty].map((box) => getComputedStyle(box).backgroundColor));
    assert.equal(light, 'rgb(255, 255, 255)');
    assert.notEqual(dark, light);
    assert.ok(dark.match(/\d+/g).every((part) => Number(part) < 64), `a terminal is dark on a light page too, not ${dark}`);
    const type = async (shell) => {
        await page.getByRole('radio', { name: shell }).first().check({ force: true });
        const line = await page.getByRole('group', { name: 'In a terminal' }).innerText();
        return { line, printed: run('sh', ['-c', line], { env: { ...process.env, HOME: server.folder }, cwd: server.folder, timeout: 180_000 }) };
    };
    const first = await type('witan');
    assert.match(first.line, /build\/witan ask "Tea/);
    await page.getByText('It was asked: Tea or coffee?').waitFor();
    await page.getByRole('link', { name: 'Answer it' }).click();
    await page.getByRole('radio', { name: 'tea' }).check();
    // The page is left before it hears that its answer was taken; so the next one sends it again, and hears of a question that is over.
    await page.route('**/api/questions/*/answer', (route) => void route.fetch(), { times: 1 });
    await page.getByRole('button', { name: 'Send answer' }).click();
    assert.equal((await first.printed).stdout, 'tea\n');
    const over = page.waitForResponse((reply) => reply.request().method() === 'GET' && /\/api\/questions\/[0-9a-f-]{36}$/.test(reply.url()));
    await page.goto('/welcome');
    await over;
    await page.getByText('This page is listening.').waitFor();
    await framed(page);
    await page.getByText('This page is listening.').waitFor();
    const second = await type('curl');
    const href = await page.getByRole('link', { name: 'Answer it' }).getAttribute('href');
    await server.must(200, 'POST', `/api/questions/${href.split('/').at(-1)}/answer`, { response: { type: 'choice', value: 'tea' } });
    assert.match((await second.printed).stdout, /"value":\s*"tea"/);
    await page.getByText('Answered: tea.').waitFor();
});

onBothEngines('a rehearsal is held in a workspace of its own, labelled on every page, and removed by one click', {}, async (server, t) => {
    const page = await visit(t, server, '/welcome');
    const bar = page.getByRole('complementary', { name: 'Rehearsal' });
    await page.getByRole('button', { name: 'Start' }).click();
    await bar.getByText('Scripted lines, no model was called.').waitFor();
    await page.getByRole('heading', { name: /^Why it ended/ }).waitFor();
    await accessible(page, 'a discussion that is a rehearsal');

    // The squad waits for one reply, and a person for none: the approval stands in the inbox.
    await page.goto('/chat');
    await bar.waitFor();
    await page.getByText('2/3 responses').waitFor();
    await page.goto('/inbox');
    await bar.waitFor();
    await page.getByRole('link', { name: /Deploy version 2\.4\.0/ }).first().click();
    await page.getByRole('button', { name: 'Approve' }).first().click();
    const there = async (path) => page.evaluate((at) => fetch(at, { headers: { 'X-Witan-Workspace': sessionStorage.getItem('witan.workspace') } }).then((reply) => reply.json()), path);
    await until(async () => (await there('/api/jobs?all=true')).jobs[0].status === 'completed', 'its job has ended');

    // Another tab is at work and sees nothing of it.
    const work = await page.context().newPage();
    await work.goto('/inbox');
    await work.getByText('Nothing needs you').waitFor();
    assert.equal(await work.getByRole('complementary', { name: 'Rehearsal' }).count(), 0);
    await work.close();
    for (const path of ['/approvals', '/jobs', '/notifications', '/discussions', '/welcome']) {
        await page.goto(path);
        await bar.waitFor();
    }
    await page.setViewportSize({ width: 390, height: 780 });
    await page.goto('/inbox');
    await bar.waitFor();
    await fits(page, 'a rehearsal on the phone');
    await bar.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('heading', { name: 'Your agents can ask now.' }).waitFor();
    assert.equal(await bar.count(), 0);
    assert.equal((await server.must(200, 'GET', '/api/workspaces')).workspaces.length, 1);
    await page.goto('/discussions');
    await page.getByRole('heading', { name: 'Discussions', exact: true }).waitFor();
    assert.equal(await bar.count(), 0);
});

test('each way to connect an agent can be copied and tested, and its code works as it stands', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/welcome');
    const group = page.getByRole('group', { name: 'Connect an agent' });
    for (const name of ['curl', 'Command line', 'MCP', 'Python', 'TypeScript', 'A model']) {
        await group.getByRole('button', { name, exact: true }).click();
        await page.getByRole('button', { name: 'Test', exact: true }).click();
        const says = name === 'MCP' ? /The MCP door answers: witan/ : name === 'A model' ? /No model configured: people and API agents can take turns/ : /The server answers at http/;
        await page.getByRole('status').filter({ hasText: says }).waitFor();
    }
    await accessible(page, 'the ways to connect');
    const code = async (name) => {
        await group.getByRole('button', { name, exact: true }).click();
        return page.getByRole('group', { name, exact: true }).innerText();
    };
    const answered = async (program, args) => {
        const printed = run(program, args, { env: { ...env, HOME: server.folder }, cwd: server.folder, timeout: 180_000 });
        const waiting = async () => (await server.must(200, 'GET', '/api/inbox')).items[0];
        await until(waiting, `${program} has asked`);
        await server.must(200, 'POST', `/api/questions/${(await waiting()).id}/answer`, { response: { type: 'boolean', value: true } });
        return (await printed).stdout;
    };
    // Both are read first: a question that is asked while nobody has touched the page for a while lies over it.
    const python = await code('Python');
    const typescript = await code('TypeScript');
    assert.match(await answered('python3', ['-c', python]), /'value': True/);
    assert.match(await answered(process.execPath, ['--input-type=module-typescript', '-e', typescript]), /value: true/);
});

test('without a model, discussions say so', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/discussions');
    await page.getByText('No model configured: people and API agents can take turns; automatic turns are off.').waitFor();
    await page.getByRole('link', { name: 'How to add one, or watch a rehearsal' }).click();
    await page.getByRole('heading', { name: 'Connect an agent' }).waitFor();
});
