/*
 * Which addresses count as one.
 */
#include "base/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void an_address_counts_by_its_network(void **state)
{
    static const struct {
        const char *address, *key;
    } known[] = {
        { "192.0.2.1", "192.0.2.1" },
        { "::ffff:192.0.2.1", "192.0.2.1" },
        { "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64" },
        { "2001:db8:1:2:ffff::1", "2001:db8:1:2::/64" },
        { "2001:db8:1:3::1", "2001:db8:1:3::/64" },
        { "::1", "::/64" },
        { "", "" },
        { "not an address", "not an address" },
    };
    char key[ADDRESS_KEY_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        address_key(known[i].address, key);
        assert_string_equal(key, known[i].key);
    }
}

static void a_long_text_is_cut(void **state)
{
    char text[200], key[ADDRESS_KEY_SIZE];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    address_key(text, key);
    assert_int_equal(strlen(key), ADDRESS_KEY_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_counts_by_its_network),
        cmocka_unit_test(a_long_text_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
