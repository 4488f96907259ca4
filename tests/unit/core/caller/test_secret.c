/*
 * Secrets have the promised shape, are never the same twice, and passwords match only themselves.
 */
#include "core/caller/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

static void secrets_have_their_shape(void **state)
{
    ARENA_AUTO arena = { 0 };
    const char *token = secret_make(&arena, SECRET_TOKEN);
    const char *tail = token + strlen("witan_");

    (void)state;
    assert_memory_equal(token, "witan_", strlen("witan_"));
    assert_int_equal(strlen(tail), 43);
    assert_int_equal(strspn(tail, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 43);
    assert_string_not_equal(token, secret_make(&arena, SECRET_TOKEN));
}

static void hashes_are_sha256(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(secret_hash(&arena, "abc"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void passwords_match_only_themselves(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    char *hash, *again;

    (void)state;
    assert_true(secret_password_hash(&arena, "correct horse", &hash, &err));
    assert_true(secret_password_hash(&arena, "correct horse", &again, &err));
    assert_memory_equal(hash, "$argon2id$", strlen("$argon2id$"));
    assert_string_not_equal(hash, again);
    assert_true(secret_password_matches(hash, "correct horse"));
    assert_false(secret_password_matches(hash, "correct horse "));
    assert_false(secret_password_matches(hash, ""));
    assert_false(secret_password_matches(NULL, "correct horse"));
    assert_false(secret_password_matches("not a hash", "correct horse"));
}

/*
 * Whoever tries names learns nothing from the time it takes: half of a real check would tell them apart.
 * It is the processor's time, which others on the machine do not change.
 */
static void an_unknown_name_takes_as_long(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    clock_t started, real, none;
    char *hash;

    (void)state;
    assert_true(secret_password_hash(&arena, "correct horse", &hash, &err));
    started = clock();
    for (int i = 0; i < 3; i++)
        assert_false(secret_password_matches(hash, "wrong"));
    real = clock() - started;
    started = clock();
    for (int i = 0; i < 3; i++)
        assert_false(secret_password_matches(NULL, "wrong"));
    none = clock() - started;
    assert_true(none > real / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_have_their_shape),
        cmocka_unit_test(hashes_are_sha256),
        cmocka_unit_test(passwords_match_only_themselves),
        cmocka_unit_test(an_unknown_name_takes_as_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
