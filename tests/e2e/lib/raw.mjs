// HTTP by the byte, for requests that no client would send.
import net from 'node:net';
import { patience } from './server.mjs';

export class RawConnection {
    constructor(server) {
        const { hostname, port } = new URL(server.url);
        this.host = `${hostname}:${port}`;
        this.bytes = Buffer.alloc(0);
        this.ended = false;
        this.waiting = null;
        this.socket = net.connect(Number(port), hostname);
        this.socket.on('data', (bytes) => {
            this.bytes = Buffer.concat([this.bytes, bytes]);
            this.waiting?.();
        });
        const end = () => {
            this.ended = true;
            this.waiting?.();
        };
        this.socket.on('end', end);
        this.socket.on('close', end);
        this.socket.on('error', end);
    }

    send(bytes) {
        this.socket.write(bytes);
        return this;
    }

    close() {
        this.socket.destroy();
    }

    // Until `holds` gives something, the other side ends, or the time is up (undefined).
    #until(holds, limit) {
        return new Promise((done) => {
            const look = () => {
                const value = holds();
                if (value === undefined && !this.ended) return;
                clearTimeout(timer);
                this.waiting = null;
                done(value);
            };
            const timer = setTimeout(() => {
                this.waiting = null;
                done(undefined);
            }, limit);
            this.waiting = look;
            look();
        });
    }

    // The next reply on this connection; undefined when none comes.
    reply({ head = false, limit = patience } = {}) {
        return this.#until(() => this.#take(head), limit);
    }

    closed(limit = patience) {
        return this.#until(() => (this.ended ? true : undefined), limit);
    }

    #take(isHead) {
        const end = this.bytes.indexOf('\r\n\r\n');
        if (end < 0) return undefined;
        const [line, ...lines] = this.bytes.subarray(0, end).toString('latin1').split('\r\n');
        const headers = Object.fromEntries(
            lines.map((text) => {
                const colon = text.indexOf(':');
                return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
            }),
        );
        const status = Number(line.split(' ')[1]);
        const length = isHead || status < 200 || status === 204 ? 0 : Number(headers['content-length'] ?? 0);
        if (this.bytes.length < end + 4 + length) return undefined;
        const text = this.bytes.subarray(end + 4, end + 4 + length).toString();
        this.bytes = this.bytes.subarray(end + 4 + length);
        return { status, headers, text };
    }
}

// One request and its reply.
export async function raw(server, bytes, options) {
    const connection = new RawConnection(server);
    connection.send(bytes);
    const reply = await connection.reply(options);
    connection.close();
    return reply;
}

// A request's head and body with a right Content-Length, ready to be spoiled.
export function post(server, path, body, headers = []) {
    const bytes = Buffer.from(body);
    const head = [
        `POST ${path} HTTP/1.1`,
        `Host: ${new URL(server.url).host}`,
        'Content-Type: application/json',
        `Content-Length: ${bytes.length}`,
        ...headers,
        '',
        '',
    ].join('\r\n');
    return Buffer.concat([Buffer.from(head), bytes]);
}
