// Reads server-sent events from the bytes of a reply. Our own, since a browser's EventSource tells neither
// why it was refused nor that a connection has gone quiet.
export interface Frame {
    id: number | undefined;
    data: string;
}

/** Takes text as it comes and gives whole frames. Comments (heartbeats) give nothing. */
export class FrameReader {
    #rest = '';
    #id: number | undefined;
    #data: string[] = [];

    feed(text: string): Frame[] {
        const frames: Frame[] = [];
        // A carriage return at the end may be the first half of a line's end.
        const all = this.#rest + text;
        const whole = all.endsWith('\r') ? all.slice(0, -1) : all;
        const lines = whole.split(/\r\n|\n|\r/);
        this.#rest = lines.pop()! + all.slice(whole.length);
        for (const line of lines) {
            if (line === '') {
                if (this.#data.length > 0) frames.push({ id: this.#id, data: this.#data.join('\n') });
                this.#data = [];
                this.#id = undefined;
                continue;
            }
            const colon = line.indexOf(':');
            const field = colon < 0 ? line : line.slice(0, colon);
            const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
            if (field === 'data') this.#data.push(value);
            else if (field === 'id' && /^\d+$/.test(value)) this.#id = Number(value);
        }
        return frames;
    }
}
