/*
 * What is ASCII, and nearly all names are, is lowered byte by byte. The rest goes through utf8proc twice: put
 * into one order first, since folding turns a mark of Greek (U+0345) into a letter, past which nothing is put
 * in order any more; then folded. utf8proc's own buffers come from malloc, which a call that is left could
 * not give back, so its steps are called one by one with memory of the arena.
 */
#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <utf8proc.h>

#define RULES 1 /* goes up with every change here by which a name would get another key */

#define IN_ORDER (UTF8PROC_STABLE | UTF8PROC_DECOMPOSE)
#define FOLDED   (UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)
#define LETTER_MOST \
    128 /* bytes of a letter with the marks upon it; of more, those behind stand by themselves */

static char lowered(char byte)
{
    return (char)(byte + (byte >= 'A' && byte <= 'Z' ? 'a' - 'A' : 0));
}

/* Eight bytes at once: the top bit of each says whether it is a capital, and a quarter of that bit makes it
 * small. */
static uint64_t eight_lowered(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t low = word & ~tops;
    uint64_t capitals = (low + ones * (0x80 - 'A')) ^ (low + ones * (0x7F - 'Z'));

    return word | (capitals & ~word & tops) >> 2;
}

/* A copy in small letters; says whether all of it is ASCII. */
static char *copy_lowered(struct arena *arena, const char *text, bool *ascii)
{
    size_t len = strlen(text), at = 0;
    char *copy = arena_copy(arena, text, len);
    uint64_t all = 0, word;

    for (; len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, copy + at, sizeof(word));
        all |= word;
        word = eight_lowered(word);
        memcpy(copy + at, &word, sizeof(word));
    }
    for (; at < len; at++) {
        all |= (unsigned char)copy[at];
        copy[at] = lowered(copy[at]);
    }
    *ascii = (all & UINT64_C(0x8080808080808080)) == 0;
    return copy;
}

static bool is_ascii(const char *text)
{
    unsigned char all = 0;

    for (; *text; text++)
        all |= (unsigned char)*text;
    return all < 0x80;
}

char *str_lower(struct arena *arena, const char *text)
{
    bool ignored;

    return text ? copy_lowered(arena, text, &ignored) : NULL;
}

/* The code points that a text becomes, with room for one more behind them; NULL: it is no UTF-8. */
static int32_t *codes_of(struct arena *arena, const char *text, int options, size_t *count)
{
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t len = (utf8proc_ssize_t)strlen(text), room = len, used;
    int32_t *codes = arena_array(arena, int32_t, (size_t)room + 1);

    used = utf8proc_decompose(bytes, len, codes, room, (utf8proc_option_t)options);
    if (used > room) {
        room = used;
        codes = arena_array(arena, int32_t, (size_t)room + 1);
        used = utf8proc_decompose(bytes, len, codes, room, (utf8proc_option_t)options);
    }
    if (used < 0 || used > room)
        return NULL;
    *count = (size_t)used;
    return codes;
}

/* The code points as text again, made of as few as there can be. */
static char *text_of(int32_t *codes, size_t count)
{
    (void)utf8proc_reencode(codes, (utf8proc_ssize_t)count, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    return (char *)codes;
}

/* Folded, in the order that all ways of writing it come to; NULL: it is no UTF-8. */
static int32_t *folded_codes(struct arena *arena, const char *text, size_t *count)
{
    int32_t *codes = codes_of(arena, text, IN_ORDER, count);

    return codes ? codes_of(arena, text_of(codes, *count), FOLDED, count) : NULL;
}

/* What is nothing but invisible would become nothing, by which all such would be one. */
static char *fold_beyond_ascii(struct arena *arena, char *lower)
{
    size_t count;
    int32_t *codes = folded_codes(arena, lower, &count);

    return codes && count > 0 ? text_of(codes, count) : lower;
}

char *str_fold(struct arena *arena, const char *text)
{
    bool ascii = true;
    char *lower = text ? copy_lowered(arena, text, &ascii) : NULL;

    return ascii ? lower : fold_beyond_ascii(arena, lower);
}

const char *str_fold_beyond(struct arena *arena, const char *text)
{
    return !text || is_ascii(text) ? NULL : str_fold(arena, text);
}

char *str_fold_bare(struct arena *arena, const char *text)
{
    size_t count, kept = 0;
    bool ascii;
    char *lower = copy_lowered(arena, text, &ascii);

    if (ascii)
        return lower;
    int32_t *codes = folded_codes(arena, lower, &count);

    if (!codes)
        return lower;
    for (size_t i = 0; i < count; i++)
        if (codes[i] < 0x300 || codes[i] > 0x36F)
            codes[kept++] = codes[i];
    return text_of(codes, kept);
}

bool str_same_name(const char *a, const char *b)
{
    ARENA_AUTO arena = { 0 };
    size_t same = 0;

    while (a[same] && lowered(a[same]) == lowered(b[same]))
        same++;
    if (a[same] == b[same])
        return true;
    return (!is_ascii(a) || !is_ascii(b)) && strcmp(str_fold(&arena, a), str_fold(&arena, b)) == 0;
}

/* Marks, and what is passed over in a name: marks behind that are put in order with those before it. */
static bool goes_with_a_letter(uint32_t code)
{
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)code);

    return property->combining_class != 0 || property->ignorable;
}

/* Bytes of the letter that stands here with the marks upon it; 0: no whole one does. */
static size_t marked_letter(const char *text)
{
    size_t len = strnlen(text, LETTER_MOST), at = 0, step;
    uint32_t code;

    while ((step = str_decode(text + at, len - at, &code)) > 0 && (at == 0 || goes_with_a_letter(code)))
        at += step;
    return at;
}

/* Marks behind a colon or bracket are not its own: what a label ends with is there as soon as it has come. */
static bool is_punctuation(int32_t code)
{
    return code > 0 && code < 0x80 && ispunct((int)code);
}

/* Letter by letter: each becomes some of the code points that the name becomes, or the text goes on
 * otherwise. */
static enum str_beginning begins_beyond_ascii(const char *text, const char *name, size_t *len)
{
    ARENA_AUTO arena = { 0 };
    size_t wanted, found, at = 0, matched = 0, step;
    const int32_t *name_codes = folded_codes(&arena, name, &wanted), *codes;

    while (name_codes && matched < wanted) {
        if (is_punctuation(name_codes[matched]) && text[at] == (char)name_codes[matched]) {
            matched++;
            at++;
            continue;
        }
        step = marked_letter(text + at);
        if (step == 0)
            return strnlen(text + at, 4) < 4 ? STR_BEGINS_PART : STR_BEGINS_OTHER;
        codes = folded_codes(&arena, arena_copy(&arena, text + at, step), &found);
        if (found > wanted - matched || memcmp(codes, name_codes + matched, found * sizeof(*codes)) != 0)
            return STR_BEGINS_OTHER;
        matched += found;
        at += step;
    }
    *len = at;
    return name_codes ? STR_BEGINS_WHOLE : STR_BEGINS_OTHER;
}

enum str_beginning str_begins_with_name(const char *text, const char *name, size_t *len)
{
    size_t at = 0;

    for (; name[at] && lowered(text[at]) == lowered(name[at]); at++)
        if ((unsigned char)name[at] >= 0x80)
            break;
    if ((unsigned char)name[at] >= 0x80 || (unsigned char)text[at] >= 0x80)
        return begins_beyond_ascii(text, name, len);
    if (!name[at])
        *len = at;
    return !name[at] ? STR_BEGINS_WHOLE : text[at] ? STR_BEGINS_OTHER : STR_BEGINS_PART;
}

char *str_fold_apart(struct arena *arena, const char *text)
{
    return arena_format(arena, "\n%s", str_lower(arena, text));
}

const char *str_fold_version(struct arena *arena)
{
    return arena_format(arena, "%d/%s", RULES, utf8proc_unicode_version());
}
