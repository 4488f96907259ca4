// The sentences about keys, which nobody needs before asking for them.
import { pages } from '../pages/list.ts';
import { t as base } from './en.ts';

const led = Object.values(pages).filter(({ key }) => key);

export const t = {
    ...base,
    keys: {
        ...base.keys,
        title: 'Keyboard',
        off: 'Single keys are switched off. Your account menu switches them on.',
        list: [
            ['Ctrl / ⌘ + K', 'Search and commands'],
            ['J / K', 'Next and previous question'],
            ['Enter', 'Open the field for your answer; send the option you chose'],
            ['Letters', 'Begin an answer in words, except J, K and H'],
            ['A', 'Approve'],
            ['R', 'Reject, with a reason'],
            ['1 – 9', 'Choose an option; the number after the last is for something else'],
            ['Ctrl / ⌘ + Enter', 'Send what you typed'],
            ['+', '15 minutes more'],
            ['Z', 'Undo, while it waits'],
            ['N', 'Open what is most urgent'],
            ['X', 'Select in a list; Shift + J or K selects on'],
            ['Shift + A / R', 'Approve or reject what is selected'],
            ['H', 'Snooze for ten minutes'],
            ['E', 'Edit the arguments of an approval; put away what has ended'],
            ['/', 'Filter'],
            ['G then W', 'Switch to another workspace'],
            [`G then ${led.map(({ key }) => key!.toUpperCase()).join(', ')}`, `Go to ${led.map(({ name }) => name).join(', ')}`],
            ['C', 'Write in the chat; start a discussion, a project or a run'],
            ['[ / ]', 'Previous and next prompt of the chat; R replies'],
            ['Space', 'Pause or resume a discussion'],
            ['P', 'Pass your turn'],
            ['← / →', 'Previous and next round'],
            ['?', 'This list'],
            ['Esc', 'Close, put aside, or leave a field'],
        ] as Array<[string, string]>,
    },
};
