/*
 * visible.h - what cannot be seen in a text, or is not what it seems.
 *
 * Characters that turn the reading direction, that take no room, blanks that push the rest out of sight,
 * letters of another script inside a word: whoever is about to approve something must see that they are
 * there. A text is read in parts, plain ones and marked ones; together they hold all of it.
 *
 * ui/src/core/visible.ts does the same in the pages; tests/fixtures/visible.json holds both to the same
 * words.
 */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum visible_way {
    VISIBLE_PROSE, /* what people write for people */
    VISIBLE_EXACT, /* what is done as it stands: commands, arguments, code. More is marked there */
};

enum visible_is {
    VISIBLE_TEXT,
    VISIBLE_RTL,    /* words that are read from right to left and must not turn what stands around them */
    VISIBLE_HIDDEN, /* cannot be seen: its label is shown in its place */
    VISIBLE_LIKE,   /* looks like another character: its label is shown behind it */
    VISIBLE_BLANKS, /* more of them than anybody would count; the label says how many, as in the next two */
    VISIBLE_LINES,  /* begins and ends with a line break */
    VISIBLE_MARKS,
};

struct visible_part {
    enum visible_is is;
    const char *text;
    size_t len;
    char label[48]; /* "U+202E", "3,000 blanks"; empty for plain text */
};

struct visible {
    const char *text;
    size_t len, at;
    enum visible_way way;
    bool has_han, has_rtl;
    uint32_t before; /* the character before */
    bool indent;     /* nothing but blanks in this line so far */
    size_t word_end, clear_end;
    bool marks_word, after_clear;
};

void visible_begin(struct visible *visible, const char *text, size_t len, enum visible_way way);
/* False when there is no more. */
bool visible_next(struct visible *visible, struct visible_part *part);

/* All of it as plain text, with each label in angle brackets: for terminals. */
const char *visible_flat(struct arena *arena, const char *text, enum visible_way way);

#endif
