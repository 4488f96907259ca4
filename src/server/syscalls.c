/*
 * Sanitizers start a program and stop the process, which is left open for them.
 */
#include "server/syscalls.h"

#include "base/sanitized.h"
#include "programs/calls.h"

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

/* The sanitizers start a program that reads symbols, and stop the process to look for leaks. */
static const char *const refused_unless_sanitized[] = { "execve", "execveat", "ptrace", "fork", "vfork" };

static const enum calls_group refused[] = { CALLS_PROCESSES,   CALLS_IDENTITY,   CALLS_ROOTS,  CALLS_DEVICES,
                                            CALLS_FILE_RIGHTS, CALLS_FILE_TIMES, CALLS_KERNEL, CALLS_CLOCKS };

static bool refuse_all(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (!calls_refuse(filter, refused[i]))
            return false;
    return true;
}

#define REFUSE(error, call, count, ...) CALLS_REFUSE(filter, error, call, count, __VA_ARGS__)

/* A thread is a clone with CLONE_THREAD, and nothing else is let pass. */
static bool refuse_processes(scmp_filter_ctx filter)
{
    return calls_refuse_clone3(filter) &&
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
    if (!refuse_all(filter) || !refuse_families(filter, unix_sockets) || !refuse_kinds(filter) ||
        !refuse_ways_around(filter, unix_sockets) || !refuse_set_id(filter) ||
        (!SANITIZED &&
         (!refuse_processes(filter) ||
          !calls_refuse_named(filter, refused_unless_sanitized,
                              sizeof(refused_unless_sanitized) / sizeof(*refused_unless_sanitized)))))
        failed = EINVAL;
    else
        failed = -seccomp_load(filter);
    seccomp_release(filter);
    errno = failed;
    return failed == 0;
}
