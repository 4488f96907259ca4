#include "db/sqlite_alone.h"

#include "base/arena.h"
#include "base/buf.h"

#include <string.h>
#include <sys/stat.h>

#define TRIES    1000 /* while another program has the file to itself */
#define PAUSE_MS 10

/*
 * A log that holds something is read through an index in this process's own memory, which SQLite keeps when
 * it believes that it locks the file for itself. Without a log the file is all there is, and SQLite is told
 * not to look for one, nor to make it.
 */
bool sqlite_alone_open(const char *path, sqlite3 **handle)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO uri = { 0 };
    struct stat log;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READONLY;

    if (stat(arena_format(&arena, "%s-wal", path), &log) == 0 && log.st_size > 0)
        return sqlite3_open_v2(path, handle, flags, "unix-none") == SQLITE_OK &&
               sqlite3_exec(*handle, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK;
    buf_init(&uri, 0);
    buf_text(&uri, "file:");
    for (const char *c = path; *c; c++)
        buf_format(&uri, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    buf_text(&uri, "?immutable=1");
    return sqlite3_open_v2(uri.bytes, handle, flags | SQLITE_OPEN_URI, NULL) == SQLITE_OK;
}

/* The copy says that it has a log, as the store does; by itself it is to have none. */
static int copy_pages(sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    int code = SQLITE_BUSY;

    if (!backup)
        return sqlite3_extended_errcode(to);
    for (int i = 0; i < TRIES && (code == SQLITE_BUSY || code == SQLITE_LOCKED); i++) {
        if (i > 0)
            sqlite3_sleep(PAUSE_MS);
        code = sqlite3_backup_step(backup, -1);
    }
    int ended = sqlite3_backup_finish(backup);

    if (code != SQLITE_DONE || ended != SQLITE_OK)
        return ended != SQLITE_OK ? ended : code;
    return sqlite3_exec(to, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
}

int sqlite_alone_copy(sqlite3 *from, const char *path)
{
    sqlite3 *to = NULL;
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE;
    int code = sqlite3_open_v2(path, &to, flags, NULL);

    if (code == SQLITE_OK)
        code = copy_pages(from, to);
    int closed = sqlite3_close(to);

    return code != SQLITE_OK ? code : closed;
}
