/*
 * One pass from left to right. A word is looked at as a whole when it begins, and so is a run of blanks; the
 * word behind one that is all of look-alikes is looked at once more.
 */
#include "base/visible.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define MOST_BLANKS      8
#define MOST_INDENT      40
#define MOST_TABS        10
#define MOST_EMPTY_LINES 3
#define MOST_MARKS       6
#define NEAR_WORD        3

struct range {
    uint32_t from, to;
};

#define WITHIN(code, ranges) is_within(code, ranges, sizeof(ranges) / sizeof((ranges)[0]))

static bool is_within(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return true;
    return false;
}

/* Nothing of these is seen. Joiners, variation selectors and tags are ordinary in some places (fits). */
static const struct range hidden[] = {
    { 0x00, 0x08 },       { 0x0B, 0x1F },     { 0x7F, 0x9F },     { 0xAD, 0xAD },       { 0x34F, 0x34F },
    { 0x61C, 0x61C },     { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 }, { 0x180B, 0x180F },   { 0x200B, 0x200F },
    { 0x2028, 0x202E },   { 0x2060, 0x206F }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 },   { 0xFE00, 0xFE0F },
    { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },
    { 0xE0000, 0xE0FFF },
};
static const struct range blanks[] = {
    { 0xA0, 0xA0 },     { 0x1680, 0x1680 }, { 0x2000, 0x200A },
    { 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 },
};
static const struct range right_to_left[] = {
    { 0x590, 0x8FF }, { 0xFB1D, 0xFDFF }, { 0xFE70, 0xFEFC }, { 0x10800, 0x10FFF }, { 0x1E800, 0x1EFFF },
};
/* Letters enough to say that a text has words of such a script. */
static const struct range rtl_letters[] = {
    { 0x5D0, 0x61B }, { 0x61D, 0x7FF }, { 0x8A0, 0x8FF }, { 0xFB1D, 0xFDFF }, { 0xFE70, 0xFEFC },
};
static const struct range han_letters[] = { { 0x2E80, 0x9FFF }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF } };
/* Scripts in which letters are joined, or kept apart, by a character that is not seen. */
static const struct range joining[] = {
    { 0x600, 0x8FF },   { 0x900, 0xDFF },   { 0xF00, 0x109F },  { 0x1780, 0x18AF },
    { 0xA800, 0xABFF }, { 0xFB50, 0xFDFF }, { 0xFE70, 0xFEFC }, { 0x11000, 0x11FFF },
};
static const struct range pictures[] = {
    { 0x203C, 0x203C }, { 0x2049, 0x2049 }, { 0x2100, 0x2BFF }, { 0x3030, 0x303D },
    { 0x3297, 0x3299 }, { 0xA9, 0xA9 },     { 0xAE, 0xAE },     { 0x1F000, 0x1FAFF },
};
static const struct range han[] = {
    { 0x2E80, 0x9FFF },
    { 0xAC00, 0xD7FF },
    { 0xF900, 0xFAFF },
    { 0x20000, 0x3FFFF },
};
static const struct range stacked[] = {
    { 0x300, 0x36F },   { 0x483, 0x489 },   { 0x1AB0, 0x1AFF },
    { 0x1DC0, 0x1DFF }, { 0x20D0, 0x20FF }, { 0xFE20, 0xFE2F },
};
/* Signs that look like one that a shell knows. */
static const struct range signs[] = {
    { 0x1C0, 0x1C0 },   { 0x1C3, 0x1C3 },   { 0x37E, 0x37E },   { 0x589, 0x589 },   { 0x2010, 0x2011 },
    { 0x2024, 0x2024 }, { 0x2044, 0x2044 }, { 0x2212, 0x2212 }, { 0x2215, 0x2217 }, { 0x2223, 0x2223 },
    { 0x2236, 0x2236 }, { 0xA789, 0xA789 }, { 0xFE50, 0xFE6B },
};

static const struct range latin[] = {
    { 0x41, 0x5A },   { 0x61, 0x7A },     { 0xC0, 0xD6 },     { 0xD8, 0xF6 },     { 0xF8, 0x1BF },
    { 0x1C4, 0x24F }, { 0x1E00, 0x1EFF }, { 0x2C60, 0x2C7F }, { 0xA720, 0xA788 }, { 0xA78B, 0xA7FF },
};
static const struct range neutral[] = { { 0x30, 0x39 }, { 0x5F, 0x5F }, { 0x300, 0x36F } };
static const struct range fullwidth[] = { { 0xFF21, 0xFF3A }, { 0xFF41, 0xFF5A } };
static const struct range other_scripts[] = {
    { 0x250, 0x2AF },   { 0x370, 0x37D },   { 0x37F, 0x52F },   { 0x531, 0x588 },
    { 0x13A0, 0x13FF }, { 0x1C80, 0x1C8F }, { 0x1F00, 0x1FFF }, { 0x2160, 0x2188 },
    { 0x2DE0, 0x2DFF }, { 0xA640, 0xA69F }, { 0xAB70, 0xABBF }, { 0x1D400, 0x1D7FF },
};
static const struct range always_alike[] = { { 0x13A0, 0x13FF }, { 0x2160, 0x2188 }, { 0x1D400, 0x1D7FF } };
/* Of IPA, Greek, Cyrillic and Armenian; below 0x600, as all of these are. */
static const char alike[] = "ɑɡ"
                            "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχϲϳͿϹ"
                            "АВЕЗКМНОРСТУХаеорсухѕіјЅІЈһԁԛԜԝԚӏӀүҮѴѵԌ"
                            "ցզհոսօՍՕ";

enum letter { LETTER_NONE, LETTER_NEUTRAL, LETTER_LATIN, LETTER_ALIKE, LETTER_CLEAR, LETTERS };

static bool is_alike(const char *letter, size_t bytes)
{
    for (const char *at = alike; *at; at += 2)
        if (bytes == 2 && memcmp(at, letter, 2) == 0)
            return true;
    return false;
}

/* The character at a place: its bytes, at least one; a byte that is none has no code. */
#define NO_CODE 0xFFFFFFFF

static size_t at_place(const struct visible *v, size_t at, uint32_t *code)
{
    size_t bytes = at < v->len ? str_decode(v->text + at, v->len - at, code) : 0;

    if (bytes == 0)
        *code = NO_CODE;
    return bytes ? bytes : 1;
}

static uint32_t code_at(const struct visible *v, size_t at)
{
    uint32_t code;

    at_place(v, at, &code);
    return code;
}

static enum letter letter_at(const struct visible *v, size_t at, size_t *bytes)
{
    uint32_t code;

    *bytes = at_place(v, at, &code);
    if (code == NO_CODE)
        return LETTER_NONE;
    if (WITHIN(code, latin))
        return LETTER_LATIN;
    if (WITHIN(code, neutral))
        return LETTER_NEUTRAL;
    if (WITHIN(code, fullwidth)) /* the ordinary ones among Chinese characters */
        return v->has_han ? LETTER_NEUTRAL : LETTER_ALIKE;
    if (!WITHIN(code, other_scripts))
        return LETTER_NONE;
    return WITHIN(code, always_alike) || is_alike(v->text + at, *bytes) ? LETTER_ALIKE : LETTER_CLEAR;
}

void visible_begin(struct visible *v, const char *text, size_t len, enum visible_way way)
{
    uint32_t code;

    *v = (struct visible){ .text = text, .len = len, .way = way, .indent = true };
    for (size_t at = 0; at < len; at += at_place(v, at, &code)) {
        if ((unsigned char)text[at] < 0x80)
            continue;
        code = code_at(v, at);
        v->has_han |= WITHIN(code, han_letters);
        v->has_rtl |= WITHIN(code, rtl_letters);
    }
}

/* Goes on by so many bytes. */
static void step(struct visible *v, size_t bytes)
{
    for (size_t end = v->at + bytes, one; v->at < end; v->at += one) {
        one = at_place(v, v->at, &v->before);
        v->indent = v->before == '\n' || (v->indent && (v->before == ' ' || v->before == '\t'));
    }
}

/* "3,000" */
static int write_number(char *into, size_t room, size_t number)
{
    if (number < 1000)
        return snprintf(into, room, "%zu", number);
    int used = write_number(into, room, number / 1000);

    return used + snprintf(into + used, room - (size_t)used, ",%03zu", number % 1000);
}

static void label_count(struct visible_part *part, size_t count, const char *one, const char *many)
{
    int used = write_number(part->label, sizeof(part->label), count);

    snprintf(part->label + used, sizeof(part->label) - (size_t)used, " %s", count == 1 ? one : many);
}

static void label_code(struct visible_part *part, uint32_t code, size_t count)
{
    int used = code == NO_CODE
                   ? snprintf(part->label, sizeof(part->label), "byte %02X", (unsigned char)part->text[0])
                   : snprintf(part->label, sizeof(part->label), "U+%04X", (unsigned)code);

    if (count > 1) {
        used += snprintf(part->label + used, sizeof(part->label) - (size_t)used, " ×");
        write_number(part->label + used, sizeof(part->label) - (size_t)used, count);
    }
}

/* How many of the same character stand here, and their bytes; bytes that are no text are one by one. */
static size_t run_of(const struct visible *v, uint32_t code, size_t *len)
{
    size_t count = 0, at = v->at;
    uint32_t other;

    do {
        at += at_place(v, at, &other);
        count++;
    } while (at < v->len && code != NO_CODE && code_at(v, at) == code);
    *len = at - v->at;
    return count;
}

static bool mark_run(struct visible *v, uint32_t code, struct visible_part *part)
{
    size_t count = run_of(v, code, &part->len);

    part->is = VISIBLE_HIDDEN;
    label_code(part, code, count);
    return true;
}

static bool ends_line(const struct visible *v, size_t at)
{
    return at >= v->len || v->text[at] == '\n' ||
           (v->text[at] == '\r' && at + 1 < v->len && v->text[at + 1] == '\n');
}

static bool mark_lines(struct visible *v, struct visible_part *part)
{
    size_t end = v->at + 1, count = 0;

    for (size_t to = end;; end = to, count++) {
        while (to < v->len && (v->text[to] == ' ' || v->text[to] == '\t' || v->text[to] == '\r'))
            to++;
        if (to >= v->len || v->text[to] != '\n')
            break;
        to++;
    }
    if (count <= MOST_EMPTY_LINES)
        return false;
    part->is = VISIBLE_LINES;
    part->len = end - v->at;
    label_count(part, count, "", "empty lines");
    return true;
}

/* What is left of a run that is not marked is not looked at again. */
static bool mark_blanks(struct visible *v, struct visible_part *part)
{
    bool exact = v->way == VISIBLE_EXACT;
    size_t count = run_of(v, ' ', &part->len), most = !exact || v->indent ? MOST_INDENT : MOST_BLANKS;

    if (count <= most && !(exact && ends_line(v, v->at + count))) {
        step(v, count - 1);
        return false;
    }
    part->is = VISIBLE_BLANKS;
    label_count(part, count, "blank", "blanks");
    return true;
}

static bool mark_tabs(struct visible *v, struct visible_part *part)
{
    size_t count = run_of(v, '\t', &part->len);
    bool ordinary = v->indent && count <= MOST_TABS && !ends_line(v, v->at + count);

    if (v->way == VISIBLE_EXACT && !ordinary)
        return mark_run(v, '\t', part);
    step(v, count - 1);
    return false;
}

/* The flag of a part of a country: a black flag, letters that are not seen, and their end. */
static bool pass_flag(struct visible *v)
{
    const size_t each = 4;
    size_t at = v->at + each;

    for (size_t count = 0; count < 7; count++, at += each) {
        uint32_t code = code_at(v, at);

        if (code == 0xE007F && count > 1) {
            step(v, at - v->at);
            return true;
        }
        if (code < 0xE0030 || code > 0xE007A)
            return false;
    }
    return false;
}

static bool selects(uint32_t before, uint32_t next)
{
    static const struct range keys[] = { { '#', '#' }, { '*', '*' }, { '0', '9' } };

    return WITHIN(before, pictures) || WITHIN(before, han) || WITHIN(before, joining) ||
           (next == 0x20E3 && WITHIN(before, keys));
}

static bool joins(const struct visible *v, uint32_t code, uint32_t next)
{
    if (WITHIN(v->before, joining))
        return v->way == VISIBLE_PROSE || WITHIN(next, joining);
    return code == 0x200D && (v->before == 0xFE0F || WITHIN(v->before, pictures)) && WITHIN(next, pictures);
}

/* Whether something that is not seen is ordinary where it stands. */
static bool fits(const struct visible *v, uint32_t code, size_t bytes)
{
    static const struct range unspaced[] = { { 0xE00, 0xEFF }, { 0x1000, 0x109F }, { 0x1780, 0x17FF } };
    static const struct range jamo[] = { { 0x1100, 0x11FF } };
    uint32_t next = code_at(v, v->at + bytes), before = v->before;
    bool prose = v->way == VISIBLE_PROSE;

    if (code == '\r')
        return prose && next == '\n';
    if (code == 0x61C || code == 0x200E || code == 0x200F)
        return prose && v->has_rtl;
    if (code == 0x200B)
        return prose && WITHIN(before, unspaced);
    if (code == 0x200C || code == 0x200D)
        return joins(v, code, next);
    if (code == 0x115F || code == 0x1160)
        return WITHIN(before, jamo) || WITHIN(next, jamo);
    if (code >= 0x180B && code <= 0x180F)
        return code != 0x180E && before >= 0x1820 && before <= 0x18AA;
    if (code >= 0xFE00 && code <= 0xFE0F)
        return selects(before, next);
    return code >= 0xE0100 && code <= 0xE01EF && WITHIN(before, han);
}

/* Where the word ends that begins here; counts its letters. */
static size_t scan_word(const struct visible *v, size_t at, size_t counts[static LETTERS])
{
    size_t bytes;

    memset(counts, 0, LETTERS * sizeof(*counts));
    for (enum letter is; at < v->len && (is = letter_at(v, at, &bytes)) != LETTER_NONE; at += bytes)
        counts[is]++;
    return at;
}

static bool clear_follows(const struct visible *v, size_t at)
{
    size_t counts[LETTERS], bytes;

    for (size_t count = 0; count < NEAR_WORD && at < v->len; count++, at += bytes)
        if (letter_at(v, at, &bytes) != LETTER_NONE)
            break;
    scan_word(v, at, counts);
    return counts[LETTER_CLEAR] > 0;
}

/* How many characters lie between the last word with a clear letter and this place, up to a few. */
static bool clear_is_near(const struct visible *v)
{
    size_t count = 0;
    uint32_t code;

    if (!v->after_clear)
        return false;
    for (size_t at = v->clear_end; at < v->at && count <= NEAR_WORD; count += code > 0xFFFF ? 2 : 1)
        at += at_place(v, at, &code);
    return count <= NEAR_WORD;
}

static void begin_word(struct visible *v)
{
    size_t counts[LETTERS], end = scan_word(v, v->at, counts);
    bool unclear = counts[LETTER_ALIKE] > 0 && counts[LETTER_CLEAR] == 0;
    bool mixed = unclear && counts[LETTER_LATIN] > 0;
    bool masked = unclear && v->way == VISIBLE_EXACT && counts[LETTER_LATIN] == 0 && counts[LETTER_ALIKE] > 1;

    v->marks_word = mixed || (masked && !clear_is_near(v) && !clear_follows(v, end));
    v->word_end = end;
    if (counts[LETTER_CLEAR] > 0) {
        v->clear_end = end;
        v->after_clear = true;
    }
}

/* Whether a letter has to be marked for the word that it stands in. */
static bool is_masked(struct visible *v)
{
    size_t bytes;
    enum letter is = letter_at(v, v->at, &bytes);

    if (is == LETTER_NONE)
        return false;
    if (v->at >= v->word_end)
        begin_word(v);
    return is == LETTER_ALIKE && v->marks_word;
}

static bool mark_stack(struct visible *v, struct visible_part *part)
{
    size_t count = 0, end = v->at;
    uint32_t code;

    while (WITHIN(code_at(v, end), stacked)) {
        end += at_place(v, end, &code);
        count++;
    }
    if (count > MOST_MARKS) {
        part->is = VISIBLE_MARKS;
        part->len = end - v->at;
        label_count(part, count, "", "stacked marks");
        return true;
    }
    (void)is_masked(v);
    while (count-- > 1)
        step(v, at_place(v, v->at, &code));
    return false;
}

static bool is_backwards(const struct visible *v, size_t at)
{
    uint32_t code = code_at(v, at);

    return WITHIN(code, right_to_left) && !WITHIN(code, hidden);
}

/* With single blanks between its words. */
static bool take_backwards(struct visible *v, struct visible_part *part)
{
    size_t end = v->at;
    uint32_t code;

    while (is_backwards(v, end) || (code_at(v, end) == ' ' && is_backwards(v, end + 1)))
        end += at_place(v, end, &code);
    part->is = VISIBLE_RTL;
    part->len = end - v->at;
    return true;
}

/* Beyond the letters and signs of ASCII. */
static bool mark_foreign(struct visible *v, uint32_t code, size_t bytes, struct visible_part *part)
{
    bool exact = v->way == VISIBLE_EXACT;

    if (code == 0x1F3F4 && pass_flag(v))
        return false;
    if (code == NO_CODE || WITHIN(code, hidden))
        return (code == NO_CODE || !fits(v, code, bytes)) && mark_run(v, code, part);
    if (WITHIN(code, blanks))
        return (exact || run_of(v, code, &part->len) > MOST_BLANKS) && mark_run(v, code, part);
    if (WITHIN(code, stacked))
        return mark_stack(v, part);
    if ((exact && (WITHIN(code, signs) || (!v->has_han && code > 0xFF00 && code < 0xFF5F))) || is_masked(v)) {
        part->is = VISIBLE_LIKE;
        part->len = bytes;
        label_code(part, code, 1);
        return true;
    }
    return exact && WITHIN(code, right_to_left) && take_backwards(v, part);
}

/* Whether a part of its own begins here. */
static bool special(struct visible *v, struct visible_part *part)
{
    uint32_t code;
    size_t bytes = at_place(v, v->at, &code);

    *part = (struct visible_part){ .text = v->text + v->at };
    if (code == '\n')
        return mark_lines(v, part);
    if (code == ' ')
        return mark_blanks(v, part);
    if (code == '\t')
        return mark_tabs(v, part);
    if (code > 0x20 && code < 0x7F) {
        (void)is_masked(v);
        return false;
    }
    return mark_foreign(v, code, bytes, part);
}

bool visible_next(struct visible *v, struct visible_part *part)
{
    size_t from = v->at;
    uint32_t code;

    while (v->at < v->len) {
        struct visible before = *v;

        if (!special(v, part)) {
            step(v, at_place(v, v->at, &code));
            continue;
        }
        if (v->at > from) { /* what is plain comes first; this is found again */
            *v = before;
            break;
        }
        step(v, part->len);
        return true;
    }
    *part = (struct visible_part){ .text = v->text + from, .len = v->at - from };
    return v->at > from;
}

static void add_flat(struct buf *out, const struct visible_part *part)
{
    switch (part->is) {
    case VISIBLE_TEXT:
    case VISIBLE_RTL: buf_add(out, part->text, part->len); break;
    case VISIBLE_LIKE:
        buf_add(out, part->text, part->len);
        buf_format(out, "<%s>", part->label);
        break;
    case VISIBLE_LINES: buf_format(out, "\n<%s>\n", part->label); break;
    case VISIBLE_HIDDEN:
    case VISIBLE_BLANKS:
    case VISIBLE_MARKS: buf_format(out, "<%s>", part->label); break;
    }
}

const char *visible_flat(struct arena *arena, const char *text, enum visible_way way)
{
    BUF_AUTO out = { 0 };
    struct visible visible;
    struct visible_part part;

    buf_init(&out, 0);
    visible_begin(&visible, text, strlen(text), way);
    while (visible_next(&visible, &part))
        add_flat(&out, &part);
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}
