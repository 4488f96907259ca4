// The projects: the list with what is stuck in each, and the one that is being looked at.
import { SvelteMap } from 'svelte/reactivity';
import { Refused } from '../core/api.ts';
import type { Feedback, Notification, Plan, Project, Section, Task } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import type { Happening } from '../core/live.ts';
import { Newest } from '../core/newest.ts';
import type { Takes } from '../core/op.ts';
import { Rounds } from '../core/rounds.ts';
import { api, ops, stream } from './server.svelte.ts';

const gather = 120;
const missing = (why: unknown) => why instanceof Refused && [400, 404, 422].includes(why.status);

export interface Stuck {
    blocked: number;
    questions: number;
}

class Projects {
    list = $state<Project[]>([]);
    loaded = $state(false);
    failure = $state<unknown>();
    readonly stuck = new SvelteMap<string, Stuck>();
    #shown = 0;
    readonly #wanted = new Gather<string>(gather, (ids) => {
        if (ids.some((id) => !this.list.some((project) => project.id === id))) void this.load();
        else for (const id of ids) void this.#count(id);
    });
    #watched = new Set<Work>();
    readonly #newest = new Newest<string>();
    readonly #rounds = new Rounds(() => this.#load());

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => {
                if (this.#shown > 0) void this.load();
                for (const work of this.#watched) void work.load();
            },
        );
    }

    #hear(happening: Happening): void {
        const id = happening['projectId'];
        if (typeof id !== 'string') return;
        for (const work of this.#watched) if (work.id === id) work.hear(happening);
        if (this.#shown > 0 && /^(task|notification)\./.test(happening.type)) this.#wanted.add(id);
    }

    /** A page shows them from here on, with or without what is stuck in them. */
    show(): () => void {
        this.#shown++;
        void this.load();
        return () => this.#shown--;
    }

    load(): Promise<void> {
        return this.#rounds.want();
    }

    async #load(): Promise<void> {
        try {
            this.list = await all();
            this.loaded = true;
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
            return;
        }
        for (const project of this.list) await this.#count(project.id);
    }

    async #count(id: string): Promise<void> {
        const newest = this.#newest.begin();
        try {
            const { tasks } = await api.call(ops.task_list, { path: { id }, query: { status: 'blocked', limit: 200 } });
            const { notifications } = await api.call(ops.open_question_list, { path: { id }, query: { limit: 200 } });
            if (newest(id)) this.stuck.set(id, { blocked: tasks.length, questions: notifications.reduce((sum, set) => sum + unanswered(set), 0) });
        } catch {
            if (newest(id)) this.stuck.delete(id); // it says nothing rather than something wrong
        }
    }

    watch(work: Work): () => void {
        this.#watched.add(work);
        void work.load();
        return () => void this.#watched.delete(work);
    }
}
export const projects = new Projects();

/** All projects of the workspace. */
export async function all(): Promise<Project[]> {
    const found: Project[] = [];
    await api.pages(ops.project_list, { query: { limit: 200 } }, (page) => found.push(...page.projects));
    return found;
}

/** How many questions of a set nobody has answered. */
export const unanswered = (set: Notification) => set.questions.filter((question) => !set.responses.some((answer) => answer.questionId === question.id)).length;

/** One project, as it is worked on. */
export class Work {
    readonly id: string;
    project = $state<Project>();
    gone = $state(false);
    failure = $state<unknown>();
    tasks = $state<Task[]>([]);
    sets = $state<Notification[]>([]);
    feedback = $state<Feedback[]>([]);
    sections = $state<Section[]>([]);
    plans = $state<Plan[]>([]);
    loaded = $state(false);
    readonly #told = new Map<string, Task | undefined>(); // what became of tasks while they were being read; undefined: deleted
    readonly #all = new Rounds((stale) => this.#load(stale));
    readonly #rest = new Rounds((stale) => this.#loadRest(stale));
    readonly #soon = new Gather<string>(gather, () => {
        this.#rest.want().catch((why: unknown) => (this.failure = why));
    });

    constructor(id: string) {
        this.id = id;
    }

    load(): Promise<void> {
        return this.#all.want();
    }

    async #load(stale: () => boolean): Promise<void> {
        const path = { id: this.id };
        try {
            const project = await api.call(ops.project_get, { path });
            if (!stale() || !this.project) this.project = project;
            await this.#loadTasks();
            await this.#rest.want();
            this.loaded = true;
            this.failure = undefined;
        } catch (why) {
            if (missing(why)) this.gone = true;
            else this.failure = why;
        }
    }

    async #loadTasks(): Promise<void> {
        const tasks: Task[] = [];
        this.#told.clear();
        await api.pages(ops.task_list, { path: { id: this.id }, query: { limit: 200 } }, (page) => tasks.push(...page.tasks));
        this.tasks = tasks;
        for (const [id, task] of this.#told) this.#put(id, task);
    }

    async #loadRest(stale: () => boolean): Promise<void> {
        const path = { id: this.id };
        const sets: Notification[] = [];
        await api.pages(ops.open_question_list, { path, query: { limit: 200 } }, (page) => sets.push(...page.notifications));
        if (!stale()) this.sets = sets;
        this.feedback = (await api.call(ops.feedback_list, { path, query: { limit: 50 } })).feedback;
        this.sections = (await api.call(ops.prd_list, { path })).sections;
        this.plans = (await api.call(ops.plan_list, { path })).plans;
    }

    hear(happening: Happening): void {
        const task = String(happening['taskId']);
        if (happening.type === 'task.updated') this.#keep(task, happening as unknown as Task);
        else if (happening.type === 'task.deleted') this.#keep(task);
        else this.#soon.add(happening.type);
    }

    // What was told of is newer than a list that is on its way.
    #keep(id: string, task?: Task): void {
        this.#told.set(id, task);
        this.#put(id, task);
    }

    #put(id: string, task: Task | undefined): void {
        const known = this.tasks.findIndex((one) => one.id === id);
        if (!task) this.tasks = this.tasks.filter((one) => one.id !== id);
        else this.tasks = known < 0 ? [task, ...this.tasks] : this.tasks.with(known, task);
    }

    async update(body: NonNullable<Takes<typeof ops.project_update>['body']>): Promise<void> {
        const project = await api.call(ops.project_update, { path: { id: this.id }, body });
        this.#all.outdate();
        this.project = project;
    }

    async makeTask(body: Takes<typeof ops.task_create>['body']): Promise<Task> {
        const task = await api.call(ops.task_create, { path: { id: this.id }, body });
        this.#keep(task.id, task);
        return task;
    }

    async setTask(tid: string, body: NonNullable<Takes<typeof ops.task_update>['body']>): Promise<void> {
        this.#keep(tid, await api.call(ops.task_update, { path: { id: this.id, tid }, body }));
    }

    async settle(nid: string, body: NonNullable<Takes<typeof ops.open_question_resolve>['body']>): Promise<Notification> {
        const set = await api.call(ops.open_question_resolve, { path: { id: this.id, nid }, body });
        this.#rest.outdate();
        this.sets = set.status === 'open' ? this.sets.map((one) => (one.id === nid ? set : one)) : this.sets.filter((one) => one.id !== nid);
        return set;
    }

    async dismiss(nid: string): Promise<void> {
        await api.call(ops.open_question_dismiss, { path: { id: this.id, nid } });
        this.#rest.outdate();
        this.sets = this.sets.filter((one) => one.id !== nid);
    }

    task(id: string): Task | undefined {
        return this.tasks.find((task) => task.id === id);
    }
}
