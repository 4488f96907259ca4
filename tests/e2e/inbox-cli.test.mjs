// The inbox as the one place where everything waits, and what it takes to show one thing whole.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines } from './lib/server.mjs';

onBothEngines('inbox shows what waits in every project, the most urgent first', {}, async (server) => {
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const nothing = await witan('inbox');
    assert.equal(nothing.code, 0);
    assert.match(nothing.stderr, /Nothing waits/);

    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Web shop' });
    const task = await server.must(201, 'POST', `/api/projects/${shop.id}/tasks`, { title: 'Search page' });
    await server.must(201, 'POST', `/api/projects/${shop.id}/results`, {
        agent: 'coder',
        sourceId: task.id,
        result: { open_questions: [{ text: 'Which database?' }, { text: 'How many a page?' }] },
    });
    await server.must(201, 'POST', `/api/projects/${shop.id}/decisions`, {
        category: 'scopeChanges',
        description: 'Drop the old page?',
        agent: 'Planner',
    });
    await server.must(201, 'POST', '/api/questions', {
        question: 'Ship it?',
        type: 'blocking',
        responseType: 'boolean',
        timeoutMinutes: 5,
        agent: 'Builder',
    });
    await server.must(201, 'POST', '/api/discussion', {
        requester_agent: 'Dev',
        prompt_message: 'What says @local?',
        timeout_minutes: 60,
    });

    const list = (await witan('inbox')).stdout.trimEnd().split('\n');
    assert.match(list[0], /^ID +TYPE +LEFT +AT THE DEADLINE +FROM +PROJECT +WHAT$/);
    assert.match(list[1], /blocking +[45]:\d\d +no answer +Builder +- +Ship it\?$/);
    assert.match(list[2], /approval .* Web shop .*Drop the old page\?$/);
    assert.match(list[3], /prompt .* ends +Dev +- +What says @local\?$/);
    assert.match(list[4], /open_questions +- +- +coder +Web shop +Search page: Which database\? \(and 1 more\)$/);
    assert.equal(list.length, 5);

    const { items, questions } = JSON.parse((await witan('inbox', '--json')).stdout);
    assert.deepEqual(
        items.map(({ type }) => type),
        ['blocking', 'approval', 'prompt', 'open_questions'],
    );
    assert.equal(questions.length, 2);
    assert.equal((await witan('inbox', '--type', 'prompt', '--plain')).stdout.split('\n').length, 2);

    const shown = await Promise.all(items.map(({ id }) => witan('show', id.slice(-8))));
    assert.match(shown[0].stdout, /blocking +asked by Builder[^]*Ship it\?[^]*answer with: witan answer /);
    assert.match(shown[2].stdout, /prompt +asked by Dev[^]*What says @local\?/);
    assert.match(shown[3].stdout, /q1 +Which database\?[^]*q2 +How many a page\?[^]*witan resolve /);
    assert.equal(JSON.parse((await witan('show', items[0].id, '--json')).stdout).question.id, items[0].id);

    // What has ended is still shown by its id; what never was is not there.
    await server.must(200, 'POST', `/api/questions/${items[0].id}/answer`, {
        response: { type: 'boolean', value: true },
    });
    assert.match((await witan('show', items[0].id)).stdout, /answered: yes|answered: true/);
    const unknown = await witan('show', '00000000-0000-7000-8000-00000000dead');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /witan inbox/);
});
