/*
 * words.h - states: enums in the program, words in the store and in the API.
 *
 * Code compares the enum, so that a slip of the pen does not compile. Its values begin at 1 and end with one
 * that stands behind the last (..._END). A table has their words in the same order, with a NULL behind the
 * last, and is the one place where they are written: readers, writers and the fields of operations (.values)
 * use it. 0 is no word, so that a struct that nobody filled in says nothing, and NULL of the store is read
 * as 0 and written again as NULL.
 *
 *     enum lamp { LAMP_ON = 1, LAMP_OFF, LAMP_END };
 *     WORDS_OF(lamp, lamps);                               declares the table, and lamp_word(enum lamp)
 *
 *     const char *const lamps[] = { "on", "off", NULL };
 *     WORDS_FIT(lamps, LAMP_END);
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <limits.h>
#include <stddef.h>

#define WORD_UNKNOWN UINT_MAX

/* The value of a word: 0 when text is NULL, WORD_UNKNOWN when the table has no such word. */
unsigned words_find(const char *const words[], const char *text);

static inline const char *words_at(const char *const words[], unsigned value)
{
    return value ? words[value - 1] : NULL;
}

#define WORDS_OF(noun, table) \
    extern const char *const table[]; \
    static inline const char *noun##_word(enum noun value) \
    { \
        return words_at(table, value); \
    } \
    _Static_assert(sizeof(enum noun) == sizeof(unsigned), "as words_find gives it")

#define WORDS_FIT(table, end) \
    _Static_assert(sizeof(table) / sizeof(*(table)) == (end), "one word for each value, and a NULL")

#endif
