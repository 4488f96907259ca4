import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
    preprocess: vitePreprocess(),
    compilerOptions: {
        // What scrolls must be reachable by the keyboard, whatever it is.
        warningFilter: (warning) => warning.code !== 'a11y_no_noninteractive_tabindex',
    },
};
