// What waits for what in a project: open questions, the tasks that stand still for them, and the tasks that wait for those.
import type { Notification, Task } from './api.gen.ts';
import { t } from '../text/en.ts';

export interface Node {
    id: string;
    set?: Notification;
    task?: Task;
    /** How many tasks can go on only after this. */
    holds: number;
    column: number;
    row: number;
}

export interface Edge {
    from: Node;
    to: Node;
}

export interface Picture {
    nodes: Node[];
    edges: Edge[];
    columns: number;
    rows: number;
    /** Tasks that wait, too, and found no room. */
    left: number;
}

const unfinished = (task: Task) => task.status !== 'closed';

/** The set of questions that a task stands still for. */
export const about = (sets: Notification[], task: Task) => sets.filter((set) => set.source === 'execute' && set.sourceId === task.id);

/** For each task, the unfinished ones that depend on it directly. */
function dependents(tasks: Task[]): Map<string, Task[]> {
    const after = new Map<string, Task[]>();
    for (const task of tasks) if (unfinished(task)) for (const id of task.depends_on) after.set(id, [...(after.get(id) ?? []), task]);
    return after;
}

/** How many unfinished tasks wait for this one, over any number of steps. */
export function waiting(tasks: Task[], id: string, after = dependents(tasks)): number {
    const seen = new Set<string>([id]);
    const next = [id];
    while (next.length > 0)
        for (const task of after.get(next.pop()!) ?? [])
            if (!seen.has(task.id)) {
                seen.add(task.id);
                next.push(task.id);
            }
    return seen.size - 1;
}

/** How many tasks go on when a set is answered: its own, and all that wait for that. None when its task waits for another set, too. */
export function unblocks(tasks: Task[], sets: Notification[], set: Notification): number {
    const own = tasks.find((task) => set.source === 'execute' && set.sourceId === task.id);
    if (!own || !unfinished(own) || about(sets, own).length > 1) return 0;
    return 1 + waiting(tasks, own.id);
}

// The step at which a task can come: one after the last that it waits for.
function steps(tasks: Map<string, Task>, stuck: Set<string>): Map<string, number> {
    const found = new Map<string, number>();
    const step = (task: Task): number => {
        const known = found.get(task.id);
        if (known !== undefined) return known;
        found.set(task.id, 0); // the server refuses circles; a page that is behind must not hang on one
        let last = stuck.has(task.id) ? 1 : 0;
        for (const id of task.depends_on) {
            const before = tasks.get(id);
            if (before) last = Math.max(last, step(before) + 1);
        }
        found.set(task.id, last);
        return last;
    };
    for (const task of tasks.values()) step(task);
    return found;
}

// Each goes beside what it comes from, as far as there is room.
function place(nodes: Node[], edges: Edge[], columns: number): number {
    let rows = 0;
    for (let column = 0; column < columns; column++) {
        const here = nodes.filter((node) => node.column === column);
        const middle = (node: Node) => {
            const from = edges.filter((edge) => edge.to === node).map((edge) => edge.from.row);
            return from.length > 0 ? from.reduce((sum, row) => sum + row, 0) / from.length : Infinity;
        };
        const wanted = new Map(here.map((node) => [node, middle(node)]));
        here.sort((a, b) => (wanted.get(a)! === wanted.get(b)! ? b.holds - a.holds : wanted.get(a)! - wanted.get(b)!));
        let row = 0;
        for (const node of here) {
            const at = wanted.get(node)!;
            node.row = column > 0 && Number.isFinite(at) ? Math.max(row, Math.floor(at)) : row;
            row = node.row + 1;
        }
        rows = Math.max(rows, row);
    }
    return rows;
}

/** The picture of a project: only what waits and what it waits for, at most `most` of them. */
export function picture(tasks: Task[], sets: Notification[], most = 60): Picture {
    const open = new Map(tasks.filter(unfinished).map((task) => [task.id, task]));
    const after = dependents(tasks);
    const asked = sets.filter((set) => set.source === 'execute' && open.has(set.sourceId));
    const stuck = new Set(asked.map((set) => set.sourceId));
    const involved = [...open.values()].filter((task) => stuck.has(task.id) || task.status === 'blocked' || after.has(task.id) || task.depends_on.some((id) => open.has(id)));
    const held = new Map(involved.map((task) => [task.id, waiting(tasks, task.id, after)]));
    involved.sort((a, b) => held.get(b.id)! - held.get(a.id)!);
    const step = steps(new Map(involved.map((task) => [task.id, task])), stuck);
    const shown = involved.slice(0, most);
    const nodes: Node[] = [];
    for (const set of asked) if (shown.some((task) => task.id === set.sourceId)) nodes.push({ id: set.id, set, holds: unblocks(tasks, sets, set), column: 0, row: 0 });
    const least = nodes.length > 0 ? 0 : Math.min(...shown.map((task) => step.get(task.id)!));
    for (const task of shown) nodes.push({ id: task.id, task, holds: held.get(task.id)!, column: step.get(task.id)! - (Number.isFinite(least) ? least : 0), row: 0 });
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const edges: Edge[] = [];
    for (const node of nodes) {
        const to = node.set ? byId.get(node.set.sourceId) : undefined;
        if (to) edges.push({ from: node, to });
        for (const id of node.task?.depends_on ?? []) {
            const from = byId.get(id);
            if (from) edges.push({ from, to: node });
        }
    }
    const columns = nodes.reduce((last, node) => Math.max(last, node.column + 1), 0);
    return { nodes, edges, columns, rows: place(nodes, edges, columns), left: involved.length - shown.length };
}

export interface Option {
    letter: string;
    /** Its first sentence, by which it is known. */
    name: string;
    /** What speaks for and against it. */
    more: string;
}

/** Where the first sentence ends, at a space: behind its last sign, or before what is set apart from it. */
function firstEnd(text: string): number {
    for (const { 0: space, index } of text.matchAll(/\s+/g)) {
        const next = text.slice(index + space.length, index + space.length + 2);
        if (next && (/[.;!?]/.test(text[index - 1] ?? '') || /^(\*\*|[({–—])/.test(next))) return index;
    }
    return -1;
}

function named(letter: string, text: string): Option {
    const end = firstEnd(text);
    const name = end < 0 ? text : text.slice(0, end);
    return { letter, name: name.replace(/[.;]$/, ''), more: end < 0 ? '' : text.slice(end).trim() };
}

/** A question with tradeoffs ("A: … B: …", each on its own line) as its first words and its options; no options when there are none. */
export function tradeoffs(text: string): { ask: string; options: Option[] } {
    const ask: string[] = [];
    const options: Array<{ letter: string; text: string }> = [];
    for (const line of text.split('\n')) {
        const found = /^\s*(?:[-*]\s+)?(?:\*\*)?\(?([A-H])(?:\*\*)?[).:]/.exec(line);
        const words = found ? line.slice(found[0].length).trimStart().replace(/^\*\*/, '').trimStart() : '';
        if (words && found![1]!.charCodeAt(0) === 65 + options.length) options.push({ letter: found![1]!, text: words });
        else if (options.length > 0 && line.trim()) options[options.length - 1]!.text += ` ${line.trim()}`;
        else ask.push(line);
    }
    return options.length > 1 ? { ask: ask.join('\n').trim(), options: options.map(({ letter, text }) => named(letter, text)) } : { ask: text, options: [] };
}

type Settled = Pick<Notification, 'responses' | 'approved' | 'outcome'>;

/** Whether a set stands otherwise than somebody has just settled it, who was first then, and with what. A set is settled once. */
export function settledOtherwise(sent: { responses?: Array<{ questionId: string; answer: string }> | null; approved?: boolean | null }, set: Settled): { by: string; said: string } | undefined {
    const by = set.outcome?.by ?? '';
    for (const { questionId, answer } of sent.responses ?? []) {
        const stored = set.responses.find((one) => one.questionId === questionId);
        if (stored?.answer.trim() !== answer.trim()) return { by: stored?.by ?? by, said: stored?.answer ?? '' };
    }
    if (typeof sent.approved === 'boolean' && set.approved !== sent.approved) return { by, said: set.approved === null ? '' : set.approved ? t.verdict.approved : t.verdict.rejected };
    return undefined;
}
