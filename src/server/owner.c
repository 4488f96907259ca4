#include "server/owner.h"

#include "base/arena.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct owner owner_of_ids(uid_t uid, gid_t gid)
{
    bool other = geteuid() == 0 && uid != 0;

    return (struct owner){ .other = other, .uid = uid, .gid = gid };
}

struct owner owner_of_file(const char *path)
{
    ARENA_AUTO arena = { 0 };
    struct stat about;

    while (stat(path, &about) != 0) {
        const char *above = dirname(arena_text(&arena, path));

        if (strcmp(above, path) == 0)
            return (struct owner){ 0 };
        path = above;
    }
    return owner_of_ids(about.st_uid, about.st_gid);
}

static bool fail(const struct owner *owner, struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "Cannot work as the user %u, whose store this is: %s.",
            (unsigned)owner->uid, strerror(errno));
    return err_hint(err, "Run it as that user.");
}

/* Groups first: once the user is another, they can no longer be changed. */
bool owner_enter(const struct owner *owner, struct err *err)
{
    if (!owner->other || geteuid() == owner->uid)
        return true;
    return (setgroups(1, &owner->gid) == 0 && setegid(owner->gid) == 0 && seteuid(owner->uid) == 0) ||
           fail(owner, err);
}

/* Root needs no further groups. */
bool owner_leave(const struct owner *owner, struct err *err)
{
    gid_t none = 0;

    if (!owner->other || geteuid() == 0)
        return true;
    return (seteuid(0) == 0 && setegid(0) == 0 && setgroups(1, &none) == 0) || fail(owner, err);
}

bool owner_become(const struct owner *owner, struct err *err)
{
    if (!owner->other)
        return true;
    return (setgroups(1, &owner->gid) == 0 && setresgid(owner->gid, owner->gid, owner->gid) == 0 &&
            setresuid(owner->uid, owner->uid, owner->uid) == 0) ||
           fail(owner, err);
}
