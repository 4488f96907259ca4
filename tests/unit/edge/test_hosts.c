/*
 * Which Host and Origin are ours.
 */
#include "edge/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

struct host_case {
    const char *host;
    bool allowed;
};

static void check_hosts(const struct hosts *hosts, const struct host_case *cases)
{
    for (; cases->host; cases++)
        if (hosts_allow(hosts, cases->host) != cases->allowed)
            fail_msg("Host %s should %sbe allowed", cases->host, cases->allowed ? "" : "not ");
}

static void loopback_knows_itself_only(void **state)
{
    static const struct host_case cases[] = {
        { "127.0.0.1:7117", true },
        { "localhost:7117", true },
        { "LocalHost:7117", true },
        { "localhost.:7117", true },
        { "witan.localhost:7117", true },
        { "[::1]:7117", true },
        { "127.8.9.1:7117", true },
        { "[::ffff:127.0.0.1]:7117", true },
        { "127.0.0.1", false },
        { "127.0.0.1:80", false },
        { "127.0.0.1:7118", false },
        { "evil.example", false },
        { "evil.example:7117", false },
        { "localhost.evil.example:7117", false },
        { "127.0.0.1.evil.example:7117", false },
        { "192.168.1.2:7117", false },
        { "[::2]:7117", false },
        { "", false },
        { ":7117", false },
        { "localhost:7117/x", false },
        { "localhost:71170000", false },
        { "localhost:-1", false },
        { "localhost: 7117", false },
        { "user@localhost:7117", false },
        { "[localhost]:7117", false },
        { "[::1", false },
        { NULL, false },
    };
    struct hosts hosts;
    struct err err = { 0 };

    (void)state;
    assert_true(hosts_init(&hosts, "127.0.0.1:7117", 7117, "", "", &err));
    check_hosts(&hosts, cases);
    assert_false(hosts_allow(&hosts, NULL));
}

static void settings_add_names(void **state)
{
    static const struct host_case cases[] = {
        { "witan.example", true },
        { "witan.example:443", true },
        { "witan.example:8443", false },
        { "box", true },
        { "box:1234", true },
        { "other:99", true },
        { "other", false },
        { "other:98", false },
        { "box.example", false },
        { "localhost:7117", true },
        { NULL, false },
    };
    struct hosts hosts;
    struct err err = { 0 };

    (void)state;
    assert_true(
        hosts_init(&hosts, "127.0.0.1:7117", 7117, "https://Witan.Example/ui/", " box , other:99,", &err));
    check_hosts(&hosts, cases);
}

static void beyond_loopback_addresses_are_fine(void **state)
{
    static const struct host_case cases[] = {
        { "192.168.1.2:8080", true },   { "[2001:db8::1]:7117", true }, { "localhost:8080", true },
        { "evil.example:7117", false }, { "1.2.3.4.example", false },   { NULL, false },
    };
    struct hosts hosts;
    struct err err = { 0 };

    (void)state;
    assert_true(hosts_init(&hosts, "0.0.0.0:7117", 7117, "", "", &err));
    assert_false(hosts.on_loopback);
    check_hosts(&hosts, cases);
}

static void a_page_of_ours_may_ask(void **state)
{
    static const struct {
        const char *host, *origin;
        bool allowed;
    } cases[] = {
        { "localhost:7117", "http://localhost:7117", true },
        { "127.0.0.1:7117", "http://127.0.0.1:7117", true },
        { "localhost:7117", "http://127.0.0.1:7117", false },
        { "localhost:7117", "http://localhost:5173", false },
        { "localhost:7117", "http://localhost", false },
        { "localhost:7117", "http://evil.example", false },
        { "localhost:7117", "http://localhost:7117.evil.example", false },
        { "localhost:7117", "null", false },
        { "localhost:7117", "", false },
        { "localhost:7117", "file://localhost:7117", false },
        { "localhost:7117", "http://localhost:7117/path", false },
        { "witan.example", "https://witan.example", true },
        { "witan.example", "https://witan.example:8443", false },
        { "localhost:7117", "https://witan.example", true },
        { "box", "http://box", true },
    };
    struct hosts hosts;
    struct err err = { 0 };

    (void)state;
    assert_true(hosts_init(&hosts, "127.0.0.1:7117", 7117, "https://witan.example", "box", &err));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (hosts_allow_origin(&hosts, cases[i].host, cases[i].origin) != cases[i].allowed)
            fail_msg("Origin %s at %s", cases[i].origin, cases[i].host);
}

static void bad_settings_are_named(void **state)
{
    struct hosts hosts;
    struct err err = { 0 };
    char many[400] = "";

    (void)state;
    assert_false(hosts_init(&hosts, "127.0.0.1:0", 0, "", "a b", &err));
    assert_string_equal(err.field, "server.allowed_hosts");
    assert_false(hosts_init(&hosts, "127.0.0.1:0", 0, "witan.example", "", &err));
    assert_string_equal(err.field, "server.public_url");
    for (int i = 0; i <= HOSTS_MAX; i++)
        snprintf(many + strlen(many), sizeof(many) - strlen(many), "h%d,", i);
    assert_false(hosts_init(&hosts, "127.0.0.1:0", 0, "", many, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_knows_itself_only),
        cmocka_unit_test(settings_add_names),
        cmocka_unit_test(beyond_loopback_addresses_are_fine),
        cmocka_unit_test(a_page_of_ours_may_ask),
        cmocka_unit_test(bad_settings_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
