// Jobs, questions to people, templates and analytics.
import { nobody } from '../lib/identity.mjs';

const workspace = '00000000-0000-7000-8000-000000000001';
const text = (value) => ({ response: { type: 'text', value } });

async function jobs(call) {
    const job = await call(201, 'POST', '/api/jobs', {
        kind: 'build',
        agent: 'Builder',
        status: 'running',
        input: { a: 1 },
    });
    const id = (job.job ?? job).id;
    await call(400, 'POST', '/api/jobs', { status: 'completed' });
    await call(200, 'GET', '/api/jobs?status=running&agent=Builder');
    await call(200, 'GET', '/api/jobs?all=true&sort=oldest&text=build');
    await call(400, 'GET', '/api/jobs?status=asleep');
    await call(200, 'GET', `/api/jobs/${id}`);
    await call(404, 'GET', `/api/jobs/${nobody}`);
    await call(201, 'POST', `/api/jobs/${id}/logs`, {
        message: 'Compiling.',
        level: 'info',
        data: { file: 'x' },
    });
    await call(400, 'POST', `/api/jobs/${id}/logs`, {});
    await call(200, 'GET', `/api/jobs/${id}/logs`);
    await call(404, 'GET', `/api/jobs/${nobody}/logs`);
    await call(200, 'POST', `/api/jobs/${id}/progress`, { done: 1, total: 3, step: 'compile' });
    await call(404, 'POST', `/api/jobs/${nobody}/progress`, { done: 1 });
    return id;
}

async function ends(call, id) {
    await call(200, 'PATCH', `/api/jobs/${id}`, { status: 'completed', result: { ok: true } });
    await call(409, 'PATCH', `/api/jobs/${id}`, { status: 'failed', error: 'x' });
    const other = await call(201, 'POST', '/api/jobs', { kind: 'build' });
    await call(200, 'POST', `/api/jobs/${(other.job ?? other).id}/cancel`, { reason: 'not needed' });
    await call(404, 'POST', `/api/jobs/${nobody}/cancel`, {});
}

async function questions(call, job, server, owner) {
    const ask = (fields) =>
        call(201, 'POST', `/api/jobs/${job}/questions`, { question: 'Which one?', ...fields });
    const { questionId: id } = await ask({
        type: 'blocking',
        responseType: 'choice',
        options: [
            { value: 'a', label: 'A' },
            { value: 'b', label: 'B' },
        ],
        context: { why: 'two ways' },
        timeoutMinutes: 30,
    });
    await call(400, 'POST', `/api/jobs/${job}/questions`, {});
    await call(200, 'GET', `/api/jobs/${job}/questions`);
    await call(404, 'GET', `/api/jobs/${nobody}/questions`);
    await call(200, 'GET', `/api/questions/pending?workspaceId=${workspace}&sort=deadline`);
    await call(400, 'GET', '/api/questions/pending');
    await call(200, 'GET', '/api/questions/ended?status=answered');
    await call(400, 'GET', '/api/questions/ended');
    await call(200, 'GET', `/api/questions/${id}`);
    await call(404, 'GET', `/api/questions/${nobody}`);
    await call(200, 'GET', `/api/questions/${id}/similar`);
    await call(404, 'GET', `/api/questions/${nobody}/similar`);
    await call(200, 'GET', `/api/questions/${id}/suggestion`);
    await call(404, 'GET', `/api/questions/${nobody}/suggestion`);
    await call(200, 'POST', `/api/questions/${id}/extend`, { minutes: 15 });
    await call(400, 'POST', `/api/questions/${id}/extend`, {});
    await call(200, 'GET', `/api/questions/${id}/people`);
    await call(404, 'GET', `/api/questions/${nobody}/people`);
    await call(200, 'POST', `/api/questions/${id}/assign`, { to: 'ada', note: 'Yours.' });
    await call(400, 'POST', `/api/questions/${id}/assign`, {});
    await call(200, 'POST', `/api/questions/${id}/unassign`, {});
    await call(404, 'POST', `/api/questions/${nobody}/unassign`, {});
    await call(200, 'POST', `/api/questions/${id}/snooze`, { minutes: 5 });
    await call(400, 'POST', `/api/questions/${id}/snooze`, {});
    await call(200, 'POST', `/api/questions/${id}/wake`, {});
    await call(404, 'POST', `/api/questions/${nobody}/wake`, {});
    await call(200, 'POST', `/api/questions/${id}/draft`, {});
    await call(404, 'POST', `/api/questions/${nobody}/draft`, {});
    const { link } = await call(201, 'POST', `/api/questions/${id}/link`, {});
    await call(204, 'POST', `/api/questions/${id}/visit`, { link });
    await call(401, 'POST', `/api/questions/${id}/visit`, { link: 'witanl_nobody' });
    await call(400, 'POST', `/api/questions/${id}/visit`, {});
    await call(404, 'POST', `/api/questions/${nobody}/link`, {});
    await call(400, 'POST', `/api/questions/${id}/answer`, { response: { type: 'choice', value: 'z' } });
    await call(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'choice', value: 'b' } });
    await call(409, 'POST', `/api/questions/${id}/answer`, { response: { type: 'choice', value: 'a' } });
    await call(200, 'GET', `/api/questions/${id}?wait=1`);

    const made = await call(201, 'POST', '/api/questions', {
        question: 'And now?',
        type: 'blocking',
        responseType: 'text',
        agent: 'Builder',
    });
    await call(400, 'POST', '/api/questions', { question: 'Q', responseType: 'dance' });
    await call(200, 'POST', '/api/questions/answer', {
        answers: [
            { id: made.questionId, ...text('Go on.') },
            { id: nobody, ...text('x') },
        ],
    });
    await call(400, 'POST', '/api/questions/answer', { answers: 'all' });
    const dropped = await call(201, 'POST', '/api/questions', {
        question: 'Never mind?',
        type: 'blocking',
        responseType: 'boolean',
    });
    await call(200, 'POST', `/api/questions/${dropped.questionId}/cancel`, { reason: 'solved' });
    await call(409, 'POST', `/api/questions/${dropped.questionId}/cancel`, {});

    const late = await call(201, 'POST', '/api/questions', {
        question: 'In time?',
        type: 'blocking',
        responseType: 'text',
        timeoutMinutes: 5,
    });
    await server.advance(6 * 60_000, { token: owner });
    await call(409, 'POST', `/api/questions/${late.questionId}/answer`, text('Too late.'));
    await call(201, 'POST', `/api/questions/${late.questionId}/restart`, {});
    await call(409, 'POST', `/api/questions/${late.questionId}/restart`, {});
}

async function templates(call) {
    const made = await call(201, 'POST', '/api/templates', {
        name: 'ship',
        question: 'Ship it?',
        type: 'blocking',
        responseType: 'boolean',
    });
    const id = (made.template ?? made).id;
    await call(400, 'POST', '/api/templates', {});
    await call(200, 'GET', '/api/templates');
    await call(400, 'GET', '/api/templates?limit=0');
    await call(200, 'GET', `/api/templates/${id}`);
    await call(404, 'GET', `/api/templates/${nobody}`);
    await call(200, 'PATCH', `/api/templates/${id}`, { question: 'Ship it now?' });
    await call(404, 'PATCH', `/api/templates/${nobody}`, { question: 'Q' });
    await call(204, 'DELETE', `/api/templates/${id}`);
    await call(404, 'DELETE', `/api/templates/${id}`);
}

export default async function ({ call, server, owner }) {
    const job = await jobs(call);
    await questions(call, job, server, owner);
    await ends(call, job);
    await templates(call);
    await call(200, 'GET', '/api/analytics');
    await call(400, 'GET', '/api/analytics?since=yesterday');
}
