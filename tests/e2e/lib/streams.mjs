// Readers of events: the two clients that people use, each with everything it got in order.
import assert from 'node:assert/strict';
import { EventSource } from 'eventsource';
import WebSocket from 'ws';
import { atEnd, patience, until } from './server.mjs';

class Reader {
    constructor() {
        this.events = [];
        this.waiting = new Set();
    }

    take(event) {
        this.events.push(event);
        this.look();
    }

    look() {
        for (const waiter of this.waiting) waiter();
    }

    types() {
        return this.events.map((event) => event.type);
    }

    of(type) {
        return this.events.filter((event) => event.type === type);
    }

    // Resolves with what `holds` gives as soon as that is not false.
    until(holds, what = String(holds), limit = patience) {
        return new Promise((done, failed) => {
            const finish = () => {
                clearTimeout(timer);
                this.waiting.delete(look);
            };
            const look = () => {
                const value = holds(this);
                if (!value) return;
                finish();
                done(value);
            };
            const timer = setTimeout(() => {
                finish();
                failed(
                    new Error(
                        `not within ${limit} ms: ${what}; got ${JSON.stringify(this.types().slice(-20))}`,
                    ),
                );
            }, limit);
            this.waiting.add(look);
            look();
        });
    }

    saw(type, count = 1) {
        return this.until(
            () => this.of(type).length >= count && this.of(type)[count - 1],
            `${count} ${type}`,
        );
    }
}

// Server-sent events with the `eventsource` package: reconnects by itself and brings its Last-Event-ID.
// What the stream gives as id stands as `seq` in each event, as a WebSocket has it.
export async function listen(
    t,
    server,
    { query = '', path = '/api/events', token, headers = {}, lastEventId } = {},
) {
    const reader = new Reader();
    const extra = { ...headers };
    if (token) extra.Authorization = `Bearer ${token}`;
    const source = new EventSource(`${server.url}${path}${query}`, {
        fetch: (url, init) => {
            const all = { ...init.headers, ...extra };
            if (lastEventId !== undefined && all['Last-Event-ID'] === undefined)
                all['Last-Event-ID'] = lastEventId;
            return fetch(url, { ...init, headers: all });
        },
    });
    reader.errors = [];
    reader.opened = 0;
    source.onmessage = (message) =>
        reader.take({ ...JSON.parse(message.data), seq: Number(message.lastEventId) });
    source.onerror = (error) => {
        reader.errors.push(error);
        reader.look();
    };
    source.onopen = () => {
        reader.opened++;
        reader.look();
    };
    reader.source = source;
    reader.close = () => source.close();
    atEnd(t, reader.close);
    await reader.until(() => reader.opened > 0 || reader.errors.length > 0, 'the stream opens');
    return reader;
}

// The same events over a WebSocket. `status` is set when the handshake was refused.
export async function connect(t, server, { query = '', token, headers = {}, origin } = {}) {
    const reader = new Reader();
    const extra = { ...headers };
    if (token) extra.Authorization = `Bearer ${token}`;
    const socket = new WebSocket(`${server.url.replace('http:', 'ws:')}/ws${query}`, {
        headers: extra,
        origin,
    });
    Object.assign(reader, { socket, pings: 0, close: () => socket.terminate() });
    atEnd(t, reader.close);
    socket.on('message', (data) => reader.take(JSON.parse(data)));
    socket.on('ping', () => {
        reader.pings++;
        reader.look();
    });
    socket.on('error', (error) => (reader.error = error));
    socket.on('close', (code, reason) => {
        reader.closed = { code, reason: String(reason) };
        reader.look();
    });
    await new Promise((done) => {
        socket.on('open', done);
        socket.on('close', done);
        socket.on('unexpected-response', (request, reply) => {
            reader.status = reply.statusCode;
            request.destroy();
            done();
        });
    });
    return reader;
}

// The numbers of all events. PostgreSQL's get theirs a moment after they were written.
export async function numbersOf(server) {
    const unnumbered = async () => Number((await server.sql('SELECT COUNT(*) FROM events WHERE seq IS NULL'))[0][0]);
    await until(async () => (await unnumbered()) === 0, 'every event has its number');
    return (await server.sql('SELECT seq FROM events ORDER BY seq')).map(([seq]) => Number(seq));
}

// Numbers of a log: each once, and rising.
export function assertInOrder(events) {
    for (let i = 1; i < events.length; i++)
        assert.ok(events[i].seq > events[i - 1].seq, `event ${events[i].seq} after ${events[i - 1].seq}`);
}
