// Writers that never rest, and a ledger of what they were promised.
import assert from 'node:assert/strict';
import { patience } from './server.mjs';

// Each write carries a text that nobody else has. A 201 goes into `acknowledged`; an error of the connection
// leaves the outcome open; any other reply goes into `refused`.
export class Load {
    constructor(server, writers = 8, { mark = '', ...options } = {}) {
        Object.assign(this, {
            server,
            mark,
            options,
            acknowledged: new Map(),
            refused: [],
            lost: 0,
            slowest: 0,
            going: true,
        });
        this.number = 0;
        this.writers = Array.from({ length: writers }, (_, i) =>
            this.#write(i % 2 ? this.#chat : this.#discuss, i),
        );
    }

    async #send(path, body, text) {
        const began = Date.now();
        try {
            const reply = await this.server.api('POST', path, body, { timeout: 2 * patience, ...this.options });
            this.slowest = Math.max(this.slowest, Date.now() - began);
            if (reply.status === 201) {
                this.acknowledged.set(text, reply.body);
                return reply.body;
            }
            this.refused.push(reply);
        } catch {
            this.slowest = Math.max(this.slowest, Date.now() - began);
            this.lost++;
        }
        await new Promise((wake) => setTimeout(wake, 10));
    }

    async #write(once, i) {
        while (this.going) await once.call(this, i);
    }

    #chat(i) {
        const text = `chat ${this.mark}${i} ${++this.number}`;
        return this.#send('/api/chat', { agent_name: `Writer ${i}`, message: text }, text);
    }

    async #discuss(i) {
        const text = `prompt ${this.mark}${i} ${++this.number}`;
        const made = await this.#send(
            '/api/discussion',
            { requester_agent: `Writer ${i}`, prompt_message: text, required_responses: 1 },
            text,
        );
        if (!made) return;
        const answer = `answer ${this.mark}${i} ${++this.number}`;
        await this.#send(
            `/api/discussion/${made.prompt.id}`,
            { agent_name: 'Builder', message: answer },
            answer,
        );
    }

    // Until so many more were acknowledged than now.
    async more(count) {
        const goal = this.acknowledged.size + count;
        const end = Date.now() + 300_000;
        while (this.acknowledged.size < goal) {
            assert.ok(Date.now() < end, `only ${this.acknowledged.size} of ${goal} writes were acknowledged`);
            await new Promise((wake) => setTimeout(wake, 5));
        }
    }

    async stop() {
        this.going = false;
        await Promise.all(this.writers);
    }
}

// Every message of the chat, over all pages.
export async function readChat(server, options) {
    const messages = [];
    let cursor = '';
    do {
        const page = await server.must(200, 'GET', `/api/chat?limit=200${cursor}`, undefined, options);
        messages.push(...page.messages);
        cursor = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : '';
    } while (cursor);
    return messages;
}

// What was acknowledged is there exactly once, and what was not is there at most once.
export async function checkLedger(load, options) {
    const counts = new Map();
    for (const { message } of await readChat(load.server, options))
        counts.set(message, (counts.get(message) ?? 0) + 1);
    for (const text of load.acknowledged.keys())
        assert.equal(counts.get(text), 1, `"${text}" was acknowledged`);
    for (const [text, count] of counts)
        if (/^(chat|prompt|answer) /.test(text)) assert.equal(count, 1, `"${text}" is there ${count} times`);
    for (const [text, { response, prompt }] of load.acknowledged) {
        if (!response) continue;
        const state = await load.server.show(prompt.id, options);
        assert.equal(state.status, 'resolved');
        assert.deepEqual(
            state.collectedContext.map(({ message }) => message),
            [text],
        );
    }
}
