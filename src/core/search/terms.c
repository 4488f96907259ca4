/* The text is folded as a whole (base/str_fold.c), then cut into words; a few letters are spelt out on the
 * way. */
#include "core/search/terms.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

struct word {
    char bytes[LIMIT_SEARCH_WORD];
    size_t len;
};

/* Letters with a stroke, or two in one, which Unicode takes for letters of their own and people look for as
 * these. */
static const char *spelt_out(uint32_t code)
{
    switch (code) {
    case 0xE6: return "ae";
    case 0xF0:
    case 0x111: return "d";
    case 0xF8: return "o";
    case 0xFE: return "th";
    case 0x127: return "h";
    case 0x131: return "i";
    case 0x138: return "k";
    case 0x142: return "l";
    case 0x14B: return "n";
    case 0x153: return "oe";
    case 0x167: return "t";
    default: return NULL;
    }
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
static void put_letter(struct word *word, const char *letter, size_t len, uint32_t code)
{
    const char *spelt = spelt_out(code);

    if (spelt)
        letter = spelt, len = strlen(spelt);
    if (word->len + len > LIMIT_SEARCH_WORD)
        return;
    memcpy(word->bytes + word->len, letter, len);
    word->len += len;
}

/* The beginning of the text that words are taken from; bytes that are no UTF-8 stand between words. */
static char *readable(struct arena *arena, const char *text)
{
    size_t len = str_fitting(text, LIMIT_SEARCH_TEXT);
    char *beginning = arena_copy(arena, text, len);
    uint32_t ignored;

    if (str_is_utf8(beginning, len))
        return beginning;
    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(beginning + at, len - at, &ignored);
        if (step == 0)
            beginning[at] = ' ', step = 1;
    }
    return beginning;
}

void terms_add(struct arena *arena, struct terms *terms, const char *text)
{
    const char *folded = text ? str_fold_bare(arena, readable(arena, text)) : "";
    size_t len = strlen(folded);
    struct word word = { .len = 0 };
    uint32_t code;

    for (size_t at = 0, step; at < len && terms->count < terms->most; at += step) {
        step = str_decode(folded + at, len - at, &code);
        bool letter = str_is_letter(code);

        if (!letter || stands_alone(code))
            end_word(arena, terms, &word);
        if (letter)
            put_letter(&word, folded + at, step, code);
        if (letter && stands_alone(code))
            end_word(arena, terms, &word);
    }
    end_word(arena, terms, &word);
}
