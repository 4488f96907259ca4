// Jobs that witan runs itself, and a project's orchestrator.
import { nobody } from '../lib/identity.mjs';

export default async function runs({ call }) {
    // Nobody is there: the run fails by and by, and what is told of it is the same.
    const ai_model_config = { provider: 'openai', base_url: 'https://models.invalid/v1', model: 'none' };
    await call(201, 'POST', '/api/agents', { name: 'Runner', system_prompt: 'You run.', ai_model_config });
    const { id } = await call(201, 'POST', '/api/jobs', { kind: 'agent', agent: 'Runner', input: { task: 'Count.' } });
    for (const part of ['trace', 'replay']) {
        await call(200, 'GET', `/api/jobs/${id}/${part}`);
        await call(404, 'GET', `/api/jobs/${nobody}/${part}`);
    }
    const project = await call(201, 'POST', '/api/projects', { name: 'Orchestrated' });
    await call(200, 'GET', `/api/projects/${project.id ?? project.project.id}/orchestrator`);
    await call(404, 'GET', `/api/projects/${nobody}/orchestrator`);
}
