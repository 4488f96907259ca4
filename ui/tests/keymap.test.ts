// Which key means what, and when it means nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graceMs, isControl, Keymap, nameOf, writes, type Belongs, type Keys, type Press } from '../src/core/keymap.ts';

const press = (key: string, more: Partial<Press> = {}): Press => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
const on = (tagName: string, more: object = {}) => ({ tagName, closest: (selectors: string) => (selectors.split(',').some((one) => one.startsWith(tagName.toLowerCase())) ? {} : null), ...more });

/** A screen as a test wants it. */
class Stage {
    now = 0;
    covers: unknown[] = [];
    seen: Record<string, number> = {};
    said: string[] = [];
    early: boolean[] = [];
    keymap = new Keymap({ covers: () => this.covers, since: (id) => this.seen[id] }, () => this.now);

    constructor() {
        this.keymap.onearly = (seen) => this.early.push(seen);
    }

    says = (word: string, done = true) => () => {
        this.said.push(word);
        return done;
    };
    decides = (id: string | undefined, word = 'decided') => ({ decides: () => id, act: this.says(word) });
    add(keys: Keys, belongs?: Belongs) {
        return this.keymap.add(keys, belongs);
    }
    press(key: string, more: Partial<Press> = {}): boolean {
        return this.keymap.press(press(key, more));
    }
    type(text: string, every = 100) {
        for (const letter of text) {
            this.press(letter);
            this.now += every;
        }
    }
}

test('single keys act only when nobody types, once for each press, and can be switched off', () => {
    const stage = new Stage();
    stage.add({ a: stage.says('a'), 'Mod+k': stage.says('k') });
    assert.equal(stage.press('a'), true);
    assert.equal(stage.press('a', { target: on('TEXTAREA') }), false);
    assert.equal(stage.press('a', { repeat: true }), false);
    assert.equal(stage.press('a', { isComposing: true }), false);
    assert.equal(stage.press('a', { ctrlKey: true }), false, 'Ctrl+A is the browser’s');
    stage.keymap.singles = false;
    assert.equal(stage.press('a'), false);
    assert.equal(stage.press('k', { metaKey: true, target: on('INPUT') }), true);
    assert.deepEqual(stage.said, ['a', 'k']);
    assert.equal(nameOf(press('A', { shiftKey: true })), 'A');
    assert.equal(nameOf(press('Enter', { shiftKey: true, ctrlKey: true })), 'Mod+Shift+Enter');
    for (const [target, does] of [[null, false], [{ tagName: 'DIV', isContentEditable: true }, true], [{ tagName: 'SELECT' }, true], [{ tagName: 'INPUT' }, true], [{ tagName: 'INPUT', type: 'checkbox' }, false], [{ tagName: 'BUTTON' }, false]] as const) assert.equal(writes(target), does);
});

test('Enter, Space and arrows are the control’s that has the focus', () => {
    const stage = new Stage();
    const keys = ['Enter', ' ', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageDown'];
    stage.add(Object.fromEntries([...keys, 'j'].map((key) => [key, stage.says(key)])));
    for (const tag of ['BUTTON', 'A', 'SUMMARY', 'LABEL'])
        for (const key of keys) assert.equal(stage.press(key, { target: on(tag) }), false, `${key} on ${tag}`);
    for (const key of keys) assert.equal(stage.press(key, { target: on('INPUT', { type: 'radio' }) }), false, `${key} on a radio button`);
    assert.deepEqual(stage.said, []);
    assert.equal(stage.press('j', { target: on('BUTTON') }), true, 'a letter presses no button');
    for (const key of keys) assert.equal(stage.press(key, { target: on('H2') }), true);
    assert.equal(isControl(null), false);
});

test('what does nothing leaves the key to the next, and at last to the browser', () => {
    const stage = new Stage();
    stage.add({ r: stage.says('below') });
    const off = stage.add({ r: stage.says('above', false), e: stage.says('nothing', false) });
    assert.equal(stage.press('r'), true);
    assert.equal(stage.press('e'), false);
    off();
    stage.press('r');
    assert.deepEqual(stage.said, ['above', 'below', 'nothing', 'below']);
});

test('under a dialog or a menu only its own keys act; under two of them none', () => {
    const stage = new Stage();
    const [dialog, menu] = [{}, {}];
    stage.add({ j: stage.says('page'), 'Mod+k': stage.says('search'), Escape: stage.says('back') });
    stage.add({ a: stage.says('dialog') }, { inside: () => dialog });
    stage.covers = [dialog];
    assert.equal(stage.press('j'), false);
    assert.equal(stage.press('k', { ctrlKey: true }), false);
    assert.equal(stage.press('Escape'), false);
    assert.equal(stage.press('a'), true);
    stage.covers = [menu];
    assert.equal(stage.press('a'), false, 'another’s');
    stage.covers = [dialog, menu];
    assert.equal(stage.press('a'), false);
    stage.covers = [];
    assert.equal(stage.press('a'), false, 'it is closed');
    stage.press('j');
    assert.deepEqual(stage.said, ['dialog', 'page']);
    stage.add({ b: stage.says('no') }, { inside: () => undefined });
    assert.equal(stage.press('b'), false, 'a dialog that is not there has no keys');
});

test('a decision counts only when it has been on screen for the grace time, and says so otherwise', () => {
    const stage = new Stage();
    stage.add({ a: stage.decides('q'), b: stage.decides('elsewhere'), c: stage.decides(undefined) });
    assert.equal(stage.press('c'), false, 'there is nothing to decide');
    stage.now = 5000;
    stage.seen['q'] = stage.now;
    for (const wait of [0, graceMs / 2, graceMs - 1]) {
        stage.now += wait;
        assert.equal(stage.press('a'), true);
    }
    assert.deepEqual([stage.said, stage.early], [[], [true, true, true]]);
    stage.now += graceMs - 1;
    stage.press('a');
    assert.deepEqual(stage.said, [], 'one that came too early puts it off');
    stage.now += graceMs;
    stage.press('a');
    assert.deepEqual(stage.said, ['decided']);
    stage.press('b');
    assert.deepEqual([stage.said, stage.early.at(-1)], [['decided'], false], 'what is not on screen');
});

test('whoever types a word decides nothing by one of its letters, however long the question has been there', () => {
    const stage = new Stage();
    stage.seen['q'] = -60_000;
    stage.add({ a: stage.decides('q'), r: stage.decides('q'), ' ': stage.decides('q'), h: stage.says('h') });
    stage.type('nightly agent');
    stage.type('delete all of that, really?', 30);
    assert.deepEqual(stage.said.filter((one) => one === 'decided'), []);
    // What is typed into a field that goes away in the middle of a word.
    stage.now += graceMs;
    stage.press('n', { target: on('TEXTAREA') });
    stage.press('a');
    assert.deepEqual(stage.said.filter((one) => one === 'decided'), []);
    stage.now += graceMs;
    stage.press('a');
    assert.deepEqual(stage.said.at(-1), 'decided');
    // Ctrl is held by nobody who is in the middle of one.
    stage.add({ 'Mod+Enter': stage.decides('q', 'sent') });
    stage.press('n', { target: on('TEXTAREA') });
    stage.press('Enter', { ctrlKey: true, target: on('TEXTAREA') });
    assert.deepEqual(stage.said.at(-1), 'sent');
});

test('a key decides nothing but what it has said', () => {
    const stage = new Stage();
    const allowed: boolean[] = [];
    const look = () => {
        allowed.push(stage.keymap.allows('q'), stage.keymap.allows('other'));
        return true;
    };
    stage.seen['q'] = -graceMs;
    stage.add({ j: look, a: { decides: () => 'q', act: look } });
    look();
    stage.press('j');
    stage.press('a');
    look();
    assert.deepEqual(allowed, [true, true, false, false, true, false, true, true]);
});

test('a text begins with what is typed, which is left to the browser to write', () => {
    const stage = new Stage();
    stage.add({ n: stage.says('n'), j: stage.says('j'), 'g i': stage.says('inbox') });
    const taken: string[] = [];
    const off = stage.add({}, { takes: (character) => character !== 'j' && taken.push(character) > 0 });
    for (const key of ['n', 'g', 'ß', '7', 'j', ' ', 'Enter', 'Tab', 'F5']) stage.press(key);
    stage.press('n', { ctrlKey: true });
    assert.deepEqual([taken, stage.said], [['n', 'g', 'ß', '7'], ['j']]);
    off();
    assert.equal(stage.press('n'), true);
});

test('two keys make one, for a moment only, and the second is then no key of its own', () => {
    const stage = new Stage();
    stage.add({ 'g i': stage.says('inbox'), i: stage.says('below'), x: stage.says('x') });
    const off = stage.add({ i: stage.says('above') });
    assert.equal(stage.press('g'), false, 'nothing is done yet');
    assert.equal(stage.press('i'), true);
    stage.press('g');
    assert.equal(stage.press('x'), false);
    stage.press('g');
    stage.now = 2000;
    stage.press('i');
    off();
    stage.press('i');
    assert.deepEqual(stage.said, ['inbox', 'above', 'below']);
});
