/*
 * A folder inside is emptied by moving the folders that it has up to the top, under names of our own, so that
 * there are never more than two levels to look at.
 */
#include "programs/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Opens a folder for emptying. Its owner may have taken the rights to it away from himself. */
static DIR *open_inside(int top, const char *name)
{
    int fd = openat(top, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char self[64];
    DIR *dir = NULL;

    if (fd < 0)
        return NULL;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    /* By its descriptor it is that folder, whatever stands under its name by now. */
    int readable = chmod(self, 0700) == 0 ? open(self, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    close(fd);
    if (readable >= 0 && !(dir = fdopendir(readable)))
        close(readable);
    return dir;
}

/* Moves a folder to the top; those at the top are named by numbers that nobody had. */
static bool move_up(int from, const char *name, int top, unsigned long *number)
{
    char own[64];

    if (fchmodat(from, name, 0700, 0) != 0) /* moving it changes its "..", for which it must be writable */
        return false;
    for (;;) {
        snprintf(own, sizeof(own), "witan-sweep-%lu", (*number)++);
        if (renameat2(from, name, top, own, RENAME_NOREPLACE) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
}

static bool empty_inside(int top, const char *name, unsigned long *number)
{
    DIR *dir = open_inside(top, name);
    bool good = dir != NULL;

    for (struct dirent *entry; good && (entry = readdir(dir));)
        if (!is_dots(entry->d_name) && unlinkat(dirfd(dir), entry->d_name, 0) != 0)
            good = (errno == EISDIR || errno == EPERM) && move_up(dirfd(dir), entry->d_name, top, number);
    if (dir)
        closedir(dir);
    return good && unlinkat(top, name, AT_REMOVEDIR) == 0;
}

/* One look through the top; false: something cannot be taken away. */
static bool empty_top(DIR *top, unsigned long *number, bool *found)
{
    rewinddir(top);
    *found = false;
    for (struct dirent *entry; (entry = readdir(top));) {
        if (is_dots(entry->d_name))
            continue;
        *found = true;
        if (unlinkat(dirfd(top), entry->d_name, 0) != 0 && errno != ENOENT &&
            !empty_inside(dirfd(top), entry->d_name, number))
            return false;
    }
    return true;
}

bool sweep(const char *folder)
{
    if (rmdir(folder) == 0 || errno == ENOENT)
        return true;
    DIR *top = open_inside(AT_FDCWD, folder);
    unsigned long number = 0;
    bool found = true;

    if (!top)
        return false;
    while (found && empty_top(top, &number, &found))
        ;
    closedir(top);
    return rmdir(folder) == 0;
}
