// Which page a path is. Small enough to be our own.
export interface Place {
    page: string;
    id?: string;
}

const patterns: Array<[RegExp, string]> = [
    [/^\/$/, 'inbox'],
    [/^\/(inbox|jobs|discussions|q)\/([^/]+)\/?$/, ''],
    [/^\/(inbox|approvals|chat|discussions|jobs|notifications|login|account|welcome)\/?$/, ''],
];

/** The page of a path; 'nothing' when there is none. */
export function place(path: string): Place {
    for (const [pattern, page] of patterns) {
        const match = pattern.exec(path);
        if (!match) continue;
        const id = match[2];
        return { page: page || match[1]!, ...(id ? { id: decode(id) } : {}) };
    }
    return { page: 'nothing' };
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
