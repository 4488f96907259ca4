// What a tool asks in the middle of its call: a question of the job, whose answer goes to the tool that waits for it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { asked, asking, assertAsked, assertReplays, begin, completed, ended, cancel, configured, agent, finish, job, reply, results, step, trace } from './lib/runs.mjs';
import { model, openai } from './lib/model.mjs';
import { start, tempFolder, until } from './lib/server.mjs';

// A server of one tool, which says how far it is, asks which colour, and returns what it was told.
const asks = `#!/bin/sh
said() { printf '%s\\n' "$1"; }
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id": *\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
    token=$(printf '%s' "$line" | sed -n 's/.*"progressToken": *\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
    case "$line" in
    *'"method":"initialize"'*|*'"method": "initialize"'*)
        said '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"asks","version":"1"}}}' ;;
    *tools/list*)
        said '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"paint","description":"Paints.","inputSchema":{"type":"object"}}]}}' ;;
    *tools/call*)
        call=$id
        [ -n "$token" ] && said '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'"$token"',"progress":1,"total":4,"message":"mixing"}}'
        said '{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}}}' ;;
    *'"e1"'*)
        told=$(printf '%s' "$line" | sed 's/[\\\\"]/\\\\&/g')
        said '{"jsonrpc":"2.0","id":'"$call"',"result":{"content":[{"type":"text","text":"told: '"$told"'"}]}}' ;;
    *'"method"'*)
        [ -n "$id" ] && said '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no such method"}}' ;;
    esac
done
`;

async function painter(t, engine) {
    const voice = await model(t, (call) => (step(call) === 1 ? { calls: [{ name: 'asks__paint', args: {}, id: 'p' }] } : { calls: [finish('painted')] }));
    const folder = await tempFolder(t);
    const file = join(folder, 'asks.sh');
    await writeFile(file, asks);
    const args = await configured(folder, {
        models: { default: openai(voice) },
        mcp: { asks: { command: ['/bin/sh', file], tools: { paint: { needs_approval: false } } } },
    });
    const server = await start(t, { engine, folder, args });
    await agent(server);
    await until(async () => JSON.stringify(await server.must(200, 'GET', '/api/tools')).includes('asks__paint'), 'its tools are listed');
    return { server, voice };
}

for (const engine of ['sqlite', 'postgres']) {
    test(`what a tool asks is answered by people, and its call goes on (${engine})`, { timeout: 300_000 }, async (t) => {
        const { server, voice } = await painter(t, engine);
        const id = await begin(server);
        const [open] = await asked(server, id);
        assert.equal(open.question, 'Which colour?');
        assert.equal((await job(server, id)).status, 'waiting_for_input');
        await until(async () => JSON.stringify((await job(server, id)).progress).includes('mixing'), 'how far it is can be seen');
        await assertAsked(voice, [1], server);
        await reply(server, open, 'green');
        await completed(server, id);
        assert.match(results(asking(voice, 2)).p, /told:.*accept.*green/);
        const said = (await trace(server, id)).entries.filter(({ data }) => data?.rule === 'people');
        assert.deepEqual(said.map(({ text, call, data }) => [text.replace(/^\S+ has/, 'Somebody has'), call.name, data.questionId]), [
            ['Its tool asks: Which colour?', 'asks__paint', open.id],
            ['Somebody has answered: green', 'asks__paint', open.id],
        ]);
        await assertReplays(server, id);
    });
}

test('a job that is cancelled while its tool asks takes the question and the call along', { timeout: 300_000 }, async (t) => {
    const { server } = await painter(t, 'sqlite');
    const id = await begin(server);
    const [open] = await asked(server, id);
    await cancel(server, id);
    assert.equal((await ended(server, id)).status, 'cancelled');
    await until(async () => (await server.metric('witan_tool_calls')) === 0, 'the call has ended');
    assert.equal((await server.must(200, 'GET', `/api/questions/${open.id}`)).question.status, 'cancelled');
});
