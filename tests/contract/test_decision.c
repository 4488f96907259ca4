#include "project_steps.h"
#include "questions.h"

static const char *project_with(struct t *t, const char *word)
{
    call(t, "project_create", "{s:s, s:s}", "name", "Shop", "hilConfig", word);
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static const char *decide(struct t *t, const char *project, const char *category)
{
    call(t, "decision_create", "{s:s, s:s, s:s, s:s, s:{s:s}}", "id", project, "category", category,
         "description", "Add an export", "agent", "Coder", "details", "format", "PDF");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static void get_decision(struct t *t, const char *project, const char *id)
{
    call(t, "decision_get", "{s:s, s:s}", "id", project, "did", id);
    CHECK_STATUS(200);
}

/* Nine combinations, and a category that nobody has named, under each level. */
CONTRACT(a_level_settles_its_category)
{
    static const char *const categories[] = { "scopeChanges", "architectureDecisions",
                                              "dependencyModifications" };
    static const struct {
        const char *level, *status, *source;
        int notified;
    } levels[] = {
        { "automated", "approved", "policy", 0 },
        { "notify_and_proceed", "approved", "policy", 1 },
        { "requires_approval", "pending", NULL, 0 },
    };

    for (size_t c = 0; c < 3; c++) {
        for (size_t l = 0; l < 3; l++) {
            const char *project = project_with(t, "confirm_all"), *id;

            call(t, "project_update", "{s:s, s:{s:s}}", "id", project, "hilConfig", categories[c],
                 levels[l].level);
            id = decide(t, project, categories[c]);
            CHECK_TEXT("status", levels[l].status);
            CHECK_TEXT("outcome.source", levels[l].source);
            CHECK_TEXT("level", levels[l].level);
            CHECK_TEXT("questionId", levels[l].source ? NULL : id);
            assert_int_equal(count_rows(t, "notifications WHERE ref_type = 'decision' AND ref_id = '%s'", id),
                             levels[l].notified);
            get_decision(t, project, id);
            CHECK_TEXT("status", levels[l].status);
            CHECK_TEXT("details.format", "PDF");
        }
    }
}

CONTRACT(under_full_nothing_waits_and_under_confirm_all_everything_does)
{
    static const struct {
        const char *word, *category, *status;
    } cases[] = {
        { "full", "scopeChanges", "approved" },
        { "full", "architectureDecisions", "approved" },
        { "full", "dependencyModifications", "approved" },
        { "major_only", "scopeChanges", "pending" },
        { "major_only", "architectureDecisions", "pending" },
        { "major_only", "dependencyModifications", "approved" },
        { "confirm_all", "scopeChanges", "pending" },
        { "confirm_all", "architectureDecisions", "pending" },
        { "confirm_all", "dependencyModifications", "pending" },
        /* What no config names requires approval, whatever it says about the rest. */
        { "full", "lunch", "pending" },
        { "full", "ScopeChanges", "pending" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        decide(t, project_with(t, cases[i].word), cases[i].category);
        CHECK_TEXT("status", cases[i].status);
    }
}

CONTRACT(an_approval_is_one_row_answered_either_way)
{
    const char *project = project_with(t, "confirm_all");
    const char *first = decide(t, project, "scopeChanges"), *second = decide(t, project, "scopeChanges");

    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 2);
    CHECK_TEXT("notifications.0.id", second);
    CHECK_TEXT("notifications.0.kind", "approval");
    CHECK_TEXT("notifications.0.source", "decision");
    CHECK_TEXT("notifications.0.sourceId", second);
    CHECK_TEXT("notifications.0.questions.0.text", "Add an export");
    call(t, "question_answer", "{s:s, s:{s:s, s:b}}", "id", first, "response", "type", "approval", "value",
         1);
    CHECK_STATUS(200);
    get_decision(t, project, first);
    CHECK_TEXT("status", "approved");
    CHECK_TEXT("outcome.source", "human");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", second, "approved", 1);
    CHECK_STATUS(200);
    CHECK_TEXT("status", "resolved");
    CHECK_TRUE("approved");
    get_decision(t, project, second);
    CHECK_TEXT("status", "approved");
    call(t, "question_get", "{s:s}", "id", second);
    CHECK_TEXT("question.status", "answered");
    call(t, "open_question_list", "{s:s}", "id", project);
    CHECK_COUNT("notifications", 0);
    /* Once settled it stays so. */
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", second, "approved", 0);
    CHECK_STATUS(200);
    CHECK_TRUE("approved");
    assert_int_equal(count_rows(t, "open_questions WHERE project_id = '%s'", project), 0);
}

/* Streams tell of it as a notification: what they told is enough to settle it. */
CONTRACT(an_approval_is_settled_by_the_id_of_its_notification)
{
    const char *project = project_with(t, "confirm_all"), *id = decide(t, project, "scopeChanges"), *inbox;
    const char *other = project_with(t, "confirm_all");
    json_t *told;

    call(t, "notification_list", "{}");
    CHECK_TEXT("notifications.0.ref.id", id);
    inbox = text_at(t, "notifications.0.id");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", other, "nid", inbox, "approved", 1);
    CHECK_STATUS(404);
    call(t, "open_question_get", "{s:s, s:s}", "id", project, "nid", inbox);
    CHECK_TEXT("id", id);
    call(t, "open_question_resolve", "{s:s, s:s, s:b, s:[{s:s, s:s}]}", "id", project, "nid", inbox,
         "approved", 1, "responses", "questionId", id, "answer", "Go");
    CHECK_STATUS(200);
    get_decision(t, project, id);
    CHECK_TEXT("status", "approved");
    CHECK_TEXT("comment", "Go");
    told = last_event(t, project, "notification.resolved");
    assert_string_equal(json_string_value(json_object_get(told, "id")), inbox);
    assert_string_equal(json_string_value(json_object_get(told, "kind")), "approval");
    assert_string_equal(json_string_value(json_object_get(told, "title")), "Coder needs your approval");
    assert_string_equal(json_string_value(json_object_get(told, "projectId")), project);
    assert_true(json_is_true(json_object_get(told, "resolved")));
    json_decref(told);
}

struct contested {
    const char *project, *decision;
};

static bool settle_somehow(struct t *t, int number, void *user)
{
    const struct contested *contested = user;

    if (number == 0)
        return call(t, "open_question_clear", "{s:s}", "id", contested->project) == 200;
    return call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", contested->project, "nid",
                contested->decision, "approved", number % 2) == 200;
}

CONTRACT(of_many_who_settle_an_approval_at_once_none_fails)
{
    for (int round = 0; round < 10; round++) {
        struct contested contested = { .project = project_with(t, "confirm_all") };

        contested.decision = decide(t, contested.project, "scopeChanges");
        assert_int_equal(race(t, 4, settle_somehow, &contested), 4);
        call(t, "open_question_list", "{s:s}", "id", contested.project);
        CHECK_COUNT("notifications", 0);
    }
}

CONTRACT(only_a_yes_is_a_yes)
{
    const char *project = project_with(t, "confirm_all");
    const char *dismissed = decide(t, project, "scopeChanges"), *refused = decide(t, project, "scopeChanges");
    const char *cleared = decide(t, project, "scopeChanges");

    call(t, "open_question_resolve", "{s:s, s:s}", "id", project, "nid", dismissed);
    CHECK_STATUS(200);
    CHECK_FALSE("approved");
    call(t, "open_question_resolve", "{s:s, s:s, s:b, s:[{s:s, s:s}]}", "id", project, "nid", refused,
         "approved", 0, "responses", "questionId", refused, "answer", "Not this month.");
    CHECK_FALSE("approved");
    CHECK_TEXT("responses.0.answer", "Not this month.");
    call(t, "open_question_clear", "{s:s}", "id", project);
    CHECK_INT("deletedCount", 1);
    for (size_t i = 0; i < 3; i++) {
        get_decision(t, project, (const char *[]){ dismissed, refused, cleared }[i]);
        CHECK_TEXT("status", "rejected");
        CHECK_TEXT("outcome.source", "human");
    }
    decide(t, project, "scopeChanges");
    t->as = t->agent;
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", text_at(t, "id"), "approved",
         1);
    CHECK_STATUS(403);
}

/* Nobody is told that it is settled who has asked for it themselves. */
CONTRACT(an_approval_is_not_settled_by_who_asked_for_it)
{
    const char *project = project_with(t, "confirm_all"), *maya = make_user(t, "Maya", "member"), *id;

    t->as = session_for(t, maya);
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges", "description",
         "Add an export");
    CHECK_STATUS(201);
    id = text_at(t, "id");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", id, "approved", 1);
    CHECK_STATUS(403);
    assert_non_null(strstr(text_at(t, "error"), "You asked for this yourself"));
    get_decision(t, project, id);
    CHECK_TEXT("status", "pending");
    t->as = t->owner;
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", id, "approved", 1);
    CHECK_TRUE("approved");
}

CONTRACT(silence_is_a_no)
{
    const char *project = project_with(t, "confirm_all"), *id = decide(t, project, "scopeChanges");

    advance(t, 16 * 60 * 1000);
    get_decision(t, project, id);
    CHECK_TEXT("status", "rejected");
    CHECK_TEXT("outcome.source", "timeout");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", id, "approved", 1);
    CHECK_STATUS(200);
    CHECK_FALSE("approved");
    get_decision(t, project, id);
    CHECK_TEXT("status", "rejected");
}

CONTRACT(a_change_of_levels_does_not_change_what_waits)
{
    const char *project = project_with(t, "confirm_all"), *id = decide(t, project, "scopeChanges");

    call(t, "project_update", "{s:s, s:s}", "id", project, "hilConfig", "full");
    CHECK_STATUS(200);
    get_decision(t, project, id);
    CHECK_TEXT("status", "pending");
    CHECK_TEXT("level", "requires_approval");
    decide(t, project, "scopeChanges");
    CHECK_TEXT("status", "approved");
    call(t, "open_question_resolve", "{s:s, s:s, s:b}", "id", project, "nid", id, "approved", 0);
    get_decision(t, project, id);
    CHECK_TEXT("status", "rejected");
    call(t, "decision_list", "{s:s}", "id", project);
    CHECK_COUNT("decisions", 2);
    call(t, "decision_list", "{s:s, s:b}", "id", project, "pending", 1);
    CHECK_COUNT("decisions", 0);
}

CONTRACT(deleting_a_project_cancels_what_waits_in_it)
{
    const char *project = project_with(t, "confirm_all"), *id = decide(t, project, "scopeChanges");

    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    call(t, "decision_get", "{s:s, s:s}", "id", project, "did", id);
    CHECK_STATUS(404);
    call(t, "question_get", "{s:s}", "id", id);
    CHECK_TEXT("question.status", "cancelled");
}
