// Which page a path is. Small enough to be our own.
export interface Place {
    page: string;
    id?: string;
}

/** Every page by the first part of its path. The tests look at each of these, so a new one is looked at by itself. */
export const pages = ['inbox', 'approvals', 'chat', 'discussions', 'jobs', 'projects', 'notifications', 'analytics', 'settings', 'audit', 'more', 'welcome', 'account', 'login'] as const;

/** Those that show one thing by its id. */
export const pagesOfOne = ['inbox', 'discussions', 'jobs', 'projects', 'settings', 'q'] as const;

/** The page of a path; 'nothing' when there is none. */
export function place(path: string): Place {
    const [page = '', id, ...rest] = path.slice(1).replace(/\/$/, '').split('/');
    const among = (names: readonly string[]) => names.includes(page);
    if (path === '/') return { page: 'inbox' };
    if (rest.length > 0 || !path.startsWith('/')) return { page: 'nothing' };
    if (id) return among(pagesOfOne) ? { page, id: decode(id) } : { page: 'nothing' };
    return id === undefined && among(pages) ? { page } : { page: 'nothing' };
}

function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/** Where to go after a login: only ever a place of ours. */
export function safeNext(next: string | null): string {
    if (!next || !next.startsWith('/') || next.startsWith('//') || next.includes('\\')) return '/inbox';
    return place(next.split(/[?#]/)[0]!).page === 'login' ? '/inbox' : next;
}
