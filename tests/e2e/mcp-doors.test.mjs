// The same operation through REST, `witan call` and MCP: every row that is a tool, done right and done wrong.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { cli } from './lib/cli.mjs';
import { makeToken, nobody } from './lib/identity.mjs';
import { onBothEngines, until } from './lib/server.mjs';

const require = createRequire(new URL('../mcp/package.json', import.meta.url));
const { default: Ajv } = require('ajv/dist/2020.js');
const schemas = new Ajv({ strict: false, validateFormats: false });
const agents = ['Architect', 'Reviewer'];
const participants = agents.map((agentName) => ({ agentName }));

async function council(server, token) {
    const made = await server.must(201, 'POST', '/api/discussions', { topic: 'Monolith?', participants, rounds: 1 }, { token });
    return (made.discussion ?? made).id;
}
async function turn(server, token) {
    const id = await council(server, token);
    await until(async () => {
        const { turns } = await server.must(200, 'GET', '/api/turns?agent=Architect&limit=200', undefined, { token });
        return turns.some((one) => JSON.stringify(one).includes(id));
    }, 'the turn');
    return id;
}

// What each tool is at the other doors, and a call of it that is right. A read is made of one thing through all
// doors; a write needs a fresh one each time.
const rows = {
    ask_question: {
        row: 'question_create',
        args: () => ({
            question: 'Which cache?',
            type: 'non_blocking',
            responseType: 'text',
            defaultResponse: { type: 'text', value: 'small' },
            agent: 'A',
        }),
    },
    wait_for_answer: { row: 'question_get', reads: true, args: async ({ ask }) => ({ id: await ask() }) },
    cancel_question: { row: 'question_cancel', args: async ({ ask }) => ({ id: await ask() }) },
    ask_squad: { row: 'prompt_create', args: () => ({ prompt_message: 'Cursor?', requester_agent: 'A' }) },
    wait_for_squad: { row: 'prompt_get', reads: true, args: async ({ prompt }) => ({ id: await prompt() }) },
    answer_squad: {
        row: 'prompt_respond',
        args: async ({ prompt }) => ({ id: await prompt(), agent_name: 'B', message: 'Cursor.' }),
    },
    list_squad_prompts: { row: 'prompt_list', reads: true, args: () => ({ limit: 1 }) },
    post_to_chat: { row: 'chat_post', args: () => ({ message: 'hello', agent_name: 'A' }) },
    report_progress: {
        row: 'job_progress',
        args: async ({ job }) => ({ id: await job(), done: 1, total: 2, step: 'half' }),
    },
    hand_in_result: {
        row: 'result_submit',
        args: async ({ project }) => ({
            id: await project(),
            agent: 'planner',
            sourceId: 'plan-1',
            result: { open_questions: ['Which currencies?'] },
        }),
    },
    request_decision: {
        row: 'decision_create',
        args: async ({ project }) => ({
            id: await project(),
            category: 'dependencyModifications',
            description: 'Add libvips',
            agent: 'A',
        }),
    },
    start_discussion: { row: 'discussion_create', args: () => ({ topic: 'Monolith?', participants, rounds: 1 }) },
    wait_for_discussion: { row: 'discussion_get', reads: true, args: async ({ turn }) => ({ id: await turn() }) },
    list_discussions: { row: 'discussion_list', reads: true, args: () => ({ status: 'completed', limit: 1 }) },
    // A tool's result is an object, in which the document stands beside its format.
    read_transcript: { row: 'discussion_transcript', reads: true, args: async ({ turn }) => ({ id: await turn(), format: 'json' }), member: 'transcript' },
    list_turns: { row: 'turn_list', reads: true, args: () => ({ agent: 'Nobody', limit: 1 }) },
    take_turn: {
        row: 'turn_take',
        args: async ({ turn }) => ({ id: await turn(), agent_name: 'Architect', content: 'Two services.' }),
    },
    interject: {
        row: 'discussion_interject',
        args: async ({ turn }) => ({ id: await turn(), by: 'Reviewer', content: 'The budget is fixed.' }),
    },
    tally_votes: {
        row: 'vote_tally',
        args: () => ({ choices: ['a', 'b'], votes: [{ voter: 'Coder', choice: 'a' }] }),
    },
    list_agents: { row: 'agent_list', reads: true, args: () => ({ limit: 1 }) },
};

// Ids, times and texts made of them differ from one call to the next.
const plain = (value) =>
    JSON.parse(
        JSON.stringify(value)
            .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'ID')
            .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
            .replace(/"(seq|version|waited_ms|duration_ms)":\d+/g, '"$1":0'),
    );

function subjects(server, token) {
    const made = (path, body) => async () => {
        const reply = await server.must(201, 'POST', path, body, { token });
        return reply.questionId ?? reply.prompt?.id ?? reply.project?.id ?? reply.id;
    };
    return {
        ask: made('/api/questions', { question: 'Which?', type: 'blocking', responseType: 'text', agent: 'A' }),
        prompt: made('/api/discussion', { prompt_message: 'Cursor?', requester_agent: 'A', required_responses: 3 }),
        job: made('/api/jobs', { agent: 'A', status: 'running' }),
        project: made('/api/projects', { name: 'Shop' }),
        turn: () => turn(server, token),
    };
}

// One operation through one door: {reply} or {error}, the error as REST sends it.
function doors(server, tool, row) {
    const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const rest = async (args, token) => {
        const body = Object.fromEntries(Object.entries(args).filter(([key]) => !inPath.includes(key)));
        const path = row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(args[name]));
        const query = row.method === 'GET' ? `?${new URLSearchParams(body)}` : '';
        const reply = await server.api(row.method, path + query, row.method === 'GET' ? undefined : body, { token });
        return reply.status < 400 ? { reply: reply.body } : { error: reply.body };
    };
    const fits = schemas.compile(tool.outputSchema);
    const mcp = async (args, token) => {
        const waits = 'wait_seconds' in tool.inputSchema.properties ? { wait_seconds: 0 } : {};
        const { body } = await server.api(
            'POST',
            '/mcp',
            { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: { ...args, ...waits } } },
            { token, headers: { Accept: 'application/json, text/event-stream' } },
        );
        if (body.error) return { error: body.error.data };
        if (body.result.isError) return { error: JSON.parse(body.result.content[0].text) };
        assert.deepEqual(JSON.parse(body.result.content[0].text), body.result.structuredContent);
        assert.ok(fits(body.result.structuredContent), `${tool.name}: ${JSON.stringify(fits.errors)}`);
        const { pending, poll_after_ms, next, ...reply } = body.result.structuredContent;
        assert.equal(pending === undefined, !('wait_seconds' in tool.inputSchema.properties));
        assert.equal(poll_after_ms !== undefined, pending === true);
        assert.equal(next !== undefined, pending === true);
        return { reply };
    };
    const shell = async (args, token) => {
        const words = Object.entries(args).map(([key, value]) =>
            typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`,
        );
        const { code, stdout, stderr } = await cli(
            server.folder,
            ['call', row.operationId, ...words, '--json', '--url', server.url],
            { env: { WITAN_TOKEN: token } },
        );
        // What is wrong before anything is sent stands on stderr alone.
        return code === 0 ? { reply: JSON.parse(stdout) } : { error: stdout ? JSON.parse(stdout).error : stderr };
    };
    return { rest, mcp, shell };
}

// Everything that can be wrong with a call of this tool, by its own schema.
function wrongs(tool, row, good) {
    const { properties, required = [] } = tool.inputSchema;
    const without = (key) => Object.fromEntries(Object.entries(good).filter(([name]) => name !== key));
    const inPath = (key) => row.path.includes(`{${key}}`);
    const cases = [['an unknown member', { ...good, surprise: 'x' }]];
    for (const key of required) if (!inPath(key)) cases.push([`no ${key}`, without(key)]);
    for (const [key, { type, enum: values }] of Object.entries(properties)) {
        if (key === 'wait_seconds') continue;
        if (inPath(key)) {
            cases.push([`an unknown ${key}`, { ...good, [key]: nobody }], [`no ${key} at all`, { ...good, [key]: 'x y' }]);
            continue;
        }
        const kind = [type].flat()[0];
        if (values) cases.push([`another ${key}`, { ...good, [key]: 'nothing-like-it' }]);
        else if (['integer', 'number', 'boolean'].includes(kind)) cases.push([`a word for ${key}`, { ...good, [key]: 'x' }]);
        // What stands in a query has no type.
        if (row.method !== 'GET' && kind && kind !== 'object') cases.push([`an object for ${key}`, { ...good, [key]: { wrong: ['type'] } }]);
        if (row.method !== 'GET' && ['object', 'array'].includes(kind)) cases.push([`a number for ${key}`, { ...good, [key]: 7 }]);
    }
    return cases;
}

// A few at a time: each is a process.
async function each(list, run) {
    const left = [...list];
    await Promise.all(
        Array.from({ length: 4 }, async () => {
            while (left.length > 0) await run(left.shift());
        }),
    );
}

// What a hint offers in place of an unknown member is each door's own: `wait` here, `wait_seconds` there.
function unhinted({ error, ...rest }, what) {
    const { hint, ...said } = error ?? {};
    return { ...rest, error: what === 'an unknown member' ? said : error };
}

// More calls a second than a token may make.
const env = { WITAN_LIMITS_TOKEN_RATE: '1000000', WITAN_LIMITS_TOKEN_BURST: '1000000' };

onBothEngines('REST, the command line and MCP give the same results and errors', { env }, async (server) => {
    const token = await makeToken(server, { role: 'owner', name: 'owner' });
    const viewer = await makeToken(server, { role: 'viewer', name: 'viewer' });
    for (const name of agents)
        await server.must(
            201,
            'POST',
            '/api/agents',
            { name, role: 'agent', system_prompt: 'Speak.', ai_model_config: { provider: 'external' } },
            { token },
        );
    const { body } = await server.api(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        { token, headers: { Accept: 'application/json, text/event-stream' } },
    );
    const { tools } = body.result;
    const api = await server.must(200, 'GET', '/api/openapi.json', undefined, { token });
    const described = Object.entries(api.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, row]) => ({ path, method: method.toUpperCase(), ...row })),
    );
    assert.deepEqual(
        // These two are more than a row; mcp-permission and mcp-run try them.
        tools.map((tool) => tool.name).filter((name) => !['run_agent', 'approve_tool_use'].includes(name)),
        Object.keys(rows),
        'a tool that is not tried here',
    );
    const things = subjects(server, token);
    for (const tool of tools.filter(({ name }) => rows[name])) {
        const { row: name, reads, args, member } = rows[tool.name];
        const row = described.find((one) => one.operationId === name);
        const { rest, mcp, shell } = doors(server, tool, row);

        // Done right.
        const one = await args(things);
        const fresh = async () => (reads ? one : args(things));
        const wanted = await rest(one, token);
        assert.ok(wanted.reply, `${tool.name}: ${JSON.stringify(wanted)}`);
        for (const [door, call] of Object.entries({ mcp, shell })) {
            const got = await call(await fresh(), token);
            assert.ok(got.reply, `${tool.name} by ${door}: ${JSON.stringify(got)}`);
            if (member && door === 'mcp') got.reply = got.reply[member];
            const same = reads ? [got.reply, wanted.reply] : [plain(got.reply), plain(wanted.reply)];
            assert.deepEqual(...same, `${tool.name} by ${door}`);
        }

        // Done wrong, and by those who may not.
        const cases = wrongs(tool, row, one).map(([what, given]) => [what, given, token]);
        cases.push(['no rights', one, reads ? 'witan_nobody' : viewer]);
        await each(cases, async ([what, given, who]) => {
            const where = `${tool.name} with ${what}`;
            const { error, reply } = await rest(given, who);
            assert.ok(error, `${where}: ${JSON.stringify(reply)}`);
            assert.deepEqual(unhinted(await mcp(given, who), what), unhinted({ error }, what), where);
            const said = await shell(given, who);
            assert.ok(said.error?.includes(error.error), `${where}: ${JSON.stringify(said)} and not ${error.error}`);
        });
    }
});
