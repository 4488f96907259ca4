#include "base/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL "witan"

static const char *shown = USUAL;

/* A path that stands in a command line as it is; longer ones would only be in the way. */
static bool is_plain(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+";

    return strlen(path) <= 80 && strspn(path, plain) == strlen(path);
}

/* Whether the shell finds this very program under its usual name. The first that it could run is what counts.
 */
static bool is_on_path(void)
{
    const char *from = getenv("PATH");
    struct stat own, found;
    char path[PATH_MAX];

    if (!from || stat("/proc/self/exe", &own) != 0)
        return false;
    for (size_t len; *from; from += len + (from[len] == ':')) {
        len = strcspn(from, ":");
        if (len == 0 || snprintf(path, sizeof(path), "%.*s/" USUAL, (int)len, from) >= (int)sizeof(path))
            continue;
        if (stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0)
            return found.st_dev == own.st_dev && found.st_ino == own.st_ino;
    }
    return false;
}

void program_started_as(const char *name)
{
    bool relative = name && name[0] != '/' && strchr(name, '/');

    shown = relative && is_plain(name) && !is_on_path() ? name : USUAL;
}

const char *program_name(void)
{
    return shown;
}
