// Every page, said once: its path, its name, where it is found, which component shows it. The router, what is loaded (loads.ts), the frame,
// the palette and the server's own list (the build writes pages.json) are made of this.
import type { IconName } from '../parts/icons.ts';
import { t } from '../text/en.ts';

/** A component of this folder that is loaded when somebody goes there; '': it comes with the first visit. */
type Shown = string;

export interface Page {
    /** What the browser's tab says, and whatever leads here. */
    name: string;
    /** For the rail, if that is too long there on a phone. */
    short?: string;
    /** The page without an id. */
    all?: Shown;
    /** The page of one thing. */
    one?: Shown;
    /** What leads here has this sign; without one nothing does. */
    icon?: IconName;
    /** Where, beside the palette: in the rail, also on a phone; in the rail, and on a phone under More; at the rail's end, and under More. */
    at?: 'phone' | 'rail' | 'end';
    /** The letter that leads here, after a g. */
    key?: string;
    /** It stands alone, without the frame. */
    bare?: true;
    /** To whoever is not logged in, too. */
    open?: true;
}

export const pages: Record<string, Page> = {
    inbox: { name: t.nav.inbox, all: '', one: '', icon: 'inbox', at: 'phone', key: 'i' },
    approvals: { name: t.nav.approvals, all: 'Approvals', icon: 'shield', at: 'rail', key: 'a' },
    chat: { name: t.nav.chat, all: 'Chat', icon: 'chat', at: 'phone', key: 'c' },
    discussions: { name: t.nav.discussions, short: t.nav.discussionsShort, all: 'Discussions', one: 'Discussion', icon: 'discuss', at: 'phone', key: 'd' },
    jobs: { name: t.nav.jobs, all: 'Jobs', one: 'Job', icon: 'jobs', at: 'phone', key: 'j' },
    projects: { name: t.nav.projects, all: 'Projects', one: 'Project', icon: 'folder', at: 'rail', key: 'p' },
    notifications: { name: t.nav.notifications, short: t.nav.notificationsShort, all: 'Notifications', icon: 'bell', at: 'rail', key: 'n' },
    analytics: { name: t.nav.analytics, all: 'Analytics', icon: 'chart', at: 'rail', key: 'y' },
    settings: { name: t.nav.settings, all: 'Settings', one: 'Settings', icon: 'sliders', at: 'end', key: 's' },
    audit: { name: t.nav.audit, all: 'Audit', icon: 'lock', at: 'end' },
    welcome: { name: t.welcome.page, all: 'Welcome', icon: 'mark', bare: true },
    more: { name: t.nav.more, all: 'More' },
    account: { name: t.login.makeTitle, all: 'Account', bare: true, open: true },
    login: { name: t.login.title, all: '', open: true },
    q: { name: t.product, one: '', open: true },
};

/** What is shown at a place; undefined: there is no such page. */
export const shownAt = (page: string, id?: string): Shown | undefined => pages[page]?.[id ? 'one' : 'all'];
