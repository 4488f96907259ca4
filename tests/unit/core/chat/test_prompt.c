/*
 * Prompts: what counts, what ends them, who hears of it; also when another program writes with plain SQL.
 */
#include "core/chat/prompt.h"

#include "base/clock.h"
#include "base/limits.h"
#include "core/inbox/notification.h"
#include "core/upkeep/deadline.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#define WORKSPACE "00000000-0000-7000-8000-000000000001"
#define NOW       INT64_C(1800000000000)
#define MINUTE    INT64_C(60000)
#define UNKNOWN   "00000000-0000-7000-8000-00000000dead"

#define NEED(e, condition) \
    do { \
        if (!(condition)) \
            fail_msg("%s", (e)->err.text); \
    } while (0)

static const struct caller local = {
    .kind = CALLER_LOCAL, .role = ROLE_OWNER, .id = "local", .name = "local", .workspace_id = WORKSPACE
};
static const struct caller agent = { .kind = CALLER_TOKEN,
                                     .role = ROLE_AGENT,
                                     .id = "t",
                                     .name = "t",
                                     .agent_name = "Builder",
                                     .workspace_id = WORKSPACE };

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static struct prompt ask_at(struct engine *e, int64_t now_ms, const char *who, const char *what)
{
    struct prompt prompt = {
        .requester_agent = who, .prompt_message = what, .required_responses = 2, .timeout_minutes = 30
    };
    struct chat chat;

    NEED(e, prompt_create(TX_WITH(e, .caller = &local, .now_ms = now_ms), &prompt, &chat));
    assert_string_equal(prompt.squad_chat_id, chat.id);
    return prompt;
}

static struct prompt ask(struct engine *e)
{
    return ask_at(e, NOW, "Dev", "What should I mind?");
}

static bool answer(struct engine *e, struct prompt *prompt, int64_t now_ms, const char *who)
{
    struct chat reply = { .agent_name = who, .message = "Mind the cache." };

    return prompt_respond(TX_WITH(e, .caller = &local, .now_ms = now_ms), prompt->id, &reply, prompt);
}

static struct prompt get(struct engine *e, const char *id)
{
    struct prompt prompt;

    NEED(e, prompt_get(TX_WITH(e, .caller = &local, .now_ms = NOW), id, &prompt));
    return prompt;
}

/* The types of all events after the one with this id or number, in order. */
static const char *told_after(struct engine *e, const char *after)
{
    const char *key = e->db->engine == DB_SQLITE ? "seq" : "id";
    const char *list = e->db->engine == DB_SQLITE ? "group_concat(type, ' ')" : "string_agg(type, ' ')";
    const char *sql =
        arena_format(&e->arena, "SELECT %s FROM (SELECT type FROM events WHERE %s > %s ORDER BY %s) t", list,
                     key, after, key);
    const char *told = engine_sql(e, sql);

    return told ? told : "";
}

static const char *log_end(struct engine *e)
{
    return engine_sql(e, e->db->engine == DB_SQLITE ? "SELECT COALESCE(MAX(seq), 0) FROM events"
                                                    : "SELECT COALESCE(MAX(id), 0) FROM events");
}

static int64_t count_of(struct engine *e, const char *from)
{
    const char *count = engine_sql(e, arena_format(&e->arena, "SELECT COUNT(*) FROM %s", from));

    return strtoll(count, NULL, 10);
}

/* As another program would, naming only what it must. */
static void insert_reply(struct engine *e, const char *id, const char *prompt_id, const char *who)
{
    (void)engine_sql(e, arena_format(&e->arena,
                                     "INSERT INTO squad_chat (id, agent_name, message, message_type, "
                                     "discussion_prompt_id) VALUES ('00000000-0000-4000-8000-%012d', '%s', "
                                     "'Hello @Growth', 'discussion_response', '%s')",
                                     atoi(id), who, prompt_id));
}

static void a_prompt_resolves_on_the_last_required_reply(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    const char *start = log_end(e);

    assert_int_equal(prompt.status, PROMPT_COLLECTING);
    assert_int_equal(prompt.due_ms, NOW + 30 * MINUTE);
    assert_null(prompt.outcome_source);
    NEED(e, answer(e, &prompt, NOW + 1, "Builder"));
    assert_int_equal(prompt.status, PROMPT_COLLECTING);
    assert_int_equal(prompt.response_count, 1);
    NEED(e, answer(e, &prompt, NOW + 2, "Growth"));
    assert_int_equal(prompt.status, PROMPT_RESOLVED);
    assert_true(prompt_is_ready(&prompt));
    assert_string_equal(prompt.outcome_source, "agents");
    assert_string_equal(prompt.outcome_by, "Growth");
    assert_string_equal(prompt.resolved_at, clock_text(&e->arena, NOW + 2));
    assert_string_equal(told_after(e, start), "chat.message prompt.responded chat.message prompt.responded "
                                              "prompt.ended chat.message");
    assert_false(answer(e, &prompt, NOW + 3, "Late"));
    assert_int_equal(e->err.code, ERR_INVALID);
    assert_string_equal(e->err.text, "Cannot respond to prompt with status: resolved");
    assert_int_equal(count_of(e, "audit"), 0);
}

static void an_agent_counts_once_and_the_asker_not_at_all(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    struct chat *replies;
    size_t count;

    NEED(e, answer(e, &prompt, NOW + 1, "Builder"));
    NEED(e, answer(e, &prompt, NOW + 2, "BUILDER"));
    NEED(e, answer(e, &prompt, NOW + 3, "dev"));
    assert_int_equal(prompt.response_count, 1);
    assert_int_equal(prompt.status, PROMPT_COLLECTING);
    NEED(e, chat_replies(TX(e), WORKSPACE, prompt.id, &replies, &count));
    assert_int_equal(count, 3);
    assert_string_equal(replies[2].agent_name, "dev");
    assert_non_null(strstr(prompt.collected_context, "BUILDER"));
}

static void count_all_counts_everything(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = { .requester_agent = "Dev",
                             .prompt_message = "Q",
                             .required_responses = 2,
                             .timeout_minutes = 1,
                             .count_all = true };
    struct chat chat;

    NEED(e, prompt_create(TX_WITH(e, .caller = &local, .now_ms = NOW), &prompt, &chat));
    NEED(e, answer(e, &prompt, NOW, "Dev"));
    NEED(e, answer(e, &prompt, NOW, "Dev"));
    assert_int_equal(prompt.status, PROMPT_RESOLVED);
}

static void the_end_is_said_in_the_chat_below_the_reply(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    struct chat_filter filter = { .discussion_prompt_id = prompt.id, .limit = 2 };
    struct chat_page page;

    NEED(e, answer(e, &prompt, NOW, "Builder"));
    NEED(e, answer(e, &prompt, NOW, "Growth"));
    NEED(e, chat_list(TX_WITH(e, .caller = &local), &filter, &page));
    assert_int_equal(page.count, 2);
    assert_string_equal(page.messages[0].message, "Discussion resolved: 2 of 2 replies.");
    assert_int_equal(page.messages[0].message_type, MESSAGE_SYSTEM);
    assert_true(uuid_valid(page.messages[0].id));
    assert_string_equal(page.messages[1].agent_name, "Growth");
    filter.cursor = page.next_cursor;
    NEED(e, chat_list(TX_WITH(e, .caller = &local), &filter, &page));
    assert_int_equal(page.count, 2);
    assert_int_equal(page.messages[1].message_type, MESSAGE_PROMPT);
    assert_null(page.next_cursor);
}

static void closing_says_who_and_only_once(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e), other = ask(e);

    assert_false(prompt_close(TX_WITH(e, .caller = &local, .now_ms = NOW), prompt.id, "explode", &prompt));
    assert_string_equal(e->err.text, "Invalid action. Must be \"resolve\" or \"cancel\"");
    NEED(e, prompt_close(TX_WITH(e, .caller = &local, .now_ms = NOW + 5), prompt.id, "resolve", &prompt));
    assert_int_equal(prompt.status, PROMPT_RESOLVED);
    assert_string_equal(prompt.outcome_source, "forced");
    assert_string_equal(prompt.outcome_by, "local");
    assert_false(prompt_close(TX_WITH(e, .caller = &agent, .now_ms = NOW + 6), prompt.id, "cancel", &prompt));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_non_null(strstr(e->err.detail, "\"source\":\"forced\",\"by\":\"local\""));
    NEED(e, prompt_close(TX_WITH(e, .caller = &agent, .now_ms = NOW + 6), other.id, "cancel", &other));
    assert_int_equal(other.status, PROMPT_CANCELLED);
    assert_string_equal(other.outcome_by, "Builder");
    assert_false(prompt_is_ready(&other) || prompt_is_open(&other));
    assert_int_equal(count_of(e, "audit"), 0);
}

static void nobody_speaks_for_others(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    struct chat human = { .agent_name = "Builder", .message = "x", .is_human = true };
    struct chat other = { .agent_name = "Growth", .message = "x" };
    struct chat own = { .agent_name = "builder", .message = "x" };

    assert_false(prompt_respond(TX_WITH(e, .caller = &agent, .now_ms = NOW), prompt.id, &human, &prompt));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
    assert_false(prompt_respond(TX_WITH(e, .caller = &agent, .now_ms = NOW), prompt.id, &other, &prompt));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
    NEED(e, prompt_respond(TX_WITH(e, .caller = &agent, .now_ms = NOW), prompt.id, &own, &prompt));
}

static void other_workspaces_are_not_there(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    struct caller stranger = local;
    struct chat reply = { .agent_name = "B", .message = "x" };
    struct chat thread = { .agent_name = "B", .message = "x", .discussion_prompt_id = prompt.id };

    stranger.workspace_id = UNKNOWN;
    assert_false(prompt_get(TX_WITH(e, .caller = &stranger, .now_ms = NOW), prompt.id, &prompt));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
    assert_false(prompt_respond(TX_WITH(e, .caller = &stranger, .now_ms = NOW), prompt.id, &reply, &prompt));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
    assert_false(chat_post(TX_WITH(e, .caller = &stranger, .now_ms = NOW), &thread));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
}

static void a_plain_message_in_the_thread_does_not_count(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    struct chat chat = { .agent_name = "B", .message = "hm", .discussion_prompt_id = prompt.id };

    NEED(e, chat_post(TX_WITH(e, .caller = &local, .now_ms = NOW), &chat));
    prompt = get(e, prompt.id);
    assert_int_equal(prompt.response_count, 0);
    assert_string_equal(prompt.collected_context, "[]");
}

static void time_runs_out_after_the_limit_not_at_it(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e), found;
    int64_t due;
    size_t ended;

    NEED(e, answer(e, &prompt, NOW + 1, "Builder"));
    NEED(e, deadline_next(TX(e), &due));
    assert_int_equal(due, NOW + 30 * MINUTE);
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = due), DEADLINE_BATCH, &ended));
    assert_int_equal(ended, 0);
    NEED(e, prompt_get(TX_WITH(e, .caller = &local, .now_ms = due), prompt.id, &found));
    assert_false(prompt_get(TX_WITH(e, .caller = &local, .now_ms = due + 1), prompt.id, &found));
    assert_int_equal(e->err.code, ERR_DUE);
    assert_false(answer(e, &found, due + 1, "Growth"));
    assert_int_equal(e->err.code, ERR_DUE);
    assert_false(prompt_close(TX_WITH(e, .caller = &local, .now_ms = due + 1), prompt.id, "resolve", &found));
    assert_int_equal(e->err.code, ERR_DUE);
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = due + 1), DEADLINE_BATCH, &ended));
    assert_int_equal(ended, 1);
    prompt = get(e, prompt.id);
    assert_int_equal(prompt.status, PROMPT_TIMED_OUT);
    assert_string_equal(prompt.outcome_source, "timeout");
    assert_false(prompt_close(TX_WITH(e, .caller = &local, .now_ms = due + 1), prompt.id, "resolve", &found));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_non_null(strstr(e->err.detail, "\"source\":\"timeout\""));
    assert_non_null(strstr(prompt.collected_context, "Mind the cache."));
    NEED(e, deadline_next(TX(e), &due));
    assert_int_equal(due, 0);
    assert_int_equal(count_of(e, "audit WHERE actor_kind = 'system' AND operation = 'prompt_end'"), 1);
}

static void deadlines_end_in_batches(void **state)
{
    struct engine *e = engine_of(state);
    size_t ended;

    for (int i = 0; i < 5; i++)
        (void)ask(e);
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = NOW + 31 * MINUTE), 3, &ended));
    assert_int_equal(ended, 3);
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = NOW + 31 * MINUTE), 3, &ended));
    assert_int_equal(ended, 2);
    assert_int_equal(count_of(e, "discussion_prompts WHERE status = 'timed_out'"), 5);
}

static void plain_sql_counts_collects_and_resolves(void **state)
{
    struct engine *e = engine_of(state);
    const char *id = "00000000-0000-4000-8000-00000000abcd", *start;
    struct prompt prompt;

    (void)engine_sql(e, arena_format(&e->arena,
                                     "INSERT INTO discussion_prompts (id, requester_agent, prompt_message) "
                                     "VALUES ('%s', 'Dev', 'Well, @Growth?')",
                                     id));
    start = log_end(e);
    insert_reply(e, "1", id, "Builder");
    insert_reply(e, "2", id, "builder");
    insert_reply(e, "3", id, "Ops");
    insert_reply(e, "4", id, "Late");
    insert_reply(e, "5", UNKNOWN, "Lost");
    NEED(e, prompt_get(TX_WITH(e, .caller = &local, .now_ms = 0), id, &prompt));
    assert_int_equal(prompt.status, PROMPT_RESOLVED);
    assert_int_equal(prompt.response_count, 2);
    assert_null(strstr(prompt.collected_context, "Late"));
    assert_string_equal(prompt.outcome_by, "Ops");
    assert_string_equal(told_after(e, start), "chat.message prompt.responded chat.message prompt.responded "
                                              "chat.message prompt.responded prompt.ended chat.message "
                                              "chat.message chat.message");
    assert_int_equal(count_of(e, "audit WHERE actor_kind = 'sql' AND hash IS NULL"), 7);
}

static void plain_sql_ends_prompts(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask(e);
    const char *start = log_end(e);

    (void)engine_sql(e, "UPDATE discussion_prompts SET status = 'cancelled'");
    prompt = get(e, prompt.id);
    assert_string_equal(prompt.outcome_source, "cancelled");
    assert_string_equal(prompt.outcome_by, "sql");
    assert_non_null(prompt.resolved_at);
    assert_string_equal(told_after(e, start), "prompt.ended chat.message");
    (void)engine_sql(e, "UPDATE discussion_prompts SET status = 'resolved'");
    assert_string_equal(told_after(e, start), "prompt.ended chat.message");
}

/* The five columns that such a program must give are enough in every workspace. */
static void plain_sql_lands_in_the_workspace_of_its_prompt(void **state)
{
    struct engine *e = engine_of(state);
    struct caller other = local;
    struct prompt prompt = {
        .requester_agent = "Dev", .prompt_message = "Q", .required_responses = 1, .timeout_minutes = 1440
    };
    struct chat chat;

    (void)engine_sql(e, "INSERT INTO workspaces (id, slug, name, created_at) VALUES ('" UNKNOWN
                        "', 'other', 'Other', 1)");
    other.workspace_id = UNKNOWN;
    NEED(e, prompt_create(TX_WITH(e, .caller = &other, .now_ms = NOW), &prompt, &chat));
    insert_reply(e, "1", prompt.id, "Builder");
    NEED(e, prompt_get(TX_WITH(e, .caller = &other, .now_ms = NOW), prompt.id, &prompt));
    assert_int_equal(prompt.status, PROMPT_RESOLVED);
    assert_int_equal(count_of(e, "squad_chat WHERE workspace_id <> '" UNKNOWN "'"), 0);
    assert_int_equal(count_of(e, "events WHERE workspace_id <> '" UNKNOWN "'"), 0);
    assert_int_equal(count_of(e, "audit WHERE workspace_id <> '" UNKNOWN "'"), 0);
}

/* A reply that comes after the time is up does not count, even when nobody has ended the prompt yet. */
static void plain_sql_cannot_answer_late(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask_at(e, NOW, "Dev", "Q");

    (void)engine_sql(e, arena_format(&e->arena,
                                     "INSERT INTO squad_chat (id, agent_name, message, message_type, "
                                     "discussion_prompt_id, created_at) VALUES ('%s', 'A', 'x', "
                                     "'discussion_response', '%s', '%s')",
                                     UNKNOWN, prompt.id, clock_text(&e->arena, prompt.due_ms + 1)));
    assert_int_equal(get(e, prompt.id).response_count, 0);
}

static void times_in_other_forms_are_understood(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt;

    (void)engine_sql(e, "INSERT INTO discussion_prompts (id, requester_agent, prompt_message, created_at) "
                        "VALUES ('" UNKNOWN "', 'Dev', 'Q', '2027-01-15 08:00:00')");
    NEED(e, prompt_get(TX_WITH(e, .caller = &local, .now_ms = 0), UNKNOWN, &prompt));
    assert_string_equal(prompt.created_at, "2027-01-15T08:00:00.000Z");
    assert_int_equal(prompt.due_ms, NOW + 30 * MINUTE);
}

static void the_sql_function_times_out_what_is_stale(void **state)
{
    struct engine *e = engine_of(state);

    if (e->db->engine == DB_SQLITE)
        skip();
    /* The column keeps milliseconds: cut here, so that the one at its limit is exactly there. */
    (void)engine_sql(e, "INSERT INTO discussion_prompts (id, requester_agent, prompt_message, created_at, "
                        "timeout_minutes) SELECT gen_random_uuid(), 'Dev', 'Q', "
                        "date_trunc('milliseconds', now()) - INTERVAL '10 minutes', m "
                        "FROM generate_series(9, 11) m");
    assert_string_equal(engine_sql(e, "SELECT public.timeout_stale_discussion_prompts()"), "1");
    (void)engine_sql(e, "INSERT INTO facts (name, value) VALUES ('clock_offset_ms', '1')");
    assert_string_equal(engine_sql(e, "SELECT public.timeout_stale_discussion_prompts()"), "1");
    assert_string_equal(engine_sql(e, "SELECT public.timeout_stale_discussion_prompts()"), "0");
}

/* The first two letters of each question listed. */
static const char *listed(struct engine *e, const struct prompt_filter *filter, const char **next)
{
    struct prompt_page page;
    const char *names = "";

    NEED(e, prompt_list(TX_WITH(e, .caller = &local, .now_ms = NOW + 100), filter, &page));
    for (size_t i = 0; i < page.count; i++)
        names = arena_format(&e->arena, "%s%s%.2s", names, i ? " " : "", page.prompts[i].prompt_message);
    if (next)
        *next = page.next_cursor;
    return names;
}

static void lists_show_what_an_agent_may_answer(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt p1 = ask_at(e, NOW + 1, "Dev", "p1 @Builder"), p2 = ask_at(e, NOW + 2, "Dev", "p2");
    struct prompt p3 = ask_at(e, NOW + 3, "builder", "p3"), p4 = ask_at(e, NOW + 4, "Dev", "p4");
    struct prompt p5 = ask_at(e, NOW - 31 * MINUTE, "Dev", "p5");
    struct prompt_filter filter = { .limit = 50 };
    struct chat_page page;

    (void)p5;
    NEED(e, answer(e, &p4, NOW + 5, "Builder"));
    assert_string_equal(listed(e, &filter, NULL), "p4 p3 p2 p1");
    filter.agent = "BUILDER";
    assert_string_equal(listed(e, &filter, NULL), "p1 p2");
    filter.include_answered = true;
    assert_string_equal(listed(e, &filter, NULL), "p1 p4 p2");
    filter.status = PROMPT_COLLECTING;
    assert_string_equal(listed(e, &filter, NULL), "p1 p4 p2");
    filter.status = PROMPT_PENDING;
    assert_string_equal(listed(e, &filter, NULL), "");
    NEED(e, prompt_close(TX_WITH(e, .caller = &local, .now_ms = NOW + 9), p1.id, "cancel", &p1));
    filter.status = PROMPT_CANCELLED;
    assert_string_equal(listed(e, &filter, NULL), "p1");
    filter = (struct prompt_filter){ .limit = 50, .agent = "Builder" };
    assert_string_equal(listed(e, &filter, NULL), "p2");
    NEED(e, chat_list(TX_WITH(e, .caller = &local), &(struct chat_filter){ .limit = 200 }, &page));
    assert_int_equal(page.count, 7);
    (void)p2;
    (void)p3;
}

static void pages_cross_from_mentions_to_the_rest(void **state)
{
    struct engine *e = engine_of(state);
    const char *all = "", *next;

    for (int i = 0; i < 7; i++)
        (void)ask_at(e, NOW + i / 2, "Dev", arena_format(&e->arena, "%c%d%s", 'a', i, i % 2 ? " @Ops" : ""));
    assert_string_equal(listed(e, &(struct prompt_filter){ .agent = "ops", .limit = 50 }, NULL),
                        "a5 a3 a1 a6 a4 a2 a0");
    for (size_t limit = 1; limit <= 7; limit++) {
        struct prompt_filter filter = { .agent = "ops", .limit = limit };

        all = "";
        do {
            all = arena_format(&e->arena, "%s%s ", all, listed(e, &filter, &next));
            filter.cursor = next;
        } while (next);
        assert_string_equal(all, "a5 a3 a1 a6 a4 a2 a0 ");
    }
}

static void tasks_are_linked_and_listed(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = { .requester_agent = "Dev",
                             .prompt_message = "t1",
                             .task_id = "T-1",
                             .required_responses = 1,
                             .timeout_minutes = 5 };
    struct prompt free_text = prompt;
    struct chat chat;
    struct prompt_filter filter = { .limit = 10, .task_id = "T-1" };

    (void)engine_sql(e, "INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('P', '" WORKSPACE
                        "', 'p', 1)");
    (void)engine_sql(
        e, "INSERT INTO tasks (id, workspace_id, project_id, title, created_at) VALUES ('T-1', '" WORKSPACE
           "', 'P', 't', 1)");
    free_text.task_id = "JIRA 17";
    free_text.prompt_message = "t2";
    NEED(e, prompt_create(TX_WITH(e, .caller = &local, .now_ms = NOW), &prompt, &chat));
    NEED(e, prompt_create(TX_WITH(e, .caller = &local, .now_ms = NOW), &free_text, &chat));
    assert_string_equal(prompt.linked_task_id, "T-1");
    assert_null(free_text.linked_task_id);
    assert_string_equal(listed(e, &filter, NULL), "t1");
    NEED(e, answer(e, &prompt, NOW, "A"));
    assert_string_equal(listed(e, &filter, NULL), "");
    filter.status = PROMPT_RESOLVED;
    assert_string_equal(listed(e, &filter, NULL), "t1");
    assert_int_equal(count_of(e, "events WHERE type = 'prompt.ended' AND project_id = 'P'"), 1);
    (void)engine_sql(e, "DELETE FROM tasks WHERE id = 'T-1'");
    assert_null(get(e, prompt.id).linked_task_id);
}

static size_t inbox(struct engine *e, const char *name, struct notification_page *page)
{
    struct inbox agents = notification_inbox(&e->arena, &local, name);

    NEED(e, notification_list(TX(e), WORKSPACE, &agents, &(struct notification_filter){ .limit = 50 }, page));
    return page->count;
}

static void mentions_reach_the_inbox_and_end_with_the_prompt(void **state)
{
    struct engine *e = engine_of(state);
    struct prompt prompt = ask_at(e, NOW, "Dev", "@Builder @dev and @Growth?");
    struct chat chat = { .agent_name = "Ops", .message = "look, @builder" };
    struct notification_page page;
    struct notification read;
    int64_t pending;
    size_t count;

    NEED(e, chat_post(TX_WITH(e, .caller = &local, .now_ms = NOW + 1), &chat));
    assert_int_equal(inbox(e, "Dev", &page), 0);
    assert_int_equal(inbox(e, "growth", &page), 1);
    assert_int_equal(inbox(e, "Builder", &page), 2);
    assert_int_equal(page.items[0].about, ABOUT_CHAT);
    assert_string_equal(page.items[0].ref_id, chat.id);
    assert_string_equal(page.items[1].ref_id, prompt.id);
    assert_string_equal(page.items[1].title, "Dev asks for your input");
    assert_int_equal(count_of(e, "events WHERE type = 'notification.added'"), 3);

    NEED(e, prompt_close(TX_WITH(e, .caller = &local, .now_ms = NOW + 2), prompt.id, "cancel", &prompt));
    assert_int_equal(count_of(e, "events WHERE type = 'notification.resolved'"), 2);
    struct inbox builders = notification_inbox(&e->arena, &local, "Builder");

    NEED(e, notification_pending(TX(e), WORKSPACE, &builders, &pending));
    assert_int_equal(pending, 1);
    NEED(e, notification_read(TX_WITH(e, .caller = &agent, .now_ms = NOW + 3), page.items[0].id, &read));
    assert_int_equal(read.read_ms, NOW + 3);
    NEED(e, notification_read(TX_WITH(e, .caller = &agent, .now_ms = NOW + 4), page.items[0].id, &read));
    assert_int_equal(read.read_ms, NOW + 3);
    assert_int_equal(count_of(e, "events WHERE type = 'notification.read'"), 1);
    assert_false(notification_read_all(TX_WITH(e, .caller = &agent, .now_ms = NOW), "Growth", &count));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
    NEED(e, notification_read_all(TX_WITH(e, .caller = &agent, .now_ms = NOW + 5), NULL, &count));
    assert_int_equal(count, 0); /* the other one is resolved, and no longer asks to be read */
    (void)inbox(e, "Growth", &page);
    assert_false(notification_read(TX_WITH(e, .caller = &agent, .now_ms = NOW + 3), page.items[0].id, &read));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
}

static void mentions_by_other_programs_are_told_by_the_sweep(void **state)
{
    struct engine *e = engine_of(state);
    struct notification_page page;
    struct prompt_filter filter = { .agent = "Growth", .limit = 10 };
    int64_t due;
    size_t ended;

    (void)engine_sql(e, "INSERT INTO discussion_prompts (id, requester_agent, prompt_message, created_at) "
                        "VALUES ('" UNKNOWN "', 'Dev', 'q1 @Growth', '2027-01-15T08:00:00.000Z')");
    (void)ask_at(e, NOW + 50, "Dev", "q2");
    insert_reply(e, "7", UNKNOWN, "Builder");
    (void)engine_sql(e, "INSERT INTO squad_chat (id, agent_name, message, workspace_id) VALUES "
                        "('00000000-0000-4000-8000-000000000009', 'X', '@Growth', 'nowhere')");
    NEED(e, deadline_next(TX(e), &due));
    assert_in_range(due, 1, clock_now_ms());
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = NOW), DEADLINE_BATCH, &ended));
    assert_int_equal(ended, 3);
    assert_int_equal(inbox(e, "Growth", &page), 2);
    assert_string_equal(listed(e, &filter, NULL), "q1 q2");
    NEED(e, deadline_apply(TX_WITH(e, .now_ms = NOW), DEADLINE_BATCH, &ended));
    assert_int_equal(ended, 0);
}

struct racer {
    struct engine *engine;
    const char **ids;
    const char *name;
    int failures;
};

enum { RACES = 200 };

static void *race(void *user)
{
    struct racer *racer = user;
    struct db *db = engine_open_another(racer->engine);
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };

    for (int i = 0; i < RACES; i++) {
        struct chat reply = { .workspace_id = WORKSPACE,
                              .agent_name = racer->name,
                              .message = "x",
                              .message_type = MESSAGE_RESPONSE,
                              .discussion_prompt_id = racer->ids[i] };

        if (!db_begin(db, true, &err) ||
            !chat_insert(&(struct tx){ .db = db, .arena = &arena, .now_ms = NOW + 1, .err = &err }, &reply) ||
            !db_commit(db, &err)) {
            racer->failures++;
            db_rollback(db);
        }
        arena_reset(&arena);
    }
    db_close(db);
    return NULL;
}

/* Two rows at once for each of 200 prompts, with nothing but the trigger between them. */
static void racing_replies_resolve_every_prompt(void **state)
{
    struct engine *e = engine_of(state);
    const char *ids[RACES];
    struct racer racers[2] = { { e, ids, "Builder", 0 }, { e, ids, "Growth", 0 } };
    pthread_t threads[2];

    for (int i = 0; i < RACES; i++)
        ids[i] = ask(e).id;
    engine_commit(e);
    db_rollback(e->db);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    NEED(e, db_begin(e->db, true, &e->err));
    assert_int_equal(racers[0].failures + racers[1].failures, 0);
    assert_int_equal(count_of(e, "discussion_prompts WHERE status = 'resolved' AND response_count = 2"),
                     RACES);
    assert_int_equal(count_of(e, "events WHERE type = 'prompt.ended'"), RACES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_prompt_resolves_on_the_last_required_reply),
        ON_BOTH(an_agent_counts_once_and_the_asker_not_at_all),
        ON_BOTH(count_all_counts_everything),
        ON_BOTH(the_end_is_said_in_the_chat_below_the_reply),
        ON_BOTH(closing_says_who_and_only_once),
        ON_BOTH(nobody_speaks_for_others),
        ON_BOTH(other_workspaces_are_not_there),
        ON_BOTH(a_plain_message_in_the_thread_does_not_count),
        ON_BOTH(time_runs_out_after_the_limit_not_at_it),
        ON_BOTH(deadlines_end_in_batches),
        ON_BOTH(plain_sql_counts_collects_and_resolves),
        ON_BOTH(plain_sql_ends_prompts),
        ON_BOTH(plain_sql_lands_in_the_workspace_of_its_prompt),
        ON_BOTH(plain_sql_cannot_answer_late),
        ON_BOTH(times_in_other_forms_are_understood),
        ON_BOTH(the_sql_function_times_out_what_is_stale),
        ON_BOTH(lists_show_what_an_agent_may_answer),
        ON_BOTH(pages_cross_from_mentions_to_the_rest),
        ON_BOTH(tasks_are_linked_and_listed),
        ON_BOTH(mentions_reach_the_inbox_and_end_with_the_prompt),
        ON_BOTH(mentions_by_other_programs_are_told_by_the_sweep),
        ON_BOTH(racing_replies_resolve_every_prompt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
