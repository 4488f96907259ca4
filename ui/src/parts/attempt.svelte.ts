// A form's attempts, one at a time: whether one runs, and in words why the last one came to nothing.
import { sentence } from '../core/api.ts';

export class Attempt {
    busy = $state(false);
    problem = $state('');

    /** True once it is done. A second click while it runs does nothing. */
    async make(act: () => Promise<unknown>): Promise<boolean> {
        if (this.busy) return false;
        this.busy = true;
        this.problem = '';
        try {
            await act();
            return true;
        } catch (why) {
            this.problem = sentence(why);
            return false;
        } finally {
            this.busy = false;
        }
    }
}
