// Commands that messages name, and whether there are such.
import { cli } from './cli.mjs';

// Those between backquotes.
export function commandsIn(text) {
    return [...text.matchAll(/`(witan [^`]+)`/g)].map(([, command]) => command.replace(/\s+/g, ' ').trim());
}

// As a shell would take it, up to what it does with the outcome; what stands for a value is one.
function wordsOf(command) {
    const plain = command.replace(/%[-.*\d]*l*[sdzu]+/g, 'x').replace(/ (\|\|?|&&|>|<).*$/, '').replace(/(\.\.\.|…)/g, 'x');
    return [...plain.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c).slice(1);
}

// The ones that the parser refuses. With --help it reads all of the line, and does nothing; an option at the end that wants
// a value takes the first.
export async function wrongCommands(folder, commands, atOnce = 4) {
    const todo = [...commands];
    const wrong = [];
    const next = async () => {
        for (let command = todo.shift(); command; command = todo.shift()) {
            const words = wordsOf(command);
            // These are whole as they are: help, and the name of every command (`witan %s --help`).
            if (words[0] === 'help' || words[0] === 'version' || words[0] === 'x' || words[0] === 'COMMAND') continue;
            const { code, stderr } = await cli(folder, [...words, '--help', '--help'], {});
            if (code !== 0) wrong.push(`${command}: ${stderr.trim()}`);
        }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
    return wrong;
}
