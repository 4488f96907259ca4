// Which page a path is. Small enough to be our own.
import { shownAt } from '../pages/list.ts';

export interface Place {
    page: string;
    id?: string;
}

/** The page of a path; 'nothing' when there is none. */
export function place(path: string): Place {
    const [page = '', id, ...rest] = path.slice(1).replace(/\/$/, '').split('/');
    if (path === '/') return { page: 'inbox' };
    if (rest.length > 0 || id === '' || !path.startsWith('/') || shownAt(page, id) === undefined) return { page: 'nothing' };
    return id ? { page, id: decode(id) } : { page };
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
