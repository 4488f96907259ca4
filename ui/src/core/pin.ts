// Keeps something in view while all around it may change its height: fonts, cards that come late, rows that are measured only when they
// are near. It holds until somebody scrolls. That is told by where the page stands: only we move it meanwhile, since the browser's own
// anchoring is off for as long (overflow-anchor), and it shrinks under us only to its end.
const slack = 2; // positions are rounded
const near = 80; // as good as the end

export class Pin {
    readonly #scroller: () => HTMLElement | undefined;
    #top = 0; // where it was put

    constructor(scroller: () => HTMLElement | undefined) {
        this.#scroller = scroller;
    }

    get #rest(): number {
        const one = this.#scroller();
        return one ? one.scrollHeight - one.scrollTop - one.clientHeight : 0;
    }

    /** Whether the end is in view, or nearly. */
    get low(): boolean {
        return this.#rest < near;
    }

    /** Shows the end. */
    down(): void {
        const one = this.#scroller();
        if (!one) return;
        if (this.#rest > 0) one.scrollTop = one.scrollHeight;
        this.#top = one.scrollTop;
    }

    /** Shows this in the middle. */
    centre(element: Element): void {
        element.scrollIntoView({ block: 'center' });
        this.#top = this.#scroller()?.scrollTop ?? 0;
    }

    /** Whether somebody has scrolled up from where it was put; what grew at the end has not. */
    get raised(): boolean {
        return !this.low && (this.#scroller()?.scrollTop ?? 0) < this.#top - slack;
    }

    /** Whether somebody has scrolled either way. */
    get moved(): boolean {
        return Math.abs((this.#scroller()?.scrollTop ?? 0) - this.#top) > slack;
    }
}
