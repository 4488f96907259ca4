// Claude Code itself, with a model on this machine that says what the test wants; it talks to nobody else.
//
// The program is 349 MB and stays out of the packages that the tests install: where it is, WITAN_CLAUDE says, or it is
// found in tests/mcp/node_modules (npm install --no-save @anthropic-ai/claude-code-linux-x64@2.1.325).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { atEnd } from './server.mjs';

const beside = fileURLToPath(new URL('../../mcp/node_modules/@anthropic-ai/claude-code-linux-x64/claude', import.meta.url));
export const program = process.env.WITAN_CLAUDE ?? beside;
export const isHere = existsSync(program);

const event = (type, more) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

// The events of one message: a text, or the use of a tool.
function* message(block, number) {
    const { delta, ...begin } = block.type === 'text'
        ? { type: 'text', text: '', delta: { type: 'text_delta', text: block.text } }
        : { ...block, input: {}, delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } };
    const usage = { input_tokens: 10, output_tokens: 10 };
    yield event('message_start', {
        message: { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'mock', content: [], stop_reason: null, usage },
    });
    yield event('content_block_start', { index: 0, content_block: begin });
    yield event('content_block_delta', { index: 0, delta });
    yield event('content_block_stop', { index: 0 });
    yield event('message_delta', { delta: { stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use' }, usage });
    yield event('message_stop', {});
}

// A model on loopback. `answer(results)` gives a content block, from the tool results that it has been told so far:
// a list of {tool_use_id, text, is_error}. `told` holds them.
export async function anthropic(t, answer) {
    const mock = { told: [], calls: 0 };
    const server = http.createServer(async (request, reply) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        if (!request.url.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
            reply.writeHead(200, { 'Content-Type': 'application/json' });
            reply.end('{"input_tokens":10}');
            return;
        }
        const { messages, tools } = JSON.parse(Buffer.concat(parts).toString());
        const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === 'tool_result');
        const words = (content) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join(''));
        mock.told = results.map(({ tool_use_id, content, is_error }) => ({ tool_use_id, text: words(content), is_error: is_error ?? false }));
        mock.tools = tools?.map(({ name }) => name) ?? [];
        reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
        for (const piece of message(await answer(mock.told, mock), ++mock.calls)) reply.write(piece);
        reply.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    mock.url = `http://127.0.0.1:${server.address().port}`;
    atEnd(t, () => {
        server.closeAllConnections();
        server.close();
    });
    return mock;
}

// Starts `claude -p` with witan as its MCP server and asker for permission. `.done` gives {code, stdout, stderr}.
export function claude(t, { folder, model, entry, prompt = 'Go on.', env = {}, args = [] }) {
    const child = spawn(
        program,
        ['-p', prompt, '--output-format', 'json', '--strict-mcp-config', '--mcp-config', JSON.stringify({ mcpServers: { witan: entry } }),
         '--permission-prompt-tool', 'mcp__witan__approve_tool_use', ...args],
        {
            cwd: folder,
            stdio: ['ignore', 'pipe', 'pipe'],
            env: {
                PATH: process.env.PATH,
                HOME: folder,
                CLAUDE_CONFIG_DIR: `${folder}/.claude`,
                ANTHROPIC_BASE_URL: model.url,
                ANTHROPIC_API_KEY: 'sk-ant-mock',
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
                DISABLE_AUTOUPDATER: '1',
                ...env,
            },
        },
    );
    const run = { child, stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (run.stdout += bytes));
    child.stderr.on('data', (bytes) => (run.stderr += bytes));
    atEnd(t, () => child.kill('SIGKILL'));
    run.done = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, stdout: run.stdout, stderr: run.stderr }));
    return run;
}
