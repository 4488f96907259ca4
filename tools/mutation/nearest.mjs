// Which tests stand nearest to a file: the one place that says so. A test of the same path comes first; then those of the noun that
// the file is named for; then those of its folder. They run in this order until one fails.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Of a folder, contract tests by their file (tests/contract/test_NAME.c), or unit tests (tests/unit/PATH without test_).
// The longest folder counts. What is tested through the program only has its tests/e2e/NAME.test.mjs.
const folders = {
    'src/base': { unit: ['base/str', 'base/json'] },
    'src/cli': { unit: ['cli/commands', 'cli/parse'], e2e: ['verbs-cli', 'every-command'] },
    'src/cli/screen': { e2e: ['inbox-screen', 'discuss-terminal'] },
    'src/core/caller': { contract: ['generated', 'people', 'bindings'] },
    'src/core/chat': { contract: ['prompt'] },
    'src/core/council': { contract: ['discussion*'] },
    'src/core/holding': { contract: ['discussion_fence', 'discussion'] },
    'src/core/identity': { contract: ['identity', 'people', 'bindings'] },
    'src/core/inbox': { contract: ['inbox', 'question_people', 'bindings', 'naming'] },
    'src/core/log': { unit: ['core/log/*'], contract: ['changes', 'dispatch', 'large'] },
    'src/core/questions': { contract: ['question*', 'job', 'assign', 'link'] },
    'src/core/rehearsal': { contract: ['rehearsal'] },
    'src/core/reports': { contract: ['analytics'] },
    'src/core/runs': { unit: ['core/runs/*'], contract: ['orchestrate', 'run', 'run_budget', 'run_ops', 'run_people', 'run_room'] },
    'src/core/search': { contract: ['search', 'naming'] },
    'src/core/upkeep': { contract: ['question_deadline', 'discussion_limits'], e2e: ['erase', 'purge'] },
    'src/core/work': { contract: ['task', 'result', 'project', 'decision', 'waiting', 'question_set'] },
    'src/db': { unit: ['db/store', 'db/driver', 'db/claim', 'db/queue'] },
    'src/db/sql': { contract: ['bindings', 'generated'] },
    'src/edge': { unit: ['edge/*'], contract: ['dispatch'], e2e: ['edges'] },
    'src/engine': { unit: ['engine/*'], contract: ['question_deadline', 'discussion'], e2e: ['nodes'] },
    'src/http': { unit: ['http/*'] },
    'src/llm': { unit: ['llm/*'] },
    'src/edge/mcp': { unit: ['edge/mcp', 'edge/followers'], e2e: ['mcp', 'mcp-doors'] },
    'src/net': { unit: ['net/*', 'llm/llm'] },
    'src/ops': { contract: ['roles', 'dispatch', 'examples', 'people', 'generated'] },
    'src/output': { unit: ['output/*'] },
    'src/toolbox': { unit: ['toolbox/*'], e2e: ['runner-mcp'] },
    'src/server': { unit: ['server/*'], e2e: ['setup', 'readiness'] },
};

// Names of files that say their noun with another word than the tests do.
const nouns = { notification: 'inbox', docket: 'job', turn: 'discussion', agent: 'discussion', token: 'identity', user: 'identity', log: 'job', plan: 'project', prd: 'project' };

const doors = { ws: 'websocket', stream: 'events', sse: 'events', holds: 'holding', hot: 'waits' };

const folderOf = (file) => Object.keys(folders).filter((folder) => file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0];

// question_set_end.c: question_set_end, question_set, question.
function stems(file) {
    const words = file.split('/').at(-1).replace(/\.\w+$/, '').replace(/_(ops|fields|commands|row|list)$/, '').split('_');
    return words.map((_, i) => words.slice(0, words.length - i).join('_'));
}

// Where a statement is used: the files in C that name it.
const usersOf = (tree, statement) =>
    globSync('src/**/*.c', { cwd: tree }).sort().filter((file) => new RegExp(`\\bSQL_${statement.toUpperCase()}\\b`).test(readFileSync(join(tree, file), 'utf8')));

/**
 * The tests nearest to a file of this tree, nearest first: { kind: 'unit' | 'contract' | 'e2e', name }. A statement of SQL is also
 * near what stands near those who use it.
 */
export function nearest(tree, file, statement) {
    const found = statement && file.endsWith('.sql') ? usersOf(tree, statement).flatMap((user) => nearest(tree, user)) : [];
    const add = (kind, name) => found.some((test) => test.kind === kind && test.name === name) || found.push({ kind, name });
    const all = (kind, pattern, take) => globSync(pattern, { cwd: tree }).sort().forEach((path) => add(kind, take(path)));
    const unit = (pattern) => all('unit', `tests/unit/${pattern.replace(/([^/]+)$/, 'test_$1')}.c`, (path) => path.slice('tests/unit/'.length, -2).replace('test_', ''));
    const contract = (pattern) => all('contract', `tests/contract/test_${pattern}.c`, (path) => path.slice('tests/contract/'.length));
    const e2e = (name) => existsSync(join(tree, `tests/e2e/${name}.test.mjs`)) && add('e2e', name);
    const inside = file.slice('src/'.length).split('/').slice(0, -1).join('/');
    const folder = folders[folderOf(file)] ?? {};
    for (const stem of stems(file)) unit(`${inside}/${stem}`);
    if (/^src\/(core|ops|engine|db\/sql)\//.test(file)) for (const stem of stems(file)) [`${stem}`, `${stem}_*`, nouns[stem]].forEach((name) => name && contract(name));
    if (/^src\/(cli|edge|server)\//.test(file)) for (const stem of stems(file)) [`mcp-${stem}`, `${stem}-cli`, stem, `${stem}s`, doors[stem]].forEach((name) => name && e2e(name));
    folder.unit?.forEach(unit);
    folder.contract?.forEach(contract);
    folder.e2e?.forEach(e2e);
    return found;
}
