// The client of bench/parts/runs.sh: starts runs over HTTP and watches what becomes of them.
//
//   runs.mjs rate URL RUNS STEPS     steps a second, from the first that is counted to the last
//   runs.mjs pause URL RUNS          starts RUNS that ask a question, and returns when all of them wait
//   runs.mjs resume URL RUNS         answers questions that wait, so that as many runs are resuming at any moment, until its
//                                    standard input ends; says "resuming" when they are, and at the end how many resumed a second
//   runs.mjs burst URL RUNS          answers questions that wait, so that as many runs resume at once; says how many ms that took
const [what, url, count, more] = process.argv.slice(2);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function api(method, path, body) {
    const reply = await fetch(url + path, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
}

// Eight at a time: the server is not to be kept waiting, nor the machine busy with its client.
async function each(items, work) {
    const left = [...items];
    await Promise.all(
        Array.from({ length: 8 }, async () => {
            while (left.length > 0) await work(left.pop());
        }),
    );
}

async function metric(name) {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(text.match(new RegExp(`^${name} (\\d+)`, 'm'))[1]);
}

async function worker() {
    const { agents } = await api('GET', '/api/agents?limit=200');
    if (agents.some(({ name }) => name === 'Worker')) return;
    await api('POST', '/api/agents', { name: 'Worker', role: 'worker', system_prompt: 'You are Worker. Do what you are asked to do.' });
}

const start = () =>
    api('POST', '/api/jobs', { kind: 'agent', agent: 'Worker', input: 'Count to twenty.', budget: { steps: 100 } });

async function rate() {
    const all = Number(count) * (Number(more) + 1);
    let begin, first, now;
    await worker();
    // This program works on the same processors as what it measures: it counts once all are started, and looks seldom.
    await each(Array.from({ length: Number(count) }), start);
    for (;;) {
        now = await metric('witan_run_steps_total');
        if (begin === undefined) [begin, first] = [performance.now(), now];
        if (now >= all) break;
        await pause(50);
    }
    console.log((((now - first) * 1000) / (performance.now() - begin)).toFixed(0));
}

async function paused() {
    await worker();
    const before = await metric('witan_run_steps_total');
    await each(Array.from({ length: Number(count) }), start);
    while ((await metric('witan_run_steps_total')) < before + Number(count)) await pause(100);
}

async function answer(part) {
    const { questions } = await api('GET', `/api/questions/pending?workspaceId=default&limit=${part}`);
    if (questions.length < part) throw new Error('no more runs wait');
    await api('POST', '/api/questions/answer', { answers: questions.map(({ id }) => ({ id, response: { type: 'text', value: 'Go on.' } })) });
}

async function burst() {
    const most = Number(count);
    const part = Math.min(100, most);
    const before = await metric('witan_run_steps_total');
    const began = performance.now();
    for (let answered = 0; answered < most; answered += part) await answer(part);
    while ((await metric('witan_run_steps_total')) - before < most) await pause(20);
    console.log((performance.now() - began).toFixed(0));
}

// The model of the runs asks again whenever it was answered, so that they can be resumed for as long as it takes.
async function resume() {
    const most = Number(count);
    const part = Math.min(100, most);
    const before = await metric('witan_run_steps_total');
    let answered = 0;
    let resumed = 0;
    let ended = false;
    process.stdin.on('end', () => (ended = true)).resume();
    const began = performance.now();
    while (!ended) {
        await answer(part);
        if (answered < most && answered + part >= most) console.log('resuming');
        answered += part;
        while (!ended && answered - resumed > most - part) {
            resumed = (await metric('witan_run_steps_total')) - before;
            if (answered - resumed > most - part) await pause(20);
        }
    }
    console.log(((resumed * 1000) / (performance.now() - began)).toFixed(0));
}

await { rate, pause: paused, resume, burst }[what]();
