// The server, built to report data races, under load of every kind, stopped in the middle of it. Any report
// ends the process with the sanitizer's code, and the test with it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Load, checkLedger } from '../e2e/lib/load.mjs';
import { RawConnection } from '../e2e/lib/raw.mjs';
import { full, start, tempFolder } from '../e2e/lib/server.mjs';
import { connect, listen } from '../e2e/lib/streams.mjs';

const run = promisify(execFile);
const rounds = full ? 12 : 2;

const race = `
#include <pthread.h>
static int counter;
static void *count(void *arg)
{
    for (int i = 0; i < 100000; i++)
        counter++;
    return arg;
}
int main(void)
{
    pthread_t other;
    if (pthread_create(&other, 0, count, 0) != 0)
        return 2;
    count(0);
    return pthread_join(other, 0);
}
`;

test('a planted race is reported', async (t) => {
    const folder = await tempFolder(t);
    await writeFile(join(folder, 'race.c'), race);
    await run('gcc', ['-g', '-O1', '-fsanitize=thread', '-o', join(folder, 'race'), join(folder, 'race.c')]);
    await assert.rejects(
        run(join(folder, 'race')),
        (error) => error.code === 66 && /data race/.test(error.stderr),
    );
});

// Everything that happens to a server at once, until `going` ends it. Replies may be refusals: it is stopping.
function trouble(t, server, ids, state) {
    const host = new URL(server.url).host;
    const loop = async (act) => {
        while (state.going) await act().catch(() => new Promise((wake) => setTimeout(wake, 5)));
    };
    const one = () => ids[Math.floor(Math.random() * ids.length)];
    const get = (path) => server.api('GET', path, undefined, { timeout: 20_000 });
    const briefly = (ms) => new Promise((wake) => setTimeout(wake, ms));
    return [
        loop(() => get(`/api/discussion/${one()}`)),
        loop(() => get('/api/discussion?agent=Builder')),
        loop(() => get('/api/chat?limit=20')),
        loop(() => get('/metrics')),
        loop(() => get('/readyz')),
        loop(() => get('/api/audit?limit=20')),
        loop(() => get(`/api/discussion/${one()}?wait=1`)),
        loop(() => server.answer(one(), `Agent ${Math.random()}`)),
        loop(async () => {
            const prompt = await server.ask({ timeout_minutes: 1 });
            await Promise.all([
                get(`/api/discussion/${prompt.id}?wait=20`),
                server.api('PATCH', `/api/discussion/${prompt.id}`, { action: 'cancel' }),
            ]);
        }),
        loop(() => server.advance(31_000)),
        loop(async () => {
            const connection = new RawConnection(server).send(
                `GET /api/discussion/${one()}?wait=30 HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
            );
            await briefly(20);
            connection.socket.resetAndDestroy();
        }),
        loop(async () => {
            const connection = new RawConnection(server).send(
                `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`,
            );
            await briefly(20);
            connection.close();
        }),
        loop(async () => {
            const reader = await listen(t, server, { query: '?after=0&types=chat.message' });
            await briefly(50);
            reader.close();
        }),
        loop(async () => {
            const socket = await connect(t, server, { query: '?after=0' });
            socket.socket.send('{"type":"ping"}');
            await briefly(50);
            socket.close();
        }),
    ];
}

for (const engine of ['sqlite', 'postgres'])
    test(`no race under load (${engine})`, { timeout: 1_200_000 }, async (t) => {
        const server = await start(t, { engine });
        const readers = [await listen(t, server), await connect(t, server)];
        const ids = (
            await Promise.all(Array.from({ length: 10 }, () => server.ask({ required_responses: 100 })))
        ).map(({ id }) => id);
        for (let round = 0; round < rounds; round++) {
            const state = { going: true };
            t.after(() => (state.going = false));
            const load = new Load(server, 4, { mark: `round ${round} ` });
            t.after(() => load.stop());
            const others = trouble(t, server, ids, state);
            await load.more(full ? 400 : 120);
            // In the middle of everything; stop() checks that it ended with code 0.
            await server.stop();
            state.going = false;
            await Promise.all([load.stop(), ...others]);
            assert.doesNotMatch(server.log, /ThreadSanitizer/);
            await server.restart();
            await checkLedger(load);
        }
        readers.forEach((reader) => reader.close());
        await server.stop();
        assert.doesNotMatch(server.log, /ThreadSanitizer/);
    });
