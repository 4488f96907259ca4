// A text as it is shown: what cannot be seen is marked, code has its colours, and what is long comes in pieces, of which the browser
// lays out those that are on the screen.
import { visible, type Part } from './visible.ts';

/** One run of letters: a part, and what it is in its language. */
export interface Segment {
    part: Part;
    tint?: string | undefined;
}

const enough = 8000;
const tooLong = 64_000;

/** Cuts plain parts where the tokens end. Marked parts stay whole. */
export function coloured(parts: Part[], tokens: Array<{ text: string; tint?: string }>): Segment[] {
    const found: Segment[] = [];
    let [token, left] = [0, tokens[0]?.text.length ?? 0];
    const next = () => {
        token += 1;
        left = tokens[token]?.text.length ?? Infinity;
    };
    for (const part of parts) {
        let from = 0;
        while (from < part.text.length) {
            while (left === 0) next();
            const step = Math.min(left, part.text.length - from);
            const tint = tokens[token]?.tint;
            if (part.is === 'text') found.push({ part: { is: 'text', text: part.text.slice(from, from + step) }, tint });
            else if (from === 0) found.push({ part, tint });
            from += step;
            left -= step;
        }
    }
    return found;
}

/** In pieces that begin with a line. Each but the last has lost the line break at its end: it is a block of its own. */
export function inPieces(segments: Segment[]): Segment[][] {
    const pieces: Segment[][] = [];
    let piece: Segment[] = [];
    let size = 0;
    for (const { part, tint } of segments) {
        let from = 0;
        while (part.is === 'text' && size + part.text.length - from > enough) {
            let end = part.text.indexOf('\n', Math.max(from, from + enough - size));
            const whole = end >= 0 && end - from <= tooLong;
            if (!whole && part.text.length - from <= tooLong) break;
            // A line that is too long itself is cut where it must be, but never inside a letter.
            if (!whole) end = from + tooLong - (/[\uD800-\uDBFF]/.test(part.text[from + tooLong - 1]!) ? 1 : 0);
            pieces.push([...piece, { part: { is: 'text', text: part.text.slice(from, end) }, tint }]);
            piece = [];
            size = 0;
            from = whole ? end + 1 : end;
        }
        const rest = from > 0 && part.is === 'text' ? { is: part.is, text: part.text.slice(from) } : part;
        if (rest.text) piece.push({ part: rest, tint });
        size += rest.text.length;
    }
    if (piece.length > 0 || pieces.length === 0) pieces.push(piece);
    return pieces;
}

/** The segments from one letter of the text to another. A marked part belongs to where it begins. */
export function between(segments: Segment[], from: number, to: number): Segment[] {
    const found: Segment[] = [];
    let at = 0;
    for (const { part, tint } of segments) {
        const [begin, end] = [Math.max(from - at, 0), Math.min(to - at, part.text.length)];
        if (part.is !== 'text' && at >= from && at < to) found.push({ part, tint });
        else if (part.is === 'text' && end > begin) found.push({ part: { is: 'text', text: part.text.slice(begin, end) }, tint });
        at += part.text.length;
    }
    return found;
}

export const plainly = (text: string): Segment[] => visible(text, true).map((part) => ({ part }));
