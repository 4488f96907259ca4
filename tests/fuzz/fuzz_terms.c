/*
 * The words of a text: each well-formed, not empty, short enough and there once; and the words of the words
 * are the same words, since what is looked for is folded as what is stored.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/search/terms.h"
#include "tests/fuzz/fuzz.h"

#define MOST 256

static size_t words_of(struct arena *arena, const char *text, const char *words[static MOST])
{
    struct terms terms = { .words = words, .most = MOST };

    terms_add(arena, &terms, text);
    return terms.count;
}

static void check(const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(words[i]);

        DEMAND(len > 0 && len <= LIMIT_SEARCH_WORD && str_is_utf8(words[i], len));
        for (size_t k = 0; k < i; k++)
            DEMAND(strcmp(words[i], words[k]) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const char *words[MOST], *again[MOST];
    size_t count = words_of(&arena, arena_copy(&arena, bytes, len), words);

    check(words, count);
    for (size_t i = 0; i < count; i++) {
        DEMAND(words_of(&arena, words[i], again) == 1);
        DEMAND(strcmp(words[i], again[0]) == 0);
    }
    plant(count, 3);
    return 0;
}
