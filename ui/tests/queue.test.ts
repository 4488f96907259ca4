// Which approvals of the queue are shown, and in which order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../src/core/api.gen.ts';
import { narrows, sifted, wantedOf } from '../src/core/queue.ts';

const one = (id: string, more: Partial<Question> = {}) =>
    ({ id, question: `Do **${id}**?`, askedBy: 'Builder', projectId: null, action: null, context: null, timeoutAt: null, createdAt: `2026-01-0${id.length}T00:00:00Z`, type: 'approval', responseType: 'approval', ...more }) as unknown as Question;
const queue = [
    one('a', { timeoutAt: '2026-02-03T00:00:00Z', projectId: 'p1', action: { name: 'db.migrate', args: { target: 'orders-prod', deep: { city: 'Zürich' } } } as never }),
    one('bb', { timeoutAt: '2026-02-01T00:00:00Z', askedBy: 'scout', context: { projectName: 'Checkout' } as never }),
    one('ccc', { action: { name: 'mail.send', args: ['maya'] } as never }),
];
const ids = (query: string) => sifted(queue, wantedOf(new URLSearchParams(query))).map(({ id }) => id).join();

test('what ends first comes first, unless the address asks for another order', () => {
    assert.equal(ids(''), 'bb,a,ccc');
    assert.equal(ids('sort=newest'), 'ccc,bb,a');
    assert.equal(ids('sort=oldest'), 'a,bb,ccc');
    assert.equal(ids('sort=agent'), 'a,ccc,bb');
    assert.equal(ids('sort=biggest'), 'bb,a,ccc', 'there is no such order');
});

test('project, agent, action and words narrow it; words are found in all that is shown', () => {
    assert.equal(ids('project=p1'), 'a');
    assert.equal(ids('agent=scout'), 'bb');
    assert.equal(ids('action=mail.send'), 'ccc');
    for (const [text, found] of [['zurich', 'a'], ['ORDERS target', 'a'], ['checkout', 'bb'], ['maya', 'ccc'], ['do', 'bb,a,ccc'], ['do nowhere', ''], ['**', '']] as const) assert.equal(ids(`text=${encodeURIComponent(text)}`), found, text);
    assert.equal(ids('agent=Builder&text=mail'), 'ccc');
});

test('an order does not narrow, and blanks are no words', () => {
    assert.equal(narrows(wantedOf(new URLSearchParams('sort=newest&text=+'))), false);
    assert.equal(narrows(wantedOf(new URLSearchParams('text=x'))), true);
    assert.equal(ids('text=+'), 'bb,a,ccc');
});
