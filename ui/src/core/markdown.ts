// Reads the markdown that agents write into a tree. No HTML is ever made from it: the tree is shown by a
// component, so what looks like a tag is text, and what looks like an image is its words. Links lead to http,
// https and mailto only.
//
// Whatever was written is read in time that grows as its length does: expressions are anchored and never try a
// place twice, and the end of something is looked for once (Ends), however often it begins.
export type Inline =
    | { is: 'text'; text: string }
    | { is: 'code'; text: string }
    | { is: 'strong' | 'em' | 'del'; of: Inline[] }
    | { is: 'link'; href: string; of: Inline[] }
    | { is: 'break' };

export type Block =
    | { is: 'p'; of: Inline[] }
    | { is: 'h'; depth: number; of: Inline[] }
    | { is: 'pre'; text: string; lang: string }
    | { is: 'quote'; of: Block[] }
    | { is: 'list'; ordered: boolean; start: number; items: Block[][] }
    | { is: 'table'; head: Inline[][]; rows: Inline[][][] }
    | { is: 'rule' };

const deepest = 12;

export function safeLink(href: string): string | undefined {
    const trimmed = href.trim().replace(/[\u0000-\u0020]/g, '');
    return /^(https?:\/\/|mailto:)/i.test(trimmed) ? trimmed : undefined;
}

/** Where things of one text end. Asked from left to right, it goes over the text once for each kind of end. */
class Ends {
    readonly #text: string;
    readonly #found = new Map<string, number>();

    constructor(text: string) {
        this.#text = text;
    }

    /** The first `close` at or behind `from`; -1 if there is none. */
    of(close: string, from: number, escapes = false): number {
        const key = escapes ? `\\${close}` : close;
        let at = this.#found.get(key) ?? -2;
        if (at !== -1 && at < from) {
            at = this.#text.indexOf(close, from);
            while (escapes && at > 0 && this.#text[at - 1] === '\\') at = this.#text.indexOf(close, at + 1);
            this.#found.set(key, at);
        }
        return at;
    }

    /** The same, not escaped. */
    closing(close: string, from: number): number {
        return this.of(close, from, true);
    }
}

const marks: Array<[string, 'strong' | 'em' | 'del']> = [
    ['**', 'strong'],
    ['__', 'strong'],
    ['~~', 'del'],
    ['*', 'em'],
    ['_', 'em'],
];

export function inline(text: string, depth = 0): Inline[] {
    const out: Inline[] = [];
    let plain = '';
    const flush = () => {
        if (plain) out.push({ is: 'text', text: plain });
        plain = '';
    };
    const ends = new Ends(text);
    const signs = /[\\\n`[!*_~]|http/g;
    for (let at = 0; at < text.length; ) {
        signs.lastIndex = at;
        const next = depth < deepest ? (signs.exec(text)?.index ?? text.length) : text.length;
        plain += text.slice(at, next);
        at = next;
        if (at === text.length) break;
        const found = special(text, at, depth, ends);
        if (found) {
            flush();
            out.push(...found.nodes);
            at = found.next;
        } else {
            plain += text[at];
            at += 1;
        }
    }
    flush();
    return out;
}

function special(text: string, at: number, depth: number, ends: Ends): { nodes: Inline[]; next: number } | undefined {
    const rest = text.slice(at, at + 2);
    if (text[at] === '\\' && /[\\`*_{}[\]()#+\-.!~>|]/.test(text[at + 1] ?? '')) return { nodes: [{ is: 'text', text: text[at + 1]! }], next: at + 2 };
    if (text[at] === '\n') return { nodes: [/ {2}$/.test(text.slice(Math.max(0, at - 2), at)) ? { is: 'break' } : { is: 'text', text: ' ' }], next: at + 1 };
    if (text[at] === '`') return code(text, at, ends);
    if (text[at] === '[' || rest === '![') return link(text, at, depth, ends);
    if (text[at] === 'h' && /^https?:\/\//.test(text.slice(at, at + 8)) && !/\w/.test(text[at - 1] ?? '')) return bare(text, at);
    for (const [mark, is] of marks) {
        if (!text.startsWith(mark, at) || /\s/.test(text[at + mark.length] ?? ' ')) continue;
        if (mark[0] === '_' && /\w/.test(text[at - 1] ?? '')) continue;
        const end = ends.closing(mark, at + mark.length + 1);
        if (end < 0 || /\s/.test(text[end - 1]!)) continue;
        if (mark[0] === '_' && /\w/.test(text[end + mark.length] ?? '')) continue;
        return { nodes: [{ is, of: inline(text.slice(at + mark.length, end), depth + 1) }], next: end + mark.length };
    }
    return undefined;
}

function code(text: string, at: number, ends: Ends): { nodes: Inline[]; next: number } | undefined {
    const fence = /^`+/.exec(text.slice(at, at + 20))![0];
    const end = ends.of(fence, at + fence.length);
    if (end < 0) return undefined;
    return { nodes: [{ is: 'code', text: text.slice(at + fence.length, end).replace(/^ (.*) $/, '$1') }], next: end + fence.length };
}

function link(text: string, at: number, depth: number, ends: Ends): { nodes: Inline[]; next: number } | undefined {
    const image = text[at] === '!';
    const open = image ? at + 1 : at;
    const close = ends.closing('](', open);
    const end = close < 0 || close - open > 1000 ? -1 : ends.of(')', close);
    if (end < 0) return undefined;
    const words = text.slice(open + 1, close);
    if (words.includes('\n\n')) return undefined;
    const of = inline(words || text.slice(close + 2, end), depth + 1);
    const href = safeLink(text.slice(close + 2, end).split(/\s/)[0] ?? '');
    return { nodes: href && !image ? [{ is: 'link', href, of }] : of, next: end + 1 };
}

function bare(text: string, at: number): { nodes: Inline[]; next: number } | undefined {
    const match = /^https?:\/\/[^\s<>"'`)\]]+[^\s<>"'`)\].,;:!?]/.exec(text.slice(at, at + 2000));
    if (!match) return undefined;
    return { nodes: [{ is: 'link', href: match[0], of: [{ is: 'text', text: match[0] }] }], next: at + match[0].length };
}

const item = /^(\s{0,3})([-*+]|\d{1,9}[.)])\s+/;
const cells = (line: string) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => inline(cell.trim()));

/** The lines of a text, as blocks are read from. */
export const linesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n');

/** The block that begins with a line, which is not empty, and the line after it. */
export const blockAt = (lines: string[], at: number): { block: Block; next: number } => block(lines, at, 0);

export function blocks(text: string, depth = 0): Block[] {
    const lines = linesOf(text);
    const out: Block[] = [];
    let at = 0;
    while (at < lines.length) {
        const line = lines[at]!;
        if (line.trim() === '') {
            at += 1;
            continue;
        }
        const taken = block(lines, at, depth);
        out.push(taken.block);
        at = taken.next;
    }
    return out;
}

function block(lines: string[], at: number, depth: number): { block: Block; next: number } {
    const line = lines[at]!;
    const fence = /^ {0,3}(```+|~~~+)\s*(\S*)/.exec(line);
    if (fence) return fenced(lines, at, fence[1]!, fence[2] ?? '');
    const head = /^#{1,6}(?=\s)/.exec(line);
    if (head) return { block: { is: 'h', depth: head[0].length, of: inline(title(line.slice(head[0].length))) }, next: at + 1 };
    if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return { block: { is: 'rule' }, next: at + 1 };
    if (depth < deepest && /^ {0,3}>/.test(line)) return quote(lines, at, depth);
    if (depth < deepest && item.test(line)) return list(lines, at, depth);
    if (line.includes('|') && underlines(lines[at + 1] ?? '')) return table(lines, at);
    return paragraph(lines, at);
}

/** Without the spaces around it, and the signs behind it that close a heading. */
function title(text: string): string {
    let end = text.length;
    while (text[end - 1] === '#') end -= 1;
    return text.slice(0, end).trim();
}

/** The line between the head of a table and its rows. */
const underlines = (line: string) => /^[\s|:-]+$/.test(line) && line.includes('-') && line.includes('|');

function fenced(lines: string[], at: number, mark: string, lang: string): { block: Block; next: number } {
    // Only a mark alone ends it, and words behind the one that begins it are not left out.
    const closes = (line: string) => line.startsWith(mark) && /^(`+|~+)$/.test(line);
    const more = lines[at]!.trim().slice(mark.length).trim() !== lang;
    let end = at + 1;
    while (end < lines.length && !closes(lines[end]!.trim())) end += 1;
    return { block: { is: 'pre', lang, text: lines.slice(more ? at : at + 1, end).join('\n') }, next: end + 1 };
}

function quote(lines: string[], at: number, depth: number): { block: Block; next: number } {
    let end = at;
    while (end < lines.length && /^ {0,3}>/.test(lines[end]!)) end += 1;
    const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
    return { block: { is: 'quote', of: blocks(inner.join('\n'), depth + 1) }, next: end };
}

function list(lines: string[], at: number, depth: number): { block: Block; next: number } {
    const first = item.exec(lines[at]!)!;
    const ordered = /\d/.test(first[2]!);
    const items: string[][] = [];
    let end = at;
    for (; end < lines.length; end++) {
        const line = lines[end]!;
        const match = item.exec(line);
        if (match && /\d/.test(match[2]!) === ordered && match[1]!.length <= first[1]!.length + 1) items.push([line.slice(match[0].length)]);
        else if (/^\s{2,}\S/.test(line)) items.at(-1)!.push(line.replace(/^ {2,4}/, ''));
        else if (line.trim() === '' && /^(\s{2,}\S)/.test(lines[end + 1] ?? '')) items.at(-1)!.push('');
        else if (line.trim() === '' && item.test(lines[end + 1] ?? '')) continue;
        else break;
    }
    const start = ordered ? Number.parseInt(first[2]!, 10) : 1;
    return { block: { is: 'list', ordered, start, items: items.map((rows) => blocks(rows.join('\n'), depth + 1)) }, next: end };
}

function table(lines: string[], at: number): { block: Block; next: number } {
    let end = at + 2;
    while (end < lines.length && lines[end]!.includes('|')) end += 1;
    return { block: { is: 'table', head: cells(lines[at]!), rows: lines.slice(at + 2, end).map(cells) }, next: end };
}

function paragraph(lines: string[], at: number): { block: Block; next: number } {
    let end = at + 1;
    while (end < lines.length && lines[end]!.trim() !== '' && !/^ {0,3}(```|~~~|#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s)/.test(lines[end]!)) end += 1;
    return { block: { is: 'p', of: inline(lines.slice(at, end).join('\n')) }, next: end };
}

const flat = (of: Inline[]): string =>
    of.map((one) => (one.is === 'text' || one.is === 'code' ? one.text : one.is === 'break' ? ' ' : flat(one.of))).join('');

/** Where a link leads, when its words do not say so themselves: the host as the browser asks for it, or the address of a mail. */
export function leadsTo(link: { href: string; of: Inline[] }): string {
    const said = flat(link.of).trim().toLowerCase().replace(/^(https?:\/\/|mailto:)/, '');
    try {
        const url = new URL(link.href);
        const place = url.protocol === 'mailto:' ? url.pathname : url.host;
        return said === place.toLowerCase() || (said.startsWith(place) && /[/?#]/.test(said[place.length] ?? '')) ? '' : place;
    } catch {
        return link.href;
    }
}

/** The words without the signs, for one line of a list or a title. */
export function words(text: string): string {
    const from = (all: Block[]): string[] =>
        all.map((one) => {
            if (one.is === 'p' || one.is === 'h') return flat(one.of);
            if (one.is === 'pre') return one.text;
            if (one.is === 'quote') return from(one.of).join(' ');
            if (one.is === 'list') return one.items.flatMap(from).join(' ');
            return one.is === 'table' ? [one.head, ...one.rows].flat().map(flat).join(' ') : '';
        });
    return from(blocks(text.slice(0, 4000))).join(' ').replace(/\s+/g, ' ').trim();
}
