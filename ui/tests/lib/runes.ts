// Lets node import the stores as a browser would get them: runes are compiled, and svelte is its browser's half. Every page that
// a test opens has modules of its own: what a module keeps (a session, a stream, a list) ends with its page.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileModule } from 'svelte/compiler';

const ours = new URL('../../src/', import.meta.url).href;
const compiled = new Map<string, string>();
let page = 0;

/** From here on, imports of the pages' modules give new ones. */
export const nextPage = (): number => ++page;

function compile(file: string): string {
    const known = compiled.get(file);
    if (known !== undefined) return known;
    const plain = stripTypeScriptTypes(readFileSync(file, 'utf8'));
    const { js } = compileModule(plain, { filename: file, generate: 'client', dev: false });
    compiled.set(file, js.code);
    return js.code;
}

const runes = /\.svelte\.ts$/;

registerHooks({
    resolve(specifier, context, next) {
        const found = next(specifier, { ...context, conditions: [...(context.conditions ?? []), 'browser'] });
        if (!found.url.startsWith(ours)) return found;
        // What a page's module imports belongs to the same page, however late it is imported.
        const from = context.parentURL?.startsWith(ours) ? new URL(context.parentURL).search : page > 0 ? `?page=${page}` : '';
        return { ...found, url: new URL(found.url).href.replace(/\?.*$/, '') + from };
    },
    load(url, context, next) {
        const path = url.replace(/\?.*$/, '');
        if (!path.startsWith('file:') || !runes.test(path)) return next(url, context);
        return { format: 'module', source: compile(fileURLToPath(path)), shortCircuit: true };
    },
});
