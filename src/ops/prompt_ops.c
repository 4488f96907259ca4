#include "core/chat/prompt.h"
#include "core/log/outcome.h"
#include "gen/nouns/prompt_fields.h"
#include "ops/fields.h"
#include "ops/tables.h"

#include "base/str.h"

const struct field outcome_fields[] = {
    { "source", T_ENUM, REQUIRED, "What ended the wait.", .values = outcome_sources },
    { "by", T_TEXT, REQUIRED, "Who ended it.", .flags = F_NULL },
    { "at", T_TIME, REQUIRED, "When it ended." },
    { 0 },
};

static const struct field brief_fields[] = {
    { "agent", T_TEXT, REQUIRED, "Who replied." },
    { "message", T_TEXT, REQUIRED, "The reply." },
    { "is_human", T_BOOL, REQUIRED, "Whether a person wrote it." },
    { "created_at", T_TIME, REQUIRED, "When it was written." },
    { 0 },
};

#define CONTEXT_FIELD(key) \
    { \
        key, T_LIST, REQUIRED, "Every reply so far, counted or not, in order.", .items = T_OBJECT, \
                                                                                .fields = brief_fields \
    }
#define OUTCOME_FIELD \
    { \
        "outcome", T_OBJECT, REQUIRED, "How it ended; null while open.", .fields = outcome_fields, \
                                                                         .flags = F_NULL \
    }

static const struct field prompt_fields[] = { PROMPT_FIELDS, { 0 } };

static const struct field create_reply[] = {
    { "prompt", T_OBJECT, REQUIRED, "The prompt.", .fields = prompt_fields },
    { "chat", T_OBJECT, REQUIRED, "The message that shows it in the chat.", .fields = chat_fields },
    { 0 },
};

static const struct field list_reply[] = {
    { "prompts", T_LIST, REQUIRED, "The prompts, newest first; those that mention the agent before the rest.",
      .items = T_OBJECT, .fields = prompt_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field get_reply[] = {
    { "prompt", T_OBJECT, REQUIRED, "The prompt.", .fields = prompt_fields },
    { "responses", T_LIST, REQUIRED, "The replies as messages of the chat, oldest first.", .items = T_OBJECT,
      .fields = chat_fields },
    { "ready", T_BOOL, REQUIRED, "Whether the asker can go on: resolved or timed out." },
    { "terminal", T_BOOL, REQUIRED, "Whether it has ended in any way: nothing more will come." },
    { "status", T_ENUM, REQUIRED, "The prompt's status.", .values = prompt_statuses },
    { "responseCount", T_INT, REQUIRED, "The replies that count." },
    { "requiredResponses", T_INT, REQUIRED, "How many of them resolve it." },
    CONTEXT_FIELD("collectedContext"),
    { "timeoutAt", T_TIME, REQUIRED, "The last moment at which it is still open." },
    OUTCOME_FIELD,
    { 0 },
};

static const struct field respond_reply[] = {
    { "response", T_OBJECT, REQUIRED, "The reply as a message of the chat.", .fields = chat_fields },
    { "prompt", T_OBJECT, REQUIRED, "The prompt as it stands now.", .fields = prompt_fields },
    { "ready", T_BOOL, REQUIRED, "Whether the asker can go on." },
    { 0 },
};

static const struct field close_reply[] = {
    { "prompt", T_OBJECT, REQUIRED, "The prompt as it ended.", .fields = prompt_fields },
    CONTEXT_FIELD("collectedContext"),
    { 0 },
};

/* An empty reference is none: a template that had nothing to fill in sends "". */
static const char *reference(const struct call *call, const char *name)
{
    const char *text = arg_text(call, name);

    return text && !str_is_blank(text) ? text : NULL;
}

static bool run_prompt_create(struct call *call)
{
    struct prompt prompt = {
        .task_id = reference(call, "task_id"),
        .requester_agent = arg_text(call, "requester_agent"),
        .prompt_message = arg_text(call, "prompt_message"),
        .required_responses = arg_int(call, "required_responses"),
        .timeout_minutes = arg_int(call, "timeout_minutes"),
        .count_all = arg_bool(call, "count_all"),
    };
    struct chat chat;

    if (!prompt_create(&call->tx, &prompt, &chat))
        return false;
    call->subject = call->prompt_id = prompt.id;
    json_map(&call->out, NULL);
    prompt_write(&prompt, "prompt", &call->out);
    chat_write(&chat, "chat", &call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_prompt_list(struct call *call)
{
    struct prompt_filter filter = {
        .status = arg_word(call, "status", prompt_statuses),
        .agent = arg_text(call, "agent"),
        .task_id = reference(call, "task_id"),
        .include_answered = arg_bool(call, "include_answered"),
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct prompt_page page;

    if (!prompt_list(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "prompts");
    for (size_t i = 0; i < page.count; i++)
        prompt_write(&page.prompts[i], NULL, &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

static void write_state(const struct prompt *prompt, struct json_out *out)
{
    json_bool(out, "ready", prompt_is_ready(prompt));
    json_bool(out, "terminal", !prompt_is_open(prompt));
    json_text(out, "status", prompt_status_word(prompt->status));
    json_int(out, "responseCount", prompt->response_count);
    json_int(out, "requiredResponses", prompt->required_responses);
    json_raw(out, "collectedContext", prompt->collected_context);
    json_time(out, "timeoutAt", prompt->due_ms);
    prompt_write_outcome(prompt, "outcome", out);
}

static bool run_prompt_get(struct call *call)
{
    struct prompt prompt;
    struct chat *replies;
    size_t count;

    if (!prompt_get(&call->tx, arg_text(call, "id"), &prompt) ||
        !chat_replies(&call->tx, call->caller.workspace_id, prompt.id, &replies, &count))
        return false;
    call->ended = !prompt_is_open(&prompt);
    json_map(&call->out, NULL);
    prompt_write(&prompt, "prompt", &call->out);
    json_list(&call->out, "responses");
    for (size_t i = 0; i < count; i++)
        chat_write(&replies[i], NULL, &call->out);
    json_list_end(&call->out);
    write_state(&prompt, &call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_prompt_respond(struct call *call)
{
    struct chat reply = {
        .agent_name = arg_text(call, "agent_name"),
        .message = arg_text(call, "message"),
        .is_human = arg_bool(call, "is_human"),
    };
    struct prompt prompt;

    if (!prompt_respond(&call->tx, arg_text(call, "id"), &reply, &prompt))
        return false;
    json_map(&call->out, NULL);
    chat_write(&reply, "response", &call->out);
    prompt_write(&prompt, "prompt", &call->out);
    json_bool(&call->out, "ready", prompt_is_ready(&prompt));
    json_map_end(&call->out);
    return true;
}

static bool run_prompt_close(struct call *call)
{
    struct prompt prompt;

    if (!prompt_close(&call->tx, arg_text(call, "id"), arg_text(call, "action"), &prompt))
        return false;
    json_map(&call->out, NULL);
    prompt_write(&prompt, "prompt", &call->out);
    json_raw(&call->out, "collectedContext", prompt.collected_context);
    json_map_end(&call->out);
    return true;
}

const struct op prompt_ops[] = {
    {
        .name = "prompt_create",
        .http = "POST /api/discussion",
        .tag = "Discussion prompts",
        .help = "Ask the other agents for input. "
                "The prompt appears in the squad chat and collects replies until enough agents have answered or its time is up. "
                "@Name in it calls an agent.",
        .needs = ROLES_WRITE,
        .reaches = REACH_SQUAD,
        .kind = OP_WRITE,
        .status = 201,
        .cli = "prompt ask",
        .missing = "Missing required fields: requester_agent, prompt_message",
        .tool = "ask_squad",
        .run = run_prompt_create,
        .example = "{\"requester_agent\": \"Developer\", "
                   "\"prompt_message\": \"Cache or index first? @Reviewer\", \"required_responses\": 2, "
                   "\"timeout_minutes\": 10}",
        .reply = create_reply,
        .params = {
            { "requester_agent", T_NAME, REQUIRED, "Who asks.", .flags = F_SPEAKER },
            { "prompt_message", T_TEXT, REQUIRED,
              "The question; 64 KB at most unless limits.message says otherwise.",
              .max = LIMIT_MESSAGE_CEILING },
            { "task_id", T_TEXT, OPTIONAL, "The task it is about, under whatever name you have for it.",
              .max = LIMIT_REF },
            { "required_responses", T_INT, OPTIONAL, "How many different agents must reply.", .min = 1,
              .max = PROMPT_RESPONSES_MAX, .fallback = "2" },
            { "timeout_minutes", T_INT, OPTIONAL, "Minutes after which it times out.", .min = 1,
              .max = PROMPT_MINUTES_MAX, .fallback = "30" },
            { "count_all", T_BOOL, OPTIONAL,
              "Count every reply, also further ones of the same agent and the asker's own.",
              .fallback = "false" },
        },
    },
    {
        .name = "prompt_list",
        .http = "GET /api/discussion",
        .tag = "Discussion prompts",
        .help = "List discussion prompts, newest first; open ones unless a status is given. "
                "For an agent: what it may answer, prompts that mention it first.",
        .needs = ROLES_READ,
        .reaches = REACH_SQUAD,
        .kind = OP_READ,
        .cli = "prompt list",
        .tool = "list_squad_prompts",
        .run = run_prompt_list,
        .example = "{\"agent\": \"Reviewer\", \"limit\": 20}",
        .reply = list_reply,
        .params = {
            { "status", T_ENUM, OPTIONAL, "Only prompts with this status.", .values = prompt_statuses },
            { "agent", T_NAME, OPTIONAL,
              "Only what this agent may answer: not its own prompts, nor those it has answered." },
            { "task_id", T_TEXT, OPTIONAL, "Only prompts about this task.", .max = LIMIT_REF },
            { "include_answered", T_BOOL, OPTIONAL, "With agent: also those it has answered.",
              .fallback = "false" },
            PAGE_PARAMS,
        },
    },
    {
        .name = "prompt_get",
        .http = "GET /api/discussion/{id}",
        .tag = "Discussion prompts",
        .help = "Show a discussion prompt with its replies and whether the asker can go on.",
        .needs = ROLES_READ,
        .reaches = REACH_SQUAD,
        .kind = OP_READ,
        .quick = true,
        .waits = true,
        .cli = "prompt show",
        .tool = "wait_for_squad",
        .run = run_prompt_get,
        .reply = get_reply,
        .params = { { "id", T_UUID, REQUIRED, "The prompt." } },
    },
    {
        .name = "prompt_respond",
        .http = "POST /api/discussion/{id}",
        .tag = "Discussion prompts",
        .help = "Answer a discussion prompt in the squad chat. "
                "Each agent counts once; the last reply that is needed resolves the prompt.",
        .needs = ROLES_WRITE,
        .reaches = REACH_SQUAD,
        .kind = OP_WRITE,
        .status = 201,
        .cli = "prompt answer",
        .tool = "answer_squad",
        .run = run_prompt_respond,
        .example = "{\"agent_name\": \"Reviewer\", \"message\": \"The index: it is easier to undo.\"}",
        .reply = respond_reply,
        .params = {
            { "id", T_UUID, REQUIRED, "The prompt." },
            { "agent_name", T_NAME, REQUIRED, "Who answers.", .flags = F_SPEAKER },
            { "message", T_TEXT, REQUIRED, "The answer; 64 KB at most unless limits.message says otherwise.",
              .max = LIMIT_MESSAGE_CEILING },
            { "is_human", T_BOOL, OPTIONAL, "Whether a person answers; an agent's token may not say so.",
              .fallback = "false" },
        },
    },
    {
        .name = "prompt_close",
        .http = "PATCH /api/discussion/{id}",
        .tag = "Discussion prompts",
        .help = "End a discussion prompt before it has all its replies: resolve it with what was collected, or cancel it.",
        .needs = ROLES_WRITE,
        .reaches = REACH_SQUAD,
        .kind = OP_WRITE,
        .missing = "Invalid action. Must be \"resolve\" or \"cancel\"",
        .run = run_prompt_close,
        .example = "{\"action\": \"resolve\"}",
        .reply = close_reply,
        .params = {
            { "id", T_UUID, REQUIRED, "The prompt." },
            { "action", T_TEXT, REQUIRED, "resolve or cancel.", .form = "\"pattern\":\"^(resolve|cancel)$\"" },
        },
    },
    { 0 },
};
