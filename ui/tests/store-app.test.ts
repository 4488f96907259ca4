// What belongs to the page as a whole: where it is, what somebody likes, what it says in passing, and its keys.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { open, type Page } from './lib/page.ts';
import { you } from './lib/question.ts';

const press = (key: string) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false });

/** A window that has the focus, with nothing open over its page unless a test says so. */
function look(page: Page, covers: unknown[] = []): void {
    Object.assign(page.document, { querySelectorAll: () => covers, hasFocus: () => true });
}

test('going somewhere writes the address, once, and a place that was gone to is told from one that was loaded', async (t) => {
    const page = open(t, '/inbox/q1?type=approval');
    const { where } = await import('../src/stores/app.svelte.ts');
    const seen = page.watch(() => [where.place.page, where.place.id, where.params.get('type')]);
    assert.deepEqual([seen.last, where.moved], [['inbox', 'q1', 'approval'], false]);
    where.go('/inbox/q1?type=approval');
    assert.equal(where.moved, false, 'that was there already');
    where.set('type', undefined);
    assert.deepEqual([page.path, where.moved], ['/inbox/q1', true]);
    where.go('/jobs/j%201');
    assert.deepEqual([seen.last, page.path], [['jobs', 'j 1', null], '/jobs/j%201']);
});

test('the workspace that an address names stays in it wherever one goes, and is no part of what pages see', async (t) => {
    const page = open(t, '/inbox?workspace=shop&type=approval');
    const { where } = await import('../src/stores/app.svelte.ts');
    assert.deepEqual([where.workspace, where.query], ['shop', '?type=approval']);
    where.go('/chat?prompt=p1');
    assert.equal(page.path, '/chat?prompt=p1&workspace=shop');
    assert.equal(where.whole('/q/1'), '/q/1?workspace=shop');
    where.workspace = '';
    assert.equal(page.path, '/chat?prompt=p1');
});

test('back and forth are heard', async (t) => {
    const page = open(t, '/inbox');
    const { where } = await import('../src/stores/app.svelte.ts');
    where.start();
    const seen = page.watch(() => where.path);
    history.pushState(null, '', '/jobs');
    page.fire('popstate');
    assert.deepEqual([seen.last, where.moved], ['/jobs', true]);
});

test('what somebody likes is kept, shown at the root, and switches single keys off', async (t) => {
    const page = open(t);
    const { keymap, looks } = await import('../src/stores/app.svelte.ts');
    looks.set('theme', 'dark');
    looks.set('compact', true);
    looks.set('keys', false);
    assert.deepEqual(page.document.documentElement.dataset, { theme: 'dark', density: 'compact', keys: 'off' });
    assert.equal(keymap.singles, false);
    const next = await page.reload();
    const again = await import('../src/stores/app.svelte.ts');
    again.looks.apply();
    assert.deepEqual(next.document.documentElement.dataset, { theme: 'dark', density: 'compact', keys: 'off' });
    again.looks.set('theme', 'system');
    again.looks.set('compact', false);
    again.looks.set('keys', true);
    assert.deepEqual([next.document.documentElement.dataset, again.keymap.singles], [{}, true]);
});

test('notifications are on once the browser allows them, and say so when it does not', async (t) => {
    const page = open(t);
    const { looks, toasts } = await import('../src/stores/app.svelte.ts');
    const box = { checked: true } as HTMLInputElement;
    page.allowNotices('denied');
    await looks.notify(box);
    assert.deepEqual([box.checked, looks.likes.notify, toasts.list.length], [false, false, 1]);
    page.allowNotices('granted');
    box.checked = true;
    await looks.notify(box);
    assert.deepEqual([box.checked, looks.likes.notify], [true, true]);
});

test('what is said in passing passes; of many the newest three are shown', async (t) => {
    const page = open(t);
    const { toasts } = await import('../src/stores/app.svelte.ts');
    const seen = page.watch(() => toasts.list.map(({ text }) => text).join());
    for (const word of ['one', 'two', 'three', 'four']) toasts.say(word);
    assert.equal(seen.last, 'two,three,four');
    const id = toasts.add({ text: 'stays', icon: 'check' });
    await page.pass(4000);
    assert.equal(seen.last, 'stays');
    toasts.drop(id);
    assert.equal(seen.last, '');
});

test('the clock ticks once a second, and can be made to look', async (t) => {
    const page = open(t);
    const { ticker } = await import('../src/stores/app.svelte.ts');
    const seen = page.watch(() => ticker.now);
    const first = seen.last!;
    await page.pass(3000);
    assert.equal(seen.last, first + 3000);
    ticker.look();
    assert.notEqual(seen.last, first + 3000, 'whatever tells a time is told anew');
});

test('a decision that was not taken is told to who sees and to who listens', async (t) => {
    const page = open(t);
    const { keymap, speech, toasts } = await import('../src/stores/app.svelte.ts');
    look(page);
    const words = page.watch(() => speech.words);
    let decided = 0;
    keymap.add({ a: { decides: () => 'q1', act: () => ++decided > 0 }, j: () => true });
    assert.equal(keymap.press(press('a')), true);
    await page.settle();
    assert.equal(decided, 0, 'it is not on screen');
    assert.match(words.last!, /^Nothing was decided/);
    assert.equal(toasts.list.at(-1)?.text, words.last);
    look(page, [{}]);
    assert.equal(keymap.press(press('j')), false, 'something lies over the page');
});

test('an answer is given by no key that has not said that it decides it', async (t) => {
    const page = open(t);
    page.server.on('POST /api/questions/*/answer', { success: true });
    page.server.on('GET /api/questions/*', { question: { id: 'q1', status: 'answered' } });
    await page.live();
    look(page);
    const { keymap } = await import('../src/stores/app.svelte.ts');
    const { answers } = await import('../src/stores/answers.svelte.ts');
    const question = { id: 'q1', responseType: 'approval', type: 'approval', status: 'pending', question: 'Run it?', timeoutAt: null, options: null, you } as never;
    (await import('../src/stores/shown.svelte.ts')).shown.saw(question);
    const give = () => {
        answers.give(question, { type: 'approval', value: true });
        return true;
    };
    keymap.add({ a: give });
    assert.throws(() => keymap.press(press('a')), /has said it decides/);
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/answer').length, 0);
    give(); // by a button
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/answer').length, 1);
});

test('dialogs are opened in one place, which leads into their first field', async () => {
    const folder = new URL('../src/', import.meta.url);
    for (const name of await readdir(folder, { recursive: true })) {
        if (!/\.(svelte|ts)$/.test(name) || name === 'stores/sight.ts') continue;
        assert.doesNotMatch(await readFile(new URL(name, folder), 'utf8'), /\.showModal\(/, `${name}: use present()`);
    }
});
