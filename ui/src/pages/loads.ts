// The pages that are loaded when somebody goes there, by the names of their components. Those that are left out come with the first visit.
import type { Component } from 'svelte';
import type { Place } from '../core/router.ts';
import { shownAt } from './list.ts';

export type Load = () => Promise<{ default: Component<{ id: string }> | Component }>;

const files = import.meta.glob<{ default: Component }>(['./*.svelte', '!./{Ask,Inbox,Login,Nothing}.svelte']);

/** How the page at a place is loaded; undefined: it came with the first visit, or there is none. */
export const loadAt = ({ page, id }: Place): Load | undefined => files[`./${shownAt(page, id)}.svelte`];
