#include "server/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
