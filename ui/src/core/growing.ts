// Markdown while it is being written. Blocks that can change no more are read once and stay the same objects, so that nothing is
// drawn twice; only the last one is read anew as it grows, and a very long one only when it has grown by a part of itself, which
// keeps the cost of it all in proportion to its length.
//
// What is not finished is shown as what it is about to become: a mark that is open is closed, an address that is half there is
// left out, signs that only begin a line wait for what follows them.
import { blockAt, linesOf, type Block, type Inline } from './markdown.ts';

const short = 4000; // letters that are read anew each time
const part = 16; // a longer block is read anew when it has grown by this part of it
const near = 400; // letters behind which an open mark is taken for itself

export class Growing {
    readonly #done: Block[] = [];
    #rest = ''; // from where the last block begins, as far as it has been read
    #more = ''; // what came since
    #open: Block[] = [];
    /** How many letters were read; for tests. */
    looked = 0;

    add(text: string): void {
        this.#more += text;
    }

    /** What there is so far; with `whole`, nothing more comes. */
    tree(whole = false): Block[] {
        const length = this.#rest.length + this.#more.length;
        if (whole || length < short || this.#more.length > length / part) this.#look(whole);
        return [...this.#done, ...(this.#more ? longer(this.#open, this.#more) : this.#open)];
    }

    // A block is done when another has begun behind it, on a line that has ended: before that, it may become a part of this one.
    #look(whole: boolean): void {
        const lines = linesOf(this.#rest + this.#more);
        let from = begin(lines, 0);
        while (from < lines.length) {
            const { block, next } = blockAt(lines, from);
            const then = begin(lines, next);
            if (then >= lines.length - 1) break;
            this.#done.push(block);
            from = then;
        }
        const last = lines.slice(from);
        this.#rest = last.join('\n');
        this.#more = '';
        this.looked += this.#rest.length;
        this.#open = all(whole ? last : finished(last));
    }
}

/** The first line from here on that is not empty. */
function begin(lines: string[], from: number): number {
    let at = from;
    while (at < lines.length && lines[at]!.trim() === '') at += 1;
    return at;
}

function all(lines: string[]): Block[] {
    const found: Block[] = [];
    for (let at = begin(lines, 0); at < lines.length; ) {
        const taken = blockAt(lines, at);
        found.push(taken.block);
        at = begin(lines, taken.next);
    }
    return found;
}

const sign = /^\s*(?:#{1,6}|[-*+_]{1,2}|\d{1,9}[.)]?|>|[`~]{1,2})$/;
const fence = /^\s*(?:```|~~~)/;

/** The lines with their last one as it is about to be. */
function finished(lines: string[]): string[] {
    const last = lines.at(-1) ?? '';
    if (lines.filter((line) => fence.test(line)).length % 2 === 1) return lines; // in code
    if (sign.test(last)) return lines.slice(0, -1);
    return [...lines.slice(0, -1), closed(last)];
}

const half = /!?\[([^[\]\n]*)\]\([^)\s]*$/; // a link whose address is not all there

/** A line with its marks closed. */
export function closed(line: string): string {
    const text = line.replace(half, '$1').replace(/(?<=^|[\s*_~(])[*_~`]+$/, '');
    const stack: Array<{ mark: string; at: number }> = [];
    for (let at = 0; at < text.length; ) {
        const mark = markAt(text, at, stack.at(-1)?.mark.startsWith('`') ? stack.at(-1)!.mark : '');
        if (mark) take(stack, mark, text, at);
        at += mark.length || (text[at] === '\\' ? 2 : 1);
    }
    const open = stack.filter(({ at }) => text.length - at <= near).reverse();
    const ends = open.map(({ mark }) => mark).join('');
    // The first half of what closes it may be there already.
    const half1 = /[*~_]$/.exec(text)?.[0];
    return half1 && ends.startsWith(half1 + half1) ? text.slice(0, -1) + ends : text + ends;
}

/** The mark that stands here; within code only what ends it. */
function markAt(text: string, at: number, code: string): string {
    if (text[at] === '`') {
        const run = /^`+/.exec(text.slice(at, at + 20))![0];
        return code && run !== code ? '' : run;
    }
    if (code) return '';
    const two = text.slice(at, at + 2);
    if (two === '**' || two === '__' || two === '~~') return two;
    return text[at] === '*' || text[at] === '_' ? text[at]! : '';
}

function take(stack: Array<{ mark: string; at: number }>, mark: string, text: string, at: number): void {
    const from = stack.findLastIndex((one) => one.mark === mark);
    const blankBefore = at === 0 || /\s/.test(text[at - 1]!);
    if (from >= 0 && !blankBefore) stack.length = from;
    else if (/\S/.test(text[at + mark.length] ?? '') && !(mark[0] === '_' && /\w/.test(text[at - 1] ?? ''))) stack.push({ mark, at });
}

/** The same with some more words at its end, as they are: until it is read again. */
function longer(blocks: Block[], text: string): Block[] {
    const last = blocks.at(-1);
    if (!last) return blocks;
    return [...blocks.slice(0, -1), withMore(last, text)];
}

const words = (of: Inline[], text: string): Inline[] => [...of, { is: 'text', text: text.replaceAll('\n', ' ') }];

function withMore(block: Block, text: string): Block {
    if (block.is === 'p' || block.is === 'h') return { ...block, of: words(block.of, text) };
    if (block.is === 'pre') return { ...block, text: block.text + text };
    if (block.is === 'quote') return { ...block, of: longer(block.of, text) };
    if (block.is === 'list') return { ...block, items: [...block.items.slice(0, -1), longer(block.items.at(-1) ?? [], text)] };
    return block; // a table's cells wait for their row
}
