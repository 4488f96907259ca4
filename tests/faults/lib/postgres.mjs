// A PostgreSQL that a test may stop, start and hold up.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// A PostgreSQL of the test's own, which it may stop.
export async function ownPostgres(t) {
    const folder = await mkdtemp(join(tmpdir(), 'witan-faults-'));
    const postgres = {
        folder,
        start: async () => (await run('tests/pg', ['start', folder])).stdout.trim(),
        stop: (mode) => run('tests/pg', ['stop', folder, mode]),
        // To all of its processes: first to the one that would start others.
        signal: async (name) => {
            const main = Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
            process.kill(main, name);
            const { stdout } = await run('pgrep', ['-P', main]);
            for (const pid of stdout.trim().split('\n').map(Number))
                try {
                    process.kill(pid, name);
                } catch (why) {
                    assert.equal(why.code, 'ESRCH'); // it has ended meanwhile
                }
        },
    };
    t.after(async () => {
        await postgres.stop('immediate').catch(() => {});
        await rm(folder, { recursive: true, force: true });
    });
    postgres.url = await postgres.start();
    return postgres;
}
