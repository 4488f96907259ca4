/*
 * str.h - text as people and agents write it: checked, trimmed, folded.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the code point at the start; returns its bytes, or 0 when they are not well-formed UTF-8. */
size_t str_decode(const char *text, size_t len, uint32_t *code);
bool str_is_utf8(const char *text, size_t len); /* well-formed, no NUL, no surrogates */
bool str_is_blank(const char *text);
/* A letter or a digit: in ASCII one of those, elsewhere whatever is no mark, symbol or space. */
bool str_is_letter(uint32_t code);
/* The same number for the same text (FNV-1a): for telling apart, not against those who look for collisions.
 */
uint64_t str_hash(const char *text);
size_t str_chars(const char *text); /* code points of valid UTF-8 */
char *str_trim(struct arena *arena, const char *text);
const char *str_past_space(const char *text); /* where the text without leading space starts */
/*
 * Drops control characters other than tab and line breaks, and marks that turn the reading direction
 * of what follows; CRLF and CR become LF.
 */
char *str_sanitise(struct arena *arena, const char *text);
/* What it takes out: control characters but tab and line feed, and marks that turn the reading direction. */
bool str_is_unwanted(uint32_t code);
/* Every line ended by \n: also those that end in CR, a vertical tab, a form feed, U+0085, U+2028 or U+2029.
 */
char *str_lines(struct arena *arena, const char *text);
/*
 * One line of which everything can be seen: no control characters (those of the terminal that come as one
 * character, U+0080 to U+009F, among them), nothing that turns the reading direction, nothing invisible. For
 * names and titles: two that look alike must be alike.
 */
bool str_is_plain_line(const char *text);
/* The rest of a text as such a line: for titles that nobody can be asked to type anew. One that is plain
 * stays. */
char *str_plain_line(struct arena *arena, const char *text);
/* ASCII letters lowered, the rest kept: for ids and words of ours, as lower() of every database makes it. */
char *str_lower(struct arena *arena, const char *text);
/*
 * The key under which names are compared: however they are written in large and small letters, in letters of
 * full width, or with accents that are characters of their own, and with nothing invisible in them
 * (NFKC_Casefold of Unicode, whatever the locale). Folded again it stays. At most eleven times as long.
 */
char *str_fold(struct arena *arena, const char *text);
/* The same for a name of which lower() of a database does not make it; NULL for one that is ASCII. */
const char *str_fold_beyond(struct arena *arena, const char *text);
/* The same without accents: for finding, never for telling apart. */
char *str_fold_bare(struct arena *arena, const char *text);
/*
 * The key of a name that is another's too, since two that were told apart by ASCII alone came to be one: what
 * it was then, behind a line's end, which no other key has. It is looked for before the other.
 */
char *str_fold_apart(struct arena *arena, const char *text);
/* By which rules keys were made: those of a store that was written by others are made anew. */
const char *str_fold_version(struct arena *arena);
/* Whether both have the same key. */
bool str_same_name(const char *a, const char *b);
enum str_beginning {
    STR_BEGINS_OTHER,
    STR_BEGINS_PART,  /* the text ends within the name */
    STR_BEGINS_WHOLE, /* it is there, and takes *len bytes however it is written */
};
enum str_beginning str_begins_with_name(const char *text, const char *name, size_t *len);
/*
 * What two ways of writing the same question have in common: in small letters (of ASCII), one space between
 * words, no marks at the end.
 */
char *str_normal(struct arena *arena, const char *text);
/* How many bytes its longest beginning of whole characters has that is not longer than `most` bytes. */
size_t str_fitting(const char *text, size_t most);
/* The first `chars` characters, with "..." when something follows. */
const char *str_beginning(struct arena *arena, const char *text, size_t chars);
bool str_equal(const char *a, const char *b); /* NULLs are equal to each other only */
bool str_starts(const char *text, const char *prefix);
/* A whole decimal number; false for anything else, or when it does not fit. */
bool str_to_int(const char *text, int64_t *number);
/* "5m", "30s", "250ms", "24h", "7d" or a bare number of milliseconds "0". False for anything else. */
bool str_to_duration_ms(const char *text, int64_t *ms);
/* "1MB", "64KB", "512" in bytes. */
bool str_to_bytes(const char *text, int64_t *bytes);
/*
 * Decodes %XX in place; false on bad escapes and on %00, and the text is then spoilt. In query values
 * a '+' is also a space.
 */
bool str_url_decode(char *text, bool plus_is_space);
char *str_url_encode(struct arena *arena, const char *text);
/* How many letters to add, drop or change to get from one to the other: for "did you mean". */
size_t str_distance(const char *a, const char *b);
/* Whether one may have been meant by the other: few of the letters differ, or one begins the other. */
bool str_is_near(const char *a, const char *b);

#endif
