// The colours that programs write for terminals. Text becomes runs of words with a look; what else terminals are told (titles,
// the cursor's place) is dropped. A look names one of six hues, which the page's own tokens give their shade, so that whatever
// a program chose can be read in the light and in the dark, and nothing can be hidden in the colour of its ground.
//
// Read once from left to right, whatever it holds.
export type Hue = 'grey' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

export interface Look {
    fg?: Hue;
    /** The ground; words on it have the page's own colour. */
    bg?: Hue;
    bold?: true;
    dim?: true;
    italic?: true;
    underline?: true;
    strike?: true;
    /** Ground and words change places; only where neither has a hue, else the ground has it already. */
    inverse?: true;
}

export interface Span extends Look {
    text: string;
}

const eight: Array<Hue | undefined> = [undefined, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', undefined];

/** One of the 256 colours, or undefined for what is as good as the page's own. */
function indexed(n: number): Hue | undefined {
    if (!(n >= 0 && n < 256)) return undefined;
    if (n < 16) return n === 8 ? 'grey' : eight[n % 8];
    if (n >= 232) return rgb(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232));
    const step = (i: number) => (i === 0 ? 0 : 55 + 40 * i);
    return rgb(step(Math.floor((n - 16) / 36)), step(Math.floor((n - 16) / 6) % 6), step((n - 16) % 6));
}

function rgb(r: number, g: number, b: number): Hue | undefined {
    const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
    const span = most - least;
    if (most < 40 || span < most * 0.2) return most >= 64 && most <= 190 ? 'grey' : undefined;
    const turn = most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
    const angle = turn * 60;
    if (angle < 22 || angle >= 340) return 'red';
    if (angle < 70) return 'yellow';
    if (angle < 160) return 'green';
    if (angle < 200) return 'cyan';
    return angle < 262 ? 'blue' : 'magenta';
}

type State = Look & { swap?: true };

/** What follows 38 and 48: `5;n` or `2;r;g;b`, also with colons. Gives the hue and how many parameters it took. */
function chosen(params: string[], at: number): { hue: Hue | undefined; took: number } {
    const inner = params[at]!.split(':').slice(1);
    const from = inner.length > 0 ? inner : params.slice(at + 1, at + 5);
    const colon = inner.length > 0;
    const number = (text: string | undefined) => Math.min(255, Number.parseInt(text ?? '', 10) || 0);
    if (from[0] === '5') return { hue: indexed(number(from[1])), took: colon ? 0 : 2 };
    if (from[0] !== '2') return { hue: undefined, took: 0 };
    const three = colon && from.length > 4 ? from.slice(2, 5) : from.slice(1, 4); // colons may name a colour space first
    return { hue: rgb(number(three[0]), number(three[1]), number(three[2])), took: colon ? 0 : 4 };
}

const on: Record<number, keyof State> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 7: 'swap', 9: 'strike', 21: 'underline' };
const off: Record<number, Array<keyof State>> = { 22: ['bold', 'dim'], 23: ['italic'], 24: ['underline'], 27: ['swap'], 29: ['strike'], 39: ['fg'], 49: ['bg'] };

function set(state: State, key: 'fg' | 'bg', hue: Hue | undefined): void {
    if (hue) state[key] = hue;
    else delete state[key];
}

/** The look after one "ESC [ ... m". */
function changed(before: State, codes: string): State {
    let state: State = { ...before };
    const params = codes.split(';');
    for (let at = 0; at < params.length; at++) {
        const code = Number.parseInt(params[at]!, 10) || 0;
        if (code === 0) state = {};
        else if (code === 38 || code === 48) {
            const { hue, took } = chosen(params, at);
            set(state, code === 38 ? 'fg' : 'bg', hue);
            at += took;
        } else if (code >= 30 && code < 38) set(state, 'fg', eight[code - 30]);
        else if (code >= 40 && code < 48) set(state, 'bg', eight[code - 40]);
        else if (code >= 90 && code < 98) set(state, 'fg', indexed(code - 82));
        else if (code >= 100 && code < 108) set(state, 'bg', indexed(code - 92));
        else if (code === 4 && params[at] === '4:0') delete state.underline;
        else if (on[code]) state[on[code] as 'bold'] = true;
        else for (const key of off[code] ?? []) delete state[key];
    }
    return state;
}

function shown({ swap, fg, bg, ...rest }: State): Look {
    const ground = swap ? fg : bg;
    if (ground) return { ...rest, bg: ground };
    if (swap && bg) return { ...rest, fg: bg };
    return { ...rest, ...(swap ? { inverse: true } : fg ? { fg } : {}) };
}

// An escape: a command with parameters, a text for the terminal itself (bounded, or one without an end would take all that follows
// with it), or a single letter.
const escapes = /(?:\u001b\[|\u009b)([0-?]{0,64})[ -/]{0,8}([@-~])|\u001b[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -/]{0,8}[0-~]?|\u009b/g;

const same = (a: Look, b: Look): boolean => (['fg', 'bg', 'bold', 'dim', 'italic', 'underline', 'strike', 'inverse'] as const).every((key) => a[key] === b[key]);

/** Runs of words with their look. Everything that is not an escape is there, in its order. */
export function spans(text: string): Span[] {
    const found: Span[] = [];
    let state: State = {};
    const add = (words: string) => {
        if (!words) return;
        const look = shown(state);
        const last = found.at(-1);
        if (last && same(last, look)) last.text += words;
        else found.push({ ...look, text: words });
    };
    let from = 0;
    for (const match of text.matchAll(escapes)) {
        add(text.slice(from, match.index));
        from = match.index + match[0].length;
        if (match[2] === 'm' && /^[\d;:]*$/.test(match[1]!)) state = changed(state, match[1]!);
    }
    add(text.slice(from));
    return found;
}

const coded = /[\u001b\u009b]/;

/** The words without the escapes. */
export const plain = (text: string): string => (coded.test(text) ? text.replace(escapes, '') : text);

/** Whether there is anything for `spans` to find. */
export const isColoured = (text: string): boolean => coded.test(text);

/**
 * What a terminal shows of a line that was written over: a progress bar's last state, what was not taken back. The colours that were
 * chosen before stay. For logs only: what somebody decides about is shown with all that is in it.
 */
export function settled(text: string): string {
    if (!text.includes('\r') && !text.includes('\b')) return text;
    return text.replaceAll('\r\n', '\n').split('\n').map(lastState).join('\n');
}

function lastState(line: string): string {
    const states = line.split('\r');
    let last = states.length - 1;
    while (last > 0 && plain(states[last]!).trim() === '') last -= 1;
    const codes = states.slice(0, last).flatMap((state) => state.match(escapes) ?? []).join('');
    return codes + takenBack(states[last]!);
}

function takenBack(line: string): string {
    if (!line.includes('\b')) return line;
    const kept: string[] = [];
    for (const letter of line) {
        if (letter === '\b') kept.pop();
        else kept.push(letter);
    }
    return kept.join('');
}
