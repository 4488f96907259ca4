// Sets of open questions from the command line: an answer to some keeps the set open, and nobody's answer is
// lost behind a "Resolved" that changed nothing.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';
import { Work, assertHolds, blocked, open } from './lib/work.mjs';

async function begun(server) {
    const work = await Work.begin(server);
    const task = await work.claimed('Cache the price list');
    const { notificationId: id } = await work.stuck(task.id, 'Which cache?', 'How\u200b large?');
    const resolve = (...args) => cli(server.folder, ['resolve', id, ...args, '--url', server.url]);
    const stored = async () =>
        (await work.get(`/notifications/${id}`)).responses.map(({ questionId, answer }) => [questionId, answer]);
    return { work, task, id, resolve, stored };
}

onBothEngines('an answer to some of a set keeps it open until the rest is answered', {}, async (server) => {
    const { work, task, id, resolve, stored } = await begun(server);
    const some = await resolve('q1=Redis');
    assert.equal(some.code, 0, some.stderr);
    assert.match(some.stderr, /stays open.*1 more/);
    assert.match(some.stderr, /q1: Which cache\?\n +answered: Redis/);
    assert.match(some.stderr, /q2: How<U\+200B> large\?\n +no answer/);
    await work.is(task.id, blocked);
    assert.deepEqual(await stored(), [['q1', 'Redis']]);
    const shown = await cli(server.folder, ['open-questions', '--url', server.url]);
    assert.match(shown.stdout, /Which cache\?\n +answered: Redis\n/);

    // Another answer to the same question is told apart from the same one again.
    const other = await resolve('q1=Memcached', 'q2=1 GB');
    assert.equal(other.code, 7, other.stderr);
    assert.match(other.stderr, /answered already[\s\S]*answered: Redis/);
    assert.deepEqual(await stored(), [['q1', 'Redis']]);
    assert.equal((await resolve('q1=Redis')).code, 0);
    await work.is(task.id, blocked);

    const rest = await resolve('q2=1 GB');
    assert.equal(rest.code, 0, rest.stderr);
    assert.match(rest.stderr, /^Resolved\./);
    await work.is(task.id, open);
    const both = [['q1', 'Redis'], ['q2', '1 GB']];
    assert.deepEqual(await stored(), both);

    // It has ended: what differs from what is stored is a conflict that shows it, the same again is none.
    for (const args of [['q2=2 GB'], ['q1=Redis', 'q2=2 GB'], ['--dismiss'], ['--approve']]) {
        const late = await resolve(...args);
        assert.equal(late.code, 7, `${args}\n${late.stderr}`);
        assert.match(late.stderr, /nothing was changed[\s\S]*answered: Redis[\s\S]*answered: 1 GB/);
    }
    const told = await resolve('q2=2 GB', '--json');
    assert.equal(told.code, 7);
    assertHolds(JSON.parse(told.stdout), { id, status: 'resolved' });
    const same = await resolve('q1=Redis', 'q2=1 GB');
    assert.equal(same.code, 0, same.stderr);
    assert.match(same.stderr, /nothing was changed/);
    assert.deepEqual(await stored(), both);
});

onBothEngines('the rest stays without an answer only when that is said', {}, async (server) => {
    const { work, task, resolve, stored } = await begun(server);
    const nothing = await resolve('--rest-unanswered');
    assert.equal(nothing.code, 2, nothing.stderr);
    await work.is(task.id, blocked);
    assert.equal((await resolve('q1=Redis')).code, 0);
    const done = await resolve('--rest-unanswered');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /^Resolved\.[\s\S]*no answer/);
    await work.is(task.id, open);
    assert.deepEqual(await stored(), [['q1', 'Redis']]);
    // The answer that came too late is not taken for one that was stored.
    assert.equal((await resolve('q1=Redis', 'q2=1 GB')).code, 7);
    assert.deepEqual(await stored(), [['q1', 'Redis']]);

    const again = await begun(server);
    assert.equal((await again.resolve('q2=1 GB', '--rest-unanswered')).code, 0);
    await again.work.is(again.task.id, open);
    assert.deepEqual(await again.stored(), [['q2', '1 GB']]);
});

onBothEngines('words alone do not settle what waits for a yes or a no', {}, async (server, t) => {
    const work = await Work.begin(server, { hilConfig: 'confirm_all' });
    const { questionId } = await work.post('/decisions', { category: 'scopeChanges', description: 'An export' });
    const words = await cli(server.folder, ['resolve', questionId, 'Why not?', '--url', server.url]);
    assert.equal(words.code, 2, words.stderr);
    const rest = ['resolve', questionId, 'Why not?', '--rest-unanswered', '--url', server.url];
    assert.equal((await cli(server.folder, rest)).code, 2);
    const { question } = await server.must(200, 'GET', `/api/questions/${questionId}`);
    assert.equal(question.status, 'pending');
    // At a terminal a yes waits for Enter, below what it is about.
    const terminal = await Terminal.open(t, server);
    const answers = (typed) =>
        terminal.run(`witan resolve ${questionId} --approve`, async () => {
            await terminal.saw(/An export[^]*Enter goes on/);
            terminal.type(typed);
        });
    const unsure = await answers('n\n');
    assert.equal(unsure.code, 6, unsure.shown);
    assert.equal((await server.must(200, 'GET', `/api/questions/${questionId}`)).question.status, 'pending');
    const yes = await answers('\n');
    assert.equal(yes.code, 0, yes.shown);
    const no = await cli(server.folder, ['resolve', questionId, '--reject', '--url', server.url]);
    assert.equal(no.code, 7, no.stderr);
    assert.match(no.stderr, /approved by/);
});

onBothEngines('a decision says after it was approved or dismissed what became of it', {}, async (server) => {
    const work = await Work.begin(server);
    for (const [args, sentence] of [
        [['--approve'], /^Resolved\.[\s\S]*\n +approved/],
        [['--dismiss'], /^Dismissed\.[\s\S]*\n +not approved/],
    ]) {
        await work.post('/decisions', { category: 'scope', description: `Drop the price list ${args}?` });
        const [{ id }] = (await work.get('/notifications')).notifications;
        const resolve = () => cli(server.folder, ['resolve', id, ...args, '--yes', '--url', server.url]);
        const done = await resolve();
        assert.equal(done.code, 0, done.stderr);
        assert.match(done.stderr, sentence);
        const again = await resolve();
        assert.equal(again.code, 0, again.stderr);
        assert.match(again.stderr, /settled like this|nothing was changed/);
    }
});
