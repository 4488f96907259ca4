/*
 * Folding goes character by character through a few ranges: the Latin letters of European languages lose
 * their accents, Greek and Cyrillic ones become small and lose the most usual, letters in full width become
 * plain. Marks that follow a letter are dropped, so that both ways of writing an accent come to the same.
 */
#include "core/search/terms.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

#define FOLDED_MAX 4 /* bytes that one character becomes at most */

struct word {
    char bytes[LIMIT_SEARCH_WORD + FOLDED_MAX];
    size_t len;
};

/* U+00C0 to U+017F; capitals stand for two letters, see latin_pair. */
static const char latin[] = "aaaaaaAceeeeiiiidnooooo ouuuuyTS"
                            "aaaaaaAceeeeiiiidnooooo ouuuuyTy"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii"
                            "IIjjkkkllllllllllnnnnnnnnnooooooOOrrrrrrssssssss"
                            "ttttttuuuuuuuuuuuuwwyyyzzzzzzs";
_Static_assert(sizeof(latin) == 0x180 - 0xC0 + 1, "a letter for each character");

static const char *latin_pair(char letter)
{
    switch (letter) {
    case 'A': return "ae";
    case 'I': return "ij";
    case 'O': return "oe";
    case 'S': return "ss";
    case 'T': return "th";
    default: return NULL;
    }
}

/* Letters whose small form lies a fixed way behind them. */
static uint32_t small_letter(uint32_t code)
{
    static const struct {
        uint32_t from, to, way;
    } shifted[] = { { 0x391, 0x3A9, 32 }, { 0x400, 0x40F, 80 }, { 0x410, 0x42F, 32 }, { 0x531, 0x556, 48 } };
    /* Large and small take turns; the large one is even, or odd. */
    static const struct {
        uint32_t from, to;
        bool odd;
    } paired[] = { { 0x1CD, 0x1DC, true },   { 0x1DE, 0x1EF, false }, { 0x1F8, 0x21F, false },
                   { 0x222, 0x233, false },  { 0x460, 0x481, false }, { 0x48A, 0x4BF, false },
                   { 0x4C1, 0x4CE, true },   { 0x4D0, 0x52F, false }, { 0x1E00, 0x1E95, false },
                   { 0x1EA0, 0x1EFF, false } };

    for (size_t i = 0; i < sizeof(shifted) / sizeof(*shifted); i++)
        if (code >= shifted[i].from && code <= shifted[i].to)
            return code + shifted[i].way;
    for (size_t i = 0; i < sizeof(paired) / sizeof(*paired); i++)
        if (code >= paired[i].from && code <= paired[i].to)
            return (code % 2 == 1) == paired[i].odd ? code + 1 : code;
    return code;
}

/* Greek letters with an accent, the sigma at the end of a word, and the Cyrillic io. */
static uint32_t plain_letter(uint32_t code)
{
    static const uint32_t accents[][2] = {
        { 0x386, 0x3B1 }, { 0x388, 0x3B5 }, { 0x389, 0x3B7 }, { 0x38A, 0x3B9 },
        { 0x38C, 0x3BF }, { 0x38E, 0x3C5 }, { 0x38F, 0x3C9 }, { 0x3AC, 0x3B1 },
        { 0x3AD, 0x3B5 }, { 0x3AE, 0x3B7 }, { 0x3AF, 0x3B9 }, { 0x3CC, 0x3BF },
        { 0x3CD, 0x3C5 }, { 0x3CE, 0x3C9 }, { 0x3C2, 0x3C3 }, { 0x451, 0x435 },
    };

    for (size_t i = 0; i < sizeof(accents) / sizeof(*accents); i++)
        if (accents[i][0] == code)
            return accents[i][1];
    return code;
}

static size_t encode(uint32_t code, char into[static FOLDED_MAX])
{
    if (code < 0x80) {
        into[0] = (char)code;
        return 1;
    }
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    uint32_t lead = len == 2 ? 0xC0 : len == 3 ? 0xE0 : 0xF0;

    for (size_t i = len - 1; i > 0; i--, code >>= 6)
        into[i] = (char)(0x80 | (code & 0x3F));
    into[0] = (char)(lead | code);
    return len;
}

/* How many bytes a letter or digit becomes; none for a mark upon the letter before it. */
static size_t fold(uint32_t code, char into[static FOLDED_MAX])
{
    if (code >= 0xFF01 && code <= 0xFF5E)
        code -= 0xFEE0;
    if (code >= 'A' && code <= 'Z')
        code += 'a' - 'A';
    if (code >= 0x300 && code <= 0x36F)
        return 0;
    if (code >= 0xC0 && code < 0x180) {
        char letter = latin[code - 0xC0];
        const char *pair = latin_pair(letter);

        memcpy(into, pair ? pair : &letter, pair ? 2 : 1);
        return pair ? 2 : 1;
    }
    return encode(plain_letter(small_letter(code)), into);
}

/* Kana and Chinese characters: scripts without spaces. */
static bool stands_alone(uint32_t code)
{
    return (code >= 0x3040 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x4DBF) ||
           (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0x20000 && code <= 0x3FFFF);
}

void terms_add_word(struct terms *terms, const char *word)
{
    for (size_t i = 0; i < terms->count; i++)
        if (strcmp(terms->words[i], word) == 0)
            return;
    if (terms->count < terms->most)
        terms->words[terms->count++] = word;
}

static void end_word(struct arena *arena, struct terms *terms, struct word *word)
{
    if (word->len > 0)
        terms_add_word(terms, arena_copy(arena, word->bytes, word->len));
    word->len = 0;
}

/* What is too long ends before the character that does not fit; the rest of the word is dropped. */
static void put_letter(struct word *word, uint32_t code)
{
    char folded[FOLDED_MAX];
    size_t len = fold(code, folded);

    if (word->len + len > LIMIT_SEARCH_WORD)
        return;
    memcpy(word->bytes + word->len, folded, len);
    word->len += len;
}

void terms_add(struct arena *arena, struct terms *terms, const char *text)
{
    size_t len = text ? str_fitting(text, LIMIT_SEARCH_TEXT) : 0;
    struct word word = { .len = 0 };
    uint32_t code;

    for (size_t at = 0, step; at < len && terms->count < terms->most; at += step) {
        step = str_decode(text + at, len - at, &code);
        bool letter = step > 0 && str_is_letter(code);

        if (step == 0)
            step = 1;
        if (!letter || stands_alone(code))
            end_word(arena, terms, &word);
        if (letter)
            put_letter(&word, code);
        if (letter && stands_alone(code))
            end_word(arena, terms, &word);
    }
    end_word(arena, terms, &word);
}
