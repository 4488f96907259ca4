/*
 * calls.h - system calls by what they are good for, to be refused by a filter.
 *
 * The server's own filter (server/syscalls.c) and that of the programs which it has started (filter.h) name
 * what they refuse by these groups. Calls are named and resolved at run time, so that one list serves all
 * kernels and machines.
 */
#ifndef PROGRAMS_CALLS_H
#define PROGRAMS_CALLS_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>

enum calls_group {
    CALLS_PROCESSES,   /* looking into others */
    CALLS_IDENTITY,    /* becoming somebody else */
    CALLS_ROOTS,       /* mounts, roots, namespaces, quotas */
    CALLS_DEVICES,     /* making their files */
    CALLS_FILE_RIGHTS, /* rights, owners and attributes of files by their path */
    CALLS_FILE_TIMES,
    CALLS_KERNEL, /* its modules, its programs, its keys */
    CALLS_CLOCKS, /* and the machine's name */
};

/* Answered with EPERM. False: the filter does not take it. */
bool calls_refuse(scmp_filter_ctx filter, enum calls_group group);
/* The same of calls by their names. */
bool calls_refuse_named(scmp_filter_ctx filter, const char *const *names, size_t count);
/* Answered as on a kernel that does not have it: what clone3 is asked for stands in memory, which no filter
 * sees, and the C library takes the other. */
bool calls_refuse_clone3(scmp_filter_ctx filter);

/* Which argument of clone says what is made. */
#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

#define CALLS_REFUSE(filter, error, call, count, ...) \
    (seccomp_rule_add((filter), SCMP_ACT_ERRNO(error), (call), (count), __VA_ARGS__) == 0)

#endif
