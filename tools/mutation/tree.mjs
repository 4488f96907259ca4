// A copy of the tree with a build folder of its own, in which faults are planted and tests run. The tree that people work in
// is only read.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// What is neither compiled nor run by the nearest tests.
const leftOut = /^(docs|bench|packaging)\//;

const same = (from, to) => existsSync(to) && readFileSync(from).equals(readFileSync(to));

export class Tree {
    /** The copy of `source` in `folder`; what has not changed since the last time keeps its time, and is not built again. */
    constructor(source, folder) {
        this.source = source;
        this.folder = folder;
        mkdirSync(folder, { recursive: true });
        const list = (...more) => execFileSync('git', ['-C', source, 'ls-files', '-z', ...more], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0').filter(Boolean);
        const files = list('--cached', '--others', '--exclude-standard').filter((file) => !leftOut.test(file) && existsSync(join(source, file)));
        for (const file of files) {
            if (same(join(source, file), join(folder, file))) continue;
            mkdirSync(dirname(join(folder, file)), { recursive: true });
            cpSync(join(source, file), join(folder, file));
        }
        this.#forget(new Set(files));
        for (const modules of ['node_modules', 'ui/node_modules', 'tests/mcp/node_modules'])
            if (existsSync(join(source, modules)) && !existsSync(join(folder, modules))) symlinkSync(join(source, modules), join(folder, modules));
    }

    // A file that is gone from the source would still be compiled here.
    #forget(files) {
        const note = join(this.folder, '.files');
        const before = existsSync(note) ? readFileSync(note, 'utf8').split('\n') : [];
        for (const file of before) if (file && !files.has(file)) rmSync(join(this.folder, file), { force: true });
        writeFileSync(note, [...files].join('\n'));
    }

    read(file) {
        return readFileSync(join(this.folder, file), 'utf8');
    }

    write(file, text) {
        writeFileSync(join(this.folder, file), text);
    }

    /** Runs a command in the copy: { ok, timedOut, output, ms }. All that it started ends with it. */
    run(command, args, { limit = 600_000, env = {} } = {}) {
        const began = Date.now();
        return new Promise((done) => {
            const child = spawn(command, args, { cwd: this.folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
            let output = '';
            let timedOut = false;
            let timer;
            const end = (signal) => {
                try {
                    process.kill(-child.pid, signal);
                } catch {
                    // All of them have ended.
                }
            };
            // What it has started elsewhere, such as a database, only it can end: it is given a moment to do so.
            const late = () => {
                timedOut = true;
                end('SIGTERM');
                timer = setTimeout(() => end('SIGKILL'), 10_000);
            };
            timer = setTimeout(late, limit);
            const keep = (bytes) => (output = (output + bytes).slice(-100_000));
            child.stdout.on('data', keep);
            child.stderr.on('data', keep);
            child.on('close', (code) => {
                clearTimeout(timer);
                end('SIGKILL');
                done({ ok: code === 0 && !timedOut, timedOut, output, ms: Date.now() - began });
            });
        });
    }

    // Quick to build rather than quick to run, and without warnings: a fault may leave a variable unused.
    build(targets) {
        const flags = ['CFLAGS=-w', 'OPT=-O0', 'HARDEN=', `CC=${this.compiler}`];
        return this.run('make', ['-s', '--no-print-directory', '-j2', ...flags, ...targets]);
    }

    get compiler() {
        this.#compiler ??= existsSync('/usr/bin/ccache') ? 'ccache gcc' : 'gcc';
        return this.#compiler;
    }
    #compiler;
}

/**
 * What is to be built for some tests, and how they are run: one command for each unit, e2e or ui test, one for all contract tests.
 * A unit test that needs a PostgreSQL (`server`) has one of its own; of an e2e test `cases` says which of its cases are meant.
 */
export function commands(tests) {
    const named = (wanted) => tests.filter(({ kind }) => kind === wanted);
    const contract = named('contract').map(({ name }) => name);
    const unit = named('unit').map(({ name, server }) => {
        const program = `build/tests/unit/${name.replaceAll('/', '_')}`;
        const way = server ? { command: 'tests/pg', args: ['run', program] } : { command: program, args: [] };
        return { name: program.split('/').at(-1), target: program, ...way };
    });
    const contracts = { name: `contract: ${contract.join(' ')}`, target: 'build/tests/contract', command: 'build/tests/contract', args: ['sqlite/table*', ...contract] };
    const pages = named('ui').map(({ name }) => ({ name: `ui/tests/${name}.test.ts`, command: process.execPath, args: ['--disable-warning=ExperimentalWarning', '--test', `ui/tests/${name}.test.ts`] }));
    const skipped = process.env.WITAN_TEST_PG ? [] : ['--test-skip-pattern=postgres'];
    const whole = named('e2e').map(({ name, cases }) => ({
        name: `${name}.test.mjs${cases ? `: ${cases}` : ''}`,
        target: 'build/witan',
        command: process.execPath,
        args: ['--test', ...skipped, ...(cases ? [`--test-name-pattern=${cases}`] : []), `tests/e2e/${name}.test.mjs`],
        env: { WITAN_BIN: 'build/witan' },
    }));
    return [...unit, ...(contract.length > 0 ? [contracts] : []), ...pages, ...whole];
}
