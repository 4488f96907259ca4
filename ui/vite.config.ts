import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

// What a first visit may load, gzipped. The build fails above it.
const budget = { script: 90_000, style: 15_000, all: 350_000 };

function files(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map((entry) => join(entry.parentPath, entry.name));
}

const packed = (file: string) => gzipSync(readFileSync(file), { level: 9 }).length;

// The files that index.html names, which every visit loads before anything is seen.
function firstLoad(folder: string, ending: string): number {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    return named.filter((name) => name.endsWith(ending)).reduce((sum, name) => sum + packed(join(folder, name)), 0);
}

// Writes what the service worker keeps into it, and fails when the pages have grown too large.
function finish(): Plugin {
    let folder = 'dist';
    return {
        name: 'witan-finish',
        apply: 'build',
        configResolved: (config) => {
            folder = join(config.root, config.build.outDir);
        },
        closeBundle() {
            const names = files(folder).map((file) => file.slice(folder.length).replaceAll('\\', '/'));
            const kept = names.filter((name) => name !== '/sw.js' && name !== '/index.html').sort();
            const worker = join(folder, 'sw.js');
            const version = kept.join().length.toString(36) + packed(join(folder, 'index.html')).toString(36);
            writeFileSync(
                worker,
                readFileSync(worker, 'utf8')
                    .replace('__KEPT__', JSON.stringify(['/', ...kept]).replaceAll("'", ''))
                    .replace('__VERSION__', version),
            );
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

export default defineConfig({
    plugins: [svelte(), finish()],
    logLevel: 'warn',
    build: {
        target: 'es2022',
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        rollupOptions: {
            input: { index: 'index.html', sw: 'src/sw.ts' },
            output: {
                entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
                chunkFileNames: 'assets/[name]-[hash].js',
                assetFileNames: 'assets/[name]-[hash][extname]',
            },
        },
    },
    server: { proxy: { '/api': 'http://127.0.0.1:7117' } },
});
