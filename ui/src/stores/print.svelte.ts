// Whether the page is being printed: what is folded or not drawn yet is there then, for paper cannot be clicked.
import { flushSync } from 'svelte';

class Print {
    now = $state(false);

    constructor() {
        const set = (on: boolean) => () => flushSync(() => (this.now = on)); // the browser prints what is there when this returns
        addEventListener('beforeprint', set(true));
        addEventListener('afterprint', set(false));
    }
}
export const print = new Print();
