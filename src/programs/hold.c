#include "programs/hold.h"

#include "base/landlock.h"
#include "programs/lookup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WITH_MOUNTS    (CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS)
#define WITHOUT_MOUNTS (CLONE_NEWPID | CLONE_NEWIPC)

/* Programs, libraries and what they read wherever they run. Of /etc only what is nobody's secret: the
 * server's own settings, with the keys of models, are usually there too. */
static const char *const run_paths[] = { "/usr", "/lib",  "/lib32", "/lib64", "/libx32",
                                         "/bin", "/sbin", "/opt",   "/nix",   "/run/current-system" };
static const char *const read_paths[] = { "/sys",
                                          "/run/systemd/resolve",
                                          "/etc/alternatives",
                                          "/etc/ca-certificates",
                                          "/etc/ca-certificates.conf",
                                          "/etc/debian_version",
                                          "/etc/fonts",
                                          "/etc/gai.conf",
                                          "/etc/gitconfig",
                                          "/etc/group",
                                          "/etc/host.conf",
                                          "/etc/hostname",
                                          "/etc/hosts",
                                          "/etc/inputrc",
                                          "/etc/ld.so.cache",
                                          "/etc/ld.so.conf",
                                          "/etc/ld.so.conf.d",
                                          "/etc/ld.so.preload",
                                          "/etc/locale.alias",
                                          "/etc/locale.conf",
                                          "/etc/localtime",
                                          "/etc/lsb-release",
                                          "/etc/magic",
                                          "/etc/mime.types",
                                          "/etc/networks",
                                          "/etc/nsswitch.conf",
                                          "/etc/os-release",
                                          "/etc/passwd",
                                          "/etc/pki/ca-trust",
                                          "/etc/pki/tls/certs",
                                          "/etc/protocols",
                                          "/etc/python3",
                                          "/etc/perl",
                                          "/etc/resolv.conf",
                                          "/etc/rpc",
                                          "/etc/services",
                                          "/etc/shells",
                                          "/etc/ssl/certs",
                                          "/etc/ssl/openssl.cnf",
                                          "/etc/terminfo",
                                          "/etc/timezone" };
/* Of a /proc that shows all processes of the machine, whose command lines are not for others: that of the
 * program itself, but of none that it starts, and what is said of the machine. */
static const char *const proc_paths[] = { "/proc/self",    "/proc/cgroups",     "/proc/cpuinfo",
                                          "/proc/devices", "/proc/filesystems", "/proc/loadavg",
                                          "/proc/meminfo", "/proc/stat",        "/proc/sys",
                                          "/proc/uptime",  "/proc/version",     "/proc/vmstat" };
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom" };

bool hold_is_system(const char *real)
{
    for (size_t i = 0; i < sizeof(run_paths) / sizeof(*run_paths); i++)
        if (lookup_is_inside(real, run_paths[i]))
            return true;
    return false;
}

pid_t hold_fork(const struct program_hold *hold)
{
    if (hold->namespaces == 0)
        return fork();
    unsigned long flags = (unsigned)hold->namespaces | SIGCHLD;

#ifdef __s390__
    return (pid_t)syscall(SYS_clone, 0, flags, 0, 0, 0);
#else
    return (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
#endif
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int why = errno;

    if (fd >= 0)
        close(fd);
    errno = why;
    return good;
}

bool hold_settle(const struct program_hold *hold)
{
    char users[64], groups[64];

    if (!(hold->namespaces & CLONE_NEWUSER))
        return true;
    /* Before they are mapped one is nobody inside: who one was is known from before. */
    snprintf(users, sizeof(users), "%u %u 1", hold->user, hold->user);
    snprintf(groups, sizeof(groups), "%u %u 1", hold->group, hold->group);
    return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
           write_file("/proc/self/gid_map", groups);
}

/* Who may not look into a process does not see it: such as the keeper, which has the server's command line.
 */
static bool mount_proc(const struct program_hold *hold)
{
    return !hold->proc ||
           mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=4") == 0;
}

bool hold_mounts(const struct program_hold *hold, struct program_place *place)
{
    struct mount_attr locked = { .attr_set = MOUNT_ATTR_RDONLY };

    if (!(hold->namespaces & CLONE_NEWNS))
        return true;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return false;
    int open = open_tree(place->fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);

    if (open < 0)
        return false;
    if (!mount_proc(hold) || mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &locked, sizeof(locked)) != 0 ||
        move_mount(open, "", place->fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
        int why = errno;

        close(open);
        errno = why;
        return false;
    }
    close(place->fd);
    place->fd = open;
    return true;
}

/* A service may not even be allowed to give up what it does not have. */
static bool has_no_rights(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct now[2] = { 0 };

    return syscall(SYS_capget, &header, now) == 0 && (now[0].permitted | now[1].permitted) == 0;
}

/* All rights that root has, or that a namespace of users has given. */
static bool drop_rights(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { 0 };

    for (int right = 0; right < 64; right++)
        (void)prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return (syscall(SYS_capset, &header, none) == 0 || has_no_rights()) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* In the trial's child: what a keeper does, and whether a process of its own can be made. */
static bool try_keeping(const struct program_hold *hold, const char *scratch)
{
    struct program_place place = { .fd = -1 };

    if (!hold_settle(hold))
        return false;
    place.fd = lookup_folder(scratch, NULL, place.real);
    if (place.fd < 0 || !hold_mounts(hold, &place) || fchdir(place.fd) != 0)
        return false;
    pid_t child = fork();
    int status;

    if (child == 0) /* what a namespace of users gives must not be the program's */
        _exit(drop_rights() ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool works(const struct program_hold *hold, const char *scratch)
{
    pid_t child = hold_fork(hold);
    int status;

    if (child == 0) {
        (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* else its own files in /proc are not its own */
        _exit(try_keeping(hold, scratch) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void hold_find(struct program_hold *hold, const char *scratch)
{
    static const int choices[] = { CLONE_NEWUSER | WITH_MOUNTS, WITH_MOUNTS, CLONE_NEWUSER | WITHOUT_MOUNTS,
                                   WITHOUT_MOUNTS, 0 };
    struct landlock landlock;
    bool found = false;

    *hold = (struct program_hold){ .user = geteuid(), .group = getegid() };
    for (size_t i = 0; !found && i < sizeof(choices) / sizeof(*choices); i++) {
        hold->namespaces = choices[i];
        /* Where processes are counted with all of the user's, those must be seen (tasks_of). */
        hold->proc = (choices[i] & CLONE_NEWNS) && ((choices[i] & CLONE_NEWUSER) || hold->user == 0);
        found = choices[i] == 0 || works(hold, scratch);
        if (!found && hold->proc) { /* a container that covers parts of /proc gets no other one */
            hold->proc = false;
            found = works(hold, scratch);
        }
    }
    bool mounts = hold->namespaces & CLONE_NEWNS;
    bool files = landlock_open(&landlock, LANDLOCK_ANY_PORT) && landlock.version > 0;

    if (landlock.fd >= 0)
        close(landlock.fd);
    hold->filters =
        filter_make(&hold->filter[0], false, mounts) && filter_make(&hold->filter[1], true, mounts);
    hold->bounds = (struct programs_bounds){
        .reads = files,
        .writes = files || mounts,
        .rights = mounts || (hold->filters && hold->user != 0),
        .network = hold->filters,
        .processes = hold->namespaces != 0,
        .alone = hold->proc || files,
    };
}

/* How many processes and threads a user has: where there is no namespace of users, the kernel counts them all
 * against the limit. */
static size_t tasks_of(uid_t user)
{
    DIR *proc = opendir("/proc");
    size_t count = 0;

    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        char path[300];
        struct stat info;

        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof(path), "/proc/%s/task", entry->d_name);
        if (stat(path, &info) == 0 && info.st_uid == user && info.st_nlink > 2)
            count += info.st_nlink - 2;
    }
    if (proc)
        closedir(proc);
    return count;
}

static bool limit(int what, rlim_t most)
{
    struct rlimit now, wanted = { .rlim_cur = most, .rlim_max = most };

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return false;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
        wanted.rlim_cur = wanted.rlim_max = now.rlim_max; /* it is held closer already */
    return setrlimit((__rlimit_resource_t)what, &wanted) == 0;
}

/* The soft limit is a signal by which one can tell what happened, the hard one comes a second later. */
static bool limit_cpu(int64_t seconds)
{
    struct rlimit wanted = { .rlim_cur = (rlim_t)seconds, .rlim_max = (rlim_t)seconds + 1 };

    return setrlimit(RLIMIT_CPU, &wanted) == 0 || limit(RLIMIT_CPU, (rlim_t)seconds);
}

static bool set_limits(const struct program_hold *hold, const struct program *program)
{
    size_t others = 1; /* its keeper */

    if (program->processes_most > 0 && !(hold->namespaces & CLONE_NEWUSER))
        others = tasks_of(hold->user) + hold->hidden;
    return limit(RLIMIT_CORE, 0) && (program->cpu_seconds <= 0 || limit_cpu(program->cpu_seconds)) &&
           (program->memory_most == 0 || limit(RLIMIT_AS, program->memory_most)) &&
           (program->file_most == 0 || limit(RLIMIT_FSIZE, program->file_most)) &&
           (program->files_most <= 0 || limit(RLIMIT_NOFILE, (rlim_t)program->files_most)) &&
           (program->processes_most <= 0 ||
            limit(RLIMIT_NPROC, (rlim_t)program->processes_most + (rlim_t)others));
}

static bool allow_reads(struct landlock *landlock, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!landlock_allow_read(landlock, paths[i]))
            return false;
    return true;
}

static bool allow_system(const struct program_hold *hold, struct landlock *landlock)
{
    for (size_t i = 0; i < sizeof(run_paths) / sizeof(*run_paths); i++)
        if (!landlock_allow_run(landlock, run_paths[i]))
            return false;
    for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
        if (!landlock_allow_device(landlock, devices[i]))
            return false;
    return allow_reads(landlock, read_paths, sizeof(read_paths) / sizeof(*read_paths)) &&
           (hold->proc ? landlock_allow_read(landlock, "/proc")
                       : allow_reads(landlock, proc_paths, sizeof(proc_paths) / sizeof(*proc_paths)));
}

static bool allow_named(struct landlock *landlock, const struct program_place *place)
{
    for (size_t i = 0; i < place->named_count; i++)
        if (!landlock_allow_run_of(landlock, place->named[i]))
            return false;
    return true;
}

/* A program whose name was looked for is where no program of ours can write; one by its path is among those
 * that are named, or in the folder. */
static bool hold_files(const struct program_hold *hold, const struct program *program, const char *path,
                       const struct program_place *place)
{
    struct landlock landlock;

    return landlock_open(&landlock, LANDLOCK_ANY_PORT) && allow_system(hold, &landlock) &&
           (strchr(program->argv[0], '/') || landlock_allow_run(&landlock, path)) &&
           allow_named(&landlock, place) && landlock_allow_all(&landlock, place->fd) &&
           landlock_enforce(&landlock);
}

bool hold_enter(const struct program_hold *hold, const struct program *program, const char *path,
                const struct program_place *place)
{
    return set_limits(hold, program) && drop_rights() && hold_files(hold, program, path, place) &&
           (!hold->filters || filter_enter(&hold->filter[program->network]));
}
