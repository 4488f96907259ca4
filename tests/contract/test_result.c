#include "project_steps.h"

#include "base/limits.h"

#include <stdio.h>

CONTRACT(a_success_closes_its_task)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Coder");
    hand_in(t, project, "coder", task, "Here it is:\n{\"status\": \"done\", \"summary\": \"Built.\"}\nBye.");
    CHECK_STATUS(201);
    CHECK_TRUE("accepted");
    CHECK_COUNT("questions", 0);
    CHECK_NULL("notificationId");
    CHECK_COUNT("problems", 0);
    CHECK_TEXT("task.status", "closed");
    CHECK_TEXT("task.result.summary", "Built.");
    CHECK_TEXT("task.result.status", "success");
}

CONTRACT(a_failure_gives_the_task_back)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Coder");
    hand_in(t, project, "coder", task, "{\"status\": \"failed\", \"summary\": \"The tests fail.\"}");
    CHECK_TRUE("accepted");
    CHECK_TEXT("task.status", "open");
    CHECK_NULL("task.assignee");
    CHECK_TEXT("task.result.status", "failed");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
}

CONTRACT(what_cannot_be_read_is_never_success)
{
    static const char *const outputs[] = {
        "Done, I think.",
        "",
        "{\"status\": \"success\"}",
        "{\"status\": \"perhaps\", \"summary\": \"Hm.\"}",
        "{\"summary\": \"No status.\"}",
        "{\"status\": \"success\", \"summary\": \"cut o",
    };
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Coder");
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
        hand_in(t, project, "coder", task, outputs[i]);
        CHECK_STATUS(201);
        CHECK_FALSE("accepted");
        assert_true(json_array_size(at(t, "problems")) > 0);
        get_task(t, project, task);
        CHECK_TEXT("status", "in_progress");
        CHECK_TEXT("assignee", "Coder");
        assert_true(json_array_size(at(t, "problems")) > 0);
    }
    hand_in(t, project, "coder", task, "{\"status\": \"success\", \"summary\": \"Built.\"}");
    CHECK_COUNT("task.problems", 0);
}

CONTRACT(prose_that_ends_in_asking_is_a_question)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    hand_in(t, project, "coder", task, "I looked at it.\n\nShould I drop the old table?");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("task.status", "blocked");
}

CONTRACT(a_success_with_questions_only_notifies)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    claim(t, project, task, "Coder");
    hand_in(t, project, "coder", task,
            "{\"status\": \"success\", \"summary\": \"Built.\", \"openQuestions\": [{\"text\": \"Next?\"}]}");
    CHECK_TRUE("accepted");
    CHECK_COUNT("questions", 1);
    get_task(t, project, task);
    CHECK_TEXT("status", "in_progress");
    CHECK_TEXT("assignee", "Coder");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 1);
}

CONTRACT(agent_and_source_must_fit)
{
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    call(t, "result_submit", "{s:s, s:s, s:s, s:s, s:s}", "id", project, "agent", "analyst", "source",
         "execute", "sourceId", task, "output", "x");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "source");
    call(t, "result_submit", "{s:s, s:s, s:s}", "id", project, "agent", "coder", "sourceId", task);
    CHECK_STATUS(400);
    call(t, "result_submit", "{s:s, s:s, s:s, s:s, s:{}}", "id", project, "agent", "coder", "sourceId", task,
         "output", "x", "result");
    CHECK_STATUS(400);
    call(t, "result_submit", "{s:s, s:s, s:s, s:s}", "id", project, "agent", "analyst", "sourceId", task,
         "output", "{\"tasks\": []}");
    CHECK_STATUS(404);
}

static const char *feedback(struct t *t, const char *project)
{
    call(t, "feedback_create", "{s:s, s:s}", "id", project, "text", "It is too slow.");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

CONTRACT(the_analyst_asks_first_and_makes_tasks_later)
{
    const char *project = make_project(t), *about = feedback(t, project), *set;

    hand_in(t, project, "analyst", about,
            "{\"open_questions\": [{\"text\": \"Which page?\"}], \"tasks\": [{\"title\": \"Guess\"}]}");
    CHECK_COUNT("questions", 1);
    CHECK_COUNT("tasks", 0);
    CHECK_NULL("task");
    set = text_at(t, "notificationId");
    call(t, "feedback_get", "{s:s, s:s}", "id", project, "fid", about);
    CHECK_TEXT("status", "waiting");
    assert_string_equal(ready(t, project), "");
    /* Not asking any more is no answer. */
    hand_in(t, project, "analyst", about, "{\"tasks\": [{\"title\": \"Guess\"}]}");
    CHECK_FALSE("accepted");
    CHECK_TEXT("notificationId", set);
    assert_string_equal(ready(t, project), "");
    /* Asking the same while it is open, in other letters, asks nobody twice. */
    hand_in(t, project, "analyst", about, "{\"open_questions\": [{\"text\": \" which  PAGE ?\"}]}");
    CHECK_TEXT("notificationId", set);
    hand_in(t, project, "analyst", about,
            "{\"open_questions\": [{\"text\": \"Which page?\"}, {\"text\": \"How slow?\"}]}");
    assert_string_not_equal(text_at(t, "notificationId"), set);
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 2);
    CHECK_COUNT("notifications.0.questions", 1);
    CHECK_TEXT("notifications.0.questions.0.id", "q2");
    answer_one(t, project, set, "q1", "The first.");
    call(t, "open_question_clear", "{s:s}", "id", project);
    call(t, "feedback_context", "{s:s, s:s}", "id", project, "fid", about);
    CHECK_TEXT("answers.0.answer", "The first.");
    assert_non_null(strstr(text_at(t, "prompt"), "It is too slow."));
    hand_in(t, project, "analyst", about, "{\"tasks\": [{\"title\": \"Cache it\", \"priority\": 0}]}");
    CHECK_TRUE("accepted");
    CHECK_TEXT("tasks.0.title", "Cache it");
    CHECK_INT("tasks.0.priority", 0);
    assert_string_equal(ready(t, project), "Cache it");
    call(t, "feedback_get", "{s:s, s:s}", "id", project, "fid", about);
    CHECK_TEXT("status", "handled");
}

CONTRACT(the_analyst_asks_once_whether_people_are_sure)
{
    const char *project = make_project(t), *about = feedback(t, project);

    hand_in(t, project, "analyst", about,
            "{\"open_questions\": [{\"text\": \"Are you sure?\"}, {\"text\": \"Please confirm: really?\"}]}");
    CHECK_COUNT("questions", 1);
    CHECK_COUNT("problems", 1);
    answer_one(t, project, text_at(t, "notificationId"), "q1", "Yes");
    hand_in(t, project, "analyst", about,
            "{\"open_questions\": [{\"text\": \"But are you sure about it?\"}], \"tasks\": [{\"title\": \"Do "
            "it\"}]}");
    CHECK_TRUE("accepted");
    CHECK_COUNT("questions", 0);
    CHECK_NULL("notificationId");
    CHECK_COUNT("problems", 1);
    assert_string_equal(ready(t, project), "Do it");
    /* The next feedback has its own. */
    hand_in(t, project, "analyst", feedback(t, project),
            "{\"open_questions\": [{\"text\": \"Are you sure?\"}]}");
    CHECK_COUNT("questions", 1);
}

/* The rule of core/work/confirmation.h: whatever it finds after the first is refused. */
CONTRACT(a_second_confirmation_is_refused_however_it_is_worded)
{
    static const char *const again[] = {
        "{\"open_questions\": [{\"text\": \"Are you really sure?\"}]}",
        "{\"open_questions\": [{\"text\": \"And you are absolutely certain that it has to go?\"}]}",
        "{\"open_questions\": [{\"text\": \"You're quite sure, then?\"}]}",
        "{\"open_questions\": [{\"text\": \"Still the right thing?\", \"confirmation\": true}]}",
    };
    const char *project = make_project(t), *about = feedback(t, project);

    hand_in(t, project, "analyst", about, "{\"open_questions\": [{\"text\": \"Are you sure?\"}]}");
    answer_one(t, project, text_at(t, "notificationId"), "q1", "Yes");
    for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++) {
        hand_in(t, project, "analyst", about, again[i]);
        CHECK_COUNT("questions", 0);
        CHECK_NULL("notificationId");
        CHECK_COUNT("problems", 1);
    }
    hand_in(t, project, "analyst", about,
            "{\"open_questions\": [{\"text\": \"Are there logs from which you could make sure how many use "
            "the old form of it today?\"}]}");
    CHECK_COUNT("questions", 1);
}

CONTRACT(a_confirmation_asked_again_while_it_is_open_lets_nothing_through)
{
    static const char *const wants =
        "{\"open_questions\": [{\"text\": \"Are you sure?\"}], \"tasks\": [{\"title\": \"Do it\"}]}";
    const char *project = make_project(t), *about = feedback(t, project), *set;

    hand_in(t, project, "analyst", about, wants);
    set = text_at(t, "notificationId");
    hand_in(t, project, "analyst", about, wants);
    CHECK_STATUS(201);
    CHECK_COUNT("questions", 1);
    CHECK_COUNT("problems", 1);
    CHECK_COUNT("tasks", 0);
    CHECK_TEXT("notificationId", set);
    assert_string_equal(ready(t, project), "");
    call(t, "feedback_get", "{s:s, s:s}", "id", project, "fid", about);
    CHECK_TEXT("status", "waiting");
    answer_one(t, project, set, "q1", "Yes");
    hand_in(t, project, "analyst", about, wants);
    CHECK_NULL("notificationId");
    assert_string_equal(ready(t, project), "Do it");
}

CONTRACT(tasks_of_a_result_depend_on_each_other)
{
    const char *project = make_project(t), *there = make_task(t, project, "there");

    call(t, "result_submit", "{s:s, s:s, s:s, s:{s:s, s:[{s:s, s:[s, i]}, {s:s}, {s:s, s:[s]}]}}", "id",
         project, "agent", "planner", "sourceId", "p1", "result", "plan", "First this, then that.", "tasks",
         "title", "last", "depends_on", "Middle", 1, "title", "first", "title", "middle", "depends_on",
         there);
    CHECK_STATUS(201);
    CHECK_TRUE("accepted");
    CHECK_COUNT("tasks", 3);
    CHECK_TEXT("tasks.0.title", "last");
    CHECK_COUNT("tasks.0.depends_on", 2);
    assert_string_equal(ready(t, project), "there,first");
    set_status(t, project, there, "closed");
    assert_string_equal(ready(t, project), "first,middle");
    call(t, "plan_get", "{s:s, s:s}", "id", project, "planId", "p1");
    CHECK_TEXT("text", "First this, then that.");
    CHECK_TEXT("author", "planner");
}

/* A place in the list is one in the list as given, whatever was left out of it. */
CONTRACT(a_task_left_out_moves_no_dependency)
{
    const char *project = make_project(t);

    hand_in(t, project, "planner", "p1",
            "{\"tasks\": [{\"description\": \"no title\"}, {\"title\": \"first\"}, "
            "{\"title\": \"second\", \"depends_on\": [1]}]}");
    CHECK_TRUE("accepted");
    CHECK_COUNT("tasks", 2);
    assert_string_equal(ready(t, project), "first");
    hand_in(t, project, "planner", "p1",
            "{\"tasks\": [{\"description\": \"no title\"}, {\"title\": \"third\", \"depends_on\": [0]}]}");
    CHECK_FALSE("accepted");
}

CONTRACT(tasks_that_cannot_be_ordered_are_not_made)
{
    static const char *const results[] = {
        "{\"tasks\": [{\"title\": \"a\", \"depends_on\": [\"b\"]}, {\"title\": \"b\", \"depends_on\": [0]}]}",
        "{\"tasks\": [{\"title\": \"a\", \"depends_on\": [\"nobody\"]}]}",
        "{\"tasks\": [{\"title\": \"a\", \"depends_on\": [0]}]}",
        "{\"tasks\": [{\"title\": \"a\", \"depends_on\": [\"01890000-0000-7000-8000-00000000abcd\"]}]}",
    };
    const char *project = make_project(t);

    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        hand_in(t, project, "planner", "p1", results[i]);
        CHECK_STATUS(201);
        CHECK_FALSE("accepted");
        CHECK_COUNT("problems", 1);
        assert_string_equal(ready(t, project), "");
    }
}

/* So many tasks, each after all of these. */
static json_t *plan_after(const json_t *before, size_t count)
{
    json_t *tasks = json_array();

    for (size_t i = 0; i < count; i++) {
        char title[32];

        snprintf(title, sizeof(title), "%s %zu", before ? "later" : "first", i);
        json_array_append_new(tasks, before ? json_pack("{s:s, s:O}", "title", title, "depends_on", before)
                                            : json_pack("{s:s}", "title", title));
    }
    return json_pack("{s:o}", "tasks", tasks);
}

static void hand_in_plan(struct t *t, const char *project, json_t *plan)
{
    call(t, "result_submit", "{s:s, s:s, s:s, s:o}", "id", project, "agent", "planner", "sourceId", "p1",
         "result", plan);
    CHECK_STATUS(201);
}

static json_t *ids_of_reply(struct t *t, size_t count)
{
    json_t *ids = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(ids, json_string(text_at(t, arena_format(&t->arena, "tasks.%zu.id", i))));
    return ids;
}

/* As many tasks with as many dependencies as one result may have, and one of each too many. */
CONTRACT(a_plan_is_made_whole_or_not_at_all)
{
    const char *project = make_project(t);

    hand_in_plan(t, project, plan_after(NULL, LIMIT_DEPENDS + 1));
    CHECK_TRUE("accepted");
    json_t *before = ids_of_reply(t, LIMIT_DEPENDS), *more = ids_of_reply(t, LIMIT_DEPENDS + 1);

    hand_in_plan(t, project, plan_after(more, 2));
    CHECK_FALSE("accepted");
    CHECK_COUNT("tasks", 0);
    CHECK_TEXT("problems.0", "Task 1 has 101 dependencies, more than 100: no task was made.");
    hand_in_plan(t, project, plan_after(before, LIMIT_RESULT_TASKS + 1));
    CHECK_FALSE("accepted");
    CHECK_COUNT("problems", 1);
    assert_int_equal(count_rows(t, "tasks WHERE project_id = '%s'", project), LIMIT_DEPENDS + 1);

    hand_in_plan(t, project, plan_after(before, LIMIT_RESULT_TASKS));
    CHECK_TRUE("accepted");
    CHECK_COUNT("problems", 0);
    CHECK_COUNT("tasks", LIMIT_RESULT_TASKS);
    CHECK_COUNT("tasks.499.depends_on", LIMIT_DEPENDS);
    assert_int_equal(
        count_rows(t, "task_deps d JOIN tasks t ON t.id = d.task_id WHERE t.project_id = '%s'", project),
        LIMIT_RESULT_TASKS * LIMIT_DEPENDS);
    json_decref(before);
    json_decref(more);
}

CONTRACT(the_dreamer_writes_when_nothing_is_open)
{
    const char *project = make_project(t), *set;

    hand_in(t, project, "dreamer", "goals",
            "{\"prd\": \"Sell more.\", \"open_questions\": [{\"text\": \"To whom?\"}]}");
    CHECK_COUNT("questions", 1);
    set = text_at(t, "notificationId");
    call(t, "prd_get", "{s:s, s:s}", "id", project, "sectionKey", "goals");
    CHECK_STATUS(404);
    call(t, "prd_context", "{s:s, s:s}", "id", project, "sectionKey", "goals");
    CHECK_STATUS(200);
    hand_in(t, project, "dreamer", "goals", "{\"prd\": \"Sell more.\"}");
    CHECK_FALSE("accepted");
    CHECK_TEXT("notificationId", set);
    CHECK_COUNT("questions", 0);
    CHECK_COUNT("problems", 1);
    call(t, "prd_get", "{s:s, s:s}", "id", project, "sectionKey", "goals");
    CHECK_STATUS(404);
    call(t, "open_question_dismiss", "{s:s, s:s}", "id", project, "nid", set);
    hand_in(t, project, "dreamer", "goals", "{\"prd\": \"Sell more.\", \"plan\": \"No.\"}");
    CHECK_TRUE("accepted");
    CHECK_COUNT("problems", 1);
    call(t, "prd_get", "{s:s, s:s}", "id", project, "sectionKey", "goals");
    CHECK_TEXT("text", "Sell more.");
    CHECK_TEXT("author", "dreamer");
}
