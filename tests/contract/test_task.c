#include "base/limits.h"
#include "project_steps.h"

CONTRACT(a_task_is_shown_as_it_was_made)
{
    const char *project = make_project(t), *other = make_project(t), *id;

    call(t, "task_create", "{s:s, s:s, s:s, s:i, s:s}", "id", project, "title", "Build it", "description",
         "With care.", "priority", 1, "session_id", "s1");
    CHECK_STATUS(201);
    id = text_at(t, "id");
    get_task(t, project, id);
    CHECK_TEXT("title", "Build it");
    CHECK_TEXT("description", "With care.");
    CHECK_TEXT("status", "open");
    CHECK_INT("priority", 1);
    CHECK_NULL("assignee");
    CHECK_NULL("block_reason");
    CHECK_COUNT("depends_on", 0);
    CHECK_TEXT("session_id", "s1");
    CHECK_NULL("result");
    call(t, "task_get", "{s:s, s:s}", "id", other, "tid", id);
    CHECK_STATUS(404);
    call(t, "task_list", "{s:s, s:s}", "id", project, "session_id", "s1");
    CHECK_COUNT("tasks", 1);
    call(t, "task_list", "{s:s, s:s}", "id", project, "status", "closed");
    CHECK_COUNT("tasks", 0);
    assert_string_equal(types_of_events(t, project), "task.updated");
}

CONTRACT(ready_goes_by_priority_then_age)
{
    const char *project = make_project(t);

    make_task(t, project, "second");
    advance(t, 5);
    make_task(t, project, "third");
    call(t, "task_create", "{s:s, s:s, s:i}", "id", project, "title", "first", "priority", 0);
    assert_string_equal(ready(t, project), "first,second,third");
    call(t, "task_ready", "{s:s, s:i}", "id", project, "limit", 2);
    CHECK_COUNT("tasks", 2);
    call(t, "task_ready", "{s:s, s:s}", "id", project, "cursor", text_at(t, "nextCursor"));
    CHECK_COUNT("tasks", 1);
    CHECK_TEXT("tasks.0.title", "third");
    CHECK_NULL("nextCursor");
}

CONTRACT(a_task_is_ready_when_all_it_depends_on_is_closed)
{
    const char *project = make_project(t);
    const char *a = make_task(t, project, "a"), *b = make_task(t, project, "b"), *c;

    call(t, "task_create", "{s:s, s:s, s:[s,s,s]}", "id", project, "title", "c", "depends_on", a, b, a);
    CHECK_STATUS(201);
    c = text_at(t, "id");
    CHECK_COUNT("depends_on", 2);
    assert_string_equal(ready(t, project), "a,b");
    set_status(t, project, a, "closed");
    CHECK_STATUS(200);
    assert_string_equal(ready(t, project), "b");
    claim(t, project, c, "Coder");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "dependent");
    CHECK_TEXT("waiting_for.0.id", b);
    set_status(t, project, b, "closed");
    assert_string_equal(ready(t, project), "c");
    /* Reopening takes it back; closing twice counts once. */
    set_status(t, project, a, "open");
    assert_string_equal(ready(t, project), "a");
    set_status(t, project, a, "closed");
    set_status(t, project, a, "closed");
    assert_string_equal(ready(t, project), "c");
    assert_int_equal(count_rows(t, "tasks WHERE id = '%s' AND open_deps = 0", c), 1);
}

CONTRACT(a_task_that_goes_away_holds_nobody_up)
{
    const char *project = make_project(t);
    const char *a = make_task(t, project, "a"), *b = make_dependent(t, project, "b", a);

    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", a);
    CHECK_STATUS(204);
    get_task(t, project, b);
    CHECK_COUNT("depends_on", 0);
    assert_string_equal(ready(t, project), "b");
    call(t, "task_delete", "{s:s, s:s}", "id", project, "tid", a);
    CHECK_STATUS(404);
}

static int depend(struct t *t, const char *project, const char *task, const char *on)
{
    return call(t, "task_update", "{s:s, s:s, s:[s]}", "id", project, "tid", task, "depends_on", on);
}

CONTRACT(dependencies_never_form_a_circle)
{
    const char *project = make_project(t), *other = make_project(t);
    const char *a = make_task(t, project, "a"), *b = make_dependent(t, project, "b", a);
    const char *c = make_dependent(t, project, "c", b), *stranger = make_task(t, other, "stranger");

    depend(t, project, a, a);
    CHECK_STATUS(400);
    CHECK_TEXT("code", "circle");
    depend(t, project, a, b);
    CHECK_STATUS(400);
    depend(t, project, a, c);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "depends_on");
    /* Closing does not help: what is closed may be opened again. */
    set_status(t, project, b, "closed");
    depend(t, project, a, c);
    CHECK_STATUS(400);
    depend(t, project, a, stranger);
    CHECK_STATUS(400);
    call(t, "task_create", "{s:s, s:s, s:[s]}", "id", project, "title", "d", "depends_on", stranger);
    CHECK_STATUS(400);
    get_task(t, project, a);
    CHECK_COUNT("depends_on", 0);
    /* Taken away, the way is free. */
    call(t, "task_update", "{s:s, s:s, s:[]}", "id", project, "tid", b, "depends_on");
    CHECK_STATUS(200);
    depend(t, project, a, c);
    CHECK_STATUS(200);
}

struct pair {
    const char *project, *tasks[4];
};

static bool try_depend(struct t *t, int number, void *user)
{
    const struct pair *pair = user;

    return depend(t, pair->project, pair->tasks[number], pair->tasks[(number + 1) % 4]) == 200;
}

CONTRACT(racing_dependencies_never_form_a_circle)
{
    for (int round = 0; round < 10; round++) {
        struct pair pair = { .project = make_project(t) };

        for (int i = 0; i < 4; i++)
            pair.tasks[i] = make_task(t, pair.project, "one of four");
        assert_int_equal(race(t, 4, try_depend, &pair), 3);
    }
}

struct closing {
    const char *project, *first, *second;
};

static bool close_or_depend(struct t *t, int number, void *user)
{
    const struct closing *closing = user;

    if (number == 0)
        return set_status(t, closing->project, closing->first, "closed") == 200;
    return depend(t, closing->project, closing->second, closing->first) == 200;
}

CONTRACT(closing_while_somebody_starts_to_depend_loses_nothing)
{
    for (int round = 0; round < 20; round++) {
        struct closing closing = { .project = make_project(t) };

        closing.first = make_task(t, closing.project, "first");
        closing.second = make_task(t, closing.project, "second");
        assert_int_equal(race(t, 2, close_or_depend, &closing), 2);
        assert_string_equal(ready(t, closing.project), "second");
    }
}

static bool try_claim(struct t *t, int number, void *user)
{
    const struct pair *pair = user;

    return claim(t, pair->project, pair->tasks[0], arena_format(&t->arena, "Coder %d", number)) == 200;
}

CONTRACT(of_many_that_claim_one_wins)
{
    struct pair pair = { .project = make_project(t) };

    for (int round = 0; round < 10; round++) {
        pair.tasks[0] = make_task(t, pair.project, "wanted");
        assert_int_equal(race(t, 8, try_claim, &pair), 1);
        get_task(t, pair.project, pair.tasks[0]);
        CHECK_TEXT("status", "in_progress");
        assert_non_null(text_at(t, "assignee"));
    }
    assert_string_equal(ready(t, pair.project), "");
}

CONTRACT(a_claim_that_fails_says_why)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Coder");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "in_progress");
    CHECK_TEXT("assignee", "Coder");
    claim(t, project, task, "Other");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "claimed");
    CHECK_TEXT("assignee", "Coder");
    set_status(t, project, task, "open");
    CHECK_NULL("assignee");
    call(t, "task_update", "{s:s, s:s, s:s, s:s}", "id", project, "tid", task, "status", "blocked",
         "block_reason", "Waiting for the key");
    CHECK_STATUS(200);
    assert_string_equal(ready(t, project), "");
    claim(t, project, task, "Coder");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "blocked");
    CHECK_TEXT("block_reason", "Waiting for the key");
    set_status(t, project, task, "closed");
    CHECK_NULL("block_reason");
    claim(t, project, task, "Coder");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "closed");
    claim(t, project, "01890000-0000-7000-8000-00000000abcd", "Coder");
    CHECK_STATUS(404);
    t->as = token_for(t, "agent", "Builder");
    claim(t, project, make_task(t, project, "Another"), "Coder");
    CHECK_STATUS(403);
}

CONTRACT(giving_back_and_handing_over)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "assignee", "Coder");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "in_progress");
    call(t, "task_update", "{s:s, s:s, s:n}", "id", project, "tid", task, "assignee");
    CHECK_STATUS(200);
    CHECK_TEXT("status", "open");
    CHECK_NULL("assignee");
    set_status(t, project, task, "in_progress");
    CHECK_STATUS(400);
    claim(t, project, task, "Coder");
    t->as = t->agent;
    call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "assignee", "Thief");
    CHECK_STATUS(409);
    t->as = t->owner;
    call(t, "task_update", "{s:s, s:s, s:s, s:{s:i}}", "id", project, "tid", task, "assignee", "Heir",
         "result", "lines", 12);
    CHECK_STATUS(200);
    CHECK_TEXT("assignee", "Heir");
    CHECK_INT("result.lines", 12);
}

CONTRACT(a_task_has_a_chat)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    call(t, "task_chat_post", "{s:s, s:s, s:s}", "id", project, "tid", task, "message", "Mind the cache.");
    CHECK_STATUS(201);
    CHECK_TEXT("message.task_ref", task);
    CHECK_TRUE("message.is_human");
    t->as = t->agent;
    call(t, "task_chat_post", "{s:s, s:s, s:s, s:s}", "id", project, "tid", task, "message", "I do.",
         "agent_name", "Coder");
    CHECK_STATUS(201);
    CHECK_FALSE("message.is_human");
    call(t, "task_chat_post", "{s:s, s:s, s:s, s:b}", "id", project, "tid", task, "message", "I am one.",
         "is_human", 1);
    CHECK_STATUS(403);
    call(t, "task_chat_list", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("messages", 2);
    CHECK_TEXT("messages.0.message", "I do.");
    assert_string_equal(types_of_events(t, project), "task.updated chat.message chat.message");
    call(t, "task_context", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_COUNT("chat", 2);
    CHECK_TEXT("chat.0.message", "Mind the cache.");
    assert_non_null(strstr(text_at(t, "prompt"), "[Coder]: I do."));
}

CONTRACT(every_change_of_a_task_is_told_whole)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");
    json_t *event;

    claim(t, project, task, "Coder");
    event = last_event(t, project, "task.updated");
    assert_string_equal(json_string_value(json_object_get(event, "id")), task);
    assert_string_equal(json_string_value(json_object_get(event, "projectId")), project);
    assert_string_equal(json_string_value(json_object_get(event, "status")), "in_progress");
    assert_string_equal(json_string_value(json_object_get(event, "assignee")), "Coder");
    assert_true(json_is_array(json_object_get(event, "depends_on")));
    json_decref(event);
}

static const char *task_id(struct t *t, const char *project, int number)
{
    return arena_format(&t->arena, "ffffffff-%.15s%lld", project + 9, 100000000000LL + number);
}

/* Tasks 1, 2 and so on, each of which depends on the one before it. */
static void make_chain(struct t *t, const char *project, int count)
{
    const char *id = arena_format(&t->arena, "'ffffffff-%.15s' || CAST(100000000000", project + 9);
    const char *numbers = arena_format(
        &t->arena, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)", count);

    outside_sql(t,
                "INSERT INTO tasks (id, workspace_id, project_id, title, created_at, updated_at) %s "
                "SELECT %s + i AS TEXT), '%s', '%s', 'link', 1, 1 FROM n",
                numbers, id, t->workspace, project);
    outside_sql(t,
                "INSERT INTO task_deps (task_id, depends_on) %s SELECT %s + i AS TEXT), %s + i - 1 AS TEXT) "
                "FROM n WHERE i > 1",
                numbers, id, id);
}

/* Makes a task depend on `count` links of the chain, the last of which is `last`. */
static void depend_on_links(struct t *t, const char *project, const char *task, int last, int count)
{
    json_t *params = json_pack("{s:s, s:s, s:[]}", "id", project, "tid", task, "depends_on");

    for (int i = 0; i < count; i++)
        json_array_append_new(json_object_get(params, "depends_on"),
                              json_string(task_id(t, project, last - i)));
    call_json(t, "task_update", params);
    json_decref(params);
}

CONTRACT(dependencies_that_cannot_be_walked_to_their_end_are_refused)
{
    const char *project = make_project(t), *task = make_task(t, project, "a task"), *before;

    make_chain(t, project, DEPENDENCY_WALK);
    before = fingerprint(t);
    depend_on_links(t, project, task, DEPENDENCY_WALK, 1);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "depends_on");
    assert_non_null(strstr(text_at(t, "hint"), "make a new task"));
    depend_on_links(t, project, task, DEPENDENCY_WALK, 2);
    CHECK_STATUS(400);
    assert_string_equal(fingerprint(t), before);
    /* However many are named, what they have in common is walked once. */
    depend_on_links(t, project, task, DEPENDENCY_WALK - 1, LIMIT_DEPENDS);
    CHECK_STATUS(200);
    CHECK_COUNT("depends_on", LIMIT_DEPENDS);
    call(t, "task_create", "{s:s, s:s, s:[s]}", "id", project, "title", "a new one", "depends_on",
         task_id(t, project, DEPENDENCY_WALK));
    CHECK_STATUS(201);
}

CONTRACT(the_one_dependency_that_closes_a_circle_is_named)
{
    const char *project = make_project(t), *tasks[7];
    const char *first = make_task(t, project, "first"), *middle = make_dependent(t, project, "middle", first);

    for (size_t i = 0; i < 7; i++)
        tasks[i] = make_task(t, project, "harmless");
    for (size_t i = 0; i < 7; i++) {
        const char *harmless = tasks[i];

        tasks[i] = make_dependent(t, project, "last", middle);
        call(t, "task_update", "{s:s, s:s, s:[s,s,s,s,s,s,s]}", "id", project, "tid", first, "depends_on",
             tasks[0], tasks[1], tasks[2], tasks[3], tasks[4], tasks[5], tasks[6]);
        CHECK_STATUS(400);
        CHECK_TEXT("code", "circle");
        assert_non_null(strstr(text_at(t, "error"), tasks[i]));
        get_task(t, project, first);
        CHECK_COUNT("depends_on", 0);
        tasks[i] = harmless;
    }
}
