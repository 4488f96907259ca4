/*
 * value.h - values of JSON, read forgivingly from a place in a text.
 *
 * From the place where an object begins, all of it that can be read is read: single quotes, bare keys,
 * missing and trailing commas, raw line breaks and quotes inside strings, comments and a missing end are all
 * let through, and said. Time is linear in the text, and everything lives in the arena.
 */
#ifndef OUTPUT_VALUE_H
#define OUTPUT_VALUE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A value of JSON, in the arena. */
enum value_type { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct value {
    enum value_type type;
    bool bare;        /* TEXT: words without quotes, which may be code */
    bool whole;       /* closed before the text ended */
    const char *key;  /* of a member of a map */
    const char *text; /* TEXT: its valid UTF-8; BOOL and NUMBER: as written */
    const char *raw;  /* where it stands in the source, or NULL */
    size_t raw_len;   /* bytes there */
    struct value *first, *last, *next;
    size_t count;  /* entries that were built */
    size_t passed; /* entries that were passed over because there are too many */
};

struct value *value_new(struct arena *arena, enum value_type type);
void value_append(struct value *parent, struct value *child);
const struct value *value_member(const struct value *map, const char *key); /* the first, or NULL */

/* One reading of an object from a place in a text. */
struct reading {
    struct arena *arena;
    const char *text;
    size_t len, at;
    bool exact;        /* the object is known to be complete and strict: nothing is guessed */
    bool inside;       /* `at` is at a key: the opening brace is taken as read */
    bool all;          /* keep every member of the root; otherwise the known keys only */
    const char *only;  /* or else only the member of this name, or NULL */
    bool until_target; /* stop when it is reached */
    size_t target;     /* give up unless a key of the root starts here; 0: no such wish */
    /* What came of it. */
    bool reached; /* the target was met */
    bool cut;     /* the text ended inside the object */
    bool broken;  /* something was skipped that is no JSON */
    bool deep;    /* something was nested too deep and passed over */
    bool full;    /* there were too many values, and those beside the questions are not all here */
    size_t steps; /* bytes that were read or looked ahead at */
    /* While it goes on. */
    size_t looks; /* bytes that may still be looked ahead at */
    bool stopped;
    unsigned lists, depth, skipping;
    size_t room[2]; /* values that may still be built: for questions, for all else */
    bool in_questions;
};

/* The map that starts at reading->at. Never NULL; `whole` says whether it was closed. */
struct value *value_read(struct reading *reading);
/* Bytes as valid UTF-8 without NUL; with `escapes`, those of JSON strings are resolved. */
char *value_decode(struct arena *arena, const char *bytes, size_t len, bool escapes);

#endif
