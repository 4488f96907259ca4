// Answers that could not be sent yet. Each has a key of its own, under which the server takes it once however
// often it comes, so an answer whose reply was lost is simply sent again.
import { Refused, Unreachable } from './api.ts';
import { readJson, writeJson, type Shelf } from './store.ts';

export interface Parcel {
    key: string;
    by: string; // whose answer it is: nobody else's login sends it
    questionId: string;
    response: { type: string; value: unknown; text?: string; args?: unknown };
    label: string; // what it says, for people
    title?: string; // what was asked, in a line
    late?: boolean; // it was known to come after the deadline
    at: number; // when it was given
}

export type Sent<Reply> = { parcel: Parcel; outcome: 'sent'; said: Reply } | { parcel: Parcel; outcome: 'refused'; why: Refused };

const name = 'witan.outbox';

// Who came by a link that has ended cannot log in and send it then.
const isOver = (why: Refused, { by }: Parcel) => why.code.startsWith('link_') && /^link(@|$)/.test(by);

export class Outbox<Reply> {
    readonly #shelf: Shelf;
    readonly #send: (parcel: Parcel) => Promise<Reply>;
    #running: Promise<void> | undefined;
    /** What a full shelf had no room for lasts as long as the page. */
    #unkept: Parcel[] | undefined;
    /** Told after every change, with what waits. */
    onchange: (waiting: Parcel[]) => void = () => {};
    /** Told of each parcel that is done with. */
    onsent: (sent: Sent<Reply>) => void = () => {};

    constructor(shelf: Shelf, send: (parcel: Parcel) => Promise<Reply>) {
        this.#shelf = shelf;
        this.#send = send;
    }

    get waiting(): Parcel[] {
        return this.#unkept ?? readJson<Parcel[]>(this.#shelf, name, []);
    }

    /** Keeps an answer; a second one to the same question takes the place of the first. */
    add(parcel: Parcel): void {
        this.#keep([...this.waiting.filter((other) => other.questionId !== parcel.questionId || other.by !== parcel.by), parcel]);
    }

    /** Takes an answer back that has not been sent. */
    remove(key: string): void {
        this.#keep(this.waiting.filter((parcel) => parcel.key !== key));
    }

    #keep(parcels: Parcel[]): void {
        this.#unkept = writeJson(this.#shelf, name, parcels.length > 0 ? parcels : undefined) ? undefined : parcels;
        this.onchange(parcels);
    }

    /** Lets go of what somebody has not sent: they have left. */
    forget(by: string): void {
        this.#keep(this.waiting.filter((parcel) => parcel.by !== by));
    }

    /** Sends what waits of this caller, in order, until there is none or the server is away. One round at a time. */
    flush(by: string): Promise<void> {
        this.#running ??= this.#round(by).finally(() => (this.#running = undefined));
        return this.#running;
    }

    async #round(by: string): Promise<void> {
        for (const parcel of this.waiting) {
            if (parcel.by !== by || !this.waiting.some((still) => still.key === parcel.key)) continue; // somebody else's, or taken back meanwhile
            let said: Reply;
            try {
                said = await this.#send(parcel);
            } catch (why) {
                if (why instanceof Unreachable || !(why instanceof Refused)) return;
                if ((why.status === 401 && !isOver(why, parcel)) || why.status === 429 || why.status >= 500) return;
                this.remove(parcel.key);
                this.onsent({ parcel, outcome: 'refused', why });
                continue;
            }
            this.remove(parcel.key);
            this.onsent({ parcel, outcome: 'sent', said });
        }
    }
}
