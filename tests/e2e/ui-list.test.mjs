// The list of what people must find names tests that there are.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const folder = new URL('./', import.meta.url);

test('every row of UI.md names a test that clicks it', async () => {
    const files = (await readdir(folder)).filter((name) => /^ui-.*\.test\.mjs$/.test(name));
    const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
    const names = sources.flatMap((text) => [...text.matchAll(/^(?:test|onBothEngines)\(\s*'((?:[^'\\]|\\.)*)'/gm)].map((match) => match[1].replaceAll("\\'", "'")));
    assert.ok(names.length > 40, 'the tests are found');
    const rows = (await readFile(new URL('UI.md', folder), 'utf8')).split('\n').filter((line) => line.startsWith('| ')).slice(1);
    assert.ok(rows.length > 30, 'the list is found');
    for (const row of rows) {
        let rest = row.split('|').at(-2).trim();
        for (const name of names.toSorted((a, b) => b.length - a.length)) rest = rest.replace(name, '');
        assert.equal(rest.replace(/[;\s]/g, ''), '', `no test has this name: ${row}`);
    }
});
