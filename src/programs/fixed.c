#include "programs/fixed.h"

#include "programs/hold.h"
#include "programs/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t count_paths(const char *const *list)
{
    size_t count = 0;

    for (size_t i = 0; list && list[i]; i++)
        count += list[i][0] == '/';
    return count;
}

static const char *find_real(const char *path, bool files_only)
{
    char *real = realpath(path, NULL);
    struct stat info;

    if (real && (!files_only || (stat(real, &info) == 0 && S_ISREG(info.st_mode))))
        return real;
    free(real);
    return NULL;
}

static void add_names(struct program_fixed *fixed, const char *const *list, bool files_only)
{
    for (size_t i = 0; list && list[i]; i++)
        if (list[i][0] == '/')
            fixed->names[fixed->count++] =
                (struct fixed_name){ list[i], find_real(list[i], files_only), files_only };
}

bool fixed_find(struct program_fixed *fixed, const struct program *program)
{
    size_t most = count_paths(program->argv) + count_paths(program->reads);

    *fixed = (struct program_fixed){ .folder = { program->within ? program->within : program->folder, -1 } };
    if (fixed->folder.path)
        fixed->folder.fd = open(fixed->folder.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fixed->names = calloc(most + 1, sizeof(*fixed->names));
    if (!fixed->names || most > HOLD_NAMES_MOST)
        return false;
    add_names(fixed, program->argv, true);
    add_names(fixed, program->reads, false);
    return true;
}

static bool is_same(int left, int right)
{
    struct stat one, other;

    return fstat(left, &one) == 0 && fstat(right, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Gives up a descriptor, for a reason. */
static int refuse(int fd, int why)
{
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* The folder itself. It is opened anew, since a keeper may have mounts of its own, which the descriptor of
 * the helper does not lead to. */
static int open_same(const struct fixed_folder *fixed)
{
    int fd = open(fixed->path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 || is_same(fd, fixed->fd) ? fd : refuse(fd, ESTALE);
}

/* One inside of it, without following a link. */
static int open_inside(int outer, const char *rest)
{
    struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

    if (!*rest)
        return outer;
    int fd = (int)syscall(SYS_openat2, outer, rest, &how, sizeof(how)), why = errno;

    close(outer);
    return fd >= 0 ? fd : refuse(fd, why == ELOOP ? EXDEV : why);
}

int fixed_open_folder(const struct fixed_folder *fixed, const char *folder, char real[static PATH_MAX])
{
    size_t len = strlen(fixed->path);

    while (len > 0 && fixed->path[len - 1] == '/')
        len--;
    if (strncmp(folder, fixed->path, len) != 0 || (folder[len] && folder[len] != '/'))
        return refuse(-1, access(folder, F_OK) == 0 ? EXDEV : errno);
    int fd = open_same(fixed);

    if (fd >= 0)
        fd = open_inside(fd, folder + len + strspn(folder + len, "/"));
    return fd < 0 || lookup_name(fd, real) ? fd : refuse(fd, errno);
}

/* What there is to open by a name: a descriptor; -1 with errno 0: nothing. */
static int open_name(const struct fixed_name *name)
{
    char now[PATH_MAX];
    struct stat info;
    int fd = name->real ? open(name->path, O_PATH | O_CLOEXEC) : -1;

    /* What is not there can be read by nobody, and what the system has may be read anyway. */
    if (fd < 0)
        return refuse(fd, 0);
    if (!lookup_name(fd, now) || fstat(fd, &info) != 0)
        return refuse(fd, ESTALE);
    if (hold_is_system(now) || (name->files_only && !S_ISREG(info.st_mode)))
        return refuse(fd, 0);
    return strcmp(now, name->real) == 0 ? fd : refuse(fd, ESTALE);
}

bool fixed_open_names(const struct program_fixed *fixed, int *fds, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < fixed->count; i++) {
        int fd = open_name(&fixed->names[i]);

        if (fd >= 0) {
            fds[(*count)++] = fd;
        } else if (errno != 0) {
            *count = i;
            return false;
        }
    }
    return true;
}

static const char *nth_path(const char *const *list, size_t place)
{
    for (size_t i = 0; list && list[i]; i++)
        if (list[i][0] == '/' && place-- == 0)
            return list[i];
    return "";
}

const char *fixed_name_of(const struct program *program, size_t place)
{
    size_t first = count_paths(program->argv);

    return place < first ? nth_path(program->argv, place) : nth_path(program->reads, place - first);
}
