// What a row of a list is about: what it is called, and where it is found.
import type { About, EventType } from './api.gen.ts';
import type { EventFamily } from './live.ts';

type Where = (id: string, project: string) => string;

const tab = (name: string): Where => () => `/settings/${name}`;
const places: Record<NonNullable<About['kind']>, Where> = {
    question: (id) => `/inbox/${id}`,
    job: (id) => `/jobs/${id}`,
    discussion: (id) => `/discussions/${id}`,
    prompt: (id) => `/chat?prompt=${id}`,
    chat: (id) => `/chat?message=${id}`,
    project: (id) => `/projects/${id}`,
    task: (id, project) => `/projects/${project}?view=tasks&task=${id}`,
    set: (id, project) => `/projects/${project}?set=${id}`,
    decision: (_, project) => `/projects/${project}`,
    feedback: (_, project) => `/projects/${project}`,
    agent: tab('agents'),
    template: tab('templates'),
    token: tab('tokens'),
    user: tab('people'),
    workspace: tab('workspaces'),
};

// Writes that are too small for a row of the audit log (`no_audit` in src/ops), and what the server says by itself.
const unrecorded: EventType[] = ['presence.changed', 'job.log', 'job.progress', 'notification.read', 'question_draft', 'alert'];

/** Whether there may be a new row in the audit log when this has happened. */
export const recorded = (type: EventType): boolean => !type.startsWith('turn.' satisfies EventFamily) && !unrecorded.includes(type);

/** Where it is found; undefined when it is gone. */
export function placeOfThing(about: About | null): string | undefined {
    return about?.kind && about.id ? places[about.kind](encodeURIComponent(about.id), encodeURIComponent(about.projectId ?? '')) : undefined;
}
