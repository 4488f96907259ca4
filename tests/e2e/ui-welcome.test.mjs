// The first page that a newcomer sees: what it says to type is typed, and does what it says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { visit } from './lib/browser.mjs';
import { start } from './lib/server.mjs';

const run = promisify(execFile);
const env = { ...process.env, PATH: `${dirname(process.env.WITAN_BIN ?? 'build/witan')}:${process.env.PATH}` };

test('a newcomer asks from a shell, answers in the page, and watches a rehearsal', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/');
    await page.getByRole('link', { name: 'See how it works' }).click();
    await page.getByRole('heading', { name: 'Your agents can ask now.' }).waitFor();
    await page.getByText('This page is listening.').waitFor();
    const type = async (shell) => {
        await page.getByRole('radio', { name: shell }).first().check({ force: true });
        const line = await page.getByRole('group', { name: 'In a terminal' }).innerText();
        return { printed: run('sh', ['-c', line], { env: { ...env, HOME: server.folder }, cwd: server.folder, timeout: 50_000 }) };
    };
    const first = await type('witan');
    await page.getByText('It was asked: Tea or coffee?').waitFor();
    await page.getByRole('link', { name: 'Answer it' }).click();
    await page.getByRole('radio', { name: 'tea' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    assert.equal((await first.printed).stdout, 'tea\n');
    await page.goto('/welcome');
    await page.getByText('This page is listening.').waitFor();
    const second = await type('curl');
    const href = await page.getByRole('link', { name: 'Answer it' }).getAttribute('href');
    await server.must(200, 'POST', `/api/questions/${href.split('/').at(-1)}/answer`, { response: { type: 'choice', value: 'tea' } });
    assert.match((await second.printed).stdout, /"value":\s*"tea"/);
    await page.getByText('Answered: tea.').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Rehearsal: scripted lines, no model was called.').waitFor();
    await page.getByRole('heading', { name: /^Why it ended/ }).waitFor();
});
