// Clients of MCP that others wrote, with one way to use them all: call(tool, arguments) gives the result.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const headers = (token) => ({ requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } });

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
