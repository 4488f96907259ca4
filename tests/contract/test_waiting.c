/* One list of everything that waits, whoever asked and wherever. */
#include "council.h"
#include "project_steps.h"
#include "questions.h"

#include <string.h>

static const char *ask_for(struct t *t, const char *question, int minutes)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:i, s:s}", "question", question, "type", "blocking",
         "responseType", "text", "timeoutMinutes", minutes, "agent", "Builder");
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

CONTRACT(inbox_lists_everything_that_waits_the_most_urgent_first)
{
    const char *project = make_project(t), *task = make_task(t, project, "Write it");
    const char *late = ask_for(t, "Late?", 60), *soon = ask_for(t, "Soon?", 5);

    hand_in(t, project, "coder", task,
            "{\"open_questions\": [{\"text\": \"Which page?\"}, {\"text\": \"How slow?\"}]}");
    CHECK_STATUS(201);
    call(t, "decision_create", "{s:s, s:s, s:s}", "id", project, "category", "scopeChanges", "description",
         "Drop the page");
    CHECK_STATUS(201);
    call(t, "inbox_list", "{}");
    CHECK_STATUS(200);
    CHECK_COUNT("items", 4);
    CHECK_TEXT("items.0.id", soon);
    CHECK_TEXT("items.0.agent", "Builder");
    CHECK_TEXT("items.0.type", "blocking");
    CHECK_TEXT("items.2.id", late);
    CHECK_TEXT("items.3.type", "open_questions");
    CHECK_TEXT("items.3.text", "Which page?");
    CHECK_INT("items.3.questions", 2);
    CHECK_TEXT("items.3.projectId", project);
    assert_true(json_is_null(at(t, "items.3.timeoutAt")));
    call(t, "inbox_list", "{s:s}", "type", "open_questions");
    CHECK_COUNT("items", 1);
    call(t, "inbox_list", "{s:s, s:s}", "type", "blocking", "sort", "created");
    CHECK_COUNT("items", 2);
    CHECK_TEXT("items.0.id", late);
    call(t, "inbox_list", "{s:i}", "limit", 1);
    CHECK_COUNT("items", 1);
    assert_true(json_is_true(at(t, "more")));
    call(t, "inbox_list", "{s:s}", "projectId", project);
    CHECK_COUNT("items", 2);
}

/* More wait than are shown, and some have no deadline: each order begins with its own first. */
CONTRACT(a_short_inbox_begins_with_the_first_of_its_order)
{
    const char *undated, *late, *soon;

    call(t, "question_create", "{s:s, s:s, s:s, s:{s:s}}", "question", "Whenever?", "type", "non_blocking",
         "responseType", "text", "defaultResponse", "value", "Now.");
    CHECK_STATUS(201);
    undated = text_at(t, "questionId");
    assert_true(json_is_null(at(t, "timeoutAt")));
    late = ask_for(t, "Late?", 60);
    soon = ask_for(t, "Soon?", 5);
    call(t, "inbox_list", "{s:i}", "limit", 1);
    CHECK_TEXT("items.0.id", soon);
    CHECK_TRUE("more");
    call(t, "inbox_list", "{s:i, s:s}", "limit", 1, "sort", "created");
    CHECK_TEXT("items.0.id", undated);
    CHECK_TRUE("more");
    call(t, "inbox_list", "{s:i}", "limit", 2);
    CHECK_TEXT("items.1.id", late);
    CHECK_TRUE("more");
    call(t, "inbox_list", "{s:i}", "limit", 3);
    CHECK_TEXT("items.2.id", undated);
    CHECK_FALSE("more");
    call(t, "inbox_list", "{s:s}", "type", "non_blocking");
    CHECK_COUNT("items", 1);
}

CONTRACT(inbox_holds_the_prompts_that_mention_the_caller_until_they_are_answered)
{
    const char *maya = session_for(t, make_user(t, "Maya", "member"));
    const char *id;

    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message",
         arena_format(&t->arena, "Ask @Maya-%.12s, please.", t->workspace + 24));
    CHECK_STATUS(201);
    id = text_at(t, "prompt.id");
    call(t, "inbox_list", "{}");
    CHECK_COUNT("items", 0);
    t->as = maya;
    call(t, "inbox_list", "{}");
    CHECK_COUNT("items", 1);
    CHECK_TEXT("items.0.type", "prompt");
    CHECK_TEXT("items.0.id", id);
    call(t, "prompt_respond", "{s:s, s:s, s:s, s:b}", "id", id, "agent_name",
         arena_format(&t->arena, "Maya-%.12s", t->workspace + 24), "message", "Yes.", "is_human", 1);
    CHECK_STATUS(201);
    call(t, "inbox_list", "{}");
    CHECK_COUNT("items", 0);
}

CONTRACT(inbox_shows_no_other_project_to_a_bound_token)
{
    const char *project = make_project(t), *other = make_project(t);

    hand_in(t, other, "coder", make_task(t, other, "Write it"),
            "{\"open_questions\": [{\"text\": \"Which page?\"}]}");
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "bound", "role", "member", "projectId", project);
    CHECK_STATUS(201);
    t->as = text_at(t, "secret");
    call(t, "inbox_list", "{}");
    CHECK_STATUS(200);
    CHECK_COUNT("items", 0);
    call(t, "inbox_list", "{s:s}", "projectId", other);
    CHECK_STATUS(404);
}

CONTRACT(inbox_holds_the_turns_that_people_owe_until_they_are_taken)
{
    const char *maya = make_user(t, "Maya", "member"), *id;

    make_external_agent(t, "Eve", "critic");
    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s, s:s}, {s:s}]}", "topic", "Which way?", "mode",
         "rounds", "rounds", 1, "participants", "role", "user", "userId", maya, "agentName", "Eve");
    CHECK_STATUS(201);
    id = text_at(t, "discussion.id");
    PLAY(t, { "", "", NULL, false });
    call(t, "inbox_list", "{}");
    CHECK_STATUS(200);
    CHECK_COUNT("items", 1);
    CHECK_TEXT("items.0.type", "turn");
    CHECK_TEXT("items.0.text", "Which way?");
    CHECK_TEXT("items.0.discussionId", id);
    CHECK_TEXT("items.0.assignedTo", maya);
    CHECK_TEXT("items.0.assignee", arena_format(&t->arena, "Maya-%.12s", t->workspace + 24));
    assert_true(json_is_string(at(t, "items.0.timeoutAt")));
    call(t, "inbox_list", "{s:s}", "type", "prompt");
    CHECK_COUNT("items", 0);
    call(t, "inbox_list", "{s:s}", "projectId", make_project(t));
    CHECK_COUNT("items", 0);
    t->as = session_for(t, maya);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "userId", maya, "content", "This way.");
    CHECK_STATUS(201);
    t->as = t->owner;
    PLAY(t, { "", "", NULL, false });
    call(t, "turn_list", "{s:s}", "agent", "Eve");
    CHECK_COUNT("turns", 1);
    call(t, "inbox_list", "{s:s}", "type", "turn");
    CHECK_COUNT("items", 0);
}
