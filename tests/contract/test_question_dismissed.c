/*
 * What becomes of a task whose questions are dismissed: where an orchestrator takes whatever is open, that is
 * no go-ahead. And of questions whose task is closed: they end with it.
 */
#include "core/work/task.h"
#include "project_steps.h"

#define ASKS "{\"status\": \"failed\", \"open_questions\": [{\"id\": \"q1\", \"text\": \"Which database?\"}]}"
#define ASKS_OTHER \
    "{\"status\": \"failed\", \"open_questions\": [{\"id\": \"q1\", \"text\": \"Which colour?\"}]}"

static const char *make_orchestrated(struct t *t)
{
    const char *project = make_project(t);

    call(t, "project_update", "{s:s, s:{s:b}}", "id", project, "orchestrator", "on", 1);
    CHECK_STATUS(200);
    return project;
}

/* The set that a coder leaves about a task. */
static const char *ask(struct t *t, const char *project, const char *task, const char *result)
{
    hand_in(t, project, "coder", task, result);
    CHECK_STATUS(201);
    return text_at(t, "notificationId");
}

static void dismiss(struct t *t, const char *project, const char *set)
{
    call(t, "open_question_resolve", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_STATUS(200);
    CHECK_TEXT("outcome.source", "cancelled");
}

static void check_task(struct t *t, const char *project, const char *task, const char *status,
                       const char *reason)
{
    get_task(t, project, task);
    CHECK_TEXT("status", status);
    CHECK_TEXT("block_reason", reason);
}

CONTRACT(dismissal_is_no_go_ahead_where_an_orchestrator_is_on)
{
    static const char *const ways[] = { "open_question_resolve", "open_question_dismiss",
                                        "open_question_clear" };

    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");
        const char *set = ask(t, project, task, ASKS);

        if (i < 2)
            call(t, ways[i], "{s:s, s:s}", "id", project, "nid", set);
        else
            call(t, ways[i], "{s:s}", "id", project);
        CHECK_STATUS(200);
        check_task(t, project, task, "blocked", BLOCKED_BY_DISMISSAL);
        CHECK_NULL("assignee");
        assert_string_equal(ready(t, project), "");
        json_t *told = last_event(t, project, "task.updated");

        assert_string_equal(json_string_value(json_object_get(told, "block_reason")), BLOCKED_BY_DISMISSAL);
        json_decref(told);
        /* Somebody opens it by hand. */
        assert_int_equal(set_status(t, project, task, "open"), 200);
        check_task(t, project, task, "open", NULL);
        assert_string_equal(ready(t, project), "Build it");
    }
}

CONTRACT(last_word_about_a_task_says_whether_it_goes_on)
{
    const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");
    const char *first = ask(t, project, task, ASKS), *second = ask(t, project, task, ASKS_OTHER);

    dismiss(t, project, first);
    check_task(t, project, task, "blocked", BLOCKED_BY_QUESTION);
    answer_one(t, project, second, "q1", "Blue.");
    check_task(t, project, task, "open", NULL);
    first = ask(t, project, task, ASKS);
    second = ask(t, project, task, ASKS_OTHER);
    answer_one(t, project, first, "q1", "SQLite.");
    check_task(t, project, task, "blocked", BLOCKED_BY_QUESTION);
    dismiss(t, project, second);
    check_task(t, project, task, "blocked", BLOCKED_BY_DISMISSAL);
}

/* What is shown of a set says how its task stands, also in the reply to what has changed that. */
CONTRACT(set_names_its_task_and_says_how_that_stands)
{
    const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");
    const char *other = make_task(t, project, "Paint it"), *set = ask(t, project, task, ASKS);

    ask(t, project, other, ASKS);
    call(t, "feedback_create", "{s:s, s:s}", "id", project, "text", "Too slow");
    CHECK_STATUS(201);
    hand_in(t, project, "analyst", text_at(t, "id"), ASKS);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 3);
    CHECK_NULL("notifications.0.task");
    CHECK_TEXT("notifications.1.task.id", other);
    CHECK_TEXT("notifications.1.task.title", "Paint it");
    CHECK_TEXT("notifications.2.task.title", "Build it");
    CHECK_TEXT("notifications.2.task.status", "blocked");
    CHECK_TEXT("notifications.2.task.blockReason", BLOCKED_BY_QUESTION);
    call(t, "open_question_resolve", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_TEXT("task.status", "blocked");
    CHECK_TEXT("task.blockReason", BLOCKED_BY_DISMISSAL);
    assert_int_equal(set_status(t, project, task, "open"), 200);
    call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_TEXT("task.status", "open");
    CHECK_NULL("task.blockReason");
}

/* In the inbox, several that say the same are told apart; so are the calls that somebody is to allow. */
CONTRACT(inbox_names_the_task_of_what_waits)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *other = make_task(t, project, "Paint it"), *job;

    ask(t, project, task, ASKS);
    ask(t, project, other, ASKS);
    call(t, "job_create", "{s:s, s:s, s:s, s:s}", "kind", "build", "agent", "coder", "projectId", project,
         "taskId", other);
    CHECK_STATUS(201);
    job = text_at(t, "id");
    call(t, "question_ask", "{s:s, s:s, s:s, s:s}", "id", job, "question", "May coder call touch_here?",
         "type", "approval", "responseType", "approval");
    CHECK_STATUS(201);
    const char *question = text_at(t, "questionId");

    call(t, "question_create", "{s:s, s:s, s:s}", "question", "Which?", "type", "blocking", "responseType",
         "text");
    CHECK_STATUS(201);
    const char *alone = text_at(t, "questionId");

    call(t, "inbox_list", "{s:s}", "sort", "created");
    CHECK_COUNT("items", 4);
    CHECK_TEXT("items.0.task", "Build it");
    CHECK_TEXT("items.1.task", "Paint it");
    CHECK_TEXT("items.2.task", "Paint it");
    CHECK_NULL("items.3.task");
    call(t, "inbox_list", "{}");
    for (int i = 0; i < 4; i++)
        if (strcmp(text_at(t, arena_format(&t->arena, "items.%d.type", i)), "approval") == 0)
            CHECK_TEXT(arena_format(&t->arena, "items.%d.task", i), "Paint it");
    call(t, "question_get", "{s:s}", "id", question);
    CHECK_TEXT("taskId", other);
    CHECK_TEXT("taskTitle", "Paint it");
    call(t, "question_get", "{s:s}", "id", alone);
    CHECK_NULL("taskId");
    CHECK_NULL("taskTitle");
}

/* It is somebody's word, and says of nothing what should be done; with words, or as a yes, it does. */
CONTRACT(plain_no_begins_nothing_again_where_an_orchestrator_is_on)
{
    const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");

    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", ask(t, project, task, ASKS),
         "approved", 0);
    CHECK_STATUS(200);
    CHECK_TEXT("outcome.source", "human");
    check_task(t, project, task, "blocked",
               "Its question was answered with no; open the task to have it worked on");
    set_status(t, project, task, "open");
    CHECK_STATUS(200);
    call(t, "open_question_resolve", "{s:s, s:s, s:b, s:[{s:s, s:s}]}", "id", project, "nid",
         ask(t, project, task, ASKS), "approved", 0, "responses", "questionId", "q1", "answer",
         "Not in red.");
    CHECK_STATUS(200);
    check_task(t, project, task, "open", NULL);
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", ask(t, project, task, ASKS),
         "approved", 1);
    CHECK_STATUS(200);
    check_task(t, project, task, "open", NULL);
}

/* Nothing is begun again by it: whoever has the task goes on. */
CONTRACT(task_that_somebody_has_goes_on_after_a_dismissal)
{
    const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Ada");
    hand_in(t, project, "reviewer", task, ASKS);
    CHECK_STATUS(201);
    const char *set = text_at(t, "notificationId");

    check_task(t, project, task, "blocked", BLOCKED_BY_QUESTION);
    dismiss(t, project, set);
    check_task(t, project, task, "in_progress", NULL);
    CHECK_TEXT("assignee", "Ada");
}

/* What had blocked it before the question did goes on doing so. */
CONTRACT(own_reason_of_a_task_outlives_a_dismissal)
{
    const char *project = make_orchestrated(t), *task = make_task(t, project, "Build it");

    call(t, "task_update", "{s:s, s:s, s:s, s:s}", "id", project, "tid", task, "status", "blocked",
         "block_reason", "Waits for the supplier");
    dismiss(t, project, ask(t, project, task, ASKS));
    check_task(t, project, task, "blocked", "Waits for the supplier");
}

/* Closing. */

static size_t count_open(struct t *t, const char *project)
{
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_STATUS(200);
    return json_array_size(json_object_get(t->reply, "notifications"));
}

CONTRACT(closing_a_task_by_hand_ends_its_questions)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *other = make_task(t, project, "Paint it");
    const char *sets[2] = { ask(t, project, task, ASKS), ask(t, project, task, ASKS_OTHER) };

    ask(t, project, other, ASKS);
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 3);
    assert_int_equal(set_status(t, project, task, "closed"), 200);
    CHECK_TEXT("status", "closed");
    CHECK_NULL("block_reason");
    const char *told = types_of_events(t, project);
    const char *ends = "notification.resolved notification.resolved task.updated";

    assert_string_equal(told + strlen(told) - strlen(ends), ends);
    for (size_t i = 0; i < 2; i++) {
        call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", sets[i]);
        CHECK_TEXT("status", "resolved");
        CHECK_FALSE("approved");
        CHECK_COUNT("responses", 0);
        CHECK_TEXT("outcome.source", "cancelled");
        CHECK_TEXT("outcome.by", "owner");
    }
    /* That of another task stays. */
    assert_int_equal(count_open(t, project), 1);
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 1);
    check_task(t, project, other, "blocked", BLOCKED_BY_QUESTION);
    /* Nothing keeps it from being opened again. */
    assert_int_equal(set_status(t, project, task, "open"), 200);
}

/* What is refused ends nothing. */
CONTRACT(agent_that_may_not_close_a_task_ends_none_of_its_questions)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    ask(t, project, task, ASKS);
    t->as = t->agent;
    assert_int_equal(set_status(t, project, task, "closed"), 409);
    t->as = t->owner;
    assert_int_equal(count_open(t, project), 1);
    check_task(t, project, task, "blocked", BLOCKED_BY_QUESTION);
}

/* A coder's own success only tells of them. Nor does it close a task to say so of one that is closed. */
CONTRACT(question_of_a_coder_that_closed_its_task_stays_open)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *set;

    set = ask(t, project, task,
              "{\"status\": \"success\", \"summary\": \"Done\", \"open_questions\": [{\"id\": \"q1\", "
              "\"text\": \"Also in blue?\"}]}");
    hand_in(t, project, "coder", task, "{\"status\": \"success\", \"summary\": \"Done.\"}");
    CHECK_TEXT("task.status", "closed");
    assert_int_equal(set_status(t, project, task, "closed"), 200);
    assert_int_equal(count_open(t, project), 1);
    CHECK_TEXT("notifications.0.task.status", "closed");
    answer_one(t, project, set, "q1", "Yes.");
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("task.status", "closed");
    check_task(t, project, task, "closed", NULL);
    call(t, "task_chat_list", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("messages", 1);
}
