#include "programs/calls.h"

#include <errno.h>

/* Names, since a header of an older system does not know the numbers of newer calls. */
static const char *const processes[] = { "process_vm_readv", "process_vm_writev", "process_madvise",
                                         "pidfd_getfd", "kcmp" };

static const char *const identity[] = { "setuid",    "setgid",    "setreuid",   "setregid",
                                        "setresuid", "setresgid", "setgroups",  "setfsuid",
                                        "setfsgid",  "capset",    "personality" };

static const char *const roots[] = {
    "mount",    "umount",   "umount2",     "pivot_root",        "chroot",
    "unshare",  "setns",    "open_tree",   "move_mount",        "fsopen",
    "fsconfig", "fsmount",  "fspick",      "mount_setattr",     "swapon",
    "swapoff",  "quotactl", "quotactl_fd", "name_to_handle_at", "open_by_handle_at",
};

static const char *const devices[] = { "mknod", "mknodat" };

/* To which Landlock does not hold anybody. fchmod and fchown are left, which need a file that is open: SQLite
 * gives a log the rights and the owner of its store by them. */
static const char *const file_rights[] = { "chmod",       "fchmodat",     "fchmodat2",    "chown",
                                           "chown32",     "lchown",       "lchown32",     "fchownat",
                                           "setxattr",    "lsetxattr",    "fsetxattr",    "setxattrat",
                                           "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
                                           "file_setattr" };

static const char *const file_times[] = { "utime", "utimes", "futimesat", "utimensat", "utimensat_time64" };

static const char *const kernel[] = { "init_module",
                                      "finit_module",
                                      "delete_module",
                                      "kexec_load",
                                      "kexec_file_load",
                                      "reboot",
                                      "bpf",
                                      "perf_event_open",
                                      "userfaultfd",
                                      "io_uring_setup",
                                      "io_uring_enter",
                                      "io_uring_register",
                                      "iopl",
                                      "ioperm",
                                      "modify_ldt",
                                      "syslog",
                                      "acct",
                                      "lookup_dcookie",
                                      "add_key",
                                      "request_key",
                                      "keyctl",
                                      "vhangup" };

static const char *const clocks[] = { "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
                                      "stime",        "sethostname",   "setdomainname" };

#define GROUP(names) \
    { \
        names, sizeof(names) / sizeof(*(names)) \
    }

static const struct {
    const char *const *names;
    size_t count;
} groups[] = {
    [CALLS_PROCESSES] = GROUP(processes),
    [CALLS_IDENTITY] = GROUP(identity),
    [CALLS_ROOTS] = GROUP(roots),
    [CALLS_DEVICES] = GROUP(devices),
    [CALLS_FILE_RIGHTS] = GROUP(file_rights),
    [CALLS_FILE_TIMES] = GROUP(file_times),
    [CALLS_KERNEL] = GROUP(kernel),
    [CALLS_CLOCKS] = GROUP(clocks),
};

/* A call that this kind of machine does not have needs no rule. */
bool calls_refuse_named(scmp_filter_ctx filter, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);

        if (number != __NR_SCMP_ERROR && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0) != 0)
            return false;
    }
    return true;
}

bool calls_refuse(scmp_filter_ctx filter, enum calls_group group)
{
    return calls_refuse_named(filter, groups[group].names, groups[group].count);
}

bool calls_refuse_clone3(scmp_filter_ctx filter)
{
    int newer = seccomp_syscall_resolve_name("clone3");

    return newer == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), newer, 0) == 0;
}
