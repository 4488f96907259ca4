// A server whose only model reads from a script: the example that the transcript was made for, three rounds with
// seven contributions.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './cli.mjs';
import { configure, model, openai } from './model.mjs';
import { start } from './server.mjs';

const ruler = '='.repeat(60);
export const topic = 'Should I use microservices or monolithic architecture for my startup?';

export const said = {
    Divergent: [
        'Let me explore different perspectives:\n1. **Speed perspective**: Monolithic allows faster initial development\n2. **Scalability perspective**: Microservices enable independent scaling\n3. **Team perspective**: Your team size and DevOps expertise matter significantly',
        'Building on Critical\'s concern about architecture: Consider a "modular monolith" approach - single deployment but with clear bounded contexts. This gives you monolith benefits while maintaining microservices-ready boundaries. Also, containerization from day one makes future splitting easier.',
        '[PASS]\n(All major perspectives covered)',
    ],
    Convergent: [
        'Synthesizing these perspectives: For an early-stage startup, I recommend starting with a well-structured monolith. The speed advantage is crucial when you need to validate your product quickly. You can plan a migration path to microservices as you scale.',
        "Excellent point from Divergent. My refined recommendation:\n1. Start with modular monolith in containers\n2. Define bounded contexts using Domain-Driven Design\n3. Extract to microservices only when specific modules need independent scaling\nThis addresses Critical's concern while maintaining startup speed.",
        '[PASS] - The recommendation is clear and validated.',
    ],
    Critical: [
        'Key concern: A monolith requires strong architectural discipline from day one. Without clear module boundaries, you\'ll face a "big ball of mud" that\'s hard to refactor. Also, the team needs to understand the eventual migration path before writing the first line of code.',
        'I validate this refined approach. However, add these safeguards:\n- Document module APIs as if they were services (OpenAPI specs)\n- Enforce no cross-module database access\n- Set up monitoring early to identify scaling bottlenecks\nThe modular monolith works ONLY if discipline is maintained.',
        'One final safeguard: Schedule architectural reviews every 3 months to reassess if extraction is needed. Otherwise, [PASS].',
    ],
};
const icons = { Divergent: '🔵', Convergent: '🟢', Critical: '🔴' };

const round = (number, who) =>
    `${ruler}\nRound ${number}: ${who.length} contribution(s)\n${ruler}\n\n` +
    who.map((name) => `${icons[name]} ${name}:\n${said[name][number - 1]}\n\n`).join('');
export const transcript =
    `🐝 [QueenBee Collaborative Discussion]\n\nMy specialist team had a 3-round discussion about:\n'${topic}'\n\n` +
    round(1, ['Divergent', 'Convergent', 'Critical']) +
    round(2, ['Divergent', 'Convergent', 'Critical']) +
    round(3, ['Critical']) +
    `${ruler}\n✨ Discussion complete with 7 total contributions\n` +
    `This represents a truly collaborative multi-perspective analysis.\n${ruler}\n`;

const script = Object.entries(said)
    .flatMap(([name, turns]) => turns.map((text) => `${name}: ${text.replaceAll('\n', '\\n')}`))
    .join('\n');

// The arguments for a server whose only model reads from the script.
export async function scripted(folder, more = {}) {
    const file = join(folder, 'script.txt');
    await writeFile(file, `${script}\nModerator: A monolith, to begin with.\n`);
    return configure(folder, { lines: { provider: 'scripted', script: file, ...more } });
}

export async function withScript(t, more) {
    const server = await start(t, {});
    await server.stop();
    server.args = [...server.args, ...(await scripted(server.folder, more))];
    return server.restart();
}

// The same lines from a model server, for a test that wants to be there in the middle of a turn however slow the machine
// is: `how(name, turn, text)` may give another way of saying a turn (counted from 0), or nothing.
export async function withVoices(t, how = () => undefined) {
    const names = Object.keys(said);
    const voices = await model(t, ({ system, user }) => {
        const name = names.find((who) => `${system} ${user}`.includes(`You are ${who}`));
        const turn = said[name].findIndex((line) => line.startsWith('[PASS]') || !user.includes(line.split('\n')[0]));
        const text = said[name][turn];
        return how(name, turn, text) ?? text;
    });
    const server = await start(t, {});
    await server.stop();
    server.args = [...server.args, ...(await configure(server.folder, { voices: openai(voices) }))];
    return server.restart();
}

// So many words of a text, and then nothing more.
export const begun = (text, words) => ({ pieces: text.split(/(?<= )/).slice(0, words), stay: true });

export const run = (server, args, more = {}) => cli(server.folder, args, { ...more, env: { WITAN_URL: server.url, ...more.env } });
export const idIn = (stderr) => stderr.match(/^Discussion (\S+)$/m)[1];
export const stateOf = (server, id) => server.must(200, 'GET', `/api/discussions/${id}`);
