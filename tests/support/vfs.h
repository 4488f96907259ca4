/*
 * vfs.h - a SQLite VFS on which the power can fail.
 *
 * It passes everything on to the default VFS, and remembers for each file what was there at its last
 * sync and what was written since. A power cut leaves of the latter nothing, everything, or a random
 * choice of its 512-byte sectors; every call after it fails, until vfs_restore_power has put on the
 * disk what a real machine would find there. It can also refuse writes as a full disk does, fail a
 * sync, or ignore syncs as synchronous=OFF does.
 *
 * Nothing is really synced: the tests that use this would otherwise take minutes.
 *
 * Thread: any; one lock guards it all. Plans are made while no connection is open.
 */
#ifndef SUPPORT_VFS_H
#define SUPPORT_VFS_H

#include <stdbool.h>

#define VFS_NAME "witan-test"

/* Registers the VFS on first use, and forgets all plans, counts and files. */
void vfs_reset(void);

/* Cuts the power at the n-th write, truncation or sync from now; `seed` decides what survives. */
void vfs_cut_power_at(int point, unsigned seed);
/* The n-th write from now and all that follow it get SQLITE_FULL, until vfs_free_space. */
void vfs_fill_disk_at(int write);
void vfs_free_space(void);
/* The n-th sync from now fails with SQLITE_IOERR_FSYNC; later ones are counted but work. */
void vfs_fail_sync_at(int sync);
/* Syncs promise what they do not do. */
void vfs_ignore_syncs(void);

int vfs_points(void); /* writes, truncations and syncs since the reset */
int vfs_syncs(void);
int vfs_database_writes(void); /* writes to the database itself, which only checkpoints make in WAL mode */
bool vfs_is_cut(void);
/* After a cut, with all connections closed: writes what survived to the files. */
void vfs_restore_power(void);

#endif
