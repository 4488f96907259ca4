// Answers that could not be sent yet. Each has a key of its own, under which the server takes it once however
// often it comes, so an answer whose reply was lost is simply sent again.
import { Refused, Unreachable } from './api.ts';
import { readJson, writeJson, type Shelf } from './store.ts';

export interface Parcel {
    key: string;
    questionId: string;
    response: { type: string; value: unknown; text?: string; args?: unknown };
    label: string; // what it says, for people
    at: number; // when it was given
}

export type Sent = { parcel: Parcel; outcome: 'sent' } | { parcel: Parcel; outcome: 'refused'; why: Refused };

const name = 'witan.outbox';

export class Outbox {
    readonly #shelf: Shelf;
    readonly #send: (parcel: Parcel) => Promise<unknown>;
    #running: Promise<void> | undefined;
    /** Told after every change, with what waits. */
    onchange: (waiting: Parcel[]) => void = () => {};
    /** Told of each parcel that is done with. */
    onsent: (sent: Sent) => void = () => {};

    constructor(shelf: Shelf, send: (parcel: Parcel) => Promise<unknown>) {
        this.#shelf = shelf;
        this.#send = send;
    }

    get waiting(): Parcel[] {
        return readJson<Parcel[]>(this.#shelf, name, []);
    }

    /** Keeps an answer; a second one to the same question takes the place of the first. */
    add(parcel: Parcel): void {
        this.#keep([...this.waiting.filter((other) => other.questionId !== parcel.questionId), parcel]);
    }

    /** Takes an answer back that has not been sent. */
    remove(key: string): void {
        this.#keep(this.waiting.filter((parcel) => parcel.key !== key));
    }

    #keep(parcels: Parcel[]): void {
        writeJson(this.#shelf, name, parcels.length > 0 ? parcels : undefined);
        this.onchange(parcels);
    }

    /** Sends what waits, in order, until it is empty or the server is away. One round at a time. */
    flush(): Promise<void> {
        this.#running ??= this.#round().finally(() => (this.#running = undefined));
        return this.#running;
    }

    async #round(): Promise<void> {
        for (const parcel of this.waiting) {
            if (!this.waiting.some((still) => still.key === parcel.key)) continue; // taken back meanwhile
            try {
                await this.#send(parcel);
            } catch (why) {
                if (why instanceof Unreachable || !(why instanceof Refused)) return;
                if (why.status === 401 || why.status === 429 || why.status >= 500) return;
                this.remove(parcel.key);
                this.onsent({ parcel, outcome: 'refused', why });
                continue;
            }
            this.remove(parcel.key);
            this.onsent({ parcel, outcome: 'sent' });
        }
    }
}
