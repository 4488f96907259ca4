/*
 * What this process has made can be given to others; what somebody has put in its place cannot.
 */
#include "server/files.h"

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

#include "db/store_file.h"

#include <fcntl.h>

#define NOBODY 65534

static char folder[64];
static struct arena arena;
static struct err err;

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/witan-files-XXXXXX");
    err = (struct err){ 0 };
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    arena_done(&arena);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    return arena_format(&arena, "%s/%s", folder, name);
}

static const char *made(const char *name)
{
    assert_true(files_write(path_of(name), "x", 1, &err));
    return path_of(name);
}

static mode_t mode_of(const char *path)
{
    struct stat about;

    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static bool given(const char *path)
{
    return files_give(path, (uid_t)-1, (gid_t)-1, 06644, &err);
}

static void a_file_and_a_folder_get_their_mode(void **state)
{
    (void)state;
    assert_true(given(made("file")));
    assert_int_equal(mode_of(path_of("file")), 0644);
    assert_true(files_give(folder, (uid_t)-1, (gid_t)-1, 0755, &err));
    assert_int_equal(mode_of(folder), 0755);
}

static void what_took_its_place_is_left_alone(void **state)
{
    (void)state;
    made("secret");
    assert_int_equal(symlink(path_of("secret"), path_of("link")), 0);
    assert_false(given(path_of("link")));
    assert_int_equal(link(path_of("secret"), path_of("twin")), 0);
    assert_false(given(path_of("twin")));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_false(given(path_of("pipe")));
    assert_int_equal(mode_of(path_of("secret")), 0600);
}

/* Root makes stores in others' folders; a link that somebody laid there gives them nothing elsewhere. */
static void a_link_gives_nobody_a_file_elsewhere(void **state)
{
    struct stat about;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(path_of("theirs"), 0755), 0);
    assert_int_equal(chown(path_of("theirs"), NOBODY, NOBODY), 0);
    assert_int_equal(symlink(path_of("elsewhere"), path_of("theirs/w.db")), 0);
    int fd = open(path_of("theirs/w.db"), O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

    store_file_give(fd, path_of("theirs/w.db"));
    assert_int_equal(fstat(fd, &about), 0);
    assert_int_equal(about.st_uid, 0);
    close(fd);
    fd = open(path_of("theirs/own.db"), O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    store_file_give(fd, path_of("theirs/own.db"));
    assert_int_equal(fstat(fd, &about), 0);
    assert_int_equal(about.st_uid, NOBODY);
    close(fd);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_file_and_a_folder_get_their_mode),
        CASE(what_took_its_place_is_left_alone),
        CASE(a_link_gives_nobody_a_file_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
