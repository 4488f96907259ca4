// The words of a turn while it is spoken, from two sources: pieces as they are said, in their order, and all that was said before
// by the time that somebody asked. Either may come first, and they overlap; nothing is shown twice, nothing is left out.
//
// Offsets count characters, not UTF-16 units. A piece that follows what is there costs as much as the piece; only where the two
// sources meet is the whole looked at.
const chars = (text: string): number => {
    let n = 0;
    for (const _ of text) n += 1;
    return n;
};

export class Speech {
    text = '';
    /** How many characters of its beginning are not known. */
    missed = 0;
    /** Counts up when the text is another than before, not only longer. */
    anew = 0;
    #length = 0; // of the text
    #said = -1; // where the next piece is to come; -1: none has come

    /** A piece, as it is said. A turn that is asked for again begins at 0 once more. */
    hear(offset: number, piece: string): void {
        const end = this.missed + this.#length;
        const again = this.#said >= 0 && offset < this.#said;
        this.#said = offset + chars(piece);
        if (!again && offset === end) this.#add(piece, this.#said - offset);
        else if (again && offset === 0) this.#set(0, piece);
        else if (offset > end || offset < this.missed || this.#length === 0) this.#set(offset, piece);
        else this.#over(offset, piece, again);
    }

    // Into what is known: what is there already stays, unless it reads otherwise.
    #over(offset: number, piece: string, again: boolean): void {
        const known = [...this.text];
        const at = offset - this.missed;
        const there = known.slice(at, at + (this.#said - offset)).join('');
        if (!again && piece.startsWith(there)) this.#add(piece.slice(there.length), Math.max(0, this.#said - this.missed - this.#length));
        else this.#set(this.missed, known.slice(0, at).join('') + piece);
    }

    /** All that was said by the time that somebody asked. What was said since is kept; what was said before another try is not. */
    before(whole: string): void {
        if (this.#length === 0) return this.#set(0, whole);
        const all = [...whole];
        if (all.length < this.missed) return; // there is still something in between
        const meets = all.slice(this.missed).join('');
        if (this.text.startsWith(meets)) {
            if (this.missed > 0) this.#set(0, all.slice(0, this.missed).join('') + this.text);
        } else if (meets.startsWith(this.text)) {
            if (this.missed > 0) this.#set(0, whole);
            else this.#add(meets.slice(this.text.length), all.length - this.#length);
        }
    }

    #add(words: string, length: number): void {
        this.text += words;
        this.#length += length;
    }

    #set(missed: number, text: string): void {
        this.missed = missed;
        this.text = text;
        this.#length = chars(text);
        this.anew += 1;
    }
}
