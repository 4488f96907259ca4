// What is printed is what stands there when the browser has asked: at once, not after the next frame.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/page.ts';

test('a page knows that it is being printed before the browser goes on, and until it is done', async (t) => {
    const page = open(t, '/audit');
    const { print } = await import('../src/stores/print.svelte.ts');
    const drawn = page.watch(() => print.now).seen;
    page.fire('beforeprint');
    assert.deepEqual(drawn, [false, true]);
    page.fire('afterprint');
    assert.deepEqual(drawn, [false, true, false]);
});
