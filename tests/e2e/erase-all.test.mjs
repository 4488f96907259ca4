// Erasing a person reaches every column. The operations are taken from the description, and every text that they take is
// filled with the person's words; the columns are taken from the store, and each must have said here what becomes of it.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { columnsHolding, everything, textColumns } from './lib/everything.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, until } from './lib/server.mjs';

const words = 'xylophone';
const name = 'Quentín'; // whose folded form is stored beside it
const password = 'another long password';

// What a person writes and what stays all the same, by operation and member, and why. All else goes.
const project = "the project's, without the name";
const workspace = "the workspace's, without the name";
const job = 'what a job was given, reported and logged';
const stays = {
    'job_create.kind': job,
    'job_create.agent': job,
    'job_create.input': job,
    'job_update.result': job,
    'job_log.message': job,
    'job_log.data': job,
    'job_progress.step': job,
    'question_create.agent': 'the agent that the answer is for',
    'template_create.*': workspace,
    'template_update.*': workspace,
    'agent_create.*': workspace,
    'agent_update.*': workspace,
    'wording_put.text': workspace,
    'workspace_update.*': workspace,
    'project_create.name': project,
    'project_create.description': project,
    'project_update.name': project,
    'project_update.description': project,
    'task_create.*': project,
    'task_update.title': project,
    'task_update.description': project,
    'task_update.block_reason': project,
    'task_update.session_id': project,
    'task_update.result': project,
    'prd_put.text': project,
    'plan_put.text': project,
    'chat_post.task_ref': 'an id that another program gave',
    'discussion_create.sessionId': 'an id that another program gave',
    'discussion_create.options.vote': 'what could be decided, as the values of options',
};
const lasting = 'ocarina';
const wordFor = (member) => (stays[member] || stays[`${member.split('.')[0]}.*`] ? lasting : words);

// Any JSON: a word as values, as keys, in lists and deep down.
const free = (word = words) => ({ [`${word}Key`]: word, list: [word, { [`${word}More`]: [word] }], deep: { deeper: { text: word } } });

// A body with words in every text of the schema. `given` says what else a member must be, by its path; undefined leaves it out.
function fill(operation, schema, given, path = '') {
    if (path in given) return given[path];
    const type = [schema.type].flat();
    const inner = (member) => (path ? `${path}.${member}` : member);
    if (schema.enum || schema.format || /integer|number|boolean/.test(type[0])) return undefined;
    if (type.includes('array')) {
        const item = fill(operation, schema.items ?? {}, given, `${path}[]`);
        return item === undefined ? undefined : [item];
    }
    if (schema.properties)
        return Object.fromEntries(Object.keys(schema.properties).map((member) => [member, fill(operation, schema.properties[member], given, inner(member))]));
    const word = wordFor(`${operation}.${path}`);
    return type.includes('string') ? word : free(word);
}

// Columns that hold nothing of what a person wrote: ids, words, times and sums of ours, and what agents wrote.
const ours = `
agent_questions: asked_by_id assigned_to created_at draft_at draft_by_id ended_at id job_id outcome_by_id outcome_source parent_id project_id
    requested_by required_role responded_at responded_by response_type restart_job_id status template timeout_at type workspace_id
agent_templates: created_by_id id name_fold workspace_id
alerts: details id kind workspace_id
ask_errors: workspace_id
audit: actor_id actor_kind door erasure hash operation remote request_id subject workspace_id
audit_checkpoints: hash workspace_id
audit_heads: hash workspace_id
coder_takes: coder id job_id node project_id state task_id workspace_id
council_nodes: id
decisions: asked_by_id category id level project_id question_id workspace_id
discussion_decisions: discussion_id inputs kind reason verdict
discussion_interjections: agent_id discussion_id id role user_id
discussion_logs: agent_id discussion_id id kind manner project_id role user_id workspace_id
discussion_participants: agent_id discussion_id id project_id role user_id workspace_id
discussion_prompts: created_at ended_via id linked_task_id outcome_by_id outcome_source project_id reply_id reply_via requester_id resolved_at
    squad_chat_id status task_id via workspace_id
discussion_state: created_by_id created_by_kind discussion_id driver end_reason ending forked_from id mode outcome_by_id outcome_source parent_id
    phase project_id ref_id ref_kind result root_id status summary task_id workspace_id
discussion_turns: agent_id agent_key discussion_id id kind partial participant_id role state user_id workspace_id
documents: author_id project_id source source_id workspace_id
events: actor_id audience discussion_id job_id project_id subject type workspace_id
facts: name value
feedback: author_id id project_id workspace_id
figure_changes: kind label project_id question_id state workspace_id
figures: kind label project_id state workspace_id
idempotency: body_hash caller key operation prompt_id question_id workspace_id
job_logs: actor_id job_id kind level
jobs: id outcome_by_id outcome_source project_id requested_by requested_kind restart_of status task_id workspace_id
link_visits: hash link_hash
login_places: place user_id
members: role user_id workspace_id
mention_queue: ref_id ref_type
notification_reads: notification_id person
notifications: agent_key discussion_id id kind priority project_id reader ref_id ref_type user_id workspace_id
open_questions: agent answer_ids asked_by_id id kind outcome_by_id outcome_source project_id source source_id status workspace_id
presence: page person state subject tab workspace_id
project_spending: project_id
projects: hil_config id orchestrator_coder workspace_id
prompt_mentions: agent_key created_at prompt_id workspace_id
question_links: hash maker_id maker_kind question_id workspace_id
question_snoozes: person question_id
question_tallies: example_id project_id workspace_id
question_templates: id workspace_id
run_approved_tools: digest name workspace_id
run_calls: arguments digest discussion_id elicitation id job_id name outcome prompt_id provider_id question_id state
run_entries: call_id job_id kind model
runs: advice_id agent agent_id instructions job_id model model_config node phase project_id requester_role tools workspace_id
schema_migrations: name
search_queue: kind ref_id
search_words: ref_id workspace_id
sessions: hash user_id
setup_codes: hash
squad_chat: author_id created_at discussion_prompt_id id message_type project_id via workspace_id
task_deps: depends_on task_id
tasks: assignee_id id own_block problems project_id status workspace_id
tickets: caller hash workspace_id
token_secrets: hash token_id
tokens: agent_name created_by hash id project_id role user_id workspace_id
users: id password
wordings: name workspace_id
workspaces: id slug
`;
const oursOnly = new Set(
    ours.trim().replace(/\n +/g, ' ').split('\n').flatMap((line) => {
        const [table, columns] = line.split(': ');
        return columns.split(' ').map((column) => `${table}.${column}`);
    }),
);

// How each operation is called by the person: `at` fills the path, `given` the members that must be something else. Those that
// say nothing that is kept have a reason instead.
function calls(s) {
    const asked = { type: 'blocking', responseType: 'choice', 'options[].id': 'a', 'options[].value': 'a', defaultResponse: { type: 'choice', value: 'a', text: words }, action: undefined, assignedTo: undefined, requestedBy: name, template: undefined };
    const answer = { type: 'text', value: words };
    const set = { 'responses[].questionId': 'q1', keepOpen: true };
    return {
        job_create: { given: { projectId: s.project, taskId: undefined, budget: undefined, tools: undefined } },
        job_update: { at: [s.job], given: { status: 'failed' } },
        job_cancel: { at: [s.job] },
        job_log: { at: [s.job] },
        job_progress: { at: [s.job], given: { done: 1, total: 2 } },
        question_ask: { at: [s.job], given: asked },
        question_create: { given: { ...asked, projectId: s.project, taskId: undefined } },
        question_answer: { at: [s.question], given: { 'response.type': 'text', 'response.value': words, 'response.args': undefined, 'response.text': undefined } },
        question_answer_batch: { given: { 'answers[]': { id: s.batched, response: answer } } },
        question_cancel: { at: [s.own] },
        question_extend: { at: [s.question], given: { minutes: 5 } },
        question_draft: { at: [s.question] },
        question_link: { at: [s.question] },
        link_open: 'takes the secret of a link',
        question_assign: { at: [s.question], given: { to: 'Boss' } },
        question_unassign: { at: [s.question] },
        question_snooze: { at: [s.question], given: { minutes: 5 } },
        question_wake: 'takes no words',
        question_restart: { at: [s.late] },
        template_create: { given: { name: `${lasting}1`, type: 'blocking', responseType: 'choice', 'options[].value': 'a', optionsFrom: undefined, defaultResponse: undefined } },
        template_update: { at: [s.template], given: { name: `${lasting}2`, type: 'blocking', responseType: 'choice', 'options[].value': 'a', optionsFrom: undefined, defaultResponse: undefined } },
        template_delete: 'takes no words',
        prompt_create: { given: { requester_agent: name, required_responses: 3, task_id: s.task } },
        prompt_respond: { at: [s.prompt], given: { agent_name: name, is_human: true } },
        prompt_close: { at: [s.ownPrompt], given: { action: 'cancel' } },
        presence_say: { given: { tab: s.id, page: 'project', subject: s.project, state: 'here' } },
        chat_post: { given: { agent_name: name, is_human: true } },
        agent_create: { given: { name: `${lasting}1`, ai_model_config: { provider: 'external' } } },
        agent_update: { at: [s.agent], given: { name: `${lasting}2`, ai_model_config: { provider: 'external', model: lasting } } },
        agent_delete: 'takes no words',
        discussion_create: {
            given: {
                mode: 'rounds', 'participants[]': { role: 'user', name, userId: s.id }, projectId: s.project, taskId: s.task,
                options: { context: words, vote: { choices: [`${lasting} A`, `${lasting} B`], rule: 'majority' } }, ref: undefined,
            },
            as: (body) => ({ ...body, participants: [...body.participants, { agentName: 'Ada' }, { agentName: 'Eve' }] }),
        },
        discussion_message: { at: [s.turns], given: { userId: undefined, organizationId: undefined } },
        discussion_fork: { at: [s.spoken], given: { at: '1' } },
        discussion_pause: { at: [s.pausing] },
        discussion_resume: { at: [s.pausing] },
        discussion_cancel: { at: [s.turns] },
        discussion_next: { at: [s.turns] },
        discussion_rounds: { at: [s.rounds], given: { add: 1 } },
        discussion_interject: { at: [s.rounds], given: { by: undefined, when: 'now' } },
        turn_take: { at: [s.taking], given: { agent_name: undefined, userId: undefined, reason: undefined } },
        vote_tally: 'keeps nothing',
        wording_put: { given: { name: s.wording } },
        wording_delete: 'takes no words',
        project_create: { given: { name: `${lasting}1`, hilConfig: { scopeChanges: 'automated' }, 'settings.answerers[]': name } },
        project_update: { at: [s.project], given: { name: `${lasting}2`, hilConfig: { scopeChanges: 'automated' }, settings: { answerers: [name, s.id] } } },
        project_delete: 'takes no words',
        task_create: { at: [s.project], given: { 'depends_on[]': undefined } },
        task_update: { at: [s.project, s.task], given: { status: 'blocked', assignee: name, 'depends_on[]': undefined } },
        task_delete: 'takes no words',
        task_claim: { at: [s.project, s.otherTask], given: { agent: name } },
        task_chat_post: { at: [s.project, s.task], given: { agent_name: name, is_human: true } },
        feedback_create: { at: [s.project] },
        prd_put: { at: [s.project, 'goals'] },
        plan_put: { at: [s.project, 'first'] },
        result_submit: { at: [s.project], given: { agent: 'coder', source: 'execute', sourceId: s.thirdTask, output: undefined, result: { status: 'failed', open_questions: [{ id: 'q1', text: words }] } } },
        open_question_clear: 'takes no words',
        open_question_resolve: { at: [s.project, s.set], given: set },
        open_question_resolve_also: { at: [s.project, s.set], given: { ...set, keepOpen: undefined, approved: true, responses: [{ questionId: 'q2', answer: words }] } },
        open_question_dismiss: 'takes no words',
        decision_create: { at: [s.project], given: { category: 'scopeChanges', agent: name } },
        notification_read: 'takes no words',
        notification_read_all: { given: { agent: undefined } },
        session_login: 'was done',
        session_logout: 'ends it all',
        password_change: 'takes secrets',
        preferences_put: {},
        ticket_create: {},
        setup_owner: 'is for the first owner',
        user_create: { given: { name: 'Paula', password: undefined, role: 'viewer' } },
        user_update: 'takes no words',
        user_delete: 'takes no words',
        token_create: { given: { name, role: 'member', projectId: undefined, agentName: undefined, userId: s.id } },
        token_revoke: 'takes no words',
        token_rotate: 'takes no words',
        workspace_create: { given: { slug: undefined, settings: undefined }, status: 403 },
        workspace_update: { at: [s.workspace], given: { slug: undefined, settings: { note: lasting, personas: [lasting] } } },
        workspace_delete: 'takes no words',
        rehearsal_begin: 'takes no words',
        rehearsal_remove: 'takes no words',
    };
}

// What others have made, for the person to do something to.
async function prepare(server, boss, as) {
    const by = (who, status = 201) => (path, body, method = 'POST') => server.must(status, method, path, body, who);
    const make = by({ token: boss });
    const own = by(as);
    const project = (await make('/api/projects', { name: 'Shop' })).id;
    const task = async (title) => (await make(`/api/projects/${project}/tasks`, { title })).id;
    const question = async () => (await make('/api/questions', { type: 'blocking', question: 'Which?', responseType: 'text', timeoutMinutes: 30 })).questionId;
    const id = (await server.must(200, 'GET', '/api/me', undefined, as)).caller.id;
    for (const agent of ['Ada', 'Eve']) await make('/api/agents', { name: agent, ai_model_config: { provider: 'external' } });
    const talk = (mode) => async () => {
        const participants = [{ role: 'user', userId: id, name }, { agentName: 'Ada' }];
        const { discussion } = await make('/api/discussions', { topic: 'Which way?', mode, participants });
        if (mode !== 'turns') await until(async () => (await waiting(discussion.id)).includes(name), 'their turn waits');
        return discussion.id;
    };
    const waiting = async (of) =>
        (await server.must(200, 'GET', '/api/turns', undefined, { token: boss })).turns.filter(({ discussionId }) => discussionId === of).map(({ speaker }) => speaker);
    const late = (await own('/api/questions', { type: 'blocking', question: `${words}?`, responseType: 'text', timeoutMinutes: 5, context: free(), metadata: free() })).questionId;
    const approvals = await Promise.all(
        [1, 2].map(async (requiredApprovals) => (await make('/api/questions', { type: 'approval', question: 'May I?', responseType: 'approval', requiredApprovals, action: { name: 'deploy', args: { to: 'x' } } })).questionId),
    );
    await server.advance(360_000, { token: boss });
    assert.equal((await server.api('POST', `/api/questions/${late}/answer`, { response: { type: 'text', value: words } }, as)).status, 409);
    for (const approval of approvals)
        await server.api('POST', `/api/questions/${approval}/answer`, { response: { type: 'approval', value: true, comment: words, args: free() } }, as);
    const first = await task('Build');
    const third = await task('Paint');
    await make(`/api/projects/${project}/tasks/${third}/claim`, { agent: 'coder' }).catch(() => {});
    const other = await task('Ship');
    await by({ token: boss }, 200)(`/api/projects/${project}/tasks/${other}/claim`, { agent: 'coder' });
    const open_questions = ['Which colour?', 'Which size?'].map((text, i) => ({ id: `q${i + 1}`, text }));
    const set = (await make(`/api/projects/${project}/results`, { agent: 'coder', source: 'execute', sourceId: other, result: { status: 'failed', open_questions } })).notificationId;
    const spoken = await talk('rounds')();
    await own(`/api/discussions/${spoken}/turns`, { content: words });
    return {
        id, project, late, set, spoken,
        task: first, otherTask: await task('Sell'), thirdTask: third,
        job: async () => (await make('/api/jobs', { kind: 'build', agent: 'Builder', status: 'running' })).id,
        question,
        batched: await question(),
        own: async () => (await own('/api/questions', { type: 'approval', question: words, responseType: 'approval', action: { name: words, args: free() } })).questionId,
        template: (await make('/api/templates', { name: 'plain', question: 'Which?', type: 'blocking' })).id,
        agent: (await make('/api/agents', { name: 'Bert', ai_model_config: { provider: 'external' } })).id,
        prompt: (await make('/api/discussion', { requester_agent: 'Helper', prompt_message: 'Why?', required_responses: 3 })).prompt.id,
        ownPrompt: (await own('/api/discussion', { requester_agent: name, prompt_message: words, required_responses: 3 })).prompt.id,
        turns: talk('turns'), rounds: talk('rounds'),
        taking: await talk('parallel')(),
        pausing: await talk('rounds')(),
        wording: (await server.must(200, 'GET', '/api/wordings', undefined, as)).wordings[0].name,
        workspace: (await server.must(200, 'GET', '/api/me', undefined, as)).workspace?.id ?? 'default',
    };
}

// What others do about the person, and what takes more than one call.
async function others(server, boss, as, s) {
    const by = (who, status = 200) => (method, path, body, headers = {}) => server.must(status, method, path, body, { ...who, headers: { ...who.headers, ...headers } });
    const again = { 'Idempotency-Key': 'once' };
    await by({ token: boss }, 201)('POST', '/api/questions', { type: 'blocking', question: 'Which?', responseType: 'text', assignedTo: name, requestedBy: name }, again);
    // One that is given to them, and one that they give to somebody, whose kept replies name them.
    await by({ token: boss })('POST', `/api/questions/${await s.question()}/assign`, { to: name, note: 'You know it.' }, { 'Idempotency-Key': 'given' });
    await by({ token: boss })('POST', `/api/questions/${await s.question()}/assign`, { to: s.id }, { 'Idempotency-Key': 'given by id' });
    const { id: task } = await by({ token: boss }, 201)('POST', `/api/projects/${s.project}/tasks`, { title: 'Paint it' });
    await by({ token: boss })('PATCH', `/api/projects/${s.project}/tasks/${task}`, { assignee: name }, again);
    const { id: claimed } = await by({ token: boss }, 201)('POST', `/api/projects/${s.project}/tasks`, { title: 'Claim it' });
    await by({ token: boss })('POST', `/api/projects/${s.project}/tasks/${claimed}/claim`, { agent: name }, again);
    await by({ token: boss })('PATCH', `/api/projects/${s.project}`, { settings: { answerers: [name, 'Boss'] } }, again);
    // A question of theirs that another moves, whose kept reply repeats it.
    await by({ token: boss })('POST', `/api/questions/${await s.own()}/extend`, { minutes: 5 }, again);
    // A turn that is passed with a reason; words that wait for the end of somebody's turn.
    await by(as, 201)('POST', `/api/discussions/${await s.rounds()}/turns`, { pass: true, reason: words });
    const waits = await s.rounds();
    await server.sql(`INSERT INTO discussion_interjections (id, discussion_id, user_id, speaker, role, content, created_at)
                      VALUES ('01900000-0000-7000-8000-000000000001', '${waits}', '${s.id}', '${name}', 'user', '${words}', 1)`);
    // A discussion that was split off: what came of it is said in the first one by its topic.
    const { discussion } = await by(as, 201)('POST', '/api/discussions', { topic: words, parentId: waits, mode: 'rounds', participants: [{ agentName: 'Ada' }] });
    await by(as)('POST', `/api/discussions/${discussion.id}/cancel`, {});
}

// A run that has asked them, and was told what they said.
async function toldARun(server, s) {
    const job = await s.job();
    const call = '01900000-0000-7000-8000-000000000002';
    await server.sql(`INSERT INTO runs (job_id, workspace_id, agent, instructions, phase, budget_steps, budget_tokens, budget_ms, budget_money, created_at, wanted)
                      SELECT id, workspace_id, 'Ada', 'Work.', 'ended', 1, 1, 1, 0, 1, 0 FROM jobs WHERE id = '${job}'`);
    await server.sql(`INSERT INTO run_calls (id, job_id, step, position, provider_id, name, arguments, approved_arguments, state, output, question_id, created_at)
                      VALUES ('${call}', '${job}', 1, 0, 'a', 'ask_question', '{}', '{"a":"${words}"}', 'done', '${words} by ${name}', '${s.batched}', 1)`);
    const entry = (seq, kind, data, callId) =>
        server.sql(`INSERT INTO run_entries (job_id, seq, step, kind, text, data, call_id, created_at)
                    VALUES ('${job}', ${seq}, 1, '${kind}', '${words} by ${name}', ${data}, ${callId}, 1)`);
    await entry(1, 'result', 'NULL', `'${call}'`);
    await entry(2, 'decision', `'{"rule":"people","verdict":"approved"}'`, `'${call}'`);
    await entry(3, 'note', `'{"questionId":"${s.batched}"}'`, 'NULL');
    const said = [
        { as: 'answer', of: s.set, by: name, at: 0, bytes: Buffer.byteLength(words) },
        { as: 'name', of: s.set, by: name, at: Buffer.byteLength(`${words} by `), bytes: Buffer.byteLength(name) },
    ];
    await entry(4, 'input', `'${JSON.stringify({ said })}'`, 'NULL');
}

async function settled(server) {
    const left = `SELECT (SELECT COUNT(*) FROM search_queue) + (SELECT COUNT(*) FROM events WHERE seq IS NULL) + (SELECT COUNT(*) FROM figure_changes)`;
    await until(async () => Number((await server.sql(left))[0][0]) === 0, 'nothing is left to be done');
}

onBothEngines('erasing a person leaves their words and their name in no column', {}, async (server) => {
    const witan = (...args) => cli(server.folder, [...args, '--db', server.db]);
    await makeUser(server, 'Boss', 'a long enough password', 'owner');
    await makeUser(server, name, password, 'admin');
    const boss = await makeToken(server, { name: 'boss', role: 'owner' });
    const as = { headers: { Cookie: await login(server, name, password), Origin: server.url } };
    const s = await prepare(server, boss, as);
    const how = calls(s);
    const refused = [];
    const { paths } = await server.must(200, 'GET', '/api/openapi.json');
    for (const [path, methods] of Object.entries(paths))
        for (const [method, row] of Object.entries(methods)) {
            const call = how[row.operationId];
            if (method === 'get' || typeof call === 'string') continue;
            assert.ok(call, `${row.operationId}: say in calls() how a person does it`);
            const at = await Promise.all((call.at ?? []).map((one) => (typeof one === 'function' ? one() : one)));
            const schema = row.requestBody?.content['application/json'].schema;
            const body = schema && fill(row.operationId, schema, call.given ?? {});
            const where = path.replace(/\{[^}]+\}/g, () => at.shift());
            const reply = await server.api(method.toUpperCase(), where, call.as?.(body) ?? body, as);
            if (reply.status >= 300 && reply.status !== call.status) refused.push(`${row.operationId}: ${reply.status} ${reply.text}\n${JSON.stringify(body)}`);
        }
    assert.deepEqual(refused, [], `say in calls() what these take:\n${refused.join('\n')}`);
    await others(server, boss, as, s);
    await toldARun(server, s);
    await settled(server);
    const columns = await textColumns(server);
    const holding = async (...parts) => new Set((await Promise.all(parts.map((part) => columnsHolding(server, columns, part)))).flat());
    const before = await holding(words, name.toLowerCase());
    const kept = await holding(lasting);
    const filled = (column) => before.has(column) || kept.has(column);
    assert.deepEqual(columns.filter((column) => !filled(column) && !oursOnly.has(column)), [], 'fill these, or say that nobody writes there');
    assert.deepEqual(columns.filter((column) => filled(column) && oursOnly.has(column)), [], 'people do write there');
    assert.equal(Number((await server.sql('SELECT COUNT(*) FROM presence'))[0][0]), 1, 'what they look at');
    const { code, stderr } = await witan('user', 'erase', name, '--yes');
    assert.equal(code, 0, stderr);
    const left = (await everything(server)).filter((row) => row.toLowerCase().includes(words) || row.toLowerCase().includes(name.toLowerCase()));
    assert.deepEqual(left, [], `${left.length} rows:\n${left.map((row) => row.slice(0, 600)).join('\n')}`);
    await settled(server);
    const after = await holding(lasting);
    assert.deepEqual([...kept].filter((column) => !/^(events|audit|idempotency|notifications)\./.test(column) && !after.has(column)), [], 'what stays is there');
    assert.equal(Number((await server.sql('SELECT COUNT(*) FROM presence'))[0][0]), 0, 'what they looked at');
    assert.equal((await witan('audit', 'verify')).code, 0);
});
