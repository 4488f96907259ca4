// Projects, tasks, what agents read and hand in, and open questions.
import { nobody } from '../lib/identity.mjs';

const idOf = (made) => (made.id ? made : Object.values(made)[0]).id;

async function tasks(call, at) {
    const task = `${at}/tasks`;
    const first = idOf(await call(201, 'POST', task, { title: 'Write it', priority: 1 }));
    const second = idOf(await call(201, 'POST', task, { title: 'Test it', depends_on: [first] }));
    await call(400, 'POST', task, {});
    await call(200, 'GET', `${task}?status=open`);
    await call(400, 'GET', `${task}?status=lost`);
    await call(200, 'GET', `${task}/ready`);
    await call(404, 'GET', `/api/projects/${nobody}/tasks/ready`);
    await call(200, 'GET', `${task}/${first}`);
    await call(404, 'GET', `${task}/${nobody}`);
    await call(200, 'PATCH', `${task}/${first}`, { description: 'With care.', priority: 0 });
    await call(404, 'PATCH', `${task}/${nobody}`, { priority: 0 });
    await call(200, 'POST', `${task}/${first}/claim`, { agent: 'Coder' });
    await call(409, 'POST', `${task}/${second}/claim`, { agent: 'Coder' });
    await call(201, 'POST', `${task}/${first}/chat`, { message: 'On it.', agent_name: 'Coder' });
    await call(400, 'POST', `${task}/${first}/chat`, {});
    for (const part of ['chat', 'context', 'config.json']) {
        await call(200, 'GET', `${task}/${first}/${part}`);
        await call(404, 'GET', `${task}/${nobody}/${part}`);
    }
    await call(204, 'DELETE', `${task}/${second}`);
    await call(404, 'DELETE', `${task}/${nobody}`);
    return first;
}

async function search(call) {
    await call(200, 'GET', '/api/search?q=write&limit=1');
    await call(200, 'GET', '/api/search?q=nothing+at+all&kind=task');
    await call(400, 'GET', '/api/search');
    await call(400, 'GET', '/api/search?q=x&kind=nothing');
}

async function sources(call, at) {
    const feedback = idOf(await call(201, 'POST', `${at}/feedback`, { text: 'It is slow.' }));
    await call(400, 'POST', `${at}/feedback`, {});
    await call(200, 'GET', `${at}/feedback`);
    await call(404, 'GET', `/api/projects/${nobody}/feedback`);
    for (const part of ['', '/context']) {
        await call(200, 'GET', `${at}/feedback/${feedback}${part}`);
        await call(404, 'GET', `${at}/feedback/${nobody}${part}`);
    }
    for (const kind of ['prd', 'plans']) {
        await call(201, 'PUT', `${at}/${kind}/goals`, { text: 'Be quick.' });
        await call(200, 'PUT', `${at}/${kind}/goals`, { text: 'Be quicker.' });
        await call(400, 'PUT', `${at}/${kind}/goals`, {});
        await call(200, 'GET', `${at}/${kind}`);
        await call(404, 'GET', `/api/projects/${nobody}/${kind}`);
        await call(200, 'GET', `${at}/${kind}/goals`);
        await call(404, 'GET', `${at}/${kind}/nowhere`);
        await call(200, 'GET', `${at}/${kind}/goals/context`);
        await call(404, 'GET', `/api/projects/${nobody}/${kind}/goals/context`);
    }
}

// A failed result with a question blocks the task and waits for a person.
async function openQuestion(call, at, task, words) {
    const made = await call(201, 'POST', `${at}/results`, {
        agent: 'coder',
        source: 'execute',
        sourceId: task,
        result: { status: 'failed', summary: 'Stuck.', open_questions: [{ id: 'q1', text: words }] },
    });
    return made.notificationId;
}

async function notifications(call, at, task) {
    const list = `${at}/notifications`;
    const first = await openQuestion(call, at, task, 'Which cache?');
    await call(400, 'POST', `${at}/results`, { agent: 'coder', source: 'prd', sourceId: task, result: {} });
    await call(200, 'GET', list);
    await call(404, 'GET', `/api/projects/${nobody}/notifications`);
    await call(200, 'GET', `${list}/${first}`);
    await call(404, 'GET', `${list}/${nobody}`);
    await call(400, 'PATCH', `${list}/${first}`, { responses: [{ questionId: 'unknown', answer: 'x' }] });
    await call(200, 'PATCH', `${list}/${first}`, {
        responses: [{ questionId: 'q1', answer: 'The small one.' }],
    });
    const second = await openQuestion(call, at, task, 'Which index?');
    await call(200, 'PATCH', `${list.replace('/api', '')}/${second}`, { approved: true });
    await call(404, 'PATCH', `${list.replace('/api', '')}/${nobody}`, { approved: true });
    const third = await openQuestion(call, at, task, 'Which table?');
    await call(200, 'DELETE', `${list}/${third}`);
    await call(404, 'DELETE', `${list}/${nobody}`);
    await openQuestion(call, at, task, 'Which column?');
    await call(200, 'DELETE', list);
    await call(404, 'DELETE', `/api/projects/${nobody}/notifications`);
}

// One decision that waits for a person and one that does not.
async function decisions(call, at) {
    const list = `${at}/decisions`;
    const waiting = await call(201, 'POST', list, { category: 'scopeChanges', description: 'Drop the cache.' });
    await call(201, 'POST', list, { category: 'dependencyModifications', description: 'Newer parser.' });
    await call(400, 'POST', list, { category: 'scopeChanges' });
    await call(200, 'GET', list);
    await call(404, 'GET', `/api/projects/${nobody}/decisions`);
    await call(200, 'GET', `${list}/${waiting.id}`);
    await call(404, 'GET', `${list}/${nobody}`);
}

export default async function ({ call }) {
    const id = idOf(
        await call(201, 'POST', '/api/projects', { name: 'Speed', description: 'Make it quick.' }),
    );
    const at = `/api/projects/${id}`;
    await call(400, 'POST', '/api/projects', {});
    await call(200, 'GET', '/api/projects');
    await call(400, 'GET', '/api/projects?limit=0');
    await call(200, 'GET', at);
    await call(404, 'GET', `/api/projects/${nobody}`);
    await call(200, 'PATCH', at, { hilConfig: 'major_only' });
    await call(400, 'PATCH', at, { hilConfig: 'reckless' });
    const task = await tasks(call, at);
    await search(call);
    await sources(call, at);
    await notifications(call, at, task);
    await decisions(call, at);
    await call(204, 'DELETE', at);
    await call(404, 'DELETE', at);
}
