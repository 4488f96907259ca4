/*
 * Every name is looked up in a folder that is open, never by a path that somebody could change meanwhile.
 */
#include "engine/task_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_NAME "config.json"
#define CONFIG_NEW  ".config.json.new"

static bool refuse(const char *what, const char *name, struct err *err)
{
    return err_set(err, ERR_UNAVAILABLE, "The folder of the task cannot be %s: %s: %s.", what, name,
                   strerror(errno));
}

static bool write_all(int file, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t wrote = write(file, text, left);

        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0) {
            text += wrote;
            left -= (size_t)wrote;
        }
    }
    return true;
}

static bool put_config(int folder, const char *config)
{
    int file;
    bool good;

    if (unlinkat(folder, CONFIG_NEW, 0) != 0 && errno != ENOENT)
        return false;
    file = openat(folder, CONFIG_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0)
        return false;
    good = write_all(file, config);
    return close(file) == 0 && good && renameat(folder, CONFIG_NEW, folder, CONFIG_NAME) == 0;
}

bool task_folder_make(const char *root, const char *task_id, const char *config, struct err *err)
{
    int all = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder;
    bool good;

    if (all < 0 && errno == ENOENT && mkdir(root, 0755) == 0)
        all = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (all < 0)
        return refuse("made", root, err);
    if (mkdirat(all, task_id, 0755) != 0 && errno != EEXIST) {
        refuse("made", task_id, err);
        close(all);
        return false;
    }
    folder = openat(all, task_id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(all);
    if (folder < 0)
        return refuse("opened", task_id, err);
    good = put_config(folder, config);
    if (!good)
        refuse("written", CONFIG_NAME, err);
    close(folder);
    return good;
}
