// Very long text in pieces, so that a browser lays out only those that are seen.
const enough = 16_000;
const tooLong = 64_000;

/** Cut at ends of lines; a line that is too long itself is cut where it must be, but never inside a letter. */
export function pieces(text: string): string[] {
    const found: string[] = [];
    let from = 0;
    while (text.length - from > tooLong) {
        const line = text.indexOf('\n', from + enough);
        const whole = line >= 0 && line - from <= tooLong;
        let to = whole ? line : from + tooLong;
        if (!whole && /[\uD800-\uDBFF]/.test(text[to - 1]!)) to--;
        found.push(text.slice(from, to));
        from = whole ? to + 1 : to;
    }
    return [...found, text.slice(from)];
}
