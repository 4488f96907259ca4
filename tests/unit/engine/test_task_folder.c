/*
 * The folder of a task, in which somebody else writes: what it holds is replaced or refused, and nothing
 * outside of it is touched.
 */
#include "engine/task_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TASK "01a1ee65-ae61-734c-800a-0fb87185d213"

static char root[64];

static const char *in_root(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static void begin(void)
{
    strcpy(root, "/tmp/witan-folder-XXXXXX");
    assert_non_null(mkdtemp(root));
}

static void end(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_root(name), "we");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void holds(const char *name, const char *text)
{
    FILE *file = fopen(in_root(name), "re");
    char found[64] = "";

    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static void folder_is_made_once_and_its_config_is_written_anew(void **state)
{
    struct err err = { 0 };

    (void)state;
    begin();
    assert_true(task_folder_make(in_root("tasks"), TASK, "one", &err));
    holds("tasks/" TASK "/config.json", "one");
    put("tasks/" TASK "/mine", "kept");
    assert_true(task_folder_make(in_root("tasks"), TASK, "two", &err));
    holds("tasks/" TASK "/config.json", "two");
    holds("tasks/" TASK "/mine", "kept");
    end();
}

/* A coder may have put links in place of what is written. */
static void nothing_is_written_through_a_link(void **state)
{
    struct err err = { 0 };
    struct stat found;

    (void)state;
    begin();
    put("precious", "whole");
    assert_true(task_folder_make(root, TASK, "one", &err));
    assert_int_equal(unlink(in_root(TASK "/config.json")), 0);
    assert_int_equal(symlink("../precious", in_root(TASK "/config.json")), 0);
    assert_int_equal(symlink("../precious", in_root(TASK "/.config.json.new")), 0);
    assert_true(task_folder_make(root, TASK, "two", &err));
    holds("precious", "whole");
    assert_int_equal(lstat(in_root(TASK "/config.json"), &found), 0);
    assert_true(S_ISREG(found.st_mode));
    holds(TASK "/config.json", "two");
    end();
}

static void folder_that_is_a_link_or_a_file_is_refused(void **state)
{
    struct err err = { 0 };

    (void)state;
    begin();
    assert_int_equal(mkdir(in_root("elsewhere"), 0700), 0);
    assert_int_equal(symlink("elsewhere", in_root(TASK)), 0);
    assert_false(task_folder_make(root, TASK, "one", &err));
    assert_non_null(strstr(err.text, TASK));
    assert_int_equal(access(in_root("elsewhere/config.json"), F_OK), -1);
    assert_int_equal(unlink(in_root(TASK)), 0);
    put(TASK, "a file");
    assert_false(task_folder_make(root, TASK, "one", &err));
    assert_false(task_folder_make(in_root("no/such"), TASK, "one", &err));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_is_made_once_and_its_config_is_written_anew),
        cmocka_unit_test(nothing_is_written_through_a_link),
        cmocka_unit_test(folder_that_is_a_link_or_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
