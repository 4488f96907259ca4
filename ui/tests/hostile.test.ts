// Whatever somebody has written is read in time that grows as its length does. What looks again from every place for
// an end that never comes takes a minute and far more for a megabyte; half a minute for each is for a busy machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const many = (bit: string, begin = '', end = 'x') => begin + bit.repeat((1 << 20) / bit.length) + end;
const texts = [
    // What begins and never ends.
    ...['[', '![', '[a](', '](a ', '`` ', '*a ', '**a ', '\\\\*a', '\\\\**a', '\\\\_a ', '\\\\~~a', '\\\\[a]('].map((bit) => many(bit)),
    // Lines that are almost something.
    many(' ', '# '),
    many('#', '# '),
    many('-', 'a|b\n|'),
    many(' ', '- -'),
    many(' ', '- '),
    many('http://,'),
    many(' ', 'Which?\nA: a\nB: b'),
    many(' ', 'Which?\nA: a\nB:', ''),
    many(' ', 'Which?\nA: a\nB: b', '\u2028x'),
    many('\n '),
    many(' \n', '', ''),
    many('\u0430 '),
    many('\u0301'),
    // Code that is almost something.
    ...['$', '@', '"a', '\\"', ' a', '-'].map((bit) => many(bit, 'code')),
];

// In a thread of its own, so that it can be given up.
const reader = `
    const { parentPort, workerData } = require('node:worker_threads');
    const langs = ['c', 'java', 'js', 'rust', 'go', 'python', 'ruby', 'php', 'sh', 'sql', 'json', 'yaml', 'toml', 'css', 'html'];
    Promise.all(workerData.modules.map((module) => import(module))).then((modules) => {
        for (const text of workerData.texts) {
            for (const { blocks, tradeoffs, split, visible, tokens, patch } of modules) {
                if (visible) visible(text, true);
                else if (tokens) for (const lang of text.startsWith('code') ? langs : []) tokens(text.slice(0, 1 << 17), lang); // more has no colours
                else (blocks ?? tradeoffs ?? split ?? patch)(text);
            }
            parentPort.postMessage('read');
        }
    });`;

test('what people and agents write is read quickly, whatever it is', async () => {
    const modules = ['markdown', 'waits', 'wording', 'visible', 'code', 'patch'].map((name) => new URL(`../src/core/${name}.ts`, import.meta.url).href);
    const worker = new Worker(reader, { eval: true, workerData: { modules, texts } });
    const news: string[] = [];
    let tell = () => {};
    for (const event of ['message', 'error', 'exit'] as const)
        worker.on(event, (what) => {
            news.push(event === 'message' ? 'read' : `${event} ${String(what)}`);
            tell();
        });
    for (const text of texts) {
        const timer = setTimeout(() => (news.push('takes for ever'), tell()), 30_000);
        while (news.length === 0) await new Promise<void>((done) => (tell = done));
        clearTimeout(timer);
        const came = news.shift();
        if (came !== 'read') await worker.terminate();
        assert.equal(came, 'read', `${JSON.stringify(text.slice(0, 24))} ... ${JSON.stringify(text.slice(-4))}`);
    }
    await worker.terminate();
});
