// Settings and the audit log: who comes in, tokens, agents, templates, wordings, workspaces; and that all of it is on record.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessible, fits, person, settled, visit } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, full, onBothEngines, start, until } from './lib/server.mjs';

const password = 'a long password';

// An owner with a session, and how the server is asked as her.
async function owner(server) {
    await makeUser(server, 'Maya', password, 'owner');
    const cookie = await login(server, 'Maya', password);
    const ask = (method, path, body) => server.must(method === 'GET' ? 200 : 201, method, path, body, { headers: { Cookie: cookie, Origin: server.url } });
    return { cookie, ask };
}

onBothEngines('people are added, given roles and passwords, disabled and removed', {}, async (server, t) => {
    const { cookie } = await owner(server);
    const page = await visit(t, server, '/settings', { cookie });
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Add a person' }).click();
    const sheet = page.getByRole('dialog', { name: 'Add a person' });
    await sheet.getByLabel('Name').fill('Maya');
    await sheet.getByLabel('Password').fill(password);
    await sheet.getByRole('button', { name: 'Add' }).click();
    await sheet.getByRole('alert').waitFor(); // the name is taken; what was typed stays
    await sheet.getByLabel('Name').fill('Jonas');
    await sheet.getByRole('button', { name: 'Add' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Jonas' });
    await row.getByLabel('Role of Jonas').selectOption('viewer');
    await page.getByText('Saved.').waitFor();
    const role = async () => (await server.must(200, 'GET', '/api/me', undefined, { headers: { Cookie: await login(server, 'Jonas', password) } })).caller.role;
    assert.equal(await role(), 'viewer');
    await row.getByRole('button', { name: /^New password/ }).click();
    const reset = page.getByRole('dialog', { name: 'A new password for Jonas' });
    await reset.getByLabel('The new password').fill('another password');
    await reset.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await server.api('POST', '/api/login', { name: 'Jonas', password: 'another password' })).status === 200, 'it is good');
    await row.getByRole('button', { name: /^Disable/ }).click();
    await row.getByText('Disabled').waitFor();
    assert.notEqual((await server.api('POST', '/api/login', { name: 'Jonas', password: 'another password' })).status, 200);
    await row.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog', { name: 'Remove Jonas?' }).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
});

onBothEngines('a token is made, shown once, given another secret, and revoked', {}, async (server, t) => {
    const { cookie } = await owner(server);
    const page = await visit(t, server, '/settings/tokens', { cookie });
    await page.getByText('No token so far').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const sheet = page.getByRole('dialog', { name: 'New token' });
    await sheet.getByLabel('Name').fill('release runner');
    await sheet.getByLabel('Speaks as').fill('Builder');
    await sheet.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Copy it now: it is not shown again.').waitFor();
    const shown = () => page.getByLabel('Secret', { exact: true }).textContent();
    const works = async (token) => (await server.api('GET', '/api/me', undefined, { token })).status === 200;
    const first = await shown();
    assert.ok(await works(first));
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'release runner' });
    await row.getByText('Builder').waitFor();
    assert.equal(await page.getByText(first).count(), 0);
    await row.getByRole('button', { name: /^Rotate/ }).click();
    await page.getByRole('dialog', { name: /Another secret/ }).getByRole('button', { name: 'Rotate' }).click();
    await row.getByText('old secret good until').waitFor();
    const second = await shown();
    assert.ok((await works(first)) && (await works(second)) && first !== second);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog', { name: /^Revoke/ }).getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    assert.deepEqual([await works(first), await works(second)], [false, false]);
});

onBothEngines('agents, templates and wordings are made, changed and taken back', {}, async (server, t) => {
    const page = await visit(t, server, '/settings/agents');
    await page.getByText('No model configured', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'New agent' }).click();
    const agent = page.getByRole('dialog', { name: 'New agent' });
    await agent.getByLabel('Name').fill('Historian');
    await agent.getByLabel('Role').fill('historian');
    await agent.getByLabel('Model', { exact: true }).selectOption('Another…');
    await agent.getByLabel('Name of a model').fill('ollama:llama3.2');
    await agent.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Historian' }).getByText(/llama3.2/).waitFor();
    await page.getByRole('button', { name: 'Change Historian' }).click();
    await page.getByRole('dialog', { name: 'Change Historian' }).getByLabel('What it is told about itself').fill('You remember.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You remember.').waitFor();
    await page.getByRole('button', { name: 'Change Historian' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete Historian?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No agent of your own so far').waitFor();

    await page.goto('/settings/templates');
    await page.getByText('Which persona should this be for?').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    const template = page.getByRole('dialog', { name: 'New template' });
    await template.getByLabel('Name').fill('region');
    await template.getByLabel('Question').fill('In which region?');
    await template.getByLabel('Answer', { exact: true }).selectOption('choice');
    await template.getByLabel('Options').fill('eu-west\nus-east');
    await template.getByRole('button', { name: 'Create template' }).click();
    await page.getByText('eu-west, us-east', { exact: false }).waitFor();
    const { questionId } = await server.must(201, 'POST', '/api/questions', { template: 'region' });
    assert.deepEqual((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.options.map(({ label }) => label), ['eu-west', 'us-east']);

    await page.goto('/settings/wordings');
    const one = page.getByRole('listitem').filter({ hasText: 'Summary' });
    await one.getByText('Summary').click();
    const own = 'Sum up {{topic}} in one line: {{history}}';
    await one.getByRole('textbox').fill(own);
    await page.reload(); // a draft survives
    await one.getByText('Summary').click();
    assert.equal(await one.getByRole('textbox').inputValue(), own);
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByText('Your words').waitFor();
    const stored = async () => (await server.must(200, 'GET', '/api/wordings')).wordings.find(({ name }) => name === 'summary');
    assert.equal((await stored()).text, own);
    await one.getByRole('button', { name: 'Back to how it comes' }).click();
    await one.getByText('As it comes').waitFor();
    assert.equal((await stored()).own, false);
});

onBothEngines('a workspace is made, named, gone to and deleted', {}, async (server, t) => {
    await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    const page = await visit(t, server, '/settings/workspaces');
    await page.getByRole('textbox', { name: 'Settings' }).fill('[1]');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('This is no JSON object.').waitFor();
    await page.getByRole('textbox', { name: 'Settings' }).fill('{"personas": ["Ada", "Grace"]}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { questionId } = await server.must(201, 'POST', '/api/questions', { template: 'persona' });
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.options.length, 2);
    await page.goto('/settings/workspaces');
    await page.getByRole('button', { name: 'New workspace' }).click();
    const sheet = page.getByRole('dialog', { name: 'New workspace' });
    await sheet.getByLabel('Name').fill('Research');
    await sheet.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'Go there Research' }).click();
    await page.getByText('Nothing needs you').waitFor();
    await page.goto('/projects');
    await page.getByText('No project so far').waitFor();
    await page.goto('/settings/workspaces');
    await page.getByRole('button', { name: 'Delete this workspace…' }).click();
    const sure = page.getByRole('dialog', { name: /^Delete Research/ });
    assert.ok(await sure.getByRole('button', { name: 'Delete' }).isDisabled());
    await sure.getByLabel('Type its name to be sure').fill('Research');
    await sure.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Which persona' }).waitFor(); // back where the server leads
    assert.equal((await server.must(200, 'GET', '/api/workspaces')).workspaces.length, 1);
});

onBothEngines('the audit log is read, narrowed, paged, printed and exported', {}, async (server, t) => {
    for (let i = 0; i < 110; i++) await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: i === 108 ? 'said photo\u202Egnp.exe' : `Line ${i}` });
    const { id } = await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    const page = await visit(t, server, '/audit');
    const rows = page.getByRole('list').last().getByRole('listitem');
    // A row says what it was done to, and leads there.
    assert.equal(await rows.filter({ hasText: 'Project create' }).getByRole('link', { name: 'Checkout' }).getAttribute('href'), `/projects/${id}`);
    await rows.getByRole('link', { name: 'Line 109' }).waitFor();
    const marked = rows.getByRole('link', { name: /^said photo/ });
    await marked.getByText('U+202E').waitFor();
    assert.ok(!`${await marked.textContent()}${await marked.getAttribute('title')}`.includes('\u202E'), 'what cannot be seen is marked');
    const labels = await page.getByRole('form', { name: 'Filters' }).locator('label').evaluateAll((those) => those.map((one) => Math.round(one.getBoundingClientRect().top)));
    assert.equal(new Set(labels).size, 1, `the labels stand in one line: ${labels}`);
    await rows.filter({ hasText: 'Project create' }).locator('summary').click();
    await page.getByText('"name": "Checkout"').waitFor();
    await page.getByRole('button', { name: 'Show older' }).click();
    await rows.nth(110).waitFor();
    // On paper every row is open; on the screen it is as it was.
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await rows.locator('details:not([open])').count(), 0);
    assert.equal(await rows.locator('details .more').count(), 111);
    assert.equal(await page.getByRole('button').filter({ visible: true }).count(), 0);
    assert.equal(await page.getByRole('navigation').filter({ visible: true }).count(), 0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen' });
    assert.deepEqual(await rows.locator('details[open]').count(), 1);
    await page.getByLabel('What', { exact: true }).fill('project_create');
    await page.keyboard.press('Enter');
    await until(async () => (await rows.count()) === 1, 'one row is left');
    await page.waitForURL(/operation=project_create/);
    for (const [name, lines] of [['JSON lines', 111], ['CSV', 112]]) {
        const saved = page.waitForEvent('download');
        await page.getByRole('button', { name }).click();
        const text = await readFile(await (await saved).path(), 'utf8');
        assert.equal(text.trimEnd().split('\n').length, lines, name);
        assert.match(text, /Checkout/);
    }
    await page.getByLabel('Who').fill('nobody at all');
    await page.keyboard.press('Enter');
    await page.getByText('No entry fits').waitFor();
});

test('what a member may not see is not offered; solo mode is not ended by accident', async (t) => {
    const server = await start(t);
    const alone = await visit(t, server, '/settings/tokens');
    await alone.getByText('The first token ends solo mode', { exact: false }).waitFor();
    assert.equal(await alone.getByRole('button', { name: 'New token' }).count(), 0);
    await makeUser(server, 'Jonas', password, 'member');
    const page = await visit(t, server, '/settings', { cookie: await login(server, 'Jonas', password) });
    const nav = page.getByRole('navigation', { name: 'Settings' });
    await nav.getByRole('link', { name: 'Agents' }).waitFor();
    assert.equal(await nav.getByRole('link', { name: /People|Tokens|Audit/ }).count(), 0);
    for (const path of ['/settings/people', '/audit']) {
        await page.goto(path);
        await page.getByText(/^Owners and admins/).waitFor();
    }
    await page.goto('/settings');
    await page.getByRole('radio', { name: 'Dark' }).check();
    await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'it is dark');
    await page.getByLabel('The password so far').fill('wrong password');
    await page.getByLabel('The new password').fill('another password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('The password so far').fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed.', { exact: false }).waitFor();
    await login(server, 'Jonas', 'another password');
});

test('settings and the audit log are accessible and fit', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const { cookie, ask } = await owner(server);
    await ask('POST', '/api/tokens', { name: 'x'.repeat(64), agentName: 'Builder' });
    await ask('POST', '/api/agents', { name: 'Historian', system_prompt: 'y'.repeat(300) });
    await ask('POST', '/api/projects', { name: 'Checkout' });
    const parts = ['you', 'people', 'tokens', 'agents', 'templates', 'wordings', 'autonomy', 'workspaces'].map((part) => `/settings/${part}`);
    for (const [scheme, width, rest] of [['light', 390, 0], ['dark', 1280, 1]]) {
        const page = await (await person(t, server, { cookie, scheme, width, height: 844 })).newPage();
        // Every page in one of the two; the full run takes both.
        for (const path of [...parts, '/settings/nothing', '/audit'].filter((_, i) => full || i % 2 === rest)) {
            await page.goto(path);
            await settled(page);
            const fold = page.getByRole('main').locator('summary').first();
            if ((await fold.count()) > 0) await fold.click();
            await accessible(page, `${path} ${scheme} ${width}`);
            await fits(page, `${path} ${scheme} ${width}`);
        }
        await page.goto('/settings/tokens');
        await page.getByRole('button', { name: 'New token' }).click();
        await accessible(page, `new token ${scheme} ${width}`);
    }
});

onBothEngines('what is changed elsewhere appears in the settings without a reload', {}, async (server, t) => {
    const { cookie } = await owner(server);
    const headers = { Cookie: cookie, Origin: server.url };
    const ask = (status, method, path, body) => server.must(status, method, path, body, { headers });
    const page = await visit(t, server, '/settings/people', { cookie });
    await page.evaluate(() => (window.stayed = true));
    const go = (name) => page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }).click();
    const item = (name) => page.getByRole('main').getByRole('listitem').filter({ hasText: name });
    await item('Maya').waitFor();
    const jonas = await ask(201, 'POST', '/api/users', { name: 'Jonas', role: 'member', password });
    await item('Jonas').waitFor();
    await ask(200, 'PATCH', `/api/users/${jonas.id}`, { disabled: true });
    await item('Jonas').getByText('Disabled').waitFor();
    await ask(204, 'DELETE', `/api/users/${jonas.id}`);
    await item('Jonas').waitFor({ state: 'detached' });

    await go('Tokens');
    await page.getByText('No token so far').waitFor();
    const token = await ask(201, 'POST', '/api/tokens', { name: 'night shift', role: 'agent' });
    const row = page.getByRole('row').filter({ hasText: 'night shift' });
    await row.waitFor();
    await ask(204, 'DELETE', `/api/tokens/${token.id}`);
    await row.getByText('Revoked').waitFor();

    await go('Agents');
    const agent = await ask(201, 'POST', '/api/agents', { name: 'Scribe', role: 'writer' });
    await item('Scribe').waitFor();
    await ask(200, 'PATCH', `/api/agents/${agent.id}`, { role: 'poet' });
    await item('Scribe').getByText('poet').waitFor();

    await go('Templates');
    await ask(201, 'POST', '/api/templates', { name: 'night_deploy', question: 'Deploy at night?' });
    await item('Deploy at night?').waitFor();

    await go('Workspaces');
    const { workspace } = await ask(200, 'GET', '/api/me');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.waitFor();
    await ask(200, 'PATCH', `/api/workspaces/${workspace.id}`, { name: 'Harbour' });
    await page.getByText('Workspace Harbour', { exact: true }).first().waitFor();
    await becomes(() => name.inputValue(), 'Harbour', 'the field follows');
    // What is being typed stays, and saving changes nothing else.
    await page.getByRole('textbox', { name: 'Settings' }).fill('{"personas": ["Ada"]}');
    await ask(200, 'PATCH', `/api/workspaces/${workspace.id}`, { name: 'Lighthouse' });
    await page.getByText('This was changed elsewhere meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const now = await ask(200, 'GET', `/api/workspaces/${workspace.id}`);
    assert.deepEqual([now.name, now.settings], ['Lighthouse', { personas: ['Ada'] }]);
    await becomes(() => name.inputValue(), 'Lighthouse', 'the field follows');
    const side = await ask(201, 'POST', '/api/workspaces', { name: 'Side room' });
    await item('Side room').waitFor();
    await ask(204, 'DELETE', `/api/workspaces/${side.id}`);
    await item('Side room').waitFor({ state: 'detached' });
    assert.ok(await page.evaluate(() => window.stayed), 'the page was never loaded anew');
});

test('whose role is changed elsewhere sees what they may do now, and hears nothing of the others', async (t) => {
    const server = await start(t);
    const { ask } = await owner(server);
    const vera = await ask('POST', '/api/users', { name: 'Vera', role: 'viewer', password });
    const page = await visit(t, server, '/settings/agents', { cookie: await login(server, 'Vera', password) });
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const people = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'People' });
    assert.equal(await people.count(), 0);
    await server.must(200, 'PATCH', `/api/users/${vera.id}`, { role: 'admin' }, { headers: { Cookie: await login(server, 'Maya', password), Origin: server.url } });
    await people.waitFor();
    await page.getByRole('button', { name: 'New agent' }).waitFor();
});
