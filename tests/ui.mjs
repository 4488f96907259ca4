// The tests of the pages, all in one process so that they share one browser. Each has a server and a window of its own, and
// mostly waits for them, so there is one more at a time than there are processors.
//
//   WITAN_BIN=build/witan tests/pg run node --test tests/ui.mjs
//
// UI_ONLY=word runs the files whose name holds the word.
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, suite } from 'node:test';

const folder = new URL('./e2e/', import.meta.url);
const names = (await readdir(folder)).filter((name) => /^ui-.*\.test\.mjs$/.test(name) && name.includes(process.env.UI_ONLY ?? ''));

// A test that never ends would take all of the step's time and leave nothing that says which one it was.
const most = Number(process.env.UI_MINUTES ?? (process.env.WITAN_FULL ? 50 : 20));
const running = new Set();
setTimeout(() => {
    console.error(`after ${most} minutes these still run: ${[...running].join('; ') || 'none, but something holds the process'}`);
    process.exit(1);
}, most * 60_000).unref();

suite('pages', { concurrency: availableParallelism() + 1 }, async () => {
    beforeEach(({ name }) => void running.add(name));
    afterEach(({ name }) => void running.delete(name));
    for (const name of names.sort()) await import(new URL(name, folder));
});
