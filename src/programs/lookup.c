#include "programs/lookup.h"

#include "programs/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool can_run(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return false;
    if (!S_ISREG(info.st_mode)) {
        errno = EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

bool lookup_program(const char *name, char path[static PATH_MAX])
{
    int worst = ENOENT;

    if (strchr(name, '/')) {
        if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        return can_run(path);
    }
    for (const char *from = LOOKUP_PATH; *from;) {
        size_t len = strcspn(from, ":");

        if (*name && snprintf(path, PATH_MAX, "%.*s/%s", (int)len, from, name) < PATH_MAX) {
            if (can_run(path))
                return true;
            if (errno != ENOENT)
                worst = errno;
        }
        from += len + (from[len] == ':');
    }
    errno = worst;
    return false;
}

bool lookup_name(int fd, char real[static PATH_MAX])
{
    char link[64];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, real, PATH_MAX - 1);

    real[len > 0 ? len : 0] = '\0';
    return len > 0;
}

bool lookup_is_inside(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return true;
    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

static int open_folder(const char *folder, char real[static PATH_MAX])
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0 && !lookup_name(fd, real)) {
        int why = errno;

        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

int lookup_folder(const char *folder, const char *within, char real[static PATH_MAX])
{
    char outer[PATH_MAX];
    int fd = open_folder(folder, real), bound = fd >= 0 && within ? open_folder(within, outer) : -1;

    if (fd < 0 || !within)
        return fd;
    int why = bound < 0 ? errno : lookup_is_inside(real, outer) ? 0 : EXDEV;

    if (bound >= 0)
        close(bound);
    if (why == 0)
        return fd;
    close(fd);
    errno = why;
    return -1;
}

static bool check_program(const struct program *program, struct err *err)
{
    const char *name = program->argv ? program->argv[0] : NULL;
    char path[PATH_MAX];

    if (!name || !*name)
        return err_field(err, "argv", "argv is empty; its first member is the program to run.");
    if (lookup_program(name, path))
        return true;
    if ((errno == ENOENT || errno == ENOTDIR) && strchr(name, ' '))
        return err_field(err, "argv",
                         "There is no program \"%s\"; each word is an entry of its own, as in [wc, -w].",
                         name);
    if (errno == ENOENT || errno == ENOTDIR)
        return strchr(name, '/') ? err_field(err, "argv", "There is no program %s.", name)
                                 : err_field(err, "argv", "There is no program %s in %s.", name, LOOKUP_PATH);
    return err_field(err, "argv", "The program %s cannot be run: %s.", name, strerror(errno));
}

static bool check_folder(const struct program *program, struct err *err)
{
    const char *folder = program->folder ? program->folder : program->within;
    char real[PATH_MAX];

    if (!folder)
        return true;
    if (folder[0] != '/' || (program->within && program->within[0] != '/'))
        return err_field(err, "folder", "The folder %s is not an absolute path.", folder);
    int fd = lookup_folder(folder, program->within, real), why = errno;

    if (fd >= 0) {
        close(fd);
        return strcmp(real, "/") != 0 ||
               err_field(err, "folder", "The folder / would let a program write everything.");
    }
    if (why == EXDEV)
        return err_field(err, "folder", "The folder %s is not inside of %s.", folder, program->within);
    return err_field(err, "folder", "The folder %s cannot be used: %s.", folder, strerror(why));
}

static bool check_reads(const struct program *program, struct err *err)
{
    for (size_t i = 0; program->reads && program->reads[i]; i++) {
        const char *path = program->reads[i];

        if (path[0] != '/')
            return err_field(err, "reads", "%s is not an absolute path.", path);
        if (access(path, F_OK) != 0)
            return err_field(err, "reads", "%s cannot be read: %s.", path, strerror(errno));
    }
    return true;
}

static bool check_environment(const struct program *program, struct err *err)
{
    for (size_t i = 0; program->environment && program->environment[i]; i++) {
        const char *equals = strchr(program->environment[i], '=');

        if (!equals || equals == program->environment[i])
            return err_field(err, "environment", "A variable has a name and a value.");
    }
    return true;
}

bool program_check(const struct program *program, struct err *err)
{
    return check_program(program, err) && check_folder(program, err) && check_reads(program, err) &&
           check_environment(program, err);
}
