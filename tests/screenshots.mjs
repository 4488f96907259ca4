// Pictures of every page, light and dark, on a phone and on a desk, empty and furnished, for people to look at:
//
//   make screenshots              build/screenshots/PAGE-STATE-THEME-WIDTH.png
//   make screenshots ONLY=inbox   those whose name holds the word
//   make pictures                 the three of the README, docs/pictures
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { closeBrowser, person, settled } from './e2e/lib/browser.mjs';
import { ofOne, plain } from './e2e/lib/routes.mjs';
import { furnish, storyServer } from './e2e/lib/story.mjs';

const only = process.env.ONLY ?? '';
const sizes = [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
];

// What a test would have: something that runs when all is done.
const later = [];
const t = { after: (run) => later.unshift(run) };

async function shoot(server, routes, state, folder) {
    for (const { width, height } of sizes)
        for (const scheme of ['light', 'dark']) {
            const context = await person(t, server, { width, height, scheme });
            const page = await context.newPage();
            for (const { name, path } of routes) {
                const file = `${name}-${state}-${scheme}-${width}.png`;
                if (!file.includes(only)) continue;
                await page.goto(path);
                await settled(page);
                await page.screenshot({ path: join(folder, file) });
            }
            await context.close();
        }
}

async function picture(server, path, file, size) {
    const context = await person(t, server, { scheme: 'light', ...size });
    const page = await context.newPage();
    await page.goto(path);
    await settled(page);
    await page.screenshot({ path: join('docs/pictures', file) });
    await context.close();
}

async function forReadme() {
    const server = await storyServer(t);
    const things = await furnish(server);
    await picture(server, `/inbox/${things.question}`, 'inbox.png', { width: 1440, height: 900 });
    await picture(server, `/discussions/${things.discussion}`, 'discussion.png', { width: 1440, height: 900 });
    await picture(server, `/q/${things.choice}`, 'phone.png', { width: 390, height: 844 });
}

async function all() {
    const folder = resolve('build/screenshots');
    await mkdir(folder, { recursive: true });
    const server = await storyServer(t);
    if (!process.env.FURNISHED) await shoot(server, plain, 'empty', folder);
    const things = await furnish(server);
    const login = plain.filter(({ name }) => name !== 'login' && name !== 'account');
    await shoot(server, [...login, ...ofOne(things)], 'furnished', folder);
    console.log(folder);
}

try {
    await (process.argv[2] === 'readme' ? forReadme() : all());
} finally {
    for (const run of later) await run();
    await closeBrowser();
}
