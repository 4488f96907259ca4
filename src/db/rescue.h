/*
 * rescue.h - reading a store whose disk takes no more writes.
 *
 * SQLite makes an index beside its log even to read, and needs room for that: on a disk that is full, or that
 * cannot be written, a store that no server has open could neither be copied nor checked, just when that is
 * wanted most. It is then claimed (claim.h), so that no server begins meanwhile, and read without that index.
 *
 * Thread: as a connection.
 */
#ifndef DB_RESCUE_H
#define DB_RESCUE_H

#include "db/claim.h"
#include "db/db.h"

/* All zero: nothing is open. */
struct rescue {
    struct db *db;
    struct claim claim;
    bool claimed;
    bool alone; /* it could only be read this way, and cannot be written */
};

/* Opens a store to read it, as db_open does where that goes. Always followed by rescue_close. */
CHECKED bool rescue_open(struct rescue *rescue, const char *url, struct err *err);
void rescue_close(struct rescue *rescue);

#endif
