/*
 * Constraints are told apart by their extended code, everything else by the primary one. Of a failed commit
 * only those errors are named that say for certain that nothing happened: after an I/O error the commit may
 * still turn up when the WAL is recovered, and so it may after any error that is not known to be harmless.
 */
#include "db/sqlite_codes.h"

#include <sqlite3.h>

enum err_code sqlite_code(int extended)
{
    switch (extended) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
    case SQLITE_CONSTRAINT_FOREIGNKEY: return ERR_CONFLICT;
    case SQLITE_CONSTRAINT_CHECK:
    case SQLITE_CONSTRAINT_NOTNULL:
    case SQLITE_CONSTRAINT_TRIGGER: return ERR_INVALID;
    default: break;
    }
    switch (extended & 0xff) {
    case SQLITE_FULL:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM: return ERR_UNAVAILABLE;
    default: return ERR_INTERNAL;
    }
}

bool sqlite_nothing_committed(int extended)
{
    switch (extended & 0xff) {
    case SQLITE_FULL:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CONSTRAINT:
    case SQLITE_INTERRUPT: return true;
    default: return false;
    }
}
