/*
 * Stored data that no operation would have taken: by another program, by an earlier version, by hand. The
 * machine never fails on it for good. What cannot be begun or kept is a pass with the reason; a discussion
 * that cannot be moved on has failed, with the reason.
 */
#include "council.h"

#include "base/limits.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static struct drive_failure failure_of(const struct held_row *claimed, const char *reason)
{
    return (struct drive_failure){
        .discussion_id = claimed->id, .node = "stage", .epoch = claimed->epoch, .reason = reason
    };
}

/* Begins a turn that cannot be, as a driver would, and passes it with the reason. */
static struct drive_step pass_refused(struct t *t, const struct turn_ref *ref, enum err_code wanted)
{
    struct drive_step step;
    struct turn_call call;
    struct err err, why;
    struct tx tx = stage_begin(t, &err);

    assert_false(drive_begin(&tx, ref, &call));
    stage_rollback(t);
    assert_int_equal(err.code, wanted);
    assert_true(holding_is_hopeless(&err));
    why = err;
    tx = stage_begin(t, &err);
    assert_true(
        drive_finish(&tx, ref,
                     &(struct turn_reply){
                         .text = "", .failed = true, .permanent = true, .unasked = true, .error = why.text },
                     &step));
    stage_commit(t);
    return step;
}

static void plant_wording(struct t *t, const char *text)
{
    outside_sql(t,
                "INSERT INTO wordings (workspace_id, name, text, updated_at)"
                " VALUES ('%s', 'role_first', '%s', 1), ('%s', 'role_later', '%s', 1)",
                t->workspace, text, t->workspace, text);
}

CONTRACT(wording_with_a_placeholder_that_there_is_not_makes_passes_and_then_a_failure)
{
    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada"));

    plant_wording(t, "Say something about {{topic}} in a {{mood}} mood.");
    struct held_row claimed = stage_claim(t, "stage");
    struct drive_step step = stage_advance(t, "stage", &claimed);

    step = pass_refused(t, &step.calls[0].ref, ERR_INVALID);
    assert_true(step.over);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    CHECK_INT("discussion.usage.calls", 0);
    CHECK_COUNT("entries", 1);
    CHECK_TRUE("entries.0.metadata.failed");
    CHECK_TEXT("entries.0.metadata.reason",
               "The prompt asks for {{mood}}, for which there is no value here.");
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_COUNT("differences", 0);
}

CONTRACT(wording_that_lost_its_placeholders_is_said_as_it_is)
{
    struct stage stage = { .t = t };

    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));

    plant_wording(t, "Say something.");
    play(&stage);
    assert_string_equal(stage.asked, "Say something.");
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(transcript_that_fits_into_no_request_makes_a_pass)
{
    struct stage stage = { .t = t, .most = 1 };

    if (t->door != DOOR_TABLE) /* a large text once on each engine */
        return;
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

    play(&stage);
    outside_sql(t,
                t->engine == DB_SQLITE
                    ? "UPDATE discussion_logs SET content = hex(zeroblob(%d / 2)) WHERE discussion_id = '%s'"
                    : "UPDATE discussion_logs SET content = repeat('0', %d) WHERE discussion_id = '%s'",
                (int)LIMIT_REPLY - 64, id);
    outside_sql(t, "UPDATE discussion_state SET driver = NULL WHERE discussion_id = '%s'", id);
    struct held_row claimed = stage_claim(t, "stage");
    struct drive_step step = stage_advance(t, "stage", &claimed);

    step = pass_refused(t, &step.calls[0].ref, ERR_TOO_LARGE);
    assert_true(step.over);
    assert_int_equal(
        count_rows(t, "discussion_state WHERE discussion_id = '%s' AND status = 'completed'", id), 1);
    assert_int_equal(count_rows(t,
                                "discussion_logs WHERE discussion_id = '%s' AND manner = 'passed'"
                                " AND content = 'The prompt is too long.'",
                                id),
                     1);
    outside_sql(t, "DELETE FROM discussion_state WHERE discussion_id = '%s'", id);
}

CONTRACT(model_config_that_is_none_and_a_seat_without_its_agent_hold_nothing_up)
{
    static const char *const configs[] = { "[]", "\"gone\"", "{\"provider\": 7}", "{\"stop\": {}}" };

    make_agent(t, "Ada", "specialist");
    const char *bob = make_agent(t, "Bob", "specialist");

    for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
        const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

        outside_sql(t, "UPDATE agent_templates SET ai_model_config = '%s' WHERE id = '%s'", configs[i], bob);
        outside_sql(
            t,
            "UPDATE discussion_participants SET agent_id = NULL WHERE discussion_id = '%s' AND name = 'Ada'",
            id);
        PLAY(t, { "", "", NULL, false });
        show_discussion(t, id);
        CHECK_TEXT("discussion.status", "completed");
        CHECK_TRUE("entries.0.metadata.skipped");
        CHECK_TEXT("entries.1.content", "Bob speaks.");
        outside_sql(t, "UPDATE agent_templates SET ai_model_config = NULL WHERE id = '%s'", bob);
    }
}

/* A turn that is out, and a row of another program where its reply belongs. */
static struct turn_call taken_place(struct t *t, struct held_row *claimed)
{
    *claimed = stage_claim(t, "stage");
    struct drive_step step = stage_advance(t, "stage", claimed);
    struct turn_call made = stage_call(t, &step.calls[0].ref);

    outside_sql(
        t,
        "INSERT INTO discussion_logs (id, workspace_id, discussion_id, seq, kind, speaker, content,"
        " turn_index, round_number) VALUES ('row-%s', '%s', '%s', 1, 'turn', 'Somebody', 'Mine.', 0, 1)",
        made.ref.turn_id, t->workspace, claimed->id);
    return made;
}

static void refuse_finish(struct t *t, const struct turn_ref *ref, bool failed)
{
    struct drive_step step;
    struct err err;
    struct tx tx = stage_begin(t, &err);

    assert_false(drive_finish(
        &tx, ref,
        &(struct turn_reply){ .text = "Words.", .failed = failed, .permanent = failed, .error = "Refused." },
        &step));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_true(holding_is_hopeless(&err));
    stage_rollback(t);
}

CONTRACT(turn_whose_place_in_the_log_is_taken_ends_its_discussion_as_failed)
{
    struct held_row claimed;
    struct err err;

    make_agent(t, "Ada", "specialist");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct turn_call made = taken_place(t, &claimed);
    struct drive_failure failure = failure_of(&claimed, "Its place is \"taken\".");

    refuse_finish(t, &made.ref, false);
    refuse_finish(t, &made.ref, true);
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_fail(&tx, &failure));
    stage_commit(t);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    CHECK_TEXT("discussion.endReason", "failed");
    CHECK_TEXT("result.failure.reason", "Its place is \"taken\".");
    CHECK_INT("discussion.usage.calls", 1);
    CHECK_COUNT("entries", 1);
    assert_int_equal(count_rows(t, "discussion_turns WHERE discussion_id = '%s'", id), 0);
    assert_int_equal(count_rows(t, "events WHERE discussion_id = '%s' AND type = 'discussion.ended'", id), 1);
    call(t, "discussion_replay", "{s:s}", "id", id);
    CHECK_COUNT("differences", 1); /* who does not sit there */
    assert_non_null(strstr(text_at(t, "differences.0"), "Somebody"));
    tx = stage_begin(t, &err);
    assert_false(drive_fail(&tx, &failure));
    assert_string_equal(err.name, HOLDING_FENCED);
    stage_rollback(t);
}

static const char *make_task(struct t *t, const char **project)
{
    call(t, "project_create", "{s:s}", "name", "Shop");
    *project = text_at(t, "id");
    call(t, "task_create", "{s:s, s:s}", "id", *project, "title", "Decide");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

/* Nobody can write to this task any more. */
static void refuse_task(struct t *t, const char *task)
{
    if (t->engine == DB_SQLITE) {
        outside_sql(t,
                    "CREATE TRIGGER planted BEFORE UPDATE ON tasks WHEN OLD.id = '%s'"
                    " BEGIN SELECT RAISE(ABORT, 'planted'); END",
                    task);
        return;
    }
    outside_sql(t, "CREATE FUNCTION planted() RETURNS TRIGGER LANGUAGE plpgsql AS"
                   " 'BEGIN RAISE EXCEPTION ''planted''; END'");
    outside_sql(t,
                "CREATE TRIGGER planted BEFORE UPDATE ON tasks FOR EACH ROW WHEN (OLD.id = '%s')"
                " EXECUTE FUNCTION planted()",
                task);
}

/* Its task refuses the result: the discussion ends by its own row, and its parent, which waits, goes on. */
CONTRACT(discussion_that_cannot_even_fail_in_order_fails_plainly)
{
    const char *project, *task = make_task(t, &project);
    struct drive_step step;
    struct err err;

    make_agent(t, "Ada", "specialist");
    call(t, "discussion_create", "{s:s, s:s, s:s, s:[{s:s}]}", "topic", "Above", "mode", "turns", "projectId",
         project, "participants", "role", "user");
    const char *parent = text_at(t, "discussion.id");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:s, s:s, s:[{s:s}]}", "topic", "Below", "mode",
         "rounds", "rounds", 1, "projectId", project, "taskId", task, "parentId", parent, "participants",
         "agentName", "Ada");
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    say(t, parent, "Begin.");
    outside_sql(
        t, "UPDATE discussion_state SET phase = 'delegating', wants_drive = 0 WHERE discussion_id = '%s'",
        parent);
    refuse_task(t, task);
    struct held_row claimed = stage_claim(t, "stage");
    struct drive_failure failure = failure_of(&claimed, "No reason.");
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_advance(&tx, "stage", claimed.epoch, claimed.id, &step));
    stage_commit(t);
    tx = stage_begin(t, &err);
    assert_false(drive_fail(&tx, &failure));
    assert_int_equal(err.code, ERR_INVALID);
    stage_rollback(t);
    failure.plainly = true;
    tx = stage_begin(t, &err);
    assert_true(drive_fail(&tx, &failure));
    stage_commit(t);
    outside_sql(t, t->engine == DB_SQLITE ? "DROP TRIGGER planted" : "DROP FUNCTION planted() CASCADE");
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    CHECK_TEXT("result.failure.reason", "No reason.");
    assert_int_equal(count_rows(t, "discussion_turns WHERE discussion_id = '%s'", id), 0);
    assert_int_equal(count_rows(t, "events WHERE discussion_id = '%s' AND type = 'discussion.ended'", id), 1);
    assert_int_equal(count_rows(t, "discussion_state WHERE discussion_id = '%s' AND wants_drive = 1", parent),
                     1);
    call(t, "discussion_cancel", "{s:s}", "id", parent);
    CHECK_STATUS(200);
}
