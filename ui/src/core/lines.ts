// The lines of a long log that are here, and where each stands on the screen. Lines are kept in chunks by their number, with
// what is shown of each chunk and how high that is: a line is taken in without a look at the others, and the place of a line,
// or the line at a place, is found by going over some hundred chunks, however many lines there are.
import type { Log } from './api.gen.ts';

export type Line = Log;

const size = 256; // lines of a chunk

interface Chunk {
    key: number;
    lines: Line[]; // by their number
    shown: Line[]; // those that pass
    heights: number[]; // of those
    height: number;
    sifted: boolean; // whether it is known which pass
}

/** What is on the screen: its lines, where the first begins, and how many are shown before it. */
export interface Piece {
    lines: Line[];
    top: number;
    index: number;
}

const everything = () => true;

/** Where a line of this number is among those, or would be. */
function place(lines: Line[], seq: number): number {
    if (lines.length === 0 || lines[lines.length - 1]!.seq < seq) return lines.length;
    let [from, to] = [0, lines.length];
    while (from < to) {
        const middle = (from + to) >> 1;
        if (lines[middle]!.seq < seq) from = middle + 1;
        else to = middle;
    }
    return from;
}

export class Lines {
    #chunks: Chunk[] = [];
    #passes: (line: Line) => boolean = everything;
    #guess: (line: Line) => number = () => 1;
    readonly #absent = new Set<number>(); // numbers that the server has no line for
    #unsifted = 0; // behind this chunk all are sifted
    /** How many lines are here. */
    count = 0;
    /** How many letters they have. */
    letters = 0;
    /** How many lines are shown, and how high they are together. */
    rows = 0;
    height = 0;
    /** The levels of all lines that were ever here. */
    readonly levels = new Set<Line['level']>();
    /** How many lines were looked at; for tests. */
    looked = 0;

    get first(): number {
        return this.#chunks[0]?.lines[0]?.seq ?? 0;
    }

    get last(): number {
        return this.#chunks.at(-1)?.lines.at(-1)?.seq ?? 0;
    }

    /** Takes a line in; false when it was here. */
    add(line: Line): boolean {
        const chunk = this.#chunkOf(line.seq);
        const at = place(chunk.lines, line.seq);
        if (chunk.lines[at]?.seq === line.seq) return false;
        if (at === chunk.lines.length) chunk.lines.push(line);
        else chunk.lines.splice(at, 0, line);
        this.count += 1;
        this.levels.add(line.level);
        this.letters += line.message.length;
        this.looked += 1;
        if (chunk.sifted && this.#passes(line)) this.#show(chunk, line);
        return true;
    }

    #chunkOf(seq: number): Chunk {
        const key = Math.floor(seq / size);
        let at = this.#chunks.length;
        while (at > 0 && this.#chunks[at - 1]!.key > key) at -= 1;
        const found = this.#chunks[at - 1];
        if (found?.key === key) return found;
        const made: Chunk = { key, lines: [], shown: [], heights: [], height: 0, sifted: true };
        this.#chunks.splice(at, 0, made);
        if (at < this.#unsifted) this.#unsifted += 1;
        return made;
    }

    #show(chunk: Chunk, line: Line): void {
        const height = this.#guess(line);
        const at = place(chunk.shown, line.seq);
        chunk.shown.splice(at, 0, line);
        chunk.heights.splice(at, 0, height);
        chunk.height += height;
        this.height += height;
        this.rows += 1;
    }

    #drop(chunk: Chunk): void {
        this.count -= chunk.lines.length;
        this.rows -= chunk.shown.length;
        this.height -= chunk.height;
        for (const line of chunk.lines) this.letters -= line.message.length;
    }

    /** Lets go of a chunk at one of the ends, unless it is the only one. */
    shed(end: 'oldest' | 'newest'): boolean {
        if (this.#chunks.length < 2) return false;
        this.#drop(end === 'oldest' ? this.#chunks.shift()! : this.#chunks.pop()!);
        if (end === 'oldest' && this.#unsifted > 0) this.#unsifted -= 1;
        return true;
    }

    clear(): void {
        this.#chunks = [];
        this.#absent.clear();
        this.count = this.letters = this.rows = this.height = this.#unsifted = 0;
    }

    /** The first numbers between first and last for which there is no line: those behind `after` and before `before`. */
    gap(): { after: number; before: number } | undefined {
        if (this.count === 0 || this.count + this.#absentHere() === this.last - this.first + 1) return undefined;
        let before = this.first - 1;
        for (const chunk of this.#chunks) {
            for (const { seq } of chunk.lines) {
                while (this.#absent.has(before + 1)) before += 1;
                if (seq > before + 1) return { after: before, before: seq };
                before = seq;
            }
        }
        return undefined;
    }

    #absentHere(): number {
        if (this.#absent.size === 0) return 0;
        const [first, last] = [this.first, this.last];
        let n = 0;
        for (const seq of this.#absent) if (seq > first && seq < last) n += 1;
        return n;
    }

    /** The server was asked for these numbers and has none but those that are here. */
    without(from: number, to: number): void {
        for (let seq = from; seq <= to; seq++) if (!this.get(seq)) this.#absent.add(seq);
    }

    get(seq: number): Line | undefined {
        const key = Math.floor(seq / size);
        const chunk = this.#chunks.find((one) => one.key === key);
        const line = chunk?.lines[place(chunk.lines, seq)];
        return line?.seq === seq ? line : undefined;
    }

    /** Only lines that pass are shown from now on. Nothing is, until it has been sifted. */
    filter(passes: (line: Line) => boolean): void {
        this.#passes = passes;
        this.#unsifted = this.#chunks.length;
        this.rows = this.height = 0;
        for (const chunk of this.#chunks) {
            chunk.sifted = false;
            chunk.shown = [];
            chunk.heights = [];
            chunk.height = 0;
        }
    }

    /** Looks at some lines, the newest first, whether they pass. True while there are more to look at. */
    sift(many: number): boolean {
        for (let at = Math.min(this.#unsifted, this.#chunks.length) - 1, left = many; at >= 0 && left > 0; at--) {
            const chunk = this.#chunks[at]!;
            this.#unsifted = at;
            if (chunk.sifted) continue;
            chunk.sifted = true;
            left -= chunk.lines.length;
            this.looked += chunk.lines.length;
            for (const line of chunk.lines) if (this.#passes(line)) this.#show(chunk, line);
        }
        return this.#unsifted > 0 && this.#chunks.length > 0;
    }

    /** How high a line will be, as far as can be told before it is drawn; what was measured before is forgotten. */
    guess(height: (line: Line) => number): void {
        this.#guess = height;
        this.height = 0;
        for (const chunk of this.#chunks) {
            chunk.heights = chunk.shown.map(height);
            chunk.height = chunk.heights.reduce((sum, one) => sum + one, 0);
            this.height += chunk.height;
        }
    }

    /** A line was drawn and is so high. True when it was thought to be otherwise. */
    measured(seq: number, height: number): boolean {
        const key = Math.floor(seq / size);
        const chunk = this.#chunks.find((one) => one.key === key);
        const at = chunk ? place(chunk.shown, seq) : -1;
        if (!chunk || chunk.shown[at]?.seq !== seq) return false;
        const more = height - chunk.heights[at]!;
        if (Math.abs(more) < 0.5) return false;
        chunk.heights[at] = height;
        chunk.height += more;
        this.height += more;
        return true;
    }

    /** Where a line stands, or would. */
    top(seq: number): number {
        const key = Math.floor(seq / size);
        let top = 0;
        for (const chunk of this.#chunks) {
            if (chunk.key > key) break;
            if (chunk.key < key) top += chunk.height;
            else for (let i = 0, to = place(chunk.shown, seq); i < to; i++) top += chunk.heights[i]!;
        }
        return top;
    }

    /** What is shown between two places, and no more than `most` lines of it. */
    between(from: number, to: number, most = 400): Piece {
        const piece: Piece = { lines: [], top: 0, index: 0 };
        let top = 0;
        for (const chunk of this.#chunks) {
            if (top + chunk.height <= from) {
                top += chunk.height;
                piece.index += chunk.shown.length;
                piece.top = top;
                continue;
            }
            for (let i = 0; i < chunk.shown.length; i++) {
                if (top >= to || piece.lines.length === most) return piece;
                const end = top + chunk.heights[i]!;
                if (end > from) piece.lines.push(chunk.shown[i]!);
                else {
                    piece.index += 1;
                    piece.top = end;
                }
                top = end;
            }
        }
        return piece;
    }

    /** How many of them there are. */
    many(from: number, to: number): number {
        let count = 0;
        for (const chunk of this.#chunks) {
            if ((chunk.key + 1) * size <= from || chunk.key * size > to) continue;
            count += place(chunk.shown, to + 1) - place(chunk.shown, from);
        }
        return count;
    }

    /** All that are shown, from the one number to the other. */
    *shown(from = 0, to = Infinity): Generator<Line> {
        for (const chunk of this.#chunks) {
            if ((chunk.key + 1) * size <= from || chunk.key * size > to) continue;
            for (const line of chunk.shown) if (line.seq >= from && line.seq <= to) yield line;
        }
    }
}
