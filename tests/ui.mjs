// The tests of the pages, all in one process so that they share one browser. Each has a server and a window of its own, and
// mostly waits for them, so there is one more at a time than there are processors.
//
//   WITAN_BIN=build/witan tests/pg run node --test tests/ui.mjs
//
// UI_ONLY=word runs the files whose name holds the word.
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { suite } from 'node:test';

const folder = new URL('./e2e/', import.meta.url);
const names = (await readdir(folder)).filter((name) => /^ui-.*\.test\.mjs$/.test(name) && name.includes(process.env.UI_ONLY ?? ''));
suite('pages', { concurrency: availableParallelism() + 1 }, async () => {
    for (const name of names.sort()) await import(new URL(name, folder));
});
