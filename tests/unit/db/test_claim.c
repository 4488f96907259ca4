/*
 * Several processes and one SQLite file: one server at a time, and nobody takes the WAL away from under the
 * connections of another. The other process is this program, started again.
 */
#include "db/claim.h"
#include "db/db.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    char folder[64], path[96], url[104];
};

static int set_up(void **state)
{
    static struct fixture f;

    units_folder(f.folder, false);
    snprintf(f.path, sizeof(f.path), "%s/db", f.folder);
    snprintf(f.url, sizeof(f.url), "sqlite:%s", f.path);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    units_remove(((struct fixture *)*state)->folder);
    return 0;
}

/* Starts this program anew as another process, which does what main says of `what`. */
static pid_t start_other(const char *what, const char *url)
{
    pid_t pid = fork();

    if (pid == 0) {
        execl("/proc/self/exe", "other", what, url, (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static int other(const char *what, const char *url)
{
    int status = 0;
    pid_t pid = start_other(what, url);

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_file_is_claimed_by_one_process_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct claim claim;
    struct err err = { 0 };
    struct stat file;

    assert_true(claim_take(&claim, f->url, &err));
    assert_int_equal(stat(f->path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_int_equal(other("claim", f->url), ERR_CONFLICT);
    claim_release(&claim);
    assert_int_equal(other("claim", f->url), ERR_NONE);
}

static void another_name_of_the_file_is_the_same_file(void **state)
{
    struct fixture *f = *state;
    struct claim claim;
    struct err err = { 0 };
    char link[112], url[128];

    snprintf(link, sizeof(link), "%s/link", f->folder);
    snprintf(url, sizeof(url), "sqlite:%s", link);
    assert_int_equal(symlink(f->path, link), 0);
    assert_true(claim_take(&claim, f->url, &err));
    assert_int_equal(other("claim", url), ERR_CONFLICT);
    claim_release(&claim);
}

static void a_claim_ends_with_its_process(void **state)
{
    struct fixture *f = *state;
    pid_t pid = start_other("hold", f->url);
    struct claim claim;
    struct err err = { 0 };
    int tries = 0;

    while (other("claim", f->url) != ERR_CONFLICT && tries++ < 10000)
        usleep(10000);
    assert_false(claim_take(&claim, f->url, &err));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_non_null(strstr(err.text, f->path));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(claim_take(&claim, f->url, &err));
    claim_release(&claim);
}

/* Whoever closes the last connection takes the WAL away: an open one here must still be seen there. */
static void a_second_connection_does_not_give_the_first_ones_locks_away(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    struct stat before, after;
    char wal[112];

    snprintf(wal, sizeof(wal), "%s-wal", f->path);
    units_script(f->url, "CREATE TABLE t(id INTEGER)");
    struct db *first = db_open(f->url, &err);

    assert_non_null(first);
    assert_true(db_script(first, "INSERT INTO t VALUES (1)", &err));
    struct db *second = db_open(f->url, &err);

    assert_non_null(second);
    assert_int_equal(stat(wal, &before), 0);
    assert_int_equal(other("visit", f->url), 0);
    assert_int_equal(stat(wal, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_true(db_script(first, "INSERT INTO t VALUES (2)", &err));
    db_close(second);
    db_close(first);
    assert_int_equal(units_number(f->url, "SELECT COUNT(*) FROM t"), 2);
}

static void postgresql_is_shared(void **state)
{
    struct claim claim;
    struct err err = { 0 };

    (void)state;
    assert_true(claim_take(&claim, "postgres://nobody@nowhere/none", &err));
    claim_release(&claim);
}

static int be_other(const char *what, const char *url)
{
    struct err err = { 0 };
    struct claim claim;

    if (strcmp(what, "visit") == 0) {
        struct db *db = db_open(url, &err);
        bool good = db && db_script(db, "SELECT COUNT(*) FROM t", &err);

        db_close(db);
        return good ? 0 : 1;
    }
    bool hold = strcmp(what, "hold") == 0;

    /* The one that shall hold it may meet those that look whether it does. */
    while (!claim_take(&claim, url, &err)) {
        if (!hold || err.code != ERR_CONFLICT)
            return (int)err.code;
        usleep(1000);
    }
    while (hold)
        pause();
    claim_release(&claim);
    return ERR_NONE;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_claimed_by_one_process_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_name_of_the_file_is_the_same_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_claim_ends_with_its_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_connection_does_not_give_the_first_ones_locks_away, set_up,
                                        tear_down),
        cmocka_unit_test(postgresql_is_shared),
    };

    return argc == 3 ? be_other(argv[1], argv[2]) : cmocka_run_group_tests(tests, NULL, NULL);
}
