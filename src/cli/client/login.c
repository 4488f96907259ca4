/*
 * The secret is stored with the address it is for and given out for that address alone. A new login replaces
 * the file: the old one goes first, since files are only ever made and never written over.
 */
#include "cli/client/login.h"

#include "base/limits.h"
#include "server/config.h"
#include "server/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *session_file(struct arena *arena)
{
    const char *folder = config_config_dir(arena);

    return folder ? arena_format(arena, "%s/session", folder) : NULL;
}

/* Letters that can stand in a header as they are. */
static bool is_secret(const char *text)
{
    return *text &&
           text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] == '\0';
}

const char *login_kept(struct arena *arena, const char *url)
{
    const char *path = session_file(arena);
    FILE *file = path ? fopen(path, "re") : NULL;
    char where[LIMIT_TOKEN_FILE], secret[LIMIT_TOKEN_FILE];

    if (!file)
        return NULL;
    bool got = fgets(where, sizeof(where), file) && fgets(secret, sizeof(secret), file);

    fclose(file);
    if (!got)
        return NULL;
    where[strcspn(where, "\n")] = secret[strcspn(secret, "\n")] = '\0';
    return strcmp(where, url) == 0 && is_secret(secret) ? arena_text(arena, secret) : NULL;
}

bool login_keep(struct arena *arena, const char *url, const char *secret, struct err *err)
{
    const char *path = session_file(arena);

    if (!path)
        return err_set(err, ERR_INVALID,
                       "There is no home folder to keep a login in: set HOME or XDG_CONFIG_HOME.");
    if (!is_secret(secret))
        return err_set(err, ERR_INTERNAL, "The login that %s gave is of an unknown kind.", url);
    const char *text = arena_format(arena, "%s\n%s\n", url, secret);

    return login_forget(arena, err) && files_make_folders(path, err) &&
           files_write(path, text, strlen(text), err);
}

bool login_forget(struct arena *arena, struct err *err)
{
    const char *path = session_file(arena);

    if (!path || unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
        return true;
    return err_set(err, ERR_INVALID, "Cannot remove %s: %s.", path, strerror(errno));
}
