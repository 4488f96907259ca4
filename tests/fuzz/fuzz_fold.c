/*
 * The key of a name: the same when it is folded again, and for the name in small letters, well-formed if the
 * name is, not longer than promised; a text that is a name begins with it, however both are written.
 */
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const char *name = arena_copy(&arena, bytes, len);
    const char *key = str_fold(&arena, name), *bare = str_fold_bare(&arena, name);
    const char *stored = str_fold_beyond(&arena, name);
    bool whole = str_is_utf8(name, strlen(name));
    size_t taken = 0;

    DEMAND(strcmp(str_fold(&arena, key), key) == 0);
    DEMAND(strcmp(str_fold(&arena, str_lower(&arena, name)), key) == 0);
    DEMAND(strcmp(str_fold_bare(&arena, bare), bare) == 0);
    DEMAND(strcmp(stored ? stored : str_lower(&arena, name), key) == 0);
    DEMAND(strlen(key) <= 11 * strlen(name) && (*key || !*name));
    DEMAND(str_same_name(name, key) && str_same_name(key, name));
    if (whole) {
        DEMAND(str_is_utf8(key, strlen(key)) && str_is_utf8(bare, strlen(bare)));
        DEMAND(str_begins_with_name(name, key, &taken) != STR_BEGINS_OTHER);
        plant(strlen(key) > strlen(name) ? strlen(key) - strlen(name) : 0, 3);
    }
    return 0;
}
