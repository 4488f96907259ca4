// Prompts, the chat and inboxes.
import assert from 'node:assert/strict';
import { nobody } from '../lib/identity.mjs';

export default async function ({ call, owner, viewer }) {
    await call(200, 'GET', '/api/questions/answered-count?since=2026-01-31T00:00:00Z');
    await call(400, 'GET', '/api/questions/answered-count');
    const tab = '01890a5d-ac96-774b-bcce-b302099a8057';
    await call(204, 'POST', '/api/presence', { tab, page: 'chat' });
    await call(400, 'POST', '/api/presence', { tab, page: 'nowhere' });
    await call(200, 'GET', '/api/presence?page=chat');
    await call(400, 'GET', '/api/presence?page=nowhere');
    const asked = await call(201, 'POST', '/api/discussion', {
        requester_agent: 'Developer',
        prompt_message: 'For @Builder',
        task_id: 'T-1',
    });
    const { id } = asked.prompt;
    await call(400, 'POST', '/api/discussion', {});
    await call(
        403,
        'POST',
        '/api/discussion',
        { requester_agent: 'A', prompt_message: 'Q' },
        { token: viewer },
    );
    await call(200, 'GET', '/api/discussion?agent=Builder&status=collecting&task_id=T-1&limit=10');
    await call(400, 'GET', '/api/discussion?limit=0');
    await call(200, 'GET', `/api/discussion/${id}`);
    await call(200, 'GET', `/api/discussion/${id}?wait=1`);
    await call(404, 'GET', `/api/discussion/${nobody}`);
    await call(401, 'GET', `/api/discussion/${id}`, undefined, {});
    await call(201, 'POST', `/api/discussion/${id}`, { agent_name: 'Builder', message: 'Mind the cache.' });
    await call(400, 'POST', `/api/discussion/${id}`, { agent_name: 'Builder' });
    await call(200, 'PATCH', `/api/discussion/${id}`, { action: 'resolve' });
    await call(409, 'PATCH', `/api/discussion/${id}`, { action: 'cancel' });
    await call(400, 'PATCH', `/api/discussion/${id}`, { action: 'forget' });
    await call(200, 'GET', `/api/discussion/${id}`);
    await call(201, 'POST', '/api/chat', {
        agent_name: 'Developer',
        message: 'Hello @Builder',
        task_ref: 'T-1',
    });
    await call(415, 'POST', '/api/chat', 'hello', {
        token: owner,
        headers: { 'Content-Type': 'text/plain' },
    });
    await call(
        413,
        'POST',
        '/api/chat',
        JSON.stringify({ agent_name: 'A', message: 'x', more: 'x'.repeat(1 << 20) }),
    );
    await call(200, 'GET', '/api/chat?limit=2');
    await call(400, 'GET', '/api/chat?cursor=nonsense');

    const { notifications } = await call(200, 'GET', '/api/notifications?agent=Builder');
    assert.ok(notifications.length > 0);
    await call(200, 'GET', '/api/inbox');
    await call(400, 'GET', '/api/inbox?type=nothing');
    await call(401, 'GET', '/api/inbox', undefined, {});
    await call(400, 'GET', '/api/notifications?limit=x');
    await call(200, 'GET', '/api/notifications/pending-count?agent=Builder');
    await call(401, 'GET', '/api/notifications/pending-count', undefined, {});
    await call(200, 'POST', `/api/notifications/${notifications[0].id}/read`, {});
    await call(404, 'POST', `/api/notifications/${nobody}/read`, {});
    await call(200, 'POST', '/api/notifications/read-all', { agent: 'Builder' });
    await call(401, 'POST', '/api/notifications/read-all', {}, {});
}
