// One-time links, and the page on which a question is answered without a login.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';

const minute = 60_000;
const text = { question: 'Which <b>region</b> & why?', type: 'blocking', responseType: 'text' };
const ask = (server, fields, options) =>
    server.must(201, 'POST', '/api/questions', { ...text, ...fields }, options);
const makeLink = async (server, id, options) => {
    const made = await server.must(201, 'POST', `/api/questions/${id}/link`, {}, options);
    return { ...made, path: new URL(made.url, server.url).pathname };
};
// What a browser sends when somebody follows a link from a mail, and when they press a button on our page.
const visit = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
const press = { ...visit, 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };
const form = { ...press, 'Content-Type': 'application/x-www-form-urlencoded' };
const cookieOf = (reply) => reply.headers['set-cookie']?.[0].split(';')[0];
const fieldsOf = (page) =>
    Object.fromEntries(
        [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
            name,
            value.replaceAll('&quot;', '"'),
        ]),
    );
const send = (server, path, fields, headers) =>
    server.api('POST', path, new URLSearchParams(fields).toString(), { headers: { ...form, ...headers } });

// From the link to the page with the form; gives back the cookie and the form's hidden fields.
async function openLink(server, path) {
    const opened = await server.api('POST', path, '', { headers: press });
    assert.equal(opened.status, 303, opened.text);
    const Cookie = cookieOf(opened);
    const page = await server.api('GET', opened.headers.location, undefined, { headers: { Cookie } });
    assert.equal(page.status, 200, page.text);
    return { Cookie, page, hidden: fieldsOf(page.text), location: opened.headers.location };
}

onBothEngines('from a link in a mail to an answer, without a login and without a script', { env: { WITAN_LOG_LEVEL: 'debug' } }, async (server) => {
    const token = await makeToken(server, { role: 'member', name: 'Maya' });
    const { questionId: id } = await ask(server, {}, { token });
    const { link, path } = await makeLink(server, id, { token });
    assert.equal(path, `/q/${id}/${link}`);

    // Whatever follows the link learns nothing and uses nothing up.
    for (let i = 0; i < 3; i++) {
        const cover = await server.api('GET', path, undefined, { headers: visit });
        assert.equal(cover.status, 200);
        assert.ok(!cover.text.includes('region'), 'the question is not shown');
        assert.equal(cover.headers['set-cookie'], undefined);
        assert.match(cover.text, /<button>Show the question<\/button>/);
        assert.equal(cover.headers['referrer-policy'], 'no-referrer');
        assert.equal(cover.headers['cache-control'], 'no-store');
        assert.match(cover.headers['content-security-policy'], /^default-src 'none'; style-src 'self'; form-action/);
        assert.ok(!/<script|style=|onclick/.test(cover.text));
    }
    assert.equal((await server.api('HEAD', path)).status, 200);
    const wrong = await server.api('POST', `/q/${id}/witanl_wrong`, '', { headers: press });
    assert.equal(wrong.status, 401);

    const { Cookie, page, hidden, location } = await openLink(server, path);
    assert.equal(location, `/q/${id}`);
    assert.match(page.text, /Which &lt;b&gt;region&lt;\/b&gt; &amp; why\?/);
    assert.ok(!Cookie.includes(link), 'the cookie is another secret');
    // The cookie is for this question, and for looking and answering.
    const other = await ask(server, {}, { token });
    const with_ = { headers: { Cookie } };
    assert.equal((await server.api('GET', `/q/${other.questionId}`, undefined, with_)).status, 401);
    const name = Cookie.replace(id, other.questionId);
    assert.equal(
        (await server.api('GET', `/q/${other.questionId}`, undefined, { headers: { Cookie: name } })).status,
        401,
    );
    assert.equal((await server.api('GET', '/api/me', undefined, with_)).status, 401);
    assert.equal((await server.api('GET', `/api/questions/${id}`, undefined, with_)).status, 200);

    // A form that is not ours changes nothing.
    const answer = { ...hidden, answer: 'eu\r\nand us' };
    for (const [fields, headers, status] of [
        [{ ...answer, check: '' }, { Cookie }, 403],
        [answer, { Cookie, Origin: 'http://evil.example' }, 403],
        [answer, { Cookie, 'Sec-Fetch-Site': 'cross-site' }, 403],
        [answer, {}, 401],
        [{ ...hidden }, { Cookie }, 400],
    ])
        assert.equal((await send(server, location, fields, headers)).status, status, JSON.stringify(headers));
    const done = await send(server, location, answer, { Cookie });
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /Thank you/);
    const { question } = await server.must(200, 'GET', `/api/questions/${id}`, undefined, { token });
    assert.equal(question.response.value, 'eu\nand us');
    assert.equal(question.outcome.source, 'human');
    assert.match(question.outcome.by, /Maya/);

    // It is dead now, whichever way one comes.
    for (const reply of [
        await server.api('GET', location, undefined, with_),
        await send(server, location, answer, { Cookie }),
        await server.api('POST', path, '', { headers: press }),
    ]) {
        assert.equal(reply.status, 410, reply.text);
        assert.ok(!reply.text.includes('region'));
    }
    // No secret is in the log, however much it says.
    await until(() => / page .*operation=question_answer/.test(server.log), 'the log tells of the answer');
    for (const secret of [link, Cookie.split('=')[1]]) assert.ok(!server.log.includes(secret));
    const rows = await server.sql(`SELECT detail FROM audit WHERE operation = 'link_open'`);
    assert.ok(rows.length >= 1 && rows.every(([detail]) => !String(detail).includes('witanl_')));
});

test('of several who answer with one link one does', async (t) => {
    const server = await start(t);
    const { questionId: id } = await ask(server);
    const { path } = await makeLink(server, id);
    const { Cookie, hidden } = await openLink(server, path);
    const replies = await Promise.all(
        [1, 2, 3, 4].map((i) => send(server, `/q/${id}`, { ...hidden, answer: `number ${i}` }, { Cookie })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const { status } of replies) assert.ok([200, 409, 410].includes(status), `${status}`);
});

onBothEngines('who waits by a link for the end of its question is told it, and nobody who comes later', {}, async (server) => {
    await makeUser(server, 'jonas', 'correct horse', 'admin');
    const jonas = { headers: { Cookie: await login(server, 'jonas', 'correct horse'), Origin: server.url } };
    const token = await makeToken(server, { role: 'agent' });
    const owner = await makeToken(server, { role: 'owner', name: 'Maya' });
    const opened = async () => {
        const { questionId: id } = await ask(server, {}, { token });
        const { path } = await makeLink(server, id, jonas);
        return { id, path, as: { headers: { Cookie: (await openLink(server, path)).Cookie, Origin: server.url } } };
    };
    const hold = ({ id, as }) => server.api('GET', `/api/questions/${id}?wait=55`, undefined, as);
    const answer = (id, as) => server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'text', value: 'us' } }, as);
    // A wait is counted before its first look, which the end may overtake: then it has come too late, and the next may be in time.
    const ending = async (end) => {
        for (let left = 10; ; left--) {
            const one = await opened();
            const reply = hold(one);
            await until(async () => (await server.metric('witan_waits')) === 1, 'the server holds it');
            await end(one);
            const { status, body } = await reply;
            if (status === 200 || left === 0) return { ...one, told: [status, body.question?.status, body.question?.outcome.by, body.question?.response?.value] };
        }
    };
    const settled = await ending(({ id }) => answer(id, jonas));
    assert.deepEqual(settled.told, [200, 'answered', 'jonas', 'us']);
    const late = await ending(() => server.advance(31 * minute));
    assert.deepEqual(late.told, [200, 'timeout', 'system', undefined]);
    for (const one of [settled, late]) {
        const again = await hold(one);
        assert.deepEqual([again.status, again.body.code], [401, 'link_ended']);
        assert.ok(!/us|jonas|region/.test(again.body.error), again.text);
        assert.deepEqual([again.body.question, again.body.winner], [undefined, undefined]);
    }

    // One that was used tells nobody else anything, nor does one whose maker has lost the right.
    const [used, revoked] = [await opened(), await opened()];
    const other = { ...used, as: { headers: { Cookie: (await openLink(server, used.path)).Cookie } } };
    const replies = [hold(other), hold(revoked)];
    await until(async () => (await server.metric('witan_waits')) === 2, 'the server holds both');
    await answer(used.id, used.as);
    const { users } = await server.must(200, 'GET', '/api/users', undefined, { token: owner });
    await server.must(200, 'PATCH', `/api/users/${users.find(({ name }) => name === 'jonas').id}`, { disabled: true }, { token: owner });
    await answer(revoked.id, { token: owner });
    const [byOther, byRevoked] = (await Promise.all(replies)).map(({ status, body }) => [status, body.code]);
    assert.deepEqual(byOther, [401, 'link_ended']);
    assert.equal(byRevoked[0], 401);
});

test('without a script who was faster is told, with what they decided and what one had sent', async (t) => {
    const server = await start(t);
    await makeUser(server, 'jonas', 'correct horse', 'owner');
    const Cookie = await login(server, 'jonas', 'correct horse');
    const jonas = { headers: { Cookie, Origin: server.url } };
    const token = await makeToken(server, { role: 'agent' });
    const { questionId: id } = await ask(server, { type: 'approval', responseType: 'approval' }, { token });
    const guest = await openLink(server, (await makeLink(server, id, jonas)).path);
    const page = await server.api('GET', `/q/${id}`, undefined, { headers: { Cookie } });
    await server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', value: false, text: 'Not <now>' } }, jonas);
    const lost = await send(server, `/q/${id}`, { ...guest.hidden, answer: 'yes', note: 'Go & do it' }, { Cookie: guest.Cookie });
    assert.equal(lost.status, 409);
    for (const part of ['Already settled', 'jonas has already answered this question.', 'Not &lt;now&gt;', 'does not count', 'Go &amp; do it'])
        assert.ok(lost.text.includes(part), `${part}: ${lost.text}`);
    assert.ok(!/region|<form|<a /.test(lost.text), 'the link leads nowhere any more');
    // Who is logged in comes back to the question; an old cookie of its link is not in their way.
    const both = { Cookie: `${Cookie}; ${guest.Cookie}` };
    const known = await send(server, `/q/${id}`, { ...fieldsOf(page.text), check: guest.hidden.check, answer: 'yes' }, both);
    assert.equal(known.status, 409);
    assert.ok(known.text.includes(`<a href="/q/${id}">`), known.text);
});

test('an old cookie of a link is in nobody’s way who is logged in', async (t) => {
    const server = await start(t);
    await makeUser(server, 'jonas', 'correct horse', 'owner');
    const Cookie = await login(server, 'jonas', 'correct horse');
    const jonas = { headers: { Cookie, Origin: server.url } };
    const token = await makeToken(server, { role: 'agent' });
    const { questionId: id } = await ask(server, {}, { token });
    const guest = await openLink(server, (await makeLink(server, id, jonas)).path);
    await server.advance(31 * minute);
    const both = { headers: { Cookie: `${Cookie}; ${guest.Cookie}`, Origin: server.url } };
    const late = await server.api('POST', `/api/questions/${id}/answer`, { response: { type: 'text', value: 'eu' } }, both);
    assert.deepEqual([late.status, late.body.code, late.body.kept], [409, 'late', true]);
    assert.equal((await server.api('GET', `/api/questions/${id}`, undefined, both)).status, 200);
});

test('without a script arguments that somebody changed are told in words, with a way back', async (t) => {
    const server = await start(t);
    await makeUser(server, 'jonas', 'correct horse', 'owner');
    const jonas = { headers: { Cookie: await login(server, 'jonas', 'correct horse'), Origin: server.url } };
    const token = await makeToken(server, { role: 'agent' });
    const member = await makeToken(server, { role: 'member', name: 'Maya' });
    const { questionId: id } = await ask(server, { type: 'approval', responseType: 'approval', requiredApprovals: 2, action: { name: 'sh', args: { cmd: 'ls' } } }, { token });
    const { Cookie, hidden } = await openLink(server, (await makeLink(server, id, { token: member })).path);
    await server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', value: true, args: { cmd: 'ls -l' } } }, jonas);
    const refused = await send(server, `/q/${id}`, { ...hidden, answer: 'yes' }, { Cookie });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Another approver has changed the arguments of this action\./);
    assert.ok(!/approvedArgs|args that you/.test(refused.text), 'hints for programs are not shown to people');
    assert.ok(refused.text.includes(`<a href="/q/${id}">`));
    // The press has used nothing up: what stands there now is approved.
    const anew = await server.api('GET', `/q/${id}`, undefined, { headers: { Cookie } });
    assert.ok(anew.text.includes('ls -l'));
    const done = await send(server, `/q/${id}`, { ...fieldsOf(anew.text), answer: 'yes' }, { Cookie });
    assert.match(done.text, /Thank you/);
});

test('each kind of answer has its form', async (t) => {
    const server = await start(t);
    const shown = async (id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question;
    const answer = async (fields, given) => {
        const { questionId: id } = await ask(server, fields);
        const { Cookie, hidden, page } = await openLink(server, (await makeLink(server, id)).path);
        const reply = await send(server, `/q/${id}`, { ...hidden, ...given }, { Cookie });
        return { status: reply.status, text: reply.text, page: page.text, question: await shown(id) };
    };
    const approval = {
        type: 'approval',
        responseType: 'approval',
        action: { name: 'deploy', args: { to: 'prod' } },
        context: { errorDetails: 'none <i>', extra: [1, 2] },
    };
    const yes = await answer(approval, { answer: 'yes', note: 'After the backup.' });
    assert.deepEqual([yes.status, yes.question.response.value, yes.question.response.text], [
        200,
        true,
        'After the backup.',
    ]);
    for (const part of ['deploy', '<h3 dir="ltr">to</h3>\n<pre dir="ltr">\nprod</pre>', 'none &lt;i&gt;', 'Approve', 'Reject'])
        assert.ok(yes.page.includes(part), part);
    assert.equal((await answer(approval, { answer: 'no' })).question.response.value, false);
    assert.equal(
        (await answer({ responseType: 'boolean' }, { answer: 'yes' })).question.response.value,
        true,
    );
    const options = [{ label: 'Europe', value: 'eu', description: 'near' }, { label: '"US"', value: 'us' }];
    const choice = { responseType: 'choice', options };
    const chosen = await answer(choice, { answer: 'o2' });
    assert.deepEqual([chosen.status, chosen.question.response.value], [200, 'us']);
    assert.match(chosen.page, /&quot;US&quot;/);
    const other = await answer({ ...choice, allowOther: true }, { other: 'Both' });
    assert.deepEqual([other.status, other.question.response.text], [200, 'Both']);
    assert.equal((await answer(choice, { answer: 'o9' })).status, 400);
    assert.equal((await answer(choice, {})).status, 400);
    // As much as the form lets somebody write.
    const long = '好'.repeat(6000);
    const whole = await answer({}, { answer: long });
    assert.equal(whole.status, 200, whole.text);
    assert.equal(whole.question.response.value, long);
});

test('people who are logged in, and the owner of a solo server, use the same page', async (t) => {
    const server = await start(t);
    const solo = await ask(server);
    const open = (id, headers) => server.api('GET', `/q/${id}`, undefined, { headers });
    const page = await open(solo.questionId, visit);
    assert.equal(page.status, 200);
    const fields = { ...fieldsOf(page.text), answer: 'mine' };
    const elsewhere = { 'Sec-Fetch-Site': undefined, Origin: undefined };
    const silent = Object.fromEntries(Object.entries({ ...form, ...elsewhere }).filter(([, value]) => value));
    const unsaid = await server.api('POST', `/q/${solo.questionId}`, new URLSearchParams(fields).toString(), {
        headers: silent,
    });
    assert.equal(unsaid.status, 403, 'in solo mode a browser has to say that the form is ours');
    assert.equal((await send(server, `/q/${solo.questionId}`, fields)).status, 200);
    const ended = await open(solo.questionId, visit);
    assert.match(ended.text, /has ended: answered/);
    assert.ok(!ended.text.includes('<form'));

    await makeUser(server, 'ada', 'correct horse', 'owner');
    const token = await makeToken(server, { role: 'agent' });
    const { questionId: id } = await ask(server, {}, { token });
    assert.equal((await open(id, visit)).status, 401);
    const Cookie = await login(server, 'ada', 'correct horse');
    const shown = await open(id, { Cookie });
    assert.equal(shown.status, 200);
    const said = { ...fieldsOf(shown.text), answer: 'eu' };
    assert.equal((await send(server, `/q/${id}`, { ...said, check: 'x' }, { Cookie })).status, 403);
    assert.equal((await send(server, `/q/${id}`, said, { Cookie })).status, 200);
    for (const path of ['/q/x', `/q/${id}x`, `/q/${id}/`, `/q/${id}/a/b`, `/q/${id}/%2e`])
        assert.equal((await server.api('GET', path, undefined, { headers: { Cookie } })).status, 404, path);
    assert.equal((await server.api('PUT', `/q/${id}`, {}, { headers: { Cookie } })).status, 405);
});

test('a link ends with its question, and over https its cookie is bound to the host', async (t) => {
    const server = await start(t, { env: { WITAN_SERVER_PUBLIC_URL: 'https://witan.example' } });
    const { questionId: id } = await ask(server);
    const { path, url } = await makeLink(server, id);
    assert.ok(url.startsWith('https://witan.example/q/'));
    const opened = await server.api('POST', path, '', { headers: { ...press, Host: 'witan.example' } });
    const [line] = opened.headers['set-cookie'];
    assert.match(line, new RegExp(`^__Host-witan_q_${id}=witanv_`));
    for (const part of ['; Secure', '; Path=/;', '; HttpOnly', 'SameSite=Strict']) assert.ok(line.includes(part));
    await server.advance(31 * minute);
    assert.equal((await server.api('POST', path, '', { headers: press })).status, 410);
    const headers = { Cookie: cookieOf(opened) };
    const late = await server.api('GET', `/q/${id}`, undefined, { headers });
    assert.ok([200, 410].includes(late.status), late.text); // the owner of a solo server sees it all the same
    assert.ok(!late.text.includes('<form'));
});

onBothEngines('without a public address a link is whole all the same, or is refused with the reason', {}, async (server) => {
    const { questionId: id } = await ask(server);
    const { url } = await makeLink(server, id);
    assert.ok(url.startsWith(`${server.url}/q/${id}/`), url);
    assert.equal((await fetch(url)).status, 200);

    // Whatever name a proxy was reached by, this server has not heard it.
    const token = await makeToken(server, { role: 'owner' });
    const forwarded = { token, headers: { 'X-Forwarded-For': '192.0.2.7' } };
    const { questionId: other } = await ask(server, {}, { token });
    const refused = await server.api('POST', `/api/questions/${other}/link`, undefined, forwarded);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.body.error, /under which name people reach it/);
    assert.match(refused.body.hint, /server\.public_url/);
});
