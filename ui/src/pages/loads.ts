// Where the pages are. The inbox comes with the first visit; each of the others when somebody goes there.
import type { Component } from 'svelte';
import type { Place } from '../core/router.ts';
import { t } from '../text/en.ts';

export type Load = () => Promise<{ default: Component<{ id: string }> | Component }>;

export interface Page {
    load: Load;
    /** It stands alone, without the frame. */
    bare?: true;
}

interface Pages {
    /** What the browser's tab says. */
    name: string;
    /** The page without an id. */
    all?: Page;
    /** The page of one thing. */
    one?: Page;
}

export const loads: Record<string, Pages> = {
    inbox: { name: t.nav.inbox },
    login: { name: t.login.title },
    approvals: { name: t.nav.approvals, all: { load: () => import('./Approvals.svelte') } },
    chat: { name: t.nav.chat, all: { load: () => import('./Chat.svelte') } },
    discussions: { name: t.nav.discussions, all: { load: () => import('./Discussions.svelte') }, one: { load: () => import('./Discussion.svelte') } },
    jobs: { name: t.nav.jobs, all: { load: () => import('./Jobs.svelte') }, one: { load: () => import('./Job.svelte') } },
    projects: { name: t.nav.projects, all: { load: () => import('./Projects.svelte') }, one: { load: () => import('./Project.svelte') } },
    notifications: { name: t.nav.notifications, all: { load: () => import('./Notifications.svelte') } },
    analytics: { name: t.nav.analytics, all: { load: () => import('./Analytics.svelte') } },
    settings: { name: t.nav.settings, all: { load: () => import('./Settings.svelte') }, one: { load: () => import('./Settings.svelte') } },
    audit: { name: t.nav.audit, all: { load: () => import('./Audit.svelte') } },
    more: { name: t.nav.more, all: { load: () => import('./More.svelte') } },
    welcome: { name: t.welcome.page, all: { load: () => import('./Welcome.svelte'), bare: true } },
    account: { name: t.login.makeTitle, all: { load: () => import('./Account.svelte'), bare: true } },
};

/** The page at a place; undefined: one that came with the first visit, or none. */
export const pageAt = ({ page, id }: Place): Page | undefined => (id ? loads[page]?.one : loads[page]?.all);
