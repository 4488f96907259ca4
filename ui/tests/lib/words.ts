// The words of a tree of markdown, for tests that read what would be shown.
import type { Block, Inline } from '../../src/core/markdown.ts';

const inner = (of: Inline[]): string => of.map((one): string => (one.is === 'text' || one.is === 'code' ? one.text : one.is === 'break' ? ' ' : inner(one.of))).join('');

export const words = (tree: Block[]): string =>
    tree
        .map((one): string => {
            if (one.is === 'p' || one.is === 'h') return inner(one.of);
            if (one.is === 'pre') return one.text;
            if (one.is === 'quote') return words(one.of);
            return one.is === 'list' ? one.items.map(words).join('') : '';
        })
        .join('');
