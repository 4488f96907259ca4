/*
 * Which addresses a call may connect to.
 */
#include "net/reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

static bool by_sockaddr(enum net_reach reach, const char *text)
{
    struct sockaddr_storage storage = { 0 };
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        memcpy(&storage, &v4, sizeof(v4));
    else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        memcpy(&storage, &v6, sizeof(v6));
    return reach_allows(reach, (struct sockaddr *)&storage);
}

static void check(const char *address, bool to_public, bool to_own)
{
    if (reach_allows_text(NET_REACH_PUBLIC, address) != to_public ||
        reach_allows_text(NET_REACH_OWN, address) != to_own)
        fail_msg("%s is judged wrongly", address);
    assert_int_equal(by_sockaddr(NET_REACH_PUBLIC, address), to_public);
    assert_int_equal(by_sockaddr(NET_REACH_OWN, address), to_own);
}

static void addresses_are_public_or_own_or_neither(void **state)
{
    static const char *const public[] = { "8.8.8.8",          "1.1.1.1",        "172.32.0.1",
                                          "172.15.255.255",   "100.128.0.1",    "223.255.1.1",
                                          "2606:4700::1",     "2a00:1450::1",   "::ffff:8.8.8.8",
                                          "64:ff9b::808:808", "2002:808:808::1" };
    static const char *const own[] = {
        "127.0.0.1",        "127.255.255.255", "0.0.0.0",       "10.1.2.3", "172.16.0.1", "172.31.255.255",
        "192.168.0.1",      "100.64.0.1",      "::1",           "::",       "fd00::1",    "fc00::1",
        "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"
    };
    static const char *const never[] = { "169.254.169.254",
                                         "169.254.0.1",
                                         "224.0.0.1",
                                         "255.255.255.255",
                                         "0.1.2.3",
                                         "240.0.0.1",
                                         "192.0.2.1",
                                         "fe80::1",
                                         "ff02::1",
                                         "2001:db8::1",
                                         "::ffff:169.254.169.254",
                                         "fd00:ec2::254",
                                         "2001::1",
                                         "4000::1" };

    (void)state;
    for (size_t i = 0; i < sizeof(public) / sizeof(*public); i++)
        check(public[i], true, true);
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        check(own[i], false, true);
    for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
        check(never[i], false, false);
}

static void this_machine_is_its_loopback_alone(void **state)
{
    static const char *const here[] = { "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1" };
    static const char *const elsewhere[] = { "8.8.8.8", "10.1.2.3", "192.168.0.1",     "0.0.0.0",
                                             "::",      "fd00::1",  "169.254.169.254", "2606:4700::1" };

    (void)state;
    for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++)
        assert_true(reach_allows_text(NET_REACH_HERE, here[i]) && by_sockaddr(NET_REACH_HERE, here[i]));
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
        assert_false(reach_allows_text(NET_REACH_HERE, elsewhere[i]) ||
                     by_sockaddr(NET_REACH_HERE, elsewhere[i]));
}

static void what_is_no_address_is_not_allowed(void **state)
{
    struct sockaddr local = { .sa_family = AF_UNIX };

    (void)state;
    assert_false(reach_allows_text(NET_REACH_OWN, ""));
    assert_false(reach_allows_text(NET_REACH_OWN, "localhost"));
    assert_false(reach_allows(NET_REACH_OWN, &local));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_public_or_own_or_neither),
        cmocka_unit_test(this_machine_is_its_loopback_alone),
        cmocka_unit_test(what_is_no_address_is_not_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
