// What is kept in the browser. A browser that keeps nothing (private windows, full disks) is no reason to fail.
import { parse } from './exact.ts';

export interface Shelf {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
}

export function memoryShelf(): Shelf {
    const kept = new Map<string, string>();
    return {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
    };
}

/** The browser's own, or one that lasts as long as the page. */
export function shelf(): Shelf {
    try {
        localStorage.setItem('witan.try', '1');
        localStorage.removeItem('witan.try');
        return localStorage;
    } catch {
        return memoryShelf();
    }
}

/** Keeps a text, or forgets it; false where nothing is kept. */
export function writeText(to: Shelf, key: string, text: string | undefined): boolean {
    try {
        if (text === undefined) to.removeItem(key);
        else to.setItem(key, text);
        return true;
    } catch {
        return false;
    }
}

export function readJson<T>(from: Shelf, key: string, otherwise: T): T {
    try {
        const text = from.getItem(key);
        return text === null ? otherwise : (parse(text) as T);
    } catch {
        return otherwise;
    }
}

export function writeJson(to: Shelf, key: string, value: unknown): boolean {
    return writeText(to, key, value === undefined ? undefined : JSON.stringify(value));
}
