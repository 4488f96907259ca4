// Keeps the app's own files, so that it opens without a network. What the server knows is never kept here: what was loaded is kept
// by the page that knows whose it is and until when it was so (core/memory.ts).
interface WorkerEvent extends Event {
    readonly request: Request;
    waitUntil(done: Promise<unknown>): void;
    respondWith(reply: Promise<Response>): void;
}
interface Worker {
    addEventListener(type: 'install' | 'activate' | 'fetch', hear: (event: WorkerEvent) => void): void;
    skipWaiting(): Promise<void>;
    clients: { claim(): Promise<void> };
}
const worker = self as unknown as Worker;
const kept: string[] = JSON.parse('__KEPT__');
const ours = 'witan-';
const name = `${ours}__VERSION__`; // by what the files hold: another build has another name, and never finds the files of this one

// As the server has it now; what has a hash in its name cannot be another.
const asked = (url: string): Request => new Request(url, { cache: url.startsWith('/assets/') ? 'default' : 'no-cache' });

worker.addEventListener('install', (event) => {
    event.waitUntil(
        caches
            .open(name)
            .then((cache) => cache.addAll(kept.map(asked)))
            .then(() => worker.skipWaiting()),
    );
});

worker.addEventListener('activate', (event) => {
    event.waitUntil(
        caches
            .keys()
            .then((names) => Promise.all(names.filter((other) => other.startsWith(ours) && other !== name).map((other) => caches.delete(other))))
            .then(() => worker.clients.claim()),
    );
});

async function page(request: Request): Promise<Response> {
    try {
        return await fetch(request);
    } catch {
        return (await caches.match('/', { cacheName: name })) ?? Response.error();
    }
}

async function file(request: Request): Promise<Response> {
    return (await caches.match(request, { cacheName: name })) ?? fetch(request);
}

worker.addEventListener('fetch', (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/api/')) return;
    // A link with a secret is for the server alone.
    if (request.mode === 'navigate') {
        if (!/^\/q\/[^/]+\/./.test(url.pathname)) event.respondWith(page(request));
    } else if (kept.includes(url.pathname)) event.respondWith(file(request));
});

export {};
