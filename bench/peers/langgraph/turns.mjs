// Three agents speak one after the other, for three rounds, on LangGraph with its in-memory saver: as many
// conversations at a time as told, for so long. Prints how many turns a second that were.
//
//   node turns.mjs BASE_URL CONVERSATIONS SECONDS
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import http from 'node:http';

const [base, conversations, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const agent = new http.Agent({ keepAlive: true, maxSockets: conversations });
const names = ['Divergent', 'Convergent', 'Critical'];
const rounds = 3;

// The bare HTTP client of node, which is quicker than fetch.
function ask(speaker, said) {
    const body = JSON.stringify({
        model: 'test',
        stream: true,
        messages: [
            { role: 'system', content: `You are ${speaker}.` },
            { role: 'user', content: said.join('\n') || 'Begin.' },
        ],
    });
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
    let text = '';
    for (const line of stream.split('\n'))
        if (line.startsWith('data: {')) text += JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '';
    return text;
}

const State = Annotation.Root({
    said: Annotation({ reducer: (all, more) => all.concat(more), default: () => [] }),
    round: Annotation({ reducer: (_, now) => now, default: () => 1 }),
});

let turns = 0;
const graph = new StateGraph(State);
names.forEach((name, at) => {
    graph.addNode(name, async ({ said, round }) => {
        const text = await ask(name, said);
        turns++;
        return { said: [`[Round ${round}] ${name}: ${text}`], round: at === 2 ? round + 1 : round };
    });
});
graph.addEdge(START, names[0]).addEdge(names[0], names[1]).addEdge(names[1], names[2]);
graph.addConditionalEdges(names[2], ({ round }) => (round > rounds ? END : names[0]));
const app = graph.compile({ checkpointer: new MemorySaver() });

let thread = 0;
const begin = performance.now();
const end = begin + seconds * 1000;

async function talk() {
    while (performance.now() < end)
        await app.invoke({}, { configurable: { thread_id: `t${thread++}` }, recursionLimit: 100 });
}

await Promise.all(Array.from({ length: conversations }, talk));
console.log((turns / ((performance.now() - begin) / 1000)).toFixed(0));
process.exit(0);
