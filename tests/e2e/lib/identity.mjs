// Tokens, users and workspaces, made on the store as an operator would.
import assert from 'node:assert/strict';
import { cli } from './cli.mjs';

// An id that nothing has.
export const nobody = '00000000-0000-7000-8000-00000000dead';

async function good(folder, args, options) {
    const { code, stdout, stderr } = await cli(folder, args, options);
    assert.equal(code, 0, `witan ${args.join(' ')}: ${code}\n${stderr}`);
    return stdout.trim();
}

// The secret. Options by name: role, agent, project, expires, workspace.
export function makeToken({ db, folder }, options = {}) {
    const all = { name: 'test', role: 'agent', ...options };
    return good(folder, [
        'token',
        'create',
        '--db',
        db,
        ...Object.entries(all).flatMap(([key, value]) => [`--${key}`, value]),
    ]);
}

export async function makeWorkspace({ db, folder }, slug) {
    return good(folder, ['workspace', 'add', slug, '--slug', slug, '--db', db]);
}

export function makeUser({ db, folder }, name, password, role = 'member', workspace = 'default') {
    return good(
        folder,
        ['user', 'add', name, '--role', role, '--workspace', workspace, '--password-stdin', '--db', db],
        { input: password },
    );
}

// Logs in and gives back the cookie.
export async function login(server, name, password, headers = {}) {
    const reply = await server.api('POST', '/api/login', { name, password }, { headers });
    assert.equal(reply.status, 200, reply.text);
    return reply.headers['set-cookie'][0].split(';')[0];
}
