// A person is taken out of the store: nothing with their name or words is left anywhere in it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, until } from './lib/server.mjs';

const witan = (server, ...args) => cli(server.folder, [...args, '--db', server.db]);
const words = 'xylophone';

// Everything the store holds, as text: of SQLite the bytes of a fresh copy, of PostgreSQL a dump.
async function everything(server, name) {
    const copy = join(server.folder, name);
    const { code, stderr } = await witan(server, 'backup', copy);
    assert.equal(code, 0, stderr);
    if (server.engine === 'sqlite') return (await readFile(copy)).toString('latin1');
    return (await promisify(execFile)('pg_dump', ['--data-only', server.db], { maxBuffer: 64 << 20 })).stdout;
}

// Where it stands, with what is around it.
const holds = (text, part) =>
    [...text.matchAll(new RegExp(`[^\\n]{0,80}${part}[^\\n]{0,40}`, 'gi'))].map(([found]) => found);

onBothEngines('witan user erase leaves neither name nor words', {}, async (server) => {
    await makeUser(server, 'Boss', 'a long enough password', 'owner');
    await makeUser(server, 'Quentin', 'another long password', 'member');
    const agent = await makeToken(server, { name: 'the agent', agent: 'Builder' });
    const cookie = await login(server, 'Quentin', 'another long password');
    const as = { headers: { Cookie: cookie, Origin: server.url } };

    // A message with a mention, a reply to a prompt, answers of every kind, feedback, an open question.
    await server.must(201, 'POST', '/api/chat', { agent_name: 'Quentin', message: `${words} @Builder`, is_human: true }, as);
    const prompt = await server.ask({ requester_agent: 'Builder', required_responses: 2 }, { token: agent });
    await server.must(201, 'POST', `/api/discussion/${prompt.id}`, { agent_name: 'Quentin', message: words, is_human: true }, as);
    const ask = async (type, responseType) =>
        (
            await server.must(201, 'POST', '/api/questions', { type, question: `Which ${type}?`, responseType }, { token: agent })
        ).questionId;
    const [said, approved] = [await ask('blocking', 'text'), await ask('approval', 'approval')];
    const answer = (id, response) => server.must(200, 'POST', `/api/questions/${id}/answer`, { response }, as);
    await answer(said, { type: 'text', value: words });
    await answer(approved, { type: 'approval', value: true, comment: words });
    const { id: project } = await server.must(201, 'POST', '/api/projects', { name: 'Shop' }, as);
    await server.must(201, 'POST', `/api/projects/${project}/feedback`, { text: words }, as);

    const before = await everything(server, 'before');
    assert.ok(holds(before, words).length > 5 && holds(before, 'quentin').length > 10);
    const unsure = await witan(server, 'user', 'erase', 'quentin');
    assert.equal(unsure.code, 2, unsure.stderr);
    assert.match(unsure.stdout, /Would erase Quentin/);
    assert.equal((await server.api('GET', '/api/me', undefined, as)).status, 200, 'nothing happened yet');
    assert.equal((await witan(server, 'user', 'erase', 'nobody', '--yes')).code, 1);

    const { code, stdout, stderr } = await witan(server, 'user', 'erase', 'quentin', '--yes', '--json');
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout);
    assert.equal(report.account, true);
    assert.ok(report.messages >= 2 && report.answers === 2 && report.audit > 3, stdout);
    assert.equal((await server.api('GET', '/api/me', undefined, as)).status, 401, 'the login has ended');
    const after = await everything(server, 'after');
    assert.deepEqual(holds(after, words), []);
    assert.deepEqual(holds(after, 'quentin'), []);

    // What was decided stays, and everything goes on.
    const { question } = await server.must(200, 'GET', `/api/questions/${approved}`, undefined, { token: agent });
    assert.equal(question.response.value, true);
    await server.must(201, 'POST', `/api/discussion/${prompt.id}`, { agent_name: 'Scribe', message: 'and I' }, { token: await makeToken(server, { agent: 'Scribe' }) });
    assert.equal((await server.show(prompt.id, { token: agent })).status, 'resolved');
    const verdict = await until(async () => {
        const verified = await witan(server, 'audit', 'verify', '--json');
        assert.equal(verified.code, 0, verified.stdout + verified.stderr);
        return JSON.parse(verified.stdout).unsealed === 0 && JSON.parse(verified.stdout);
    }, 'sealed');
    assert.equal(verdict.erased, report.audit);
    // The last owner cannot be erased: nobody could log in any more.
    assert.notEqual((await witan(server, 'user', 'erase', 'boss', '--yes')).code, 0);
});
