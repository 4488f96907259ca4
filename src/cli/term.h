/*
 * term.h - text for a terminal.
 *
 * What agents and people wrote is shown as text and nothing else: control characters are taken out, so that
 * nobody's message moves the cursor, changes the title or hides what stands before it; where somebody
 * decides, there is a mark in their place.
 */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/visible.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum term_colour {
    TERM_PLAIN,
    TERM_DIM,
    TERM_BOLD,
    TERM_RED,
    TERM_GREEN,
    TERM_YELLOW,
    TERM_BLUE,
    TERM_MAGENTA,
    TERM_CYAN,
    TERM_LIGHT_RED,
    TERM_LIGHT_GREEN,
    TERM_LIGHT_YELLOW,
    TERM_LIGHT_BLUE,
    TERM_LIGHT_MAGENTA,
};

struct term {
    struct arena *arena;
    struct buf *out;
    bool colour;
    size_t width; /* of the terminal; 0: lines may be as long as they are */
};

/* Looks at stdout and COLUMNS for the width. */
void term_init(struct term *term, struct arena *arena, struct buf *out, bool colour);

/* One line of text without control characters, line breaks as spaces; NULL becomes "-". */
const char *term_line(struct arena *arena, const char *text);
/*
 * The same with a mark at all that cannot be seen, <U+202E>, in place of leaving it out: for what somebody is
 * about to answer.
 */
const char *term_shown(struct arena *arena, const char *text, enum visible_way way);
/*
 * The last gate, through which all goes that is printed, to a terminal, a pipe or a file: what is neither
 * text nor a line break, nor, with `colours`, one that we paint with, is written as JSON writes it, \u001b.
 * In JSON that changes nothing, and elsewhere nothing should come here that has not been cleaned before.
 */
const char *term_harmless(struct arena *arena, const char *bytes, size_t len, bool colours);
/* As it is, in a colour. */
void term_paint(struct term *term, enum term_colour colour, const char *text);
/* Text of several lines, each after `indent`. */
void term_block(struct term *term, const char *indent, const char *text);
/* The same with marks, as term_shown has them. */
void term_shown_block(struct term *term, const char *indent, const char *text, enum visible_way way);
/* The colour of a status that ended well, badly or not yet. */
enum term_colour term_status(const char *status);

/* "in 12m", "3h ago", "now"; "-" for no time. */
const char *term_when(struct arena *arena, const char *time, int64_t now_ms);

/*
 * A moment by the clock on the wall here: "14:05:09", with the date before it when that is not today's. With
 * `utc` always whole, "2026-01-31T13:05:09Z". "-" for no time.
 */
const char *term_time(struct arena *arena, const char *time, int64_t now_ms, bool utc);

#define TABLE_COLUMNS 9

/* Rows with aligned columns; the last column is cut at the terminal's edge. */
struct term_table {
    struct term *term;
    size_t columns, count, room;
    const char **cells;
};

void term_table_init(struct term_table *table, struct term *term, size_t columns, const char *const heads[]);
void term_table_row(struct term_table *table, const char *const cells[]);
void term_table_end(struct term_table *table);

struct term_column {
    const char *key, *head;
    bool is_time; /* shown as how long ago, or how long to go */
};
/* A list of JSON objects as a table. */
void term_table(struct term *term, const json_t *rows, const struct term_column *columns, size_t width,
                int64_t now_ms);

/* A member's text, its number as text, or NULL. */
const char *member_text(struct arena *arena, const json_t *object, const char *name);
int64_t member_int(const json_t *object, const char *name);

#endif
