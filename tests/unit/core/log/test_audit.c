/*
 * The audit log: chained for each workspace, sealed once, and every way of tampering is noticed.
 */
#include "core/log/audit.h"

#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define NEED(e, condition) \
    do { \
        if (!(condition)) \
            fail_msg("%s", (e)->err.text); \
    } while (0)

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static void append(struct engine *e, const char *workspace_id, const char *operation)
{
    struct audit_entry entry = {
        .workspace_id = workspace_id,
        .actor_kind = "local",
        .actor_id = "local",
        .actor = "local",
        .operation = operation,
        .detail = "{\"text\":\"zw\xc3\xb6lf\"}",
        .at_ms = 1700000000000,
    };

    NEED(e, audit_append(TX(e), &entry));
}

static size_t seal(struct engine *e)
{
    size_t sealed = 99;

    NEED(e, audit_seal(TX(e), &sealed));
    return sealed;
}

static struct audit_verdict verify(struct engine *e)
{
    struct audit_verdict verdict;

    NEED(e, audit_verify(TX(e), &verdict));
    return verdict;
}

/* Six rows in two chains: a 1, 3, 5 and b 2, 4, 6. */
static void fill(struct engine *e)
{
    for (int i = 0; i < 3; i++) {
        append(e, "a", "first");
        append(e, "b", "second");
    }
    assert_int_equal(seal(e), 6);
    engine_commit(e);
}

/* What somebody with the database in hand can do, and our own statements cannot. */
static void tamper(struct engine *e, const char *sql)
{
    static const char *const guards[] = { "audit_kept", "audit_fixed", "audit_sealed", "audit_numbered" };

    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++)
        NEED(e, db_script(e->db,
                          arena_format(&e->arena, "DROP TRIGGER IF EXISTS %s%s", guards[i],
                                       e->db->engine == DB_SQLITE ? "" : " ON audit"),
                          &e->err));
    if (e->db->engine == DB_POSTGRES)
        NEED(e, db_script(e->db, "ALTER TABLE audit DROP CONSTRAINT IF EXISTS audit_numbers_are_positive",
                          &e->err));
    (void)engine_sql(e, sql);
}

/* Plain SQL that must not get through, whatever the database says about it. */
static void assert_refused(struct engine *e, const char *sql)
{
    struct db_rows rows;

    if (db_query_text(e->db, &e->arena, sql, DB_NO_ARGS, &rows, &e->err))
        fail_msg("this went through: %s", sql);
    engine_undo(e);
}

static void assert_broken(struct engine *e, int64_t at, const char *workspace_id)
{
    struct audit_verdict verdict = verify(e);

    assert_false(verdict.whole);
    assert_int_equal(verdict.broken_at, at);
    if (workspace_id)
        assert_string_equal(verdict.broken_in, workspace_id);
    else
        assert_null(verdict.broken_in);
}

static void an_untouched_log_is_whole(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_verdict verdict = verify(e);

    assert_true(verdict.whole);
    assert_int_equal(verdict.rows, 0);
    fill(e);
    assert_int_equal(seal(e), 0);
    append(e, "a", "third");
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.rows, 6);
    assert_int_equal(verdict.unsealed, 1);
    assert_int_equal(seal(e), 1);
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.rows, 7);
    assert_int_equal(verdict.unsealed, 0);
}

/* The header says how a hash is made; anybody may count on it. */
static void the_hash_is_the_documented_one(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    assert_string_equal(engine_sql(e, "SELECT hash FROM audit WHERE seq = 1"),
                        "963cd6b7c4c1937797e220c9a4de5e20812bdc730c4f008b7c4da2fd531eb806");
}

#define PLAIN_ROW \
    "INTO audit (seq, workspace_id, actor_kind, actor, operation, created_at) VALUES (%d, 'a', 'sql', 'x', " \
    "'x', 1)"

static void sealed_rows_cannot_be_touched(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    assert_refused(e, "UPDATE audit SET actor = 'x' WHERE seq = 3");
    assert_refused(e, "UPDATE audit SET hash = 'x' WHERE seq = 3");
    assert_refused(e, "UPDATE audit SET hash = NULL WHERE seq = 3");
    assert_refused(e, "UPDATE audit SET seq = 30 WHERE seq = 3");
    assert_refused(e, "UPDATE audit SET erasure = 'x' WHERE seq = 3");
    assert_refused(e, "DELETE FROM audit WHERE seq = 3");
    assert_refused(e, "DELETE FROM audit");
    if (e->db->engine == DB_POSTGRES) {
        assert_refused(e, "TRUNCATE audit");
        assert_refused(e, "TRUNCATE audit, audit_heads CASCADE");
    }
    assert_true(verify(e).whole);
}

static void rows_are_only_added_at_the_end(void **state)
{
    static const int numbers[] = { 0, -1, -7, 1, 3, 6, 9, 1000000 };
    struct engine *e = engine_of(state);
    bool sqlite = e->db->engine == DB_SQLITE;

    fill(e);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        assert_refused(e, arena_format(&e->arena, "INSERT " PLAIN_ROW, numbers[i]));
        if (sqlite)
            assert_refused(e, arena_format(&e->arena, "INSERT OR REPLACE " PLAIN_ROW, numbers[i]));
    }
    /* Not even a row that waits for its seal is replaced. */
    append(e, "a", "third");
    engine_commit(e);
    if (sqlite)
        assert_refused(e, arena_format(&e->arena, "REPLACE " PLAIN_ROW, 7));
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM audit"), "7");
    assert_int_equal(seal(e), 1);
    assert_true(verify(e).whole);
}

static void a_row_before_the_first_is_noticed_and_not_shown(void **state)
{
    static const int numbers[] = { 0, -3 };
    struct engine *e = engine_of(state);
    struct audit_filter filter = { .limit = 100 };
    struct audit_entry *entries;
    size_t count;

    fill(e);
    for (size_t i = 0; i < 2; i++) {
        tamper(e, arena_format(&e->arena, "INSERT " PLAIN_ROW, numbers[i]));
        assert_broken(e, numbers[i], NULL);
    }
    NEED(e, audit_list(TX(e), "a", &filter, &entries, &count));
    assert_int_equal(count, 3);
}

static void a_changed_row_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "UPDATE audit SET actor = 'somebody' WHERE seq = 3");
    assert_broken(e, 3, "a");
}

static void a_null_is_not_an_empty_text(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "UPDATE audit SET subject = '' WHERE seq = 4");
    assert_broken(e, 4, "b");
}

static void a_deleted_row_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "DELETE FROM audit WHERE seq = 3");
    assert_broken(e, 5, "a");
}

static void a_cut_off_end_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "DELETE FROM audit WHERE seq = 6");
    assert_broken(e, 6, "b");
}

static void a_lost_hash_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "UPDATE audit SET hash = NULL WHERE seq = 5");
    assert_broken(e, 5, "a");
}

static void a_chain_without_its_head_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    (void)engine_sql(e, "DELETE FROM audit_heads WHERE workspace_id = 'a'");
    assert_broken(e, 1, "a");
}

static void a_chain_that_is_gone_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "DELETE FROM audit WHERE workspace_id = 'a'");
    (void)engine_sql(e, "DELETE FROM audit_heads WHERE workspace_id = 'a'");
    assert_broken(e, 1, NULL);
}

/* More than one page of each chain, and more than one batch of sealing. */
static void long_chains_hold(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_verdict verdict;
    size_t sealed = 0, batch;

    for (int i = 0; i < 2300; i++) {
        append(e, "a", "first");
        append(e, i % 2 ? "b" : "c", "second");
    }
    while ((batch = seal(e)) > 0)
        sealed += batch;
    assert_int_equal(sealed, 4600);
    engine_commit(e);
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.rows, 4600);
    tamper(e, "UPDATE audit SET operation = 'x' WHERE seq = 2501");
    assert_broken(e, 2501, "a");
}

static void one_session_seals_at_a_time(void **state)
{
    struct engine *e = engine_of(state);
    struct db *other;
    size_t sealed = 99;

    if (e->db->engine != DB_POSTGRES)
        skip();
    append(e, "a", "first");
    engine_commit(e);
    assert_int_equal(seal(e), 1);
    other = engine_open_another(e);
    NEED(e, db_begin(other, true, &e->err));
    NEED(e, audit_seal(&(struct tx){ .db = other, .arena = &e->arena, .err = &e->err }, &sealed));
    assert_int_equal(sealed, 0);
    db_rollback(other);
    db_close(other);
    engine_commit(e);
    assert_true(verify(e).whole);
}

/* Hashes that were computed before another node sealed are of no use after it: the head has moved on. */
static void a_seal_that_comes_late_changes_nothing(void **state)
{
    struct engine *e = engine_of(state);

    if (e->db->engine != DB_POSTGRES)
        skip();
    append(e, "a", "first");
    assert_int_equal(seal(e), 1);
    append(e, "a", "second");
    engine_commit(e);
    assert_string_equal(engine_sql(e, "SELECT witan_seal_audit('[[2, 1, \"x\"]]', '[[\"a\", 1, \"x\"]]', 0)"),
                        "-1");
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM audit WHERE seq IS NULL"), "1");
    assert_int_equal(seal(e), 1);
    engine_commit(e);
    assert_true(verify(e).whole);
}

static void lists_are_filtered_and_walled(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_filter filter = { .limit = 2 };
    struct audit_entry *entries;
    size_t count;

    fill(e);
    NEED(e, audit_list(TX(e), "a", &filter, &entries, &count));
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].seq, 5);
    assert_int_equal(entries[1].seq, 3);
    assert_string_equal(entries[0].detail, "{\"text\":\"zw\xc3\xb6lf\"}");
    filter.cursor = 3;
    NEED(e, audit_list(TX(e), "a", &filter, &entries, &count));
    assert_int_equal(count, 1);
    filter = (struct audit_filter){ .limit = 10, .operation = "second" };
    NEED(e, audit_list(TX(e), "a", &filter, &entries, &count));
    assert_int_equal(count, 0);
    filter = (struct audit_filter){ .limit = 10, .actor = "local", .after_ms = 1699999999999 };
    NEED(e, audit_list(TX(e), "b", &filter, &entries, &count));
    assert_int_equal(count, 3);
    filter.before_ms = 1700000000000;
    NEED(e, audit_list(TX(e), "b", &filter, &entries, &count));
    assert_int_equal(count, 0);
    NEED(e, audit_read(TX(e), "b", 2, 10, &entries, &count));
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].seq, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(an_untouched_log_is_whole),
        ON_BOTH(the_hash_is_the_documented_one),
        ON_BOTH(sealed_rows_cannot_be_touched),
        ON_BOTH(rows_are_only_added_at_the_end),
        ON_BOTH(a_row_before_the_first_is_noticed_and_not_shown),
        ON_BOTH(a_changed_row_is_noticed),
        ON_BOTH(a_null_is_not_an_empty_text),
        ON_BOTH(a_deleted_row_is_noticed),
        ON_BOTH(a_cut_off_end_is_noticed),
        ON_BOTH(a_lost_hash_is_noticed),
        ON_BOTH(a_chain_without_its_head_is_noticed),
        ON_BOTH(a_chain_that_is_gone_is_noticed),
        ON_BOTH(long_chains_hold),
        ON_BOTH(one_session_seals_at_a_time),
        ON_BOTH(a_seal_that_comes_late_changes_nothing),
        ON_BOTH(lists_are_filtered_and_walled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
