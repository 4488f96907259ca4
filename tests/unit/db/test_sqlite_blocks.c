/*
 * The blocks that SQLite copies pages into: kept when a statement has ended, never too many, and never beyond
 * the thread they belong to (the sanitizers' build would call them lost).
 */
#include "db/sqlite_blocks.h"

#include "db/db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sqlite3.h>

static struct db *opened(void)
{
    struct err err = { 0 };
    struct db *db = db_open("sqlite::memory:", &err);

    if (!db)
        fail_msg("%s", err.text);
    return db;
}

/* Fails as well when a newer SQLite copies pages in blocks of another size, which would then cost as before.
 */
static void what_a_statement_gives_back_is_kept(void **state)
{
    struct db *db = opened();
    struct err err = { 0 };
    size_t before = sqlite_blocks_kept();

    (void)state;
    assert_true(db_script(db,
                          "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
                          "CREATE TABLE seen (name TEXT NOT NULL);"
                          "CREATE TRIGGER things_seen AFTER UPDATE ON things BEGIN"
                          "  INSERT INTO seen VALUES (lower(NEW.name)); END;"
                          "INSERT INTO things VALUES (1, 'a');",
                          &err));
    assert_true(db_begin(db, true, &err));
    assert_true(db_script(db, "UPDATE things SET name = 'B'", &err));
    assert_true(db_commit(db, &err));
    assert_true(sqlite_blocks_kept() > before + 4);
    db_close(db);
}

static void take_and_give_back(size_t count)
{
    void *blocks[2 * SQLITE_BLOCKS_KEPT];

    assert_true(count <= 2 * SQLITE_BLOCKS_KEPT);
    for (size_t i = 0; i < count; i++)
        assert_non_null(blocks[i] = sqlite3_malloc(SQLITE_BLOCK));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(blocks[i], blocks[j]);
    for (size_t i = 0; i < count; i++)
        sqlite3_free(blocks[i]);
}

static void no_more_are_kept_than_a_thread_may(void **state)
{
    (void)state;
    take_and_give_back(2 * SQLITE_BLOCKS_KEPT);
    assert_int_equal(sqlite_blocks_kept(), SQLITE_BLOCKS_KEPT);
    take_and_give_back(SQLITE_BLOCKS_KEPT + 3);
    assert_int_equal(sqlite_blocks_kept(), SQLITE_BLOCKS_KEPT);
}

static void other_sizes_are_not_kept(void **state)
{
    static const int sizes[] = { 1, 8, 1000, 1100, 2048, 65536 };
    size_t before = sqlite_blocks_kept();

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        sqlite3_free(sqlite3_malloc(sizes[i]));
    assert_int_equal(sqlite_blocks_kept(), before);
}

static void *in_a_thread(void *user)
{
    assert_int_equal(sqlite_blocks_kept(), 0);
    sqlite3_free(user);
    assert_int_equal(sqlite_blocks_kept(), 1);
    return NULL;
}

/* A block may be given back by another thread than took it. */
static void each_thread_has_its_own(void **state)
{
    void *block = sqlite3_malloc(SQLITE_BLOCK);
    size_t before = sqlite_blocks_kept();
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, in_a_thread, block), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sqlite_blocks_kept(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_statement_gives_back_is_kept),
        cmocka_unit_test(no_more_are_kept_than_a_thread_may),
        cmocka_unit_test(other_sizes_are_not_kept),
        cmocka_unit_test(each_thread_has_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
