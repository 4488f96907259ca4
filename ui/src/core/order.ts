// Orders, lists and numbers for people, without Intl where plain text needs none of it. The first use of any part of Intl
// reads tables for some 13 ms, four times that on a phone, and nothing else happens on the page meanwhile.

/** Texts by their letters: times as the API writes them come out with the earlier first. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const plain = /^[\x20-\x7e]*$/;

/** Things by their names. Names that go beyond plain letters are put in order by the browser, which knows their alphabets. */
export function byName<T>(things: T[], name: (thing: T) => string): T[] {
    if (!things.every((thing) => plain.test(name(thing)))) return things.toSorted((a, b) => name(a).localeCompare(name(b)));
    return things.toSorted((a, b) => inOrder(name(a).toLowerCase(), name(b).toLowerCase()) || inOrder(name(a), name(b)));
}

/** Words in a row: "a", "a or b", "a, b, or c". */
export function inRow(words: string[], last: 'and' | 'or'): string {
    if (words.length < 3) return words.join(` ${last} `);
    return `${words.slice(0, -1).join(', ')}, ${last} ${words.at(-1)}`;
}

/** A number of up to two places with its thousands apart: 40,000, 2.5. */
export function thousands(n: number): string {
    const [whole, rest] = String(Math.round(n * 100) / 100).split('.');
    return whole!.replace(/\B(?=(\d{3})+$)/g, ',') + (rest ? `.${rest}` : '');
}
