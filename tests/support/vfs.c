#include "tests/support/vfs.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR    512
#define FILES_MAX 16

/* A write, or a truncation when bytes is NULL (`offset` is the new size then). */
struct change {
    struct change *next;
    int64_t offset;
    size_t len;
    unsigned char *bytes;
};

/* A file on the disk, whichever connections have it open. */
struct disk_file {
    char path[512];
    unsigned char *durable;
    size_t size, room;
    struct change *first, **last;
};

struct vfs_file {
    sqlite3_file base;
    struct disk_file *disk; /* NULL for temporary files */
    bool is_database;
    sqlite3_file *real; /* right behind this struct */
};

static struct {
    pthread_mutex_t lock;
    sqlite3_vfs vfs, *real;
    struct disk_file files[FILES_MAX];
    int count;
    int points, writes, syncs, database_writes;
    int cut_at, full_at, fail_sync_at;
    bool is_cut, is_full, ignore_syncs;
    uint64_t random;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned next_random(void)
{
    state.random = state.random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state.random >> 33);
}

/* What is on the disk for sure */

static void durable_resize(struct disk_file *disk, size_t size)
{
    if (size > disk->room) {
        size_t room = size * 2;

        disk->durable = realloc(disk->durable, room);
        if (!disk->durable)
            abort();
        disk->room = room;
    }
    if (size > disk->size)
        memset(disk->durable + disk->size, 0, size - disk->size);
    disk->size = size;
}

static void durable_write(struct disk_file *disk, size_t offset, const unsigned char *bytes, size_t len)
{
    if (offset + len > disk->size)
        durable_resize(disk, offset + len);
    memcpy(disk->durable + offset, bytes, len);
}

static void remember(struct disk_file *disk, int64_t offset, const void *bytes, size_t len)
{
    struct change *change = calloc(1, sizeof(*change));

    if (!change)
        abort();
    change->offset = offset;
    change->len = len;
    if (bytes) {
        change->bytes = malloc(len);
        if (!change->bytes)
            abort();
        memcpy(change->bytes, bytes, len);
    }
    *disk->last = change;
    disk->last = &change->next;
}

/* Each sector of a write reaches the disk, or does not, by itself. */
static void survive(struct disk_file *disk, const struct change *change, unsigned chance)
{
    if (!change->bytes) {
        if (next_random() % 100 < chance)
            durable_resize(disk, (size_t)change->offset);
        return;
    }
    for (size_t done = 0; done < change->len;) {
        size_t offset = (size_t)change->offset + done, piece = SECTOR - offset % SECTOR;

        if (piece > change->len - done)
            piece = change->len - done;
        if (next_random() % 100 < chance)
            durable_write(disk, offset, change->bytes + done, piece);
        done += piece;
    }
}

/* `chance`: percent of the sectors that survive. */
static void settle(struct disk_file *disk, unsigned chance)
{
    for (struct change *change = disk->first, *next; change; change = next) {
        next = change->next;
        survive(disk, change, chance);
        free(change->bytes);
        free(change);
    }
    disk->first = NULL;
    disk->last = &disk->first;
}

static void load(struct disk_file *disk)
{
    int fd = open(disk->path, O_RDONLY | O_CLOEXEC);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        durable_resize(disk, (size_t)info.st_size);
        if (pread(fd, disk->durable, disk->size, 0) != (ssize_t)disk->size)
            abort();
    }
    close(fd);
}

static struct disk_file *disk_find(const char *path)
{
    for (int i = 0; i < state.count; i++) {
        if (strcmp(state.files[i].path, path) == 0)
            return &state.files[i];
    }
    return NULL;
}

static struct disk_file *disk_open(const char *path)
{
    struct disk_file *disk = disk_find(path);

    if (disk)
        return disk;
    if (state.count == FILES_MAX)
        abort();
    disk = &state.files[state.count++];
    snprintf(disk->path, sizeof(disk->path), "%s", path);
    disk->last = &disk->first;
    load(disk);
    return disk;
}

/* Counts a point; false when the power is gone. Called with the lock held. */
static bool has_power(bool is_point)
{
    if (is_point && !state.is_cut) {
        state.points++;
        state.is_cut = state.points == state.cut_at;
    }
    return !state.is_cut;
}

static bool has_power_now(void)
{
    pthread_mutex_lock(&state.lock);
    bool power = has_power(false);

    pthread_mutex_unlock(&state.lock);
    return power;
}

/* The methods of a file */

static struct vfs_file *file_of(sqlite3_file *base)
{
    return (struct vfs_file *)base;
}

#define REAL(base) (file_of(base)->real->pMethods)

static int file_close(sqlite3_file *base)
{
    return REAL(base)->xClose(file_of(base)->real);
}

static int file_read(sqlite3_file *base, void *bytes, int len, sqlite3_int64 offset)
{
    return has_power_now() ? REAL(base)->xRead(file_of(base)->real, bytes, len, offset) : SQLITE_IOERR_READ;
}

static int file_write(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 offset)
{
    struct vfs_file *file = file_of(base);

    if (!file->disk)
        return REAL(base)->xWrite(file->real, bytes, len, offset);
    pthread_mutex_lock(&state.lock);
    bool had_power = has_power(false), power = has_power(true);

    state.writes++;
    state.database_writes += file->is_database;
    if (state.full_at && state.writes >= state.full_at)
        state.is_full = true;
    bool full = state.is_full;

    if (had_power && !full)
        remember(file->disk, offset, bytes, (size_t)len);
    pthread_mutex_unlock(&state.lock);
    if (full)
        return SQLITE_FULL;
    return power ? REAL(base)->xWrite(file->real, bytes, len, offset) : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
    struct vfs_file *file = file_of(base);

    if (!file->disk)
        return REAL(base)->xTruncate(file->real, size);
    pthread_mutex_lock(&state.lock);
    bool had_power = has_power(false), power = has_power(true);

    if (had_power)
        remember(file->disk, size, NULL, 0);
    pthread_mutex_unlock(&state.lock);
    return power ? REAL(base)->xTruncate(file->real, size) : SQLITE_IOERR_TRUNCATE;
}

static int file_sync(sqlite3_file *base, int flags)
{
    struct vfs_file *file = file_of(base);
    int code = SQLITE_OK;

    (void)flags;
    if (!file->disk)
        return SQLITE_OK;
    pthread_mutex_lock(&state.lock);
    state.syncs++;
    if (!has_power(true) || state.syncs == state.fail_sync_at)
        code = SQLITE_IOERR_FSYNC;
    else if (!state.ignore_syncs)
        settle(file->disk, 100);
    pthread_mutex_unlock(&state.lock);
    return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size)
{
    return has_power_now() ? REAL(base)->xFileSize(file_of(base)->real, size) : SQLITE_IOERR_FSTAT;
}

static int file_lock(sqlite3_file *base, int level)
{
    return has_power_now() ? REAL(base)->xLock(file_of(base)->real, level) : SQLITE_IOERR_LOCK;
}

static int file_unlock(sqlite3_file *base, int level)
{
    return REAL(base)->xUnlock(file_of(base)->real, level);
}

static int file_check_lock(sqlite3_file *base, int *taken)
{
    return REAL(base)->xCheckReservedLock(file_of(base)->real, taken);
}

static int file_control(sqlite3_file *base, int what, void *value)
{
    return REAL(base)->xFileControl(file_of(base)->real, what, value);
}

static int file_sector_size(sqlite3_file *base)
{
    return REAL(base)->xSectorSize(file_of(base)->real);
}

static int file_characteristics(sqlite3_file *base)
{
    return REAL(base)->xDeviceCharacteristics(file_of(base)->real);
}

/* The WAL's index is shared memory that does not survive anyway. */
static int shm_map(sqlite3_file *base, int page, int size, int extend, void volatile **at)
{
    return has_power_now() ? REAL(base)->xShmMap(file_of(base)->real, page, size, extend, at)
                           : SQLITE_IOERR_SHMMAP;
}

static int shm_lock(sqlite3_file *base, int offset, int count, int flags)
{
    return REAL(base)->xShmLock(file_of(base)->real, offset, count, flags);
}

static void shm_barrier(sqlite3_file *base)
{
    REAL(base)->xShmBarrier(file_of(base)->real);
}

static int shm_unmap(sqlite3_file *base, int remove)
{
    return REAL(base)->xShmUnmap(file_of(base)->real, remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

/* The methods of the VFS that are not passed on as they are */

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *base, int flags, int *out_flags)
{
    struct vfs_file *file = file_of(base);

    (void)vfs;
    *file = (struct vfs_file){ .real = (sqlite3_file *)(file + 1) };
    if (!has_power_now())
        return SQLITE_CANTOPEN;
    int code = state.real->xOpen(state.real, path, file->real, flags, out_flags);

    if (code != SQLITE_OK)
        return code;
    if (path && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL))) {
        pthread_mutex_lock(&state.lock);
        file->disk = disk_open(path);
        pthread_mutex_unlock(&state.lock);
    }
    file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    base->pMethods = &methods;
    return SQLITE_OK;
}

/* A deletion is taken as durable at once. */
static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    if (!has_power_now())
        return SQLITE_IOERR_DELETE;
    pthread_mutex_lock(&state.lock);
    struct disk_file *disk = disk_find(path);

    if (disk) {
        settle(disk, 0);
        disk->size = 0;
    }
    pthread_mutex_unlock(&state.lock);
    return state.real->xDelete(state.real, path, sync);
}

void vfs_reset(void)
{
    pthread_mutex_lock(&state.lock);
    if (!state.real) {
        state.real = sqlite3_vfs_find(NULL);
        state.vfs = *state.real;
        state.vfs.zName = VFS_NAME;
        state.vfs.szOsFile = (int)sizeof(struct vfs_file) + state.real->szOsFile;
        state.vfs.xOpen = vfs_open;
        state.vfs.xDelete = vfs_delete;
        sqlite3_vfs_register(&state.vfs, 0);
    }
    for (int i = 0; i < state.count; i++) {
        settle(&state.files[i], 0);
        free(state.files[i].durable);
        state.files[i] = (struct disk_file){ 0 };
    }
    state.count = 0;
    state.points = state.writes = state.syncs = state.database_writes = 0;
    state.cut_at = state.full_at = state.fail_sync_at = 0;
    state.is_cut = state.is_full = state.ignore_syncs = false;
    pthread_mutex_unlock(&state.lock);
}

/* Plans */

void vfs_cut_power_at(int point, unsigned seed)
{
    pthread_mutex_lock(&state.lock);
    state.cut_at = state.points + point;
    state.random = seed;
    pthread_mutex_unlock(&state.lock);
}

void vfs_fill_disk_at(int write)
{
    pthread_mutex_lock(&state.lock);
    state.full_at = state.writes + write;
    pthread_mutex_unlock(&state.lock);
}

void vfs_free_space(void)
{
    pthread_mutex_lock(&state.lock);
    state.full_at = 0;
    state.is_full = false;
    pthread_mutex_unlock(&state.lock);
}

void vfs_fail_sync_at(int sync)
{
    pthread_mutex_lock(&state.lock);
    state.fail_sync_at = state.syncs + sync;
    pthread_mutex_unlock(&state.lock);
}

void vfs_ignore_syncs(void)
{
    pthread_mutex_lock(&state.lock);
    state.ignore_syncs = true;
    pthread_mutex_unlock(&state.lock);
}

static int read_count(const int *count)
{
    pthread_mutex_lock(&state.lock);
    int value = *count;

    pthread_mutex_unlock(&state.lock);
    return value;
}

int vfs_points(void)
{
    return read_count(&state.points);
}

int vfs_syncs(void)
{
    return read_count(&state.syncs);
}

int vfs_database_writes(void)
{
    return read_count(&state.database_writes);
}

bool vfs_is_cut(void)
{
    return !has_power_now();
}

/* A third of the seeds lose everything that was not synced, a third keep a half, a third keep nearly all. */
void vfs_restore_power(void)
{
    static const unsigned chances[] = { 0, 50, 95 };

    pthread_mutex_lock(&state.lock);
    unsigned chance = chances[state.random % 3];

    for (int i = 0; i < state.count; i++) {
        struct disk_file *disk = &state.files[i];
        int fd;

        settle(disk, chance);
        fd = open(disk->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0 || write(fd, disk->durable, disk->size) != (ssize_t)disk->size)
            abort();
        close(fd);
    }
    state.is_cut = false;
    state.cut_at = 0;
    pthread_mutex_unlock(&state.lock);
}
