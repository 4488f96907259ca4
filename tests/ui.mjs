// The tests of the pages, all in one process so that they share one browser.
//
//   WITAN_BIN=build/witan tests/pg run node --test tests/ui.mjs
//
// UI_ONLY=word runs the files whose name holds the word.
import { readdir } from 'node:fs/promises';
import { after } from 'node:test';
import { closeBrowser } from './e2e/lib/browser.mjs';

const folder = new URL('./e2e/', import.meta.url);
for (const name of (await readdir(folder)).sort())
    if (/^ui-.*\.test\.mjs$/.test(name) && name.includes(process.env.UI_ONLY ?? '')) await import(new URL(name, folder));
after(closeBrowser);
