/*
 * meant.h - which store a command on the store means.
 *
 * The one that is named: by --db, by WITAN_DB, by WITAN_STORE_URL or by the settings, those that --config
 * names or the caller's own. Else the one that the service of this machine works on, if there is a service
 * and the caller may open its store; and only else the caller's own. Where a service is installed and cannot
 * be reached, a store of one's own is used if it is there, and never made: whoever makes a token wants it to
 * be good at the server that runs here.
 *
 * A store that belongs to another user than root is worked on as that user (server/owner.h).
 */
#ifndef CLI_STORE_MEANT_H
#define CLI_STORE_MEANT_H

#include "cli/cli.h"
#include "server/config.h"
#include "server/owner.h"

struct meant {
    struct config config; /* the settings that belong to it, in force until meant_done */
    const char *url;
    const char *path;   /* the file of an SQLite store, or NULL */
    const char *shown;  /* its address for people, in the command's arena */
    const char *file;   /* that its settings are read from, if there is one; or NULL */
    const char *unit;   /* the unit of the service whose store it is, or NULL */
    struct owner owner; /* whose files it is made of */
};

/* Always followed by meant_done. Nothing is opened or made. */
CHECKED bool meant_find(struct meant *meant, struct cli *cli, struct err *err);
/*
 * Before the store is opened: works as its owner from now on, after the folder of a service's store has been
 * made for that one. Commands that have no files of the caller's own (CLI_OWN) never come back from there.
 */
CHECKED bool meant_enter(struct meant *meant, struct cli *cli, struct err *err);
/* For files of the caller's own in between; then meant_enter again. */
CHECKED bool meant_leave(const struct meant *meant, struct err *err);
/* Says on stderr which store it was. */
void meant_say(const struct meant *meant, const struct cli *cli);
void meant_done(struct meant *meant);

#endif
