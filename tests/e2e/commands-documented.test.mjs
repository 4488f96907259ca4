// The commands of README.md and docs/guide.md, run as they stand there, in order, in one terminal. A command that is
// not to be run says here why; one that is not known here is run, and must succeed.
//
// Three things differ from what is written: the server's port, which may be taken; ID, which stands for an id; and the
// folder of backups, which is no machine's own.
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { configure, model, openai } from './lib/model.mjs';
import { binary, start, tempFolder, until } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';

const root = new URL('../..', import.meta.url).pathname;

// The shell's commands of a page: one in a line, unless quotes or a backslash go on.
function commandsIn(page) {
    const commands = [];
    for (const [, block] of page.matchAll(/```sh\n([^]*?)```/g)) {
        let command = '';
        for (const line of block.split('\n')) {
            command += command ? `\n${line}` : line;
            const quotes = command.replaceAll(/"[^"]*"/g, '').split("'").length - 1;
            if (command.endsWith('\\') || quotes % 2 === 1) continue;
            const text = command.replace(/\s+#.*$/, '').trim();
            if (text) commands.push(text);
            command = '';
        }
        assert.equal(command, '', 'a quote is left open');
    }
    return commands;
}

const pending = async (server, options) => (await server.must(200, 'GET', '/api/inbox', undefined, options)).items;
// Answers the question with these words as soon as it is asked.
const answering = (words, response) => async (server) => {
    const item = await until(async () => (await pending(server)).find(({ text }) => text.startsWith(words)), `${words} is asked`);
    await server.must(200, 'POST', `/api/questions/${item.id}/answer`, { response });
};
const approving = (words) => answering(words, { type: 'approval', value: true });
const skip = (why) => ({ skip: why });
const starts = skip('starts a server beside the one that runs; every test does');
const machine = skip("changes this machine: packages, users, services, /etc; tests/e2e/package and service do the same in places of their own");
const sets = async (server) => (await pending(server)).filter(({ type }) => type === 'open_questions');
const setId = async (server) => (await sets(server))[0].id;
// The run that was started last.
const runId = async (server) => (await server.must(200, 'GET', '/api/jobs?kind=agent&limit=1')).jobs[0].id;

const readme = {
    './dev run': starts,
    './dev test': skip('runs this test'),
    'build/witan ask --approve "Deploy to production?" && echo deploying': { meanwhile: approving('Deploy to production?'), shows: /approved[^]*deploying/ },
    'build/witan inbox': {
        before: (server) => server.must(201, 'POST', '/api/questions', { question: 'Deploy?', type: 'approval', responseType: 'approval' }),
        shows: /^1 +\S+ +approval/m,
    },
    'build/witan answer 1 --approve': {
        async meanwhile(server, terminal) {
            await terminal.saw(/Enter/);
            terminal.type('\n');
        },
    },
    'build/witan prompt ask "Cache or index first?" --agent Developer --responses 1 --wait': {
        async meanwhile(server) {
            const prompt = await until(async () => (await server.must(200, 'GET', '/api/discussion')).prompts[0], 'it is asked');
            await server.answer(prompt.id, 'Builder', 'The index.');
        },
        shows: /The index\./,
    },
    'build/witan prompt answer ID "The index." --agent Builder': { id: async (server) => (await server.ask({})).id },
    "curl -s 'http://127.0.0.1:7117/api/discussion/ID?wait=55'": {
        async id(server) {
            const prompt = await server.ask({ required_responses: 1 });
            await server.answer(prompt.id, 'Builder');
            return prompt.id;
        },
        shows: /"status":"resolved"/,
    },
};

const guide = {
    './dev run': starts,
    'witan serve --listen 127.0.0.1:7117 --db sqlite:/var/lib/witan/witan.db': starts,
    'witan serve --db postgres://witan@db.internal/witan': starts,
    'region=$(witan ask "Which region?" --choice eu --choice us)': { meanwhile: answering('Which region?', { type: 'choice', value: 'eu' }) },
    'witan ask --approve "Deploy to production?" && ./deploy': { meanwhile: approving('Deploy to production?'), shows: /deployed/ },
    'witan ask "Retry the upload?" --yes-no --default no --timeout 10m': { meanwhile: answering('Retry the upload?', { type: 'boolean', value: true }) },
    'witan inbox': {
        async before(server) {
            const options = ['eu', 'us'].map((value) => ({ id: value, label: value, value }));
            await server.must(201, 'POST', '/api/questions', { question: 'Which?', type: 'blocking', responseType: 'choice', options, timeoutMinutes: 5 });
            await server.must(201, 'POST', '/api/questions', { question: 'Deploy?', type: 'approval', responseType: 'approval', timeoutMinutes: 50 });
        },
        shows: /^1 .*Which\?[^]*^2 .*Deploy\?/m,
    },
    'witan answer 2 --approve --note "After the backup."': readme['build/witan answer 1 --approve'],
    'witan ask --approve "Deploy 1.4?" --idempotency-key deploy-1.4 && ./deploy': { meanwhile: approving('Deploy 1.4?'), shows: /deployed/ },
    'witan link ID': {
        id: async (server) => (await server.must(201, 'POST', '/api/questions', { question: 'Which?', type: 'blocking', responseType: 'text' })).questionId,
        shows: /^http:\S+\/q\/\S+$/m,
    },
    'my-agent "$(witan task context $task)" | witan result --agent coder --source-id $task': { code: 3 },
    'witan resolve ID q1="Redis" q2="1 GB"': { id: setId },
    'witan resolve ID --dismiss': {
        async id(server, terminal) {
            await terminal.run('my-agent | witan result --agent coder --source-id $task');
            return setId(server);
        },
    },
    'witan run analyst --project "Web shop" --feedback ID': {
        async id(server) {
            const shop = (await server.must(200, 'GET', '/api/projects')).projects.find(({ name }) => name === 'Web shop');
            return (await server.must(201, 'POST', `/api/projects/${shop.id}/feedback`, { text: 'The price is wrong.' })).id;
        },
        code: 3, // what this model says is no result
    },
    'witan decide --category scopeChanges "Add an export to PDF" --wait && ./add-export': { meanwhile: approving('Add an export'), shows: /exported/ },
    'witan discuss "Which database?" --agents Builder,Reviewer --vote sqlite,postgres': {
        async before(server, terminal) {
            for (const name of ['Builder', 'Reviewer']) assert.equal((await terminal.run(`witan agent add ${name} --role specialist --prompt 'You build.'`)).code, 0);
        },
    },
    'witan job trace $job --follow': { shows: /The run completed\./ },
    'witan job replay $job': { shows: /All \d+ decisions come out as they are stored/ },
    "curl -s 'http://127.0.0.1:7117/api/jobs/ID?wait=55'": { id: runId, shows: /"status":"completed"/ },
    "curl -s 'http://127.0.0.1:7117/api/jobs/ID/trace?limit=200'": { id: runId, shows: /"kind":"reply"/ },
    "curl -N 'http://127.0.0.1:7117/api/events'": { stream: /prompt\.created/ },
    "curl -N 'http://127.0.0.1:7117/api/events?types=prompt.created,prompt.ended&after=0'": { stream: /prompt\.created/ },
    'witan events --json': { stream: /"prompt\.created"/ },
    'witan user add maya --role owner': {
        async meanwhile(server, terminal) {
            for (const prompt of [/assword[^\n]*: ?$/, /more[^\n]*: ?$/]) {
                await terminal.saw(prompt);
                terminal.type('correct horse battery\n');
            }
        },
    },
    'make deb': machine,
    'sudo apt install ./build/witan_0.2.0_amd64.deb': machine,
    'sudo systemctl enable --now witan': machine,
    'sudo witan token create --name me --role owner': machine, // these are tried by tools/trydeb
    'sudo witan user add maya --role owner': machine,
    'sudo witan backup /backups/witan-$(date +%F).db': machine,
    'sudo systemctl stop witan': machine,
    'sudo witan restore /backups/witan-2026-11-15.db --replace': machine,
    'sudo systemctl start witan': machine,
    'sudo make install': machine,
    'sudo systemd-sysusers && sudo systemctl daemon-reload': machine,
    'sudo witan config init --config /etc/witan/config.yaml': machine,
    'sudo chgrp witan /etc/witan/config.yaml && sudo chmod 640 /etc/witan/config.yaml': machine,
    'witan restore /backups/witan-2026-11-15.db': {
        async before(server, terminal) {
            await terminal.run('cp backups/witan-*.db backups/witan-2026-11-15.db || true');
        },
        code: 7, // refused, as it says, while a server uses the store
    },
};

async function program(folder, name, text) {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
}

async function open(t) {
    const folder = await tempFolder(t);
    const say = async ({ user, system }) =>
        /"?confidence"?/.test(system + user) ? '{"choice": "sqlite", "confidence": 0.9, "ranking": ["sqlite", "postgres"]}' : 'I see it so, and for a reason.';
    const voices = await model(t, say);
    // Where the server and every command look for the settings.
    const [, file] = await configure(join(folder, 'witan'), { default: openai(voices), fast: openai(voices) });
    await rename(file, join(folder, 'witan', 'config.yaml'));
    const server = await start(t, { folder, clock: false, env: { WITAN_COUNCIL_LOCAL_PORTS: '1234' } });
    const terminal = await Terminal.open(t, server, { WITAN_STORE_URL: server.db });
    await mkdir(join(server.folder, 'build'));
    await mkdir(join(server.folder, 'backups'));
    await symlink(binary, join(server.folder, 'build', 'witan'));
    await program(server.folder, 'deploy', 'echo deployed');
    await program(server.folder, 'add-export', 'echo exported');
    await program(join(server.folder, 'bin'), 'my-agent', `echo '{"status": "failed", "open_questions": [{"id": "q1", "text": "Which cache?"}, {"id": "q2", "text": "How large?"}]}'`);
    return { server, terminal };
}

// One that never ends by itself: until what happens meanwhile has come.
async function runStream(server, terminal, line, heard) {
    await terminal.run(`: >heard; ${line} >>heard 2>&1 & echo $! >heard.pid`);
    await until(async () => {
        await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Developer', prompt_message: 'Heard?' });
        await new Promise((wake) => setTimeout(wake, 200));
        return heard.test(await readFile(join(server.folder, 'heard'), 'utf8'));
    }, `${line} tells of a prompt`);
    await terminal.run('kill "$(cat heard.pid)"; wait 2>/dev/null; true');
}

async function runAll(t, file, known) {
    const commands = commandsIn(await readFile(join(root, file), 'utf8'));
    const { server, terminal } = await open(t);
    assert.ok(commands.length > 5, `${file} has commands`);
    for (const command of Object.keys(known)) assert.ok(commands.includes(command), `${file} has no command any more: ${command}`);
    for (const command of commands) {
        const how = known[command] ?? {};
        if (how.skip) {
            t.diagnostic(`skipped: ${command.split('\n')[0]} (${how.skip})`);
            continue;
        }
        await how.before?.(server, terminal);
        const id = how.id && (await how.id(server, terminal));
        assert.ok(id || !/\bID\b/.test(command), `${command}: which ID?`);
        const line = command.replaceAll('127.0.0.1:7117', new URL(server.url).host).replaceAll('/backups/', `${server.folder}/backups/`).replace(/\bID\b/, id);
        if (how.stream) {
            await runStream(server, terminal, line, how.stream);
            continue;
        }
        const { code, shown } = await terminal.run(line, () => how.meanwhile?.(server, terminal)).catch((error) => {
            throw new Error(`${file}: ${line}\n${terminal.shown}`, { cause: error });
        });
        assert.equal(code, how.code ?? 0, `${file}: ${line}\n${shown}`);
        if (how.shows) assert.match(shown, how.shows, line);
    }
}

test('the commands of the README do what it says', { timeout: 600_000 }, (t) => runAll(t, 'README.md', readme));
test('the commands of the guide do what it says', { timeout: 600_000 }, (t) => runAll(t, 'docs/guide.md', guide));
