/*
 * How often a password may be tried, and that strangers cannot keep a person out.
 */
#include "edge/logins.h"

#include "base/limits.h"
#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#define MINUTE_US ((int64_t)60000000)

static int64_t now_us = MINUTE_US;

static bool tries(struct logins *logins, const char *remote, struct login_try tried)
{
    struct err err = { 0 };
    bool admitted = logins_admit(logins, &tried, remote, now_us, &err);

    assert_true(admitted || (err.code == ERR_RATE_LIMITED && err.retry_after_s > 0));
    return admitted;
}

static const struct login_try maya = { .account = "maya" };

/* As many tries from as many addresses; how many were let through. */
static int flood(struct logins *logins, int addresses, int each)
{
    char remote[32];
    int admitted = 0;

    for (int i = 0; i < addresses; i++) {
        snprintf(remote, sizeof(remote), "192.0.%d.%d", 2 + i / 250, 1 + i % 250);
        for (int k = 0; k < each; k++)
            admitted += tries(logins, remote, maya);
    }
    return admitted;
}

static void one_address_has_so_many_a_minute(void **state)
{
    struct logins *logins = logins_new();
    struct login_try tried = { .account = "maya", .known_address = true };
    int64_t rate = settings()->limits_login_rate, admitted = 0;

    (void)state;
    for (int i = 0; i < 50; i++)
        admitted += tries(logins, "192.0.2.1", tried);
    assert_int_equal(admitted, rate);
    now_us += MINUTE_US / rate;
    assert_true(tries(logins, "192.0.2.1", tried));
    assert_false(tries(logins, "192.0.2.1", tried));
    logins_free(logins);
}

static void one_network_of_ipv6_is_one_address(void **state)
{
    struct logins *logins = logins_new();
    char remote[64];
    int64_t admitted = 0;

    (void)state;
    for (int i = 0; i < 50; i++) {
        snprintf(remote, sizeof(remote), "2001:db8:0:1:%x::%x", i, i);
        admitted += tries(logins, remote, (struct login_try){ .account = "x", .known_address = true });
    }
    assert_int_equal(admitted, settings()->limits_login_rate);
    assert_true(tries(logins, "2001:db8:0:2::1", maya));
    logins_free(logins);
}

static void an_account_is_not_tried_without_end_from_many_addresses(void **state)
{
    struct logins *logins = logins_new();
    int all = LOGIN_SHARES * LOGIN_BURST;

    (void)state;
    assert_in_range(flood(logins, 500, 5), LOGIN_BURST, all);
    now_us += 60 * MINUTE_US;
    /* An hour later a burst is there again, not an hour's worth. */
    assert_in_range(flood(logins, 500, 5), LOGIN_BURST, all);
    logins_free(logins);
}

static void strangers_keep_nobody_out(void **state)
{
    struct logins *logins = logins_new();
    struct login_try at_home = { .account = "maya", .known_address = true };
    struct login_try on_the_way = { .account = "maya", .own = "her browser's cookie" };

    (void)state;
    flood(logins, 500, 5);
    assert_true(tries(logins, "198.51.100.1", at_home));
    assert_true(tries(logins, "192.0.2.1", on_the_way)); /* even from an address that floods */
    assert_true(tries(logins, "198.51.100.2", (struct login_try){ .account = "somebody else" }));
    logins_free(logins);
}

/* Whose share it is cannot be chosen, so one address, or ten, hardly ever hit a certain person's. */
static void few_addresses_do_not_use_an_account_up(void **state)
{
    int let_in = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct logins *logins = logins_new();

        flood(logins, 1, 50);
        let_in += tries(logins, "198.51.100.1", maya);
        logins_free(logins);
    }
    assert_true(let_in > 120); /* 175 of 200 are expected */
}

static void the_cookie_has_its_own_limit(void **state)
{
    struct logins *logins = logins_new();
    struct login_try tried = { .account = "maya", .own = "her browser's cookie" };
    int64_t admitted = 0;

    (void)state;
    for (int i = 0; i < 50; i++)
        admitted += tries(logins, "198.51.100.1", tried);
    assert_int_equal(admitted, settings()->limits_login_rate);
    logins_free(logins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_has_so_many_a_minute),
        cmocka_unit_test(one_network_of_ipv6_is_one_address),
        cmocka_unit_test(an_account_is_not_tried_without_end_from_many_addresses),
        cmocka_unit_test(strangers_keep_nobody_out),
        cmocka_unit_test(few_addresses_do_not_use_an_account_up),
        cmocka_unit_test(the_cookie_has_its_own_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
