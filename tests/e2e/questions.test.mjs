// Questions to people on the running program: first answer wins, nothing is lost, every end says whose it was.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { full, onBothEngines, promptly, quickOnce, start, until } from './lib/server.mjs';
import { holdLock } from './lib/sql.mjs';
import { assertInOrder, connect, listen } from './lib/streams.mjs';

const minute = 60_000;

const post = (server, path, body, options) => server.api('POST', path, body, options);
const makeJob = async (server, options) =>
    (await server.must(201, 'POST', '/api/jobs', { agent: 'Builder', status: 'running' }, options)).id;
const show = async (server, id, options) =>
    (await server.must(200, 'GET', `/api/questions/${id}`, undefined, options)).question;
const jobOf = (server, id, options) => server.must(200, 'GET', `/api/jobs/${id}`, undefined, options);
const say = (value) => ({ response: { type: 'text', value } });

// Asks within a job of its own unless one is named.
async function ask(server, fields = {}, { jobId, ...options } = {}) {
    const job = jobId ?? (await makeJob(server, options));
    const made = await server.must(
        201,
        'POST',
        `/api/jobs/${job}/questions`,
        { question: 'Which persona should I use?', type: 'blocking', responseType: 'text', ...fields },
        options,
    );
    return { ...made, jobId: job };
}

const hold = (server, id, options) =>
    server.api('GET', `/api/questions/${id}?wait=55`, undefined, { agent: undefined, ...options });
// The same by one who comes back when nothing has happened for so long.
async function holdOn(server, id, options) {
    for (;;) {
        const reply = await hold(server, id, options);
        if (reply.body?.question?.status !== 'pending') return reply;
    }
}
const holding = (server, count) =>
    until(async () => (await server.metric('witan_waits')) === count, `${count} waits`);

// The requests and replies of the design that this part follows, as they stand there.
onBothEngines('the documented requests work as they stand', {}, async (server, t) => {
    const stream = await listen(t, server);
    const jobId = await makeJob(server);
    const made = await server.must(201, 'POST', `/api/jobs/${jobId}/questions`, {
        question: 'Which database should I use?',
        type: 'blocking',
        responseType: 'choice',
        options: [
            { id: 'pg', label: 'PostgreSQL', value: 'postgres', description: 'What you run already.' },
            { id: 'lite', label: 'SQLite', value: 'sqlite' },
        ],
        context: {
            jobType: 'build',
            projectName: 'witan',
            currentStep: 'schema',
            suggestedOptions: ['postgres'],
        },
        timeoutMinutes: 30,
        defaultResponse: { type: 'choice', value: 'sqlite' },
    });
    assert.deepEqual(Object.keys(made).sort(), ['questionId', 'timeoutAt']);
    const asked = await stream.saw('question_asked');
    assert.equal(asked.questionId, made.questionId);
    assert.equal(asked.jobId, jobId);
    assert.deepEqual(
        [asked.question.question, asked.question.type, asked.question.responseType, asked.question.timeoutAt],
        ['Which database should I use?', 'blocking', 'choice', made.timeoutAt],
    );
    assert.equal(asked.question.options[0].description, 'What you run already.');
    assert.equal(asked.question.context.currentStep, 'schema');
    const waits = await stream.until(() => stream.of('status').find((event) => event.jobId === jobId));
    assert.deepEqual([waits.status, waits.previousStatus], ['waiting_for_input', 'running']);

    const { questions } = await server.must(200, 'GET', `/api/jobs/${jobId}/questions`);
    assert.deepEqual(
        questions.map(({ id, status }) => [id, status]),
        [[made.questionId, 'pending']],
    );
    const pending = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default&type=blocking');
    assert.deepEqual(
        pending.questions.map(({ id }) => id),
        [made.questionId],
    );
    assert.equal((await server.api('GET', '/api/questions/pending')).status, 400);

    const answered = await server.must(200, 'POST', `/api/questions/${made.questionId}/answer`, {
        response: { type: 'choice', value: 'postgres', text: 'We run it already.' },
    });
    assert.deepEqual(answered, { success: true, jobResumed: true });
    const told = await stream.saw('question_answered');
    assert.deepEqual(
        [told.questionId, told.jobId, told.response.value],
        [made.questionId, jobId, 'postgres'],
    );
    const { status, response, outcome } = await show(server, made.questionId);
    assert.deepEqual(
        [status, response.value, response.text, outcome.source],
        ['answered', 'postgres', 'We run it already.', 'human'],
    );
    assert.equal((await jobOf(server, jobId)).status, 'running');

    const other = await ask(server, {}, { jobId });
    assert.deepEqual(await server.must(200, 'POST', `/api/questions/${other.questionId}/cancel`, {}), {
        success: true,
        jobResumed: true,
    });
    // The log of the job is the trail of all of it.
    const { logs } = await server.must(200, 'GET', `/api/jobs/${jobId}/logs`);
    const text = JSON.stringify(logs);
    for (const part of ['Which database should I use?', 'postgres', 'Which persona should I use?'])
        assert.ok(text.includes(part), `${part} in ${text}`);
});

// 100 people at two servers on one store.
test(
    'a hundred answer at once at two servers: one wins, and the waiter gets exactly that',
    { timeout: 600_000 },
    async (t) => {
        const first = await start(t, { engine: 'postgres' });
        const second = await start(t, { db: first.db, folder: first.folder });
        const tokens = [];
        for (let i = 0; i < 20; i++)
            tokens.push(await makeToken(first, { role: 'member', name: `person ${i}` }));
        await makeUser(first, 'Ada', 'correct horse');
        const cookies = [
            await login(first, 'Ada', 'correct horse'),
            await login(second, 'Ada', 'correct horse'),
        ];
        const agent = await makeToken(first, { role: 'agent', name: 'asker' });

        for (let round = 0; round < (full ? 20 : 3); round++) {
            const { questionId, jobId } = await ask(first, {}, { token: agent });
            const streams = [
                await listen(t, first, { token: agent, path: `/api/jobs/${jobId}/stream` }),
                await listen(t, second, { token: agent }),
                await connect(t, second, { token: agent }),
            ];
            const waiters = [
                holdOn(first, questionId, { token: agent }),
                holdOn(second, questionId, { token: agent }),
            ];
            await until(
                async () => (await first.metric('witan_waits')) + (await second.metric('witan_waits')) === 2,
                'both wait',
            );
            const replies = await Promise.all(
                Array.from({ length: 100 }, (_, i) => {
                    const server = i % 2 ? second : first;
                    const who =
                        i % 10 === 9
                            ? { headers: { Cookie: cookies[i % 2], Origin: server.url } }
                            : { token: tokens[i % tokens.length] };
                    return post(server, `/api/questions/${questionId}/answer`, say(`answer ${i}`), who);
                }),
            );
            const winners = replies.map(({ status }, i) => (status === 200 ? i : -1)).filter((i) => i >= 0);
            assert.equal(winners.length, 1, replies.map(({ status }) => status).join(' '));
            const value = `answer ${winners[0]}`;
            for (const [i, reply] of replies.entries()) {
                if (i === winners[0]) continue;
                assert.equal(reply.status, 409, reply.text);
                assert.equal(reply.body.winner.response.value, value);
            }
            for (const reply of await Promise.all(waiters)) {
                assert.equal(reply.status, 200);
                assert.equal(reply.body.question.response.value, value);
            }
            for (const stream of streams) {
                const told = await stream.until(
                    () =>
                        stream.events.find(
                            (event) => event.type === 'question_answered' && event.questionId === questionId,
                        ),
                    'the answer',
                );
                assert.equal(told.response.value, value);
                assert.equal(
                    stream.events.filter(
                        (event) => event.type === 'question_answered' && event.questionId === questionId,
                    ).length,
                    1,
                );
                stream.close();
            }
            assert.equal((await jobOf(second, jobId, { token: agent })).status, 'running');
            const [[resumed]] =
                await first.sql(`SELECT count(*) FROM events WHERE job_id = '${jobId}' AND type = 'status'
            AND data LIKE '%"status":"running"%'`);
            assert.equal(Number(resumed), 1, 'the job went on once');
        }
    },
);

onBothEngines('a hundred answer at once at one server: one wins', {}, async (server) => {
    const { questionId } = await ask(server);
    const waiter = hold(server, questionId);
    await holding(server, 1);
    const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
            post(server, `/api/questions/${questionId}/answer`, say(`answer ${i}`)),
        ),
    );
    const won = replies.findIndex(({ status }) => status === 200);
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, 99);
    assert.equal((await waiter).body.question.response.value, `answer ${won}`);
});

onBothEngines(
    'everybody hears of it: waits, both kinds of streams, and the stream of the job',
    {},
    async (server, t) => {
        const { questionId, jobId } = await ask(server);
        const readers = [
            await listen(t, server),
            await connect(t, server),
            await listen(t, server, { path: `/api/jobs/${jobId}/stream` }),
        ];
        const elsewhere = await listen(t, server, { path: `/api/jobs/${await makeJob(server)}/stream` });
        const waiters = [hold(server, questionId), hold(server, questionId)];
        await holding(server, 2);
        const began = Date.now();
        await server.must(200, 'POST', `/api/questions/${questionId}/answer`, say('Ada'));
        for (const { body } of await Promise.all(waiters)) assert.equal(body.question.response.value, 'Ada');
        for (const reader of readers) {
            const told = await reader.saw('question_answered');
            assert.equal(told.response.value, 'Ada');
            await reader.until(
                () => reader.events.some(({ type, status }) => type === 'status' && status === 'running'),
                'the job goes on',
            );
            assertInOrder(reader.events);
        }
        assert.ok(Date.now() - began < promptly);
        // PostgreSQL's log is numbered a moment after the commit: the job's own beginning may still come.
        assert.deepEqual(
            elsewhere.events.filter(({ type }) => type !== 'job.created'),
            [],
        );
    },
);

onBothEngines('an answer given before anybody waits is found by the first wait', {}, async (server) => {
    const { questionId } = await ask(server);
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, say('early'));
    const began = Date.now();
    assert.equal((await hold(server, questionId)).body.question.response.value, 'early');
    assert.ok(Date.now() - began < promptly);
    // Also across a restart.
    const next = await ask(server);
    await server.must(200, 'POST', `/api/questions/${next.questionId}/answer`, say('kept'));
    await server.kill9();
    await server.restart();
    assert.equal((await hold(server, next.questionId)).body.question.response.value, 'kept');
    assert.equal((await jobOf(server, next.jobId)).status, 'running');
});

// Sleeps through a night: the offset is a row of the store.
const sleepThrough = (server, ms) =>
    server.sql(`INSERT INTO facts (name, value) VALUES ('clock_offset_ms', '${ms}')
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`);

onBothEngines('what passes while the server is down ends once, by the rules', {}, async (server, t) => {
    const rows = [
        [{ type: 'blocking' }, 'timeout', 'timeout', 'failed'],
        [
            { type: 'blocking', defaultResponse: { type: 'text', value: 'skip' } },
            'answered',
            'default',
            'running',
        ],
        [{ type: 'approval', responseType: 'approval' }, 'timeout', 'timeout', 'failed'],
        [
            {
                type: 'approval',
                responseType: 'approval',
                defaultResponse: { type: 'approval', value: false },
            },
            'answered',
            'default',
            'running',
        ],
        [{ type: 'error_recovery' }, 'timeout', 'timeout', 'failed'],
        [
            { type: 'non_blocking', defaultResponse: { type: 'text', value: 'blue' } },
            'pending',
            undefined,
            'running',
        ],
        [{ type: 'blocking', timeoutMinutes: 600 }, 'pending', undefined, 'waiting_for_input'],
    ];
    const asked = [];
    for (const [fields] of rows) asked.push(await ask(server, fields));
    const waiter = hold(server, asked[0].questionId).catch(() => 'cut off');
    await holding(server, 1);
    await server.kill9();
    assert.equal(await waiter, 'cut off');
    await sleepThrough(server, 45 * minute);
    await server.restart();
    const reader = await listen(t, server, { query: '?after=0' });
    for (const [i, [fields, status, source, job]] of rows.entries()) {
        const { body } =
            status === 'pending'
                ? { body: { question: await show(server, asked[i].questionId) } }
                : await holdOn(server, asked[i].questionId);
        assert.deepEqual(
            [body.question.status, body.question.outcome?.source],
            [status, source],
            JSON.stringify(fields),
        );
        const state = await jobOf(server, asked[i].jobId);
        assert.equal(state.status, job, JSON.stringify(fields));
        if (job === 'failed') assert.equal(state.error, 'Question timed out without response');
        if (source === 'default') assert.equal(body.question.respondedBy, 'system');
    }
    await server.kill9();
    await server.restart();
    await server.advance(0);
    const ends = await server.sql(`SELECT subject, count(*) FROM events
        WHERE type IN ('question_answered', 'question_timeout', 'question_cancelled') GROUP BY subject`);
    assert.equal(ends.length, 5);
    for (const [, count] of ends) assert.equal(Number(count), 1);
    await reader.saw('question_timeout', 3);
});

// Its row is about to be ended by somebody else, who takes a while for it: so whoever asks for it takes as long.
test('a question whose time is up, in the hands of another, is waited for', async (t) => {
    const server = await start(t, { engine: 'postgres' });
    const { questionId, jobId } = await ask(server);
    const other = holdLock(server.db, `SELECT 1 FROM jobs WHERE id = '${jobId}' FOR UPDATE`, 30_000);
    await until(other.held, 'the row is in its hands');
    await sleepThrough(server, 45 * minute);
    setTimeout(other.release, 4000);
    await until(async () => (await show(server, questionId)).status === 'timeout', 'it has ended');
    await other;
});

onBothEngines('offline answers are replayed with their key: once each', {}, async (server, t) => {
    const stream = await listen(t, server, { query: '?types=question_answered' });
    const asked = [await ask(server), await ask(server)];
    const keys = asked.map(() => randomUUID());
    const send = (i, value) =>
        post(server, `/api/questions/${asked[i].questionId}/answer`, say(value), {
            headers: { 'Idempotency-Key': keys[i] },
        });
    // The reply to the first was lost on the way; the queue is sent again, and again.
    const replies = [await send(0, 'one'), await send(0, 'one'), await send(1, 'two'), await send(0, 'one')];
    for (const reply of replies)
        assert.deepEqual([reply.status, reply.body], [200, { success: true, jobResumed: true }]);
    assert.equal((await send(0, 'other')).status, 409);
    await stream.saw('question_answered', 2);
    await server.kill9();
    await server.restart();
    assert.deepEqual((await send(1, 'two')).body, { success: true, jobResumed: true });
    assert.equal((await show(server, asked[0].questionId)).response.value, 'one');

    // What somebody else had answered meanwhile is a conflict, also when it is sent again.
    const taken = await ask(server);
    await server.must(200, 'POST', `/api/questions/${taken.questionId}/answer`, say('theirs'));
    await stream.saw('question_answered', 3);
    assert.deepEqual(
        stream.events.map(({ questionId }) => questionId),
        [...asked, taken].map(({ questionId }) => questionId),
        'each was told once',
    );
    const late = () =>
        post(server, `/api/questions/${taken.questionId}/answer`, say('mine'), {
            headers: { 'Idempotency-Key': 'offline-3' },
        });
    for (const reply of [await late(), await late()]) {
        assert.equal(reply.status, 409);
        assert.equal(reply.body.winner.response.value, 'theirs');
    }
});

onBothEngines('a late answer is kept, told, and starts a job once', {}, async (server, t) => {
    const stream = await listen(t, server);
    const { questionId, jobId } = await ask(server);
    await server.advance(31 * minute);
    const late = await post(server, `/api/questions/${questionId}/answer`, say('too late'));
    assert.deepEqual([late.status, late.body.code], [409, 'late']);
    const told = await stream.saw('question_late_answer');
    assert.equal(told.questionId, questionId);
    assert.equal((await show(server, questionId)).lateAnswers[0].response.value, 'too late');
    const replies = await Promise.all(
        [1, 2, 3, 4].map(() => post(server, `/api/questions/${questionId}/restart`, {})),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const { body } = replies.find(({ status }) => status === 201);
    assert.equal(body.restartOf, jobId);
    assert.equal((await jobOf(server, body.jobId)).answer.response.value, 'too late');
});

// Nothing ends early, and nothing hangs, whichever way the clock is set.
onBothEngines('the clock goes back and forth', {}, async (server) => {
    const { questionId, timeoutAt } = await ask(server, { timeoutMinutes: 10 });
    const waiter = hold(server, questionId);
    await holding(server, 1);
    await server.advance(-120 * minute);
    assert.equal((await show(server, questionId)).status, 'pending');
    await server.advance(9 * minute);
    assert.equal((await show(server, questionId)).status, 'pending');
    const back = await ask(server, { timeoutMinutes: 10 });
    await server.advance(11 * minute);
    assert.equal((await show(server, back.questionId)).status, 'timeout');
    assert.equal((await show(server, questionId)).status, 'pending');
    await server.advance(110 * minute);
    const ended = (await waiter).body.question;
    assert.equal(ended.status, 'timeout');
    assert.ok(
        Date.parse(ended.outcome.at) > Date.parse(timeoutAt),
        `${ended.outcome.at} is after ${timeoutAt}`,
    );
});

// Each ends within the tick of its time, not before.
onBothEngines(
    'deadlines in real time',
    { env: { WITAN_QUESTIONS_MIN_TIMEOUT: '1ms' } },
    async (server, t) => {
        const stream = await listen(t, server, { query: '?types=question_timeout' });
        let all = 0;
        // How late the last was.
        await quickOnce(1500, async () => {
            const asked = [];
            for (let i = 0; i < 20; i++)
                asked.push(await ask(server, { timeoutMinutes: (500 + 50 * i) / minute }));
            await stream.saw('question_timeout', (all += asked.length));
            const late = await Promise.all(
                asked.map(async ({ questionId, timeoutAt }) =>
                    Date.parse((await show(server, questionId)).outcome.at) - Date.parse(timeoutAt)),
            );
            assert.ok(Math.min(...late) > 0, `one ended ${-Math.min(...late)} ms early`);
            return Math.max(...late);
        });
    },
);

// In the full run: as many as a bad night brings.
const many = full ? 10_000 : 300;

async function askMany(server, count, fields, options) {
    const asked = [];
    for (let made = 0; made < count; made += 100)
        asked.push(
            ...(await Promise.all(
                Array.from({ length: Math.min(100, count - made) }, () => ask(server, fields, options)),
            )),
        );
    return asked;
}

onBothEngines(
    `${many} pending, kill -9, restart: all there, each ended once, no job resumed twice`,
    {},
    async (server, t) => {
        const half = many / 2;
        const passing = await askMany(server, half / 2, { timeoutMinutes: 5 });
        const defaulted = await askMany(server, half / 2, {
            timeoutMinutes: 5,
            defaultResponse: { type: 'text', value: 'skip' },
        });
        const staying = await askMany(server, half, { timeoutMinutes: 600 });
        await server.kill9();
        await sleepThrough(server, 6 * minute);
        await server.restart();
        await server.advance(0);
        const counts = Object.fromEntries(
            (await server.sql('SELECT status, count(*) FROM agent_questions GROUP BY status')).map(
                ([status, count]) => [status, Number(count)],
            ),
        );
        assert.deepEqual(counts, { answered: half / 2, pending: half, timeout: half / 2 });

        // Everybody who comes back gets their answer, at once or when it is given.
        const waiters = staying.slice(0, 100).map(({ questionId }) => hold(server, questionId));
        await holding(server, waiters.length);
        for (let i = 0; i < staying.length; i += 100)
            await Promise.all(
                staying
                    .slice(i, i + 100)
                    .map(({ questionId }, n) =>
                        server.must(
                            200,
                            'POST',
                            `/api/questions/${questionId}/answer`,
                            say(`answer ${i + n}`),
                        ),
                    ),
            );
        for (const [i, reply] of (await Promise.all(waiters)).entries())
            assert.equal(reply.body.question.response.value, `answer ${i}`);
        for (const { questionId } of [...passing.slice(0, 20), ...defaulted.slice(0, 20)]) {
            const began = Date.now();
            assert.notEqual((await hold(server, questionId)).body.question.outcome, null);
            assert.ok(Date.now() - began < promptly);
        }
        const twice =
            await server.sql(`SELECT subject FROM events WHERE type IN ('question_answered', 'question_timeout', 'question_cancelled')
        GROUP BY subject HAVING count(*) > 1`);
        assert.deepEqual(twice, []);
        const resumedTwice =
            await server.sql(`SELECT job_id FROM events WHERE type = 'status' AND data LIKE '%"status":"running"%'
        GROUP BY job_id HAVING count(*) > 1`);
        assert.deepEqual(resumedTwice, []);
        const jobs = Object.fromEntries(
            (await server.sql('SELECT status, count(*) FROM jobs GROUP BY status')).map(([status, count]) => [
                status,
                Number(count),
            ]),
        );
        assert.deepEqual(jobs, { failed: half / 2, running: half + half / 2 });
        t.diagnostic(`${many} questions through kill -9`);
    },
);

onBothEngines(
    `${many} deadlines within one second`,
    { env: { WITAN_QUESTIONS_MIN_TIMEOUT: '1ms' } },
    async (server, t) => {
        // However long the asking takes: they are due an hour later, and then the clock is set to just before.
        const at = Date.now() + 60 * minute;
        for (let made = 0; made < many; made += 100)
            await Promise.all(
                Array.from({ length: Math.min(100, many - made) }, (_, i) => {
                    const due = at + Math.floor(((made + i) * 850) / many);
                    return ask(server, { timeoutMinutes: (due - Date.now()) / minute });
                }),
            );
        await server.advance(at - 1000 - Date.now());
        await new Promise((wake) => setTimeout(wake, 2000));
        const ended = async () => (await server.metric('witan_deadlines_ended_total')) >= many;
        await until(ended, 'all have ended');
        const rows = await server.sql(
            `SELECT timeout_at, ended_at FROM question_rows WHERE status = 'timeout'`,
        );
        assert.equal(rows.length, many);
        const late = rows.map(([due, ended]) => Date.parse(ended) - Date.parse(due));
        assert.ok(Math.min(...late) > 0, `one ended ${-Math.min(...late)} ms early`);
        const dues = rows.map(([due]) => Date.parse(due));
        const last = Math.max(...rows.map(([, ended]) => Date.parse(ended))) - Math.max(...dues);
        const spread = Math.max(...dues) - Math.min(...dues);
        t.diagnostic(
            `${many} deadlines within ${spread} ms: the last was ended ${last} ms late, none more than ${Math.max(...late)} ms (on a quiet machine it belongs under 2000)`,
        );
        // The server shares the cores with the tests beside this one.
        assert.ok(Math.max(...late) < 60_000, `${Math.max(...late)} ms late`);
        const [[events]] = await server.sql(`SELECT count(*) FROM events WHERE type = 'question_timeout'`);
        assert.equal(Number(events), many);
    },
);

onBothEngines('alerts are events, raised and ended once, also across a restart', {}, async (server, t) => {
    const reader = await listen(t, server, { query: '?types=alert' });
    const { questionId } = await ask(server, { timeoutMinutes: 600 });
    await server.advance(61 * minute);
    const raised = await reader.saw('alert');
    assert.deepEqual(
        [raised.kind, raised.active, raised.details.oldestQuestionId],
        ['unanswered', true, questionId],
    );
    await until(async () => (await server.metric('witan_alerts', 'unanswered')) === 1, 'the metrics show it');
    assert.equal(await server.metric('witan_questions_day', 'outcome="pending"'), 1);
    await server.kill9();
    await server.restart();
    await server.advance(2 * minute);
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, say('at last'));
    await server.advance(minute);
    const ended = await reader.saw('alert', 2);
    assert.deepEqual([ended.kind, ended.active, ended.alertId], ['unanswered', false, raised.alertId]);
    assert.equal(reader.events.length, 2);
    const report = await server.must(200, 'GET', '/api/analytics');
    assert.deepEqual([report.questions.asked, report.questions.answered, report.alerts.length], [1, 1, 0]);
    for (let i = 0; i < 5; i++) assert.equal((await post(server, '/api/questions', {})).status, 400);
    await until(async () => (await server.metric('witan_ask_errors_total', 'caller')) === 5, 'they are counted');
});

test('two nodes raise an alert once', async (t) => {
    const first = await start(t, { engine: 'postgres' });
    const second = await start(t, { db: first.db, folder: first.folder });
    await ask(first, { timeoutMinutes: 600 });
    await Promise.all([first.advance(31 * minute), second.advance(31 * minute)]);
    await until(
        async () => Number((await first.sql(`SELECT count(*) FROM events WHERE type = 'alert'`))[0][0]) > 0,
        'an alert',
    );
    await first.advance(2 * minute);
    await second.advance(2 * minute);
    const [[count]] = await first.sql(`SELECT count(*) FROM events WHERE type = 'alert'`);
    assert.equal(Number(count), 1);
});

onBothEngines('what was read waits until it has ended, and only a job that waits goes on', {}, async (server) => {
    const count = async () => (await server.must(200, 'GET', '/api/notifications/pending-count')).count;
    const yes = { response: { type: 'approval', value: true } };
    const { questionId: id } = await server.must(201, 'POST', '/api/questions', { question: 'Deploy?', type: 'approval', responseType: 'approval' });
    assert.equal(await count(), 1);
    await server.must(200, 'POST', '/api/notifications/read-all');
    assert.equal(await count(), 1, 'read, and still open');
    const alone = await server.must(200, 'POST', `/api/questions/${id}/answer`, yes);
    assert.equal(alone.jobResumed, false, 'it stood alone');
    assert.equal(await count(), 0);

    const job = await makeJob(server);
    const asked = await server.must(201, 'POST', `/api/jobs/${job}/questions`, { question: 'Deploy?', type: 'approval', responseType: 'approval' });
    const resumed = await server.must(200, 'POST', `/api/questions/${asked.questionId}/answer`, yes);
    assert.equal(resumed.jobResumed, true);

    // A chat message that mentions somebody is done with when it has been read.
    await server.must(201, 'POST', '/api/chat', { agent_name: 'Growth', message: 'Look, @Builder.' });
    const unread = async () => (await server.must(200, 'GET', '/api/notifications/pending-count?agent=Builder')).count;
    assert.equal(await unread(), 1);
    await server.must(200, 'POST', '/api/notifications/read-all', { agent: 'Builder' });
    assert.equal(await unread(), 0);
});
