/*
 * What people type to run the program: its usual name, unless they came by a relative path that the shell
 * would not find otherwise.
 */
#include "base/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[] = "/tmp/witan-program-XXXXXX";

static const char *started_as(const char *name)
{
    program_started_as(name);
    return program_name();
}

static void a_relative_path_is_shown_as_it_was_typed(void **state)
{
    (void)state;
    setenv("PATH", "/nowhere::/usr/nowhere", 1);
    assert_string_equal(started_as("build/witan"), "build/witan");
    assert_string_equal(started_as("./witan"), "./witan");
    assert_string_equal(started_as("../build/asan/witan"), "../build/asan/witan");
    unsetenv("PATH");
    assert_string_equal(started_as("build/witan"), "build/witan");
}

static void anything_else_is_its_usual_name(void **state)
{
    static const char *const names[] = {
        "witan", "/usr/bin/witan", "", "a folder/witan", "$(x)/witan", NULL
    };
    char deep[200];

    (void)state;
    setenv("PATH", "/nowhere", 1);
    for (const char *const *name = names; *name; name++)
        assert_string_equal(started_as(*name), "witan");
    assert_string_equal(started_as(NULL), "witan");
    snprintf(deep, sizeof(deep), "%0150d/witan", 0);
    assert_string_equal(started_as(deep), "witan");
}

static void what_the_path_has_is_found_by_its_name_if_it_is_the_same_program(void **state)
{
    char link[64], path[200];

    (void)state;
    snprintf(link, sizeof(link), "%s/witan", folder);
    assert_int_equal(symlink("/proc/self/exe", link), 0);
    snprintf(path, sizeof(path), "/nowhere:%s", folder);
    setenv("PATH", path, 1);
    assert_string_equal(started_as("build/witan"), "witan");
    /* Another program of that name comes first. */
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("/bin/true", link), 0);
    assert_string_equal(started_as("build/witan"), "build/witan");
    unlink(link);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relative_path_is_shown_as_it_was_typed),
        cmocka_unit_test(anything_else_is_its_usual_name),
        cmocka_unit_test(what_the_path_has_is_found_by_its_name_if_it_is_the_same_program),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
