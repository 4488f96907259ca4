/*
 * nounfile.h - reads the table of a noun: its members, said once.
 *
 * The form of a .noun file is told in src/core/NOUNS.md.
 *
 * Everything in a struct noun lives until noun_done. Nothing here prints or exits.
 */
#ifndef WITAN_TOOLS_NOUNFILE_H
#define WITAN_TOOLS_NOUNFILE_H

#include <stdbool.h>
#include <stddef.h>

#define NOUN_NAME_MAX    63
#define NOUN_MEMBERS_MAX 96
#define NOUN_LINES_MAX   16 /* of each kind about the noun */
#define NOUN_INNER_MAX   8

enum noun_kind {
    NOUN_TEXT,
    NOUN_ID,
    NOUN_UUID,
    NOUN_INT,
    NOUN_BOOL,
    NOUN_MS,
    NOUN_TIME,
    NOUN_JSON,
    NOUN_JSONB,
    NOUN_ENUM,
    NOUN_KEPT,
    NOUN_WRITTEN,
    NOUN_KINDS,
};

enum noun_trait {
    NOUN_INSERT = 1,
    NOUN_UPDATE = 2,
    NOUN_LARGE = 4,
    NOUN_UNREAD = 8,
    NOUN_BEHIND = 16,
    NOUN_OPEN = 32,
    NOUN_OPTIONAL = 64,
    NOUN_GIVEN = 256,
    NOUN_ALONE = 128, /* in the struct alone: "kept", and whatever has a type of its own in C */
};

/* A member of an object that is shown: its name there, and where in the noun it stands. */
struct noun_inner {
    const char *json;
    size_t member;
};

struct noun_member {
    const char *column;           /* NULL: it has none */
    char name[NOUN_NAME_MAX + 1]; /* in the struct; "" : it is only shown */
    enum noun_kind kind;
    const char *c_type; /* of NOUN_KEPT; the name of the enum of NOUN_ENUM */
    const char *words;  /* NOUN_ENUM: the table of its words */
    bool null;          /* may be shown as null */
    bool absent;        /* but is never NULL in the store */
    const char *json;   /* NULL: not shown */
    int since;          /* 0: no column of the noun's table */
    unsigned traits;
    unsigned parts; /* a bit for each part that has it */
    const char *help;
    const char *sql, *field, *value, *read, *bind, *set; /* or NULL */
    struct noun_inner inner[NOUN_INNER_MAX];             /* NOUN_WRITTEN: of which it is made, if any */
    size_t inner_count;
    char *of; /* the line that says so, until all members are known; or NULL */
    int line;
};

/* A column that is left out. */
struct noun_left {
    const char *column, *why;
    const char *engine; /* "sqlite" or "postgres" where only that one has it; or NULL */
};

struct noun {
    const char *name;
    const char *file;                 /* borrowed from the caller */
    const char *table;                /* or NULL */
    const char *view;                 /* or NULL */
    const char *header;               /* or NULL: NAME.h */
    const char *uses[NOUN_LINES_MAX]; /* headers */
    size_t use_count;
    const char *parts[NOUN_LINES_MAX];
    size_t part_count;
    struct noun_left left[NOUN_LINES_MAX];
    size_t left_count;
    bool rows, brief, whole;
    bool as_text;
    struct noun_member members[NOUN_MEMBERS_MAX];
    size_t member_count;
    char *text;
};

struct noun_error {
    const char *file;
    int line;
    char message[200];
};

/* Reads one file. After a failure there is nothing to be freed. */
bool noun_parse(struct noun *noun, const char *file, const char *buf, size_t len, struct noun_error *err)
    __attribute__((warn_unused_result));
void noun_done(struct noun *noun);

/* Whether it is read from rows at all. */
bool noun_is_read(const struct noun *noun);
/* Whether the member has a cell in the noun's list of columns, or behind it. */
bool noun_member_is_listed(const struct noun_member *member);

#endif
