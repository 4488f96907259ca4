// An agent in a loop of one tool that does nothing, on LangGraph with its in-memory saver: as many conversations at a
// time as told, for so long. Prints how many steps (calls of the model) a second that were.
//
//   node runs.mjs BASE_URL CONVERSATIONS SECONDS
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import http from 'node:http';

const [base, conversations, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const agent = new http.Agent({ keepAlive: true, maxSockets: conversations });
const tools = [
    {
        type: 'function',
        function: {
            name: 'report_progress',
            description: 'Tells people how far you are.',
            parameters: { type: 'object', properties: { step: { type: 'string' } } },
        },
    },
];

// The bare HTTP client of node, which is quicker than fetch.
function ask(messages) {
    const body = JSON.stringify({ model: 'test', stream: true, messages, tools });
    return new Promise((done, failed) => {
        const request = http.request(`${base}/chat/completions`, {
            method: 'POST',
            agent,
            headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
        });
        request.on('error', failed);
        request.on('response', (reply) => {
            let text = '';
            reply.setEncoding('utf8');
            reply.on('data', (part) => (text += part));
            reply.on('end', () => done(read(text)));
        });
        request.end(body);
    });
}

function read(stream) {
    const message = { role: 'assistant', content: '' };
    for (const line of stream.split('\n')) {
        const delta = line.startsWith('data: {') ? JSON.parse(line.slice(6)).choices[0]?.delta : undefined;
        message.content += delta?.content ?? '';
        if (delta?.tool_calls) message.tool_calls = delta.tool_calls.map(({ index: _, ...call }) => call);
    }
    return message;
}

const State = Annotation.Root({
    messages: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
});

let steps = 0;
const graph = new StateGraph(State);
graph.addNode('model', async ({ messages }) => {
    const message = await ask(messages);
    steps++;
    return { messages: [message] };
});
graph.addNode('tools', ({ messages }) => ({
    messages: messages.at(-1).tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Noted.' })),
}));
graph.addEdge(START, 'model').addEdge('tools', 'model');
graph.addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls ? 'tools' : END));
const app = graph.compile({ checkpointer: new MemorySaver() });

let thread = 0;
const begin = performance.now();
const end = begin + seconds * 1000;
const first = [
    { role: 'system', content: 'You are Worker. Do what you are asked to do with the tools that you have.' },
    { role: 'user', content: 'Count to twenty.' },
];

async function work() {
    while (performance.now() < end)
        await app.invoke({ messages: first }, { configurable: { thread_id: `t${thread++}` }, recursionLimit: 200 });
}

await Promise.all(Array.from({ length: conversations }, work));
console.log((steps / ((performance.now() - begin) / 1000)).toFixed(0));
process.exit(0);
