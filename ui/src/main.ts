import './styles/tokens.css';
import './styles/base.css';
import './styles/app.css';
import './styles/start.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { atLeisure, nextTask } from './core/tasks.ts';
import { loadAt } from './pages/loads.ts';
import { looks, where } from './stores/app.svelte.ts';
import { session } from './stores/server.svelte.ts';
import { sight } from './stores/sight.ts';
import { registerWorker } from './stores/worker.ts';

looks.apply();
where.start();
sight.start();
void loadAt(where.place)?.().catch(() => {}); // beside who is here, not after; what fails is told where it is shown
void session.start();
nextTask(() => {
    const target = document.getElementById('app')!;
    target.replaceChildren();
    mount(App, { target });
});
atLeisure(() => {
    registerWorker();
    void import('./stores/memory.svelte.ts').then(({ remember }) => remember()).catch(() => {});
});
