/*
 * copy.h - a backup: a file that a store was copied to, or becomes one of.
 *
 * What `witan backup` and `witan restore` share: which store and which file, whether a copy is a whole store
 * of ours and nothing else, and what is said about it.
 */
#ifndef CLI_STORE_COPY_H
#define CLI_STORE_COPY_H

#include "cli/store/local.h"

/* What was found in a copy. */
struct copy {
    int schema;
    int64_t bytes;
    const char *odd;            /* what is in it that migrations did not make, or NULL (db/own_schema.h) */
    struct audit_verdict audit; /* only looked at where the schema is this program's */
    bool audited;
};

struct copy_job {
    struct cli *cli;
    struct meant meant; /* the store */
    enum db_engine engine;
    const char *file;      /* the backup, a file of the caller's */
    const char *unchecked; /* what has not got its name yet */
};

/* Finds the store and the file. Always followed by copy_end. */
CHECKED bool copy_begin(struct copy_job *job, struct cli *cli, struct err *err);
void copy_end(struct copy_job *job);
/* The last part of a path. */
const char *copy_name(struct arena *arena, const char *path);
/*
 * Whether a database is a store of ours, with an audit log that can be read; what it is goes into `copy`.
 * Where something in it is odd, the rest is not looked at.
 */
CHECKED bool copy_check(struct db *db, struct arena *arena, const char *path, struct copy *copy,
                        struct err *err);
/* The same for an SQLite file, which must be sound too. It is opened for reading alone, and stays one file.
 */
CHECKED bool copy_check_file(struct arena *arena, const char *path, struct copy *copy, struct err *err);
/* Says what the copy is; returns the exit code. */
int copy_say(struct cli *cli, const char *file, const struct copy *copy);

#endif
