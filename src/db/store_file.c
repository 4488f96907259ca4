/*
 * After SQLite has failed, the path is looked at again from the outside with stat and access, from the folder
 * to the file. The state may have changed meanwhile; the worst of that is a less exact sentence.
 */
#include "db/store_file.h"

#include "base/arena.h"

#include <errno.h>
#include <libgen.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWNER_HINT \
    "Run witan as its owner, let it be written (chown, chmod), or name another store with --db."

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool refuse_folder_as_file(const char *path, struct err *err)
{
    err_set(err, ERR_INVALID, "%s is a folder, not a database.", path);
    return err_hint(err, "Name a file in it: --db sqlite:%s/witan.db", path);
}

static bool refuse_writing(const char *what, const char *path, int why, struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "The %s %s cannot be written: %s.", what, path, strerror(why));
    return err_hint(err, OWNER_HINT);
}

/* Whether the folder can be used; err says what is wrong with it. */
static bool check_folder(const char *folder, struct err *err)
{
    struct stat about;

    if (stat(folder, &about) != 0) {
        err_set(err, ERR_UNAVAILABLE, "There is no folder %s: %s.", folder, strerror(errno));
        return err_hint(err, "Make it, or name another store with --db.");
    }
    if (!S_ISDIR(about.st_mode)) {
        err_set(err, ERR_UNAVAILABLE, "%s is not a folder, so no store can be in it.", folder);
        return err_hint(err, "Name another store with --db.");
    }
    return access(folder, W_OK | X_OK) == 0 || refuse_writing("folder", folder, errno, err);
}

bool store_file_refused(const char *path, int why, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *folder = dirname(arena_text(&arena, path));

    if (is_folder(path))
        return refuse_folder_as_file(path, err);
    if (!check_folder(folder, err))
        return false;
    if (access(path, F_OK) == 0)
        return refuse_writing("store", path, why, err);
    return refuse_writing("folder", folder, why, err);
}

bool store_file_unusable(const char *path, int sqlite_code, const char *text, struct err *err)
{
    ARENA_AUTO arena = { 0 };

    switch (sqlite_code & 0xff) {
    case SQLITE_NOTADB:
        err_set(err, ERR_INTERNAL, "%s is not a database.", path);
        return err_hint(
            err,
            "Name another store with --db. "
            "If this was one, it is damaged: keep a copy, and `witan restore BACKUP --replace` puts a backup in its place.");
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        if (is_folder(path))
            return refuse_folder_as_file(path, err);
        if (!check_folder(dirname(arena_text(&arena, path)), err))
            return false;
        if (access(path, R_OK | W_OK) != 0)
            return refuse_writing("store", path, errno, err);
        break;
    default: break;
    }
    return err_set(err, ERR_UNAVAILABLE, "Cannot open the database %s: %s.", path, text);
}

void store_file_give(int fd, const char *path)
{
    ARENA_AUTO arena = { 0 };
    struct stat folder, named, made;

    if (geteuid() != 0 || stat(dirname(arena_text(&arena, path)), &folder) != 0 || folder.st_uid == 0)
        return;
    /* Where a link has led elsewhere, what was made there is not theirs who own the link. */
    if (lstat(path, &named) != 0 || fstat(fd, &made) != 0 || !S_ISREG(named.st_mode) ||
        named.st_dev != made.st_dev || named.st_ino != made.st_ino)
        return;
    /* Where root may not do this either, the file stays root's, as before. */
    if (fchown(fd, folder.st_uid, folder.st_gid) != 0)
        return;
}

bool store_file_can_be_made(const char *path, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *folder = dirname(arena_text(&arena, path));

    while (access(folder, F_OK) != 0 && errno == ENOENT)
        folder = dirname(arena_text(&arena, folder));
    return check_folder(folder, err);
}
