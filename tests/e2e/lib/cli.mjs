// The program on the command line: what it says where, and how it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { binary, cleanEnv, patience } from './server.mjs';

// Starts it; `.done` resolves with {code, stdout, stderr}.
export function begin(folder, args, { env = {}, input } = {}) {
    const child = spawn(binary, args, { env: cleanEnv(folder, env), stdio: ['pipe', 'pipe', 'pipe'] });
    const run = { child, stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (run.stdout += bytes));
    child.stderr.on('data', (bytes) => (run.stderr += bytes));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const timer = setTimeout(() => child.kill('SIGKILL'), 2 * patience);
    run.done = once(child, 'close').then(([code, signal]) => {
        clearTimeout(timer);
        return { code: code ?? signal, stdout: run.stdout, stderr: run.stderr };
    });
    return run;
}

export function cli(folder, args, options) {
    return begin(folder, args, options).done;
}
