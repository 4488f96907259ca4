/* Words are taken in as long as the store has time for them, and wait while writers wait for each other. */
#include "engine/indexing.h"

#include "base/limits.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#define THINGS (3 * SEARCH_BATCH + 1)
#define WORKSPACE \
    "INSERT INTO workspaces(id, slug, name, created_at) VALUES('w', 'w', 'Burrow', CAST($1 AS INTEGER))"
#define PROJECT \
    "INSERT INTO projects(id, workspace_id, name, created_at) VALUES('p-' || $1, 'w', 'Badger ' || $1, 1)"

static bool gives_way_after(uint64_t commits, uint64_t units, size_t waiting)
{
    struct store_stats before = { .batches = 1000, .batched = 5000 };
    struct store_stats now = { .batches = 1000 + commits, .batched = 5000 + units };

    return indexing_gives_way(&before, &now, waiting);
}

static void words_give_way_to_writers_that_share_commits(void **state)
{
    (void)state;
    assert_true(gives_way_after(100, 400, 1));
    assert_true(gives_way_after(1, 64, SEARCH_BEHIND - 1));
    assert_false(gives_way_after(100, 399, 1));
    assert_false(gives_way_after(1, 1, 1));
    assert_false(gives_way_after(0, 0, 1));
}

static void words_that_are_far_behind_give_way_to_nobody(void **state)
{
    (void)state;
    assert_false(gives_way_after(1, 64, SEARCH_BEHIND));
}

static void settled_means_that_every_word_is_in_the_index(void **state)
{
    char folder[64], url[96];
    struct err err = { 0 };
    struct store *store;
    struct indexing *indexing;

    (void)state;
    units_folder(folder, true);
    snprintf(url, sizeof(url), "sqlite:%s/db", folder);
    units_migrate(url);
    store = store_open(&(struct store_options){ .url = url }, &err);
    if (!store)
        fail_msg("%s", err.text);
    assert_int_equal(unit_write(store, 1, WORKSPACE), ERR_NONE);
    for (int i = 0; i < THINGS; i++)
        assert_int_equal(unit_write(store, i, PROJECT), ERR_NONE);
    indexing = indexing_open(store);
    assert_true(indexing_settle(indexing, PATIENCE_MS));
    indexing_close(indexing);
    store_close(store);
    assert_int_equal(units_number(url, "SELECT COUNT(*) FROM search_queue"), 0);
    assert_int_equal(units_number(url, "SELECT COUNT(*) FROM search_words WHERE word = 'badger'"), THINGS);
    units_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_give_way_to_writers_that_share_commits),
        cmocka_unit_test(words_that_are_far_behind_give_way_to_nobody),
        cmocka_unit_test(settled_means_that_every_word_is_in_the_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
