// What cannot be seen in a text, or is not what it seems: characters that turn the reading direction, that take no room, blanks that
// push the rest out of sight, letters of another script inside a word. A text becomes parts, plain ones and marked ones, which
// parts/Marked.svelte shows. src/base/visible.c does the same for terminals and for pages without a script;
// tests/fixtures/visible.json holds both to the same words.
//
// `exact` is for what is done as it stands, letter by letter: commands, arguments, code. There unusual blanks, runs of blanks and
// words that are all of look-alikes are marked as well. In what people write for people they are ordinary.
import { calm } from './calm.ts';
import { thousands } from './order.ts';
import { t } from '../text/en.ts';

export type Part =
    | { is: 'text' | 'rtl'; text: string }
    | { is: 'hidden' | 'like'; text: string; code: number; n: number }
    | { is: 'blanks' | 'lines' | 'marks'; text: string; n: number };

const within = (code: number, ranges: number[]): boolean => {
    for (let i = 0; i < ranges.length; i += 2) if (code >= ranges[i]! && code <= ranges[i + 1]!) return true;
    return false;
};

// Nothing of these is seen. Joiners, variation selectors and tags are ordinary in some places (`fits`).
const hidden = [
    0x00, 0x08, 0x0b, 0x1f, 0x7f, 0x9f, 0xad, 0xad, 0x34f, 0x34f, 0x61c, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x200b, 0x200f,
    0x2028, 0x202e, 0x2060, 0x206f, 0x2800, 0x2800, 0x3164, 0x3164, 0xd800, 0xdfff, 0xfe00, 0xfe0f, 0xfeff, 0xfeff, 0xffa0, 0xffa0, 0xfff0, 0xfffb,
    0x1bca0, 0x1bca3, 0x1d173, 0x1d17a, 0xe0000, 0xe0fff,
];
const blanks = [0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000];
const rightToLeft = [0x590, 0x8ff, 0xfb1d, 0xfdff, 0xfe70, 0xfefc, 0x10800, 0x10fff, 0x1e800, 0x1efff];
// Scripts in which letters are joined, or kept apart, by a character that is not seen.
const joining = [0x600, 0x8ff, 0x900, 0xdff, 0xf00, 0x109f, 0x1780, 0x18af, 0xa800, 0xabff, 0xfb50, 0xfdff, 0xfe70, 0xfefc, 0x11000, 0x11fff];
const pictures = [0x203c, 0x203c, 0x2049, 0x2049, 0x2100, 0x2bff, 0x3030, 0x303d, 0x3297, 0x3299, 0xa9, 0xa9, 0xae, 0xae, 0x1f000, 0x1faff];
const han = [0x2e80, 0x9fff, 0xac00, 0xd7ff, 0xf900, 0xfaff, 0x20000, 0x3ffff];
const stacked = [0x300, 0x36f, 0x483, 0x489, 0x1ab0, 0x1aff, 0x1dc0, 0x1dff, 0x20d0, 0x20ff, 0xfe20, 0xfe2f];
// Signs that look like one that a shell knows.
const signs = [0x1c0, 0x1c0, 0x1c3, 0x1c3, 0x37e, 0x37e, 0x589, 0x589, 0x2010, 0x2011, 0x2024, 0x2024, 0x2044, 0x2044, 0x2212, 0x2212, 0x2215, 0x2217, 0x2223, 0x2223, 0x2236, 0x2236, 0xa789, 0xa789, 0xfe50, 0xfe6b];

const latin = [0x41, 0x5a, 0x61, 0x7a, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x1bf, 0x1c4, 0x24f, 0x1e00, 0x1eff, 0x2c60, 0x2c7f, 0xa720, 0xa788, 0xa78b, 0xa7ff];
const neutral = [0x30, 0x39, 0x5f, 0x5f, 0x300, 0x36f];
const otherScripts = [0x250, 0x2af, 0x370, 0x37d, 0x37f, 0x52f, 0x531, 0x588, 0x13a0, 0x13ff, 0x1c80, 0x1c8f, 0x1f00, 0x1fff, 0x2160, 0x2188, 0x2de0, 0x2dff, 0xa640, 0xa69f, 0xab70, 0xabbf, 0x1d400, 0x1d7ff];
const fullwidth = [0xff21, 0xff3a, 0xff41, 0xff5a];
const alwaysAlike = [0x13a0, 0x13ff, 0x2160, 0x2188, 0x1d400, 0x1d7ff];
// IPA, Greek, Cyrillic, Armenian.
const alike = new Set('ɑɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχϲϳͿϹАВЕЗКМНОРСТУХаеорсухѕіјЅІЈһԁԛԜԝԚӏӀүҮѴѵԌցզհոսօՍՕ');

/** 0: no part of a word; then digits and the like, Latin letters, letters that look like Latin ones, letters that do not. */
function classOf(code: number): 0 | 1 | 2 | 3 | 4 {
    if (within(code, latin)) return 2;
    if (within(code, neutral)) return 1;
    if (within(code, fullwidth)) return 3;
    if (!within(code, otherScripts)) return 0;
    return within(code, alwaysAlike) || alike.has(String.fromCodePoint(code)) ? 3 : 4;
}

const mostBlanks = 8;
const mostIndent = 40;
const mostTabs = 10;
const mostEmptyLines = 3;
const mostMarks = 6;
const nearWord = 3;

/** A text in parts, in their order. Together they hold all of it. */
export function visible(text: string, exact = false): Part[] {
    if (text === '') return [];
    if (calm(text, exact)) return [{ is: 'text', text }];
    return new Reader(text, exact).read();
}

class Reader {
    readonly #text: string;
    readonly #exact: boolean;
    readonly #han: boolean;
    readonly #rtl: boolean;
    readonly #parts: Part[] = [];
    #at = 0;
    #plainFrom = 0;
    #before = 0; // the character before
    #indent = true; // nothing but blanks in this line so far
    #wordEnd = 0;
    #marksWord = false;
    #clearWordEnd = -Infinity;

    constructor(text: string, exact: boolean) {
        this.#text = text;
        this.#exact = exact;
        this.#han = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]/.test(text);
        this.#rtl = /[\u05d0-\u061b\u061d-\u07ff\u08a0-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
    }

    read(): Part[] {
        while (this.#at < this.#text.length) {
            const part = this.#special();
            if (!part) {
                this.#step(this.#size(this.#code(this.#at)));
                continue;
            }
            this.#flush();
            this.#parts.push(part);
            this.#step(part.text.length);
            this.#plainFrom = this.#at;
        }
        this.#flush();
        return this.#parts;
    }

    #code(at: number): number {
        return this.#text.codePointAt(at) ?? -1;
    }

    #size(code: number): number {
        return code > 0xffff ? 2 : 1;
    }

    #flush(): void {
        if (this.#at > this.#plainFrom) this.#parts.push({ is: 'text', text: this.#text.slice(this.#plainFrom, this.#at) });
    }

    #step(units: number): void {
        const end = this.#at + units;
        const last = this.#text.charCodeAt(end - 1);
        const pair = last >= 0xdc00 && last <= 0xdfff && end >= 2;
        this.#before = pair ? this.#code(end - 2) : last;
        this.#indent = this.#before === 0x0a || (this.#indent && /^[ \t]*$/.test(this.#text.slice(this.#at, end)));
        this.#at = end;
    }

    /** Where a run of one character ends. */
    #runEnd(code: number, at = this.#at): number {
        while (this.#code(at) === code) at += this.#size(code);
        return at;
    }

    #run(code: number): Part {
        const text = this.#text.slice(this.#at, this.#runEnd(code));
        return { is: 'hidden', text, code, n: text.length / this.#size(code) };
    }

    #endsLine(at: number): boolean {
        return at >= this.#text.length || this.#text[at] === '\n' || this.#text.startsWith('\r\n', at);
    }

    #special(): Part | undefined {
        const code = this.#code(this.#at);
        if (code === 0x0a) return this.#lines();
        if (code === 0x20) return this.#blanks();
        if (code === 0x09) return this.#tabs();
        if (code > 0x20 && code < 0x7f) return void this.#word(code);
        if (code === 0x1f3f4 && this.#flag()) return undefined;
        if (within(code, hidden)) return this.#fits(code) ? undefined : this.#run(code);
        if (within(code, blanks)) return this.#exact || this.#runEnd(code) - this.#at > mostBlanks ? this.#run(code) : undefined;
        if (within(code, stacked)) return this.#marks();
        const like: Part = { is: 'like', text: String.fromCodePoint(code), code, n: 1 };
        if (this.#exact && (within(code, signs) || (!this.#han && code > 0xff00 && code < 0xff5f))) return like;
        if (this.#word(code)) return like;
        return this.#exact && within(code, rightToLeft) ? this.#backwards() : undefined;
    }

    #lines(): Part | undefined {
        let [at, n] = [this.#at + 1, 0];
        for (let to = at; ; at = to, n++) {
            while (this.#text[to] === ' ' || this.#text[to] === '\t' || this.#text[to] === '\r') to++;
            if (this.#text[to] !== '\n') break;
            to++;
        }
        return n > mostEmptyLines ? { is: 'lines', text: this.#text.slice(this.#at, at), n } : undefined;
    }

    #blanks(): Part | undefined {
        const text = this.#text.slice(this.#at, this.#runEnd(0x20));
        const n = text.length;
        const most = !this.#exact || this.#indent ? mostIndent : mostBlanks;
        if (n > most || (this.#exact && this.#endsLine(this.#at + n))) return { is: 'blanks', text, n };
        this.#step(n - 1); // what is left of it is no longer looked at
        return undefined;
    }

    #tabs(): Part | undefined {
        const end = this.#runEnd(0x09);
        const ordinary = this.#indent && end - this.#at <= mostTabs && !this.#endsLine(end);
        if (this.#exact && !ordinary) return this.#run(0x09);
        this.#step(end - this.#at - 1);
        return undefined;
    }

    /** The flag of a part of a country: a black flag, letters that are not seen, and their end. */
    #flag(): boolean {
        let at = this.#at + 2;
        for (let n = 0; n < 7; n++, at += 2) {
            const code = this.#code(at);
            if (code === 0xe007f && n > 1) {
                this.#step(at - this.#at);
                return true;
            }
            if (code < 0xe0030 || code > 0xe007a) return false;
        }
        return false;
    }

    /** Whether something that is not seen is ordinary where it stands. */
    #fits(code: number): boolean {
        const before = this.#before;
        const next = this.#code(this.#at + this.#size(code));
        if (code === 0x0d) return !this.#exact && next === 0x0a;
        if (code === 0x61c || code === 0x200e || code === 0x200f) return !this.#exact && this.#rtl;
        if (code === 0x200b) return !this.#exact && within(before, [0xe00, 0xeff, 0x1000, 0x109f, 0x1780, 0x17ff]);
        if (code === 0x200c || code === 0x200d) {
            if (within(before, joining)) return !this.#exact || within(next, joining);
            return code === 0x200d && (before === 0xfe0f || within(before, pictures)) && within(next, pictures);
        }
        if (code === 0x115f || code === 0x1160) return within(before, [0x1100, 0x11ff]) || within(next, [0x1100, 0x11ff]);
        if (code >= 0x180b && code <= 0x180f) return code !== 0x180e && within(before, [0x1820, 0x18aa]);
        if (code >= 0xfe00 && code <= 0xfe0f) return within(before, pictures) || within(before, han) || within(before, joining) || (next === 0x20e3 && within(before, [0x23, 0x23, 0x2a, 0x2a, 0x30, 0x39]));
        return code >= 0xe0100 && code <= 0xe01ef && within(before, han);
    }

    #marks(): Part | undefined {
        let end = this.#at;
        while (within(this.#code(end), stacked)) end++;
        const n = end - this.#at;
        if (n > mostMarks) return { is: 'marks', text: this.#text.slice(this.#at, end), n };
        this.#word(this.#code(this.#at));
        this.#step(n - 1);
        return undefined;
    }

    // Among Chinese characters wide letters are the ordinary ones.
    #class(code: number): number {
        return this.#han && within(code, fullwidth) ? 1 : classOf(code);
    }

    /** Whether a letter has to be marked for the word that it stands in. */
    #word(code: number): boolean {
        const is = this.#class(code);
        if (is === 0) return false;
        if (this.#at >= this.#wordEnd) this.#beginWord();
        return is === 3 && this.#marksWord;
    }

    #beginWord(): void {
        const { end, counts } = this.#scan(this.#at);
        const [, , latins = 0, alikes = 0, clears = 0] = counts;
        const mixed = latins > 0 && alikes > 0 && clears === 0;
        const masked = this.#exact && latins === 0 && alikes > 1 && clears === 0;
        this.#marksWord = mixed || (masked && this.#at - this.#clearWordEnd > nearWord && !this.#clearFollows(end));
        this.#wordEnd = end;
        if (clears > 0) this.#clearWordEnd = end;
    }

    #scan(at: number): { end: number; counts: number[] } {
        const counts = [0, 0, 0, 0, 0];
        for (let is; at < this.#text.length && (is = this.#class(this.#code(at))) > 0; at += this.#size(this.#code(at))) counts[is]!++;
        return { end: at, counts };
    }

    #clearFollows(at: number): boolean {
        for (let n = 0; n < nearWord && at < this.#text.length; n++, at += this.#size(this.#code(at)))
            if (this.#class(this.#code(at)) > 0) break;
        return this.#scan(at).counts[4]! > 0;
    }

    /** Words that are read from right to left, with single blanks between them: they turn nothing else with them. */
    #backwards(): Part {
        let end = this.#at;
        const letter = (at: number) => within(this.#code(at), rightToLeft) && !within(this.#code(at), hidden);
        while (letter(end) || (this.#code(end) === 0x20 && letter(end + 1))) end += this.#size(this.#code(end));
        return { is: 'rtl', text: this.#text.slice(this.#at, end) };
    }
}

const hex = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** What is shown for a marked part. */
export function label(part: Part): string {
    if (!('n' in part)) return part.text;
    if ('code' in part) return part.n > 1 ? `${hex(part.code)} ×${thousands(part.n)}` : hex(part.code);
    return t.visible[part.is](part.n);
}

/** All of a text in one line of plain text, for names of controls and titles. */
export function flat(text: string, exact = false): string {
    return visible(text, exact)
        .map((part) => {
            if (part.is === 'text' || part.is === 'rtl') return part.text;
            if (part.is === 'lines') return `\n<${label(part)}>\n`;
            return `${part.is === 'like' ? part.text : ''}<${label(part)}>`;
        })
        .join('');
}
