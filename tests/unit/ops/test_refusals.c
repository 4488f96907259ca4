/*
 * Refusals are written down outside what was refused, each counted once, and a flood costs a bounded number
 * of rows.
 */
#include "ops/refusals.h"

#include "base/clock.h"
#include "db/migrate.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static char folder[64], url[128];
static struct store *store;

static int begin(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };

    (void)state;
    units_folder(folder, true);
    snprintf(url, sizeof(url), "sqlite:%s/db", folder);
    struct db *db = db_open(url, &err);

    assert_non_null(db);
    assert_true(migrate_up(db, &arena, &report, &err));
    db_close(db);
    store = store_open(&(struct store_options){ .url = url }, &err);
    assert_non_null(store);
    return 0;
}

static int end(void **state)
{
    (void)state;
    store_close(store);
    units_remove(folder);
    return 0;
}

static void refuse(const char *operation, const char *remote, enum err_code code)
{
    struct request request = {
        .op = op_find(operation),
        .call = { .remote = remote, .err = { .code = code } },
    };

    assert_non_null(request.op);
    refusals_note(&request);
}

static void flush(bool all)
{
    struct err err = { 0 };

    if (!refusals_flush(store, all, &err))
        fail_msg("%s", err.text);
}

static int64_t number(const char *sql)
{
    return units_number(url, sql);
}

#define ROWS  "SELECT COUNT(*) FROM audit"
#define TIMES "SELECT SUM(CAST(json_extract(detail, '$.times') AS INTEGER)) FROM audit"

static void one_address_costs_fewer_and_fewer_rows(void **state)
{
    int64_t before = number(ROWS);

    (void)state;
    refuse("session_login", "192.0.2.1", ERR_UNAUTHORIZED);
    flush(false);
    assert_int_equal(number(ROWS), before + 1);
    for (int i = 0; i < 500; i++)
        refuse("session_login", "192.0.2.1", ERR_UNAUTHORIZED);
    flush(false);
    assert_int_equal(number(ROWS), before + 1);
    clock_set_offset_ms(clock_offset_ms() + 61000);
    flush(false);
    assert_int_equal(number(ROWS), before + 2);
    assert_int_equal(number(TIMES), 501);
    /* The next one waits for two minutes. */
    refuse("session_login", "192.0.2.1", ERR_UNAUTHORIZED);
    clock_set_offset_ms(clock_offset_ms() + 61000);
    flush(false);
    assert_int_equal(number(ROWS), before + 2);
    clock_set_offset_ms(clock_offset_ms() + 60000);
    flush(false);
    assert_int_equal(number(ROWS), before + 3);
}

static void only_logins_and_changes_of_rights_count(void **state)
{
    int64_t before;

    (void)state;
    flush(true);
    before = number(ROWS);
    refuse("chat_post", "192.0.2.2", ERR_FORBIDDEN);
    refuse("user_list", "192.0.2.2", ERR_FORBIDDEN);
    refuse("user_create", "192.0.2.2", ERR_INVALID);
    refuse("session_login", "192.0.2.2", ERR_UNAVAILABLE);
    flush(true);
    assert_int_equal(number(ROWS), before);
    refuse("user_create", "192.0.2.2", ERR_FORBIDDEN);
    refuse("token_create", "192.0.2.2", ERR_FORBIDDEN);
    refuse("workspace_update", "192.0.2.2", ERR_FORBIDDEN);
    flush(true);
    assert_int_equal(number(ROWS), before + 3);
}

/* A day of logins from ever new addresses: the rows are bounded, and each refusal is in one of them. */
static void a_flood_is_bounded_and_counted(void **state)
{
    int64_t rows, times;
    char remote[32];

    (void)state;
    flush(true);
    rows = number(ROWS);
    times = number(TIMES);
    for (int minute = 0; minute < 24 * 60; minute++) {
        for (int i = 0; i < 100; i++) {
            snprintf(remote, sizeof(remote), "10.%d.%d.%d", minute / 256, minute % 256, i);
            refuse("session_login", remote, ERR_UNAUTHORIZED);
        }
        if (minute % 2 == 0)
            flush(false);
        clock_set_offset_ms(clock_offset_ms() + 60000);
    }
    flush(true);
    rows = number(ROWS) - rows;
    assert_in_range(rows, 1000, 25 * REFUSAL_ROWS_HOUR + 24 * 6 + 2);
    assert_int_equal(number(TIMES) - times, 24 * 60 * 100);
}

/* A store that refuses keeps nothing back: the count comes with the next row. */
static void what_the_store_did_not_take_comes_later(void **state)
{
    int64_t times;
    struct err err = { 0 };

    (void)state;
    flush(true);
    clock_set_offset_ms(clock_offset_ms() + 24 * 3600000LL);
    flush(true);
    times = number(TIMES);
    units_script(url, "ALTER TABLE audit RENAME TO elsewhere");
    refuse("session_login", "192.0.2.9", ERR_UNAUTHORIZED);
    assert_false(refusals_flush(store, true, &err));
    units_script(url, "ALTER TABLE elsewhere RENAME TO audit");
    refuse("session_login", "192.0.2.9", ERR_UNAUTHORIZED);
    flush(true);
    assert_int_equal(number(TIMES), times + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_costs_fewer_and_fewer_rows),
        cmocka_unit_test(only_logins_and_changes_of_rights_count),
        cmocka_unit_test(a_flood_is_bounded_and_counted),
        cmocka_unit_test(what_the_store_did_not_take_comes_later),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
