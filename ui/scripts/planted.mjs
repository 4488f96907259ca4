// Shows that the checks of types and of accessibility find what was planted for them.
import { spawnSync } from 'node:child_process';

const { stdout, status } = spawnSync('npx', ['svelte-check', '--tsconfig', 'tests/planted/tsconfig.json', '--fail-on-warnings', '--output', 'machine'], { encoding: 'utf8' });
for (const sign of ["Type 'string' is not assignable to type 'number'", `Type '\\"question_aksed\\"' is not assignable to type 'EventType'`, 'a11y_missing_attribute'])
    if (status === 0 || !stdout.includes(sign)) {
        console.error(`the check does not find what was planted: ${sign}\n${stdout}`);
        process.exit(1);
    }
