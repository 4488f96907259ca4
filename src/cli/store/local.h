/*
 * local.h - work on the store itself, beside a running server or without one.
 *
 * The user who may read and write the store is its owner, so no token is asked for; every change leaves an
 * audit row that says it was made here. A store that does not exist yet is made by the first change; an older
 * one is left for `witan migrate`.
 */
#ifndef CLI_STORE_LOCAL_H
#define CLI_STORE_LOCAL_H

#include "cli/store/meant.h"
#include "core/log/audit.h"
#include "db/rescue.h"

struct local_store {
    struct cli *cli;
    struct meant found, *meant; /* which store, with the settings that belong to it */
    struct rescue rescue;       /* holds it open */
    struct tx tx;               /* the command's; its time is the database's */
    const char *workspace_id;   /* of --workspace, or the default one; set once begun */
    bool was_solo;              /* nobody needed a token when this began */
};

#define LOCAL_WORKSPACE \
    { \
        "workspace", "NAME", .help = "Id or slug of the workspace. Default: default." \
    }

/* The role that --role names, or `usual` when it names none. */
CHECKED bool local_role(const struct cli *cli, enum role usual, enum role *role, struct err *err);
/* Whether the store is a file that is not there; err then says so. */
bool local_is_missing(const char *url, struct err *err);
/*
 * Finds the store that is meant, opens it as its owner (meant.h) and begins a transaction, whose failures go
 * to `err`. Always followed by local_close.
 */
CHECKED bool local_open(struct local_store *local, struct cli *cli, bool write, struct err *err);
/* The same in two steps, for what takes a while, or asks the person, before the store is opened. */
CHECKED bool local_find(struct local_store *local, struct cli *cli, struct err *err);
CHECKED bool local_begin(struct local_store *local, bool write, struct err *err);
/* The same on a store that was found before, whose settings are in force and stay so: local_close_on ends it.
 */
CHECKED bool local_open_on(struct local_store *local, struct cli *cli, struct meant *meant, bool write,
                           struct err *err);
void local_close_on(struct local_store *local);
/* For files of the caller's own while the store is open (commands with CLI_OWN), and back. */
CHECKED bool local_as_caller(struct local_store *local);
CHECKED bool local_as_owner(struct local_store *local);
/* The audit row of a change; `detail` is a JSON object's text or NULL. */
CHECKED bool local_audit(struct local_store *local, const char *operation, const char *subject,
                         const char *detail);
/* For work on everything there is, which may take as long as it takes. Within the transaction or without. */
CHECKED bool local_take_time(struct local_store *local);
/* Seals and commits. */
CHECKED bool local_commit(struct local_store *local);
/* Says what changes for everybody once the first user or token has been made. */
void local_note_solo(const struct local_store *local, enum role made);
/* Undoes what was not committed. */
void local_close(struct local_store *local);
/* Closes, says which store it was, and turns the outcome into an exit code. */
int local_end(struct local_store *local, bool good, const struct err *err);

#endif
