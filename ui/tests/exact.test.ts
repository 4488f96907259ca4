// Numbers that JavaScript cannot hold: kept as they are written, on every way on which an answer travels.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { csv } from '../src/core/csv.ts';
import { isExact, isMap, isSpoilt, parse } from '../src/core/exact.ts';
import { Outbox, type Parcel } from '../src/core/outbox.ts';
import { memoryShelf } from '../src/core/store.ts';
import { origin } from '../src/core/wording.ts';
import { t as words } from '../src/text/en.ts';
import { open } from './lib/page.ts';
import { question } from './lib/question.ts';

const id = '1234567890123456789';
const again = (text: string) => JSON.stringify(parse(text));

test('what is read is written as it was, digit for digit, wherever it stands', () => {
    for (const text of [id, `-${id}`, '9007199254740993', '-9223372036854775808', '18446744073709551615', `[${id},1]`, `{"a":[{"b":${id}}],"c":5}`, '1e400', '-1.5E+999', `{"__proto__":${id}}`, `"${id}"`, `{"${id}":"a ${id}, [${id}"}`])
        assert.equal(again(text), text);
    assert.equal(again(`{ "a" :\n\t${id} }`), `{"a":${id}}`);
    const deep = `${'['.repeat(2000)}${id}${']'.repeat(2000)}`; // as deep as the server reads
    assert.equal(again(deep), deep);
});

test('whatever a double holds is a number as ever', () => {
    for (const [text, value] of [['9007199254740991', Number.MAX_SAFE_INTEGER], ['0.12345678901234567', 0.12345678901234567], ['1e+16', 1e16], ['1.5e300', 1.5e300], ['-0.0', -0], ['12345678901234.5', 12345678901234.5]] as const)
        assert.deepEqual(parse(`[${text},${id}]`), [value, parse(id)]);
    assert.deepEqual(parse('{"a":[1,"2",null,true]}'), { a: [1, '2', null, true] });
    for (const wrong of ['', '{', `[${id}`, `${id}x`, `0${id}`, `{"a":${id},}`]) assert.throws(() => parse(wrong), SyntaxError);
});

test('such a number is a leaf', () => {
    const { a, b } = parse(`{"a":${id},"b":{}}`) as Record<string, unknown>;
    assert.deepEqual([a, b, 5, null, [], { rawJSON: id }].map(isExact), [true, false, false, false, false, false]);
    assert.deepEqual([a, b, 5, null, [], { rawJSON: id }].map(isMap), [false, true, false, false, false, true]);
    assert.equal(origin(question({ context: parse(`{"projectName":"Pay","currentStep":${id}}`) as Record<string, unknown> })), `Pay, ${id}`);
    assert.equal(csv(`{"seq":1,"detail":{"account":${id}}}\n`, ['seq', 'detail']), `seq,detail\r\n1,"{""account"":${id}}"\r\n`);
});

test('an answer that waits keeps its digits, also where the next page sends it', async () => {
    const shelf = memoryShelf();
    const sent: string[] = [];
    const parcel: Parcel = { key: 'k', by: 'p1', questionId: 'q1', response: { type: 'approval', value: true, args: parse(`{"account":${id}}`) }, label: 'Approved', at: 1 };
    new Outbox(shelf, async () => {}).add(parcel);
    await new Outbox(shelf, async ({ response }) => void sent.push(JSON.stringify(response.args))).flush('p1');
    assert.deepEqual(sent, [`{"account":${id}}`]);
});

/** A browser from before there was a way to keep such numbers. */
function older(t: TestContext): void {
    for (const name of ['rawJSON', 'isRawJSON']) {
        const was = Object.getOwnPropertyDescriptor(JSON, name)!;
        Reflect.deleteProperty(JSON, name);
        t.after(() => Object.defineProperty(JSON, name, was));
    }
}

test('a browser that cannot keep them shows all digits with words, and sends nothing in their place', async (t) => {
    older(t);
    const text = `{"account":${id},"note":"\\"${id}, ${id}","near":1e16,"big":1e400,"n":-5}`;
    const said = parse(text) as Record<string, unknown>;
    assert.deepEqual(said, { account: `${id} (${words.failed.digits})`, note: `"${id}, ${id}`, near: 1e16, big: `1e400 (${words.failed.digits})`, n: -5 });
    assert.ok(isSpoilt(JSON.stringify(said)));
    assert.ok(!isSpoilt(JSON.stringify({ note: said['note'] })));
    for (const wrong of [`[${id}`, `{"a":${id},}`, `[2026-03-04, ${id}]`]) assert.throws(() => parse(wrong), SyntaxError);
});

const asked = `{"question":${JSON.stringify(question()).replace('"action":null', `"action":{"name":"pay","args":{"account":${id},"sum":5}}`)}}`;

/** The page of an approval with such a number, as the server tells of it. */
async function pay(t: TestContext) {
    const page = open(t);
    page.server.on('GET /api/questions/*', () => new Response(asked));
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    const { Reply } = await import('../src/stores/reply.svelte.ts');
    const { questions } = await import('../src/stores/questions.svelte.ts');
    const { shown } = await import('../src/stores/shown.svelte.ts');
    await page.live();
    const one = (await questions.fetch('q1'))!;
    shown.saw(one);
    return { page, one, reply: new Reply(one), sent: () => page.server.to('POST /api/questions/*/answer').map(({ sent }) => sent) };
}

test('who changes one argument sends the others as they were, and so does who follows what another has changed', async (t) => {
    const { page, one, reply, sent } = await pay(t);
    assert.match(reply.proposed, new RegExp(`"account": ${id},`));
    reply.edit();
    reply.args = reply.args.replace('"sum": 5', '"sum": 6');
    reply.approve();
    await page.until(() => sent().length === 1);
    assert.match(sent()[0]!, new RegExp(`"args":{"account":${id},"sum":6}`));
    const { Reply } = await import('../src/stores/reply.svelte.ts');
    const theirs = { ...one, approvedArgs: parse(`{"account":${id},"sum":7}`) as typeof one.approvedArgs };
    const { questions } = await import('../src/stores/questions.svelte.ts');
    const { shown } = await import('../src/stores/shown.svelte.ts');
    questions.all.set('q1', theirs);
    shown.saw(theirs);
    new Reply(theirs).approve();
    await page.until(() => sent().length === 2);
    assert.match(sent()[1]!, new RegExp(`"args":{"account":${id},"sum":7}`));
});

test('an answer that was not taken says the digits, and is sent again with them, after a reload too', async (t) => {
    const { page, reply, sent } = await pay(t);
    const no = { error: 'You may not.', code: 'forbidden' };
    page.server.on('POST /api/questions/*/answer', () => Response.json(no, { status: 403 }));
    reply.edit();
    reply.args = `{"account": ${id}, "sum": 6}`;
    reply.approve();
    await page.until(() => sent().length === 1);
    await page.settle();
    const later = await page.reload();
    later.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    const { refusals } = await import('../src/stores/refusals.svelte.ts');
    const { answers } = await import('../src/stores/answers.svelte.ts');
    const { questions } = await import('../src/stores/questions.svelte.ts');
    const { shown } = await import('../src/stores/shown.svelte.ts');
    await later.live();
    const [card] = refusals.list;
    assert.equal(card!.mine, `Approved {"account":${id},"sum":6}`);
    const one = (await questions.fetch('q1'))!;
    shown.saw(one);
    answers.give(one, card!.response as Parameters<typeof answers.give>[1]);
    await later.until(() => sent().length === 2);
    assert.match(sent()[1]!, new RegExp(`"args":{"account":${id},"sum":6}`));
});

test('an older browser approves what was proposed, and says that it cannot send other arguments', async (t) => {
    older(t);
    const { page, reply, sent } = await pay(t);
    const { refusals } = await import('../src/stores/refusals.svelte.ts');
    reply.edit();
    reply.args = reply.args.replace('"sum": 5', '"sum": 6');
    reply.approve();
    await page.until(() => refusals.list.length === 1);
    assert.deepEqual([refusals.list[0]!.why, sent()], [words.failed.digits, []]);
    reply.editing = false;
    reply.approve();
    await page.until(() => sent().length === 1);
    assert.equal(sent()[0], '{"response":{"type":"approval","value":true}}');
});

test('what was loaded is read with its digits while the server is away', async (t) => {
    const page = open(t);
    const { Memory } = await import('../src/core/memory.ts');
    const memory = new Memory('p1');
    await memory.keep('/api/questions/q1', parse(asked));
    assert.equal(JSON.stringify((await memory.recall('/api/questions/q1'))!.said), asked);
    await page.settle();
});
