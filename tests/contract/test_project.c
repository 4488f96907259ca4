#include "project_steps.h"

#include "core/work/autonomy.h"

static const char *const categories[] = { "scopeChanges", "architectureDecisions",
                                          "dependencyModifications" };

CONTRACT(a_new_project_confirms_everything)
{
    call(t, "project_create", "{s:s, s:s}", "name", "Shop", "description", "Sells things.");
    CHECK_STATUS(201);
    CHECK_TEXT("name", "Shop");
    CHECK_TEXT("description", "Sells things.");
    CHECK_TEXT("autonomyLevel", "confirm_all");
    CHECK_TEXT("autonomyDescription", "Confirm all changes before proceeding");
    for (size_t i = 0; i < 3; i++)
        CHECK_TEXT(arena_format(&t->arena, "hilConfig.%s", categories[i]), "requires_approval");
    const char *id = text_at(t, "id");

    call(t, "project_get", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TEXT("id", id);
    call(t, "project_list", "{}");
    CHECK_COUNT("projects", 1);
    CHECK_NULL("nextCursor");
}

CONTRACT(levels_of_autonomy_have_one_word_each)
{
    static const struct {
        const char *word, *levels[3], *description;
    } words[] = {
        { "confirm_all",
          { "requires_approval", "requires_approval", "requires_approval" },
          "Confirm all changes before proceeding" },
        { "major_only",
          { "requires_approval", "requires_approval", "notify_and_proceed" },
          "Confirm all changes before proceeding; Notify user but proceed" },
        { "full", { "automated", "automated", "automated" }, "Full autonomy: proceed without confirmation" },
    };

    for (size_t i = 0; i < 3; i++) {
        call(t, "project_create", "{s:s, s:s}", "name", "Shop", "hilConfig", words[i].word);
        CHECK_STATUS(201);
        CHECK_TEXT("autonomyLevel", words[i].word);
        CHECK_TEXT("autonomyDescription", words[i].description);
        for (size_t c = 0; c < 3; c++)
            CHECK_TEXT(arena_format(&t->arena, "hilConfig.%s", categories[c]), words[i].levels[c]);
    }
}

/* Every category with every level, the others left as they are: nine combinations. */
CONTRACT(every_category_has_every_level)
{
    static const struct {
        const char *level, *sentence;
    } levels[] = {
        { "automated", "Full autonomy: proceed without confirmation" },
        { "notify_and_proceed", "Notify user but proceed" },
        { "requires_approval", "Confirm all changes before proceeding" },
    };
    static const char *const titles[] = { "Scope changes", "Architecture decisions",
                                          "Dependency modifications" };
    const char *project = make_project(t), *task = make_task(t, project, "Build it");

    for (size_t c = 0; c < 3; c++) {
        for (size_t l = 0; l < 3; l++) {
            call(t, "project_update", "{s:s, s:{s:s}}", "id", project, "hilConfig", categories[c],
                 levels[l].level);
            CHECK_STATUS(200);
            call(t, "task_config", "{s:s, s:s}", "id", project, "tid", task);
            CHECK_TEXT("taskId", task);
            CHECK_TEXT("projectId", project);
            CHECK_TEXT(arena_format(&t->arena, "hilConfig.%s", categories[c]), levels[l].level);
            CHECK_TEXT("autonomyLevel", strcmp(levels[l].level, "requires_approval") == 0 ? "confirm_all"
                                        : c == 2 && strcmp(levels[l].level, "notify_and_proceed") == 0
                                            ? "major_only"
                                            : "custom");
            assert_non_null(strstr(text_at(t, "autonomyDescription"), levels[l].sentence));
            call(t, "task_context", "{s:s, s:s}", "id", project, "tid", task);
            assert_non_null(strstr(text_at(t, "prompt"),
                                   arena_format(&t->arena, "%s: %s\n", titles[c], levels[l].sentence)));
        }
    }
}

CONTRACT(a_level_nobody_knows_is_refused_and_a_category_ignored)
{
    const char *project;

    call(t, "project_create", "{s:s, s:{s:s}}", "name", "Shop", "hilConfig", "scopeChanges", "sometimes");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "hilConfig");
    call(t, "project_create", "{s:s, s:s}", "name", "Shop", "hilConfig", "reckless");
    CHECK_STATUS(400);
    call(t, "project_create", "{s:s, s:i}", "name", "Shop", "hilConfig", 1);
    CHECK_STATUS(400);
    /* What nearly is one of its own was meant to be. */
    call(t, "project_create", "{s:s, s:{s:s}}", "name", "Shop", "hilConfig", "scopeChange", "automated");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "hilConfig.scopeChange");
    CHECK_TEXT("hint", "The nearest is scopeChanges; docs/api.md lists them all.");
    call(t, "project_create", "{s:s, s:{s:s, s:s}}", "name", "Shop", "hilConfig", "scopeChanges", "automated",
         "lunch", "automated");
    CHECK_STATUS(201);
    assert_int_equal(json_object_size(at(t, "hilConfig")), 3);
    CHECK_TEXT("hilConfig.architectureDecisions", "requires_approval");
    project = text_at(t, "id");
    /* What a change does not name stays. */
    call(t, "project_update", "{s:s, s:{s:s}}", "id", project, "hilConfig", "architectureDecisions",
         "notify_and_proceed");
    CHECK_TEXT("hilConfig.scopeChanges", "automated");
    CHECK_TEXT("hilConfig.architectureDecisions", "notify_and_proceed");
    CHECK_TEXT("hilConfig.dependencyModifications", "requires_approval");
}

CONTRACT(agents_do_not_change_their_own_autonomy)
{
    const char *project = make_project(t);

    t->as = t->agent;
    call(t, "project_update", "{s:s, s:s}", "id", project, "hilConfig", "full");
    CHECK_STATUS(403);
    call(t, "project_get", "{s:s}", "id", project);
    CHECK_TEXT("autonomyLevel", "confirm_all");
}

CONTRACT(a_token_bound_to_a_project_knows_no_other)
{
    const char *mine = make_project(t), *other = make_project(t);
    const char *task = make_task(t, other, "Elsewhere");

    call(t, "token_create", "{s:s, s:s, s:s}", "name", "bound", "role", "admin", "projectId", mine);
    CHECK_STATUS(201);
    t->as = text_at(t, "secret");
    call(t, "project_list", "{}");
    CHECK_COUNT("projects", 1);
    CHECK_TEXT("projects.0.id", mine);
    make_task(t, mine, "Here");
    call(t, "project_get", "{s:s}", "id", other);
    CHECK_STATUS(404);
    call(t, "project_update", "{s:s, s:s}", "id", other, "name", "Taken");
    CHECK_STATUS(404);
    call(t, "project_delete", "{s:s}", "id", other);
    CHECK_STATUS(404);
    call(t, "task_get", "{s:s, s:s}", "id", other, "tid", task);
    CHECK_STATUS(404);
    call(t, "task_get", "{s:s, s:s}", "id", mine, "tid", task);
    CHECK_STATUS(404);
    call(t, "open_question_list", "{s:s}", "id", other);
    CHECK_STATUS(404);
    call(t, "feedback_create", "{s:s, s:s}", "id", other, "text", "Hello");
    CHECK_STATUS(404);
    call(t, "project_create", "{s:s}", "name", "Another");
    CHECK_STATUS(403);
}

static const char *ask_about(struct t *t, const char *project, const char *type)
{
    call(t, "job_create", "{s:s, s:s}", "projectId", project, "status", "running");
    call(t, "question_ask", "{s:s, s:s, s:s, s:s, s:{s:s, s:s}}", "id", text_at(t, "id"), "question",
         "Which port?", "type", type, "responseType", "text", "defaultResponse", "type", "text", "value",
         "80");
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

/* Not by what was asked in the same words, nor by what was said about a task. */
CONTRACT(a_token_bound_to_a_project_overhears_nothing_of_the_others)
{
    const char *mine = make_project(t), *other = make_project(t), *secret;
    const char *task = make_task(t, other, "Elsewhere"), *theirs, *asked;

    call(t, "task_chat_post", "{s:s, s:s, s:s}", "id", other, "tid", task, "message", "Secret of the other");
    CHECK_STATUS(201);
    theirs = ask_about(t, other, "non_blocking");
    call(t, "question_answer", "{s:s, s:{s:s, s:s}}", "id", theirs, "response", "type", "text", "value",
         "22");
    CHECK_STATUS(200);
    ask_about(t, other, "blocking");
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "bound", "role", "member", "projectId", mine);
    secret = text_at(t, "secret");
    call(t, "chat_list", "{s:s}", "task_ref", task);
    CHECK_COUNT("messages", 1);

    t->as = secret;
    call(t, "chat_list", "{s:s}", "task_ref", task);
    CHECK_COUNT("messages", 0);
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 0);
    asked = ask_about(t, mine, "blocking");
    call(t, "question_similar", "{s:s}", "id", asked);
    CHECK_STATUS(200);
    CHECK_COUNT("questions", 0);
    asked = ask_about(t, mine, "non_blocking");
    CHECK_NULL("preference");
    call(t, "question_suggestion", "{s:s}", "id", asked);
    CHECK_STATUS(200);
    CHECK_COUNT("precedents", 0);
    t->as = t->owner;
    call(t, "question_suggestion", "{s:s}", "id", asked);
    CHECK_COUNT("precedents", 1);
}

/* Nobody is left waiting for an answer, nor may others give one that the project kept for some. */
CONTRACT(deleting_a_project_cancels_what_is_asked_in_it)
{
    const char *project = make_project(t), *job, *first, *last = NULL;

    first = ask_about(t, project, "blocking");
    call(t, "question_get", "{s:s}", "id", first);
    job = text_at(t, "question.jobId");
    if (t->door == DOOR_TABLE)
        for (int i = 0; i < 250; i++)
            last = ask_about(t, project, "blocking");
    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    call(t, "question_get", "{s:s}", "id", first);
    CHECK_TEXT("question.status", "cancelled");
    CHECK_TEXT("question.outcome.source", "cancelled");
    call(t, "job_get", "{s:s}", "id", job);
    CHECK_TEXT("status", "running");
    if (last) {
        call(t, "question_get", "{s:s}", "id", last);
        CHECK_TEXT("question.status", "cancelled");
    }
}

CONTRACT(deleting_a_project_takes_everything_with_it)
{
    const char *project = make_project(t), *first = make_task(t, project, "First");

    make_dependent(t, project, "Second", first);
    call(t, "feedback_create", "{s:s, s:s}", "id", project, "text", "Nice.");
    call(t, "prd_put", "{s:s, s:s, s:s}", "id", project, "sectionKey", "goals", "text", "Sell.");
    CHECK_STATUS(201);
    hand_in(t, project, "coder", first,
            "{\"status\": \"failed\", \"open_questions\": [{\"text\": \"Which shop?\"}]}");
    CHECK_STATUS(201);
    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "tasks WHERE project_id = '%s'", project), 0);
    assert_int_equal(count_rows(t, "open_questions WHERE project_id = '%s'", project), 0);
    assert_int_equal(count_rows(t, "feedback WHERE project_id = '%s'", project), 0);
    assert_int_equal(count_rows(t, "documents WHERE project_id = '%s'", project), 0);
    assert_int_equal(count_rows(t, "notifications WHERE project_id = '%s'", project), 0);
    assert_int_equal(count_rows(t, "task_deps WHERE depends_on = '%s'", first), 0);
    call(t, "task_ready", "{s:s}", "id", project);
    CHECK_STATUS(404);
}

CONTRACT(documents_keep_their_history)
{
    const char *project = make_project(t);

    call(t, "plan_get", "{s:s, s:s}", "id", project, "planId", "plan/1");
    CHECK_STATUS(404);
    call(t, "plan_put", "{s:s, s:s, s:s}", "id", project, "planId", "plan/1", "text", "One");
    CHECK_STATUS(201);
    CHECK_TEXT("planId", "plan/1");
    CHECK_INT("version", 1);
    call(t, "plan_put", "{s:s, s:s, s:s}", "id", project, "planId", "plan/1", "text", "One");
    CHECK_STATUS(200);
    CHECK_INT("version", 1);
    call(t, "plan_put", "{s:s, s:s, s:s}", "id", project, "planId", "plan/1", "text", "Two");
    CHECK_INT("version", 2);
    call(t, "plan_get", "{s:s, s:s}", "id", project, "planId", "plan/1");
    CHECK_TEXT("text", "Two");
    CHECK_COUNT("history", 2);
    CHECK_INT("history.0.version", 2);
    call(t, "plan_get", "{s:s, s:s, s:i}", "id", project, "planId", "plan/1", "version", 1);
    CHECK_TEXT("text", "One");
    call(t, "plan_list", "{s:s}", "id", project);
    CHECK_COUNT("plans", 1);
    CHECK_INT("plans.0.version", 2);
    call(t, "prd_list", "{s:s}", "id", project);
    CHECK_COUNT("sections", 0);
}

CONTRACT(orchestrator_of_a_project_is_off_until_people_switch_it_on)
{
    const char *id = make_project(t);

    call(t, "project_get", "{s:s}", "id", id);
    CHECK_FALSE("orchestrator.on");
    CHECK_INT("orchestrator.parallel", 1);
    CHECK_TEXT("orchestrator.coder", "runner");
    call(t, "project_update", "{s:s, s:{s:b, s:i}}", "id", id, "orchestrator", "on", 1, "parallel", 3);
    CHECK_STATUS(200);
    CHECK_TRUE("orchestrator.on");
    CHECK_INT("orchestrator.parallel", 3);
    /* What is left out stays as it is. */
    call(t, "project_update", "{s:s, s:{s:b}}", "id", id, "orchestrator", "on", 0);
    CHECK_FALSE("orchestrator.on");
    CHECK_INT("orchestrator.parallel", 3);
    call(t, "project_update", "{s:s, s:s}", "id", id, "name", "Another name");
    CHECK_INT("orchestrator.parallel", 3);
}

CONTRACT(wrong_orchestrators_are_refused_by_their_member)
{
    const char *id = make_project(t);

    call(t, "project_update", "{s:s, s:{s:i}}", "id", id, "orchestrator", "parallel", 0);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "orchestrator.parallel");
    call(t, "project_update", "{s:s, s:{s:i}}", "id", id, "orchestrator", "parallel", 17);
    CHECK_STATUS(400);
    call(t, "project_update", "{s:s, s:{s:s}}", "id", id, "orchestrator", "coder", "nobody");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "orchestrator.coder");
    call(t, "project_get", "{s:s}", "id", id);
    CHECK_INT("orchestrator.parallel", 1);
    CHECK_TEXT("orchestrator.coder", "runner");
}
