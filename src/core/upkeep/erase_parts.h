/*
 * erase_parts.h - one erasure while it runs: who it is, what is known of them, and the tables it goes
 * through.
 *
 * Whose a row is says the id that stands beside the name in it (struct actor). Names decide where there is no
 * id: in rows from before there were ids, in those that other programs write, and where somebody else has
 * named the person; and only in workspaces of theirs in which no token and no agent has the same name.
 * Elsewhere such rows are left, and counted.
 *
 * A table is a row of a list: how a page of it is read, how one of its rows is written, and which of its
 * columns say who and hold what they wrote. What does not fit that is said by a function. A page is first
 * looked at in a reading transaction; only when something in it has to change, it is read and changed in a
 * writing one, so that a running server is kept waiting for no longer than one page takes.
 */
#ifndef CORE_UPKEEP_ERASE_PARTS_H
#define CORE_UPKEEP_ERASE_PARTS_H

#include "base/json.h"
#include "core/upkeep/erase.h"

#include <stddef.h>

#define ERASED_NAME "erased"
#define ERASED_TEXT "[erased]"
#define NO_ARGS     "{}"

#define ERASE_KEYS    4 /* columns of the longest primary key */
#define ERASE_COLUMNS 28
#define ERASE_MARKS   3

struct erasing {
    const struct person *person;
    const char *key; /* the folded name */
    struct erase_report *report;
    bool looking;   /* nothing is changed */
    bool counting;  /* what has to change is counted */
    size_t changes; /* in this page, found or made */
    /* Sets and maps, as JSON objects. */
    json_t *workspaces; /* those that they are or were in */
    json_t *namesakes;  /* workspaces in which a token or an agent has the same name */
    json_t *own;        /* ids of what they wrote */
    json_t *part;       /* ids of what they had a part in; with OF_ENDED before it, of what they ended, with
                           OF_ABOUT of what is about something that they wrote */
    json_t *seats;      /* discussions in which they sit: under which name, which nobody else has there */
};

/* A row of a page: its keys come first, then what is written, then what is only looked at. */
struct erase_row {
    const struct tx *tx;
    struct erasing *e;
    const struct db_rows *rows; /* where it was read, */
    size_t at;                  /* and at which place */
    const char *cells[ERASE_COLUMNS];
    bool theirs[ERASE_MARKS]; /* what the table's marks say */
    bool changed;
    enum sql_id write;
};

#define CELL(column) row->cells[COL_ERASE_##column]
#define ID           row->cells[0]

/* Columns: who did something, by id and by name, what they wrote, and what becomes NULL. 0 is none. */
struct erase_mark {
    size_t id, name, words, gone;
};

struct erase_table {
    enum sql_id page, write;
    size_t written;    /* columns that are keys or written; the workspace stands behind them */
    size_t keys;       /* 0: one */
    const char *first; /* what the first key begins behind; NULL: "" */
    struct erase_mark marks[ERASE_MARKS]; /* those with an id */
    bool (*more)(struct erase_row *row);  /* what the marks do not say, or NULL */
    size_t count;                         /* where in the report its rows are counted, if they are */
    bool counts;
};
#define ERASE_TABLE(name) \
    .page = SQL_ERASE_##name##_PAGE, .write = SQL_ERASE_##name, .written = COL_ERASE_##name##_WORKSPACE_ID
#define ERASE_COUNT(number) .count = offsetof(struct erase_report, number), .counts = true

/* Tables are looked at in this order and written in the opposite one; logs repeat what stands in tables. */
extern const struct erase_table erase_tables[], erase_logs[];
extern const size_t erase_table_count, erase_log_count;

/* Of the runs' tables: what the marks do not say. */
bool erase_run_entry(struct erase_row *row);
bool erase_run_call(struct erase_row *row);

/* Who it is. */
bool erase_is_name(const struct erasing *e, struct arena *arena, const char *text);
bool erase_is_in(const struct erasing *e, const char *workspace_id);
bool erase_is_alone(const struct erasing *e, const char *workspace_id);
/* Whether it is they by this id, or, where it is not known, by the name; counts what cannot be told. */
bool erase_is_theirs(struct erasing *e, struct arena *arena, const char *id, const char *name,
                     const char *workspace_id);

void erase_note(json_t *set, const char *before, const char *id);
bool erase_noted(const json_t *set, const char *before, const char *id);
#define OF_ENDED "ended "
#define OF_ABOUT "about "
const char *erase_seat_of(const struct erasing *e, const char *discussion_id); /* NULL: they sit elsewhere */

/* Puts a text into a row; the name only in the place of theirs. */
void erase_put(struct erase_row *row, size_t column, const char *text);
void erase_put_name(struct erase_row *row, size_t column);
void erase_put_json(struct erase_row *row, size_t column, const json_t *value);

/* JSON. NULL for what is none; the caller frees it. */
json_t *erase_parse(const char *text);
const char *erase_member(const json_t *map, const char *key);
/* Every text in it, but types, and values if they are to be kept; what is below a member goes with its keys.
 */
void erase_blank(json_t *value, bool keep_value);
/* Whether a text in it is this one; and with "erased" in its place, if there was one. */
bool erase_holds(const json_t *value, const char *text);
bool erase_rename(json_t *value, const char *name);
/* Without the name and the id in a list of answerers; says whether there was one. */
bool erase_from_answerers(const struct erasing *e, struct arena *arena, json_t *settings);

/* A row of the audit log, for audit_keep.h. `context` is the struct erasing. */
bool erase_audit_row(void *context, struct arena *arena, struct audit_entry *row);

#endif
