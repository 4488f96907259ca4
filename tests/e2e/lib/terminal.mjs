// A terminal with a shell in it, as a person has one open: its own pty, its own session.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { atEnd, binary, cleanEnv, until } from './server.mjs';

export class Terminal {
    // The program is `witan` there. Closed when the test ends.
    static async open(t, server, env = {}) {
        const bin = join(server.folder, 'bin');
        await mkdir(bin, { recursive: true });
        await symlink(binary, join(bin, 'witan')).catch(() => {});
        const terminal = new Terminal();
        terminal.shown = '';
        terminal.child = spawn('script', ['-qfec', 'sh', '/dev/null'], {
            cwd: server.folder,
            env: cleanEnv(server.folder, {
                WITAN_URL: server.url,
                PATH: `${bin}:${process.env.PATH}`,
                TERM: 'dumb',
                COLUMNS: '200',
                NO_COLOR: '1',
                ENV: '',
                PS1: '',
                ...env,
            }),
            stdio: ['pipe', 'pipe', 'pipe'],
        });
        terminal.child.stdin.on('error', () => {});
        terminal.child.stdout.on('data', (bytes) => (terminal.shown += bytes));
        terminal.closed = once(terminal.child, 'close');
        atEnd(t, () => terminal.close());
        // Until here the terminal shows what is typed.
        await terminal.run("stty -echo; PS1=''");
        return terminal;
    }

    type(text) {
        this.child.stdin.write(text);
    }

    saw(what) {
        return until(() => this.shown.match(what), `the terminal shows ${what}`);
    }

    // Runs a command line; what it showed, and its exit code.
    async run(line, whileItRuns) {
        this.shown = '';
        // The shell reads all of it before it begins, so that nothing is left for the program to read.
        this.type(`{\n${line}\n}; printf '<%s>\\n' "$?"\n`);
        await whileItRuns?.();
        const [, code] = await this.saw(/<(\d+)>\r?\n/);
        return { code: Number(code), shown: this.shown.replaceAll('\r', '').replace(/<\d+>\n[^]*$/, '') };
    }

    async close() {
        if (this.child.exitCode !== null || this.child.signalCode !== null) return;
        this.child.kill('SIGKILL');
        await this.closed;
    }
}

// What a list on a terminal says: the number of each question, by its text.
export function numbersIn(shown) {
    const rows = [...shown.matchAll(/^(\d+) +([0-9a-f]{8}) +\S+ .* {2}(\S.*)$/gm)];
    assert.ok(rows.length > 0, shown);
    return Object.fromEntries(rows.map(([, number, , text]) => [text.trim(), number]));
}
