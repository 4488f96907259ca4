// A real server for a test: its own folder or database, a free port, and the clock in the test's hand.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import { copyDatabase, createDatabase, dropDatabase, sql } from './sql.mjs';

export const binary = resolve(process.env.WITAN_BIN ?? 'build/witan');
// The same with what conformance suites call (tests/conformance).
export const withFixtures = join(dirname(binary), 'tests/witan-fixtures');
export const full = process.env.WITAN_FULL === '1';
const engines = ['sqlite', 'postgres'];
// A server that never starts or never ends is found all the same; a busy machine is not taken for one.
const startLimit = 90_000;
const stopLimit = 90_000;
const faults = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL']);

// What the environment of the test run says must not reach the program: each test decides for itself.
export function cleanEnv(folder, extra = {}) {
    const env = { ...process.env };
    for (const name of Object.keys(env)) if (name.startsWith('WITAN_')) delete env[name];
    return {
        ...env,
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        XDG_DATA_HOME: folder,
        WITAN_TEST: '1',
        WITAN_COUNCIL_OLLAMA: 'off', // what runs on the machine of the tests is not theirs
        WITAN_COUNCIL_LOCAL_PORTS: 'off',
        ...extra,
    };
}

// A busy machine is not refused for it: what the limits do is shown where a test sets them.
const unhurried = { WITAN_STORE_WAIT: '60s', WITAN_STORE_TIMEOUT: '60s' };

export class Server {
    constructor({ folder, db, args = [], env = {}, clock = true, listen = '127.0.0.1:0', argv0, program = binary }) {
        Object.assign(this, { folder, db, args, env, clock, listen, argv0, program });
        this.log = '';
        this.said = ''; // on stdout
        this.#forgetConnections();
    }

    async up() {
        const clock = this.clock ? ['--test-clock'] : [];
        this.child = spawn(
            this.program,
            ['serve', '--listen', this.listen, '--db', this.db, ...clock, ...this.args],
            {
                env: cleanEnv(this.folder, { ...unhurried, ...this.env }),
                argv0: this.argv0, // as which it was started
                stdio: ['ignore', 'pipe', 'pipe'],
            },
        );
        this.pid = this.child.pid;
        // Not when it exits: what it said last may still be on its way to us then.
        this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
        this.child.stderr.on('data', (bytes) => (this.log += bytes));
        this.url = await this.#ready();
        return this;
    }

    // The first line on stdout says how people reach it, and that it listens; where, if that differs, the log.
    #ready() {
        return new Promise((found, failed) => {
            let text = '';
            const give = (why) => failed(new Error(`${why}\n${this.log}`));
            const timer = setTimeout(give, startLimit, 'the server was not ready in time');
            this.child.stdout.on('data', (bytes) => {
                text += bytes;
                this.said = text;
                const line = text.match(/ready: (https?:\/\/\S+)\n/);
                if (!line) return;
                clearTimeout(timer);
                if (line[1].startsWith('http:')) found(line[1]);
                else until(() => this.log.match(/ listening url=(\S+)/)?.[1], 'it says where').then(found, give);
            });
            this.ended.then(({ code, signal }) => {
                clearTimeout(timer);
                give(`the server ended with ${code ?? signal} before it was ready`);
            });
        });
    }

    // Ends in order, and says so with exit code 0.
    async stop() {
        assert.ok(!faults.has(this.child.signalCode), `the server ended by itself, with ${this.child.signalCode}\n${this.log.slice(-4000)}`);
        if (this.child.exitCode !== null || this.child.signalCode !== null) return;
        this.child.kill('SIGTERM');
        const timer = setTimeout(() => this.child.kill('SIGKILL'), stopLimit);
        const { code, signal } = await this.ended;
        clearTimeout(timer);
        this.#forgetConnections();
        assert.equal(code, 0, `the server ended with ${code ?? signal} on SIGTERM\n${this.log}`);
    }

    async kill9() {
        this.child.kill('SIGKILL');
        await this.ended;
        this.#forgetConnections();
    }

    // On the same store and, so that clients find it again, on the same port; which a server of another test may have
    // got meanwhile, and gives back when that test is over.
    async restart() {
        this.listen = new URL(this.url).host;
        return until(async () => {
            const before = this.log.length;
            return this.up().catch((why) => {
                if (!this.log.slice(before).includes('Address already in use')) throw why;
            });
        }, `${this.listen} is free again`);
    }

    // One that is not used is let go before the server does so: a request must not meet that.
    #forgetConnections() {
        this.agent?.destroy();
        this.agent = new http.Agent({ keepAlive: true, timeout: 30_000 });
    }

    // One request. The reply's body is parsed when it is JSON. A body given as text or bytes is sent as it is.
    api(method, path, body, { token, headers = {}, agent = this.agent, signal, timeout } = {}) {
        const bytes =
            body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
                ? body
                : JSON.stringify(body);
        const all = { ...headers };
        if (token) all.Authorization = `Bearer ${token}`;
        if (bytes !== undefined) {
            all['Content-Length'] = Buffer.byteLength(bytes);
            if (!Object.keys(all).some((name) => name.toLowerCase() === 'content-type'))
                all['Content-Type'] = 'application/json';
        }
        return new Promise((done, failed) => {
            const request = http.request(this.url + path, { method, headers: all, agent, signal });
            if (timeout)
                request.setTimeout(timeout, () =>
                    request.destroy(new Error(`no reply within ${timeout} ms`)),
                );
            request.on('error', failed);
            request.on('response', (reply) => read(reply).then(done, failed));
            request.end(bytes);
        });
    }

    // As api, and the reply must have this status.
    async must(status, method, path, body, options) {
        const reply = await this.api(method, path, body, options);
        assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${reply.text}`);
        return reply.body;
    }

    async ask(fields = {}, options) {
        const made = await this.must(
            201,
            'POST',
            '/api/discussion',
            { requester_agent: 'Developer', prompt_message: 'What should I consider?', ...fields },
            options,
        );
        return made.prompt;
    }

    answer(id, agent, message = `From ${agent}.`, options) {
        return this.api('POST', `/api/discussion/${id}`, { agent_name: agent, message }, options);
    }

    say(agent, message, options) {
        return this.must(201, 'POST', '/api/chat', { agent_name: agent, message }, options);
    }

    async show(id, options) {
        return this.must(200, 'GET', `/api/discussion/${id}`, undefined, options);
    }

    // Moves the server's clock; everything that is then due has happened when this returns.
    advance(ms, options) {
        return this.must(200, 'POST', '/api/test/clock', { advance_ms: ms }, options);
    }

    // One figure of /metrics: the sum over all labels, or of those lines that hold `label`.
    async metric(name, label = '') {
        const { text } = await this.api('GET', '/metrics', undefined, { agent: undefined });
        const lines = text.split('\n').filter((line) => line.match(`^${name}[{ ]`) && line.includes(label));
        assert.notEqual(lines.length, 0, `no ${name} in\n${text}`);
        return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    }

    // Runs SQL as another program would.
    sql(text) {
        return sql(this.db, text);
    }
}

async function read(reply) {
    const parts = [];
    for await (const part of reply) parts.push(part);
    const bytes = Buffer.concat(parts);
    const text = bytes.toString();
    const json = (reply.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
    return {
        status: reply.statusCode,
        headers: reply.headers,
        bytes,
        text,
        body: json ? JSON.parse(text) : undefined,
    };
}

// What a test began ends with it, the last first: a folder outlives what works in it. (node runs what `t.after` is given in
// the order in which it came.) All of it is ended, whatever fails.
const endings = new WeakMap();
export function atEnd(t, end) {
    if (!endings.has(t)) {
        endings.set(t, []);
        t.after(async () => {
            const failed = [];
            for (const last of endings.get(t).reverse())
                try {
                    await last();
                } catch (error) {
                    failed.push(error);
                }
            if (failed.length > 0) throw failed[0];
        });
    }
    endings.get(t).push(end);
}

export async function tempFolder(t) {
    const folder = await mkdtemp(join(tmpdir(), 'witan-e2e-'));
    // A server that is just ending may still put something into it.
    atEnd(t, () => rm(folder, { recursive: true, force: true, maxRetries: 50 }));
    return folder;
}

// A place to keep things in that nobody else has: the address of a store.
export async function freshStore(t, engine, folder) {
    if (engine === 'sqlite') return `sqlite:${join(folder, 'witan.db')}`;
    const db = await createDatabase();
    atEnd(t, () => dropDatabase(db));
    return db;
}

const migrate = (db) => promisify(execFile)(binary, ['migrate', '--db', db], { env: cleanEnv(tmpdir()) });

let sqliteTemplate;

async function makeSqliteTemplate() {
    const folder = await mkdtemp(join(tmpdir(), 'witan-e2e-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'template.db');
    await migrate(`sqlite:${file}`);
    return file;
}

// The same, of today and with nothing in it.
async function readyStore(t, engine, folder) {
    if (engine === 'postgres') {
        const db = await copyDatabase(migrate);
        // Dropping takes the server a while, for which the next test need not wait.
        atEnd(t, () => void dropDatabase(db).catch(() => {}));
        return db;
    }
    const file = join(folder, 'witan.db');
    sqliteTemplate ??= makeSqliteTemplate();
    // A second server in the same folder finds what the first has written.
    await copyFile(await sqliteTemplate, file, constants.COPYFILE_EXCL).catch((why) => assert.equal(why.code, 'EEXIST'));
    return `sqlite:${file}`;
}

// A server that ends with the test. `prepare(db, folder)` may work on the store before it starts.
export async function start(t, { engine = 'sqlite', prepare, ...options } = {}) {
    const folder = options.folder ?? (await tempFolder(t));
    const db = options.db ?? (await (prepare ? freshStore : readyStore)(t, engine, folder));
    if (prepare) await prepare(db, folder);
    const server = new Server({ ...options, folder, db });
    server.engine = engine;
    atEnd(t, () => server.child && server.stop());
    return server.up();
}

// The same case on the embedded store and on PostgreSQL. `options` go to start().
export function onBothEngines(name, options, run) {
    for (const engine of engines)
        test(`${name} (${engine})`, { timeout: full ? 900_000 : 600_000 }, async (t) => {
            const server = await start(t, { ...options, engine });
            await run(server, t);
        });
}

// Less than any wait that is held, in milliseconds, and more than a busy machine needs for anything.
export const promptly = 45_000;

// Runs a case until it takes less than the limit, twenty times at most: what is quick by design is quick in
// one of them, however busy the machine is. The case returns what it took: milliseconds, or turns of others.
export async function quickOnce(limit, run) {
    const took = [];
    while (took.length < 20) {
        took.push(await run());
        if (took.at(-1) < limit) return;
    }
    assert.fail(`it took ${took.join(', ')}, and never less than ${limit}`);
}

// How long a test waits for what is to come at once, but not on a busy machine.
export const patience = 90_000;

// What is read is this, now or a moment later: some of it comes after what a test has waited for.
export async function becomes(read, wanted, what) {
    let found;
    await until(async () => isDeepStrictEqual((found = await read()), wanted), what).catch(() => {});
    assert.deepEqual(found, wanted, what);
}

// Waits until a condition holds, for things that no event tells of; the longer it takes, the less often it looks.
export async function until(holds, what, limit = patience) {
    const began = Date.now();
    for (;;) {
        const value = await holds();
        if (value) return value;
        const waited = Date.now() - began;
        assert.ok(waited < limit, `not within ${limit} ms: ${what}`);
        await new Promise((wake) => setTimeout(wake, Math.min(200, 20 + waited / 20)));
    }
}
