/*
 * Letting go of the audit log's beginning, and anchors: what is done in order verifies, what only looks like
 * it does not.
 */
#include "core/log/audit_anchor.h"
#include "core/log/audit_keep.h"
#include "core/upkeep/purge.h"

#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define NEED(e, condition) \
    do { \
        if (!(condition)) \
            fail_msg("%s", (e)->err.text); \
    } while (0)

#define BEGAN 1700000000000

static const unsigned char seed[crypto_sign_SEEDBYTES] = { 7 };

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static void append_at(struct engine *e, const char *workspace_id, int64_t at_ms)
{
    struct audit_entry entry = {
        .workspace_id = workspace_id,
        .actor_kind = "user",
        .actor_id = "u1",
        .actor = "Ada",
        .operation = "something",
        .detail = "{\"text\":\"hello\"}",
        .at_ms = at_ms,
    };

    NEED(e, audit_append(TX(e), &entry));
}

static void seal(struct engine *e)
{
    size_t sealed;

    NEED(e, audit_seal(TX(e), &sealed));
}

/* Nine rows, one in each second: a 1, 3, 5, 7, 9 and b 2, 4, 6, 8. */
static void fill(struct engine *e)
{
    for (int i = 1; i <= 9; i++)
        append_at(e, i % 2 ? "a" : "b", BEGAN + i * 1000);
    seal(e);
    engine_commit(e);
}

static struct audit_verdict verify(struct engine *e)
{
    struct audit_verdict verdict;

    NEED(e, audit_verify(TX(e), &verdict));
    return verdict;
}

static size_t purge(struct engine *e, int64_t before_ms, size_t limit)
{
    struct audit_entry by = { .actor_kind = "system", .actor = "system", .at_ms = BEGAN + 60000 };
    size_t purged;

    NEED(e, audit_purge(TX(e), &by, before_ms, limit, &purged));
    seal(e);
    engine_commit(e);
    return purged;
}

static void tamper(struct engine *e, const char *sql)
{
    static const char *const guards[] = { "audit_kept", "audit_fixed", "audit_sealed", "audit_numbered",
                                          "audit_new" };

    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++)
        NEED(e, db_script(e->db,
                          arena_format(&e->arena, "DROP TRIGGER IF EXISTS %s%s", guards[i],
                                       e->db->engine == DB_SQLITE ? "" : " ON audit"),
                          &e->err));
    NEED(e, db_script(e->db, sql, &e->err));
}

static void a_purged_beginning_verifies(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_verdict verdict;
    int64_t count;

    fill(e);
    NEED(e, purge_count(TX(e), PURGE_AUDIT, BEGAN + 5000, &count));
    assert_int_equal(count, 4);
    assert_int_equal(purge(e, BEGAN + 5000, 1000), 4);
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.purged, 4);
    assert_int_equal(verdict.rows, 7); /* five that stayed, a record in each chain */
    assert_string_equal(engine_sql(e, "SELECT MIN(seq) FROM audit"), "5");
    assert_string_equal(
        engine_sql(e, "SELECT detail FROM audit WHERE workspace_id = 'b' AND seq = 11"),
        arena_format(&e->arena, "{\"through\":4,\"hash\":\"%s\",\"rows\":2}",
                     engine_sql(e, "SELECT hash FROM audit_checkpoints WHERE workspace_id = 'b'")));
    /* It goes on, and is purged again: of a chain that has a checkpoint already, and of one that is all gone.
     */
    append_at(e, "c", BEGAN + 70000);
    append_at(e, "a", BEGAN + 70000);
    seal(e);
    engine_commit(e);
    assert_true(verify(e).whole);
    assert_int_equal(purge(e, BEGAN + 65000, 1000), 7);
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.purged, 11);
    assert_int_equal(purge(e, BEGAN + 5000, 1000), 0);
}

static void purging_goes_in_small_steps(void **state)
{
    struct engine *e = engine_of(state);
    size_t steps = 0;

    fill(e);
    while (purge(e, BEGAN + 8500, 3) > 0) {
        steps++;
        assert_true(verify(e).whole);
    }
    assert_int_equal(steps, 3);
    assert_string_equal(engine_sql(e, "SELECT MIN(seq) FROM audit"), "9");
}

/* A row that came late keeps what stands behind it: the log is only ever cut at its beginning. */
static void nothing_is_taken_from_the_middle(void **state)
{
    struct engine *e = engine_of(state);

    append_at(e, "a", BEGAN);
    append_at(e, "a", BEGAN + 9000);
    append_at(e, "a", BEGAN + 1000);
    seal(e);
    engine_commit(e);
    assert_int_equal(purge(e, BEGAN + 5000, 1000), 1);
    assert_true(verify(e).whole);
}

static void the_guards_are_back_after_a_purge(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_entry by = { .actor_kind = "system", .actor = "system", .at_ms = BEGAN + 60000 };
    struct db_rows rows;
    size_t purged;

    fill(e);
    NEED(e, audit_purge(TX(e), &by, BEGAN + 5000, 1000, &purged));
    assert_false(
        db_query_text(e->db, &e->arena, "DELETE FROM audit WHERE seq = 7", DB_NO_ARGS, &rows, &e->err));
    engine_undo(e);
}

static void a_beginning_that_is_gone_without_a_record_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    tamper(e, "INSERT INTO audit_checkpoints (workspace_id, seq, hash)"
              " SELECT workspace_id, seq, hash FROM audit WHERE seq IN (3, 4);"
              "DELETE FROM audit WHERE seq <= 4");
    assert_false(verify(e).whole);
    assert_int_equal(verify(e).broken_at, 3);
}

static void a_moved_checkpoint_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    assert_int_equal(purge(e, BEGAN + 5000, 1000), 4);
    tamper(e, "UPDATE audit_checkpoints SET seq = 5, hash = (SELECT hash FROM audit WHERE seq = 5)"
              " WHERE workspace_id = 'a'; DELETE FROM audit WHERE seq = 5");
    assert_false(verify(e).whole);
}

static void a_row_among_the_purged_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill(e);
    assert_int_equal(purge(e, BEGAN + 5000, 1000), 4);
    tamper(e, "INSERT INTO audit (seq, workspace_id, actor_kind, actor, operation, created_at)"
              " VALUES (1, 'a', 'sql', 'x', 'x', 1)");
    assert_false(verify(e).whole);
    assert_int_equal(verify(e).broken_at, 1);
}

/* Takes out who is named by id, and the name "Ada" from where others wrote to her. */
static bool change_row(void *context, struct arena *arena, struct audit_entry *row)
{
    const char *id = context;

    (void)arena;
    if (row->actor_id && strcmp(row->actor_id, id) == 0) {
        row->actor = "erased";
        row->remote = NULL;
        row->detail = "{}";
        return true;
    }
    if (strcmp(row->detail, "{\"to\":\"Ada\"}") != 0)
        return false;
    row->detail = "{\"to\":\"erased\"}";
    return true;
}

static int64_t erase(struct engine *e, const char *id)
{
    struct audit_entry by = { .workspace_id = "a", .actor_kind = "local", .actor = "local", .at_ms = BEGAN };
    struct audit_eraser eraser = { change_row, (void *)(uintptr_t)id };
    struct audit_erase_page page;
    int64_t after = 0;

    NEED(e, audit_erase(TX(e), &by, id, &eraser, &after, &page));
    assert_false(page.more);
    NEED(e, audit_erase_end(TX(e), &by, id));
    seal(e);
    engine_commit(e);
    return page.changed;
}

/* Rows of another person around those of the one who goes. */
static void fill_mixed(struct engine *e)
{
    struct audit_entry other = {
        .workspace_id = "a",
        .actor_kind = "user",
        .actor_id = "u2",
        .actor = "Bob",
        .operation = "something",
        .remote = "192.0.2.2",
        .detail = "{\"text\":\"mine\"}",
        .at_ms = BEGAN,
    };

    fill(e);
    NEED(e, audit_append(TX(e), &other));
    other.detail = "{\"to\":\"Ada\"}";
    NEED(e, audit_append(TX(e), &other));
    append_at(e, "a", BEGAN);
    seal(e);
    engine_commit(e);
}

static void an_erased_person_is_gone_and_the_log_verifies(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_anchor made;
    struct audit_verdict verdict;
    struct anchor_verdict against;
    BUF_AUTO text = { 0 };

    fill_mixed(e);
    NEED(e, audit_anchor_make(TX_WITH(e, .now_ms = BEGAN), seed, &text));
    NEED(e, audit_anchor_read(&e->arena, text.bytes, text.len, &made, &e->err));
    assert_int_equal(erase(e, "u1"), 11);
    verdict = verify(e);
    assert_true(verdict.whole);
    assert_int_equal(verdict.erased, 11);
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM audit WHERE actor = 'Ada' OR detail LIKE '%Ada%'"
                                      " OR detail LIKE '%hello%'"),
                        "0");
    assert_string_equal(engine_sql(e, "SELECT COUNT(*) FROM audit WHERE actor = 'Bob'"), "2");
    assert_string_equal(engine_sql(e, "SELECT detail FROM audit WHERE seq = 10"), "{\"text\":\"mine\"}");
    /* Hashes stay, so anchors do. */
    NEED(e, audit_anchor_check(TX(e), &made, &against));
    assert_int_equal(against.finding, ANCHOR_HOLDS);
    /* A second time there is nothing left, and the first one still holds. */
    assert_int_equal(erase(e, "u1"), 0);
    assert_true(verify(e).whole);
    assert_int_equal(erase(e, "u2"), 1);
    assert_true(verify(e).whole);
    /* Rows without their person are purged like others, up to the middle of them. */
    assert_int_equal(purge(e, BEGAN + 3500, 1000), 3);
    assert_true(verify(e).whole);
    assert_int_equal(verify(e).erased, 9);
}

static void a_row_made_to_look_erased_is_noticed(void **state)
{
    struct engine *e = engine_of(state);

    fill_mixed(e);
    tamper(e, "UPDATE audit SET actor = 'erased', detail = '{}',"
              " erasure = '01990000-0000-7000-8000-000000000001' WHERE seq = 3");
    assert_false(verify(e).whole);
    assert_int_equal(verify(e).broken_at, 3);
    engine_undo(e);
    /* With the id of an erasure that there was. */
    assert_int_equal(erase(e, "u1"), 11);
    tamper(e, "UPDATE audit SET actor = 'erased', detail = '{}',"
              " erasure = (SELECT MAX(erasure) FROM audit) WHERE seq = 10");
    assert_false(verify(e).whole);
    engine_undo(e);
    assert_true(verify(e).whole);
    tamper(e, "UPDATE audit SET erasure = 'x' WHERE seq = 10");
    assert_false(verify(e).whole);
}

static void an_erased_row_cannot_be_changed_further(void **state)
{
    static const char *const changes[] = {
        "UPDATE audit SET operation = 'other' WHERE seq = 3",
        "UPDATE audit SET detail = '{\"x\":1}' WHERE seq = 3",
        "UPDATE audit SET hash = (SELECT hash FROM audit WHERE seq = 1) WHERE seq = 3",
        "UPDATE audit SET erasure = NULL WHERE seq = 3",
        "DELETE FROM audit WHERE seq = 3",
        "UPDATE audit SET operation = 'x' WHERE operation = 'user_erase'",
    };
    struct engine *e = engine_of(state);

    fill_mixed(e);
    assert_int_equal(erase(e, "u1"), 11);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        tamper(e, changes[i]);
        if (verify(e).whole)
            fail_msg("not noticed: %s", changes[i]);
        engine_undo(e);
    }
    assert_true(verify(e).whole);
}

static struct audit_anchor anchor(struct engine *e)
{
    BUF_AUTO text = { 0 };
    struct audit_anchor anchor;

    NEED(e, audit_anchor_make(TX_WITH(e, .now_ms = BEGAN), seed, &text));
    NEED(e, audit_anchor_read(&e->arena, text.bytes, text.len, &anchor, &e->err));
    return anchor;
}

static struct anchor_verdict check(struct engine *e, const struct audit_anchor *anchor)
{
    struct anchor_verdict verdict;

    NEED(e, audit_anchor_check(TX(e), anchor, &verdict));
    return verdict;
}

static void an_anchor_holds_while_the_log_grows(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_anchor made;

    fill(e);
    made = anchor(e);
    assert_int_equal(made.count, 2);
    assert_int_equal(made.rows, 9);
    assert_int_equal(check(e, &made).finding, ANCHOR_HOLDS);
    append_at(e, "a", BEGAN);
    seal(e);
    assert_int_equal(check(e, &made).finding, ANCHOR_HOLDS);
}

/* The end of the log with its heads set back: whole by itself, found by the anchor. */
static void a_cut_end_is_found(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_anchor made;
    struct anchor_verdict verdict;

    fill(e);
    made = anchor(e);
    tamper(e, "DELETE FROM audit WHERE seq > 7;"
              "UPDATE audit_heads SET seq = 7, hash = (SELECT hash FROM audit WHERE seq = 7) WHERE "
              "workspace_id = 'a';"
              "UPDATE audit_heads SET seq = 6, hash = (SELECT hash FROM audit WHERE seq = 6) WHERE "
              "workspace_id = 'b'");
    assert_true(verify(e).whole);
    verdict = check(e, &made);
    assert_int_equal(verdict.finding, ANCHOR_CUT);
    assert_int_equal(verdict.seq, 9);
    assert_string_equal(verdict.workspace_id, "a");
}

static void a_log_written_anew_is_found(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_anchor made;

    fill(e);
    made = anchor(e);
    tamper(e, "DELETE FROM audit; DELETE FROM audit_heads");
    for (int i = 1; i <= 12; i++)
        append_at(e, i % 2 ? "a" : "b", BEGAN + i);
    seal(e);
    assert_true(verify(e).whole);
    assert_int_equal(check(e, &made).finding, ANCHOR_REPLACED);
    tamper(e, "DELETE FROM audit; DELETE FROM audit_heads");
    assert_true(verify(e).whole);
    assert_int_equal(check(e, &made).finding, ANCHOR_CUT);
}

static void a_purge_outlives_an_anchor_that_is_younger(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_anchor early, late;

    fill(e);
    early = anchor(e);
    append_at(e, "a", BEGAN + 20000);
    append_at(e, "b", BEGAN + 20000);
    seal(e);
    engine_commit(e);
    late = anchor(e);
    /* Up to the very rows that the early one names: the checkpoints are what it named. */
    assert_int_equal(purge(e, BEGAN + 15000, 1000), 9);
    assert_int_equal(check(e, &early).finding, ANCHOR_HOLDS);
    assert_int_equal(check(e, &late).finding, ANCHOR_HOLDS);
    assert_int_equal(purge(e, BEGAN + 30000, 1000), 2);
    assert_int_equal(check(e, &early).finding, ANCHOR_PURGED);
    assert_int_equal(check(e, &late).finding, ANCHOR_HOLDS);
}

static void a_changed_anchor_is_refused(void **state)
{
    struct engine *e = engine_of(state);
    BUF_AUTO text = { 0 };
    struct audit_anchor read;
    char *number;

    fill(e);
    NEED(e, audit_anchor_make(TX_WITH(e, .now_ms = BEGAN), seed, &text));
    number = strstr(text.bytes, "\"seq\":9");
    assert_non_null(number);
    number[6] = '7';
    assert_false(audit_anchor_read(&e->arena, text.bytes, text.len, &read, &e->err));
    assert_non_null(strstr(e->err.text, "signature"));
    assert_false(audit_anchor_read(&e->arena, "{}", 2, &read, &e->err));
    assert_false(audit_anchor_read(&e->arena, "nothing", 7, &read, &e->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_purged_beginning_verifies),
        ON_BOTH(purging_goes_in_small_steps),
        ON_BOTH(nothing_is_taken_from_the_middle),
        ON_BOTH(the_guards_are_back_after_a_purge),
        ON_BOTH(a_beginning_that_is_gone_without_a_record_is_noticed),
        ON_BOTH(a_moved_checkpoint_is_noticed),
        ON_BOTH(a_row_among_the_purged_is_noticed),
        ON_BOTH(an_erased_person_is_gone_and_the_log_verifies),
        ON_BOTH(a_row_made_to_look_erased_is_noticed),
        ON_BOTH(an_erased_row_cannot_be_changed_further),
        ON_BOTH(an_anchor_holds_while_the_log_grows),
        ON_BOTH(a_cut_end_is_found),
        ON_BOTH(a_log_written_anew_is_found),
        ON_BOTH(a_purge_outlives_an_anchor_that_is_younger),
        ON_BOTH(a_changed_anchor_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
