#include "db/claim.h"

#include "db/db.h"
#include "db/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool refuse(const char *path, int why, struct err *err)
{
    if (why != EWOULDBLOCK)
        return err_set(err, ERR_UNAVAILABLE, "Cannot claim the database %s: %s.", path, strerror(why));
    err_set(err, ERR_CONFLICT, "Another witan has the store %s open as its server.", path);
    return err_hint(err, "One file has one server: stop that one first, or name another store with --db.");
}

/* The file is made where there is none, also where a link points that leads nowhere yet. */
static int open_or_make(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        store_file_give(fd, path);
    return fd;
}

bool claim_take(struct claim *claim, const char *url, struct err *err)
{
    enum db_engine engine;
    const char *path;

    *claim = CLAIM_NONE;
    if (!db_url_engine(url, &engine, &path, err))
        return false;
    if (engine != DB_SQLITE || path[0] == ':')
        return true;
    int fd = open_or_make(path);

    if (fd < 0)
        return store_file_refused(path, errno, err);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int why = errno;

        close(fd);
        return refuse(path, why, err);
    }
    claim->fd = fd;
    return true;
}

bool claim_is_taken(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return taken;
}

void claim_release(struct claim *claim)
{
    if (claim->fd >= 0)
        close(claim->fd);
    *claim = CLAIM_NONE;
}
