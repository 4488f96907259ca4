/*
 * What was acknowledged is there after the power failed, wherever it failed; and a disk that fails or
 * is full says so and loses nothing that was promised.
 */
#include "db/store.h"
#include "tests/support/units.h"
#include "tests/support/vfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAVES 24
#define WAVE  3
#define UNITS (WAVES * WAVE)

#define SCHEMA \
    "CREATE TABLE first(id INTEGER PRIMARY KEY, text TEXT NOT NULL);" \
    "CREATE TABLE second(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"

struct disk {
    char folder[64], url[96];
    struct store_options options;
    atomic_int fatal;
};

static void on_fatal(void *user, const char *why)
{
    struct disk *disk = user;

    assert_non_null(why);
    atomic_fetch_add(&disk->fatal, 1);
}

static void disk_init(struct disk *disk)
{
    *disk = (struct disk){ 0 };
    units_folder(disk->folder, true);
    snprintf(disk->url, sizeof(disk->url), "sqlite:%s/db", disk->folder);
    units_script(disk->url, SCHEMA);
    vfs_reset();
    disk->options = (struct store_options){
        .url = disk->url, .readers = 1, .vfs = VFS_NAME, .fatal = on_fatal, .user = disk
    };
}

static void disk_done(struct disk *disk)
{
    vfs_reset();
    units_remove(disk->folder);
}

static struct store *open_store(struct disk *disk)
{
    struct err err = { 0 };
    struct store *store = store_open(&disk->options, &err);

    if (!store)
        fail_msg("%s", err.text);
    return store;
}

/* Two rows that belong together. `text` makes the rows as large as the test wants them. */
struct pair {
    struct unit unit;
    const char *text;
    bool handed_in, acknowledged;
};

static bool insert_pair(struct db *db, struct unit *unit)
{
    struct pair *pair = unit->user;
    struct db_rows rows;
    char key[32];

    snprintf(key, sizeof(key), "%d", (int)unit->id);
    return db_query_text(db, &unit->arena, "INSERT INTO first VALUES($1, $2)",
                         DB_ARGS(db_int(unit->id), db_text(pair->text)), &rows, &unit->work.err) &&
           db_query_text(db, &unit->arena, "INSERT INTO second VALUES($1, $2)",
                         DB_ARGS(db_int(unit->id), db_text(key)), &rows, &unit->work.err);
}

static void write_waves(struct store *store, struct pair pairs[UNITS], const char *text)
{
    struct err err = { 0 };

    for (int i = 0; i < UNITS; i++) {
        unit_init(&pairs[i].unit, i + 1, NULL);
        pairs[i].unit.body = insert_pair;
        pairs[i].unit.user = &pairs[i];
        pairs[i].text = text;
    }
    for (int wave = 0; wave < WAVES; wave++) {
        for (int i = wave * WAVE; i < (wave + 1) * WAVE; i++)
            pairs[i].handed_in = store_write(store, &pairs[i].unit.work, &err);
        for (int i = wave * WAVE; i < (wave + 1) * WAVE; i++) {
            if (pairs[i].handed_in)
                unit_wait(&pairs[i].unit);
            pairs[i].acknowledged = pairs[i].handed_in && pairs[i].unit.work.err.code == ERR_NONE;
        }
    }
}

static void check_sound(const struct disk *disk)
{
    assert_int_equal(units_number(disk->url, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(
        units_number(disk->url, "SELECT count(*) FROM first WHERE id NOT IN (SELECT id FROM second)"), 0);
    assert_int_equal(
        units_number(disk->url, "SELECT count(*) FROM second WHERE id NOT IN (SELECT id FROM first)"), 0);
}

/* How many acknowledged units are missing. */
static int count_missing(const struct disk *disk, const struct pair pairs[UNITS])
{
    int missing = 0;
    struct err err = { 0 };
    struct db *db = db_open(disk->url, &err);
    ARENA_AUTO arena = { 0 };

    assert_non_null(db);
    for (int i = 0; i < UNITS; i++) {
        struct db_rows rows;

        assert_true(db_query_text(db, &arena, "SELECT 1 FROM first WHERE id = $1", DB_ARGS(db_int(i + 1)),
                                  &rows, &err));
        if (pairs[i].acknowledged && rows.count == 0)
            missing++;
    }
    db_close(db);
    return missing;
}

struct cut_result {
    int acknowledged, missing;
    bool was_cut, in_checkpoint;
};

static struct cut_result cut_once(int point, unsigned seed, const char *text, bool ignore_syncs)
{
    struct disk disk;
    struct pair pairs[UNITS] = { 0 };
    struct cut_result result = { 0 };
    struct err err = { 0 };
    struct store *store;

    disk_init(&disk);
    if (ignore_syncs)
        vfs_ignore_syncs();
    vfs_cut_power_at(point, seed);
    store = store_open(&disk.options, &err);
    if (store) {
        write_waves(store, pairs, text);
        store_close(store);
        for (int i = 0; i < UNITS; i++) {
            result.acknowledged += pairs[i].acknowledged;
            unit_done(&pairs[i].unit);
        }
    }
    result.was_cut = vfs_is_cut();
    result.in_checkpoint = result.was_cut && vfs_database_writes() > 0;
    if (result.was_cut)
        vfs_restore_power();
    /* A lost file that syncs were ignored for may be unreadable: that is a loss, not a broken test. */
    if (!ignore_syncs)
        check_sound(&disk);
    result.missing = count_missing(&disk, pairs);
    disk_done(&disk);
    return result;
}

static void every_acknowledged_write_survives_a_power_cut(void **state)
{
    int cuts = 0, partly = 0;
    int points = getenv("WITAN_FULL") ? 400 : 200;
    unsigned seeds = getenv("WITAN_FULL") ? 9 : 3;

    (void)state;
    for (int point = 1; point <= points; point++) {
        for (unsigned seed = 0; seed < seeds; seed++) {
            struct cut_result result = cut_once(point, seed + 3 * (unsigned)point, "short", false);

            if (result.missing)
                fail_msg("point %d, seed %u: %d of %d acknowledged writes are missing", point, seed,
                         result.missing, result.acknowledged);
            cuts += result.was_cut;
            partly += result.was_cut && result.acknowledged > 0 && result.acknowledged < UNITS;
        }
    }
    /* The points must really lie in the middle of the writes. */
    assert_true(cuts > 200);
    assert_true(partly > 100);
}

/* Rows so large that the WAL is checkpointed while the power fails. */
static void a_power_cut_during_a_checkpoint_loses_nothing(void **state)
{
    size_t len = 300 * 1000;
    char *text = malloc(len + 1);
    int step = getenv("WITAN_FULL") ? 49 : 499, cuts = 0;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', len);
    text[len] = '\0';
    for (int point = 4150; point < 8000; point += step) {
        struct cut_result result = cut_once(point, (unsigned)point, text, false);

        assert_int_equal(result.missing, 0);
        cuts += result.in_checkpoint;
    }
    assert_true(cuts >= 3);
    free(text);
}

/* The test must be able to fail: the same cuts on a disk that does not sync lose acknowledged writes. */
static void without_syncs_the_same_test_finds_losses(void **state)
{
    int missing = 0;

    (void)state;
    for (int point = 60; point < 90; point++)
        missing += cut_once(point, 0, "short", true).missing;
    assert_true(missing > 0);
}

static void a_failed_sync_leaves_the_outcome_unknown_and_ends_the_store(void **state)
{
    struct disk disk;
    struct store *store;

    (void)state;
    disk_init(&disk);
    store = open_store(&disk);
    assert_int_equal(unit_write(store, 1, "INSERT INTO first VALUES($1, 'kept')"), ERR_NONE);
    int syncs = vfs_syncs();

    vfs_fail_sync_at(1);
    assert_int_equal(unit_write(store, 2, "INSERT INTO first VALUES($1, 'unknown')"), ERR_OUTCOME_UNKNOWN);
    assert_int_equal(vfs_syncs(), syncs + 1);
    assert_int_equal(unit_write(store, 3, "INSERT INTO first VALUES($1, 'refused')"), ERR_UNAVAILABLE);
    assert_false(store_healthy(store));
    store_close(store);
    assert_int_equal(atomic_load(&disk.fatal), 1);
    /* No sync was tried again, not even while closing. */
    assert_int_equal(vfs_syncs(), syncs + 1);
    assert_int_equal(units_number(disk.url, "SELECT count(*) FROM first WHERE id = 1"), 1);
    assert_int_equal(units_number(disk.url, "SELECT count(*) FROM first WHERE id = 3"), 0);
    disk_done(&disk);
}

static void a_full_disk_refuses_and_recovers(void **state)
{
    struct disk disk;
    struct store *store;
    struct store_stats stats;

    (void)state;
    disk_init(&disk);
    store = open_store(&disk);
    assert_int_equal(unit_write(store, 1, "INSERT INTO first VALUES($1, 'kept')"), ERR_NONE);
    for (int at = 1; at <= 2; at++) {
        vfs_fill_disk_at(at);

        struct err err = unit_write_err(store, 2, "INSERT INTO first VALUES($1, 'full')");

        assert_int_equal(err.code, ERR_UNAVAILABLE);
        assert_true(err.raw);
        assert_non_null(strstr(err.text, "disk is full"));
        assert_null(strstr(err_for_callers(&err), "disk is full"));
        assert_true(store_writes_fail(store));
        vfs_free_space();
    }
    assert_true(store_healthy(store));
    assert_int_equal(unit_write(store, 2, "INSERT INTO first VALUES($1, 'space')"), ERR_NONE);
    assert_false(store_writes_fail(store));
    store_stats(store, &stats);
    assert_int_equal(stats.failed_commits, 2);
    store_close(store);
    assert_int_equal(atomic_load(&disk.fatal), 0);
    assert_int_equal(units_number(disk.url, "SELECT count(*) FROM first WHERE text IN ('kept', 'space')"), 2);
    assert_int_equal(units_number(disk.url, "SELECT count(*) FROM first WHERE text = 'full'"), 0);
    disk_done(&disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_acknowledged_write_survives_a_power_cut),
        cmocka_unit_test(a_power_cut_during_a_checkpoint_loses_nothing),
        cmocka_unit_test(without_syncs_the_same_test_finds_losses),
        cmocka_unit_test(a_failed_sync_leaves_the_outcome_unknown_and_ends_the_store),
        cmocka_unit_test(a_full_disk_refuses_and_recovers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
