// A copy of the tree that recipes work on, and what they change in it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

// What npm and pip brought is used where it is; what the build makes, and history, is left behind.
const apart = ['.git', '.node', 'build', 'node_modules', 'ui/dist', 'ui/node_modules'];
const migrations = 'src/db/migrations';

export class Tree {
    #changed = new Set();

    constructor(folder) {
        this.folder = resolve(folder);
        rmSync(this.folder, { recursive: true, force: true });
        mkdirSync(this.folder, { recursive: true });
        for (const name of ['.', 'ui'].flatMap((at) => readdirSync(at).map((one) => join(at, one))))
            if (name !== 'ui' && !apart.includes(name)) cpSync(name, join(this.folder, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
        for (const name of ['node_modules', 'ui/node_modules']) if (existsSync(name)) symlinkSync(resolve(name), join(this.folder, name));
    }

    read(path) {
        return readFileSync(join(this.folder, path), 'utf8');
    }

    #write(path, text) {
        mkdirSync(dirname(join(this.folder, path)), { recursive: true });
        writeFileSync(join(this.folder, path), text);
        this.#changed.add(path);
    }

    add(path, text) {
        assert.ok(!existsSync(join(this.folder, path)), `${path} is there already`);
        this.#write(path, text);
    }

    // Puts text before or behind a place: the first that is so after `from`.
    #put(path, from, place, text, behind) {
        const whole = this.read(path);
        const begin = whole.indexOf(from);
        const found = begin < 0 ? -1 : whole.indexOf(place, begin);
        assert.ok(found >= 0, `${path} has no ${JSON.stringify(begin < 0 ? from : place)}: this recipe is out of date`);
        const at = behind ? found + place.length : found;
        this.#write(path, whole.slice(0, at) + text + whole.slice(at));
    }

    before(path, place, text, from = '') {
        this.#put(path, from, place, text, false);
    }

    after(path, place, text, from = '') {
        this.#put(path, from, place, text, true);
    }

    append(path, text) {
        this.#write(path, this.read(path) + text);
    }

    // The next migration: one text for both databases, or { sqlite, postgres }. Gives back its number.
    migrate(name, text) {
        const last = Math.max(...readdirSync(join(this.folder, migrations)).map((file) => parseInt(file, 10)));
        const number = String(last + 1).padStart(3, '0');
        if (typeof text === 'string') this.add(`${migrations}/${number}_${name}.sql`, text);
        else for (const [engine, its] of Object.entries(text)) this.add(`${migrations}/${number}_${name}.${engine}.sql`, its);
        return number;
    }

    // Runs one recipe; gives back the files it made or changed.
    follow(recipe) {
        this.#changed.clear();
        recipe.change(this);
        return [...this.#changed].sort();
    }

    // In the copy, as in any tree.
    run(command, ...args) {
        execFileSync(command, args, { cwd: this.folder, stdio: 'inherit' });
    }
}
