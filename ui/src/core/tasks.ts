// Work in pieces. While a piece runs, the page hears no key and draws nothing; between two it does.

/** Runs something in a task of its own, as soon as may be. Gives back how to call it off. */
export function nextTask(run: () => void): () => void {
    const timer = setTimeout(run);
    return () => clearTimeout(timer);
}

const unseen = 200; // a page that nobody looks at draws nothing, and its work is not to wait for that

/** Runs something once what is there has been drawn. Gives back how to call it off. */
export function afterPaint(run: () => void): () => void {
    let timer = setTimeout(run, unseen);
    const frame = requestAnimationFrame(() => {
        clearTimeout(timer);
        timer = setTimeout(run);
    });
    return () => {
        clearTimeout(timer);
        cancelAnimationFrame(frame);
    };
}

/** Runs something that nobody waits for, once the page has come and has nothing else to do. */
export function atLeisure(run: () => void): void {
    const later = () => setTimeout(() => ('requestIdleCallback' in window ? requestIdleCallback(run, { timeout: 10_000 }) : run()), 1000);
    if (document.readyState === 'complete') later();
    else addEventListener('load', later, { once: true });
}

/** However often it is asked for, something runs once for each time that the page is drawn, just before it is. */
export function perFrame(run: () => void): () => void {
    let waits = false;
    const go = () => {
        if (!waits) return;
        waits = false;
        run();
    };
    return () => {
        if (waits) return;
        waits = true;
        requestAnimationFrame(go);
        setTimeout(go, unseen);
    };
}
