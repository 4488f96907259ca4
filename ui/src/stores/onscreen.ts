// When something has been on screen: not scrolled out of its pane, not covered by anything, and nothing above it still to come.

const again = 100; // ms: what lies over it may go, what is missing may come

function uncovered(element: Element): boolean {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === element && !document.querySelector('[data-coming]');
}

/** Calls `done` once it is, and has been for `long`; gives back how to stop looking. A part that is still to come is marked by data-coming. */
export function onScreen(element: Element, done: () => void, long = 0): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const stop = () => {
        clearTimeout(timer);
        cancelAnimationFrame(frame);
    };
    // Twice: what is drawn for the first time may have grown, and have pushed it away again.
    const look = (times = 0) => {
        if (!uncovered(element)) timer = setTimeout(look, again);
        else if (times === 0) frame = requestAnimationFrame(() => look(1));
        else if (times === 1 && long > 0) timer = setTimeout(() => look(2), long);
        else done();
    };
    const observer = new IntersectionObserver((entries) => {
        stop();
        if (entries.at(-1)?.isIntersecting) look();
    });
    observer.observe(element);
    return () => {
        stop();
        observer.disconnect();
    };
}
