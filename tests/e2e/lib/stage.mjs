// A server with a model and agents by name, and what tests of discussions do with it over HTTP.
import { configure, model, openai } from './model.mjs';
import { until } from './server.mjs';

// The agent's system prompt says who it is.
export const speakerOf = ({ system }) => system.match(/I am (\w+)\./)?.[1];

// A model for this server, and agents by these names. `others` are further settings of the same model, by name.
export async function stage(server, t, names, answer, settings = {}, others = {}) {
    const answers = await model(t, answer);
    await server.stop();
    const models = Object.entries({ default: settings, ...others }).map(([name, more]) => [name, openai(answers, more)]);
    server.args = await configure(server.folder, Object.fromEntries(models));
    await server.restart();
    for (const name of names)
        await server.must(201, 'POST', '/api/agents', { name, role: name.toLowerCase(), system_prompt: `I am ${name}.` });
    return answers;
}

export const make = async (server, topic, mode, names, more = {}) =>
    (
        await server.must(201, 'POST', '/api/discussions', {
            topic,
            mode,
            participants: names.map((name, order) =>
                name === 'user'
                    ? { role: 'user', sequence_order: order }
                    : { agentName: name, role: name.toLowerCase(), sequence_order: order },
            ),
            ...more,
        })
    ).discussion;
export const show = (server, of) => server.must(200, 'GET', `/api/discussions/${of}`);
export const speak = (server, of, message) => server.api('POST', `/api/discussions/${of}`, { message, userId: 'paula' });
export const over = (server, of) =>
    until(async () => {
        const shown = await show(server, of);
        return shown.discussion.status !== 'active' && shown;
    }, 'it has ended');
