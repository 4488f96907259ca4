import { mock, test } from 'node:test';
import assert from 'node:assert/strict';
import { Gather } from '../src/core/gather.ts';

test('what comes while the clock runs is looked at together, each once, and the next starts another', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
        const looks: string[][] = [];
        const gather = new Gather<string>(100, (ids) => looks.push(ids));
        gather.add('a');
        mock.timers.tick(60);
        gather.add('b');
        gather.add('a');
        mock.timers.tick(39);
        assert.deepEqual(looks, []);
        mock.timers.tick(1);
        assert.deepEqual(looks, [['a', 'b']]);
        mock.timers.tick(1000);
        assert.equal(looks.length, 1, 'nothing was told, nothing is looked at');
        gather.add('c');
        mock.timers.tick(100);
        assert.deepEqual(looks[1], ['c']);
    } finally {
        mock.timers.reset();
    }
});

test('what is told while the others are looked at waits for the next time', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
        const looks: number[][] = [];
        const gather: Gather<number> = new Gather<number>(10, (those) => {
            looks.push(those);
            if (those.includes(1)) gather.add(2);
        });
        gather.add(1);
        mock.timers.tick(10);
        mock.timers.tick(10);
        assert.deepEqual(looks, [[1], [2]]);
    } finally {
        mock.timers.reset();
    }
});
