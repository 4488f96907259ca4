/*
 * locks.h - the advisory locks that nodes on one PostgreSQL share.
 *
 * Each is pg_..._lock(7117, number). Where SQL writes the numbers out, since it cannot read this header, this
 * is the list that keeps them apart; core/holding/holding.h asks for those that one transaction has to its
 * end.
 */
#ifndef DB_LOCKS_H
#define DB_LOCKS_H

#define LOCK_SPACE 7117

enum lock_number {
    LOCK_MIGRATE = 1, /* schema.sql: one node migrates at a time */
    LOCK_EVENTS = 2,  /* migration 8: one node numbers events at a time */
    LOCK_AUDIT = 3,   /* migration 8: one node seals audit rows at a time; audit.sql: nobody does while one
                         purges or erases */
    LOCK_SEARCH = 4,  /* one node takes words into the index at a time */
    LOCK_FIGURES = 5, /* one node folds what has changed into the figures of reports at a time */
    LOCK_ORCHESTRATE = 6, /* one node takes tasks for orchestrators at a time */
};

#endif
