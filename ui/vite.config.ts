import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { files, withContents } from './scripts/contents.ts';

// What a first visit may load, gzipped. The build fails above it.
const budget = { script: 90_000, style: 15_000, all: 350_000 };

const packed = (file: string) => gzipSync(readFileSync(file), { level: 9 }).length;

// The files that index.html names, which every visit loads before anything is seen.
function firstLoad(folder: string, ending: string): number {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    return named.filter((name) => name.endsWith(ending)).reduce((sum, name) => sum + packed(join(folder, name)), 0);
}

// Writes which pages there are for the server, and what the service worker keeps into that; fails when the pages have grown too large.
function finish(): Plugin {
    let folder = 'dist';
    let list = '';
    return {
        name: 'witan-finish',
        apply: 'build',
        configResolved: (config) => {
            folder = join(config.root, config.build.outDir);
            list = pathToFileURL(join(config.root, 'src/pages/list.ts')).href;
        },
        async closeBundle() {
            const { pages } = await import(list);
            writeFileSync(join(folder, 'pages.json'), JSON.stringify(Object.keys(pages)));
            const worker = join(folder, 'sw.js');
            writeFileSync(worker, withContents(readFileSync(worker, 'utf8'), folder));
            const sizes = {
                script: firstLoad(folder, '.js'),
                style: firstLoad(folder, '.css'),
                all: files(folder).reduce((sum, file) => sum + packed(file), 0),
            };
            const line = Object.entries(sizes).map(([what, size]) => `${what} ${(size / 1000).toFixed(1)} kB`);
            console.log(`gzipped: ${line.join(', ')}`);
            for (const [what, most] of Object.entries(budget))
                if (sizes[what as keyof typeof sizes] > most)
                    this.error(`${what} is over its budget of ${most} bytes, gzipped`);
        },
    };
}

// What every visit loads and pages that come later share is one file: in pieces, as they happen to share it, it packs worse.
const base = new RegExp(
    [
        'node_modules/(svelte|esm-env|clsx)/',
        'src/text/en',
        'src/parts/(Icon|icons|Shown|Agent)',
        'src/core/(api|calm|drafts|exact|gather|inbox|keymap|live|markdown|newest|op|order|outbox|plain|router|rounds|sse|store|tasks|time|wording)\\.',
        'src/stores/(answers|app|questions|reply|server|shown)\\.',
    ].join('|'),
);

export default defineConfig({
    plugins: [svelte(), finish()],
    logLevel: 'warn',
    build: {
        target: 'es2022',
        // light-dark() is left to the browser, as popovers are: written out for older ones, it would be settled at the root,
        // and a terminal could not be dark on a light page.
        cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rollupOptions: {
            input: { index: 'index.html', sw: 'src/sw.ts' },
            output: {
                entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
                chunkFileNames: 'assets/[name]-[hash].js',
                assetFileNames: 'assets/[name]-[hash][extname]',
                codeSplitting: { groups: [{ name: 'base', test: base }] },
            },
        },
    },
    server: { proxy: { '/api': 'http://127.0.0.1:7117' } },
});
