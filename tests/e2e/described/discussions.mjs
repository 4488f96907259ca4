// Agents, their discussions and turns, what models are told, and votes. The agents take their turns by themselves, so
// that no model is needed.
import { nobody } from '../lib/identity.mjs';
import { until } from '../lib/server.mjs';

const config = { provider: 'external' };

async function agents(call) {
    const { id } = await call(201, 'POST', '/api/agents', { name: 'Anna', ai_model_config: config });
    await call(409, 'POST', '/api/agents', { name: 'anna' });
    const other = await call(201, 'POST', '/api/agents', { name: 'Bert', role: 'critical', ai_model_config: config });
    const third = await call(201, 'POST', '/api/agents', { name: 'Carl', system_prompt: 'Be brief.' });
    await call(200, 'GET', '/api/agents?limit=2');
    await call(400, 'GET', '/api/agents?limit=0');
    await call(200, 'GET', `/api/agents/${id}`);
    await call(404, 'GET', `/api/agents/${nobody}`);
    await call(200, 'PATCH', `/api/agents/${other.id}`, { system_prompt: 'Find what is wrong.' });
    await call(400, 'PATCH', `/api/agents/${other.id}`, { ai_model_config: { provider: 7 } });
    await call(204, 'DELETE', `/api/agents/${third.id}`);
    await call(404, 'DELETE', `/api/agents/${third.id}`);
}

async function models(call) {
    await call(200, 'GET', '/api/models');
    await call(401, 'GET', '/api/models', undefined, {});
    await call(200, 'GET', '/api/tools?limit=5');
    await call(400, 'GET', '/api/tools?cursor=jobs.1');
}

const make = async (call, fields) => {
    const participants = [{ agentName: 'Anna' }, { agentName: 'Bert' }];
    const made = await call(201, 'POST', '/api/discussions', { topic: 'Which cache?', participants, ...fields });
    return made.discussion.id;
};

// A turn is opened when the one before it has been driven on.
const owes = (call, id, agent) =>
    until(async () => {
        const { turns: open } = await call(200, 'GET', `/api/turns?agent=${agent}`);
        return open.some(({ discussionId }) => discussionId === id);
    }, `${agent} owes a turn`);

async function turns(call) {
    const id = await make(call, { rounds: 1, sessionId: 'S-1' });
    const at = `/api/discussions/${id}`;
    await call(400, 'POST', '/api/discussions', { topic: 'Which cache?', participants: [] });
    await call(200, 'GET', '/api/discussions?status=active&mode=rounds');
    await call(400, 'GET', '/api/discussions?status=asleep');
    await call(400, 'GET', '/api/turns?limit=0');
    await call(200, 'POST', `${at}/rounds`, { add: 1 });
    await call(400, 'POST', `${at}/rounds`, { add: 0 });
    await owes(call, id, 'Anna');
    await call(201, 'POST', `${at}/turns`, { agent_name: 'Anna', content: 'The small one.' });
    await call(409, 'POST', `${at}/turns`, { agent_name: 'Anna', content: 'The small one.' });
    await call(200, 'POST', `${at}/interject`, { content: 'Mind the cost.' });
    await call(400, 'POST', `${at}/interject`, {});
    await owes(call, id, 'Bert');
    await call(200, 'POST', `${at}/next`, {});
    await call(404, 'POST', `/api/discussions/${nobody}/next`, {});
    await owes(call, id, 'Anna');
    await call(201, 'POST', `${at}/turns`, { agent_name: 'Anna', pass: true, reason: 'All is said.' });
    await owes(call, id, 'Bert');
    await call(201, 'POST', `${at}/turns`, { agent_name: 'Bert', pass: true });
    return at;
}

async function readers(call, at) {
    await call(200, 'GET', at);
    await call(200, 'GET', `${at}?wait=1`);
    for (const [part, reader] of [
        ['', ''],
        ['/transcript', '?format=text'],
        ['/transcript', '?format=markdown'],
        ['/transcript', '?format=json'],
        ['/decisions', ''],
        ['/replay', ''],
        ['/votes', ''],
        ['/usage', ''],
    ]) {
        await call(200, 'GET', `${at}${part}${reader}`);
        await call(404, 'GET', `/api/discussions/${nobody}${part}${reader}`);
    }
    await call(201, 'POST', `${at}/fork`, { at: '1' });
    await call(400, 'POST', `${at}/fork`, {});
}

async function controls(call) {
    const at = `/api/discussions/${await make(call, {})}`;
    for (const verb of ['pause', 'resume', 'cancel']) {
        await call(200, 'POST', `${at}/${verb}`, {});
        await call(404, 'POST', `/api/discussions/${nobody}/${verb}`, {});
    }
    const participants = [{ role: 'user' }, { agentName: 'Anna' }];
    const talk = `/api/discussions/${await make(call, { mode: 'turns', participants })}`;
    await call(200, 'POST', talk, { message: 'What do you think?', userId: 'paula' });
    await call(400, 'POST', talk, { userId: 'paula' });
}

async function wordings(call) {
    await call(200, 'GET', '/api/wordings');
    await call(401, 'GET', '/api/wordings', undefined, {});
    await call(200, 'PUT', '/api/wordings', { name: 'turn', text: 'It is your turn, {{name}}: {{topic}}' });
    await call(400, 'PUT', '/api/wordings', { name: 'turn' });
    await call(204, 'DELETE', '/api/wordings?name=turn');
    await call(404, 'DELETE', '/api/wordings?name=nothing');
}

async function votes(call) {
    const choices = ['small', 'large'];
    await call(200, 'POST', '/api/votes/tally', { choices, votes: [{ voter: 'Anna', choice: 'small', confidence: 0.9 }] });
    await call(400, 'POST', '/api/votes/tally', { choices, votes: [{ voter: 'Anna', choice: 'none' }] });
}

export default async function ({ call }) {
    await agents(call);
    await models(call);
    const at = await turns(call);
    await readers(call, at);
    await controls(call);
    await wordings(call);
    await votes(call);
}
