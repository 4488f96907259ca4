// Follows every recipe in one copy of the tree, counts the files that each took, and builds the copy.
//
//   node tests/recipes/make.mjs FOLDER
//
// The program is FOLDER/build/witan then; recipes.test.mjs sees whether all of it works.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { recipes } from './recipes.mjs';
import { Tree } from './tree.mjs';

const tree = new Tree(process.argv[2]);
let failed = false;
for (const recipe of recipes) {
    const files = tree.follow(recipe);
    const told = readFileSync(recipe.told, 'utf8');
    // With a module goes its header.
    const names = (file) => [basename(file), basename(file, '.h') + '.c'].some((name) => told.includes(name));
    const untold = files.filter((file) => existsSync(file) && !recipe.wherever?.includes(file) && !names(file));
    const good = files.length <= recipe.most && untold.length === 0;
    console.log(`  ${good ? 'ok  ' : 'FAIL'}  ${recipe.name}: ${files.length} of at most ${recipe.most} files`);
    for (const file of files) console.log(`          ${file}${untold.includes(file) ? `, of which ${recipe.told} does not tell` : ''}`);
    failed ||= !good;
}
assert.ok(!failed, 'a recipe takes more files than it may, or changes some that it does not name');

tree.run('make', '-s', 'ui');
// Whether it works does not depend on how quick it is.
tree.run('make', '-s', `-j${process.env.RECIPES_JOBS ?? 2}`, 'OPT=-O0', 'HARDEN=', 'all', 'build/tests/unit/db_states', 'build/tests/unit/db_nouns', 'build/tests/contract');
tree.run('make', '-s', 'OPT=-O0', 'HARDEN=', 'docs');
tree.run('npm', 'run', '--silent', '--prefix', 'ui', 'check');
