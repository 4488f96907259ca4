// A terminal with something drawn on it: tmux is the terminal, so that what can be read is what a person would see.
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd, binary, cleanEnv, until } from './server.mjs';

const run = promisify(execFile);
let opened = 0;

export class Screen {
    // A shell, in which the program is `witan`. Closed when the test ends.
    static async open(t, server, { columns = 80, rows = 24, env = {} } = {}) {
        const bin = join(server.folder, 'bin');
        await mkdir(bin, { recursive: true });
        await symlink(binary, join(bin, 'witan')).catch(() => {});
        const screen = new Screen();
        screen.socket = join(server.folder, `tmux-${++opened}`);
        screen.env = cleanEnv(server.folder, { WITAN_URL: server.url, PATH: `${bin}:${process.env.PATH}`, TERM: 'screen', ENV: '', LC_ALL: 'C.UTF-8', ...env });
        await screen.tmux('-f', '/dev/null', 'new-session', '-d', '-x', columns, '-y', rows, '-c', server.folder, "PS1='$ ' exec sh");
        atEnd(t, () => screen.tmux('kill-server'));
        await screen.shows(/\$$/);
        return screen;
    }

    async tmux(...args) {
        const { stdout } = await run('tmux', ['-u', '-S', this.socket, ...args.map(String)], { env: this.env });
        return stdout;
    }

    // As somebody types it; keys by name: Enter, Up, Escape.
    type(text) {
        return this.tmux('send-keys', '-l', text);
    }
    press(...keys) {
        return this.tmux('send-keys', ...keys);
    }
    async enter(line) {
        await this.type(line);
        await this.press('Enter');
    }

    // What stands there now, in lines.
    async read() {
        return (await this.tmux('capture-pane', '-p')).replace(/\n+$/, '');
    }

    async shows(what) {
        let text;
        try {
            await until(async () => what.test((text = await this.read())), `the screen shows ${what}`);
        } catch (error) {
            throw new Error(`${error.message}; it shows:\n${text}`);
        }
        return text;
    }

    resize(columns, rows) {
        return this.tmux('resize-window', '-x', columns, '-y', rows);
    }
}
