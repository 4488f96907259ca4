// Agents ask through MCP, people answer in the browser: on the page of the app, and on the plain form behind a link.
import assert from 'node:assert/strict';
import { newClient, oldClient } from '../mcp/clients.mjs';
import { person, visit } from './lib/browser.mjs';
import { atEnd, onBothEngines, until } from './lib/server.mjs';

const clients = { 'the SDK of 2025': oldClient, 'the SDK of 2026': newClient };
const pending = (server) =>
    until(async () => {
        const list = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
        return list.questions.at(-1);
    }, 'a question');

// A call is held for less than a minute, in which a busy machine may not show a page: then a client goes on waiting.
async function answered(call, args) {
    let said = (await call('ask_question', args)).structuredContent;
    while (said.pending) said = (await call('wait_for_answer', { id: said.question.id })).structuredContent;
    return said.question.response.value;
}
async function decided(call, use) {
    for (;;) {
        const said = JSON.parse((await call('approve_tool_use', use)).content[0].text);
        if (!/^Nobody has answered yet/.test(said.message ?? '')) return said;
    }
}

for (const [title, connect] of Object.entries(clients)) {
    onBothEngines(`${title} asks, and a person answers on the page`, {}, async (server, t) => {
        const page = await visit(t, server, '/inbox');
        const { call, close } = await connect(server.url, { name: 'Planner' });
        atEnd(t, close);
        const asked = answered(call, {
            question: 'Tea or coffee?',
            type: 'blocking',
            responseType: 'choice',
            options: [{ label: 'tea' }, { label: 'coffee' }],
        });
        await page.getByRole('listitem').filter({ hasText: 'Tea or coffee?' }).getByRole('link').click();
        await page.getByRole('radio', { name: 'coffee' }).check();
        await page.getByRole('button', { name: 'Send answer' }).click();
        assert.equal(await asked, 'coffee');
    });

    onBothEngines(`${title} is allowed, allowed with a change, and denied on the page`, {}, async (server, t) => {
        const { call, close } = await connect(server.url, { name: 'Claude' });
        atEnd(t, close);
        const page = await visit(t, server, '/inbox');
        let uses = 0;
        const decide = async (click) => {
            const asked = decided(call, { tool_name: 'Bash', input: { command: 'git push' }, tool_use_id: `toolu_${uses++}` });
            await page.goto(`/inbox/${(await pending(server)).id}`);
            await click();
            return asked;
        };
        assert.deepEqual(await decide(() => page.getByRole('button', { name: 'Approve' }).click()), {
            behavior: 'allow',
            updatedInput: { command: 'git push' },
        });
        const changed = await decide(async () => {
            await page.getByRole('button', { name: 'Edit arguments' }).click();
            await page.getByRole('textbox', { name: 'Edit arguments' }).fill('{"command": "git push --dry-run"}');
            await page.getByRole('button', { name: 'Approve with changes' }).click();
        });
        assert.deepEqual(changed, { behavior: 'allow', updatedInput: { command: 'git push --dry-run' } });
        const denied = await decide(async () => {
            await page.getByRole('button', { name: 'Reject…' }).click();
            await page.getByLabel(/^Why not/).fill('Not on a Friday.');
            await page.getByRole('button', { name: 'Reject', exact: false }).click();
        });
        assert.deepEqual(denied, { behavior: 'deny', message: 'Not on a Friday.' });
    });
}

onBothEngines('a person answers on the plain form behind a link', {}, async (server, t) => {
    const { call, close } = await newClient(server.url, { name: 'Planner' });
    atEnd(t, close);
    const asked = answered(call, { question: 'Ship it?', type: 'blocking', responseType: 'boolean' });
    const { id } = await pending(server);
    const context = await person(t, server, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`/q/${id}`);
    await page.locator('button[value=yes]').click();
    assert.equal(await asked, true);
});
