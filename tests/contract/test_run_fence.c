/*
 * Who may write to a run that is moved: only whoever has claimed it last, under that claim. A node that was
 * stopped past its lease comes back with a reply or a result in hand, and the job is still open; and a node's
 * own earlier claim is not the one of now.
 */
#include "base/clock.h"
#include "council.h"
#include "runs.h"

#include <pthread.h>

static const struct tool repeated[] = { { .name = "look",
                                          .description = "Looks.",
                                          .schema = "{\"type\":\"object\"}",
                                          .kind = TOOL_COMMAND,
                                          .idempotent = true } };

/* The writes of a holder. */
enum attempt { ADVANCE, REPLY, BEGIN, END, ASK, ANSWERS, PROGRESS, FAIL, ATTEMPTS };

/* What a node has in hand under its claim. */
struct in_hand {
    struct run_ref ref;
    const char *running, *queued; /* calls */
};

static bool attempt(const struct tx *tx, enum attempt what, const struct in_hand *late)
{
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    const struct llm_result said = {
        .text = "Too late.", .words = "", .usage = { 10, 5 }, .tool_calls = &made, .tool_call_count = 1
    };
    const struct run_reply reply = { .result = &said, .model = "played", .provider = "ollama" };
    const struct tool_elicitation asked = { .id = "e1", .message = "Too late?" };
    struct run_answered *answers;
    struct run_step step;
    size_t count;

    switch (what) {
    case ADVANCE: return run_advance(tx, &late->ref, &step);
    case REPLY: return run_take_reply(tx, &late->ref, &reply, &step);
    case BEGIN: return run_call_begin(tx, &late->ref, late->queued, true);
    case END:
        return run_call_end(tx, &late->ref, late->running, &(struct tool_result){ .text = "Late." }, &step);
    case ASK: return run_call_ask(tx, &late->ref, late->running, &asked);
    case ANSWERS: return run_call_answers(tx, &late->ref, &answers, &count);
    case PROGRESS: return run_call_progress(tx, &late->ref, late->running, 1, 2, "Late");
    case FAIL: return run_fail(tx, &late->ref, "Too late.");
    case ATTEMPTS: break;
    }
    return true;
}

/* Committed, had it been taken: what it has written would be seen. A call is begun by one statement, which
 * cannot tell why it is not to be run. */
static void check_late(struct t *t, const struct in_hand *late)
{
    const char *before = fingerprint(t);

    for (enum attempt what = ADVANCE; what < ATTEMPTS; what++) {
        struct err err;
        struct tx tx = stage_begin(t, &err);

        if (attempt(&tx, what, late))
            stage_commit(t);
        else
            stage_rollback(t);
        if (!str_equal(err.name, what == BEGIN ? HOLDING_GONE : HOLDING_FENCED))
            fail_msg("write %d as %s under claim %lld: %s %s", (int)what, late->ref.node,
                     (long long)late->ref.epoch, err_name(&err), err.text);
        assert_string_equal(fingerprint(t), before);
    }
}

/* The lease of who holds it is over, and a node claims it, and has not looked at it yet. */
static void claim_for(struct playing *p, const char *node)
{
    struct held_row *list;
    size_t count, found = 0;

    outside_sql(p->t, "UPDATE council_nodes SET lease_until = 1 WHERE id = '%s'", p->ref.node);
    struct tx tx = stage_begin(p->t, &p->err);

    assert_true(run_claim(&tx, node, 1000, &list, &count));
    assert_true(holding_node_renew(&tx, node, tx.now_ms + 1000000));
    stage_commit(p->t);
    while (found < count && strcmp(list[found].id, p->job) != 0)
        found++;
    assert_true(found < count);
    assert_int_equal(list[found].epoch, p->ref.epoch + 1);
    p->ref = (struct run_ref){ .job_id = p->job, .node = node, .epoch = list[found].epoch };
}

/* Node and another, or the same node both times. */
static void check_claims(struct t *t, const char *node, const char *next)
{
    struct in_hand late;
    struct playing p;

    use_tools(repeated, 1);
    play_run(t, &p, NULL);
    late = (struct in_hand){ p.ref, "none", "none" };
    claim_for(&p, node);
    check_late(t, &late);
    run_moves_on(&p);
    check_late(t, &late);
    model_calls(&p, "look", "{}", "look", "{}", NULL);
    late = (struct in_hand){ p.ref, p.step.calls[0].call_id, p.step.calls[1].call_id };
    tool_begins(&p, late.running);
    claim_for(&p, next);
    check_late(t, &late);
    run_moves_on(&p);
    check_late(t, &late);
    tool_begins(&p, late.running);
    check_late(t, &late);
    tool_begins(&p, late.queued);
    tool_ends(&p, late.running, TOOL_FINE, "One.");
    tool_ends(&p, late.queued, TOOL_FINE, "Two.");
    assert_true(p.step.ask);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    assert_int_equal(count_rows(t, "run_calls WHERE job_id = '%s' AND attempt = 2 - position", p.job), 2);
    check_replay(&p);
}

CONTRACT(run_takes_nothing_of_a_node_that_was_stopped_past_its_lease)
{
    check_claims(t, "node-b", "node-c");
}

CONTRACT(run_takes_nothing_under_an_earlier_claim_of_the_same_node)
{
    check_claims(t, "node-a", "node-a");
}

struct beside {
    struct in_hand late;
    enum attempt what;
    struct err err;
};

static void *write_beside(void *user)
{
    ARENA_AUTO arena = { 0 };
    struct db *db = one_more_connection();
    struct beside *beside = user;
    struct tx tx = tx_of(db, &arena, clock_now_ms(), &beside->err);

    if (db_begin(db, true, &beside->err)) {
        if (attempt(&tx, beside->what, &beside->late))
            (void)!db_commit(db, &beside->err);
        else
            db_rollback(db);
    }
    db_close(db);
    return NULL;
}

/* The node has seen its own claim, and is claimed from before it has written; on SQLite nobody is between. */
static void check_overtaken(struct playing *p, enum attempt what, const char *call_id)
{
    struct beside beside = { .late = { p->ref, call_id, call_id }, .what = what };
    const char *before = fingerprint(p->t);
    pthread_t other;

    outside_sql(p->t, "BEGIN");
    outside_sql(p->t, "UPDATE runs SET epoch = epoch + 1 WHERE job_id = '%s'", p->job);
    assert_int_equal(pthread_create(&other, NULL, write_beside, &beside), 0);
    until_so_many_wait_for_locks(p->t, 1);
    outside_sql(p->t, "COMMIT");
    pthread_join(other, NULL);
    if (!str_equal(beside.err.name, HOLDING_FENCED))
        fail_msg("write %d: %s %s", (int)what, err_name(&beside.err), beside.err.text);
    outside_sql(p->t, "UPDATE runs SET epoch = epoch - 1 WHERE job_id = '%s'", p->job);
    assert_string_equal(fingerprint(p->t), before);
}

CONTRACT(run_takes_no_step_of_a_node_from_which_it_is_claimed_meanwhile)
{
    struct playing p;

    if (t->engine != DB_POSTGRES)
        return;
    use_tools(repeated, 1);
    play_run(t, &p, NULL);
    check_overtaken(&p, ADVANCE, NULL);
    check_overtaken(&p, REPLY, NULL);
    check_overtaken(&p, FAIL, NULL);
    model_calls(&p, "look", "{}", NULL);
    tool_begins(&p, p.step.calls[0].call_id);
    check_overtaken(&p, END, p.step.calls[0].call_id);
}

static void let_go(struct playing *p, const struct run_ref *ref)
{
    struct tx tx = stage_begin(p->t, &p->err);

    assert_true(run_let_go(&tx, ref));
    stage_commit(p->t);
}

CONTRACT(run_is_let_go_of_only_under_the_claim_that_holds_it)
{
    struct playing p;

    play_run(t, &p, NULL);
    let_go(&p, &(struct run_ref){ .job_id = p.job, .node = "node-b", .epoch = p.ref.epoch });
    let_go(&p, &(struct run_ref){ .job_id = p.job, .node = p.ref.node, .epoch = p.ref.epoch - 1 });
    assert_false(run_wants(&p));
    let_go(&p, &p.ref);
    assert_true(run_wants(&p));
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask);
    /* One that waits is nobody's already, and stays as it is. */
    model_calls(&p, "ask_question",
                "{\"question\":\"Which way?\",\"type\":\"blocking\",\"responseType\":\"text\"}", NULL);
    assert_true(p.step.over);
    let_go(&p, &p.ref);
    assert_false(run_wants(&p));
    check_replay(&p);
}
