// Completion, each script in its own shell: commands, options, values, what waits, and operations.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { cli } from './lib/cli.mjs';
import { Screen } from './lib/screen.mjs';
import { binary, cleanEnv, start, tempFolder } from './lib/server.mjs';

const run = promisify(execFile);

async function serverWithWork(t) {
    const server = await start(t);
    await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    await server.must(201, 'POST', '/api/agents', { name: 'Scribe' });
    await server.must(201, 'POST', '/api/projects', { name: 'Quay $(touch taken)' });
    const asked = await server.must(201, 'POST', '/api/questions', { question: "What's next: 東京?", type: 'blocking', responseType: 'text' });
    return { server, id: asked.questionId.slice(-8) };
}

// In a shell that a person types into: a line, Tab, and what becomes of it.
async function completes(screen, line, what) {
    await screen.type(line);
    await screen.press('Tab');
    const text = await screen.shows(what);
    await screen.press('C-u');
    await screen.press('C-l');
    await screen.shows(/^%$/);
    return text;
}

async function inShell(screen, id) {
    await completes(screen, 'witan inb', /witan inbox $|witan inbox$/m);
    await completes(screen, 'witan token cre', /witan token create/);
    await completes(screen, 'witan inbox --ty', /witan inbox --type/);
    await completes(screen, 'witan inbox --type appr', /--type approval/);
    await completes(screen, 'witan token create --role own', /--role owner/);
    await completes(screen, 'witan ask --type err', /--type error_recovery/);
    await completes(screen, 'witan connect vs', /connect vscode/);
    await completes(screen, 'witan discuss --format tr', /--format transcript/);
    await completes(screen, 'witan decide --category dep', /--category dependencyModifications/);
    await completes(screen, 'witan events --types prompt.created,prompt.en', /--types prompt.created,prompt.ended/);
    await completes(screen, `witan answer ${id.slice(0, 6)}`, new RegExp(`witan answer ${id}`));
    await completes(screen, 'witan task list --project Sh', /--project Shop/);
    // Whatever others have named a project, it comes into the line as one word.
    await completes(screen, 'witan task list --project Qu', /--project Quay\\ \\\$\\\(touch\\ taken\\\)/);
    await completes(screen, 'witan run Sc', /witan run Scribe/);
    await completes(screen, 'witan run dre', /witan run dreamer/);
    await completes(screen, 'witan agent show Sc', /witan agent show Scribe/);
    await completes(screen, 'witan call discussion_mess', /discussion_message/);
    await completes(screen, 'witan call prompt_list stat', /prompt_list status=/);
}

test('bash completes', async (t) => {
    const { server, id } = await serverWithWork(t);
    const screen = await Screen.open(t, server, { columns: 100 });
    await screen.enter("PS1='% ' exec bash --norc --noprofile");
    await screen.shows(/%$/);
    await screen.enter('source <(witan completion bash); echo ready');
    await screen.shows(/^ready/m);
    await screen.press('C-l');
    await screen.shows(/^%$/);
    await inShell(screen, id);
});

test('zsh completes', async (t) => {
    const { server, id } = await serverWithWork(t);
    const screen = await Screen.open(t, server, { columns: 100 });
    await screen.enter("PS1='%% ' exec zsh -f");
    await screen.shows(/%$/);
    await screen.enter("autoload -U compinit; compinit -u -d ./zcompdump; source <(witan completion zsh); echo ready");
    await screen.shows(/^ready/m);
    await screen.press('C-l');
    await screen.shows(/^%$/);
    await inShell(screen, id);
});

test('fish completes', async (t) => {
    const { server, id } = await serverWithWork(t);
    const bin = join(server.folder, 'bin');
    await mkdir(bin);
    await symlink(binary, join(bin, 'witan'));
    const env = cleanEnv(server.folder, { WITAN_URL: server.url, PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' });
    const complete = async (line) => {
        const { stdout } = await run('fish', ['--no-config', '-c', `witan completion fish | source; complete -C '${line}'`], { env });
        return stdout.trimEnd().split('\n');
    };
    assert.match((await complete('witan as')).join(), /^ask\tAsk a person/);
    assert.deepEqual((await complete('witan token cre')).map((line) => line.split('\t')[0]), ['create']);
    assert.deepEqual(await complete('witan inbox --type appr'), ['approval']);
    assert.deepEqual(await complete('witan inbox --type=appr'), ['--type=approval']);
    assert.deepEqual(await complete('witan ask --type err'), ['error_recovery']);
    assert.deepEqual(await complete('witan connect vs'), ['vscode']);
    assert.deepEqual(await complete('witan discuss --format tr'), ['transcript']);
    assert.deepEqual(await complete('witan decide --category dep'), ['dependencyModifications']);
    assert.deepEqual(await complete('witan events --types prompt.created,prompt.en'), ['prompt.created,prompt.ended']);
    assert.deepEqual(await complete('witan help al'), ['all\tEvery command with a line of its own.']);
    assert.deepEqual(await complete(`witan answer ${id.slice(0, 6)}`), [`${id}\tWhat's next: 東京?`]);
    assert.deepEqual(await complete('witan task list --project Sh'), ['Shop']);
    assert.match((await complete('witan call discussion_mess')).join(), /^discussion_message\t/);
    assert.match((await complete('witan call prompt_list stat')).join(), /^status=\t/);
});

test('without a server nothing is said, and every command can be completed to', async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:9' };
    const nothing = await cli(folder, ['__complete', 'answer', ''], { env });
    assert.deepEqual(nothing, { code: 0, stdout: '', stderr: '' });
    const { stdout: help } = await cli(folder, ['help', 'all'], {});
    for (const [, name] of help.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}\S/gm)) {
        const words = name.split(' ');
        const { stdout } = await cli(folder, ['__complete', ...words.slice(0, -1), words.at(-1).slice(0, -1)], { env });
        assert.ok(stdout.split('\n').some((line) => line.split('\t')[0] === words.at(-1)), name);
    }
});
