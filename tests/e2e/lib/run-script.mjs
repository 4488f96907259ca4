// A server whose agents read from a script: each line of `lines` is a turn, { say, call: [[tool, arguments]...] } or a text.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './cli.mjs';
import { configure } from './model.mjs';
import { start, until } from './server.mjs';

const turn = (line) => {
    if (typeof line === 'string') return line;
    const calls = (line.call ?? []).map(([tool, args]) => `!call ${tool} ${JSON.stringify(args)}`);
    return [line.say, ...calls].filter(Boolean).join('\n');
};
// One line of the script for each turn; a line break within it is written as \n, so arguments have none.
export const script = (speakers) =>
    Object.entries(speakers)
        .flatMap(([name, lines]) => lines.map((line) => `${name}: ${turn(line).replaceAll('\n', '\\n')}`))
        .join('\n');

// The arguments for a server whose only model reads from the script; `more` of config.yaml, as text.
export async function scripted(folder, speakers, more = '') {
    const file = join(folder, 'runs.txt');
    await writeFile(file, `${script(speakers)}\n`);
    return configure(folder, { lines: { provider: 'scripted', script: file } }, more);
}

// A server with these agents.
export async function withRuns(t, speakers, { more, ...options } = {}) {
    const server = await start(t, options);
    await server.stop();
    server.args = [...server.args, ...(await scripted(server.folder, speakers, more))];
    await server.restart();
    for (const name of Object.keys(speakers)) if (name !== '*') await server.must(201, 'POST', '/api/agents', { name });
    return server;
}

export const begins = (server, agent, input, more = {}) => server.must(201, 'POST', '/api/jobs', { kind: 'agent', agent, input, ...more });
export const jobOf = (server, id) => server.must(200, 'GET', `/api/jobs/${id}`);
export const ended = (server, id) =>
    until(async () => {
        const found = await server.must(200, 'GET', `/api/jobs/${id}?wait=55`);
        return ['completed', 'failed', 'cancelled'].includes(found.status) && found;
    }, 'the run has ended');
export const traceOf = (server, id, query = '') => server.must(200, 'GET', `/api/jobs/${id}/trace?limit=200${query}`);
export const run = (server, args, more = {}) => cli(server.folder, args, { ...more, env: { WITAN_URL: server.url, ...more.env } });
