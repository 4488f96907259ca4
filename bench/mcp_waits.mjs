// Opens as many tools/call of wait_for_answer as asked, and prints how many KB each takes of the server's memory.
import { readFileSync } from 'node:fs';
import http from 'node:http';

const [url, pid, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const rss = () => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

function post(name, args, held) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
    return new Promise((done, failed) => {
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
        const request = http.request(`${url}/mcp`, { method: 'POST', headers, agent }, (reply) => {
            let text = '';
            if (held) return done();
            reply.on('data', (bytes) => (text += bytes)).on('end', () => done(text));
        });
        request.on('error', failed).end(body);
    });
}

const asked = await post('ask_question', { question: 'Which?', type: 'blocking', responseType: 'text', wait_seconds: 0 });
const id = asked.match(/questionId\W+([0-9a-f-]{36})/)[1];
await pause(500);
const before = rss();
await Promise.all(Array.from({ length: count }, () => post('wait_for_answer', { id }, true)));
await pause(1000);
console.log(((rss() - before) / count).toFixed(2));
process.exit(0);
