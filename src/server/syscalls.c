/*
 * Calls are named and resolved at run time, so that one list serves all kernels and machines. Sanitizers need
 * two of them, which are then left open.
 */
#include "server/syscalls.h"

#include "base/sanitized.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define FAMILIES  64  /* socket families that are refused one by one; those beyond are refused together */
#define PROTOCOLS 18  /* the same of protocols; UDP is the last that is let pass */
#define KINDS     15U /* the bits of a socket's kind; those above are flags */

/* Which argument of clone says what is made. */
#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

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
    /* Rights to files, to which Landlock does not hold anybody. SQLite gives a log the rights and the owner
     * of its store by fchmod and fchown, on a file that it has open. */
    "chmod", "fchmodat", "fchmodat2", "chown", "chown32", "lchown", "lchown32", "fchownat", "utime", "utimes",
    "futimesat", "utimensat", "utimensat_time64", "setxattr", "lsetxattr", "fsetxattr", "setxattrat",
    "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr",
    /* The kernel. */
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "iopl",
    "ioperm", "modify_ldt", "syslog", "acct", "lookup_dcookie", "add_key", "request_key", "keyctl", "vhangup",
    /* Clocks and names of the machine. */
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sethostname", "setdomainname"
};

/* The sanitizers start a program that reads symbols, and stop the process to look for leaks. */
static const char *const refused_unless_sanitized[] = { "execve", "execveat", "ptrace", "fork", "vfork" };

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

#define REFUSE(error, call, count, ...)                                                                      \
    (seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), (call), (count), __VA_ARGS__) == 0)

/*
 * A thread is a clone with CLONE_THREAD, and nothing else is let pass. What clone3 is asked for stands in
 * memory, which no filter sees: it is answered as on a kernel that does not have it, and the C library takes
 * the other.
 */
static bool refuse_processes(scmp_filter_ctx filter)
{
    int newer = seccomp_syscall_resolve_name("clone3");

    return (newer == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), newer, 0) == 0) &&
           REFUSE(EPERM, SCMP_SYS(clone), 1, SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

/* Files that run as their owner or their group are made by nobody here. */
static bool refuse_set_id(scmp_filter_ctx filter)
{
    return REFUSE(EPERM, SCMP_SYS(fchmod), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID)) &&
           REFUSE(EPERM, SCMP_SYS(fchmod), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, S_ISGID, S_ISGID));
}

/* Names of hosts are looked up over netlink too. */
static bool refuse_families(scmp_filter_ctx filter, bool unix_sockets)
{
    for (unsigned family = 0; family < FAMILIES; family++) {
        if ((family == AF_UNIX && unix_sockets) || family == AF_INET || family == AF_INET6 ||
            family == AF_NETLINK)
            continue;
        if (!REFUSE(EAFNOSUPPORT, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, family)))
            return false;
    }
    return REFUSE(EAFNOSUPPORT, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_GE, FAMILIES));
}

/* Of a kind and a protocol that are not TCP or UDP: Landlock holds TCP to its ports, and nothing that is like
 * it (MPTCP, SCTP). Of netlink only what tells of addresses and routes. */
static bool refuse_kinds(scmp_filter_ctx filter)
{
    static const unsigned families[] = { AF_INET, AF_INET6 };

    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        for (unsigned kind = 0; kind <= KINDS; kind++)
            if (kind != SOCK_STREAM && kind != SOCK_DGRAM &&
                !REFUSE(EPERM, SCMP_SYS(socket), 2, SCMP_A0(SCMP_CMP_EQ, families[i]),
                        SCMP_A1(SCMP_CMP_MASKED_EQ, KINDS, kind)))
                return false;
        for (unsigned protocol = 1; protocol < PROTOCOLS; protocol++)
            if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP &&
                !REFUSE(EPROTONOSUPPORT, SCMP_SYS(socket), 2, SCMP_A0(SCMP_CMP_EQ, families[i]),
                        SCMP_A2(SCMP_CMP_EQ, protocol)))
                return false;
        if (!REFUSE(EPROTONOSUPPORT, SCMP_SYS(socket), 2, SCMP_A0(SCMP_CMP_EQ, families[i]),
                    SCMP_A2(SCMP_CMP_GE, PROTOCOLS)))
            return false;
    }
    return REFUSE(EPROTONOSUPPORT, SCMP_SYS(socket), 2, SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
                  SCMP_A2(SCMP_CMP_NE, NETLINK_ROUTE));
}

/* A pair of datagram sockets could be pointed elsewhere afterwards; curl wakes its loop by a pair of streams.
 * What opens a connection with its first bytes is not held to ports. */
static bool refuse_ways_around(scmp_filter_ctx filter, bool unix_sockets)
{
    for (unsigned kind = 0; kind <= KINDS && !unix_sockets; kind++)
        if (kind != SOCK_STREAM &&
            !REFUSE(EPERM, SCMP_SYS(socketpair), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, KINDS, kind)))
            return false;
    return REFUSE(EPERM, SCMP_SYS(sendto), 1, SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN)) &&
           REFUSE(EPERM, SCMP_SYS(sendmsg), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN)) &&
           REFUSE(EPERM, SCMP_SYS(sendmmsg), 1, SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
}

bool syscalls_give_up(bool unix_sockets)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int failed = 0;

    if (!filter) {
        errno = ENOMEM;
        return false;
    }
    /* Looked up as in a tree: the list is long, and every call goes through it. An older library tries one by
     * one. */
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!refuse_all(filter, refused, sizeof(refused) / sizeof(*refused)) ||
        !refuse_families(filter, unix_sockets) || !refuse_kinds(filter) ||
        !refuse_ways_around(filter, unix_sockets) || !refuse_set_id(filter) ||
        (!SANITIZED && (!refuse_processes(filter) ||
                        !refuse_all(filter, refused_unless_sanitized,
                                    sizeof(refused_unless_sanitized) / sizeof(*refused_unless_sanitized)))))
        failed = EINVAL;
    else
        failed = -seccomp_load(filter);
    seccomp_release(filter);
    errno = failed;
    return failed == 0;
}
