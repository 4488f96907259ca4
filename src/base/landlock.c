/*
 * Rights and structures that an older kernel header lacks are written out here, and the version the kernel
 * reports decides how much of them is used. A path that does not exist needs no rule.
 */
#include "base/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel's own header of an older system does not name yet. */
#define FS_TRUNCATE           (1ULL << 14) /* since version 3 */
#define FS_IOCTL_DEV          (1ULL << 15) /* since version 5 */
#define NET_BIND_TCP          (1ULL << 0)  /* since version 4 */
#define NET_CONNECT_TCP       (1ULL << 1)
#define SCOPE_ABSTRACT_SOCKET (1ULL << 0) /* since version 6 */
#define SCOPE_SIGNAL          (1ULL << 1)
#define RULE_NET_PORT         2

struct ruleset {
    uint64_t files, ports, scopes;
};

struct port_rule {
    uint64_t allowed, port;
};

#define READ_RIGHTS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_RIGHTS \
    (READ_RIGHTS | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | FS_TRUNCATE)
#define FILE_RIGHTS \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | \
     FS_TRUNCATE | FS_IOCTL_DEV)

/* Every right to files that a version knows: what is not allowed by a rule is then refused. */
static uint64_t file_rights(int version)
{
    uint64_t rights = ((uint64_t)LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

    if (version >= 2)
        rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        rights |= FS_TRUNCATE;
    if (version >= 5)
        rights |= FS_IOCTL_DEV;
    return rights;
}

static int version(void)
{
    long found = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    return found > 0 ? (int)found : 0;
}

bool landlock_open(struct landlock *landlock, enum landlock_ports held)
{
    struct ruleset rules = { 0 };
    size_t size = offsetof(struct ruleset, ports);

    *landlock = (struct landlock){ .fd = -1, .version = version() };
    if (landlock->version == 0)
        return true;
    rules.files = landlock->files = file_rights(landlock->version);
    if (landlock->version >= 4) {
        rules.ports = landlock->ports = (held != LANDLOCK_ANY_PORT ? NET_BIND_TCP : 0) |
                                        (held == LANDLOCK_LISTENS_AND_CONNECTS ? NET_CONNECT_TCP : 0);
        size = offsetof(struct ruleset, scopes);
    }
    if (landlock->version >= 6) {
        rules.scopes = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
        size = sizeof(rules);
    }
    landlock->fd = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    return landlock->fd >= 0;
}

static bool allow_beneath(struct landlock *landlock, int fd, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = { .allowed_access = rights & landlock->files, .parent_fd = fd };
    struct stat info;

    if (fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode))
        rule.allowed_access &= FILE_RIGHTS;
    return syscall(SYS_landlock_add_rule, landlock->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

static bool allow_path(struct landlock *landlock, const char *path, uint64_t rights)
{
    if (landlock->version == 0)
        return true;
    int fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    bool good = allow_beneath(landlock, fd, rights);

    close(fd);
    return good;
}

bool landlock_allow_read(struct landlock *landlock, const char *path)
{
    return allow_path(landlock, path, READ_RIGHTS);
}

bool landlock_allow_write(struct landlock *landlock, const char *folder)
{
    return allow_path(landlock, folder, WRITE_RIGHTS);
}

bool landlock_allow_run(struct landlock *landlock, const char *path)
{
    return allow_path(landlock, path, READ_RIGHTS | LANDLOCK_ACCESS_FS_EXECUTE);
}

bool landlock_allow_run_of(struct landlock *landlock, int fd)
{
    return landlock->version == 0 || allow_beneath(landlock, fd, READ_RIGHTS | LANDLOCK_ACCESS_FS_EXECUTE);
}

bool landlock_allow_device(struct landlock *landlock, const char *path)
{
    return allow_path(landlock, path,
                      LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE |
                          FS_IOCTL_DEV);
}

bool landlock_allow_all(struct landlock *landlock, int folder)
{
    return landlock->version == 0 || allow_beneath(landlock, folder, landlock->files);
}

static bool allow_port(struct landlock *landlock, int port, uint64_t right)
{
    struct port_rule rule = { .allowed = right & landlock->ports, .port = (uint64_t)port };

    return rule.allowed == 0 || syscall(SYS_landlock_add_rule, landlock->fd, RULE_NET_PORT, &rule, 0) == 0;
}

bool landlock_allow_listen(struct landlock *landlock, int port)
{
    return allow_port(landlock, port, NET_BIND_TCP);
}

bool landlock_allow_connect(struct landlock *landlock, int port)
{
    return allow_port(landlock, port, NET_CONNECT_TCP);
}

bool landlock_enforce(struct landlock *landlock)
{
    if (landlock->version == 0)
        return true;
    bool good = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(SYS_landlock_restrict_self, landlock->fd, 0) == 0;
    int why = errno;

    close(landlock->fd);
    landlock->fd = -1;
    errno = why;
    return good;
}
