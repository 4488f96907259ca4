/*
 * Calls are named and resolved at run time, so that one list serves all kernels and machines. Sanitizers need
 * two of them, which are then left open.
 */
#include "server/syscalls.h"

#include "base/sanitized.h"

#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/socket.h>

#define FAMILIES 64 /* socket families that are refused one by one; those beyond are refused together */

/* Names, since a header of an older system does not know the numbers of newer calls. */
static const char *const refused[] = {
    /* Other processes. */
    "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    /* Other rights. */
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
    "capset", "personality",
    /* Other roots. */
    "mount", "umount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
    "mknod", "mknodat", "swapon", "swapoff", "quotactl", "quotactl_fd",
    /* The kernel. */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "iopl",
    "ioperm", "modify_ldt", "syslog", "acct", "lookup_dcookie", "add_key", "request_key", "keyctl", "vhangup",
    /* Clocks and names of the machine. */
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sethostname", "setdomainname"
};

/* The sanitizers start a program that reads symbols, and stop the process to look for leaks. */
static const char *const refused_unless_sanitized[] = { "execve", "execveat", "ptrace" };

/* A call that this kind of machine does not have needs no rule. */
static bool refuse_all(scmp_filter_ctx filter, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);

        if (number != __NR_SCMP_ERROR && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0) != 0)
            return false;
    }
    return true;
}

/* Names of hosts are looked up over netlink too. */
static bool refuse_families(scmp_filter_ctx filter)
{
    for (unsigned family = 0; family < FAMILIES; family++) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
            continue;
        if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                             SCMP_A0(SCMP_CMP_EQ, family)) != 0)
            return false;
    }
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                            SCMP_A0(SCMP_CMP_GE, FAMILIES)) == 0;
}

bool syscalls_give_up(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int failed = 0;

    if (!filter) {
        errno = ENOMEM;
        return false;
    }
    if (!refuse_all(filter, refused, sizeof(refused) / sizeof(*refused)) || !refuse_families(filter) ||
        (!SANITIZED && !refuse_all(filter, refused_unless_sanitized,
                                   sizeof(refused_unless_sanitized) / sizeof(*refused_unless_sanitized))))
        failed = EINVAL;
    else
        failed = -seccomp_load(filter);
    seccomp_release(filter);
    errno = failed;
    return failed == 0;
}
