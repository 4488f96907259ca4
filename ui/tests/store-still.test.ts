// A press counts where nothing has stirred for as long as a double click takes, at that place and on the whole page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/page.ts';

test('a button can be meant half a second after it came, and after anything stirred on the page', async (t) => {
    const page = open(t, '/inbox');
    const { everywhere, stillHere } = await import('../src/stores/still.svelte.ts');
    const { toasts } = await import('../src/stores/app.svelte.ts'); // something that moves what stands here
    await page.pass(10_000);
    const here = page.watch(() => stillHere(() => toasts.list.length)).last;
    assert.equal(here.is, false);
    await page.pass(499);
    assert.equal(here.is, false);
    await page.pass(1);
    assert.equal(here.is, true);
    everywhere.stir();
    assert.equal(here.is, false);
    await page.pass(400);
    everywhere.stir(); // and once more: the time begins anew
    await page.pass(400);
    assert.equal(here.is, false);
    await page.pass(100);
    assert.equal(here.is, true);
});

test('what has moved was not seen where it is now, and that is no matter to other places', async (t) => {
    const page = open(t, '/inbox');
    const { stillHere } = await import('../src/stores/still.svelte.ts');
    const { toasts } = await import('../src/stores/app.svelte.ts');
    const moved = page.watch(() => stillHere(() => toasts.list.length)).last;
    const other = page.watch(() => stillHere(() => 0)).last;
    await page.pass(500);
    assert.deepEqual([moved.is, other.is], [true, true]);
    toasts.say('A line that pushes it down', 'check');
    await page.pass(0);
    assert.deepEqual([moved.is, other.is], [false, true]);
    await page.pass(500);
    assert.deepEqual([moved.is, other.is], [true, true]);
});
