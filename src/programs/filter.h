/*
 * filter.h - the system calls that a program which the server has started may not make.
 *
 * Made once, by the helper, since a program that is about to be run should not have to: what is left then is
 * one call. Refused with EPERM: looking into other processes, mounts and namespaces of its own, loading code
 * into the kernel, its clocks and keys; unless it may use the network, sockets of every kind, but for pairs,
 * by which its own processes speak with each other; and, where no mounts of its own protect the files of
 * others, changing the rights, owners and times of files by their path.
 */
#ifndef PROGRAMS_FILTER_H
#define PROGRAMS_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>

struct filter {
    struct sock_filter *steps;
    unsigned short count;
};

/* False: it cannot be made here. */
bool filter_make(struct filter *filter, bool network, bool file_rights);
/* For good, for this process and all that it starts. It must have given up gaining rights before. */
bool filter_enter(const struct filter *filter);

#endif
