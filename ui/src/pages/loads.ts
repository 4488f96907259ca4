// Where the pages are. The inbox comes with the first visit; each of the others when somebody goes there.
import type { Component } from 'svelte';
import { t } from '../text/en.ts';

export type Load = () => Promise<{ default: Component<{ id: string }> | Component }>;

interface Pages {
    /** What the browser's tab says. */
    name: string;
    /** The page without an id. */
    all?: Load;
    /** The page of one thing. */
    one?: Load;
}

export const loads: Record<string, Pages> = {
    inbox: { name: t.nav.inbox },
    login: { name: t.login.title },
    approvals: { name: t.nav.approvals, all: () => import('./Approvals.svelte') },
    chat: { name: t.nav.chat, all: () => import('./Chat.svelte') },
    discussions: { name: t.nav.discussions, all: () => import('./Discussions.svelte'), one: () => import('./Discussion.svelte') },
    jobs: { name: t.nav.jobs, all: () => import('./Jobs.svelte'), one: () => import('./Job.svelte') },
    projects: { name: t.nav.projects, all: () => import('./Projects.svelte'), one: () => import('./Project.svelte') },
    notifications: { name: t.nav.notifications, all: () => import('./Notifications.svelte') },
    analytics: { name: t.nav.analytics, all: () => import('./Analytics.svelte') },
    settings: { name: t.nav.settings, all: () => import('./Settings.svelte'), one: () => import('./Settings.svelte') },
    audit: { name: t.nav.audit, all: () => import('./Audit.svelte') },
    more: { name: t.nav.more, all: () => import('./More.svelte') },
    welcome: { name: t.welcome.page, all: () => import('./Welcome.svelte') },
    account: { name: t.login.makeTitle, all: () => import('./Account.svelte') },
};
