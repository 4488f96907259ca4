// Clients of MCP that others wrote, with one way to use them all: call(tool, arguments) gives the result.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// A look at a task may fall into the moment in which a test starts its server anew: it is made again when that is there.
async function patientFetch(url, init) {
    for (let tries = 0; ; tries++) {
        try {
            return await fetch(url, init);
        } catch (error) {
            if (!['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(error.cause?.code) || tries === 300) throw error;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
    }
}

const headers = (token) => ({ fetch: patientFetch, requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } });

// The SDK of 2025: initialize, a session.
export async function oldClient(url, { token, name = 'old-client', capabilities = {} } = {}) {
    const client = new OldClient({ name, version: '1' }, { capabilities });
    await client.connect(new OldTransport(new URL(`${url}/mcp`), headers(token)));
    return {
        client,
        call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options),
        close: () => client.close(),
    };
}

// The SDK of 2026, which finds out by itself what the server speaks.
export async function newClient(url, { token, name = 'new-client', capabilities = {} } = {}) {
    const client = new NewClient(
        { name, version: '1' },
        { capabilities, versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(new NewTransport(new URL(`${url}/mcp`), headers(token)));
    return {
        client,
        call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, options),
        close: () => client.close(),
    };
}

// A look at a task that meets no server, because it is just being started again, is taken again.
async function patiently(method, signal, ...request) {
    for (;;) {
        const reply = await fetch(...request).catch((why) => why);
        if (reply instanceof Response && reply.status !== 503) return reply;
        if (signal?.aborted || !method.startsWith('tasks/')) {
            if (reply instanceof Error) throw reply;
            return reply;
        }
        await new Promise((wake) => setTimeout(wake, 50));
    }
}

// Tasks of both generations, by the extension's own package: call(tool, arguments) settles whatever comes back.
// What the SDK of 2026 does not know of tasks it leaves to `raw`, which sends a message as it is.
export async function taskClient(url, { token, name = 'task-client', capabilities = {}, onInput } = {}) {
    const client = new NewClient(
        { name, version: '1' },
        { capabilities, versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(new NewTransport(new URL(`${url}/mcp`), headers(token)));
    let id = 0;
    const raw = async (request, { signal } = {}) => {
        const named = request.params?.taskId ?? request.params?.name;
        const reply = await patiently(request.method, signal, `${url}/mcp`, {
            method: 'POST',
            signal,
            headers: {
                ...headers(token).requestInit.headers,
                'Content-Type': 'application/json',
                Accept: 'application/json, text/event-stream',
                'MCP-Protocol-Version': '2026-07-28',
                'Mcp-Method': request.method,
                ...(named ? { 'Mcp-Name': named } : {}),
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: ++id, ...request }),
        });
        const text = await reply.text();
        const { result, error } = JSON.parse(text.match(/^data: (.*)$/gm)?.at(-1).slice(6) ?? text);
        return error ? { kind: 'error', error } : { kind: 'result', result };
    };
    const session = createTaskSessionFromClient(client, {
        endpointId: 'witan',
        ...(onInput ? { onInputRequest: onInput } : {}),
        ...(client.getProtocolEra() === 'modern'
            ? {
                  rawDispatch: raw,
                  v2RequestFraming: {
                      protocolVersion: '2026-07-28',
                      clientInfo: { name, version: '1' },
                      clientCapabilities: capabilities,
                  },
              }
            : {}),
    });
    return {
        client,
        session,
        begin: (tool, args, options) => session.callTool(tool, args, options),
        call: async (tool, args, options) =>
            resultFromTaskOutcome((await (await session.callTool(tool, args, options)).settle()).outcome),
        close: async () => {
            await session.close();
            await client.close();
        },
    };
}

// The same SDK over the pipes of a program.
export async function stdioClient(command, args, env) {
    const client = new OldClient({ name: 'stdio-client', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env, stderr: 'pipe' }));
    return {
        client,
        call: (tool, given, options) => client.callTool({ name: tool, arguments: given }, undefined, options),
        close: () => client.close(),
    };
}

export async function newStdioClient(command, args, env) {
    const client = new NewClient(
        { name: 'stdio-client', version: '2' },
        { versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(new NewStdioTransport({ command, args, env, stderr: 'pipe' }));
    return {
        client,
        call: (tool, given, options) => client.callTool({ name: tool, arguments: given }, options),
        close: () => client.close(),
    };
}

// Runs a program of this folder's packages to its end.
async function run(file, args, env) {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`node_modules/${file}`, import.meta.url)), ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (bytes) => (stdout += bytes));
    child.stderr.on('data', (bytes) => (stderr += bytes));
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
}

export const inspector = (args, env) => run('.bin/mcp-inspector', ['--cli', ...args], env);
export const conformance = (args, env) => run('.bin/conformance', args, env);
