// How quickly the pages come, and whether they are made well, by Lighthouse as on a phone with a slow network:
//
//   make lighthouse              every key page, a line for each
//   make lighthouse ONLY=inbox   those whose name holds the word, or one of several: ONLY=jobs,chat
//   make lighthouse RUNS=1       once each, for a quick look; else each figure is the median of five
//
// It fails below what is wanted. A busy machine costs performance: where it may, it takes precedence over all else that runs
// there (chrt), and says so when it may not.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as launcher from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { ofOne, plain } from '../e2e/lib/routes.mjs';
import { furnish, storyServer } from '../e2e/lib/story.mjs';

const wanted = { performance: 95, accessibility: 100, 'best-practices': 100 };
const only = (process.env.ONLY ?? '').split(',');
const runs = Number(process.env.RUNS || 5);
const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));

// Nothing that takes time and counts for nothing: a picture of the whole page, going back to it.
const settings = { logLevel: 'error', maxWaitForLoad: 15_000, onlyCategories: Object.keys(wanted), skipAudits: ['bf-cache'], disableFullPageScreenshot: true };

const later = [];
const t = { after: (run) => later.unshift(run) };
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure(port, url) {
    const { lhr } = await lighthouse(url, { port, ...settings });
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
    const seconds = (audit) => Math.round(lhr.audits[audit].numericValue / 100) / 10;
    return {
        scores: Object.fromEntries(Object.keys(wanted).map((name) => [name, Math.round(lhr.categories[name].score * 100)])),
        seen: { first: seconds('first-contentful-paint'), whole: seconds('largest-contentful-paint'), blocked: Math.round(lhr.audits['total-blocking-time'].numericValue), moved: Math.round(lhr.audits['cumulative-layout-shift'].numericValue * 1000) / 1000 },
        faults: Object.values(lhr.categories).flatMap(({ auditRefs }) => auditRefs.filter(({ id, weight }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 0.9).map(({ id }) => id)),
    };
}

async function page(port, { name, path }, base) {
    const all = [];
    for (let i = 0; i < runs; i++) all.push(await measure(port, base + path));
    const scores = Object.fromEntries(Object.keys(wanted).map((what) => [what, median(all.map((one) => one.scores[what]))]));
    const middle = (what) => median(all.map(({ seen }) => seen[what]));
    const { faults } = all.at(-1);
    const among = all.map((one) => one.scores.performance).sort((a, b) => a - b);
    const spread = runs > 1 ? ` (${among[0]} to ${among.at(-1)})` : '';
    console.log(`| ${name} | ${Object.values(scores).join(' | ').replace(' |', `${spread} |`)} | ${middle('first')} s | ${middle('whole')} s | ${middle('blocked')} ms | ${middle('moved')} |`);
    const bad = Object.entries(scores).filter(([what, score]) => score < wanted[what]);
    if (bad.length > 0) console.log(`  ${name}: ${bad.map(([what, score]) => `${what} ${score} is below ${wanted[what]}`).join(', ')}; ${faults.join(', ')}`);
    return bad.length === 0;
}

function firstLoad() {
    const folder = fileURLToPath(new URL('../../ui/dist', import.meta.url));
    const html = readFileSync(`${folder}/index.html`, 'utf8');
    const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
    const size = (files) => (files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0) / 1000).toFixed(1);
    const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
    const sizes = ['.js', '.css'].map((ending) => size(named.filter((name) => name.endsWith(ending)).map((name) => folder + name)));
    console.log(`\nFirst load, gzipped: script ${sizes[0]} kB, styles ${sizes[1]} kB; all files ${size(all.map((entry) => `${entry.parentPath}/${entry.name}`))} kB`);
}

let good = true;
if (spawnSync('chrt', ['--all-tasks', '--fifo', '--pid', '10', String(process.pid)]).status !== 0) console.log('Without precedence (chrt): what else runs here is measured too.');
try {
    const server = await storyServer(t);
    const things = await furnish(server);
    const routes = [...plain.filter(({ name }) => name !== 'login'), ...ofOne(things)].filter(({ name }) => only.some((word) => name.includes(word)));
    const chrome = await launcher.launch({ chromePath: program, chromeFlags: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'] });
    t.after(() => chrome.kill());
    console.log('| page | performance | accessibility | best practices | first paint | largest paint | blocked | moved |\n|---|---|---|---|---|---|---|---|');
    for (const route of routes) good = (await page(chrome.port, route, server.url)) && good;
    firstLoad();
} finally {
    for (const run of later) await run();
}
process.exitCode = good ? 0 : 1;
