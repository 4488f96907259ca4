// Arguments, the order of things, and what is printed. The faults are in kinds.mjs, the tests in nearest.mjs.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { faultsIn, kinds } from './kinds.mjs';
import { nearest } from './nearest.mjs';
import { lineAt, mask, parts } from './source.mjs';
import { Tree, commands } from './tree.mjs';

const help = `tools/mutate plants small faults in the source, one at a time, runs the tests that stand nearest, and prints what lived.

  tools/mutate                              in the functions that are changed against origin/main or, without one, HEAD
  tools/mutate --since REV                  in the functions that are changed against REV
  tools/mutate --files src/core/inbox/*.c   in these files
  tools/mutate --sample 40 --seed 7         in 40 places of all of src, the same ones for the same seed
  tools/mutate --named                      the faults of tests/mutants/named.mjs, each of which must die

  --kinds LIST     only these kinds, separated by commas (below)
  --part NAME      only in this function, table or statement; of the named faults, only those with this in their name
  --most N         N places at most, chosen by the seed; every kind has its share
  --minutes N      plant nothing new after so long
  --allow SHARE    how much of what was planted may live, 0 to 1 (default 0); a named fault never may
  --list           say where faults would be planted, and plant none
  --tree DIR       another tree than this one (its Makefile has the same targets)

Kinds:
${Object.entries(kinds).map(([kind, { help: text }]) => `  ${kind.padEnd(9)} ${text}`).join('\n')}

It works in a copy, build/mutate, and leaves the tree alone. Tests run on SQLite; under \`tests/pg run tools/mutate ...\` those that
look for a PostgreSQL have one. A fault that does not compile is counted as skipped. One that changes nothing that could be seen is
listed in tests/mutants/equivalent.mjs, with the reason.
Exit code: 0 as much died as must, 1 too much lived, 2 it could not be tried.
`;

const { values: given } = parseArgs({
    options: {
        since: { type: 'string' }, files: { type: 'boolean' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' },
        named: { type: 'boolean' }, kinds: { type: 'string' }, part: { type: 'string' }, most: { type: 'string' }, minutes: { type: 'string' },
        allow: { type: 'string', default: '0' }, list: { type: 'boolean' }, tree: { type: 'string' }, help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
});
const { positionals } = parseArgs({ options: { files: { type: 'boolean' } }, strict: false, allowPositionals: true });

function giveUp(why) {
    console.error(`tools/mutate: ${why}`);
    process.exit(2);
}

const root = resolve(given.tree ?? join(import.meta.dirname, '../..'));
const git = (...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] });

// Numbers that look random and are the same for the same seed, whatever text that is.
function randomFrom(seed) {
    let state = [...String(seed)].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) | 0, 17);
    return (below) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
}

// Comparisons are everywhere and roles are few: each kind gives one in turn, as long as it has any.
function choose(faults, most, seed) {
    const below = randomFrom(seed);
    const byKind = Object.values(Object.groupBy(faults, ({ kind }) => kind));
    const chosen = [];
    while (chosen.length < most && byKind.some((left) => left.length > 0))
        for (const left of byKind) if (left.length > 0 && chosen.length < most) chosen.push(...left.splice(below(left.length), 1));
    return chosen;
}

// The lines that are new or different: { file: [[first, last], ...] }.
function changedLines(since) {
    const changed = {};
    let file;
    for (const line of git('diff', '-U0', since, '--', 'src').split('\n')) {
        if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length);
        const place = line.match(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/);
        if (place && place[2] !== '0') (changed[file] ??= []).push([Number(place[1]), Number(place[1]) + Number(place[2] ?? 1) - 1]);
    }
    return changed;
}

// A fault in a comparison is planted where something is decided; a header has little of that, and generated tables have none.
const isSource = (file) => /^src\/.*\.(c|sql)$/.test(file) && !file.startsWith('src/db/migrations/') && existsSync(join(root, file));

function faultsOf(file, chosen, lines) {
    const text = readFileSync(join(root, file), 'utf8');
    const masked = mask(file, text);
    const touched = ({ from, to }) => !lines || lines.some(([first, last]) => first <= lineAt(text, to) && last >= lineAt(text, from));
    return parts(file, text)
        .filter((part) => (!given.part || part.name === given.part) && touched(part))
        .flatMap((part) => faultsIn(file, masked, part, chosen))
        .map((fault) => ({ ...fault, line: lineAt(text, fault.at), was: text.slice(0, fault.at).split('\n').at(-1) + text.slice(fault.at).split('\n')[0] }));
}

const optional = async (name) => (existsSync(join(root, name)) ? (await import(pathToFileURL(join(root, name)))).default : []);

async function findFaults() {
    const chosen = given.kinds ? given.kinds.split(',') : Object.keys(kinds);
    for (const kind of chosen) if (!kinds[kind]) giveUp(`there is no kind ${kind}; --help lists them`);
    const equivalent = await optional('tests/mutants/equivalent.mjs');
    const isKnown = ({ file, kind, was }) => equivalent.some((known) => known.file === file && known.kind === kind && known.line === was.trim());
    let faults;
    if (given.files) faults = positionals.filter(isSource).flatMap((file) => faultsOf(file, chosen));
    else if (given.sample) faults = globSync('src/**/*.{c,sql}', { cwd: root }).filter(isSource).sort().flatMap((file) => faultsOf(file, chosen));
    else {
        const changed = changedLines(given.since ?? (git('branch', '-r').includes('origin/main') ? 'origin/main' : 'HEAD'));
        faults = Object.keys(changed).filter(isSource).flatMap((file) => faultsOf(file, chosen, changed[file]));
    }
    const known = faults.filter(isKnown).length;
    const most = Number(given.most ?? given.sample ?? faults.length);
    return { faults: choose(faults.filter((fault) => !isKnown(fault)), most, given.seed), known };
}

// A named fault is a place that is found by its text, since lines move. One that is not found has to be said anew.
async function namedFaults() {
    const named = await optional('tests/mutants/named.mjs');
    if (named.length === 0) giveUp('tests/mutants/named.mjs names no fault');
    return named.filter(({ name }) => !given.part || name.includes(given.part)).map((fault) => {
        const text = existsSync(join(root, fault.file)) ? readFileSync(join(root, fault.file), 'utf8') : '';
        const at = text.indexOf(fault.from);
        if (at < 0 || text.indexOf(fault.from, at + 1) >= 0) giveUp(`"${fault.name}" stands ${at < 0 ? 'nowhere' : 'more than once'} in ${fault.file}: mend tests/mutants/named.mjs`);
        return { ...fault, kind: 'named', at, length: fault.from.length, text: fault.to, line: lineAt(text, at), was: fault.from };
    });
}

const place = ({ file, line, kind, part, name }) => `${file}:${line}  ${name ?? `${kind} in ${part}`}`;

function difference(before, after) {
    const [was, is] = [before.split('\n'), after.split('\n')];
    let first = 0;
    while (was[first] === is[first]) first++;
    let [last, end] = [was.length, is.length];
    while (last > first && end > first && was[last - 1] === is[end - 1]) last--, end--;
    return [...was.slice(first, last).map((line) => `    - ${line}`), ...is.slice(first, end).map((line) => `    + ${line}`)].join('\n');
}

// How long each test takes without a fault. One that fails then says nothing by failing, and is left out.
const unhurt = new Map();
async function passing(tree, tests) {
    for (const test of tests) {
        if (unhurt.has(test.name)) continue;
        const result = await tree.run(test.command, test.args, { env: test.env, limit: 300_000 });
        if (!result.ok) console.error(`  left out ${test.name}, which fails without any fault:\n${result.output.slice(-1500)}`);
        unhurt.set(test.name, result.ok ? result.ms : undefined);
    }
    return tests.filter(({ name }) => unhurt.get(name) !== undefined);
}

const testsFor = (fault) => commands(fault.tests ?? nearest(root, fault.file, fault.part));

// died, lived, skipped (it does not compile) or untested (nothing is near).
async function plant(tree, fault) {
    const near = testsFor(fault);
    const targets = [...new Set(near.map(({ target }) => target).filter(Boolean))];
    const before = tree.read(fault.file);
    const built = targets.length === 0 || (await tree.build(targets));
    if (built !== true && !built.ok) giveUp(`the tree does not build without any fault:\n${built.output.slice(-3000)}`);
    const tests = await passing(tree, near);
    if (tests.length === 0) return { end: 'untested' };
    const after = before.slice(0, fault.at) + fault.text + before.slice(fault.at + fault.length);
    tree.write(fault.file, after);
    try {
        if (targets.length > 0 && !(await tree.build(targets)).ok) return { end: 'skipped' };
        for (const test of tests) {
            const result = await tree.run(test.command, test.args, { env: test.env, limit: 20_000 + 5 * unhurt.get(test.name) });
            if (!result.ok) return { end: 'died', by: test.name };
        }
        return { end: 'lived', diff: difference(before, after), tests: tests.map(({ name }) => name) };
    } finally {
        tree.write(fault.file, before);
    }
}

async function main() {
    if (given.help) return void console.log(help);
    const { faults, known } = given.named && !given.sample ? { faults: [], known: 0 } : await findFaults();
    const all = [...(given.named ? await namedFaults() : []), ...faults];
    if (given.list) return all.forEach((fault) => console.log(place(fault)));
    const tree = new Tree(root, join(root, 'build/mutate'));
    const until = given.minutes ? Date.now() + Number(given.minutes) * 60_000 : Infinity;
    const ended = { died: 0, lived: 0, skipped: 0, untested: 0 };
    let mustHaveDied = 0;
    for (const fault of all) {
        if (Date.now() > until && fault.kind !== 'named') break;
        const result = await plant(tree, fault);
        ended[result.end]++;
        if (result.end !== 'died' && fault.kind === 'named') mustHaveDied++;
        console.log(`  ${result.end.padEnd(8)} ${place(fault)}${result.by ? `  (${result.by})` : ''}`);
        if (result.diff) console.log(`${result.diff}\n    not noticed by ${result.tests.join(', ')}`);
    }
    const planted = ended.died + ended.lived;
    console.log(`${planted} planted: ${ended.died} died, ${ended.lived} lived; ${ended.skipped} did not compile, ${ended.untested} had no test near, ${known} are known to change nothing`);
    if (mustHaveDied > 0) console.log(`${mustHaveDied} of the named faults did not die`);
    process.exitCode = mustHaveDied > 0 || ended.lived > Number(given.allow) * planted ? 1 : 0;
}

await main();
