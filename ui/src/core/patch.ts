// Unified diffs, as git and diff write them. Only what is one to its last line is read as one: the lines of each hunk are as many as its
// head says. Anything else is shown as the text that it is, since whoever runs it does not read it as a diff either.
export interface Line {
    is: 'same' | 'del' | 'add';
    text: string;
    old?: number; // its number in the file from before
    new?: number;
}
export interface Hunk {
    head: string;
    lines: Line[];
}
export interface File {
    /** What stands above the first hunk, as it is. */
    head: string[];
    name: string;
    hunks: Hunk[];
}
export interface Patch {
    /** What stands before the first file: the words of a commit. */
    before: string[];
    files: File[];
}

const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const fileHead = /^(?:diff |index |old mode |new mode |deleted file |new file |similarity |dissimilarity |rename |copy |Index: |={20,}|--- |\+\+\+ )/;

/** Whether it is worth a closer look. */
export const mayBePatch = (text: string): boolean => /^@@ -\d/m.test(text) && /^(?:diff |--- |@@ -)/m.test(text.slice(0, 20_000));

export function patch(text: string): Patch | undefined {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const found: Patch = { before: [], files: [] };
    let head: string[] = [];
    for (let at = 0; at < lines.length; ) {
        const line = lines[at]!;
        const match = hunkHead.exec(line);
        if (match) {
            if (head.length > 0 || found.files.length === 0) found.files.push({ head, name: nameOf(head), hunks: [] });
            head = [];
            const taken = hunk(lines, at, match);
            if (!taken) return undefined;
            found.files.at(-1)!.hunks.push(taken.hunk);
            at = taken.next;
        } else if (fileHead.test(line) || /^(?:Binary files |GIT binary patch)/.test(line)) {
            head.push(line);
            at += 1;
        } else if (found.files.length === 0 && head.length === 0) {
            found.before.push(line);
            at += 1;
        } else return undefined;
    }
    // A file that only changes its name or its mode has no hunks.
    if (head.length > 0) found.files.push({ head, name: nameOf(head), hunks: [] });
    return found.files.some((file) => file.hunks.length > 0) ? found : undefined;
}

function hunk(lines: string[], at: number, match: RegExpExecArray): { hunk: Hunk; next: number } | undefined {
    let [oldAt, newAt] = [Number(match[1]), Number(match[3])];
    let [oldLeft, newLeft] = [Number(match[2] ?? 1), Number(match[4] ?? 1)];
    const found: Hunk = { head: lines[at]!, lines: [] };
    let next = at + 1;
    for (; next < lines.length && (oldLeft > 0 || newLeft > 0 || lines[next]!.startsWith('\\')); next++) {
        const [sign, text] = [lines[next]![0] ?? ' ', lines[next]!.slice(1)];
        if (sign === '\\') found.lines.push({ is: 'same', text: lines[next]! });
        else if (sign === '-' && oldLeft-- > 0) found.lines.push({ is: 'del', text, old: oldAt++ });
        else if (sign === '+' && newLeft-- > 0) found.lines.push({ is: 'add', text, new: newAt++ });
        else if (sign === ' ' && oldLeft-- > 0 && newLeft-- > 0) found.lines.push({ is: 'same', text, old: oldAt++, new: newAt++ });
        else return undefined;
    }
    return oldLeft === 0 && newLeft === 0 ? { hunk: found, next } : undefined;
}

function nameOf(head: string[]): string {
    const named = (begin: string) => head.find((line) => line.startsWith(begin))?.slice(begin.length).split('\t')[0];
    const name = [named('+++ '), named('--- ')].find((one) => one && one !== '/dev/null') ?? named('Index: ') ?? / b\/(.+)$/.exec(named('diff ') ?? '')?.[1] ?? '';
    return name.replace(/^[ab]\//, '');
}

export interface Row {
    left?: Line;
    right?: Line;
}

/** Side by side: what went beside what came in its place. */
export function rows(lines: Line[]): Row[] {
    const found: Row[] = [];
    for (let at = 0; at < lines.length; ) {
        if (lines[at]!.is === 'same') {
            found.push({ left: lines[at]!, right: lines[at]! });
            at += 1;
            continue;
        }
        const [gone, come]: [Line[], Line[]] = [[], []];
        for (; at < lines.length && lines[at]!.is !== 'same'; at++) (lines[at]!.is === 'del' ? gone : come).push(lines[at]!);
        for (let i = 0; i < Math.max(gone.length, come.length); i++) found.push({ ...(gone[i] && { left: gone[i]! }), ...(come[i] && { right: come[i]! }) });
    }
    return found;
}

const around = 3;
const worthFolding = 8;

/** The lines in stretches; what has not changed is folded where it is long, but for a few lines around what has. */
export function stretches(lines: Line[]): Array<{ folded: boolean; lines: Line[] }> {
    const found: Array<{ folded: boolean; lines: Line[] }> = [];
    const add = (folded: boolean, those: Line[]) => {
        const last = found.at(-1);
        if (those.length === 0) return;
        if (last && !folded && !last.folded) last.lines.push(...those);
        else found.push({ folded, lines: [...those] });
    };
    for (let from = 0; from < lines.length; ) {
        const is = lines[from]!.is === 'same';
        let to = from;
        while (to < lines.length && (lines[to]!.is === 'same') === is) to++;
        const [first, last] = [from === 0 ? from : from + around, to === lines.length ? to : to - around];
        if (is && last - first >= worthFolding) {
            add(false, lines.slice(from, first));
            add(true, lines.slice(first, last));
            add(false, lines.slice(last, to));
        } else add(false, lines.slice(from, to));
        from = to;
    }
    return found;
}

/** Where two lines differ: how much at their begin and at their end is the same, in whole words. */
export function differs(before: string, after: string): { begin: number; end: number } | undefined {
    const most = Math.min(before.length, after.length);
    let begin = 0;
    while (begin < most && before[begin] === after[begin]) begin++;
    let end = 0;
    while (end < most - begin && before.at(-1 - end) === after.at(-1 - end)) end++;
    while (begin > 0 && /\w/.test(before[begin - 1]!) && /\w/.test((before[begin] ?? '') + (after[begin] ?? ''))) begin--;
    while (end > 0 && /\w/.test(before.at(-end)!)) end--;
    // Lines that have little in common are other lines.
    return begin + end > 0.3 * Math.max(before.length, after.length) ? { begin, end } : undefined;
}
