// Asks for somebody's attention outside the page: notification, badge, favicon.
import { t } from '../text/en.ts';
import { where } from './app.svelte.ts';

export function notify(who: string, what: string, id: string, wanted: boolean): void {
    if (!wanted || document.visibilityState === 'visible' || !('Notification' in window) || Notification.permission !== 'granted') return;
    // Every tab hears of it; the tag makes it one notification.
    const notice = new Notification(t.notice.title(t.by(who)), { body: what.slice(0, 200), tag: id, icon: '/icon.svg' });
    notice.onclick = () => {
        window.focus();
        where.go(`/inbox/${id}`);
    };
}

let shown = -1;

export function setBadge(count: number): void {
    if (count === shown) return;
    shown = count;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = count > 0 ? '/icon-dot.svg' : '/icon.svg';
    const device = navigator as Navigator & { setAppBadge?: (n: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
    void (count > 0 ? device.setAppBadge?.(count) : device.clearAppBadge?.())?.catch(() => {});
}
