// The first person on a server that others can reach.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { accessible, visit } from './lib/browser.mjs';
import { onBothEngines } from './lib/server.mjs';

const beyond = Object.values(networkInterfaces())
    .flat()
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const open = { listen: `${beyond ?? '127.0.0.1'}:0`, args: ['--require-auth', '--setup'] };

onBothEngines('the first owner of a server that others can reach makes their account with the code that it prints', open, async (server, t) => {
    const [link] = server.said.match(/http\S+#witano_\S+/);
    const code = link.split('#')[1];
    // A stranger is told how it is, and gets no further.
    const stranger = await visit(t, server, '/inbox', { width: 390, height: 844, scheme: 'dark' });
    await stranger.getByText('Nobody can log in here yet.').waitFor();
    await accessible(stranger, 'login without accounts');
    await stranger.getByRole('link', { name: 'Make the owner’s account' }).click();
    await stranger.getByLabel('Code').fill('witano_guessed');
    await stranger.getByLabel('Name').fill('Eve');
    await stranger.getByLabel('Password').fill('correct horse');
    await stranger.getByRole('button', { name: 'Make the account' }).click();
    await stranger.getByRole('alert').getByText('This code is not good').waitFor();
    await accessible(stranger, 'a wrong code');
    assert.equal(await stranger.getByLabel('Name').inputValue(), 'Eve', 'what was typed stays');
    assert.equal((await server.sql('SELECT COUNT(*) FROM users'))[0][0].toString(), '0');

    const page = await visit(t, server, link);
    await page.getByRole('heading', { name: 'Make the owner’s account' }).waitFor();
    assert.equal(await page.getByLabel('Code').inputValue(), code);
    assert.ok(!(await page.evaluate(() => location.href)).includes(code), 'the address does not keep it');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Password').fill('password123');
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Ada, account' }).waitFor();

    // From then on the code is nothing, and everybody logs in.
    await stranger.getByLabel('Code').fill(code);
    await stranger.getByRole('button', { name: 'Make the account' }).click();
    await stranger.getByRole('alert').getByText('This code is not good').waitFor();
    await stranger.goto('/account');
    await stranger.getByRole('heading', { name: 'There is an account already' }).waitFor();
    await stranger.goto('/login');
    await stranger.getByRole('button', { name: 'Log in' }).waitFor();
    assert.equal(await stranger.getByText('Nobody can log in here yet.').count(), 0);
});
