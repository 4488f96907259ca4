/*
 * New files are made with O_EXCL and for the owner alone. A file gets its final name last, by a rename
 * between two fsyncs: a crash leaves the old one or the new one, and never a half.
 */
#include "server/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_STEP (1 << 30)

bool files_make_folders(const char *path, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    char *part = arena_text(&arena, path);

    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(part, 0700) != 0 && errno != EEXIST ? errno : 0;

        if (failed)
            return err_set(err, ERR_UNAVAILABLE, "Cannot make the folder %s: %s.", part, strerror(failed));
        *slash = '/';
    }
    return true;
}

/* A new file's descriptor, or -1. */
static int create(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 && errno == EEXIST) {
        err_set(err, ERR_CONFLICT, "There is a file %s already.", path);
        err_hint(err, "Name another one, or remove it first.");
    } else if (fd < 0) {
        err_set(err, ERR_UNAVAILABLE, "Cannot make %s: %s.", path, strerror(errno));
    }
    return fd;
}

bool files_create(const char *path, struct err *err)
{
    int fd = create(path, err);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool write_bytes(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, bytes, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes += wrote;
        len -= (size_t)wrote;
    }
    return fsync(fd) == 0;
}

bool files_write(const char *path, const char *text, size_t len, struct err *err)
{
    int fd = create(path, err);

    if (fd < 0)
        return false;
    bool good = write_bytes(fd, text, len) ||
                err_set(err, ERR_UNAVAILABLE, "Cannot write %s: %s.", path, strerror(errno));

    close(fd);
    if (!good)
        unlink(path);
    return good;
}

static bool is_made_here(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && about.st_uid == geteuid() &&
           (S_ISDIR(about.st_mode) || (S_ISREG(about.st_mode) && about.st_nlink == 1));
}

bool files_give(const char *path, uid_t uid, gid_t gid, mode_t mode, struct err *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 || err_set(err, ERR_UNAVAILABLE, "Cannot open %s: %s.", path, strerror(errno));

    if (good && !is_made_here(fd))
        good = err_set(err, ERR_CONFLICT, "Somebody else has just put something in the place of %s.", path);
    if (good && fchown(fd, uid, gid) != 0) {
        err_set(err, ERR_FORBIDDEN, "%s has to belong to another user, and could not be given to them.",
                path);
        good = err_hint(err, "Run this as its owner, or with sudo.");
    }
    if (good && fchmod(fd, mode & 0777) != 0)
        good = err_set(err, ERR_UNAVAILABLE, "Cannot set the mode of %s: %s.", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

static bool copy_bytes(int in, int out)
{
    ssize_t sent;

    do
        sent = sendfile(out, in, NULL, COPY_STEP);
    while (sent > 0 || (sent < 0 && errno == EINTR));
    return sent == 0;
}

bool files_open(const char *path, int flags, int *fd, struct err *err)
{
    int opened = open(path, flags | O_CLOEXEC);

    if (opened < 0)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_UNAVAILABLE, "Cannot open %s: %s.", path,
                       strerror(errno));
    *fd = opened;
    return true;
}

bool files_copy_open(int in, const char *from, const char *to, struct err *err)
{
    int out = create(to, err);
    bool good = out >= 0;

    if (good && !copy_bytes(in, out)) {
        good = err_set(err, ERR_UNAVAILABLE, "Cannot copy %s to %s: %s.", from, to, strerror(errno));
        unlink(to);
    }
    if (out >= 0)
        close(out);
    return good;
}

static bool sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return good;
}

bool files_settle(const char *path, const char *name, struct err *err)
{
    ARENA_AUTO arena = { 0 };

    if (sync_path(path) && rename(path, name) == 0 && sync_path(dirname(arena_text(&arena, name))))
        return true;
    return err_set(err, ERR_UNAVAILABLE, "Cannot bring %s to the disk: %s.", name, strerror(errno));
}

int64_t files_size(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (int64_t)about.st_size : -1;
}
