// A project with its tasks, and the agents that hand in results about them.
import assert from 'node:assert/strict';

export const blocked = { status: 'blocked', block_reason: 'Open Question', assignee: null };
export const open = { status: 'open', block_reason: null, assignee: null };

export class Work {
    // Makes a project.
    static async begin(server, fields = {}) {
        const work = new Work();
        work.server = server;
        work.project = await server.must(201, 'POST', '/api/projects', { name: 'Web shop', ...fields });
        return work;
    }

    path(rest = '') {
        return `/api/projects/${this.project.id}${rest}`;
    }

    get(rest) {
        return this.server.must(200, 'GET', this.path(rest));
    }

    post(rest, body, status = 201) {
        return this.server.must(status, 'POST', this.path(rest), body);
    }

    task(title, fields = {}) {
        return this.post('/tasks', { title, ...fields });
    }

    // A task that an agent has taken.
    async claimed(title, agent = 'coder', fields = {}) {
        const task = await this.task(title, fields);
        return this.post(`/tasks/${task.id}/claim`, { agent }, 200);
    }

    show(id) {
        return this.get(`/tasks/${id}`);
    }

    set(id, fields) {
        return this.server.must(200, 'PATCH', this.path(`/tasks/${id}`), fields);
    }

    async ready() {
        return (await this.get('/tasks/ready')).tasks.map(({ id }) => id);
    }

    // What an agent hands in: its output as printed, or the object itself.
    result(agent, source, sourceId, given) {
        const what = typeof given === 'string' ? { output: given } : { result: given };
        return this.post('/results', { agent, source, sourceId, ...what });
    }

    coder(id, given) {
        return this.result('coder', 'execute', id, given);
    }

    // A coder's failure with these questions.
    stuck(id, ...texts) {
        return this.coder(id, {
            status: 'failed',
            open_questions: texts.map((text, i) => ({ id: `q${i + 1}`, text })),
        });
    }

    async notifications() {
        return (await this.get('/notifications')).notifications;
    }

    resolve(id, body, prefix = '/api') {
        return this.server.must(
            200,
            'PATCH',
            `${prefix}/projects/${this.project.id}/notifications/${id}`,
            body,
        );
    }

    answer(id, answers) {
        const responses = Object.entries(answers).map(([questionId, answer]) => ({ questionId, answer }));
        return this.resolve(id, { responses });
    }

    async is(id, fields) {
        assertHolds(await this.show(id), fields);
    }
}

// Every member of `fields` is in the object with that value.
export function assertHolds(object, fields) {
    for (const [key, value] of Object.entries(fields))
        assert.deepEqual(object[key], value, `${key} of ${JSON.stringify(object)}`);
}

// An agent's run as Claude Code prints it with --output-format stream-json.
export function streamJson(text) {
    return (
        [
            { type: 'system', subtype: 'init', session_id: 's1', tools: ['Bash', 'Edit'], model: 'a-model' },
            {
                type: 'assistant',
                message: {
                    role: 'assistant',
                    content: [{ type: 'text', text: 'I will look at the task first.' }],
                },
            },
            {
                type: 'assistant',
                message: {
                    role: 'assistant',
                    content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls {a,b}' } }],
                },
            },
            {
                type: 'user',
                message: {
                    role: 'user',
                    content: [{ type: 'tool_result', tool_use_id: 't1', content: '{"not": "the result"' }],
                },
            },
            { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } },
            {
                type: 'result',
                subtype: 'success',
                is_error: false,
                num_turns: 3,
                result: text,
                session_id: 's1',
            },
        ]
            .map((line) => JSON.stringify(line))
            .join('\n') + '\n'
    );
}
