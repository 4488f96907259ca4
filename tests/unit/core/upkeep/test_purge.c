/* What goes by which setting. That rows go, and which, is shown by tests/e2e/purge.test.mjs. */
#include "core/upkeep/purge.h"

#include "base/limits.h"
#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_kind_stays_as_long_as_its_own_setting_says(void **state)
{
    struct settings in_force = *settings();

    (void)state;
    in_force.events_keep_ms = 1;
    in_force.logs_keep_ms = 2;
    in_force.notifications_keep_ms = 3;
    in_force.discussions_keep_ms = 4;
    in_force.idempotency_lifetime_ms = 5;
    in_force.audit_keep_ms = 6;
    settings_use(&in_force);
    assert_int_equal(purge_keep_ms(PURGE_EVENTS), 1);
    assert_int_equal(purge_keep_ms(PURGE_LOGS), 2);
    assert_int_equal(purge_keep_ms(PURGE_NOTIFICATIONS), 3);
    assert_int_equal(purge_keep_ms(PURGE_DISCUSSIONS), 4);
    assert_int_equal(purge_keep_ms(PURGE_IDEMPOTENCY), 5);
    assert_int_equal(purge_keep_ms(PURGE_AUDIT), 6);
    settings_use(NULL);
}

static void each_kind_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < PURGE_KINDS; i++) {
        enum purge_kind kind = PURGE_KINDS;

        assert_true(purge_parse(purge_name((enum purge_kind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(purge_parse("tea", &(enum purge_kind){ PURGE_KINDS }));
}

/* A discussion brings many rows, so a batch has fewer of them, but never none. */
static void batch_of_discussions_is_smaller_and_never_empty(void **state)
{
    (void)state;
    assert_int_equal(purge_most(PURGE_LOGS, 100), 100);
    assert_int_equal(purge_most(PURGE_DISCUSSIONS, 3 * PURGE_ROWS_EACH), 3);
    assert_int_equal(purge_most(PURGE_DISCUSSIONS, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_stays_as_long_as_its_own_setting_says),
        cmocka_unit_test(each_kind_is_found_by_its_name),
        cmocka_unit_test(batch_of_discussions_is_smaller_and_never_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
