// What stands in for the browser's own over plain http.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tabLocks, uuid } from '../src/core/plain.ts';

test('the locks of a tab are given one after the other, also after a failure, and not to those who have gone', async () => {
    const said: string[] = [];
    let open = () => {};
    const first = tabLocks.request('a', async () => {
        await new Promise<void>((done) => (open = done));
        said.push('first');
    });
    const second = tabLocks.request('a', () => {
        said.push('second');
        throw new Error('no');
    });
    const gone = new AbortController();
    const third = tabLocks.request('a', { signal: gone.signal }, () => void said.push('third'));
    const fourth = tabLocks.request('a', () => void said.push('fourth'));
    await tabLocks.request('b', () => void said.push('other'));
    gone.abort();
    open();
    await first;
    await assert.rejects(Promise.resolve(second), /no/);
    await assert.rejects(Promise.resolve(third));
    await fourth;
    assert.deepEqual(said, ['other', 'first', 'second', 'fourth']);
});

test('a key is a random UUID, with or without help of the browser', () => {
    const bare = { getRandomValues: (into: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(into) };
    const [one, other] = [uuid(bare), uuid(bare)];
    assert.match(one, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(one, other);
    assert.equal(uuid({ ...bare, randomUUID: () => 'theirs' }), 'theirs');
});
