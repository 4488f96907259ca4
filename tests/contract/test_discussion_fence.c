/*
 * Who may write to a discussion that is driven: only whoever has claimed it last, under that claim. A node's
 * own earlier claim is not that one, although the node is the same. And what is told when it is stopped and
 * goes on, by which drivers and readers know.
 */
#include "council.h"

#include "base/str.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

/* The writes of a driver. */
enum attempt { ADVANCE, BEGIN, PARTIAL, FINISH, FAIL, FAIL_PLAINLY, ATTEMPTS };

static bool attempt(const struct tx *tx, enum attempt what, const struct turn_ref *ref)
{
    const struct turn_reply reply = { .text = "Too late." };
    struct drive_failure failure = { .discussion_id = ref->discussion_id,
                                     .node = ref->node,
                                     .epoch = ref->epoch,
                                     .reason = "Too late.",
                                     .plainly = what == FAIL_PLAINLY };
    struct drive_step step;
    struct turn_call call;

    switch (what) {
    case ADVANCE: return drive_advance(tx, ref->node, ref->epoch, ref->discussion_id, &step);
    case BEGIN: return drive_begin(tx, ref, &call);
    case PARTIAL: return drive_partial(tx, ref, "Too l");
    case FINISH: return drive_finish(tx, ref, &reply, &step);
    case FAIL:
    case FAIL_PLAINLY: return drive_fail(tx, &failure);
    case ATTEMPTS: break;
    }
    return true;
}

/* Committed, had it been taken: what it has written would be seen. */
static void check_fenced(struct t *t, const struct turn_ref *ref)
{
    const char *before = fingerprint(t);

    for (enum attempt what = ADVANCE; what < ATTEMPTS; what++) {
        struct err err;
        struct tx tx = stage_begin(t, &err);

        if (attempt(&tx, what, ref))
            stage_commit(t);
        else
            stage_rollback(t);
        if (!str_equal(err.name, HOLDING_FENCED))
            fail_msg("write %d as %s under claim %lld: %s %s", (int)what, ref->node, (long long)ref->epoch,
                     err_name(&err), err.text);
        assert_string_equal(fingerprint(t), before);
    }
}

static void leave(struct t *t, const char *node)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);

    assert_true(holding_node_leave(&tx, node));
    stage_commit(t);
}

CONTRACT(discussion_takes_no_write_under_an_earlier_claim_of_the_same_node)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct turn_call made = stage_half_said(t, "Half");
    struct held_row claimed;
    struct drive_step step;
    struct err err;

    leave(t, made.ref.node);
    claimed = stage_claim(t, made.ref.node);
    assert_int_equal(claimed.epoch, made.ref.epoch + 1);
    check_fenced(t, &made.ref);
    step = stage_advance(t, made.ref.node, &claimed);
    check_fenced(t, &made.ref);
    made = stage_call(t, &step.calls[0].ref);
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_finish(&tx, &made.ref, &(struct turn_reply){ .text = "Whole." }, &step));
    stage_commit(t);
    show_discussion(t, id);
    CHECK_COUNT("entries", 1);
    CHECK_TEXT("entries.0.content", "Whole.");
}

CONTRACT(discussion_takes_no_write_of_a_node_that_does_not_drive_it)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct turn_call made = stage_half_said(t, "Half");
    struct turn_ref other = made.ref;

    other.node = "another";
    check_fenced(t, &other);
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
}

static int64_t told(struct t *t, const char *id, const char *type)
{
    return count_rows(t,
                      "events WHERE discussion_id = '%s' AND subject = '%s' AND type = '%s'"
                      " AND data LIKE '{\"discussionId\":\"%s\",\"by\":\"_%%\"}'",
                      id, id, type, id);
}

CONTRACT(discussion_that_is_paused_and_resumed_says_so_once_each_time)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    for (int times = 1; times <= 2; times++) {
        call(t, "discussion_pause", "{s:s}", "id", id);
        CHECK_STATUS(200);
        call(t, "discussion_pause", "{s:s}", "id", id);
        CHECK_STATUS(200);
        assert_int_equal(told(t, id, "discussion.paused"), times);
        assert_int_equal(told(t, id, "discussion.resumed"), times - 1);
        call(t, "discussion_resume", "{s:s}", "id", id);
        CHECK_STATUS(200);
        call(t, "discussion_resume", "{s:s}", "id", id);
        CHECK_STATUS(200);
        assert_int_equal(told(t, id, "discussion.resumed"), times);
    }
    call(t, "discussion_cancel", "{s:s}", "id", id);
}
