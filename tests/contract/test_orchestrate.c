/*
 * A project's orchestrator, with the operator's command as its coder, whose part the tests play: what it
 * takes, and what becomes of a task however the coder ends. Every end is a closed task or a question.
 */
#include "core/runs/orchestrate.h"
#include "council.h"
#include "project_steps.h"

static const char *make_orchestrated(struct t *t, int parallel)
{
    const char *project = make_project(t);

    outside_sql(t,
                "UPDATE projects SET orchestrator_on = 1, orchestrator_parallel = %d, "
                "orchestrator_coder = 'command' WHERE id = '%s'",
                parallel, project);
    return project;
}

/* Takes whatever is ready; gives what this node claimed of this case. */
static size_t take(struct t *t, const char *node, struct held_row **list)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    size_t count = 0, own = 0;

    if (!holding_node_renew(&tx, node, tx.now_ms + HOLDING_LEASE_MS) ||
        !orchestrate_claim(&tx, node, 100, list, &count))
        fail_msg("%s", err.text);
    stage_commit(t);
    for (size_t i = 0; i < count; i++)
        if (count_rows(t, "coder_takes WHERE id = '%s' AND workspace_id = '%s'", (*list)[i].id,
                       t->workspace) == 1)
            (*list)[own++] = (*list)[i];
    return own;
}

static struct take_ref ref_of(const char *node, const struct held_row *row)
{
    return (struct take_ref){ .take_id = row->id, .node = node, .epoch = row->epoch };
}

typedef bool take_write(const struct tx *tx, const struct take_ref *ref, struct take_step *step);

static struct take_step write_take(struct t *t, take_write *write, const struct take_ref *ref)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    struct take_step step;

    if (!write(&tx, ref, &step))
        fail_msg("%s", err.text);
    stage_commit(t);
    return step;
}

/* The one task that is ready is taken and its command begun. */
static struct take_ref begin_one(struct t *t, const char *node)
{
    struct held_row *list;

    assert_int_equal(take(t, node, &list), 1);
    struct take_ref ref = ref_of(node, &list[0]);
    struct take_step step = write_take(t, orchestrate_open, &ref);

    assert_true(step.prepare && step.command);
    assert_non_null(strstr(step.config, "\"autonomyDescription\""));
    step = write_take(t, orchestrate_begin, &ref);
    assert_true(step.start);
    assert_non_null(step.job_id);
    return ref;
}

static bool try_end(struct t *t, const struct take_ref *ref, const char *printed, const char *broke,
                    struct err *err)
{
    struct tx tx = stage_begin(t, err);
    struct output output;
    bool done = output_read(&t->arena, printed, strlen(printed), &(struct output_options){ .coder = true },
                            &output, err) &&
                orchestrate_end(&tx, ref, &output, broke);

    if (done)
        stage_commit(t);
    else
        stage_rollback(t);
    return done;
}

static void end(struct t *t, const struct take_ref *ref, const char *printed, const char *broke)
{
    struct err err;

    if (!try_end(t, ref, printed, broke, &err))
        fail_msg("%s", err.text);
}

/* The one open question about the project, and the id of its set. */
static const char *open_question(struct t *t, const char *project, const char **set)
{
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_STATUS(200);
    CHECK_COUNT("notifications", 1);
    *set = text_at(t, "notifications.0.id");
    return text_at(t, "notifications.0.questions.0.text");
}

CONTRACT(orchestrator_takes_ready_tasks_up_to_its_limit)
{
    const char *project = make_orchestrated(t, 2);
    struct held_row *list;

    make_task(t, project, "First");
    make_task(t, project, "Second");
    make_task(t, project, "Third");
    assert_int_equal(take(t, "one", &list), 2);
    assert_string_equal(ready(t, project), "Third");
    /* Whoever looks again finds no room. */
    assert_int_equal(take(t, "two", &list), 0);
    assert_string_equal(ready(t, project), "Third");
    call(t, "orchestrator_get", "{s:s}", "id", project);
    CHECK_STATUS(200);
    CHECK_COUNT("out", 2);
    CHECK_TEXT("out.0.title", "First");
    CHECK_TEXT("out.0.state", "queued");
    CHECK_NULL("out.0.jobId");
    /* Nor when there are more out than there may be by now. */
    call(t, "project_update", "{s:s, s:{s:i}}", "id", project, "orchestrator", "parallel", 1);
    CHECK_STATUS(200);
    assert_int_equal(take(t, "two", &list), 0);
    assert_int_equal(count_rows(t,
                                "audit WHERE operation = 'task_claim' AND actor = 'Orchestrator' "
                                "AND workspace_id = '%s'",
                                t->workspace),
                     2);
}

CONTRACT(orchestrator_that_is_off_takes_nothing)
{
    const char *project = make_orchestrated(t, 2);
    struct held_row *list;

    make_task(t, project, "First");
    call(t, "project_update", "{s:s, s:{s:b}}", "id", project, "orchestrator", "on", 0);
    CHECK_STATUS(200);
    assert_int_equal(take(t, "one", &list), 0);
    assert_string_equal(ready(t, project), "First");
}

CONTRACT(task_is_given_back_when_the_orchestrator_is_switched_off_before_it_began)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct held_row *list;

    assert_int_equal(take(t, "one", &list), 1);
    struct take_ref ref = ref_of("one", &list[0]);

    call(t, "project_update", "{s:s, s:{s:b}}", "id", project, "orchestrator", "on", 0);
    assert_true(write_take(t, orchestrate_open, &ref).over);
    get_task(t, project, task);
    CHECK_TEXT("status", "open");
    CHECK_NULL("assignee");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 0);
}

CONTRACT(task_closes_when_its_coder_succeeds)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    get_task(t, project, task);
    CHECK_TEXT("assignee", "coder");
    call(t, "job_list", "{s:s}", "taskId", task);
    CHECK_TEXT("jobs.0.status", "running");
    end(t, &ref, "{\"status\": \"success\", \"summary\": \"Done.\"}", NULL);
    get_task(t, project, task);
    CHECK_TEXT("status", "closed");
    call(t, "job_list", "{s:s}", "taskId", task);
    CHECK_TEXT("jobs.0.status", "completed");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 0);
}

CONTRACT(task_waits_for_answers_and_is_taken_up_again_with_them)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First"), *set;
    struct take_ref ref = begin_one(t, "one");
    struct held_row *list;

    end(t, &ref, "{\"status\": \"failed\", \"open_questions\": [{\"id\": \"q1\", \"text\": \"Which?\"}]}",
        NULL);
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    CHECK_TEXT("block_reason", "Open Question");
    CHECK_NULL("assignee");
    assert_int_equal(take(t, "one", &list), 0);
    assert_string_equal(open_question(t, project, &set), "Which?");
    answer_one(t, project, set, "q1", "The second.");
    CHECK_STATUS(200);
    assert_int_equal(take(t, "one", &list), 1);
    ref = ref_of("one", &list[0]);
    write_take(t, orchestrate_open, &ref);
    struct take_step step = write_take(t, orchestrate_begin, &ref);

    assert_non_null(strstr(step.prompt, "The second."));
    end(t, &ref, "{\"status\": \"done\", \"summary\": \"Done.\"}", NULL);
    get_task(t, project, task);
    CHECK_TEXT("status", "closed");
}

/* However it ends that is neither success nor a question of its own, people are asked, and it is not run
 * again before they have answered. */
CONTRACT(whatever_else_a_coder_ends_with_is_asked_about)
{
    static const struct {
        const char *printed, *broke, *said;
    } ends[] = {
        { "{\"status\": \"failed\", \"summary\": \"The disk is full.\"}", NULL, "The disk is full." },
        { "I did something.", NULL, "could not be taken" },
        { "{'status': 'succ", NULL, "could not be taken" },
        { "", "The coder's command failed with status 3.", "status 3" },
        { "{\"status\": \"success\", \"summary\": \"Done.\"}", "It was ended: its time was up.",
          "time was up" },
    };
    const char *project = make_orchestrated(t, 1), *set;
    struct held_row *list;

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        const char *task = make_task(t, project, "First");
        struct take_ref ref = begin_one(t, "one");

        end(t, &ref, ends[i].printed, ends[i].broke);
        get_task(t, project, task);
        CHECK_TEXT("status", "blocked");
        CHECK_NULL("assignee");
        assert_int_equal(take(t, "one", &list), 0);
        assert_non_null(strstr(open_question(t, project, &set), ends[i].said));
        call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "status", "closed");
        CHECK_STATUS(200);
        call(t, "open_question_clear", "{s:s}", "id", project);
    }
}

CONTRACT(questions_of_a_command_that_broke_off_are_asked)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First"), *set;
    struct take_ref ref = begin_one(t, "one");

    end(t, &ref, "{\"status\": \"success\", \"summary\": \"x\", \"open_questions\": [\"Which?\"]}",
        "It was ended: its time was up.");
    assert_string_equal(open_question(t, project, &set), "Which?");
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
}

/* A success with questions only notifies; but nobody works on the task any more, so it waits for them. */
CONTRACT(task_of_a_success_with_questions_waits_for_them)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    end(t, &ref, "{\"status\": \"success\", \"summary\": \"x\", \"open_questions\": [\"Which?\"]}", NULL);
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    CHECK_TEXT("block_reason", "Open Question");
}

CONTRACT(command_that_ran_when_its_node_died_is_asked_about_and_not_run_again)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First"), *set;
    struct take_ref first = begin_one(t, "one");
    struct held_row *list;
    struct err err;
    struct tx tx = stage_begin(t, &err);

    assert_true(holding_node_leave(&tx, "one"));
    stage_commit(t);
    assert_int_equal(take(t, "two", &list), 1);
    struct take_ref ref = ref_of("two", &list[0]);

    assert_true(write_take(t, orchestrate_open, &ref).over);
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    assert_non_null(strstr(open_question(t, project, &set), "not run again"));
    call(t, "job_list", "{s:s}", "taskId", task);
    CHECK_TEXT("jobs.0.status", "failed");
    /* The node that was taken for dead comes back: what it has changes nothing. */
    assert_false(try_end(t, &first, "{\"status\": \"success\", \"summary\": \"Done.\"}", NULL, &err));
    assert_true(holding_is_late(&err));
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
}

CONTRACT(node_whose_take_was_claimed_by_another_can_end_nothing)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct held_row *list;
    struct err err;

    assert_int_equal(take(t, "one", &list), 1);
    struct take_ref first = ref_of("one", &list[0]);
    struct tx tx = stage_begin(t, &err);

    assert_true(holding_node_leave(&tx, "one"));
    stage_commit(t);
    /* It had not begun, so the next one begins it. */
    assert_int_equal(take(t, "two", &list), 1);
    tx = stage_begin(t, &err);
    struct take_step step;

    assert_false(orchestrate_begin(&tx, &first, &step));
    assert_true(holding_is_late(&err));
    stage_rollback(t);
    get_task(t, project, task);
    CHECK_TEXT("status", "in_progress");
}

CONTRACT(cancelled_coder_is_asked_about)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First"), *set;
    struct take_ref ref = begin_one(t, "one");

    call(t, "job_list", "{s:s}", "taskId", task);
    call(t, "job_cancel", "{s:s, s:s}", "id", text_at(t, "jobs.0.id"), "reason", "Wrong branch.");
    CHECK_STATUS(200);
    end(t, &ref, "{\"status\": \"success\", \"summary\": \"Done.\"}", "It was ended.");
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    assert_non_null(strstr(open_question(t, project, &set), "Wrong branch."));
}

CONTRACT(task_that_people_took_away_is_not_asked_about)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    set_status(t, project, task, "closed");
    CHECK_STATUS(200);
    end(t, &ref, "", "The coder's command failed with status 1.");
    get_task(t, project, task);
    CHECK_TEXT("status", "closed");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

CONTRACT(task_that_is_deleted_takes_its_take_along)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    struct err err;

    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_STATUS(204);
    assert_false(try_end(t, &ref, "{\"status\": \"success\", \"summary\": \"Done.\"}", NULL, &err));
    assert_true(holding_is_late(&err));
}
