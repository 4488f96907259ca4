/*
 * syscalls.h - system calls that a server never needs, given up for good.
 *
 * Refused with EPERM: starting programs, looking into other processes, changing users, mounts or namespaces,
 * loading code into the kernel, setting clocks, and sockets other than those of the machine and the internet.
 * It is a list of what is refused and not of what is allowed, so that a newer C library finds what it needs;
 * the systemd unit has the other kind.
 *
 * Thread: one, before others are started.
 */
#ifndef SERVER_SYSCALLS_H
#define SERVER_SYSCALLS_H

#include <stdbool.h>

/* False: the kernel has no filters, or would not take this one; errno says why. */
bool syscalls_give_up(void);

#endif
