/*
 * landlock.h - files and ports that this process can still reach, as far as the kernel can hold it to that.
 *
 * A thin layer over the kernel's Landlock. Rules are collected, then put in force for the calling thread and
 * all that it starts later; there is no way back. What an older kernel does not know is left out: version 1
 * knows files, 4 ports, 6 signals and abstract sockets. Descriptors that are open already stay usable.
 *
 * The server holds itself with it, and what starts programs holds those. It holds the calling thread, so
 * there must be no other one yet.
 */
#ifndef BASE_LANDLOCK_H
#define BASE_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct landlock {
    int fd;
    int version; /* 0: the kernel has none, and nothing below does anything */
    uint64_t files, ports;
};

enum landlock_ports { LANDLOCK_ANY_PORT, LANDLOCK_LISTENS, LANDLOCK_LISTENS_AND_CONNECTS };

/* `held`: what is held to rules about ports. False: the kernel has Landlock, but would not; see errno. */
bool landlock_open(struct landlock *landlock, enum landlock_ports held);
/* A path that is not there is passed over: it can be reached by nobody. */
bool landlock_allow_read(struct landlock *landlock, const char *path);
bool landlock_allow_write(struct landlock *landlock, const char *folder);
/* Reading, and running what is there. */
bool landlock_allow_run(struct landlock *landlock, const char *path);
/* The same of what this descriptor is open on. */
bool landlock_allow_run_of(struct landlock *landlock, int fd);
/* Devices such as /dev/null. */
bool landlock_allow_device(struct landlock *landlock, const char *path);
/* Everything beneath the folder that this descriptor is open on. */
bool landlock_allow_all(struct landlock *landlock, int folder);
bool landlock_allow_listen(struct landlock *landlock, int port);
bool landlock_allow_connect(struct landlock *landlock, int port);
/* Puts the rules in force, and closes. */
bool landlock_enforce(struct landlock *landlock);

#endif
