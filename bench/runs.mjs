// The client of bench/parts/runs.sh: starts runs over HTTP and watches what becomes of them.
//
//   runs.mjs rate URL RUNS STEPS     steps a second, from the first that is counted to the last
//   runs.mjs pause URL RUNS          starts RUNS that ask a question, and returns when all of them wait
//   runs.mjs resume URL RUNS         answers as many of the questions that wait, and returns when their runs have ended
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
    await api('POST', '/api/agents', { name: 'Worker', role: 'worker', system_prompt: 'You are Worker. Do what you are asked to do.' });
}

const start = () =>
    api('POST', '/api/jobs', { kind: 'agent', agent: 'Worker', input: 'Count to twenty.', budget: { steps: 100 } });

async function rate() {
    const all = Number(count) * (Number(more) + 1);
    let begin, first, now;
    await worker();
    const started = each(Array.from({ length: Number(count) }), start);
    for (;;) {
        now = await metric('witan_run_steps_total');
        if (now > all / 10 && begin === undefined) [begin, first] = [performance.now(), now];
        if (now >= all) break;
        await pause(20);
    }
    await started;
    console.log((((now - first) * 1000) / (performance.now() - begin)).toFixed(0));
}

async function paused() {
    await worker();
    await each(Array.from({ length: Number(count) }), start);
    while ((await metric('witan_run_steps_total')) < Number(count)) await pause(100);
}

async function resume() {
    const before = await metric('witan_run_steps_total');
    let cursor = '';
    const ids = [];
    while (ids.length < Number(count)) {
        const page = await api('GET', `/api/questions/pending?workspaceId=default&limit=200${cursor}`);
        ids.push(...page.questions.map(({ id }) => id));
        if (!page.nextCursor) break;
        cursor = `&cursor=${page.nextCursor}`;
    }
    const answers = ids.slice(0, Number(count)).map((id) => ({ id, response: { type: 'text', value: 'Go on.' } }));
    for (let at = 0; at < answers.length; at += 100)
        await api('POST', '/api/questions/answer', { answers: answers.slice(at, at + 100) });
    while ((await metric('witan_run_steps_total')) < before + Number(count)) await pause(20);
}

await { rate, pause: paused, resume }[what]();
