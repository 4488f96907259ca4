// Where the pages are, taken from what the app itself reads paths by: a page that is added there is looked at by all
// that looks at pages. One that shows a single thing needs a line here that says which.
import assert from 'node:assert/strict';
import { pages } from '../../../ui/src/pages/list.ts';
import { t } from '../../../ui/src/text/settings.ts';

/** Every page that needs no id, as name and path. */
export const plain = Object.keys(pages).filter((page) => pages[page].all !== undefined).map((page) => ({ name: page, path: `/${page}` }));

/** Pages of one thing, in a workspace that `furnish` has furnished. */
export function ofOne(things) {
    const found = {
        inbox: { question: things.question, choice: things.choice },
        discussions: { ended: things.discussion, turn: things.turn },
        jobs: { job: things.job.id },
        projects: { project: things.projects.Checkout.id },
        settings: Object.fromEntries(Object.keys(t.settings.nav).map((part) => [part, part])),
        q: { card: things.choice },
    };
    return Object.keys(pages).filter((page) => pages[page].one !== undefined).flatMap((page) => {
        assert.ok(found[page], `tests/e2e/lib/routes.mjs does not say which ${page} to look at`);
        return Object.entries(found[page]).map(([what, id]) => ({ name: `${page}-${what}`, path: `/${page}/${id}` }));
    });
}
