/*
 * tx.h - what every function of core works in: one transaction of one caller.
 *
 * Where it reads and writes, whose memory its results live in, who calls, what time it is (the same
 * throughout) and where a failure is told. It belongs to whoever opened the transaction and is only ever read
 * below: a function that works as somebody else, at another time, or that wants a failure for itself, takes a
 * copy and changes that one member, so that it can be seen there.
 *
 *     struct tx quiet = *tx;
 *     quiet.err = &ignored;
 *
 * Thread: as its db.
 */
#ifndef CORE_CALLER_TX_H
#define CORE_CALLER_TX_H

#include "db/db.h"

struct caller;

struct tx {
    struct db *db;
    struct arena *arena;
    const struct caller *caller; /* NULL: the server itself, which calls nothing that asks who calls */
    int64_t now_ms;
    struct err *err;
};

/* The server's own, for what no caller asked for. */
static inline struct tx tx_of(struct db *db, struct arena *arena, int64_t now_ms, struct err *err)
{
    return (struct tx){ .db = db, .arena = arena, .now_ms = now_ms, .err = err };
}

/* The same transaction, with failures told elsewhere: for those who look at them before they pass them on. */
static inline struct tx tx_with_err(const struct tx *tx, struct err *err)
{
    struct tx with = *tx;

    with.err = err;
    return with;
}

/* The same transaction, with memory that is gone before the call's: for long work in small parts. */
static inline struct tx tx_with_arena(const struct tx *tx, struct arena *arena)
{
    struct tx with = *tx;

    with.arena = arena;
    return with;
}

CHECKED static inline bool tx_query(const struct tx *tx, enum sql_id sql, size_t argc,
                                    const struct db_arg argv[], struct db_rows *rows)
{
    return db_query(tx->db, tx->arena, sql, argc, argv, rows, tx->err);
}

/* `changed` may be NULL. */
CHECKED static inline bool tx_exec(const struct tx *tx, enum sql_id sql, size_t argc,
                                   const struct db_arg argv[], size_t *changed)
{
    return db_exec(tx->db, tx->arena, sql, argc, argv, changed, tx->err);
}

#endif
