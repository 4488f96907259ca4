import './styles/tokens.css';
import './styles/base.css';
import './styles/app.css';
import './styles/start.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { looks, where } from './stores/app.svelte.ts';
import { session } from './stores/server.svelte.ts';
import { registerWorker } from './stores/worker.ts';

looks.apply();
where.start();
const target = document.getElementById('app')!;
target.replaceChildren();
mount(App, { target });
void session.start();
registerWorker();
