/*
 * owner.h - whose files a store is made of, and working as that one.
 *
 * Root may write everywhere, but what root makes in somebody's folder that one cannot open any more. So
 * whoever works as root on a store that belongs to another works as that other while the store is open: new
 * files get the right owner, and a link that the other has laid there leads root nowhere.
 *
 * Thread: the ids are the whole process's; only while there is one thread that opens files.
 */
#ifndef SERVER_OWNER_H
#define SERVER_OWNER_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct owner {
    bool other; /* somebody else than who runs this; the rest is only then of use */
    uid_t uid;
    gid_t gid;
};

/* Of the file, or while there is none of the nearest folder on its way; nobody else unless this is root. */
struct owner owner_of_file(const char *path);
/* The same for somebody by their ids. */
struct owner owner_of_ids(uid_t uid, gid_t gid);

/* Works as the owner until owner_leave. Nothing changes when that is who runs this. */
CHECKED bool owner_enter(const struct owner *owner, struct err *err);
CHECKED bool owner_leave(const struct owner *owner, struct err *err);
/* The same without a way back. */
CHECKED bool owner_become(const struct owner *owner, struct err *err);

#endif
