/*
 * The store on SQLite: units are apart from each other although they share a commit, and nothing that
 * is handed in is forgotten.
 */
#include "db/store.h"

#include "base/limits.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA \
    "CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT UNIQUE CHECK (name <> ''));" \
    "CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parent(id));" \
    "CREATE TRIGGER gone BEFORE INSERT ON parent WHEN NEW.name = 'rollback'" \
    " BEGIN SELECT RAISE(ROLLBACK, 'all is gone'); END;" \
    "CREATE TRIGGER no BEFORE INSERT ON parent WHEN NEW.name = 'abort'" \
    " BEGIN SELECT RAISE(ABORT, 'not this one'); END;"

#define INSERT "INSERT INTO parent VALUES($1, 'name ' || $1)"
#define COUNT  "SELECT count(*) FROM parent"

struct fixture {
    char folder[64], url[96];
    struct store_options options;
    struct store *store;
    atomic_int commits;
    sem_t gate, reached;
};

static void on_commit(void *user)
{
    atomic_fetch_add(&((struct fixture *)user)->commits, 1);
}

static void open_store(struct fixture *f)
{
    struct err err = { 0 };

    f->store = store_open(&f->options, &err);
    if (!f->store)
        fail_msg("%s", err.text);
}

static struct fixture *fixture_new(size_t queue)
{
    static struct fixture f;

    f = (struct fixture){ 0 };
    units_folder(f.folder, false);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);
    units_script(f.url, SCHEMA);
    f.options = (struct store_options){ .url = f.url,
                                        .queue = queue,
                                        .committed = on_commit,
                                        .user = &f,
                                        .wait_ms = PATIENCE_MS,
                                        .batch_ms = PATIENCE_MS };
    sem_init(&f.gate, 0, 0);
    sem_init(&f.reached, 0, 0);
    open_store(&f);
    return &f;
}

static void fixture_free(struct fixture *f)
{
    store_close(f->store);
    units_remove(f->folder);
    sem_destroy(&f->gate);
    sem_destroy(&f->reached);
}

/*
 * A unit that holds the writer until the gate opens, so that those behind it join its batch, which no time
 * ends here. It may have to run again with them.
 */
static bool wait_at_gate(struct db *db, struct unit *unit)
{
    struct fixture *f = unit->user;

    (void)db;
    if (unit->runs > 1)
        return true;
    sem_post(&f->reached);
    while (sem_wait(&f->gate) != 0)
        continue;
    return true;
}

static void hold_writer(struct fixture *f, struct unit *holder)
{
    struct err err = { 0 };

    unit_init(holder, 0, NULL);
    holder->body = wait_at_gate;
    holder->user = f;
    assert_true(store_write(f->store, &holder->work, &err));
    while (sem_wait(&f->reached) != 0)
        continue;
}

static void run_as_batch(struct fixture *f, struct unit units[], size_t count)
{
    struct unit holder;
    struct err err = { 0 };

    hold_writer(f, &holder);
    for (size_t i = 0; i < count; i++)
        assert_true(store_write(f->store, &units[i].work, &err));
    sem_post(&f->gate);
    for (size_t i = 0; i < count; i++) {
        unit_wait(&units[i]);
        unit_done(&units[i]);
    }
    unit_wait(&holder);
    unit_done(&holder);
}

static void a_failed_unit_touches_only_itself(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit units[6];
    struct store_stats stats;

    (void)state;
    unit_init(&units[0], 1, INSERT);
    unit_init(&units[1], 2, INSERT);
    units[1].sql[1] = "INSERT INTO parent VALUES(99, 'name 1')";
    unit_init(&units[2], 3, INSERT);
    units[2].sql[1] = "INSERT INTO child VALUES(1, 77)";
    unit_init(&units[3], 4, "INSERT INTO parent VALUES($1, '')");
    unit_init(&units[4], 5, "INSERT INTO parent VALUES($1, 'abort')");
    unit_init(&units[5], 6, INSERT);
    run_as_batch(f, units, 6);
    assert_int_equal(units[0].work.err.code, ERR_NONE);
    assert_int_equal(units[1].work.err.code, ERR_CONFLICT);
    assert_int_equal(units[2].work.err.code, ERR_CONFLICT);
    assert_int_equal(units[3].work.err.code, ERR_INVALID);
    assert_int_equal(units[4].work.err.code, ERR_INVALID);
    assert_string_equal(units[4].work.err.text, "not this one");
    assert_int_equal(units[5].work.err.code, ERR_NONE);
    /* The first that fails after a change has the batch run again up to itself; the rest is a batch of its
     * own. */
    store_stats(f->store, &stats);
    assert_int_equal(stats.batches, 2);
    assert_int_equal(stats.batched, (1 + 2) + 4);
    assert_int_equal(stats.batch_sizes[2], 2);
    assert_int_equal(atomic_load(&f->commits), 2);
    assert_int_equal(
        units_number(f->url, "SELECT group_concat(id, '') FROM (SELECT id FROM parent ORDER BY id)"), 16);
    fixture_free(f);
}

/* It goes on after the error, as careless code would; nothing of that may be committed. */
static bool insert_after_loss(struct db *db, struct unit *unit)
{
    struct db_rows rows;
    struct err first = { 0 };

    assert_false(db_query_text(db, &unit->arena, "INSERT INTO parent VALUES(50, 'rollback')", DB_NO_ARGS,
                               &rows, &first));
    assert_false(db_query_text(db, &unit->arena, "INSERT INTO parent VALUES(51, 'alone')", DB_NO_ARGS, &rows,
                               &unit->work.err));
    assert_false(db_script(db, "INSERT INTO parent VALUES(52, 'alone too')", &unit->work.err));
    return true;
}

static void a_lost_transaction_fails_the_whole_batch(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit units[5];

    (void)state;
    unit_init(&units[0], 1, INSERT);
    unit_init(&units[1], 1, INSERT);
    unit_init(&units[2], 2, NULL);
    units[2].body = insert_after_loss;
    unit_init(&units[3], 3, INSERT);
    unit_init(&units[4], 4, INSERT);
    run_as_batch(f, units, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(units[i].work.err.code, ERR_UNAVAILABLE);
    assert_int_equal(units_number(f->url, COUNT), 0);
    run_as_batch(f, units + 3, 2);
    assert_int_equal(units[3].work.err.code, ERR_NONE);
    assert_int_equal(units_number(f->url, COUNT), 2);
    fixture_free(f);
}

static void units_behind_a_lost_transaction_are_not_run_in_it(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit units[3];

    (void)state;
    unit_init(&units[0], 1, INSERT);
    unit_init(&units[1], 2, "INSERT INTO parent VALUES($1, 'rollback')");
    unit_init(&units[2], 3, INSERT);
    run_as_batch(f, units, 3);
    assert_int_equal(units[0].work.err.code, ERR_UNAVAILABLE);
    assert_int_equal(units[1].work.err.code, ERR_UNAVAILABLE);
    /* The third was still queued: it got a transaction of its own. */
    assert_int_equal(units[2].work.err.code, ERR_NONE);
    assert_int_equal(units_number(f->url, COUNT), 1);
    fixture_free(f);
}

static bool refuse_to_seal(struct db *db, struct err *err)
{
    struct db_rows rows;
    ARENA_AUTO arena = { 0 };

    if (!db_query_text(db, &arena, "SELECT count(*) FROM parent WHERE id = 13", DB_NO_ARGS, &rows, err))
        return false;
    if (db_cell_int(&rows, 0, 0) > 0)
        return err_set(err, ERR_INTERNAL, "thirteen is not sealed");
    return true;
}

static bool seal_badly(struct db *db, struct err *err)
{
    return db_script(db, "INSERT INTO secret_table VALUES(1)", err);
}

/* The database's own words are kept for the log, and are not what a caller is told. */
static void expect_not_told(const struct err *err, const char *words)
{
    assert_int_equal(err->code, ERR_UNAVAILABLE);
    assert_int_equal(err->retry_after_s, 1);
    assert_non_null(strstr(err->text, words));
    assert_null(strstr(err_for_callers(err), words));
}

static void what_cannot_be_sealed_is_not_committed(void **state)
{
    struct fixture *f = fixture_new(0);

    (void)state;
    store_close(f->store);
    f->options.seal = refuse_to_seal;
    open_store(f);
    assert_int_equal(unit_write(f->store, 12, INSERT), ERR_NONE);
    assert_int_equal(unit_write(f->store, 13, INSERT), ERR_UNAVAILABLE);
    assert_int_equal(unit_write(f->store, 14, INSERT), ERR_NONE);
    assert_int_equal(units_number(f->url, COUNT), 2);
    fixture_free(f);
}

static void a_seal_that_fails_is_told_in_words_of_ours(void **state)
{
    struct fixture *f = fixture_new(0);
    struct err err;

    (void)state;
    store_close(f->store);
    f->options.seal = seal_badly;
    open_store(f);
    err = unit_write_err(f->store, 1, INSERT);
    expect_not_told(&err, "secret_table");
    fixture_free(f);
}

static void a_full_queue_refuses(void **state)
{
    struct fixture *f = fixture_new(3);
    struct unit holder, units[4];
    struct err err = { 0 };
    struct store_stats stats;

    (void)state;
    hold_writer(f, &holder);
    for (int i = 0; i < 4; i++)
        unit_init(&units[i], i + 1, INSERT);
    for (int i = 0; i < 3; i++)
        assert_true(store_write(f->store, &units[i].work, &err));
    assert_false(store_write(f->store, &units[3].work, &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    assert_true(err.retry_after_s > 0);
    store_stats(f->store, &stats);
    assert_int_equal(stats.refused, 1);
    assert_int_equal(stats.write_queue, 3);
    sem_post(&f->gate);
    for (int i = 0; i < 3; i++)
        unit_wait(&units[i]);
    unit_wait(&holder);
    unit_done(&holder);
    for (int i = 0; i < 4; i++)
        unit_done(&units[i]);
    assert_int_equal(units_number(f->url, COUNT), 3);
    fixture_free(f);
}

static void *close_store(void *user)
{
    struct fixture *f = user;

    store_close(f->store);
    return NULL;
}

static void closing_runs_what_is_queued_and_refuses_the_rest(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit holder, units[800];
    struct err err = { 0 };
    pthread_t closer;
    int accepted;

    (void)state;
    hold_writer(f, &holder);
    for (accepted = 0; accepted < 300; accepted++) {
        unit_init(&units[accepted], accepted + 1, INSERT);
        assert_true(store_write(f->store, &units[accepted].work, &err));
    }
    pthread_create(&closer, NULL, close_store, f);
    /* The writer is held, so the store cannot be gone before the gate opens. */
    for (; accepted < 800; accepted++) {
        unit_init(&units[accepted], accepted + 1, INSERT);
        if (!store_write(f->store, &units[accepted].work, &err))
            break;
        usleep(60000);
    }
    assert_true(accepted < 800);
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    unit_done(&units[accepted]);
    sem_post(&f->gate);
    pthread_join(closer, NULL);
    for (int i = 0; i < accepted; i++) {
        unit_wait(&units[i]);
        assert_int_equal(units[i].work.err.code, ERR_NONE);
        unit_done(&units[i]);
    }
    unit_wait(&holder);
    unit_done(&holder);
    assert_int_equal(units_number(f->url, COUNT), accepted);
    f->store = NULL;
    fixture_free(f);
}

static void a_lock_held_by_another_program_is_waited_for_a_while(void **state)
{
    struct fixture *f = fixture_new(0);
    struct err err = { 0 };
    struct db *other = db_open(f->url, &err);

    (void)state;
    assert_non_null(other);
    assert_true(db_begin(other, true, &err));

    struct err refused = unit_write_err(f->store, 1, INSERT);

    expect_not_told(&refused, "locked");
    db_rollback(other);
    assert_int_equal(unit_write(f->store, 1, INSERT), ERR_NONE);
    assert_true(db_script(other, "INSERT INTO parent VALUES(2, 'from outside')", &err));
    db_close(other);
    int64_t count;

    assert_int_equal(unit_query(f->store, COUNT, &count), ERR_NONE);
    assert_int_equal(count, 2);
    fixture_free(f);
}

/* Reading */

static void readers_cannot_write(void **state)
{
    struct fixture *f = fixture_new(0);
    int64_t number;

    (void)state;
    assert_int_equal(unit_query(f->store, "INSERT INTO parent VALUES(1, 'x')", &number), ERR_INTERNAL);
    assert_int_equal(unit_query(f->store, COUNT, &number), ERR_NONE);
    assert_int_equal(number, 0);
    fixture_free(f);
}

static bool count_twice(struct db *db, struct unit *unit)
{
    struct fixture *f = unit->user;
    struct db_rows rows;

    if (!db_query_text(db, &unit->arena, COUNT, DB_NO_ARGS, &rows, &unit->work.err))
        return false;
    unit->number = db_cell_int(&rows, 0, 0);
    assert_int_equal(unit_write(f->store, 7, INSERT), ERR_NONE);
    if (!db_query_text(db, &unit->arena, COUNT, DB_NO_ARGS, &rows, &unit->work.err))
        return false;
    unit->number -= db_cell_int(&rows, 0, 0);
    return true;
}

static void a_reading_unit_sees_one_moment_and_does_not_stop_the_writer(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit unit;
    int64_t count;

    (void)state;
    unit_init(&unit, 0, NULL);
    unit.body = count_twice;
    unit.user = f;
    assert_true(store_can_read_here(f->store));
    store_read_here(f->store, &unit.work);
    assert_int_equal(unit.work.err.code, ERR_NONE);
    assert_int_equal(unit.number, 0);
    unit_done(&unit);
    assert_int_equal(unit_query(f->store, COUNT, &count), ERR_NONE);
    assert_int_equal(count, 1);
    fixture_free(f);
}

static void an_endless_read_is_ended(void **state)
{
    struct fixture *f = fixture_new(0);
    int64_t number;

    (void)state;
    assert_int_equal(unit_query(f->store,
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                " SELECT max(i) FROM n",
                                &number),
                     ERR_UNAVAILABLE);
    assert_int_equal(unit_query(f->store, COUNT, &number), ERR_NONE);
    fixture_free(f);
}

struct local_thread {
    struct fixture *f;
    sem_t read, go, again;
    pthread_t thread;
};

static int64_t count_here(struct store *store)
{
    struct unit unit;

    unit_init(&unit, 0, COUNT);
    store_read_here(store, &unit.work);
    assert_int_equal(unit.work.err.code, ERR_NONE);
    unit_done(&unit);
    return unit.number;
}

static void *read_with_two_stores(void *user)
{
    struct local_thread *self = user;

    assert_int_equal(count_here(self->f->store), 1);
    sem_post(&self->read);
    while (sem_wait(&self->go) != 0)
        continue;
    assert_int_equal(count_here(self->f->store), 2);
    sem_post(&self->again);
    return NULL;
}

static void threads_may_outlive_the_store_they_read_from(void **state)
{
    struct fixture *f = fixture_new(0);
    struct local_thread threads[4] = { 0 };

    (void)state;
    assert_int_equal(unit_write(f->store, 1, INSERT), ERR_NONE);
    for (int i = 0; i < 4; i++) {
        threads[i].f = f;
        sem_init(&threads[i].read, 0, 0);
        sem_init(&threads[i].go, 0, 0);
        sem_init(&threads[i].again, 0, 0);
        pthread_create(&threads[i].thread, NULL, read_with_two_stores, &threads[i]);
    }
    for (int i = 0; i < 4; i++)
        sem_wait(&threads[i].read);
    store_close(f->store);
    open_store(f);
    assert_int_equal(unit_write(f->store, 2, INSERT), ERR_NONE);
    for (int i = 0; i < 2; i++) {
        sem_post(&threads[i].go);
        pthread_join(threads[i].thread, NULL);
    }
    for (int i = 2; i < 4; i++) {
        sem_post(&threads[i].go);
        sem_wait(&threads[i].again);
    }
    fixture_free(f);
    for (int i = 2; i < 4; i++)
        pthread_join(threads[i].thread, NULL);
}

/* Many at once */

#define CLIENTS 4
#define EACH    300

struct client {
    struct fixture *f;
    int number;
    pthread_t thread;
};

static void *write_and_read(void *user)
{
    struct client *client = user;

    for (int i = 0; i < EACH; i++) {
        int64_t before = count_here(client->f->store);

        assert_int_equal(unit_write(client->f->store, client->number * EACH + i + 1, INSERT), ERR_NONE);
        assert_true(count_here(client->f->store) > before);
    }
    return NULL;
}

static void clients_see_their_own_writes_at_once(void **state)
{
    struct fixture *f = fixture_new(0);
    struct client clients[CLIENTS];
    struct store_stats stats;

    (void)state;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){ .f = f, .number = i };
        pthread_create(&clients[i].thread, NULL, write_and_read, &clients[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i].thread, NULL);
    store_stats(f->store, &stats);
    assert_int_equal(stats.batched, CLIENTS * EACH);
    assert_true(stats.batches <= stats.batched);
    assert_int_equal(units_number(f->url, COUNT), CLIENTS * EACH);
    fixture_free(f);
}

/* The WAL is moved into the database as it grows, and then starts over, although somebody reads all the time.
 */
static void the_wal_does_not_grow_without_end(void **state)
{
    struct fixture *f = fixture_new(0);
    char path[96];
    long largest = 0;

    (void)state;
    snprintf(path, sizeof(path), "%s/db-wal", f->folder);
    for (int i = 0; i < 24; i++) {
        assert_int_equal(
            unit_write(f->store, i + 1, "INSERT INTO parent VALUES($1, $1 || hex(zeroblob(4000000)))"),
            ERR_NONE);
        assert_int_equal(count_here(f->store), i + 1);
        FILE *wal = fopen(path, "rb");

        assert_non_null(wal);
        fseek(wal, 0, SEEK_END);
        largest = ftell(wal) > largest ? ftell(wal) : largest;
        fclose(wal);
    }
    /* Half of what was written: on a busy machine several checkpoints in a row may meet a reader. */
    assert_true(largest < (long)(WAL_CHECKPOINT_PAGES + 10000) * 8300);
    fixture_free(f);
}

static bool compute_square(struct db *db, struct unit *unit)
{
    assert_null(db);
    unit->number = unit->id * unit->id;
    return unit->id != 3 || err_set(&unit->work.err, ERR_INVALID, "not three");
}

static void computing_needs_no_database(void **state)
{
    struct fixture *f = fixture_new(0);
    struct unit units[5];
    struct err err = { 0 };

    (void)state;
    for (int i = 0; i < 5; i++) {
        unit_init(&units[i], i, NULL);
        units[i].body = compute_square;
        assert_true(store_compute(f->store, &units[i].work, &err));
    }
    for (int i = 0; i < 5; i++) {
        unit_wait(&units[i]);
        unit_done(&units[i]);
        assert_int_equal(units[i].number, i * i);
        assert_int_equal(units[i].work.err.code, i == 3 ? ERR_INVALID : ERR_NONE);
    }
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_unit_touches_only_itself),
        cmocka_unit_test(a_lost_transaction_fails_the_whole_batch),
        cmocka_unit_test(units_behind_a_lost_transaction_are_not_run_in_it),
        cmocka_unit_test(what_cannot_be_sealed_is_not_committed),
        cmocka_unit_test(a_seal_that_fails_is_told_in_words_of_ours),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(closing_runs_what_is_queued_and_refuses_the_rest),
        cmocka_unit_test(a_lock_held_by_another_program_is_waited_for_a_while),
        cmocka_unit_test(readers_cannot_write),
        cmocka_unit_test(a_reading_unit_sees_one_moment_and_does_not_stop_the_writer),
        cmocka_unit_test(an_endless_read_is_ended),
        cmocka_unit_test(threads_may_outlive_the_store_they_read_from),
        cmocka_unit_test(clients_see_their_own_writes_at_once),
        cmocka_unit_test(the_wal_does_not_grow_without_end),
        cmocka_unit_test(computing_needs_no_database),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
