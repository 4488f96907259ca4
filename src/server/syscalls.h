/*
 * syscalls.h - system calls that a server never needs, given up for good.
 *
 * Refused with EPERM: starting programs and processes (threads are let pass), looking into other processes,
 * changing users, the rights, owners and times of files by their path, mounts or namespaces, loading code
 * into the kernel, setting clocks; and sockets other than TCP, UDP, those by which the kernel tells of the
 * network, and, if they are needed, the machine's own. It is a list of what is refused and not of what is
 * allowed, so that a newer C library finds what it needs; the systemd unit has the other kind.
 *
 * Thread: one, before others are started.
 */
#ifndef SERVER_SYSCALLS_H
#define SERVER_SYSCALLS_H

#include <stdbool.h>

/* False: the kernel has no filters, or would not take this one; errno says why. `unix_sockets`: the machine's
 * own sockets are needed. */
bool syscalls_give_up(bool unix_sockets);

#endif
