// A stream hears of what its caller could list, and of nothing else: every type of event, for every kind of caller.
import assert from 'node:assert/strict';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines } from './lib/server.mjs';
import { listen } from './lib/streams.mjs';

const env = { WITAN_LIMITS_TOKEN_RATE: '1000000', WITAN_LIMITS_TOKEN_BURST: '1000000' };
const hour = 3_600_000;
const password = 'a long enough password';
const agents = ['Mentioned', 'Another'];

// One of everything that can be about a project or about none.
async function happen(server, options, projectId) {
    const make = (path, body, status = 201) => server.must(status, 'POST', path, body, options);
    const job = await make('/api/jobs', { agent: 'Builder', status: 'running', projectId });
    await make(`/api/jobs/${job.id}/logs`, { message: 'Compiling.' });
    await make(`/api/jobs/${job.id}/progress`, { done: 1, total: 3 }, 200);
    const ask = (question) =>
        make(`/api/jobs/${job.id}/questions`, { type: 'blocking', question, responseType: 'text' });
    const { questionId } = await ask('Which one?');
    await make(`/api/questions/${questionId}/assign`, { to: 'ada' }, 200);
    await make(`/api/questions/${questionId}/unassign`, {}, 200);
    await make(`/api/questions/${questionId}/snooze`, { minutes: 5 }, 200);
    await make(`/api/questions/${questionId}/answer`, { response: { type: 'text', value: 'This.' } }, 200);
    await ask('Nobody answers this?');
    const task = projectId && (await make(`/api/projects/${projectId}/tasks`, { title: 'Build it.' }));
    const prompt = await server.ask({ prompt_message: 'Why, @Mentioned?', task_id: task?.id, required_responses: 1 }, options);
    await make(`/api/discussion/${prompt.id}`, { agent_name: 'Growth', message: 'Because, @Another.' });
    await make('/api/chat', { agent_name: 'Growth', message: 'Done, @Mentioned.', task_ref: task?.id });
    await server.must(200, 'PATCH', `/api/jobs/${job.id}`, { status: 'completed', result: {} }, options);
    const participants = [{ role: 'user' }, { agentName: 'Thinker' }];
    await make('/api/discussions', { topic: 'Why?', mode: 'turns', participants, projectId });
    if (!projectId) return;
    const project = `/api/projects/${projectId}`;
    const { id: feedback } = await make(`${project}/feedback`, { text: 'Too slow.' });
    const { notificationId } = await make(`${project}/results`, {
        agent: 'analyst',
        source: 'eval',
        sourceId: feedback,
        result: { open_questions: [{ id: 'q1', text: 'How slow?' }, { id: 'q2', text: 'Where?' }] },
    });
    const answer = (questionId, more) =>
        server.must(
            200,
            'PATCH',
            `${project}/notifications/${notificationId}`,
            { responses: [{ questionId, answer: 'Here.' }], ...more },
            options,
        );
    await answer('q1', { keepOpen: true });
    await answer('q2');
    await server.must(201, 'PUT', `${project}/prd/goals`, { text: 'Fast.' }, options);
    await server.must(201, 'PUT', `${project}/plans/first`, { text: 'Then faster.' }, options);
}

const isOfDiscussion = (type) => /^(discussion|turn|vote)[.]/.test(type);

// What is left: types that take long to cause are copied from their kin, with the same things in them.
async function copyTheRest(server, types) {
    const kin = (type) => {
        if (isOfDiscussion(type)) return 'discussion.created';
        if (type.startsWith('run.')) return 'job.created';
        return type.startsWith('question_') ? 'question_asked' : type.startsWith('task.') ? 'task.updated' : undefined;
    };
    const seen = new Set((await server.sql('SELECT DISTINCT type FROM events')).map(([type]) => type));
    for (const type of types.filter((each) => !seen.has(each))) {
        const from = kin(type) ?? 'chat.message';
        const columns = ['alert', 'presence.changed'].includes(type) ? `NULL, NULL, NULL, NULL, '{}'` : 'project_id, job_id, discussion_id, subject, data';
        await server.sql(
            `INSERT INTO events (workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at, audience)
             SELECT workspace_id, '${type}', ${columns}, created_at, audience FROM events WHERE type = '${from}'`,
        );
    }
}

// Whether a caller could find by asking what an event tells of. That a whole inbox was read is its reader's.
class Looker {
    constructor(server, options, { bound, isOwner }) {
        Object.assign(this, { server, options, bound, isOwner, found: new Map() });
    }

    async get(path) {
        if (!this.found.has(path)) this.found.set(path, await this.server.api('GET', path, undefined, this.options));
        return this.found.get(path);
    }

    async sees(path) {
        return (await this.get(path)).status === 200;
    }

    async lists(path, id) {
        const { status, body } = await this.get(path);
        return status === 200 && (body.notifications ?? body.messages).some((each) => each.id === id);
    }

    async inInbox(id) {
        for (const query of ['', ...agents.map((agent) => `&agent=${agent}`)])
            if (await this.lists(`/api/notifications?limit=200${query}`, id)) return true;
        return false;
    }

    async could(type, event) {
        if (type === 'question_snoozed' && !this.isOwner) return false; // who has snoozed it
        if (type.startsWith('question_')) return this.sees(`/api/questions/${event.questionId}`);
        if (/^(job|run)[.]|^status$/.test(type)) return this.sees(`/api/jobs/${event.jobId}`);
        if (type.startsWith('prompt.')) return this.sees(`/api/discussion/${event.promptId}`);
        if (type === 'chat.message') return this.lists('/api/chat?limit=200', event.id);
        if (isOfDiscussion(type)) return this.sees(`/api/discussions/${event.discussionId}`);
        if (type === 'alert' || type === 'workspace.changed') return !this.bound;
        if (type === 'presence.changed') return this.sees('/api/presence');
        if (type === 'user.changed') return this.sees(`/api/users/${event.userId}`);
        if (type === 'token.changed') return this.sees(`/api/tokens/${event.tokenId}`);
        if (type === 'agent.changed') return this.sees(`/api/agents/${event.agentId}`);
        if (type === 'template.changed') return this.sees(`/api/templates/${event.templateId}`);
        if (type === 'notification.read' && event.all) return this.isOwner;
        if (type.startsWith('notification.') && event.source)
            return this.sees(`/api/projects/${event.projectId}/notifications/${event.id}`);
        if (type.startsWith('notification.')) return this.inInbox(event.id);
        return this.sees(`/api/projects/${event.projectId}`);
    }
}

async function callers(server, project) {
    const cookie = await login(server, 'ada', password);
    const kinds = {
        owner: { role: 'owner' },
        admin: { role: 'admin' },
        member: { role: 'member' },
        agent: { role: 'agent' },
        viewer: { role: 'viewer' },
        'bound to an agent': { role: 'admin', agent: 'Mentioned' },
        'an owner bound to a project': { role: 'owner', project },
        'an agent bound to a project': { role: 'agent', project },
        'a viewer bound to a project': { role: 'viewer', project },
        'bound to both': { role: 'member', agent: 'Another', project },
    };
    const all = { 'a user': { headers: { Cookie: cookie, Origin: server.url } } };
    for (const [name, kind] of Object.entries(kinds)) all[name] = { token: await makeToken(server, { name, ...kind }) };
    return all;
}

onBothEngines('a stream hears what its caller could list', { env }, async (server, t) => {
    const local = {};
    const project = (await server.must(201, 'POST', '/api/projects', { name: 'Ours' }, local)).id;
    const other = (await server.must(201, 'POST', '/api/projects', { name: 'Theirs' }, local)).id;
    await makeUser(server, 'ada', password, 'admin');
    const all = await callers(server, project);
    const { owner } = all;
    const live = {};
    for (const [name, options] of Object.entries(all)) live[name] = await listen(t, server, options);

    await server.must(201, 'POST', '/api/agents', { name: 'Thinker', ai_model_config: { provider: 'external' } }, owner);
    await server.must(201, 'POST', '/api/templates', { name: 'deploy', question: 'Deploy?' }, owner);
    const { workspace } = await server.must(200, 'GET', '/api/me', undefined, owner);
    await server.must(200, 'PATCH', `/api/workspaces/${workspace.id}`, { name: 'Another name' }, owner);
    for (const projectId of [project, other, undefined]) await happen(server, owner, projectId);
    const { now } = await server.advance(0, owner);
    const expiresAt = new Date(Date.parse(now) + 100 * hour).toISOString();
    await server.must(201, 'POST', '/api/tokens', { name: 'prod-deploy-key', role: 'agent', agentName: 'Another', expiresAt }, all['a user']);
    await server.advance(80 * hour, owner);
    const { notifications } = await server.must(200, 'GET', '/api/notifications?agent=Mentioned', undefined, owner);
    for (const { id } of notifications) await server.must(200, 'POST', `/api/notifications/${id}/read`, {}, owner);
    await server.must(200, 'POST', '/api/notifications/read-all', {}, owner);
    const { components } = await server.must(200, 'GET', '/api/asyncapi.json', undefined, owner);
    const types = Object.keys(components.messages).filter(
        (type) => !/^(stream\.|server\.|ping$|pong$|subscribe$)/.test(type),
    );
    assert.ok(types.length > 20 && types.includes('alert'), types.join());
    await copyTheRest(server, types);
    const fence = 'That is all.';
    await server.say('Growth', fence, owner);

    const late = {};
    for (const [name, options] of Object.entries(all))
        late[name] = await listen(t, server, { ...options, query: '?after=0' });
    for (const reader of [...Object.values(live), ...Object.values(late)])
        await reader.until(() => reader.events.some(({ message }) => message === fence), 'the last word');
    const log = (await server.sql('SELECT seq, type, data FROM events ORDER BY seq')).map(([seq, type, data]) => ({
        seq: Number(seq),
        type,
        event: JSON.parse(data),
    }));
    assert.deepEqual([...new Set(log.map(({ type }) => type))].sort(), [...types].sort());
    assert.ok(log.some(({ event }) => event.title?.includes('prod-deploy-key')));

    for (const [name, options] of Object.entries(all)) {
        const looker = new Looker(server, options, {
            bound: / project|both/.test(name),
            isOwner: name === 'owner',
        });
        const sees = [];
        for (const { seq, type, event } of log) if (await looker.could(type, event)) sees.push(seq);
        const show = (list) => list.map((seq) => `${seq} ${log.find((row) => row.seq === seq).type}`);
        const first = Math.min(...live[name].events.map(({ seq }) => seq));
        assert.deepEqual(show(late[name].events.map(({ seq }) => seq)), show(sees), `${name}, from the log`);
        assert.deepEqual(
            show(live[name].events.map(({ seq }) => seq)),
            show(sees.filter((seq) => seq >= first)),
            `${name}, as it happens`,
        );
    }
});
