// What was told to this person, newest first.
import { sentence } from '../core/api.ts';
import type { Gives } from '../core/op.ts';
import type { EventFamily, Happening } from '../core/live.ts';
import { toasts } from './app.svelte.ts';
import { api, ops, stream } from './server.svelte.ts';

export type Notice = Gives<typeof ops.notification_list>['notifications'][number];

const gather = 120;

class Notifications {
    list = $state<Notice[]>([]);
    unread = $state(0);
    loaded = $state(false);
    failure = $state<unknown>();
    more = $state<string | null>(null);
    #timer: ReturnType<typeof setTimeout> | undefined;
    #shown = false;
    #counts = 0;
    #loads = 0;

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => this.#soon(),
            () => void this.count(),
        );
    }

    #hear(happening: Happening): void {
        if (!happening.type.startsWith('notification.' satisfies EventFamily)) return;
        // One that is further down than what is loaded anew.
        const notice = this.list.find((one) => one.id === happening['id']);
        if (notice && happening.type === 'notification.resolved') notice.resolved = true;
        this.#soon();
    }

    #soon(): void {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.count();
            if (this.#shown) void this.load();
        }, gather);
    }

    // A reply that comes after that of a later call is out of date, here and below.
    async count(): Promise<void> {
        const mine = ++this.#counts;
        const reply = await api.call(ops.notification_pending_count, {}).catch(() => undefined);
        if (reply && mine === this.#counts) this.unread = reply.count;
    }

    /** The page shows them from here on. */
    show(): () => void {
        this.#shown = true;
        void this.load();
        return () => (this.#shown = false);
    }

    async load(): Promise<void> {
        const mine = ++this.#loads;
        try {
            const page = await api.call(ops.notification_list, { query: { limit: 100 } });
            if (mine !== this.#loads) return;
            // What somebody has had shown further down stays there; ids are in the order of time.
            const last = page.notifications.at(-1)?.id ?? '';
            const below = page.nextCursor ? this.list.filter(({ id }) => id < last) : [];
            this.list = [...page.notifications, ...below];
            if (below.length === 0) this.more = page.nextCursor;
            this.loaded = true;
            this.failure = undefined;
        } catch (why) {
            if (mine === this.#loads) this.failure = why;
        }
    }

    async older(): Promise<void> {
        const from = this.more;
        if (!from) return;
        const page = await api.call(ops.notification_list, { query: { limit: 100, cursor: from } });
        if (this.more !== from) return; // the list is another by now, or somebody clicked twice
        this.list = [...this.list, ...page.notifications];
        this.more = page.nextCursor;
    }

    async read(id: string): Promise<void> {
        const notice = this.list.find((one) => one.id === id);
        if (notice) notice.read = true;
        try {
            await api.call(ops.notification_read, { path: { id } });
        } catch (why) {
            if (notice) notice.read = false;
            toasts.say(sentence(why), 'alert');
        }
    }

    async readAll(): Promise<void> {
        await api.call(ops.notification_read_all, { body: {} });
        await this.load();
        await this.count();
    }
}
export const notifications = new Notifications();
