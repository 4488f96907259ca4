#include "core/council/take.h"
#include "ops/discussion.h"
#include "ops/identity.h"
#include "ops/tables.h"

const struct field waiting_turn_fields[] = {
    { "id", T_UUID, REQUIRED, "The turn." },
    { "discussionId", T_UUID, REQUIRED, "The discussion." },
    { "topic", T_TEXT, REQUIRED, "What it is about." },
    { "projectId", T_UUID, REQUIRED, "Its project.", .flags = F_NULL },
    { "mode", T_TEXT, REQUIRED, "How turns are taken in it." },
    { "kind", T_ENUM, REQUIRED, "turn, or ballot.", .values = row_kinds },
    { "speaker", T_TEXT, REQUIRED, "Whose turn it is." },
    { "role", T_TEXT, REQUIRED, "In which role." },
    { "agentId", T_UUID, REQUIRED, "Which agent, if one.", .flags = F_NULL },
    { "userId", T_TEXT, REQUIRED, "Which person, if a certain one.", .flags = F_NULL },
    { "roundNumber", T_INT, REQUIRED, "In which round." },
    { "turnIndex", T_INT, REQUIRED, "At which place of the order." },
    { "createdAt", T_TIME, REQUIRED, "Since when it waits." },
    { "dueAt", T_TIME, REQUIRED, "When it is passed.", .flags = F_NULL },
    { 0 },
};

static const struct field list_reply[] = {
    { "turns", T_LIST, REQUIRED, "The turns that wait, oldest first.", .items = T_OBJECT,
      .fields = waiting_turn_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field take_reply[] = {
    { "entry", T_OBJECT, REQUIRED, "What was logged.", .fields = discussion_entry_fields },
    { "discussion", T_OBJECT, REQUIRED, "The discussion as it then stands.", .fields = discussion_fields },
    { 0 },
};

static bool run_turn_take(struct call *call)
{
    struct taken taken = {
        .agent_name = arg_text(call, "agent_name"),
        .user_id = arg_text(call, "userId"),
        .content = arg_text(call, "content"),
        .reason = arg_text(call, "reason"),
    };
    struct discussion d;
    struct logged logged;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d))
        return false;
    if (arg_bool(call, "pass") == (taken.content != NULL))
        return err_field(&call->err, "content", "Give content, or pass: true.");
    if (!taken.agent_name)
        taken.agent_name = call->caller.agent_name;
    if (!take_turn(&call->tx, arg_text(call, "id"), &taken, &d, &logged))
        return false;
    call->subject = d.id;
    json_map(&call->out, NULL);
    logged_write(&logged, "entry", &call->out);
    discussion_write(&d, "discussion", &call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_turn_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct turn_filter filter = { .agent = arg_text(call, "agent"), .limit = limit + 1 };
    struct waiting_turn *turns;

    if (filter.agent && !caller_may_speak_as(&call->caller, filter.agent, &call->err))
        return false;
    if (!filter.agent)
        filter.agent = call->caller.agent_name;
    if (!identity_page(call, "turns", &filter.cursor) ||
        !open_turn_waiting(&call->tx, &filter, &turns, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "turns");
    for (size_t i = 0; i < shown; i++)
        waiting_turn_write(&turns[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "turns", count > shown, shown ? turns[shown - 1].turn.created_ms : 0,
                        shown ? turns[shown - 1].turn.id : NULL);
    json_map_end(&call->out);
    return true;
}

const struct op turn_ops[] = {
    {
        .name = "turn_take",
        .http = "POST /api/discussions/{id}/turns",
        .tag = TAG_DISCUSSIONS,
        .help = "Take the turn that an agent of yours, or you as a person, owe a discussion; or pass it.",
        .needs = ROLES_WRITE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .status = 201,
        .tool = "take_turn",
        .run = run_turn_take,
        .example = "{\"agent_name\": \"Architect\", \"content\": \"The index: it is easier to undo.\"}",
        .reply = take_reply,
        .params = {
            DISCUSSION_PARAM,
            { "agent_name", T_NAME, OPTIONAL, "The agent whose turn it is; a person's when left out.",
              .flags = F_NULL | F_SPEAKER },
            { "userId", T_ID, OPTIONAL, "Which person; the caller when left out. Nobody else speaks for a user of the workspace.", .flags = F_NULL },
            { "content", T_TEXT, OPTIONAL, "What is said; for a ballot {choice, confidence, ranking} as text.",
              .max = LIMIT_MESSAGE_CEILING, .flags = F_NULL },
            { "pass", T_BOOL, OPTIONAL, "Whether to pass: there is nothing to add.", .fallback = "false" },
            { "reason", T_TEXT, OPTIONAL, "Why it is a pass.", .max = LIMIT_TITLE, .flags = F_NULL },
        },
    },
    {
        .name = "turn_list",
        .http = "GET /api/turns",
        .tag = TAG_DISCUSSIONS,
        .help = "List the turns that wait for a person, or for an agent that this server does not run.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .tool = "list_turns",
        .run = run_turn_list,
        .example = "{\"agent\": \"Architect\"}",
        .reply = list_reply,
        .params = { { "agent", T_NAME, OPTIONAL, "Only those of this agent.", .flags = F_SPEAKER }, PAGE_PARAMS },
    },
    { 0 },
};
