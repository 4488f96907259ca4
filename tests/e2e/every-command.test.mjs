// Every command, called wrongly in every way that its help allows: with a wrong value for each option, without an argument,
// with the id of nothing, without a server. It says so in one line, in the words that were typed, ends with the exit code of
// the table, and has changed nothing.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { evil, evilServer } from './lib/evil.mjs';
import { commandsIn, wrongCommands } from './lib/hints.mjs';
import { nobody } from './lib/identity.mjs';
import { start, until } from './lib/server.mjs';

const atOnce = 4;
const hinted = new Set(); // the commands that messages have named

// What stands for a value in the help says what it must be.
const wrong = {
    N: 'many',
    TIME: 'soon',
    TURN: 'last',
    SHARE: 'most',
    AMOUNT: 'much',
    WHO: 'nonsense',
    LIMITS: 'plenty',
    JSON: '{"half": ',
    TYPE: 'nonsense',
    KIND: 'nonsense',
    KINDS: 'nonsense',
    STATUS: 'nonsense',
    MODE: 'nonsense',
    RULE: 'nonsense',
    WHEN: 'nonsense',
    WORD: 'nonsense',
    ORDER: 'nonsense',
    LEVEL: 'nonsense',
    FORMAT: 'nonsense',
    SOURCE: 'nonsense',
    PROVIDER: 'nonsense',
    PROJECT: 'no such project',
    ID: nobody,
    IDS: nobody,
    USER: 'nobody-here',
    PERSON: 'nobody-here',
    AGENT: 'nobody-here',
    'KEY=VALUE': 'no equals sign',
    'ADDRESS:PORT': 'here',
    URL: 'gopher://127.0.0.1',
    FILE: '/no/such/file',
};
// Where the same word stands for something else; null: it may be anything, such as the id of a task that is kept elsewhere.
const others = {
    'token create --role': 'king',
    'user add --role': 'king',
    'events --types': 'no.such.event',
    'decide --details': null,
    'prompt ask --task': null,
    'prompt list --task': null,
    'chat-post --task': null,
    'discuss list --session': null,
    'task add --session': null,
    'task list --session': null,
};
// What names something that could be there: an error like any other, where the rest is a wrong command line.
const names = ['PROJECT', 'ID', 'IDS', 'USER', 'PERSON', 'AGENT', 'FILE'];
// Texts that may be anything.
const free = ['TEXT', 'NAME', 'KEY', 'SLUG', 'ROLE', 'LIST', 'A,B,C', 'CHOICE,...', 'MODEL'];
// Those that every command has are tried with one command of each kind.
const common = { url: 'whoami', 'token-file': 'whoami', config: 'whoami', db: 'user list', color: 'whoami', workspace: 'whoami' };

// A right call of each command, about things that are there.
async function rightCalls(server) {
    const make = async (path, body) => server.must(201, 'POST', path, body);
    const project = (await make('/api/projects', { name: 'Shop' })).id;
    const task = (await make(`/api/projects/${project}/tasks`, { title: 'Search page' })).id;
    const job = (await make('/api/jobs', { kind: 'external', agent: 'Builder', status: 'running' })).id;
    const question = (await make('/api/questions', { question: 'Which?', type: 'blocking', responseType: 'text', agent: 'Builder' })).questionId;
    const prompt = (await make('/api/discussion', { requester_agent: 'Dev', prompt_message: 'What?', required_responses: 1, timeout_minutes: 60 })).prompt.id;
    const agent = (await make('/api/agents', { name: 'Anna', ai_model_config: { provider: 'external' } })).id;
    await make('/api/agents', { name: 'Bora', ai_model_config: 'ollama:llama3.2' });
    const template = (await make('/api/templates', { name: 'edges', question: 'Which edge?', type: 'blocking' })).id;
    const discussion = (await make('/api/discussions', { topic: 'Why?', participants: [{ agentName: 'Anna' }] })).discussion.id;
    // What it tells of its beginning comes a moment later, and is none of the commands' doing.
    await until(async () => (await server.must(200, 'GET', `/api/discussions/${discussion}`)).discussion.phase === 'outside', 'it waits for Anna');
    return {
        ask: ['Which port?', '--no-wait'],
        wait: [question],
        cancel: [question],
        extend: [question, '--by', '10m'],
        link: [question],
        assign: [question, 'nobody-here'],
        unassign: [question],
        snooze: [question, '10m'],
        wake: [question],
        restart: [question],
        'template list': [],
        'template add': ['--name', 'fresh'],
        'template show': [template],
        'template set': [template],
        'template remove': [template],
        decide: ['Drop the page?', '--category', 'scopeChanges', '--project', project],
        inbox: [],
        show: [question],
        answer: [question, '--value', 'eu', '--yes'],
        resolve: [task, '--approve', '--project', project],
        'open-questions': ['--project', project],
        notifications: [],
        search: ['port'],
        who: [],
        'prompt ask': ['Cache?', '--agent', 'Planner'],
        'prompt list': [],
        'prompt show': [prompt],
        'prompt answer': [prompt, 'Yes.', '--agent', 'Builder'],
        'prompt resolve': [prompt],
        'prompt cancel': [prompt],
        'chat-post': ['Hello', '--agent', 'Builder'],
        'chat-log': [],
        events: ['--after', '0'],
        discuss: ['Tea?', '--agents', 'Anna', '--no-wait'],
        'discuss list': [],
        'discuss show': [discussion],
        'discuss pause': [discussion],
        'discuss resume': [discussion],
        'discuss cancel': [discussion],
        'discuss next': [discussion],
        'discuss interject': [discussion, 'Mind the cost.'],
        'discuss fork': [discussion, '--at', '1', '--no-wait'],
        'discuss replay': [discussion],
        'discuss votes': [discussion],
        rehearse: [],
        chat: [],
        'agent add': ['Bert'],
        'agent list': [],
        'agent show': [agent],
        'agent set': [agent],
        'agent delete': [agent],
        'model add': ['fresh', '--provider', 'ollama'],
        'model list': [],
        'model test': [],
        'project add': ['Other'],
        'project list': [],
        orchestrate: [project, 'status'],
        'project show': [project],
        'project set': [project, '--name', 'Store'],
        'project remove': [project, '--yes'],
        'task add': ['Fresh', '--project', project],
        'task list': ['--project', project],
        'task ready': ['--project', project],
        'task show': [task],
        'task claim': [task, '--agent', 'Builder'],
        'task close': [task],
        'task block': [task, '--reason', 'rain'],
        'task open': [task],
        'task chat': [task],
        'task context': [task],
        'task config': [task],
        result: ['--agent', 'coder', '--source-id', task, '--project', project],
        'feedback add': ['Nice', '--project', project],
        'feedback list': ['--project', project],
        'job create': [],
        'job list': [],
        'job show': [job],
        'job log': [job, 'line'],
        'job progress': [job, '1'],
        'job done': [job],
        'job fail': [job],
        'job cancel': [job],
        'job follow': [job],
        'job trace': [job],
        'job replay': [job],
        'tool list': [],
        run: ['Bora', 'Count to three.', '--detach'],
        login: ['ada', '--password-stdin'],
        logout: [],
        whoami: [],
        serve: [],
        config: [],
        'config init': [],
        doctor: [],
        'user add': ['ada', '--role', 'member', '--no-password'],
        'user list': [],
        'user password': ['ada', '--password-stdin'],
        'user disable': ['ada'],
        'user remove': ['ada'],
        'user erase': ['ada'],
        'token create': ['--name', 'fresh'],
        'token list': [],
        'token rotate': [nobody],
        'token revoke': [nobody],
        'workspace add': ['Second'],
        'workspace list': [],
        'workspace remove': ['Second', '--yes'],
        backup: [join(server.folder, 'copy.db')],
        restore: [join(server.folder, 'copy.db')],
        migrate: ['--check'],
        purge: [],
        'audit list': [],
        'audit verify': [],
        'audit anchor': [],
        'audit export': [],
        analytics: [],
        call: ['me_get'],
        docs: ['api'],
        completion: ['bash'],
        mcp: [],
        connect: ['cursor'],
    };
}

// The commands of the help, each with its options that take a value: [name, what stands for it].
async function commandsOf(witan) {
    const { stdout } = await witan(['help', 'all']);
    const names = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}\S/gm)].map(([, name]) => name);
    return Promise.all(
        names.map(async (name) => {
            const help = (await witan([...name.split(' '), '--help'])).stdout;
            const options = [...help.matchAll(/^ {2}--(\S+) (\S+)(?: |$)/gm)].filter(([, , value]) => /^[A-Z]/.test(value));
            return { name, help, options: options.map(([, option, value]) => [option, value]) };
        }),
    );
}

// Each with its command and option, the calls that are made.
function* attempts(commands, right) {
    for (const { name, options } of commands) {
        assert.ok(right[name], `there is no right call of ${name} here`);
        for (const [option, value] of options) {
            if (common[option] && common[option] !== name) continue;
            const known = others[`${name} --${option}`];
            const bad = known === undefined ? wrong[value] : known;
            assert.ok(bad !== undefined || free.includes(value), `${name} --${option} ${value}: what would be wrong here?`);
            if (bad) yield { name, option, bad, codes: names.includes(value) ? [1, 2] : [2], args: [...name.split(' '), ...right[name], `--${option}`, bad] };
        }
    }
}

// What would tell if anything had been changed.
async function digest(server) {
    const tables = ['events', 'agent_questions', 'jobs', 'tasks', 'projects', 'agent_templates', 'discussion_state', 'discussion_logs', 'tokens', 'users', 'squad_chat'];
    return Promise.all(tables.map(async (table) => `${table} ${(await server.sql(`SELECT COUNT(*) FROM ${table}`))[0][0]}`));
}

test('a wrong value of an option is named as it was typed, and changes nothing', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url, WITAN_DB: server.db };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const right = await rightCalls(server);
    const todo = [...attempts(await commandsOf(witan), right)];
    const before = await digest(server);
    const faults = [];
    assert.ok(todo.length > 100, `only ${todo.length}`);

    async function attempt({ name, option, bad, codes, args }) {
        const { code, stdout, stderr } = await witan(args, 'x\n');
        const [line, ...more] = stderr.trimEnd().split('\n');
        for (const command of commandsIn(stderr)) hinted.add(command);
        const say = (why) => faults.push(`${name} --${option}: ${why}: ${code} ${JSON.stringify(stdout.slice(0, 80))} ${JSON.stringify(stderr)}`);
        if (!codes.includes(code)) say(`does not end with ${codes}`);
        if (stdout !== '') say('prints something');
        if (!line.startsWith('witan: ')) say('is not said');
        if (!line.includes(`--${option}`) && !line.includes(bad) && !/with that id/.test(line)) say('does not name the option');
        if (/^witan: [a-z]+([A-Z_]|[a-z] (must|takes|names))/.test(line)) say('speaks as REST does');
        if (more.length > 1 || (more.length === 1 && !more[0].startsWith('       '))) say('is long');
    }
    const next = async () => {
        for (let one = todo.shift(); one; one = todo.shift()) await attempt(one);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    assert.deepEqual(faults, [], `${faults.length}:\n${faults.join('\n')}`);
    // What is to be typed instead can be.
    assert.deepEqual(await wrongCommands(server.folder, hinted), []);
    assert.deepEqual(await digest(server), before);
});

test('a result about nothing that there is names its option, whoever looked for it', { timeout: 300_000 }, async (t) => {
    const server = await start(t);
    const witan = (args) => cli(server.folder, ['result', ...args], { env: { WITAN_URL: server.url }, input: 'x\n' });
    const { id: project } = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    for (const agent of ['coder', 'analyst'])
        for (const scope of [[], ['--project', project]]) {
            const { code, stdout, stderr } = await witan(['--agent', agent, '--source-id', nobody, ...scope]);
            assert.equal(code, 1);
            assert.equal(stdout, '');
            assert.match(stderr, /^witan: --source-id: (No project that you see has a task|There is no (task|feedback) with that id)/);
        }
    const { status, body } = await server.api('POST', `/api/projects/${project}/results`, { agent: 'coder', sourceId: nobody, output: 'x' });
    assert.equal(status, 404);
    assert.equal(body.field, 'sourceId');
});

// Runs them a few at a time; gives what is wrong with each that `check` finds fault with.
async function faultsOf(witan, todo, check) {
    const faults = [];
    const next = async () => {
        for (let one = todo.shift(); one; one = todo.shift()) {
            const { code, stdout, stderr } = await witan(one.args, one.input ?? '');
            const lines = stderr.trimEnd().split('\n');
            for (const command of commandsIn(stderr)) hinted.add(command);
            const at = lines.findIndex((line) => line.startsWith('witan: ')); // before it may stand how to go on
            const why = at < 0 ? 'is not said' : check(one, { code, stdout, line: lines[at], more: lines.slice(at + 1) });
            if (why) faults.push(`${one.args.join(' ')}: ${why}: ${code} ${JSON.stringify(stdout.slice(0, 80))} ${JSON.stringify(stderr)}`);
        }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    return faults;
}

const isLong = (more) => more.length > 1 || (more.length === 1 && !more[0].startsWith('       '));

test('an argument that is missing, and an id of nothing, are told and change nothing', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url, WITAN_DB: server.db };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const right = await rightCalls(server);
    const commands = await commandsOf(witan);
    const before = await digest(server);
    const missing = [];
    const unknown = [];
    for (const { name, help } of commands) {
        const words = name.split(' ');
        const [usage] = help.match(/^usage: witan [^\[]*/m);
        const needed = usage.slice(`usage: witan ${name}`.length).trim();
        if (needed) missing.push({ args: words, needed });
        const first = needed.match(/^(ID|N|AGENT|PROJECT)\b/)?.[1];
        if (first) unknown.push({ args: [...words, first === 'AGENT' ? 'nobody-here' : nobody, ...right[name].slice(1)] });
    }
    assert.ok(missing.length > 40 && unknown.length > 30, `${missing.length} and ${unknown.length}`);
    hinted.clear();
    const faults = [
        ...(await faultsOf(witan, missing, ({ needed }, { code, stdout, line, more }) => {
            if (code !== 2 || stdout !== '') return 'is not usage';
            if (!line.includes(needed.split(' ')[0])) return `does not name ${needed}`;
            return isLong(more) && 'is long';
        })),
        ...(await faultsOf(witan, unknown, (_, { code, stdout, more }) => {
            if (code !== 1 || stdout !== '') return 'does not end with 1';
            return isLong(more) && 'is long';
        })),
    ];
    assert.deepEqual(faults, [], `${faults.length}:\n${faults.join('\n')}`);
    assert.ok(hinted.size > 40, [...hinted].join());
    assert.deepEqual(await wrongCommands(server.folder, hinted), []);
    assert.deepEqual(await digest(server), before);
});

const away = 'http://127.0.0.1:9'; // no port that another test's server could get
// Those that work on the store or the settings alone, or begin a server themselves, have no server to miss.
const alone = /^(serve|config|config init|doctor|user .*|token .*|workspace .*|backup|restore|migrate|purge|audit .*|docs|completion|connect|model .*|logout|mcp|chat)$/;

test('without a server each command that needs one ends with 8', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const env = { WITAN_DB: server.db };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const right = await rightCalls(server);
    const commands = (await commandsOf(witan)).filter(({ name }) => !alone.test(name));
    assert.ok(commands.length > 60, `only ${commands.length}`);
    const todo = commands.map(({ name, help }) => ({
        args: [...name.split(' '), ...right[name], '--url', away, ...(help.includes('--patience') ? ['--patience', '0s'] : [])],
        input: 'x\n',
    }));
    const faults = await faultsOf(witan, todo, (_, { code, stdout, line }) => {
        if (code !== 8 || stdout !== '') return 'does not end with 8';
        return !line.includes(new URL(away).host) && 'does not say where it looked';
    });
    assert.deepEqual(faults, [], `${faults.length}:\n${faults.join('\n')}`);
});

const isJson = (text) => {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
};

// One after the other, so that what a command ends or takes away is missed by those after it only; then they say so.
test('with --json each command prints JSON and nothing else', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url, WITAN_DB: server.db };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const right = await rightCalls(server);
    const faults = [];
    let good = 0;
    for (const { name, help } of await commandsOf(witan)) {
        if (!/^ {2}--json\b/m.test(help) || ['events', 'job follow', 'wait'].includes(name)) continue; // what has no end yet
        const { code, stdout, stderr } = await witan([...name.split(' '), ...right[name], '--json'], 'x\n');
        good += code === 0;
        if (stdout !== '' && !isJson(stdout) && !stdout.trimEnd().split('\n').every(isJson))
            faults.push(`${name}: ${code} ${JSON.stringify(stdout.slice(0, 200))} ${JSON.stringify(stderr)}`);
        if (code === 0 && stdout === '' && !name.endsWith(' remove')) faults.push(`${name}: says nothing`);
    }
    assert.deepEqual(faults, [], `${faults.length}:\n${faults.join('\n')}`);
    assert.ok(good > 50, `only ${good} went well`);
});

// Control characters but line feed and tab, a carriage return by itself, and marks that turn the reading direction.
const steers = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/;
// The colours that we paint with.
const ours = /\u001b\[([012]|3[1-6]|9[1-5])m/g;
const endless = ['events', 'job follow', 'wait', 'chat', 'mcp', 'serve', 'rehearse'];

test('nothing that a server says, or a store holds, steers the terminal, the pipe or the file that it is printed to', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const between = await evilServer(t, server.url);
    const env = { WITAN_URL: between.url, WITAN_DB: server.db };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const right = await rightCalls(server);
    // What takes something away comes last.
    const late = ({ name }) => /remove|delete|cancel|erase|revoke|restore|purge/.test(name);
    const commands = (await commandsOf(witan)).sort((a, b) => late(a) - late(b));
    const json = commands.filter(({ help }) => /^ {2}--json\b/m.test(help));
    const faults = [];
    let heard = 0;
    let kept = 0;

    const check = (args, { stdout, stderr }, own = '') => {
        const all = (stdout + stderr).replace(own, '');
        const found = all.match(steers);
        if (found) faults.push(`${args.join(' ')}: ${JSON.stringify(all.slice(Math.max(0, found.index - 80), found.index + 20))}`);
        heard += all.includes('52;c;aGk=');
    };
    const everyOne = async (those, more, then = () => {}) => {
        const todo = those.filter(({ name }) => !endless.includes(name));
        const next = async () => {
            for (let one = todo.shift(); one; one = todo.shift()) {
                const args = [...one.name.split(' '), ...right[one.name], ...more];
                const run = await witan(args, 'x\n');
                check(args, run, more.includes('always') ? ours : '');
                then(args, run);
            }
        };
        await Promise.all(Array.from({ length: atOnce }, next));
    };
    const show = [...'discuss show'.split(' '), ...right['discuss show'], '--format'];
    await server.must(200, 'POST', `/api/discussions/${right['discuss show'][0]}/interject`, { content: `Look.${evil}` });
    await server.sql(`UPDATE workspaces SET name = 'Second${evil}'`);
    await everyOne(json, ['--json'], (args, { stdout }) => {
        // Escaped, so that programs get all of it.
        if (!stdout.includes('aGk=')) return;
        const values = stdout.trimEnd().split('\n').every(isJson) ? stdout.trimEnd().split('\n').map(JSON.parse) : [JSON.parse(stdout)];
        if (values.some((value) => text(value).includes(evil.slice(0, 8)))) kept += 1;
    });
    assert.ok(kept > 40, `only ${kept} of ${json.length} print what the server said`);
    for (const format of ['transcript', 'md', 'json']) {
        const run = await witan([...show, format]);
        assert.equal(run.code, 0, run.stderr);
        assert.match(run.stdout, /Look\./);
        check([...show, format], run);
    }
    await everyOne(commands, []);
    between.words = true;
    await everyOne(commands, ['--color', 'always']);
    between.words = false;
    assert.ok(heard > 150, `only ${heard} were hostile`);
    for (const args of [['events', '--after', '0'], ['events', '--after', '0', '--json'], ['job', 'follow', right['job show'][0]]]) {
        const run = begin(server.folder, args, { env });
        await until(() => (run.stdout + run.stderr).includes('aGk='), `${args.join(' ')} says something`);
        run.child.kill();
        check(args, await run.done);
    }
    assert.deepEqual(faults, [], `${faults.length}:\n${faults.join('\n')}`);
});

// All texts of a value.
function text(value) {
    if (typeof value === 'string') return value;
    return value && typeof value === 'object' ? Object.values(value).map(text).join('\n') : '';
}
