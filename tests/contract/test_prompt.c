#include "contract.h"

/* A prompt by Dev that needs `required` replies; its id. */
static const char *ask(struct t *t, int required)
{
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message",
         "What should I mind?", "required_responses", required);
    CHECK_STATUS(201);
    return text_at(t, "prompt.id");
}

static int answer(struct t *t, const char *id, const char *agent, const char *message)
{
    return call(t, "prompt_respond", "{s:s, s:s, s:s}", "id", id, "agent_name", agent, "message", message);
}

static int show(struct t *t, const char *id)
{
    return call(t, "prompt_get", "{s:s}", "id", id);
}

CONTRACT(prompt_starts_collecting_with_its_defaults)
{
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message", "Why?");
    CHECK_STATUS(201);
    CHECK_TEXT("prompt.status", "collecting");
    CHECK_INT("prompt.required_responses", 2);
    CHECK_INT("prompt.timeout_minutes", 30);
    CHECK_TEXT("chat.message_type", "discussion_prompt");
    CHECK_TEXT("chat.message", "Why?");
    assert_string_equal(text_at(t, "prompt.squad_chat_id"), text_at(t, "chat.id"));
    CHECK_NULL("prompt.outcome");
}

CONTRACT(prompt_needs_a_requester_and_a_message)
{
    static const char *const formats[] = { "{}", "{s:s}", "{s:s, s:s}" };

    for (size_t i = 0; i < 3; i++) {
        call(t, "prompt_create", formats[i], "requester_agent", "Dev", "prompt_message", "  ");
        CHECK_STATUS(400);
        CHECK_TEXT("error", "Missing required fields: requester_agent, prompt_message");
    }
}

CONTRACT(prompt_limits_are_checked)
{
    static const struct {
        const char *name;
        int value, status;
    } rows[] = {
        { "required_responses", 0, 400 },   { "required_responses", 1, 201 },
        { "required_responses", 100, 201 }, { "required_responses", 101, 400 },
        { "timeout_minutes", 0, 400 },      { "timeout_minutes", 1, 201 },
        { "timeout_minutes", 1440, 201 },   { "timeout_minutes", 1441, 400 },
        { "timeout_minutes", -5, 400 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Q",
             rows[i].name, rows[i].value);
        CHECK_STATUS(rows[i].status);
        if (rows[i].status == 400)
            CHECK_TEXT("field", rows[i].name);
    }
}

CONTRACT(prompt_resolves_on_the_last_required_answer)
{
    const char *id = ask(t, 2);

    answer(t, id, "Builder", "Mind the cache.");
    CHECK_STATUS(201);
    CHECK_TEXT("prompt.status", "collecting");
    CHECK_FALSE("ready");
    answer(t, id, "Growth", "Ship it behind a flag.");
    CHECK_TEXT("prompt.status", "resolved");
    CHECK_TRUE("ready");
    show(t, id);
    CHECK_TEXT("status", "resolved");
    CHECK_TRUE("ready");
    CHECK_TRUE("terminal");
    CHECK_INT("responseCount", 2);
    CHECK_INT("requiredResponses", 2);
    CHECK_COUNT("responses", 2);
    CHECK_COUNT("collectedContext", 2);
    CHECK_TEXT("collectedContext.0.agent", "Builder");
    CHECK_TEXT("collectedContext.0.message", "Mind the cache.");
    CHECK_FALSE("collectedContext.0.is_human");
    CHECK_TEXT("collectedContext.1.agent", "Growth");
    CHECK_TEXT("outcome.source", "agents");
    answer(t, id, "Late", "Too late");
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Cannot respond to prompt with status: resolved");
    show(t, id);
    CHECK_COUNT("collectedContext", 2);
}

CONTRACT(prompt_counts_an_agent_once_and_its_requester_never)
{
    const char *id = ask(t, 2);

    answer(t, id, "Builder", "One.");
    answer(t, id, "builder", "Two.");
    answer(t, id, "Dev", "My own thought.");
    CHECK_TEXT("prompt.status", "collecting");
    show(t, id);
    CHECK_INT("responseCount", 1);
    CHECK_COUNT("responses", 3);
    CHECK_COUNT("collectedContext", 3);
}

CONTRACT(prompt_takes_no_more_replies_than_can_be_read)
{
    enum { BYTES = 60000 };
    const char *id = ask(t, 2);
    char *text = arena_alloc(&t->arena, BYTES + 1, 1);
    int taken = 0;

    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    while (answer(t, id, "Builder", text) == 201)
        taken++;
    CHECK_STATUS(409);
    assert_in_range(taken, 30, 35);
    show(t, id);
    CHECK_STATUS(200);
    CHECK_COUNT("collectedContext", taken);
    call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "resolve");
    CHECK_STATUS(200);
}

CONTRACT(prompt_counts_every_reply_when_told_to)
{
    call(t, "prompt_create", "{s:s, s:s, s:i, s:b}", "requester_agent", "Dev", "prompt_message", "Q",
         "required_responses", 2, "count_all", 1);
    const char *id = text_at(t, "prompt.id");

    answer(t, id, "Dev", "One.");
    answer(t, id, "Dev", "Two.");
    CHECK_TEXT("prompt.status", "resolved");
}

CONTRACT(prompt_times_out_after_its_minutes_and_keeps_what_it_collected)
{
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Q",
         "timeout_minutes", 3);
    const char *id = text_at(t, "prompt.id");

    answer(t, id, "Builder", "One.");
    advance(t, 2 * 60 * 1000);
    show(t, id);
    CHECK_TEXT("status", "collecting");
    advance(t, 2 * 60 * 1000);
    show(t, id);
    CHECK_TEXT("status", "timed_out");
    CHECK_TRUE("ready");
    CHECK_TRUE("terminal");
    CHECK_COUNT("collectedContext", 1);
    CHECK_TEXT("outcome.source", "timeout");
    answer(t, id, "Late", "Too late");
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Cannot respond to prompt with status: timed_out");
}

CONTRACT(prompt_is_closed_by_hand)
{
    const char *id = ask(t, 2);

    call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "resolve");
    CHECK_STATUS(200);
    CHECK_TEXT("prompt.status", "resolved");
    CHECK_COUNT("collectedContext", 0);
    CHECK_TEXT("prompt.outcome.source", "forced");
    call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "cancel");
    CHECK_STATUS(409);

    id = ask(t, 2);
    call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "cancel");
    CHECK_TEXT("prompt.status", "cancelled");
    show(t, id);
    CHECK_FALSE("ready");
    CHECK_TRUE("terminal");
    CHECK_TEXT("outcome.source", "cancelled");
}

CONTRACT(prompt_close_knows_two_actions)
{
    const char *id = ask(t, 2);

    call(t, "prompt_close", "{s:s, s:s}", "id", id, "action", "explode");
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Invalid action. Must be \"resolve\" or \"cancel\"");
    call(t, "prompt_close", "{s:s}", "id", id);
    CHECK_STATUS(400);
    CHECK_TEXT("error", "Invalid action. Must be \"resolve\" or \"cancel\"");
    show(t, id);
    CHECK_TEXT("status", "collecting");
}

CONTRACT(prompt_unknown_or_malformed_is_not_found)
{
    show(t, "01890000-0000-7000-8000-000000000000");
    CHECK_STATUS(404);
    show(t, "not-an-id");
    CHECK_STATUS(404);
    call(t, "prompt_close", "{s:s, s:s}", "id", "01890000-0000-7000-8000-000000000000", "action", "resolve");
    CHECK_STATUS(404);
    answer(t, "01890000-0000-7000-8000-000000000000", "A", "x");
    CHECK_STATUS(404);
}

CONTRACT(prompt_of_another_workspace_is_not_there)
{
    const char *id = ask(t, 2);

    t->as = token_elsewhere(t, "owner");
    show(t, id);
    CHECK_STATUS(404);
    answer(t, id, "Spy", "Hello");
    CHECK_STATUS(404);
    call(t, "prompt_list", "{}");
    CHECK_COUNT("prompts", 0);
    t->as = t->owner;
    show(t, id);
    CHECK_COUNT("responses", 0);
}

CONTRACT(prompt_list_shows_an_agent_what_it_may_answer)
{
    const char *mine = ask(t, 2), *answered, *open;

    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Other", "prompt_message", "Answered");
    answered = text_at(t, "prompt.id");
    answer(t, answered, "Dev", "done");
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Other", "prompt_message", "Open");
    open = text_at(t, "prompt.id");

    call(t, "prompt_list", "{s:s}", "agent", "Dev");
    CHECK_COUNT("prompts", 1);
    CHECK_TEXT("prompts.0.id", open);
    call(t, "prompt_list", "{s:s, s:s}", "agent", "dev", "include_answered", "true");
    CHECK_COUNT("prompts", 2);
    call(t, "prompt_list", "{}");
    CHECK_COUNT("prompts", 3);
    CHECK_TEXT("prompts.0.id", open);
    CHECK_TEXT("prompts.2.id", mine);
}

CONTRACT(prompt_list_filters_by_status_and_task)
{
    const char *done = ask(t, 1);

    answer(t, done, "Builder", "ok");
    call(t, "prompt_create", "{s:s, s:s, s:s}", "requester_agent", "Dev", "prompt_message", "Q", "task_id",
         "JIRA-7");
    const char *tasked = text_at(t, "prompt.id");

    CHECK_TEXT("prompt.task_id", "JIRA-7");
    call(t, "prompt_list", "{s:s}", "status", "resolved");
    CHECK_COUNT("prompts", 1);
    CHECK_TEXT("prompts.0.id", done);
    call(t, "prompt_list", "{s:s}", "task_id", "JIRA-7");
    CHECK_COUNT("prompts", 1);
    CHECK_TEXT("prompts.0.id", tasked);
    call(t, "prompt_list", "{s:s}", "status", "bogus");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "status");
}

CONTRACT(prompt_list_pages_through_everything_once)
{
    enum { MANY = 23 };
    const char *cursor = NULL;
    int seen = 0;

    for (int i = 0; i < MANY; i++)
        ask(t, 1);
    do {
        if (cursor)
            call(t, "prompt_list", "{s:s, s:s}", "limit", "5", "cursor", cursor);
        else
            call(t, "prompt_list", "{s:s}", "limit", "5");
        CHECK_STATUS(200);
        seen += (int)json_array_size(at(t, "prompts"));
        cursor = text_at(t, "nextCursor");
    } while (cursor && seen <= MANY);
    assert_int_equal(seen, MANY);
    call(t, "prompt_list", "{s:s}", "cursor", "garbage!");
    CHECK_STATUS(400);
    call(t, "prompt_list", "{s:s}", "limit", "201");
    CHECK_STATUS(400);
}

CONTRACT(prompt_mentions_come_first_and_are_notified)
{
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message",
         "Ask @Growth, please.");
    const char *mentioning = text_at(t, "prompt.id");

    ask(t, 2);
    call(t, "prompt_list", "{s:s}", "agent", "Growth");
    CHECK_COUNT("prompts", 2);
    CHECK_TEXT("prompts.0.id", mentioning);
    call(t, "notification_list", "{s:s}", "agent", "growth");
    CHECK_STATUS(200);
    CHECK_COUNT("notifications", 1);
    CHECK_TEXT("notifications.0.kind", "mention");
    CHECK_TEXT("notifications.0.ref.id", mentioning);
    call(t, "notification_list", "{s:s}", "agent", "Dev");
    CHECK_COUNT("notifications", 0);
}

/* "@Dev @A1 @A2 ..." */
static const char *mentions(struct t *t, int count)
{
    const char *text = "@Dev";

    for (int i = 1; i <= count; i++)
        text = arena_format(&t->arena, "%s @A%d", text, i);
    return text;
}

static void check_told(struct t *t, const char *type, const char *ref, int count)
{
    const char *number = t->engine == DB_SQLITE ? "seq" : "id";
    const char *last = arena_format(&t->arena, "a%d", count);

    assert_int_equal(count_rows(t,
                                "notifications WHERE ref_type = '%s' AND ref_id = '%s' AND kind = 'mention'",
                                type, ref),
                     count);
    assert_int_equal(count_rows(t,
                                "notifications n JOIN events e ON e.subject = n.id AND e.type = "
                                "'notification.added' WHERE n.ref_type = '%s' AND n.ref_id = '%s'",
                                type, ref),
                     count);
    /* In the order in which they are named. */
    assert_int_equal(
        count_rows(t,
                   "notifications n JOIN events e ON e.subject = n.id, notifications m JOIN events f ON "
                   "f.subject = m.id WHERE n.ref_id = '%s' AND m.ref_id = '%s' AND n.agent_key = 'a1' AND "
                   "m.agent_key = '%s' AND e.%s < f.%s",
                   ref, ref, last, number, number),
        1);
    call(t, "notification_list", "{s:s}", "agent", last);
    CHECK_TEXT("notifications.0.ref.id", ref);
}

/* The author is among the first LIMIT_MENTIONS and is not told. */
CONTRACT(all_who_are_mentioned_are_told_up_to_the_limit)
{
    const char *id;

    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message",
         mentions(t, LIMIT_MENTIONS + 10));
    CHECK_STATUS(201);
    id = text_at(t, "prompt.id");
    check_told(t, "prompt", id, LIMIT_MENTIONS - 1);
    assert_int_equal(count_rows(t, "prompt_mentions WHERE prompt_id = '%s'", id), LIMIT_MENTIONS - 1);
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", mentions(t, 3));
    CHECK_STATUS(201);
    check_told(t, "chat", text_at(t, "message.id"), 3);
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", "I am @Dev.");
    CHECK_STATUS(201);
    assert_int_equal(count_rows(t, "notifications WHERE workspace_id = '%s'", t->workspace),
                     LIMIT_MENTIONS + 2);
}

CONTRACT(prompt_answers_keep_people_and_agents_apart)
{
    const char *id = ask(t, 3);

    t->as = t->agent;
    call(t, "prompt_respond", "{s:s, s:s, s:s, s:b}", "id", id, "agent_name", "Bot", "message", "I am a man",
         "is_human", 1);
    CHECK_STATUS(403);
    t->as = t->member;
    call(t, "prompt_respond", "{s:s, s:s, s:s, s:b}", "id", id, "agent_name", "Maya", "message", "I am",
         "is_human", 1);
    CHECK_STATUS(201);
    show(t, id);
    CHECK_TRUE("collectedContext.0.is_human");
    t->as = token_for(t, "agent", "Builder");
    answer(t, id, "Growth", "As another");
    CHECK_STATUS(403);
    answer(t, id, "Builder", "As myself");
    CHECK_STATUS(201);
}

CONTRACT(prompt_trigger_counts_rows_written_by_plain_sql)
{
    const char *id = ask(t, 2);

    for (int i = 0; i < 2; i++)
        outside_sql(t,
                    "INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id) "
                    "VALUES ('01890000-0000-7000-8000-0000%c%.7s', 'Outside%d', 'By SQL', "
                    "'discussion_response', '%s')",
                    'a' + i, id + 29, i, id);
    show(t, id);
    CHECK_TEXT("status", "resolved");
    CHECK_INT("responseCount", 2);
    CHECK_TEXT("collectedContext.1.agent", "Outside1");
    CHECK_TEXT("outcome.source", "agents");
}

CONTRACT(prompt_times_out_by_its_sql_function)
{
    if (t->engine != DB_POSTGRES)
        return;
    const char *id = ask(t, 2);

    outside_sql(
        t, "UPDATE discussion_prompts SET created_at = created_at - interval '31 minutes' WHERE id = '%s'",
        id);
    assert_true(count_rows(t, "(SELECT public.timeout_stale_discussion_prompts() AS n) AS f WHERE n >= 1") >=
                0);
    show(t, id);
    CHECK_TEXT("status", "timed_out");
}

CONTRACT(prompt_end_is_told_in_the_chat_and_in_the_log_once)
{
    const char *id = ask(t, 1);

    answer(t, id, "Builder", "ok");
    assert_int_equal(
        count_rows(t, "squad_chat WHERE discussion_prompt_id = '%s' AND message_type = 'system'", id), 1);
    assert_int_equal(count_rows(t, "events WHERE subject = '%s' AND type = 'prompt.ended'", id), 1);
    assert_int_equal(count_rows(t, "events WHERE subject = '%s' AND type = 'prompt.created'", id), 1);
    assert_int_equal(count_rows(t, "events WHERE subject = '%s' AND type = 'prompt.responded'", id), 1);
}

CONTRACT(chat_keeps_messages_newest_first)
{
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", "First");
    CHECK_STATUS(201);
    CHECK_TEXT("message.message_type", "message");
    call(t, "chat_post", "{s:s, s:s, s:s}", "agent_name", "Dev", "message", "Second", "task_ref", "T-1");
    call(t, "chat_list", "{}");
    CHECK_COUNT("messages", 2);
    CHECK_TEXT("messages.0.message", "Second");
    CHECK_TEXT("messages.0.task_ref", "T-1");
}

CONTRACT(chat_message_types_are_kept_apart)
{
    const char *id = ask(t, 1);

    call(t, "chat_post", "{s:s, s:s, s:s}", "agent_name", "A", "message", "x", "message_type", "system");
    CHECK_STATUS(400);
    call(t, "chat_post", "{s:s, s:s, s:s}", "agent_name", "A", "message", "x", "message_type",
         "discussion_response");
    CHECK_STATUS(400);
    call(t, "chat_post", "{s:s, s:s, s:s, s:s}", "agent_name", "A", "message", "By chat", "message_type",
         "discussion_response", "discussion_prompt_id", id);
    CHECK_STATUS(201);
    show(t, id);
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("collectedContext.0.message", "By chat");
}

CONTRACT(chat_refuses_blank_and_oversized_messages)
{
    char *long_text = malloc(64 * 1024 + 2);

    memset(long_text, 'x', 64 * 1024 + 1);
    long_text[64 * 1024 + 1] = '\0';
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "A", "message", " \n ");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "message");
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "A", "message", long_text);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "message");
    free(long_text);
    assert_int_equal(count_rows(t, "squad_chat WHERE workspace_id = '%s'", t->workspace), 0);
}
