/*
 * locks.h - the advisory locks that nodes on one PostgreSQL share.
 *
 * Each is pg_..._lock(7117, number). SQL cannot read this header, so statements write the numbers out;
 * this is the list that keeps them apart.
 */
#ifndef DB_LOCKS_H
#define DB_LOCKS_H

#define LOCK_SPACE 7117

enum lock_number {
    LOCK_MIGRATE = 1, /* schema.sql: one node migrates at a time */
    LOCK_EVENTS = 2,  /* migration 8: one node numbers events at a time */
    LOCK_AUDIT = 3,   /* migration 8: one node seals audit rows at a time; audit.sql: nobody does while one
                         purges or erases */
    LOCK_SEARCH = 4,  /* search.sql: one node takes words into the index at a time */
};

#endif
