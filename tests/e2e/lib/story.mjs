// A workspace as one finds it on a working day: projects, jobs, questions, a chat, discussions, and some days behind it.
// Everything is made through the API. What looks at pages (pictures, accessibility, speed) furnishes its server with it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configure } from './model.mjs';
import { start, tempFolder, until } from './server.mjs';
import { Work } from './work.mjs';

const minute = 60_000;
const day = 24 * 60 * minute;

const script = `Divergent: Three ways to look at it. **Speed**: Redis answers in 0.3 ms. **Loss**: what is in memory only is gone after a restart. **People**: whoever is on call has to know both.
Convergent: They point the same way. We keep *one* store, and it is the one that is backed up.
Critical: Who deletes what has expired? 40,000 rows a day grow quietly until a query is slow.
Divergent: A partition for each day could be dropped whole. No index to clean, no lock.
Convergent: One partition a day, kept for a week; a job drops the eighth.
Critical: [PASS] that answers it
Divergent: I stay with Redis. It is what whoever is on call knows best.
Convergent: So: the database, a partition for each day, dropped after a week.
Critical: The database, with an alarm when that job has not run for two days.
`;

/** A server whose agents speak these lines, so that a discussion goes the same way each time. */
export async function storyServer(t, options = {}) {
    const folder = await tempFolder(t);
    const file = join(folder, 'script.txt');
    await writeFile(file, script);
    const args = await configure(folder, { rehearsal: { provider: 'scripted', script: file } });
    return start(t, { ...options, folder, args, env: { WITAN_LIMITS_TOKEN_RATE: '100000', WITAN_LIMITS_BODY: '4194304', ...options.env } });
}

const post = (server, path, body, status = 201) => server.must(status, 'POST', path, body);
const answer = (server, { questionId }, response) => post(server, `/api/questions/${questionId}/answer`, { response }, 200);
const approval = (value, text) => ({ type: 'approval', value, ...(text ? { text } : {}) });

async function log(server, job, ...lines) {
    for (const line of lines) {
        const [level, message] = Array.isArray(line) ? line : ['info', line];
        await post(server, `/api/jobs/${job.id}/logs`, { level, message });
    }
}

// What was decided in the days before: the pages show it as precedents, figures and records.
async function past(server, project) {
    const migration = (n) => ({ agent: 'Builder', projectId: project.id, question: `Run migration 00${n} on the production database?`, type: 'approval', responseType: 'approval', action: { name: 'db.migrate', args: { target: 'orders-prod' } } });
    const earlier = await post(server, '/api/questions', migration(39));
    await server.advance(9 * minute);
    await answer(server, earlier, approval(false, 'Needs a lock timeout.'));
    for (let i = 0; i < 8; i++) {
        const one = await post(server, '/api/questions', { agent: ['Scout', 'Planner', 'Coder'][i % 3], projectId: project.id, question: ['Which tone for the release notes?', 'Skip the supplier whose feed is late?', 'Rename the table now?'][i % 3], type: ['blocking', 'error_recovery', 'blocking'][i % 3], responseType: 'boolean', timeoutMinutes: 30 });
        await server.advance((2 + i * 3) * minute);
        if (i === 5) await server.advance(30 * minute); // nobody was there
        else await answer(server, one, { type: 'boolean', value: i % 4 !== 0 });
        await server.advance(day / 3);
    }
    const before = await post(server, '/api/questions', migration(41));
    await server.advance(2 * minute);
    await answer(server, before, approval(true, 'After the nightly backup.'));
    await server.advance(day);
}

async function release(server, project) {
    const job = await post(server, '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running', projectId: project.id, input: { title: 'Release 2.4' } });
    await log(server, job, 'checked out release/2.4 at 9f35af4', '1 642 tests passed in 4 min 12 s', ['warn', 'two tests were slow: checkout_refund, checkout_currency'], 'built image shop:2.4.0, 84 MB');
    await server.must(200, 'POST', `/api/jobs/${job.id}/progress`, { done: 2, total: 5, step: 'Step 3 of 5: migrate the orders table' });
    const when = await post(server, `/api/jobs/${job.id}/questions`, { question: 'Migrate today, or after the sale?', type: 'blocking', responseType: 'choice', options: [{ label: 'Today' }, { label: 'After the sale', description: 'Checkout keeps the old currency column for a week.' }], context: { projectName: 'Checkout' } });
    await server.advance(2 * minute);
    await answer(server, when, { type: 'choice', value: 'Today' });
    await log(server, job, 'backup orders-prod ok', '0042 on staging ok, 370 s', '1 204 118 rows checked', ['error', 'first try: lock timeout after 2 s, nothing was changed'], 'asks for approval');
    const migrate = await post(server, `/api/jobs/${job.id}/questions`, {
        question: 'Run migration 0042 on the production database?\n\nIt adds `orders.currency` and fills it for 1.2 million rows, 5,000 at a time. Shoppers can go on buying: each batch holds its lock for about 40 ms. On staging it took 6 min 10 s.',
        type: 'approval',
        responseType: 'approval',
        timeoutMinutes: 15,
        action: { name: 'db.migrate', args: { target: 'orders-prod', migration: '0042_orders_currency', batch: 5000, lock_timeout: '2s' } },
        context: { projectName: 'Checkout', currentStep: 'step 3 of 5' },
    });
    return { job, migrate };
}

const ask = (server, fields) => post(server, '/api/questions', { type: 'blocking', responseType: 'text', ...fields });

async function questions(server, projects) {
    const within = (name, fields) => ({ projectId: projects[name].id, ...fields, context: { projectName: name, ...fields.context } });
    await ask(server, within('Price import', { agent: 'Scout', question: 'The price feed answered 502 three times. Retry, skip this supplier, or stop?', type: 'error_recovery', responseType: 'choice', timeoutMinutes: 5, options: [{ label: 'Retry', description: 'Once more, in two minutes.' }, { label: 'Skip', description: 'Prices of this supplier stay as they were yesterday.' }, { label: 'Stop' }], defaultResponse: { type: 'choice', value: 'Skip' }, context: { currentStep: 'step 7 of 9', errorDetails: 'GET https://feed.example/prices.csv\n502 Bad Gateway\nretry-after: 120' } }));
    await server.advance(75_000); // less than four minutes are left
    const persona = await ask(server, within('Mobile app', { agent: 'Planner', question: 'Which persona should the onboarding PRD be written for?', responseType: 'choice', allowOther: true, timeoutMinutes: 26, options: [{ label: 'Shop owner', description: 'Sells alone, on the phone, between two customers.' }, { label: 'Accountant', description: 'Closes the month, at a desk.' }, { label: 'Both', description: 'Two entries, one flow.' }], context: { currentStep: 'step 2 of 6' } }));
    for (const [n, title] of ['Refund endpoint', 'Refund page', 'Refund mail'].entries())
        await ask(server, within('Checkout', { agent: 'Developer', question: `Create a ticket “${title}” in Linear?`, type: 'approval', responseType: 'approval', timeoutMinutes: 48 + n, action: { name: 'linear.create_ticket', args: { title, team: 'Checkout', estimate: n + 1 } }, context: { currentStep: 'sprint planning' } }));
    await ask(server, within('Checkout', { agent: 'Coder', question: 'Should refunds below €5 skip the fraud check?', responseType: 'boolean', timeoutMinutes: 130, context: { currentStep: '“Add refund endpoint”' } }));
    const rows = await ask(server, within('Price import', { agent: 'Scout', question: 'Delete 3 duplicate price rows?', type: 'approval', responseType: 'approval', timeoutMinutes: 80, requiredApprovals: 2, action: { name: 'prices.delete', args: { ids: [88121, 88122, 90417], dry_run: false } }, context: { currentStep: 'clean-up' } }));
    await ask(server, within('Mobile app', { agent: 'Writer', question: 'What should the empty basket say?', timeoutMinutes: 600 }));
    await ask(server, within('Mobile app', { agent: 'Writer', question: 'Sentence case in all headings?', type: 'non_blocking', responseType: 'boolean', defaultResponse: { type: 'boolean', value: true } }));
    return { persona, rows };
}

async function squad(server) {
    await server.say('Scout', 'The supplier’s feed has a new column, `currency`. I read it as optional.');
    await server.say('Builder', 'Release 2.4 is built. I ask before the migration.');
    const cache = await server.ask({ requester_agent: 'Developer', prompt_message: 'Should I cache the product list?\n\nIt is read 40 times a second and changes twice a day.', required_responses: 3 });
    await server.answer(cache.id, 'Builder', 'In memory is enough: one process, 2 MB. Redis would be one more thing to run.');
    await server.answer(cache.id, 'Scout', 'Mind the version: prices change without the product changing. Cache the list, **not** the prices.');
    const tone = await server.ask({ requester_agent: 'Writer', prompt_message: 'Do we say “basket” or “cart”?', required_responses: 1 });
    await server.answer(tone.id, 'Planner', 'Basket. The shop owners we asked say basket.');
    await server.must(201, 'POST', '/api/chat', { agent_name: 'local', is_human: true, message: 'Thank you, all. I look at the migration now.' });
}

async function talks(server) {
    for (const name of ['Divergent', 'Convergent', 'Critical']) await post(server, '/api/agents', { name, role: name.toLowerCase(), system_prompt: `Speaker: ${name}.` });
    const participants = ['Divergent', 'Convergent', 'Critical'].map((agentName) => ({ agentName }));
    const make = async (fields) => (await post(server, '/api/discussions', { participants, rounds: 3, ...fields })).discussion;
    const ended = await make({ topic: 'Where should checkout sessions live: Redis or the database?', options: { vote: { choices: ['database', 'Redis'], rule: 'majority' } } });
    await until(async () => (await server.must(200, 'GET', `/api/discussions/${ended.id}`)).discussion.endReason, 'it has ended');
    const yours = await make({ topic: 'Which supplier do we drop first?', participants: [participants[2], { role: 'user', name: 'You' }] });
    await until(async () => (await server.must(200, 'GET', `/api/discussions/${yours.id}`)).discussion.phase === 'outside', 'it waits for a person');
    return { ended, yours };
}

// Tasks, two of which wait for people, and the open questions that agents left in their results.
async function tasks(server) {
    const work = await Work.begin(server, { name: 'Checkout' });
    const endpoint = await work.claimed('Add refund endpoint', 'Coder');
    const page = await work.claimed('Refund page', 'Coder');
    for (const title of ['Refund mail', 'Refund report', 'Show refunds in the app']) await work.task(title, { depends_on: [endpoint.id] });
    await work.stuck(endpoint.id, 'Which currency is the refund in: the order’s or the account’s?', 'Who is told when it fails?');
    await work.stuck(page.id, 'Is there a reason list, or free text?');
    return work.project;
}

/** What fits no frame: words without end, tables, code, a log of long lines, a question that has ended. */
export async function overfill(server) {
    const job = await post(server, '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running', input: { title: 'x'.repeat(200) } });
    await log(server, job, ['error', `push failed ${'/'.repeat(300)}`]);
    const wide = await post(server, `/api/jobs/${job.id}/questions`, { question: 'Run **migration**?\n\nIt takes `6 min`.\n\n```\nalter table orders add column a_very_long_name_that_does_not_end text not null default now() check (true)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |', type: 'approval', responseType: 'approval', action: { name: 'db.migrate', args: { target: 'y'.repeat(300), deep: { a: [1] } } }, context: { errorDetails: 'z'.repeat(300), projectName: 'p'.repeat(120), bounds: [1, 2] } });
    const long = await post(server, '/api/questions', { question: 'x'.repeat(600), type: 'error_recovery', responseType: 'text', agent: 'a'.repeat(60) });
    const done = await post(server, '/api/questions', { question: 'Done?', type: 'blocking', responseType: 'boolean' });
    await answer(server, done, { type: 'boolean', value: true });
    await server.say('b'.repeat(60), `The feed has changed: \`${'x'.repeat(300)}\``);
    await server.ask({ requester_agent: 'b'.repeat(60), prompt_message: 'c'.repeat(200), required_responses: 3 });
    const asked = await longNames(server);
    const lists = ['/chat', '/approvals', '/jobs', '/projects', '/discussions', '/settings/agents'];
    return [`/inbox/${wide.questionId}`, `/inbox/${long.questionId}`, `/inbox/${done.questionId}`, `/q/${wide.questionId}`, `/jobs/${job.id}`, ...asked, ...lists].map((path) => ({ name: path, path }));
}

// Names as long as they may be, without a place to break: of a project, of options, of arguments, of who speaks.
async function longNames(server) {
    const project = await post(server, '/api/projects', { name: 'p'.repeat(64) });
    const options = [{ label: 'o'.repeat(100), description: 'd'.repeat(200) }, ...Array.from({ length: 8 }, (_, i) => ({ label: `Option ${i + 2}` }))];
    const choice = await post(server, '/api/questions', { agent: 'a'.repeat(60), projectId: project.id, question: 'q'.repeat(200), type: 'blocking', responseType: 'choice', allowOther: true, options, context: { projectName: 'p'.repeat(64), currentStep: 's'.repeat(100) } });
    const deed = await post(server, '/api/questions', { agent: 'a'.repeat(60), question: `Run ${'r'.repeat(200)}?`, type: 'approval', responseType: 'approval', action: { name: 'tool.'.repeat(20), args: { ['k'.repeat(60)]: 'v', v: 'v'.repeat(300) } } });
    const names = ['w'.repeat(60), 'A speaker with a long name in many words'];
    for (const name of names) await post(server, '/api/agents', { name, system_prompt: 'Speaker: Critical.' });
    const { discussion } = await post(server, '/api/discussions', { participants: names.map((agentName) => ({ agentName })), rounds: 1, topic: 't'.repeat(200), options: { vote: { choices: ['c'.repeat(100), 'no'], rule: 'majority' } } });
    await until(async () => (await server.must(200, 'GET', `/api/discussions/${discussion.id}`)).discussion.endReason, 'it has ended');
    return [`/inbox/${choice.questionId}`, `/inbox/${deed.questionId}`, `/discussions/${discussion.id}`, `/projects/${project.id}`];
}

/** Furnishes a server and says where things are. */
export async function furnish(server) {
    const projects = { Checkout: await tasks(server) };
    for (const name of ['Price import', 'Mobile app']) projects[name] = await post(server, '/api/projects', { name });
    await past(server, projects.Checkout);
    const { job, migrate } = await release(server, projects.Checkout);
    for (const [kind, title, status] of [['import', 'Nightly price import', 'completed'], ['report', 'Weekly figures', 'failed']]) {
        const other = await post(server, '/api/jobs', { kind, agent: 'Scout', status: 'running', projectId: projects['Price import'].id, input: { title } });
        await server.must(200, 'PATCH', `/api/jobs/${other.id}`, { status, ...(status === 'failed' ? { error: 'the sheet is locked by another program' } : { result: { rows: 48211, skipped: 3 } }) });
    }
    const asked = await questions(server, projects);
    await squad(server);
    const { ended, yours } = await talks(server);
    return { projects, job, question: migrate.questionId, choice: asked.persona.questionId, edited: asked.rows.questionId, discussion: ended.id, turn: yours.id };
}
