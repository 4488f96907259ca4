// What a source file is made of, as far as planting faults needs it: its text without comments and literals, and the parts that
// have a name. clang-format lays out all C files, so a function is what stands between a brace at the beginning of a line and the
// next one there; nothing cleverer is needed.

const spaces = (text) => text.replace(/[^\n]/g, ' ');

/** The text with comments, literals and preprocessor lines blanked, so that places in it are places in the original. */
export function maskC(text) {
    const parts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^#(?:\\\n|[^\n])*/gm;
    return text.replace(parts, spaces);
}

/** The same for SQL: comments and texts. */
export const maskSql = (text) => text.replace(/--[^\n]*|'(?:''|[^'])*'/g, spaces);

const nameOf = (heading) => heading.match(/([A-Za-z_]\w*)\s*\(/)?.[1] ?? heading.match(/([A-Za-z_]\w*)(?:\[\w*\])*\s*=\s*$/)?.[1] ?? '?';

/** The functions and tables of a C file: { name, from, to } with the places of their bodies. */
export function partsOfC(text) {
    const masked = maskC(text);
    const parts = [];
    for (const { index } of masked.matchAll(/^\{$|^\S[^\n;]*= \{$/gm)) {
        const open = masked.indexOf('{', index);
        const end = /^\}/gm;
        end.lastIndex = open;
        const to = end.exec(masked)?.index;
        if (to === undefined) continue;
        // The heading begins behind what ended before it: a statement, a body or an empty line.
        const before = masked.slice(0, open);
        const heading = before.slice(Math.max(before.lastIndexOf('\n\n'), before.lastIndexOf('}'), before.lastIndexOf(';')) + 1);
        parts.push({ name: nameOf(heading), from: open, to, table: masked[index] !== '{' });
    }
    return parts;
}

/** The statements of a file of SQL: each begins with its name. */
export function partsOfSql(text) {
    const starts = [...text.matchAll(/^-- name: (\w+).*$/gm)];
    return starts.map((start, i) => ({ name: start[1], from: start.index + start[0].length, to: starts[i + 1]?.index ?? text.length, table: false }));
}

export const isSql = (file) => file.endsWith('.sql');
export const mask = (file, text) => (isSql(file) ? maskSql(text) : maskC(text));
export const parts = (file, text) => (isSql(file) ? partsOfSql(text) : partsOfC(text));

/** The line, counted from 1, on which a place is. */
export const lineAt = (text, place) => text.slice(0, place).split('\n').length;
