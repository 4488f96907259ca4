// Putting something into the clipboard, and saying what came of it.
import { copyText } from '../core/plain.ts';
import { t } from '../text/en.ts';
import { toasts } from './app.svelte.ts';

export async function copy(text: string, said: string = t.welcome.copied): Promise<void> {
    const done = await copyText(text);
    toasts.say(done ? said : t.welcome.notCopied, done ? 'check' : 'alert');
}
