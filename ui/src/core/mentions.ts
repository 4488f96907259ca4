// Completing @Name while somebody writes. A name is letters and digits of any script, with - and _ inside, as the server reads it.
export interface Mention {
    /** Where the @ stands. */
    from: number;
    /** What has been written of the name. */
    typed: string;
}

const letter = /[\p{L}\p{N}_-]/u;

/** The mention that is being written at the caret; none inside an address or `code`. */
export function mentionAt(text: string, caret: number): Mention | undefined {
    let from = caret;
    while (from > 0 && letter.test(text[from - 1]!)) from--;
    if (text[from - 1] !== '@' || (from > 1 && letter.test(text[from - 2]!))) return undefined;
    const before = text.slice(0, from - 1);
    if ((before.slice(before.lastIndexOf('\n') + 1).match(/`/g)?.length ?? 0) % 2 === 1) return undefined;
    return { from: from - 1, typed: text.slice(from, caret) };
}

const most = 8;

/** Names that fit what was typed: those that begin with it first; as they come, which is the latest speaker first. */
export function fitting(names: string[], typed: string): string[] {
    const wanted = typed.toLowerCase();
    const can = [...new Set(names)].filter((name) => name !== '' && [...name].every((one) => letter.test(one)));
    const begins = can.filter((name) => name.toLowerCase().startsWith(wanted));
    const holds = can.filter((name) => !begins.includes(name) && name.toLowerCase().includes(wanted));
    return [...begins, ...holds].slice(0, most);
}

/** The text with the name put in, and where the caret stands then. */
export function complete(text: string, caret: number, mention: Mention, name: string): { text: string; caret: number } {
    const head = `${text.slice(0, mention.from)}@${name} `;
    return { text: head + text.slice(caret).replace(/^ /, ''), caret: head.length };
}
