/*
 * A project's orchestrator, with the operator's command as its coder, whose part the tests play: what it
 * takes, and what becomes of a task however the coder ends. Every end is a closed task or a question.
 */
#include "base/settings.h"
#include "core/runs/orchestrate.h"
#include "council.h"
#include "project_steps.h"
#include "questions.h"

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
    bool done =
        output_read(&t->arena, printed, strlen(printed), &(struct output_options){ .coder = true }, &output,
                    err) &&
        orchestrate_end(
            &tx, ref,
            &(struct take_end){
                .output = &output, .broke = broke, .how = "It ended.", .printed = printed, .errors = "" });

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

/* How the newest job of a task has ended. */
static void check_coding(struct t *t, const char *task, const char *status, const char *error)
{
    call(t, "job_list", "{s:s}", "taskId", task);
    CHECK_STATUS(200);
    CHECK_TEXT("jobs.0.status", status);
    if (error && !strstr(text_at(t, "jobs.0.error"), error))
        fail_msg("%s", text_at(t, "jobs.0.error"));
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
        { "{\"status\": \"odd\", \"open_questions\": [{\"id\": \"q1\"}]}", NULL,
          "Question 1 has no text and was left out. The status `odd` is neither" },
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
        check_coding(t, task, "failed", ends[i].said);
        assert_non_null(strstr(open_question(t, project, &set), ends[i].said));
        call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "status", "closed");
        CHECK_STATUS(200);
        call(t, "open_question_clear", "{s:s}", "id", project);
    }
}

/* Nobody has said what should be done: it is not run again before somebody opens it. */
CONTRACT(dismissed_question_of_a_coder_does_not_run_it_again)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First"), *set;
    struct take_ref ref = begin_one(t, "one");
    struct held_row *list;

    end(t, &ref, "", "The coder's command failed with status 3.");
    open_question(t, project, &set);
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_STATUS(200);
    assert_int_equal(take(t, "one", &list), 0);
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    CHECK_TEXT("block_reason", BLOCKED_BY_DISMISSAL);
    assert_int_equal(set_status(t, project, task, "open"), 200);
    assert_int_equal(take(t, "one", &list), 1);
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
    check_coding(t, task, "cancelled", "The task was closed");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

/* Whoever has it now decides: a success that comes late is kept, and closes nothing. */
CONTRACT(late_success_does_not_close_the_task_of_another)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "assignee", "Bob");
    CHECK_STATUS(200);
    end(t, &ref, "{\"status\": \"success\", \"summary\": \"Painted.\"}", NULL);
    get_task(t, project, task);
    CHECK_TEXT("status", "in_progress");
    CHECK_TEXT("assignee", "Bob");
    CHECK_NULL("result");
    check_coding(t, task, "cancelled",
                 "given to Bob while its coder worked on it. What it handed in is kept");
    CHECK_TEXT("jobs.0.result.summary", "Painted.");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 0);
}

CONTRACT(command_of_a_task_that_was_taken_away_is_called_off_and_has_its_room_until_it_ended)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    struct held_row *list;

    make_task(t, project, "Second");
    set_status(t, project, task, "closed");
    assert_int_equal(take(t, "one", &list), 0);
    check_coding(t, task, "cancelled", "The task was closed while its coder worked on it.");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 1);
    /* Opened again it is not taken twice. */
    outside_sql(t, "UPDATE projects SET orchestrator_parallel = 3 WHERE id = '%s'", project);
    outside_sql(t, "UPDATE tasks SET status = 'open', assignee = NULL WHERE id = '%s'", task);
    assert_int_equal(take(t, "one", &list), 1);
    assert_string_equal(ready(t, project), "First");
    end(t, &ref, "", "It was ended.");
    assert_int_equal(take(t, "one", &list), 1);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

CONTRACT(command_whose_task_waits_for_answers_is_still_the_coders)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    struct held_row *list;

    outside_sql(t, "UPDATE tasks SET status = 'blocked', block_reason = 'Open Question' WHERE id = '%s'",
                task);
    assert_int_equal(take(t, "one", &list), 0);
    check_coding(t, task, "running", NULL);
    end(t, &ref, "", "It was ended.");
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    CHECK_NULL("assignee");
}

/* Its node died before it heard of that. */
CONTRACT(take_of_a_task_that_was_taken_away_ends_with_its_node)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct held_row *list;
    struct err err;

    begin_one(t, "one");
    set_status(t, project, task, "closed");
    struct tx tx = stage_begin(t, &err);

    assert_true(holding_node_leave(&tx, "one"));
    stage_commit(t);
    assert_int_equal(take(t, "two", &list), 1);
    struct take_ref ref = ref_of("two", &list[0]);

    assert_true(write_take(t, orchestrate_open, &ref).over);
    check_coding(t, task, "cancelled", "The task was closed");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 0);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

CONTRACT(log_of_a_coders_job_tells_what_it_printed)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    end(t, &ref, "I did it all, trust me", NULL);
    check_coding(t, task, "failed", "The coder's result could not be taken");
    const char *job = text_at(t, "jobs.0.id");

    assert_int_equal(count_rows(t, "job_logs WHERE job_id = '%s' AND message = 'It ended.'", job), 1);
    assert_int_equal(
        count_rows(t,
                   "job_logs WHERE job_id = '%s' AND message = 'The command printed: I did it all, trust me'",
                   job),
        1);
    call(t, "run_trace", "{s:s}", "id", job);
    CHECK_STATUS(404);
    assert_non_null(strstr(text_at(t, "error"), "one of the kind \"coder\""));
}

CONTRACT(what_a_coder_printed_is_cut_to_what_a_line_of_the_log_may_be)
{
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    const char *printed = arena_format(
        &t->arena, "%0300d\xc3\xa9%0230d {\"status\": \"success\", \"summary\": \"Done.\"}", 0, 0);

    own->limits_message = 256;
    settings_use(own);
    end(t, &ref, printed, NULL);
    settings_use(before);
    check_coding(t, task, "completed", NULL);
    assert_int_equal(count_rows(t, "job_logs WHERE job_id = '%s' AND message LIKE 'The command printed: %%}'",
                                text_at(t, "jobs.0.id")),
                     1);
}

/* Nobody heard that it is stored that the command begins, and so it is said again. */
CONTRACT(command_that_is_begun_in_doubt_has_one_job)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    const char *job = arena_text(&t->arena, write_take(t, orchestrate_begin, &ref).job_id);

    call(t, "job_list", "{s:s}", "taskId", task);
    CHECK_COUNT("jobs", 1);
    CHECK_TEXT("jobs.0.id", job);
    end(t, &ref, "{\"status\": \"success\", \"summary\": \"Done.\"}", NULL);
    check_coding(t, task, "completed", NULL);
}

CONTRACT(command_that_is_not_wanted_when_its_beginning_is_in_doubt_leaves_no_job_open)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");

    outside_sql(t, "UPDATE projects SET orchestrator_on = 0 WHERE id = '%s'", project);
    assert_true(write_take(t, orchestrate_begin, &ref).over);
    check_coding(t, task, "cancelled", "Nobody wanted it any more");
    assert_int_equal(count_rows(t, "coder_takes WHERE task_id = '%s'", task), 0);
    call(t, "task_get", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_TEXT("status", "open");
}

/* The coder's command asks people in its own job, as it may: that keeps nobody from ending what it does. */
CONTRACT(job_in_which_somebody_is_asked_ends_with_its_coder)
{
    const char *project = make_orchestrated(t, 3);
    const char *closed = make_task(t, project, "Closed"), *deleted, *done, *job[3];
    const char *question[3];
    struct take_ref ref[3];
    struct held_row *list;

    ref[0] = begin_one(t, "one");
    deleted = make_task(t, project, "Deleted");
    ref[1] = begin_one(t, "one");
    done = make_task(t, project, "Done");
    ref[2] = begin_one(t, "one");
    for (int i = 0; i < 3; i++) {
        call(t, "job_list", "{s:s}", "taskId", i == 0 ? closed : i == 1 ? deleted : done);
        job[i] = text_at(t, "jobs.0.id");
        question[i] = ask_text(t, job[i]);
    }
    set_status(t, project, closed, "closed");
    assert_int_equal(take(t, "one", &list), 0);
    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", deleted);
    CHECK_STATUS(204);
    end(t, &ref[2], "{\"status\": \"success\", \"summary\": \"Painted.\"}", NULL);
    for (int i = 0; i < 3; i++) {
        call(t, "job_get", "{s:s}", "id", job[i]);
        CHECK_TEXT("status", i < 2 ? "cancelled" : "completed");
        show(t, question[i]);
        CHECK_TEXT("question.status", "cancelled");
    }
    get_task(t, project, done);
    CHECK_TEXT("status", "closed");
    end(t, &ref[0], "", "It was ended.");
    assert_int_equal(count_rows(t, "coder_takes WHERE project_id = '%s'", project), 0);
}

/* Its command may run for a moment yet, and nothing takes its place before. */
CONTRACT(task_that_is_deleted_takes_its_take_along_and_ends_its_job)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");
    struct take_ref ref = begin_one(t, "one");
    struct held_row *list;
    struct err err;

    make_task(t, project, "Second");
    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_STATUS(204);
    assert_false(try_end(t, &ref, "{\"status\": \"success\", \"summary\": \"Done.\"}", NULL, &err));
    assert_true(holding_is_late(&err));
    call(t, "job_list", "{s:s}", "projectId", project);
    CHECK_TEXT("jobs.0.status", "cancelled");
    CHECK_TEXT("jobs.0.error", "The task was deleted while its coder worked on it.");
    assert_int_equal(take(t, "one", &list), 0);
    outside_sql(t, "UPDATE jobs SET ended_at = ended_at - 6000 WHERE project_id = '%s'", project);
    assert_int_equal(take(t, "one", &list), 1);
}

CONTRACT(project_that_is_deleted_ends_what_its_coders_do)
{
    const char *project = make_orchestrated(t, 1), *task = make_task(t, project, "First");

    begin_one(t, "one");
    call(t, "job_list", "{s:s}", "taskId", task);
    const char *job = text_at(t, "jobs.0.id");

    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    call(t, "job_get", "{s:s}", "id", job);
    CHECK_TEXT("status", "cancelled");
}
