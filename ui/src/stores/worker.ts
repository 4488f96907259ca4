// The service worker keeps the pages for when there is no network.
interface Policies {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

export function registerWorker(): void {
    if (!('serviceWorker' in navigator)) return;
    // The page's policy lets no text become a script's address but this one.
    const trusted = (window as { trustedTypes?: Policies }).trustedTypes;
    const policy = trusted?.createPolicy('witan', { createScriptURL: (url) => (url === '/sw.js' ? url : '') });
    const address = policy ? policy.createScriptURL('/sw.js') : '/sw.js';
    navigator.serviceWorker.register(address as string, { type: 'module' }).catch(() => {});
}
