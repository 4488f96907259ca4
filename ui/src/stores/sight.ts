// What is on screen: which question has been seen long enough for a key to decide it, what lies over the page, and where a
// form begins.
import { graceMs, nameOf, writes, type Sight } from '../core/keymap.ts';
import { everywhere } from './still.svelte.ts';

const awaitMs = 10_000;
const over = 'dialog[open], :popover-open:not([popover=manual]), [aria-modal=true]';
const fields = ':is(input:not([type=hidden], [type=button], [type=submit]), textarea, select):not(:disabled, [readonly])';

/** Something that waits for a decision, and since when it has stood where it stands. */
class Watched {
    readonly element: Element;
    since = Infinity; // nobody has seen it before it is drawn
    #place = '';
    #eye: IntersectionObserver | undefined;
    readonly #size = new ResizeObserver(() => this.look());
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(element: Element) {
        this.element = element;
        this.#size.observe(element);
        requestAnimationFrame(() => this.look());
    }

    /** Its grace time begins anew when it does not stand where it stood. */
    look(): DOMRect {
        const box = this.element.getBoundingClientRect();
        const place = [box.x, box.y, box.width].map(Math.round).join();
        if (place !== this.#place && this.element.isConnected) {
            this.#unsettle();
            this.#place = place;
            this.since = performance.now();
            this.#timer = setTimeout(() => this.element.toggleAttribute('data-settled', true), graceMs);
            this.#guard(box, 1);
        }
        return box;
    }

    // What moves leaves the box that it stands in, or has become smaller within it, and the browser tells of both.
    #guard(box: DOMRect, threshold: number): void {
        const { clientWidth, clientHeight } = document.documentElement;
        const margins = [box.top, clientWidth - box.right, clientHeight - box.bottom, box.left];
        this.#eye?.disconnect();
        let first = true;
        this.#eye = new IntersectionObserver(
            ([entry]) => {
                const part = entry?.intersectionRatio ?? 1;
                if (first && part > 0 && part < threshold) this.#guard(box, part);
                else this.look();
                first = false;
            },
            { rootMargin: margins.map((one) => `${-Math.floor(one)}px`).join(' '), threshold },
        );
        this.#eye.observe(this.element);
    }

    #unsettle(): void {
        clearTimeout(this.#timer);
        this.#eye?.disconnect();
        this.element.removeAttribute('data-settled');
    }

    stop(): void {
        this.#unsettle();
        this.#size.disconnect();
    }
}

class Screen implements Sight {
    readonly #watched = new Map<string, Set<Watched>>();
    #awaitsUntil = -Infinity;
    #early = '';
    #calmSince = -Infinity; // when the page was last uncovered, or looked at again

    /** Something that lies over the page is on its way: whoever types on means that. For a while: it may never come. */
    get awaits(): boolean {
        return performance.now() < this.#awaitsUntil;
    }

    set awaits(does: boolean) {
        this.#awaitsUntil = does ? performance.now() + awaitMs : -Infinity;
    }

    start(): void {
        const anew = () => (this.#calmSince = performance.now());
        const moved = () => this.#watched.forEach((those) => those.forEach((one) => one.look()));
        for (const what of ['focus', 'blur', 'pageshow']) addEventListener(what, (event) => event.target === window && anew());
        document.addEventListener('visibilitychange', anew);
        document.addEventListener('scroll', moved, { capture: true, passive: true });
        addEventListener('resize', moved);
        const turned = (event: Event) => {
            const what = event.target as HTMLElement;
            if (!what.matches('dialog, [popover]:not([popover=manual])')) return;
            anew();
            everywhere.stir();
            if (what.popover && (event as ToggleEvent).newState === 'open' && what.querySelector('form')) begin(what);
        };
        for (const what of ['toggle', 'close']) document.addEventListener(what, turned, true);
    }

    /** Keeps a press for what is on its way. True: it is kept, or of no use there, and the browser is to do nothing. */
    keeps(press: KeyboardEvent): boolean {
        if (!this.awaits || press.ctrlKey || press.metaKey || press.altKey || (press.key.length > 1 && press.key !== 'Enter')) return false;
        if (press.key.length === 1) this.#early += press.key;
        return true;
    }

    /** What was typed since it was asked for: once, for its first field. */
    early(): string {
        const typed = this.#early;
        this.#early = '';
        return typed;
    }

    /** For the element in which something is asked that a key may decide. Of a list, only for the one that keys mean. */
    shows(id: string): (element: Element) => () => void {
        return (element) => {
            const one = new Watched(element);
            const those = this.#watched.get(id) ?? new Set();
            this.#watched.set(id, those.add(one));
            return () => {
                one.stop();
                those.delete(one);
                if (those.size === 0) this.#watched.delete(id);
            };
        };
    }

    /** What will lie over the page is being loaded. */
    comes<P>(part: Promise<P>): Promise<P> {
        this.awaits = true;
        this.#early = '';
        part.catch(() => (this.awaits = false));
        return part;
    }

    covers(): unknown[] {
        const open = [...document.querySelectorAll(over)];
        return open.length === 0 && (this.awaits || /[?&]new=/.test(location.search)) ? ['on its way'] : open;
    }

    since(id: string): number | undefined {
        if (document.visibilityState !== 'visible' || !document.hasFocus()) return undefined;
        const seen = [...(this.#watched.get(id) ?? [])].filter(inSight).map(({ since }) => since);
        return seen.length > 0 ? Math.max(this.#calmSince, Math.min(...seen)) : undefined;
    }
}
export const sight = new Screen();

// In the middle of the part that the window shows of it must be it, and nothing that lies over it.
function inSight(one: Watched): boolean {
    const box = one.look();
    const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
    const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
    if (right - left < 1 || bottom - top < 1) return false;
    return one.element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}

// In its first field; of radio buttons in the one that is chosen. What is there to be read, or has no fields, begins at its heading.
function begin(what: HTMLElement): void {
    const field = what.dataset['reads'] === undefined ? what.querySelector<HTMLInputElement>(fields) : null;
    const chosen = field?.type === 'radio' && what.querySelector<HTMLElement>(`[name="${CSS.escape(field.name)}"]:checked`);
    (chosen || field || what.querySelector<HTMLElement>('h2[tabindex]'))?.focus();
}

/** Opens a dialog. Each is opened by this, so that what is typed at once goes where it is meant to. */
export function present(dialog: HTMLDialogElement | undefined): void {
    sight.awaits = false;
    if (!dialog || dialog.open) return;
    dialog.showModal();
    begin(dialog);
}

/** Ctrl + Enter in a form is its button. True: it was pressed. */
export function submits(event: KeyboardEvent): boolean {
    const form = (event.target as HTMLInputElement).form;
    if (nameOf(event) !== 'Mod+Enter' || !form || event.repeat) return false;
    const button = [...form.elements].find((one): one is HTMLButtonElement => one instanceof HTMLButtonElement && one.type === 'submit');
    button?.click();
    return Boolean(button);
}

/** The heading of what somebody went to has the focus, unless they write. */
export function lead(id: string): void {
    if (!writes(document.activeElement)) document.getElementById(id)?.focus();
}
