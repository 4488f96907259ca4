#include "questions.h"

/* Two options without ids. */
static json_t *choices(void)
{
    return json_pack("[{s:s, s:s}, {s:s, s:s}]", "label", "Postgres", "value", "pg", "label", "SQLite",
                     "value", "lite");
}

CONTRACT(question_is_asked_answered_and_the_job_goes_on)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    check_job(t, job, "waiting_for_input");
    show(t, id);
    CHECK_STATUS(200);
    CHECK_TEXT("question.status", "pending");
    CHECK_TEXT("question.jobId", job);
    CHECK_TEXT("question.askedBy", "Builder");
    CHECK_NULL("question.outcome");
    answer_text(t, id, "The admin");
    CHECK_STATUS(200);
    CHECK_TRUE("success");
    CHECK_TRUE("jobResumed");
    check_job(t, job, "running");
    show(t, id);
    CHECK_TEXT("question.status", "answered");
    CHECK_TEXT("question.response.value", "The admin");
    CHECK_TEXT("question.response.type", "text");
    CHECK_TEXT("question.outcome.source", "human");
    CHECK_TEXT("question.outcome.by", "owner");
    assert_non_null(text_at(t, "question.respondedBy"));
    assert_int_equal(count_events(t, job, "question_asked"), 1);
    assert_int_equal(count_events(t, job, "question_answered"), 1);
    assert_int_equal(count_events(t, job, "status"), 2);
}

/* Every row of the tables: how a type weighs on its job, how long it waits, which answers fit. */
CONTRACT(question_types_and_response_types_all_meet)
{
    static const struct {
        const char *type, *waiting;
        int64_t minutes;
    } types[] = {
        { "blocking", "waiting_for_input", 30 },
        { "non_blocking", "running", 0 },
        { "approval", "waiting_for_approval", 15 },
        { "error_recovery", "waiting_for_input", 10 },
    };
    static const struct {
        const char *type, *no, *yes;
    } responses[] = {
        { "text", "{\"value\":\"no\"}", "{\"value\":\"yes\"}" },
        { "choice", "{\"value\":\"pg\"}", "{\"value\":\"o2\"}" },
        { "boolean", "{\"value\":false}", "{\"value\":true}" },
        { "approval", "{\"value\":false}", "{\"value\":true}" },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (size_t j = 0; j < sizeof(responses) / sizeof(responses[0]); j++) {
            for (int with_default = 0; with_default < 2; with_default++) {
                const char *job = make_job(t), *id;
                bool consent = strcmp(types[i].type, "approval") == 0;
                json_t *wish = json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "id", job, "question", "Which?",
                                         "type", types[i].type, "responseType", responses[j].type,
                                         "allowDefaultApprove", consent, "options", choices());

                assert_non_null(wish);
                if (with_default)
                    json_object_set_new(wish, "defaultResponse", json_loads(responses[j].no, 0, NULL));
                call_json(t, "question_ask", wish);
                json_decref(wish);
                if (!with_default && types[i].minutes == 0) {
                    CHECK_STATUS(400);
                    CHECK_TEXT("field", "defaultResponse");
                    continue;
                }
                CHECK_STATUS(201);
                id = text_at(t, "questionId");
                check_job(t, job, types[i].waiting);
                show(t, id);
                if (types[i].minutes == 0) {
                    CHECK_NULL("question.timeoutAt");
                } else {
                    int64_t asked, due;

                    assert_true(clock_parse(text_at(t, "question.createdAt"), &asked));
                    assert_true(clock_parse(text_at(t, "question.timeoutAt"), &due));
                    assert_int_equal(due - asked, types[i].minutes * MINUTE);
                }
                call(t, "question_answer", "{s:s, s:o}", "id", id, "response",
                     json_loads(responses[j].yes, 0, NULL));
                CHECK_STATUS(200);
                assert_int_equal(json_is_true(at(t, "jobResumed")), types[i].minutes != 0);
                check_job(t, job, "running");
            }
        }
    }
}

CONTRACT(question_answers_must_fit_the_response_type)
{
    static const struct {
        const char *response_type, *response;
        int status;
    } rows[] = {
        { "text", "{\"type\":\"text\",\"value\":\"  \"}", 400 },
        { "text", "{\"type\":\"text\",\"value\":7}", 400 },
        { "text", "{\"type\":\"text\",\"value\":true}", 400 },
        { "text", "{\"type\":\"text\"}", 400 },
        { "text", "{\"type\":\"choice\",\"value\":\"x\"}", 400 },
        { "text", "{\"value\":\"fine\"}", 200 },
        { "choice", "{\"type\":\"choice\",\"value\":\"mysql\"}", 400 },
        { "choice", "{\"type\":\"choice\",\"text\":\"my own\"}", 400 },
        { "choice", "{\"type\":\"choice\",\"value\":\"pg\"}", 200 },
        { "choice", "{\"type\":\"choice\",\"value\":\"o1\"}", 200 },
        { "boolean", "{\"type\":\"boolean\",\"value\":\"true\"}", 400 },
        { "boolean", "{\"type\":\"boolean\",\"value\":1}", 400 },
        { "boolean", "{\"type\":\"boolean\",\"value\":false}", 200 },
        { "approval", "{\"type\":\"approval\",\"value\":\"yes\"}", 400 },
        { "approval", "{\"type\":\"approval\",\"value\":null}", 400 },
        { "approval", "{\"type\":\"approval\",\"value\":true,\"args\":{}}", 400 }, /* no action to change */
        { "approval", "{\"type\":\"approval\",\"value\":true,\"text\":\"go\"}", 200 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *job = make_job(t);
        const char *id = ask_in(t, job, "{s:s, s:s, s:s, s:o}", "question", "Which?", "type", "blocking",
                                "responseType", rows[i].response_type, "options", choices());

        CHECK_STATUS(201);
        call(t, "question_answer", "{s:s, s:o}", "id", id, "response", json_loads(rows[i].response, 0, NULL));
        CHECK_STATUS(rows[i].status);
        if (rows[i].status == 400)
            check_job(t, job, "waiting_for_input");
    }
}

CONTRACT(question_choice_is_named_by_value_or_id_and_may_be_in_own_words)
{
    const char *job = make_job(t), *id;

    id = ask_in(t, job, "{s:s, s:s, s:s, s:b, s:o}", "question", "Which?", "type", "blocking", "responseType",
                "choice", "allowOther", 1, "options", choices());
    CHECK_STATUS(201);
    answer(t, id, "{s:s, s:s}", "type", "choice", "text", "A third way");
    CHECK_STATUS(200);
    show(t, id);
    CHECK_NULL("question.response.value");
    CHECK_TEXT("question.response.text", "A third way");
    CHECK_TEXT("question.options.0.id", "o1");
    CHECK_TEXT("question.options.1.id", "o2");

    id = ask_in(t, job, "{s:s, s:s, s:s, s:o}", "question", "Which?", "type", "blocking", "responseType",
                "choice", "options", choices());
    answer(t, id, "{s:s, s:s}", "value", "o2", "text", "small");
    show(t, id);
    CHECK_TEXT("question.response.value", "lite");
    CHECK_TEXT("question.response.text", "small");
}

/* Words are no yes that could be counted, so nothing pretends to count them. */
CONTRACT(question_approval_in_words_counts_no_approvals)
{
    const char *job = make_job(t), *id;

    id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType", "text");
    CHECK_STATUS(201);
    answer(t, id, "{s:s, s:s}", "type", "text", "value", "Yes, but not on a Friday");
    CHECK_STATUS(200);
    show(t, id);
    CHECK_NULL("question.approvals");

    id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Deploy?", "type", "approval", "responseType",
                "boolean");
    answer(t, id, "{s:s, s:b}", "type", "boolean", "value", 1);
    CHECK_STATUS(200);
    show(t, id);
    CHECK_INT("question.approvals.have", 1);
}

CONTRACT(question_asking_is_checked)
{
    static const struct {
        const char *params, *field;
    } rows[] = {
        { "{\"type\":\"blocking\",\"responseType\":\"text\"}", "question" },
        { "{\"question\":\" \",\"type\":\"blocking\",\"responseType\":\"text\"}", "question" },
        { "{\"question\":\"Q\",\"responseType\":\"text\"}", "type" },
        { "{\"question\":\"Q\",\"type\":\"blocking\"}", "responseType" },
        { "{\"question\":\"Q\",\"type\":\"urgent\",\"responseType\":\"text\"}", "type" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"number\"}", "responseType" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"choice\"}", "options" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"choice\",\"options\":[]}",
          "options" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"choice\",\"options\":[{}]}",
          "options" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"choice\",\"options\":"
          "[{\"label\":\"A\",\"value\":\"x\"},{\"label\":\"B\",\"value\":\"x\"}]}",
          "options" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"choice\",\"options\":"
          "[{\"label\":\"A\",\"value\":7}]}",
          "options" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"timeoutMinutes\":4.9}",
          "timeoutMinutes" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"timeoutMinutes\":1441}",
          "timeoutMinutes" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"timeoutMinutes\":-5}",
          "timeoutMinutes" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"timeoutMinutes\":\"5\"}",
          "timeoutMinutes" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"defaultResponse\":"
          "{\"value\":7}}",
          "defaultResponse" },
        { "{\"question\":\"Q\",\"type\":\"approval\",\"responseType\":\"approval\",\"defaultResponse\":"
          "{\"value\":true}}",
          "defaultResponse" },
        { "{\"question\":\"Q\",\"type\":\"approval\",\"responseType\":\"boolean\",\"defaultResponse\":"
          "{\"value\":true}}",
          "defaultResponse" },
        { "{\"question\":\"Q\",\"type\":\"approval\",\"responseType\":\"text\",\"defaultResponse\":"
          "{\"value\":\"yes\"}}",
          "defaultResponse" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"approval\",\"defaultResponse\":"
          "{\"value\":true}}",
          "defaultResponse" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"requiredApprovals\":2}",
          "requiredApprovals" },
        { "{\"question\":\"Q\",\"type\":\"approval\",\"responseType\":\"text\",\"requiredApprovals\":2}",
          "requiredApprovals" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"assignedTo\":\"nobody\"}",
          "assignedTo" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"parentId\":"
          "\"01890000-0000-7000-8000-000000000000\"}",
          "parentId" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"action\":{\"name\":\"x\"}}",
          "action" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"template\":\"unheard of\"}",
          "template" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"context\":7}", "context" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"text\",\"context\":{\"answerSchema\":7}}",
          "context" },
        { "{\"question\":\"Q\",\"type\":\"blocking\",\"responseType\":\"boolean\",\"context\":{\"answerSchema\":{}}}",
          "context" },
    };
    const char *job = make_job(t);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_t *params = json_loads(rows[i].params, 0, NULL);

        json_object_set_new(params, "id", json_string(job));
        call_json(t, "question_ask", params);
        json_decref(params);
        CHECK_STATUS(400);
        CHECK_TEXT("field", rows[i].field);
    }
    check_job(t, job, "running");
    assert_int_equal(count_rows(t, "agent_questions WHERE job_id = '%s'", job), 0);
}

CONTRACT(question_sizes_have_limits)
{
    const char *job = make_job(t);
    char *large = malloc(70000);
    json_t *options = json_array();

    memset(large, 'x', 69999);
    large[69999] = '\0';
    ask_in(t, job, "{s:s, s:s, s:s}", "question", large, "type", "blocking", "responseType", "text");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "question");
    ask_in(t, job, "{s:s, s:s, s:s, s:{s:s}}", "question", "Q", "type", "blocking", "responseType", "text",
           "context", "log", large);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "context");
    for (int i = 0; i < 51; i++)
        json_array_append_new(options, json_pack("{s:s+}", "label", "L", arena_format(&t->arena, "%d", i)));
    ask_in(t, job, "{s:s, s:s, s:s, s:o}", "question", "Q", "type", "blocking", "responseType", "choice",
           "options", options);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "options");
    free(large);
}

CONTRACT(question_texts_are_cleaned_but_an_actions_args_are_not)
{
    const char *id =
        ask_in(t, make_job(t), "{s:s, s:s, s:s, s:{s:s}, s:{s:s, s:{s:s}}}", "question", "Go\x1b[31m on\r\n?",
               "type", "approval", "responseType", "approval", "context", "errorDetails",
               "bad\x07\x1b[2J \x1b[31mred\x1b[0m", "action", "name", "run", "args", "cmd", "echo \x1b[1m");

    CHECK_STATUS(201);
    show(t, id);
    CHECK_TEXT("question.question", "Go[31m on\n?");
    CHECK_TEXT("question.context.errorDetails", "bad \x1b[31mred\x1b[0m"); /* a log keeps its colours */
    CHECK_TEXT("question.action.args.cmd", "echo \x1b[1m");
    answer(t, id, "{s:b, s:s}", "value", 1, "text", "fine\x1b");
    show(t, id);
    CHECK_TEXT("question.response.text", "fine");
}

CONTRACT(question_second_answer_learns_who_won)
{
    const char *id = ask_text(t, make_job(t));

    answer_text(t, id, "First");
    CHECK_STATUS(200);
    t->as = t->member;
    answer_text(t, id, "Second");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "conflict");
    CHECK_TEXT("winner.by", "owner");
    CHECK_TEXT("winner.source", "human");
    CHECK_TEXT("winner.response.value", "First");
    show(t, id);
    CHECK_TEXT("question.response.value", "First");
    CHECK_COUNT("question.lateAnswers", 0);
}

CONTRACT(question_cancelled_lets_the_job_go_on)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TRUE("success");
    CHECK_TRUE("jobResumed");
    check_job(t, job, "running");
    show(t, id);
    CHECK_TEXT("question.status", "cancelled");
    CHECK_TEXT("question.outcome.source", "cancelled");
    CHECK_TEXT("question.outcome.by", "owner");
    CHECK_NULL("question.response");
    assert_int_equal(count_events(t, job, "question_cancelled"), 1);
    call(t, "question_cancel", "{s:s}", "id", id);
    CHECK_STATUS(409);
    answer_text(t, id, "Too late");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "conflict");
}

CONTRACT(question_several_open_the_job_follows_the_oldest)
{
    const char *job = make_job(t), *first = ask_text(t, job), *second;

    second = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Merge?", "type", "approval", "responseType",
                    "approval");
    check_job(t, job, "waiting_for_input");
    answer_text(t, first, "One");
    CHECK_FALSE("jobResumed");
    check_job(t, job, "waiting_for_approval");
    answer(t, second, "{s:b}", "value", 0);
    CHECK_TRUE("jobResumed");
    check_job(t, job, "running");
}

CONTRACT(question_non_blocking_leaves_the_job_alone_and_is_a_preference_later)
{
    const char *format = "{s:s, s:s, s:s, s:{s:b}}", *job = make_job(t), *id;

    id = ask_in(t, job, format, "question", "Verbose logs?", "type", "non_blocking", "responseType",
                "boolean", "defaultResponse", "value", 0);
    CHECK_STATUS(201);
    CHECK_NULL("timeoutAt");
    CHECK_FALSE("response.value");
    CHECK_NULL("preference");
    check_job(t, job, "running");
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    CHECK_STATUS(200);
    show(t, id);
    CHECK_TEXT("question.status", "pending");
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    CHECK_FALSE("jobResumed");
    check_job(t, job, "completed");
    ask_in(t, make_job(t), format, "question", " verbose  LOGS ", "type", "non_blocking", "responseType",
           "boolean", "defaultResponse", "value", 0);
    CHECK_TRUE("preference.response.value");
    CHECK_TEXT("preference.by", "owner");
}

/* It was a yes to one thing at one time, and to no other options. */
CONTRACT(question_has_no_preference_in_an_approval_or_in_an_answer_of_another_shape)
{
    const char *yes_or_no = "{s:s, s:s, s:s, s:{s:b}}", *id;
    const char *of_two = "{s:s, s:s, s:s, s:[{s:s}, {s:s}], s:{s:s}}";

    id = ask_in(t, make_job(t), yes_or_no, "question", "Push it?", "type", "non_blocking", "responseType",
                "approval", "defaultResponse", "value", 0);
    answer(t, id, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    ask_in(t, make_job(t), yes_or_no, "question", "Push it?", "type", "non_blocking", "responseType",
           "approval", "defaultResponse", "value", 0);
    CHECK_NULL("preference");
    ask_in(t, make_job(t), yes_or_no, "question", "Push it?", "type", "non_blocking", "responseType",
           "boolean", "defaultResponse", "value", 0);
    CHECK_NULL("preference");

    id = ask_in(t, make_job(t), of_two, "question", "Which?", "type", "non_blocking", "responseType",
                "choice", "options", "label", "left", "label", "right", "defaultResponse", "value", "left");
    answer(t, id, "{s:s}", "value", "right");
    CHECK_STATUS(200);
    ask_in(t, make_job(t), of_two, "question", "Which?", "type", "non_blocking", "responseType", "choice",
           "options", "label", "left", "label", "right", "defaultResponse", "value", "left");
    CHECK_TEXT("preference.response.value", "right");
    ask_in(t, make_job(t), of_two, "question", "Which?", "type", "non_blocking", "responseType", "choice",
           "options", "label", "left", "label", "up", "defaultResponse", "value", "left");
    CHECK_NULL("preference");
}

CONTRACT(question_of_another_workspace_is_not_there)
{
    const char *job = make_job(t), *id = ask_text(t, job);

    t->as = token_elsewhere(t, "owner");
    show(t, id);
    CHECK_STATUS(404);
    answer_text(t, id, "Spy");
    CHECK_STATUS(404);
    call(t, "question_pending", "{s:s}", "workspaceId", t->workspace);
    CHECK_STATUS(404);
    ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType", "text");
    CHECK_STATUS(404);
    call(t, "question_answer_batch", "{s:[{s:s, s:{s:s}}]}", "answers", "id", id, "response", "value", "Spy");
    CHECK_STATUS(200);
    CHECK_TEXT("results.0.status", "not_found");
    t->as = t->owner;
    show(t, id);
    CHECK_TEXT("question.status", "pending");
}

CONTRACT(question_without_a_job_makes_one_that_ends_with_it)
{
    const char *id, *job;

    call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", "Deploy?", "type", "approval",
         "responseType", "approval", "agent", "Deployer");
    CHECK_STATUS(201);
    id = text_at(t, "questionId");
    job = text_at(t, "jobId");
    check_job(t, job, "waiting_for_approval");
    CHECK_TEXT("agent", "Deployer");
    answer(t, id, "{s:b}", "value", 1);
    CHECK_FALSE("jobResumed");
    check_job(t, job, "completed");
    CHECK_TRUE("result.value");
    CHECK_TEXT("outcome.source", "human");
}

CONTRACT(question_batch_answers_each_by_itself)
{
    const char *one = ask_text(t, make_job(t)), *two = ask_text(t, make_job(t)),
               *three = ask_text(t, make_job(t));

    answer_text(t, two, "Before");
    call(t, "question_answer_batch",
         "{s:[{s:s, s:{s:s}}, {s:s, s:{s:s}}, {s:s, s:{s:i}}, {s:s, s:{s:s}}, {s:s, s:{s:s}}]}", "answers",
         "id", one, "response", "value", "Yes", "id", two, "response", "value", "Yes", "id", three,
         "response", "value", 7, "id", "01890000-0000-7000-8000-000000000000", "response", "value", "Yes",
         "id", one, "response", "value", "Again");
    CHECK_STATUS(200);
    CHECK_TEXT("results.0.status", "answered");
    CHECK_TRUE("results.0.jobResumed");
    CHECK_TEXT("results.1.status", "conflict");
    CHECK_TEXT("results.2.status", "invalid");
    CHECK_TEXT("results.3.status", "not_found");
    CHECK_TEXT("results.4.status", "conflict");
    assert_non_null(text_at(t, "results.1.error"));
    show(t, one);
    CHECK_TEXT("question.response.value", "Yes");
    show(t, two);
    CHECK_TEXT("question.response.value", "Before");
    show(t, three);
    CHECK_TEXT("question.status", "pending");
}

CONTRACT(question_similar_ones_and_precedents_are_offered)
{
    const char *one = ask_text(t, make_job(t)), *two, *other;

    two = ask_in(t, make_job(t), "{s:s, s:s, s:s}", "question", "which  PERSONA", "type", "blocking",
                 "responseType", "text");
    other = ask_in(t, make_job(t), "{s:s, s:s, s:s}", "question", "Which persona?", "type", "error_recovery",
                   "responseType", "text");
    call(t, "question_similar", "{s:s}", "id", one);
    CHECK_STATUS(200);
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", two);
    call(t, "question_suggestion", "{s:s}", "id", one);
    CHECK_NULL("suggestion");
    CHECK_COUNT("precedents", 0);
    answer_text(t, two, "Admins");
    call(t, "question_suggestion", "{s:s}", "id", one);
    CHECK_COUNT("precedents", 1);
    CHECK_TEXT("precedents.0.response.value", "Admins");
    CHECK_TEXT("precedents.0.by", "owner");
    CHECK_TEXT("precedents.0.label", "Precedent: answered by owner");
    show(t, one);
    CHECK_TEXT("question.status", "pending");
    call(t, "question_suggestion", "{s:s}", "id", other);
    CHECK_COUNT("precedents", 0);
}

CONTRACT(question_pending_lists_what_is_open)
{
    const char *job = make_job(t), *first = ask_text(t, job), *approval, *soon;

    call(t, "question_pending", "{}");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "workspaceId");
    ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking", "responseType",
           "boolean", "defaultResponse", "value", 0);
    approval =
        ask_in(t, job, "{s:s, s:s, s:s}", "question", "Go?", "type", "approval", "responseType", "approval");
    soon = ask_in(t, job, "{s:s, s:s, s:s, s:i}", "question", "Now?", "type", "blocking", "responseType",
                  "text", "timeoutMinutes", 5);
    call(t, "question_pending", "{s:s}", "workspaceId", t->workspace);
    CHECK_STATUS(200);
    CHECK_COUNT("questions", 4);
    CHECK_TEXT("questions.0.id", first);
    assert_non_null(text_at(t, "serverTime"));
    call(t, "question_pending", "{s:s, s:s}", "workspaceId", t->workspace, "type", "approval");
    CHECK_COUNT("questions", 1);
    CHECK_TEXT("questions.0.id", approval);
    call(t, "question_pending", "{s:s, s:s}", "workspaceId", t->workspace, "sort", "deadline");
    CHECK_COUNT("questions", 4);
    CHECK_TEXT("questions.0.id", soon);
    CHECK_TEXT("questions.1.id", approval);
    CHECK_TEXT("questions.2.id", first);
    CHECK_NULL("questions.3.timeoutAt");
    call(t, "question_list_job", "{s:s}", "id", job);
    CHECK_COUNT("questions", 4);
    CHECK_TEXT("questions.0.id", first);
}

static void page_through(struct t *t, const char *sort, int many)
{
    const char *cursor = NULL;
    int seen = 0;

    do {
        if (cursor)
            call(t, "question_pending", "{s:s, s:s, s:i, s:s}", "workspaceId", t->workspace, "sort", sort,
                 "limit", 4, "cursor", cursor);
        else
            call(t, "question_pending", "{s:s, s:s, s:i}", "workspaceId", t->workspace, "sort", sort, "limit",
                 4);
        CHECK_STATUS(200);
        seen += (int)json_array_size(at(t, "questions"));
        cursor = text_at(t, "nextCursor");
    } while (cursor && seen <= many);
    assert_int_equal(seen, many);
}

CONTRACT(question_pending_pages_through_everything_once)
{
    enum { MANY = 8 };

    for (int i = 0; i < MANY; i++) {
        const char *job = make_job(t);

        ask_text(t, job);
        ask_in(t, job, "{s:s, s:s, s:s, s:{s:b}}", "question", "Logs?", "type", "non_blocking",
               "responseType", "boolean", "defaultResponse", "value", 0);
    }
    page_through(t, "created", 2 * MANY);
    page_through(t, "deadline", 2 * MANY);
    call(t, "question_pending", "{s:s, s:s}", "workspaceId", t->workspace, "cursor", "garbage!");
    CHECK_STATUS(400);
}

CONTRACT(question_asking_has_a_rate_and_a_most)
{
    const char *job = make_job(t);

    for (int i = 0; i < 10; i++)
        ask_text(t, job);
    ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType", "text");
    CHECK_STATUS(429);
    CHECK_TEXT("code", "rate_limited");
    ask_text(t, make_job(t));
    for (int minute = 0; minute < 4; minute++) {
        advance(t, MINUTE + 1000);
        for (int i = 0; i < 10; i++)
            ask_text(t, job);
    }
    advance(t, MINUTE + 1000);
    ask_in(t, job, "{s:s, s:s, s:s}", "question", "Q", "type", "blocking", "responseType", "text");
    CHECK_STATUS(429);
}

CONTRACT(question_threads_name_their_parent)
{
    const char *job = make_job(t), *parent = ask_text(t, job), *child;

    answer_text(t, parent, "Both");
    child = ask_in(t, job, "{s:s, s:s, s:s, s:s}", "question", "Which first?", "type", "blocking",
                   "responseType", "text", "parentId", parent);
    CHECK_STATUS(201);
    show(t, child);
    CHECK_TEXT("question.parentId", parent);
}

CONTRACT(question_answer_can_be_repeated_with_its_key)
{
    const char *id = ask_text(t, make_job(t));

    t->idempotency_key = "offline-1";
    answer_text(t, id, "Written on the train");
    CHECK_STATUS(200);
    answer_text(t, id, "Written on the train");
    CHECK_STATUS(200);
    CHECK_TRUE("jobResumed");
    assert_true(t->replayed);
    assert_int_equal(count_rows(t, "events WHERE subject = '%s' AND type = 'question_answered'", id), 1);
}
