#include "base/limits.h"
#include "project_steps.h"

#define ASKS \
    "{\"status\": \"failed\", \"open_questions\": [{\"id\": \"q1\", \"text\": \"Which database?\"}, " \
    "{\"id\": \"q2\", \"text\": \"Pagination?\"}]}"
#define ASKS_MORE "{\"status\": \"failed\", \"open_questions\": [{\"text\": \"Which colour?\"}]}"

/* A task that a coder has claimed and could not finish; leaves the set's id. */
static const char *stuck(struct t *t, const char *project, const char *task, const char *asks)
{
    hand_in(t, project, "coder", task, asks);
    CHECK_STATUS(201);
    CHECK_TRUE("accepted");
    return text_at(t, "notificationId");
}

static void check_task(struct t *t, const char *project, const char *task, const char *status,
                       const char *assignee)
{
    get_task(t, project, task);
    CHECK_TEXT("status", status);
    CHECK_TEXT("assignee", assignee);
    CHECK_TEXT("block_reason", strcmp(status, "blocked") == 0 ? "Open Question" : NULL);
}

CONTRACT(a_coder_asks_waits_and_goes_on)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *set;
    json_t *event;

    claim(t, project, task, "Coder");
    set = stuck(t, project, task, ASKS);
    CHECK_COUNT("questions", 2);
    CHECK_TEXT("task.status", "blocked");
    check_task(t, project, task, "blocked", NULL);
    assert_string_equal(ready(t, project), "");
    claim(t, project, task, "Coder");
    CHECK_STATUS(409);
    assert_string_equal(types_of_events(t, project),
                        "task.updated task.updated notification.added task.updated");
    event = last_event(t, project, "notification.added");
    assert_string_equal(json_string_value(json_object_get(event, "sourceId")), task);
    assert_int_equal(json_array_size(json_object_get(event, "questions")), 2);
    json_decref(event);
    call(t, "notification_list", "{}");
    CHECK_TEXT("notifications.0.kind", "open_question");
    CHECK_TEXT("notifications.0.priority", "high");
    CHECK_TEXT("notifications.0.ref.id", set);

    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("outcome.source", "human");
    check_task(t, project, task, "open", NULL);
    assert_string_equal(ready(t, project), "Build it");
    assert_string_equal(types_of_events(t, project),
                        "task.updated task.updated notification.added task.updated "
                        "chat.message notification.resolved task.updated");
    call(t, "notification_list", "{}");
    CHECK_TRUE("notifications.0.resolved");
    call(t, "task_context", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("answers", 2);
    CHECK_TEXT("answers.0.question", "Which database?");
    CHECK_TEXT("answers.0.answer", "SQLite");
    CHECK_NULL("answers.1.answer");
    CHECK_COUNT("chat", 1);
    assert_non_null(strstr(text_at(t, "prompt"), "SQLite"));
}

CONTRACT(a_question_blocks_under_every_level)
{
    static const char *const words[] = { "confirm_all", "major_only", "full" };

    for (size_t i = 0; i < 3; i++) {
        const char *project, *task;

        call(t, "project_create", "{s:s, s:s}", "name", "Shop", "hilConfig", words[i]);
        project = text_at(t, "id");
        task = make_task(t, project, "Build it");
        stuck(t, project, task, ASKS);
        check_task(t, project, task, "blocked", NULL);
    }
}

CONTRACT(dismissing_unblocks_and_approves_nothing)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS);

    call(t, "open_question_resolve", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_STATUS(200);
    CHECK_TEXT("status", "resolved");
    CHECK_COUNT("responses", 0);
    CHECK_FALSE("approved");
    CHECK_TEXT("outcome.source", "cancelled");
    check_task(t, project, task, "open", NULL);
    call(t, "task_chat_list", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("messages", 0);
    set = stuck(t, project, task, ASKS);
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_INT("deletedCount", 1);
    check_task(t, project, task, "open", NULL);
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_INT("deletedCount", 0);
}

static void check_prompt(struct t *t, const char *project, const char *task, const char *sentence)
{
    call(t, "task_context", "{s:s, s:s}", "id", project, "tid", task);
    if (!strstr(text_at(t, "prompt"), sentence))
        fail_msg("\"%s\" does not say: %s", text_at(t, "prompt"), sentence);
}

/* What was not approved must not read as leave to go on. */
CONTRACT(a_no_reaches_the_agent_as_a_no)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid",
         stuck(t, project, task, ASKS_MORE), "approved", 0);
    CHECK_STATUS(200);
    check_prompt(t, project, task, "owner did not approve this.");
    CHECK_FALSE("answers.0.approved");
    CHECK_TEXT("answers.0.source", "human");
    CHECK_TEXT("chat.0.message", "Question: Which colour?\nAnswer: Not approved.");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid",
         stuck(t, project, task, ASKS_MORE), "approved", 1);
    check_prompt(t, project, task, "owner approved this.");
    CHECK_TRUE("answers.1.approved");
    call(t, "open_question_resolve", "{s:s, s:s}", "id", project, "nid", stuck(t, project, task, ASKS_MORE));
    check_prompt(t, project, task, "owner dismissed this without an answer. It counts as not approved.");
    CHECK_TEXT("answers.2.source", "cancelled");
    answer_one(t, project, stuck(t, project, task, ASKS), "q1", "SQLite");
    check_prompt(t, project, task, "owner gave no answer to this.");
    CHECK_NULL("answers.4.approved");
}

/* Answers one question of a set and keeps the set open for the rest. */
static int answer_some(struct t *t, const char *project, const char *set, const char *question,
                       const char *answer)
{
    return call(t, "open_question_resolve", "{s:s, s:s, s:b, s:[{s:s, s:s}]}", "id", project, "nid", set,
                "keepOpen", 1, "responses", "questionId", question, "answer", answer);
}

CONTRACT(a_set_that_is_kept_open_waits_for_the_rest)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS), *events;
    json_t *event;

    answer_some(t, project, set, "q1", "SQLite");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "open");
    CHECK_NULL("outcome");
    CHECK_NULL("resolvedAt");
    CHECK_COUNT("responses", 1);
    CHECK_TEXT("responses.0.answer", "SQLite");
    CHECK_TEXT("responses.0.by", "owner");
    check_task(t, project, task, "blocked", NULL);
    assert_string_equal(ready(t, project), "");
    assert_string_equal(types_of_events(t, project),
                        "task.updated notification.added task.updated chat.message notification.updated");
    event = last_event(t, project, "notification.updated");
    assert_true(json_is_false(json_object_get(event, "resolved")));
    assert_int_equal(json_array_size(json_object_get(event, "responses")), 1);
    json_decref(event);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications.0.responses", 1);
    call(t, "notification_list", "{}");
    CHECK_FALSE("notifications.0.resolved");
    assert_int_equal(count_rows(t, "audit WHERE operation = 'open_question_resolve' AND subject = '%s'", set),
                     1);

    /* The same again says nothing new; another answer does not take the place of the first. */
    events = types_of_events(t, project);
    answer_some(t, project, set, "q1", "SQLite");
    CHECK_STATUS(200);
    CHECK_COUNT("responses", 1);
    answer_some(t, project, set, "q1", "PostgreSQL");
    CHECK_STATUS(409);
    CHECK_TEXT("responses.0.answer", "SQLite");
    answer_one(t, project, set, "q1", "PostgreSQL");
    CHECK_STATUS(409);
    answer_some(t, project, set, "q9", "what?");
    CHECK_STATUS(400);
    assert_string_equal(types_of_events(t, project), events);

    t->as = t->admin;
    answer_some(t, project, set, "q2", "50 a page");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "resolved");
    CHECK_COUNT("responses", 2);
    CHECK_TEXT("outcome.by", "admin");
    check_task(t, project, task, "open", NULL);
    call(t, "task_context", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_TEXT("answers.0.by", "owner");
    CHECK_TEXT("answers.1.by", "admin");
    CHECK_COUNT("chat", 2);
}

CONTRACT(what_was_kept_open_ends_with_the_answers_it_has)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS);

    /* As it was given, without the member that keeps it open. */
    answer_some(t, project, set, "q1", "SQLite");
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("outcome.source", "human");
    CHECK_COUNT("responses", 1);
    check_task(t, project, task, "open", NULL);
    answer_some(t, project, set, "q2", "too late");
    CHECK_STATUS(200);
    CHECK_COUNT("responses", 1);
    call(t, "task_chat_list", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("messages", 1);

    /* A yes answers the rest at once. */
    set = stuck(t, project, task, ASKS);
    answer_some(t, project, set, "q1", "SQLite");
    call(t, "open_question_resolve", "{s:s, s:s, s:b, s:b}", "id", project, "nid", set, "keepOpen", 1,
         "approved", 1);
    CHECK_TEXT("status", "resolved");
    CHECK_TRUE("approved");
    CHECK_COUNT("responses", 1);
    call(t, "task_chat_list", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("messages", 3);

    /* A dismissal does not take back what a person has said. */
    set = stuck(t, project, task, ASKS);
    answer_some(t, project, set, "q2", "None");
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_INT("deletedCount", 1);
    call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_TEXT("outcome.source", "cancelled");
    CHECK_TEXT("responses.0.answer", "None");
    check_prompt(t, project, task, "Answer (owner): None");
    check_prompt(t, project, task, "Question: Which database?\nowner dismissed this without an answer.");
}

CONTRACT(keeping_open_goes_with_answers)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *before;
    const char *set = stuck(t, project, task, ASKS);

    before = fingerprint(t);
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", set, "keepOpen", 1);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "keepOpen");
    assert_string_equal(fingerprint(t), before);

    call(t, "project_update", "{s:s, s:s}", "id", project, "hilConfig", "confirm_all");
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges", "description",
         "An export");
    CHECK_STATUS(201);
    set = text_at(t, "questionId");
    answer_some(t, project, set, set, "Why not?");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "approved");
    call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_TEXT("status", "open");
}

CONTRACT(clearing_the_list_unblocks_everything)
{
    const char *project = make_project(t), *first = make_task(t, project, "First");
    const char *second = make_task(t, project, "Second");

    stuck(t, project, first, ASKS);
    stuck(t, project, first, ASKS_MORE);
    stuck(t, project, second, ASKS);
    call(t, "open_question_clear", "{s:s}", "id", project);
    CHECK_INT("deletedCount", 3);
    assert_string_equal(ready(t, project), "First,Second");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

CONTRACT(a_second_answer_changes_nothing)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS), *events;

    answer_one(t, project, set, "q9", "SQLite");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "questionId");
    answer_one(t, project, set, "q1", "  ");
    CHECK_STATUS(400);
    check_task(t, project, task, "blocked", NULL);
    answer_one(t, project, set, "q1", "SQLite");
    events = types_of_events(t, project);
    answer_one(t, project, set, "q1", "PostgreSQL");
    CHECK_STATUS(200);
    CHECK_TEXT("responses.0.answer", "SQLite");
    answer_one(t, project, set, "q9", "whatever");
    CHECK_STATUS(200);
    assert_string_equal(types_of_events(t, project), events);
}

CONTRACT(a_task_waits_for_all_its_sets)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *first = stuck(t, project, task, ASKS), *second = stuck(t, project, task, ASKS_MORE);

    assert_string_not_equal(first, second);
    answer_one(t, project, second, "q1", "Green");
    check_task(t, project, task, "blocked", NULL);
    assert_string_equal(ready(t, project), "");
    set_status(t, project, task, "open");
    CHECK_STATUS(409);
    answer_one(t, project, first, "q1", "SQLite");
    check_task(t, project, task, "open", NULL);
}

struct two_sets {
    const char *project, *sets[2];
};

static bool settle_one(struct t *t, int number, void *user)
{
    const struct two_sets *both = user;

    return answer_one(t, both->project, both->sets[number], "q1", "Yes") == 200;
}

CONTRACT(two_who_answer_the_last_sets_at_once_unblock_the_task)
{
    for (int round = 0; round < 10; round++) {
        struct two_sets both = { .project = make_project(t) };
        const char *task = make_task(t, both.project, "Build it");

        both.sets[0] = stuck(t, both.project, task, ASKS);
        both.sets[1] = stuck(t, both.project, task, ASKS_MORE);
        assert_int_equal(race(t, 2, settle_one, &both), 2);
        check_task(t, both.project, task, "open", NULL);
    }
}

CONTRACT(a_claim_that_is_alive_goes_on_in_progress)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *set;

    claim(t, project, task, "Coder");
    hand_in(t, project, "reviewer", task, ASKS);
    set = text_at(t, "notificationId");
    check_task(t, project, task, "blocked", "Coder");
    answer_one(t, project, set, "q1", "SQLite");
    check_task(t, project, task, "in_progress", "Coder");
}

CONTRACT(what_was_closed_or_blocked_otherwise_stays_so)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *other = make_task(t, project, "Other"), *set;

    set_status(t, project, task, "closed");
    CHECK_STATUS(200);
    set = stuck(t, project, task, ASKS_MORE);
    check_task(t, project, task, "closed", NULL);
    answer_one(t, project, set, "q1", "Blue");
    CHECK_STATUS(200);
    check_task(t, project, task, "closed", NULL);
    call(t, "task_update", "{s:s, s:s, s:s, s:s}", "id", project, "tid", other, "status", "blocked",
         "block_reason", "The supplier");
    hand_in(t, project, "coder", other,
            "{\"status\": \"success\", \"summary\": \"Done\", "
            "\"open_questions\": [{\"text\": \"Next?\"}]}");
    answer_one(t, project, text_at(t, "notificationId"), "q1", "Yes");
    get_task(t, project, other);
    CHECK_TEXT("status", "blocked");
    CHECK_TEXT("block_reason", "The supplier");
}

CONTRACT(a_success_does_not_close_what_a_question_blocks)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS);

    hand_in(t, project, "coder", task, "{\"status\": \"success\", \"summary\": \"Guessed.\"}");
    CHECK_STATUS(201);
    CHECK_FALSE("accepted");
    CHECK_TEXT("notificationId", set);
    check_task(t, project, task, "blocked", NULL);
    answer_one(t, project, set, "q1", "SQLite");
    hand_in(t, project, "coder", task, "{\"status\": \"success\", \"summary\": \"Done.\"}");
    CHECK_TRUE("accepted");
    check_task(t, project, task, "closed", NULL);
}

CONTRACT(an_answer_does_not_lift_a_block_of_somebodys_own)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *set, *again;

    call(t, "task_update", "{s:s, s:s, s:s, s:s}", "id", project, "tid", task, "status", "blocked",
         "block_reason", "Waiting for legal");
    set = stuck(t, project, task, ASKS);
    again = stuck(t, project, task, ASKS_MORE);
    check_task(t, project, task, "blocked", NULL);
    answer_one(t, project, set, "q1", "SQLite");
    check_task(t, project, task, "blocked", NULL);
    answer_one(t, project, again, "q1", "Blue");
    get_task(t, project, task);
    CHECK_TEXT("status", "blocked");
    CHECK_TEXT("block_reason", "Waiting for legal");
    set_status(t, project, task, "open");
    CHECK_STATUS(200);
}

/* What is asked about a task that is closed already waits for whoever opens it. */
CONTRACT(opening_a_closed_task_is_no_way_around_a_question)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it"), *set;

    set_status(t, project, task, "closed");
    CHECK_STATUS(200);
    set = stuck(t, project, task, ASKS);
    set_status(t, project, task, "open");
    CHECK_STATUS(409);
    check_task(t, project, task, "closed", NULL);
    assert_string_equal(ready(t, project), "");
    answer_one(t, project, set, "q1", "SQLite");
    set_status(t, project, task, "open");
    CHECK_STATUS(200);
    assert_string_equal(ready(t, project), "Build it");
}

CONTRACT(a_block_that_no_question_stands_behind_can_be_lifted)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    call(t, "task_update", "{s:s, s:s, s:s, s:s}", "id", project, "tid", task, "status", "blocked",
         "block_reason", "Open Question");
    CHECK_STATUS(200);
    set_status(t, project, task, "open");
    CHECK_STATUS(200);
}

CONTRACT(deleting_a_task_settles_its_questions)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    const char *set = stuck(t, project, task, ASKS);

    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_STATUS(204);
    call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", set);
    CHECK_TEXT("status", "resolved");
    CHECK_FALSE("approved");
}

CONTRACT(agents_and_those_not_named_do_not_answer)
{
    const char *project, *task, *set;

    call(t, "project_create", "{s:s, s:{s:[s]}}", "name", "Shop", "settings", "answerers", "owner");
    CHECK_STATUS(201);
    project = text_at(t, "id");
    task = make_task(t, project, "Build it");
    set = stuck(t, project, task, ASKS);
    t->as = t->agent;
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(403);
    t->as = token_for(t, "member", "Builder");
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(403);
    t->as = t->member;
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(403);
    t->as = t->owner; /* the token is called owner */
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(200);
}

CONTRACT(a_token_of_one_project_sees_no_other_in_its_inbox)
{
    const char *project = make_project(t), *other = make_project(t), *set, *foreign;

    set = stuck(t, project, make_task(t, project, "Build it"), ASKS);
    foreign = stuck(t, other, make_task(t, other, "Elsewhere"), ASKS_MORE);
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "bound", "role", "member", "projectId", project);
    CHECK_STATUS(201);
    t->as = text_at(t, "secret");
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 1);
    call(t, "notification_list", "{s:b}", "unread", 1);
    CHECK_COUNT("notifications", 1);
    call(t, "notification_read", "{s:s}", "id", foreign);
    CHECK_STATUS(404);
    call(t, "notification_read_all", "{}");
    CHECK_INT("count", 1);
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1);
    CHECK_TEXT("notifications.0.id", set);
    t->as = t->owner;
    call(t, "notification_pending_count", "{}");
    CHECK_INT("count", 2);
}

CONTRACT(a_set_of_another_project_is_not_there)
{
    const char *project = make_project(t), *other = make_project(t);
    const char *task = make_task(t, project, "Build it"), *set = stuck(t, project, task, ASKS);

    answer_one(t, other, set, "q1", "SQLite");
    CHECK_STATUS(404);
    hand_in(t, other, "coder", task, ASKS);
    CHECK_STATUS(404);
    check_task(t, project, task, "blocked", NULL);
    call(t, "project_delete", "{s:s}", "id", project);
    answer_one(t, project, set, "q1", "SQLite");
    CHECK_STATUS(404);
    hand_in(t, project, "coder", task, ASKS);
    CHECK_STATUS(404);
}

/* A result that asks "Number 7?", "Number 8?" and so on. */
static void ask_many(struct t *t, const char *project, int from, int count)
{
    const char *list = "";

    for (int i = 0; i < count; i++)
        list = arena_format(&t->arena, "%s%s\"Number %d?\"", list, i ? ", " : "", from + i);
    hand_in(t, project, "dreamer", "goals", arena_format(&t->arena, "{\"open_questions\": [%s]}", list));
}

CONTRACT(questions_about_one_source_have_a_limit)
{
    const char *project = make_project(t), *first, *before;

    ask_many(t, project, 0, 100);
    CHECK_STATUS(201);
    first = text_at(t, "notificationId");
    for (int i = 1; i < 5; i++) {
        ask_many(t, project, i * 100, 100);
        CHECK_STATUS(201);
    }
    before = fingerprint(t);
    ask_many(t, project, 499, 2);
    CHECK_STATUS(409);
    CHECK_TEXT("code", "too_many_questions");
    assert_non_null(strstr(text_at(t, "hint"), "Answer or dismiss some of them"));
    assert_string_equal(fingerprint(t), before);
    /* Asking once more what is open takes no room, and another source has its own. */
    hand_in(t, project, "dreamer", "goals", "{\"open_questions\": [\" NUMBER  17 !\", \"number 99\"]}");
    CHECK_STATUS(201);
    CHECK_TEXT("notificationId", first);
    hand_in(t, project, "dreamer", "users", "{\"open_questions\": [\"Number 500?\"]}");
    CHECK_STATUS(201);
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", first);
    CHECK_STATUS(200);
    ask_many(t, project, 499, 101);
    CHECK_STATUS(201);
    assert_int_equal(count_rows(t, "open_questions WHERE project_id = '%s' AND source_id = 'goals'", project),
                     6);
}

/* Sets with one question each, "Number 1?" and so on, newer than any that a call made. */
static void many_sets(struct t *t, const char *project, const char *source, const char *source_id, int count)
{
    const char *above = strcmp(source, "execute") == 0 ? "100000000000" : "200000000000";

    outside_sql(t,
                "INSERT INTO open_questions (id, workspace_id, project_id, source, source_id, questions, "
                "created_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
                "SELECT 'ffffffff-' || substr('%s', 10, 15) || CAST(%s + i AS TEXT), '%s', '%s', '%s', '%s', "
                "'[{\"id\": \"q1\", \"createdAt\": \"2026-01-01T00:00:00Z\", \"text\": \"Number ' || i || "
                "'?\"}]', 1 FROM n",
                count, project, above, t->workspace, project, source, source_id);
}

CONTRACT(an_old_question_is_found_behind_many_newer_sets)
{
    const char *project = make_project(t), *set;

    hand_in(t, project, "dreamer", "goals", "{\"open_questions\": [\"Number 0?\"]}");
    set = text_at(t, "notificationId");
    many_sets(t, project, "prd", "goals", 499);
    hand_in(t, project, "dreamer", "goals", "{\"open_questions\": [\"Number 0?\"]}");
    CHECK_STATUS(201);
    CHECK_TEXT("notificationId", set);
    hand_in(t, project, "dreamer", "goals", "{\"open_questions\": [\"Number 500?\"]}");
    CHECK_STATUS(409);
    assert_int_equal(count_rows(t, "open_questions WHERE project_id = '%s'", project), 500);
}

CONTRACT(clearing_unblocks_a_task_once_when_its_last_set_is_settled)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    stuck(t, project, task, ASKS);
    many_sets(t, project, "execute", task, LIMIT_CLEAR);
    call(t, "open_question_clear", "{s:s}", "id", project);
    CHECK_INT("deletedCount", LIMIT_CLEAR);
    check_task(t, project, task, "blocked", NULL);
    /* Made and blocked. */
    assert_int_equal(count_rows(t, "events WHERE type = 'task.updated' AND subject = '%s'", task), 2);
    many_sets(t, project, "prd", task, 3);
    call(t, "open_question_clear", "{s:s}", "id", project);
    CHECK_INT("deletedCount", 4);
    check_task(t, project, task, "open", NULL);
    assert_int_equal(count_rows(t, "events WHERE type = 'task.updated' AND subject = '%s'", task), 3);
}

CONTRACT(deleting_a_task_settles_all_its_questions_however_many)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    stuck(t, project, task, ASKS);
    many_sets(t, project, "execute", task, 450);
    stuck(t, project, make_task(t, project, "Another"), ASKS);
    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "open_questions WHERE source_id = '%s' AND status = 'resolved'", task),
                     451);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 1);
}

CONTRACT(deleting_a_project_settles_all_its_questions_however_many)
{
    const char *project = make_project(t), *set = stuck(t, project, make_task(t, project, "Build it"), ASKS);

    many_sets(t, project, "prd", "goals", LIMIT_CLEAR + 1);
    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    assert_int_equal(
        count_rows(t, "events WHERE type = 'notification.resolved' AND project_id = '%s'", project),
        LIMIT_CLEAR + 2);
    assert_int_equal(count_rows(t, "notifications WHERE id = '%s' AND resolved_at IS NULL", set), 0);
}
