// Which key means what, and when it means nothing. What holds for every key of every page stands here, once:
//
// - A key acts for nobody who types, and single keys can be switched off (WCAG 2.1.4).
// - Under an open dialog, sheet or menu only its own keys act, none of the page's.
// - Enter, Space and arrows are the control's that has the focus.
// - A key is taken from the browser only when something was done.
// - A key that decides says which question it decides, and counts only when that has been on screen, settled, for the grace time,
//   and no key without a meaning came just before: whoever types a word decides nothing by one of its letters.
export interface Press {
    key: string;
    ctrlKey: boolean;
    metaKey: boolean;
    altKey: boolean;
    shiftKey: boolean;
    repeat?: boolean;
    isComposing?: boolean;
    target?: unknown;
}

/** How long what a key decides must have been seen before the key counts. */
export const graceMs = 400;
const prefixMs = 1500;

/** The name of a key press: "j", "A" with shift, "Mod+k", "Escape". */
export function nameOf(press: Press): string {
    const mod = press.ctrlKey || press.metaKey ? 'Mod+' : '';
    const alt = press.altKey ? 'Alt+' : '';
    const shift = press.shiftKey && press.key.length > 1 ? 'Shift+' : '';
    return mod + alt + shift + press.key;
}

/** Whether a press would write something where it happens. */
export function writes(target: unknown): boolean {
    const element = target as { tagName?: string; type?: string; isContentEditable?: boolean } | null;
    if (!element?.tagName) return false;
    if (element.isContentEditable) return true;
    if (element.tagName === 'TEXTAREA' || element.tagName === 'SELECT') return true;
    return element.tagName === 'INPUT' && !['checkbox', 'radio', 'button', 'submit'].includes(element.type ?? 'text');
}

const roles = ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'combobox', 'listbox', 'slider', 'spinbutton', 'treeitem', 'gridcell'];
const controls = ['a[href]', 'button', 'summary', 'input', 'select', 'textarea', 'label', 'audio', 'video', 'iframe', ...roles.map((role) => `[role=${role}]`)].join();
const character = /^[^\s]$/u;
const ofControls = /^(Shift\+)?(Enter| |Arrow\w+|Home|End|Page\w+|Tab)$/;

/** Whether a press happens on something that a key presses, opens or moves in. */
export function isControl(target: unknown): boolean {
    const element = target as { closest?: (selectors: string) => unknown } | null;
    return Boolean(element?.closest?.(controls));
}

/** Does what the key means, and says whether anything was done. */
export type Act = () => boolean;
/** A key that decides: what, or nothing at the moment. */
export interface Decision {
    decides: () => string | undefined;
    act: Act;
}
export type Keys = Record<string, Act | Decision>;

/** Where keys belong to. */
export interface Belongs {
    /** The dialog or menu whose keys they are; the page's otherwise. */
    inside?: () => unknown;
    /** Characters that begin a text: true when it was made ready for this one, which is then left to the browser to write. */
    takes?: (character: string) => boolean;
}

/** What is known of the screen. */
export interface Sight {
    /** The dialogs, sheets and menus that lie open over the page. */
    covers(): unknown[];
    /** Since when what is to be decided has been on screen as it is now; undefined: it is not. */
    since(id: string): number | undefined;
}

/** Layers of keys: the one that was added last is asked first, and leaves what it does not do to the next. */
export class Keymap {
    readonly #layers: Array<{ keys: Keys; inside: unknown; takes: Belongs['takes'] }> = [];
    readonly #sight: Sight;
    readonly #now: () => number;
    #prefix = '';
    #prefixAt = 0;
    #strayAt = -Infinity;
    #acting: { decides: string | undefined } | undefined;
    /** Single keys; those with Mod and Escape always work. */
    singles = true;
    /** A key that would have decided came too early, or what it would have decided is not on screen. */
    onearly: (seen: boolean) => void = () => {};

    constructor(sight: Sight, now: () => number = () => performance.now()) {
        this.#sight = sight;
        this.#now = now;
    }

    /** Adds keys and gives back how to take them away. */
    add(keys: Keys, { inside, takes }: Belongs = {}): () => void {
        const layer = { keys, inside, takes };
        this.#layers.push(layer);
        return () => {
            const at = this.#layers.indexOf(layer);
            if (at >= 0) this.#layers.splice(at, 1);
        };
    }

    /** Whether this may be decided now: a key that is being handled decides nothing but what it has said. */
    allows(id: string): boolean {
        return !this.#acting || this.#acting.decides === id;
    }

    /** True: something was done, and the browser is to do nothing. */
    press(press: Press): boolean {
        const name = nameOf(press);
        const single = !name.startsWith('Mod+') && name !== 'Escape';
        if (press.isComposing || press.repeat || (ofControls.test(name) && isControl(press.target))) return false;
        if (single && (!this.singles || writes(press.target))) return this.#stray(name);
        const layers = this.#reach();
        if (character.test(name) && layers.some(({ takes }) => takes?.(name))) return false;
        const prefixed = this.#prefix !== '' && this.#now() - this.#prefixAt < prefixMs ? `${this.#prefix} ${name}` : name;
        this.#prefix = '';
        for (const { keys } of layers) if (Object.hasOwn(keys, prefixed) && this.#do(keys[prefixed]!, single)) return true;
        if (single && layers.some(({ keys }) => Object.keys(keys).some((key) => key.startsWith(`${name} `)))) {
            this.#prefix = name;
            this.#prefixAt = this.#now();
            return false;
        }
        return this.#stray(name);
    }

    // A key that was typed into something, or into nothing.
    #stray(name: string): false {
        if (character.test(name) || name === ' ' || name === 'Enter') this.#strayAt = this.#now();
        return false;
    }

    // Nothing of the page acts below something that lies over it, and of two that lie over it neither.
    #reach(): Array<{ keys: Keys; takes: Belongs['takes'] }> {
        const covers = this.#sight.covers();
        return this.#layers.filter(({ inside }) => (covers.length === 0 ? !inside : covers.length === 1 && typeof inside === 'function' && inside() === covers[0])).reverse();
    }

    #do(key: Act | Decision, single: boolean): boolean {
        if (typeof key === 'function') return this.#run(key, undefined);
        const id = key.decides();
        if (id === undefined) return false;
        const since = this.#sight.since(id);
        const calm = Math.max(since ?? 0, single ? this.#strayAt : -Infinity); // whoever holds Ctrl is not in the middle of a word
        if (since !== undefined && this.#now() - calm >= graceMs) return this.#run(key.act, id);
        this.#strayAt = this.#now(); // whoever goes on typing has to stop first
        this.onearly(since !== undefined);
        return true;
    }

    #run(act: Act, decides: string | undefined): boolean {
        const before = this.#acting;
        this.#acting = { decides };
        try {
            return act();
        } finally {
            this.#acting = before;
        }
    }
}
