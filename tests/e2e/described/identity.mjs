// Sessions, users, tokens, workspaces and the audit log.
import { login, nobody } from '../lib/identity.mjs';

export default async function ({ call, server, viewer }) {
    await call(200, 'POST', '/api/login', { name: 'ada', password: 'correct horse' }, {});
    await call(401, 'POST', '/api/login', { name: 'ada', password: 'wrong' }, {});
    await call(200, 'GET', '/api/setup', undefined, {});
    await call(400, 'GET', '/api/setup?what=1', undefined, {});
    await call(403, 'POST', '/api/setup', { code: 'witano_wrong', name: 'eve', password: 'correct horse' }, {});
    const cookie = { headers: { Cookie: await login(server, 'ada', 'correct horse'), Origin: server.url } };
    await call(200, 'GET', '/api/me', undefined, cookie);
    await call(401, 'GET', '/api/me', undefined, {});
    await call(200, 'PUT', '/api/me/preferences', { preferences: { theme: 'dark' } }, cookie);
    await call(400, 'PUT', '/api/me/preferences', { preferences: [] }, cookie);
    await call(200, 'GET', '/api/me/preferences', undefined, cookie);
    await call(401, 'GET', '/api/me/preferences', undefined, {});
    await call(
        400,
        'PUT',
        '/api/me/password',
        { oldPassword: 'wrong', newPassword: 'battery staple' },
        cookie,
    );
    await call(
        204,
        'PUT',
        '/api/me/password',
        { oldPassword: 'correct horse', newPassword: 'battery staple' },
        cookie,
    );
    await call(201, 'POST', '/api/tickets', {});
    await call(401, 'POST', '/api/tickets', {}, {});

    const user = await call(201, 'POST', '/api/users', {
        name: 'bob',
        password: 'correct horse',
        role: 'member',
    });
    await call(409, 'POST', '/api/users', { name: 'BOB', password: 'correct horse' });
    await call(200, 'GET', '/api/users');
    await call(403, 'GET', '/api/users', undefined, { token: viewer });
    await call(200, 'GET', `/api/users/${user.id}`);
    await call(404, 'GET', `/api/users/${nobody}`);
    await call(200, 'PATCH', `/api/users/${user.id}`, { role: 'viewer' });
    await call(400, 'PATCH', `/api/users/${user.id}`, { role: 'king' });
    await call(204, 'DELETE', `/api/users/${user.id}`);
    await call(404, 'DELETE', `/api/users/${user.id}`);
    const token = await call(201, 'POST', '/api/tokens', {
        name: 'ci',
        agentName: 'CI',
        expiresAt: '2999-01-01T00:00:00Z',
    });
    await call(400, 'POST', '/api/tokens', { name: '' });
    await call(200, 'GET', '/api/tokens');
    await call(403, 'GET', '/api/tokens', undefined, { token: viewer });
    await call(200, 'GET', `/api/tokens/${token.id}`);
    await call(404, 'GET', `/api/tokens/${nobody}`);
    await call(200, 'POST', `/api/tokens/${token.id}/rotate`, {});
    await call(400, 'POST', `/api/tokens/${token.id}/rotate`, { overlapMinutes: -1 });
    await call(404, 'POST', `/api/tokens/${nobody}/rotate`, {});
    await call(204, 'DELETE', `/api/tokens/${token.id}`);
    await call(409, 'POST', `/api/tokens/${token.id}/rotate`, {});
    await call(404, 'DELETE', `/api/tokens/${nobody}`);
    await call(403, 'POST', '/api/rehearsal');
    await call(201, 'POST', '/api/rehearsal', undefined, cookie);
    await call(204, 'DELETE', '/api/rehearsal', undefined, cookie);
    await call(404, 'DELETE', '/api/rehearsal', undefined, cookie);
    const workspace = await call(
        201,
        'POST',
        '/api/workspaces',
        { name: 'Research', settings: { personas: [] } },
        cookie,
    );
    await call(409, 'POST', '/api/workspaces', { name: 'Research', slug: workspace.slug }, cookie);
    await call(200, 'GET', '/api/workspaces', undefined, cookie);
    await call(401, 'GET', '/api/workspaces', undefined, {});
    await call(200, 'GET', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(404, 'GET', `/api/workspaces/${nobody}`, undefined, cookie);
    await call(200, 'PATCH', `/api/workspaces/${workspace.id}`, { name: 'Lab' }, cookie);
    await call(400, 'PATCH', `/api/workspaces/${workspace.id}`, { slug: 'No Slug' }, cookie);
    await call(204, 'DELETE', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(404, 'DELETE', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(200, 'GET', '/api/audit?limit=5');
    await call(403, 'GET', '/api/audit', undefined, { token: viewer });
    await call(200, 'GET', '/api/audit/export?limit=5');
    await call(400, 'GET', '/api/audit/export?limit=0');
    await call(204, 'POST', '/api/logout', undefined, cookie);
    await call(403, 'POST', '/api/logout', undefined, {
        headers: { ...cookie.headers, Origin: 'http://evil.example' },
    });
}
