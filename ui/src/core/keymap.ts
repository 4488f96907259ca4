// Which key means what. Single keys act only when nobody types, and can be switched off (WCAG 2.1.4).
export interface Press {
    key: string;
    ctrlKey: boolean;
    metaKey: boolean;
    altKey: boolean;
    shiftKey: boolean;
    repeat?: boolean;
    target?: unknown;
}

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

export type Keys = Record<string, () => void>;

/** Layers of keys: the one that was added last is asked first. */
export class Keymap {
    readonly #layers: Array<{ keys: Keys; alone: (() => boolean) | undefined }> = [];
    #prefix = '';
    #prefixAt = 0;
    #quietUntil = 0;
    /** Single keys; those with Mod and Escape always work. */
    singles = true;
    readonly #now: () => number;

    constructor(now: () => number = () => performance.now()) {
        this.#now = now;
    }

    /**
     * Adds keys and gives back how to take them away. `alone`: while it holds, as for an open dialog, nothing below is
     * asked; afterwards they mean nothing, even before anybody has taken them away.
     */
    add(keys: Keys, alone?: () => boolean): () => void {
        const layer = { keys, alone };
        this.#layers.push(layer);
        return () => {
            const at = this.#layers.indexOf(layer);
            if (at >= 0) this.#layers.splice(at, 1);
        };
    }

    /** Lets no single key act for a while: what has just appeared must not get a key that was meant for what was there before. */
    hush(ms: number): void {
        this.#quietUntil = this.#now() + ms;
        this.#hushMs = ms;
    }
    #hushMs = 0;

    /** True: the press was one of ours. */
    press(press: Press): boolean {
        const name = nameOf(press);
        const single = !name.startsWith('Mod+') && name !== 'Escape';
        if (single && (!this.singles || writes(press.target) || press.repeat)) return false;
        if (single && this.#now() < this.#quietUntil) {
            this.#quietUntil = this.#now() + this.#hushMs;
            return false;
        }
        const prefixed = this.#prefix !== '' && this.#now() - this.#prefixAt < 1500 ? `${this.#prefix} ${name}` : name;
        this.#prefix = '';
        const act = this.#find(prefixed);
        if (act) {
            act();
            return true;
        }
        if (single && this.#starts(name)) {
            this.#prefix = name;
            this.#prefixAt = this.#now();
            return true;
        }
        return false;
    }

    #reach(): Array<{ keys: Keys }> {
        const found = [];
        for (const layer of this.#layers.toReversed()) {
            const alone = layer.alone?.();
            if (alone !== false) found.push(layer);
            if (alone) break;
        }
        return found;
    }

    #find(name: string): (() => void) | undefined {
        return this.#reach().find((layer) => Object.hasOwn(layer.keys, name))?.keys[name];
    }

    #starts(name: string): boolean {
        return this.#reach().some((layer) => Object.keys(layer.keys).some((key) => key.startsWith(`${name} `)));
    }
}
