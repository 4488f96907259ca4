// What is around the pages: how they are served, who gets in, and what holds when the server goes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, visit } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, onBothEngines, start, until } from './lib/server.mjs';

const page = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ask = (server, fields, options) => server.must(201, 'POST', '/api/questions', { question: 'Which region?', type: 'blocking', responseType: 'text', ...fields }, options);

test('files with a hash are kept for good, the page is asked for anew, and both come packed', async (t) => {
    const server = await start(t);
    const front = await server.api('GET', '/', undefined, { headers: page });
    assert.equal(front.headers['cache-control'], 'no-cache');
    assert.match(front.headers['content-security-policy'], /script-src 'self'; .*require-trusted-types-for 'script'; trusted-types svelte-trusted-html witan$/);
    assert.ok(!/<script>|style="|onload=/.test(front.text), 'nothing stands inline');
    const again = await server.api('GET', '/inbox', undefined, { headers: { ...page, 'If-None-Match': front.headers.etag } });
    assert.equal(again.status, 304);
    const script = front.text.match(/src="(\/assets\/[^"]+\.js)"/)[1];
    const file = await server.api('GET', script, undefined, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(file.headers['content-encoding'], 'gzip');
    assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(file.headers['content-type'], /^text\/javascript/);
    assert.equal((await server.api('GET', script)).headers['content-encoding'], undefined);
    assert.equal((await server.api('GET', '/assets/no-such.js')).status, 404);
});

test('programs keep their errors: unknown paths, other methods, and the paths that pages share', async (t) => {
    const server = await start(t);
    for (const [method, path, headers, status] of [
        ['GET', '/api/nowhere', page, 404],
        ['GET', '/nowhere', {}, 404],
        ['POST', '/inbox', page, 404],
        ['DELETE', '/', page, 405],
        ['PATCH', '/projects/x/notifications/y', page, 400],
    ]) {
        const reply = await server.api(method, path, method === 'PATCH' ? {} : undefined, { headers });
        assert.match(reply.headers['content-type'], /^application\/json/, `${method} ${path}`);
        assert.ok(reply.status === status || (status === 400 && reply.status >= 400), `${method} ${path}: ${reply.status}`);
        assert.equal(typeof reply.body.error, 'string');
    }
    const lost = await server.api('GET', '/nowhere', undefined, { headers: page });
    assert.equal(lost.status, 404);
    assert.match(lost.text, /<div id="app">/);
    const foreign = await server.api('GET', '/inbox', undefined, { headers: { ...page, Host: 'evil.example' } });
    assert.equal(foreign.status, 403);
});

onBothEngines('somebody logs in, and comes back to where they were going', { prepare: undefined }, async (server, t) => {
    await makeUser(server, 'Maya', 'a long password', 'owner');
    const tab = await visit(t, server, '/approvals?agent=Scout');
    await tab.getByLabel('Name').fill('maya');
    await tab.getByLabel('Password').fill('wrong password');
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('alert').filter({ hasText: 'not right' }).waitFor();
    await tab.getByText('Forgotten the password?').click();
    await tab.getByText('witan user password NAME').waitFor();
    await tab.getByLabel('Password').fill('a long password');
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByRole('heading', { name: 'Approvals' }).waitFor();
    await becomes(() => new URL(tab.url()).search, '?agent=Scout', 'with its query');
    await tab.getByRole('button', { name: 'Maya, account' }).click();
    await until(() => tab.evaluate(async () => Boolean(await caches.match('/offline/session'))), 'what was loaded is kept for reading offline');
    await tab.getByRole('button', { name: 'Log out' }).click();
    await tab.getByRole('heading', { name: 'Log in' }).waitFor();
    // The page is on its way to a new one.
    await becomes(() => tab.evaluate(async () => (await caches.keys()).length).catch(() => -1), 0, 'and forgotten with the login');
});

onBothEngines('a session that ends takes no words with it', {}, async (server, t) => {
    await makeUser(server, 'Maya', 'a long password', 'owner');
    const Cookie = await login(server, 'Maya', 'a long password');
    const { questionId } = await ask(server, {}, { headers: { Cookie, Origin: server.url } });
    const tab = await visit(t, server, `/inbox/${questionId}`, { cookie: Cookie });
    await tab.getByLabel('Your answer').fill('half a sentence');
    await server.must(204, 'POST', '/api/logout', {}, { headers: { Cookie, Origin: server.url } });
    // Whichever comes first: the stream that ends, or an answer that is refused.
    await tab.getByRole('button', { name: 'Send answer' }).evaluateAll((buttons) => buttons[0]?.click());
    await tab.getByText('Your session has ended.').waitFor();
    await tab.getByLabel('Name').fill('Maya');
    await tab.getByLabel('Password').fill('a long password');
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.getByText('Live').first().waitFor();
    const headers = { Cookie: await login(server, 'Maya', 'a long password') };
    const { question } = await until(
        async () => {
            // It was kept, and goes by itself; or it was never sent, and is there to be sent.
            await tab.getByRole('button', { name: 'Send answer' }).evaluateAll((buttons) => buttons[0]?.click());
            const reply = await server.api('GET', `/api/questions/${questionId}`, undefined, { headers });
            return reply.body.question?.status === 'answered' && reply.body;
        },
        'the answer comes through',
    );
    assert.equal(question.response.value, 'half a sentence');
});

test('the first person makes their account on a server in solo mode', async (t) => {
    const server = await start(t);
    const tab = await visit(t, server, '/inbox');
    await tab.getByRole('button', { name: 'You, account' }).click();
    await tab.getByRole('link', { name: 'Make an account…' }).click();
    await tab.getByLabel('Name').fill('Maya');
    await tab.getByLabel('Password').fill('a long password');
    await tab.getByRole('button', { name: 'Make the account' }).click();
    await tab.getByRole('button', { name: 'Maya, account' }).waitFor();
    assert.equal((await server.api('GET', '/api/me')).status, 401, 'solo mode is over');
});

test('eight tabs share one stream, and the next one takes over', async (t) => {
    const server = await start(t);
    const context = await person(t, server);
    const tabs = [];
    for (let i = 0; i < 8; i++) {
        tabs.push(await context.newPage());
        await tabs[i].goto('/inbox');
        await tabs[i].getByRole('status').filter({ hasText: 'Live' }).waitFor();
    }
    await becomes(() => server.metric('witan_streams'), 1, 'one stream'); // one that has ended is counted until that is noticed
    await ask(server, { question: 'First?' });
    for (const tab of tabs) await tab.getByRole('link', { name: 'First?' }).first().waitFor();
    await tabs.shift().close();
    await ask(server, { question: 'Second?' });
    for (const tab of tabs) await tab.getByRole('link', { name: 'Second?' }).first().waitFor();
    await becomes(() => server.metric('witan_streams'), 1, 'one stream'); // one that has ended is counted until that is noticed
});

// A browser takes these away from a page that came over plain http from another machine.
test('over plain http, without locks and without random UUIDs, two tabs are live and answer', async (t) => {
    const server = await start(t);
    const context = await person(t, server);
    await context.addInitScript(() => {
        Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });
        Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });
        delete Crypto.prototype.randomUUID;
    });
    const { questionId } = await ask(server);
    const [first, second] = [await context.newPage(), await context.newPage()];
    for (const tab of [first, second]) {
        await tab.goto(`/inbox/${questionId}`);
        await tab.getByText('Live').first().waitFor();
    }
    await first.getByLabel('Your answer').fill('The north.');
    await first.getByRole('button', { name: 'Send answer' }).click();
    await second.getByText(/answered.*The north\./).first().waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.response.value, 'The north.');
    await first.goto('/welcome');
    await first.getByRole('button', { name: 'Copy' }).first().click();
    await first.getByText('Copied.').waitFor();
    await first.evaluate(() => (document.execCommand = () => false));
    await first.getByRole('button', { name: 'Copy' }).first().click();
    await first.getByText('The browser does not let this page copy').waitFor();
});

onBothEngines('a server that goes is missed, and found again with everything', {}, async (server, t) => {
    const { questionId } = await ask(server, { question: 'Before?' });
    const tab = await visit(t, server, `/inbox/${questionId}`);
    await tab.getByLabel('Your answer').fill('typed before it went');
    await server.kill9();
    await tab.getByRole('status').filter({ hasText: /Reconnecting|Connecting/ }).waitFor();
    await server.restart();
    await ask(server, { question: 'After?' });
    await tab.getByRole('link', { name: 'After?' }).first().waitFor();
    await tab.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    assert.equal(await tab.getByLabel('Your answer').inputValue(), 'typed before it went');
    await tab.getByRole('button', { name: 'Send answer' }).click();
    const { question } = await server.must(200, 'GET', `/api/questions/${questionId}?wait=55`);
    assert.equal(question.response.value, 'typed before it went');
});

test('a page whose file does not come says so, and comes when it is asked for again', async (t) => {
    const server = await start(t);
    const tab = await visit(t, server, '/inbox');
    await tab.getByRole('heading', { name: 'Inbox' }).waitFor();
    await tab.route('**/assets/Chat-*.js', (route) => route.abort());
    await tab.getByRole('link', { name: 'Chat' }).click();
    await tab.getByRole('alert').getByText('The page could not be loaded.').waitFor();
    await tab.unroute('**/assets/Chat-*.js');
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('heading', { name: 'Chat' }).waitFor();
});

test('what agents write is inert', async (t) => {
    const server = await start(t);
    const hostile = [
        'Look <script>window.hacked = 1</script> here <img src=x onerror="window.hacked = 1">?',
        '',
        '[click](javascript:window.hacked=1) ![beacon](https://evil.example/pixel.png) <iframe src="//evil.example">',
        '',
        '<svg onload="window.hacked=1"> **bold** https://example.org/fine',
    ].join('\n');
    const { questionId } = await ask(server, { question: hostile, context: { note: '<b onmouseover="window.hacked=1">x</b>' } });
    const context = await person(t, server);
    const tab = await context.newPage();
    const foreign = [];
    tab.on('request', (request) => !request.url().startsWith(server.url) && foreign.push(request.url()));
    for (const path of [`/inbox/${questionId}`, `/q/${questionId}`]) {
        await tab.goto(path);
        await tab.getByText('<script>window.hacked = 1</script>').first().waitFor();
        assert.equal(await tab.evaluate(() => window.hacked), undefined);
        assert.equal(await tab.locator('main :is(script, img, iframe)').count(), 0);
        assert.deepEqual(await tab.locator('main a[target=_blank]').evaluateAll((links) => links.map((link) => link.href)), ['https://example.org/fine']);
    }
    assert.deepEqual(foreign, []);
});

test('an id that is not there, a shape that is not known, and two million letters are said plainly', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_BODY: '4194304' } });
    const tab = await visit(t, server, '/inbox/01890000-0000-7000-8000-000000000001');
    await tab.getByRole('heading', { name: 'There is no such question' }).waitFor();
    await tab.goto('/jobs/01890000-0000-7000-8000-000000000001');
    await tab.getByRole('heading', { name: 'There is no such job' }).waitFor();
    await tab.goto('/nowhere');
    await tab.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    const { questionId } = await ask(server, { question: 'Odd?', context: { bounds: [52.3, { deep: [1] }], long: 'x'.repeat(50_000) } });
    await tab.goto(`/inbox/${questionId}`);
    await tab.getByText('"deep"').waitFor();
    await tab.getByRole('button', { name: /Show all of it/ }).click();
    await tab.getByRole('button', { name: 'Show less' }).waitFor();
});
