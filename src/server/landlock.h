/*
 * landlock.h - files and ports that this process can still reach, as far as the kernel can hold it to that.
 *
 * A thin layer over the kernel's Landlock. Rules are collected, then put in force for the calling thread and
 * all that it starts later; there is no way back. What an older kernel does not know is left out: version 1
 * knows files, 4 ports, 6 signals and abstract sockets. Descriptors that are open already stay usable.
 *
 * Thread: one, before others are started.
 */
#ifndef SERVER_LANDLOCK_H
#define SERVER_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct landlock {
    int fd;
    int version; /* 0: the kernel has none, and nothing below does anything */
    uint64_t files, ports;
};

/* `connects`: connecting is held to rules as well. False: the kernel has it, but would not; see errno. */
bool landlock_open(struct landlock *landlock, bool connects);
/* A path that is not there is passed over: it can be reached by nobody. */
bool landlock_allow_read(struct landlock *landlock, const char *path);
bool landlock_allow_write(struct landlock *landlock, const char *folder);
bool landlock_allow_listen(struct landlock *landlock, int port);
bool landlock_allow_connect(struct landlock *landlock, int port);
/* Puts the rules in force, and closes. */
bool landlock_enforce(struct landlock *landlock);

#endif
