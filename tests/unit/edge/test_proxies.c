#include "edge/proxies.h"

#include "base/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct proxies proxies;

static void trust(const char *list)
{
    struct err err = { 0 };

    if (!proxies_parse(list, &proxies, &err))
        fail_msg("%s", err.text);
}

static void client_is(const char *peer, const char *forwarded_for, const char *forwarded,
                      const char *expected)
{
    char client[INET6_ADDRSTRLEN];

    proxies_client(&proxies, peer, forwarded_for, forwarded, client);
    assert_string_equal(client, expected);
}

static void nobody_is_trusted_by_default(void **state)
{
    (void)state;
    trust("");
    assert_false(proxies_trust(&proxies, "127.0.0.1"));
    client_is("127.0.0.1", "192.0.2.7", "for=192.0.2.7", "127.0.0.1");
}

static void knows_addresses_and_networks(void **state)
{
    (void)state;
    trust(" 10.0.0.7, 192.168.0.0/16 ,, fd00::/8, ::1,172.16.0.0/12");
    assert_int_equal(proxies.count, 5);
    assert_true(proxies_trust(&proxies, "10.0.0.7"));
    assert_false(proxies_trust(&proxies, "10.0.0.8"));
    assert_true(proxies_trust(&proxies, "192.168.255.1"));
    assert_false(proxies_trust(&proxies, "192.169.0.1"));
    assert_true(proxies_trust(&proxies, "172.31.255.255"));
    assert_false(proxies_trust(&proxies, "172.32.0.0"));
    assert_true(proxies_trust(&proxies, "::ffff:10.0.0.7"));
    assert_true(proxies_trust(&proxies, "fd12::1"));
    assert_false(proxies_trust(&proxies, "fe80::1"));
    assert_true(proxies_trust(&proxies, "::1"));
    assert_false(proxies_trust(&proxies, "unknown"));
    trust("0.0.0.0/0");
    assert_true(proxies_trust(&proxies, "203.0.113.9"));
    assert_false(proxies_trust(&proxies, "2001:db8::1"));
}

static void says_what_is_no_network(void **state)
{
    static const char *const wrong[] = { "proxy.local", "10.0.0.0/33", "10.0.0/8",
                                         "fd00::/129",  "10.0.0.1/-1", "10.0.0.1/x" };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        err = (struct err){ 0 };
        assert_false(proxies_parse(wrong[i], &proxies, &err));
        assert_non_null(strstr(err.text, wrong[i]));
        assert_true(err.hint[0] != '\0');
    }
}

/* What a client writes itself stands to the left of what the proxy adds. */
static void reads_from_the_right(void **state)
{
    (void)state;
    trust("10.0.0.0/8");
    client_is("192.0.2.1", "203.0.113.1", NULL, "192.0.2.1");
    client_is("10.0.0.1", "203.0.113.1", NULL, "203.0.113.1");
    client_is("10.0.0.1", "1.1.1.1, 203.0.113.1", NULL, "203.0.113.1");
    client_is("10.0.0.1", "1.1.1.1,203.0.113.1 , 10.0.0.2", NULL, "203.0.113.1");
    client_is("10.0.0.1", "10.0.0.3, 10.0.0.2", NULL, "10.0.0.3");
    client_is("10.0.0.1", NULL, NULL, "10.0.0.1");
    client_is("10.0.0.1", "", NULL, "10.0.0.1");
    client_is("10.0.0.1", "203.0.113.1,", NULL, "203.0.113.1");
    /* What cannot be read ends the walk where it was. */
    client_is("10.0.0.1", "203.0.113.1, unknown", NULL, "10.0.0.1");
    client_is("10.0.0.1", "203.0.113.1, <script>, 10.0.0.2", NULL, "10.0.0.2");
    client_is("10.0.0.1", "[2001:DB8::1]:443", NULL, "2001:db8::1");
    client_is("10.0.0.1", "203.0.113.1:5555", NULL, "203.0.113.1");
    client_is("10.0.0.1", "2001:db8::2", NULL, "2001:db8::2");
}

static void reads_forwarded_where_there_is_nothing_else(void **state)
{
    (void)state;
    trust("10.0.0.0/8");
    client_is("10.0.0.1", NULL, "for=203.0.113.1;proto=https", "203.0.113.1");
    client_is("10.0.0.1", NULL, "For=1.1.1.1, proto=https; FOR=\"[2001:db8::1]:4711\"", "2001:db8::1");
    client_is("10.0.0.1", NULL, "for=203.0.113.1, for=10.0.0.2", "203.0.113.1");
    client_is("10.0.0.1", NULL, "for=_hidden", "10.0.0.1");
    client_is("10.0.0.1", "203.0.113.9", "for=203.0.113.1", "203.0.113.9");
}

static void knows_this_machine(void **state)
{
    (void)state;
    assert_true(address_is_loopback("127.0.0.1"));
    assert_true(address_is_loopback("127.9.9.9"));
    assert_true(address_is_loopback("::1"));
    assert_true(address_is_loopback("::ffff:127.0.0.1"));
    assert_false(address_is_loopback("128.0.0.1"));
    assert_false(address_is_loopback("::2"));
    assert_false(address_is_loopback("unknown"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_trusted_by_default),
        cmocka_unit_test(knows_addresses_and_networks),
        cmocka_unit_test(says_what_is_no_network),
        cmocka_unit_test(reads_from_the_right),
        cmocka_unit_test(reads_forwarded_where_there_is_nothing_else),
        cmocka_unit_test(knows_this_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
