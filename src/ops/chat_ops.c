#include "core/chat/chat.h"
#include "core/chat/prompt.h"
#include "gen/nouns/chat_fields.h"
#include "ops/example.h"
#include "ops/fields.h"
#include "ops/tables.h"

#include "base/str.h"

static const char *const types_to_post[] = { "message", "discussion_response", NULL };

const struct field chat_fields[] = { CHAT_FIELDS, { 0 } };

static const struct field chat_list_reply[] = {
    { "messages", T_LIST, REQUIRED, "The messages, newest first.", .items = T_OBJECT, .fields = chat_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field chat_post_reply[] = {
    { "message", T_OBJECT, REQUIRED, "The message as stored.", .fields = chat_fields },
    { 0 },
};

static bool run_chat_list(struct call *call)
{
    struct chat_filter filter = {
        .discussion_prompt_id = arg_text(call, "discussion_prompt_id"),
        .task_ref = arg_text(call, "task_ref"),
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct chat_page page;

    if (!chat_list(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "messages");
    for (size_t i = 0; i < page.count; i++)
        chat_write(&page.messages[i], NULL, &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

/* A reply to a prompt is the same thing by whichever way it comes. */
static bool post(struct call *call, struct chat *chat)
{
    const char *prompt_id = arg_text(call, "discussion_prompt_id");
    struct prompt prompt;

    if (arg_word(call, "message_type", message_types) == MESSAGE_PLAIN) {
        chat->discussion_prompt_id = prompt_id;
        return chat_post(&call->tx, chat);
    }
    if (!prompt_id)
        return err_field(&call->err, "discussion_prompt_id",
                         "discussion_prompt_id is required for a discussion_response.");
    return prompt_respond(&call->tx, prompt_id, chat, &prompt);
}

static bool run_chat_post(struct call *call)
{
    struct chat chat = {
        .agent_name = arg_text(call, "agent_name"),
        .message = arg_text(call, "message"),
        .is_human = arg_bool(call, "is_human"),
        .task_ref = arg_text(call, "task_ref"),
    };

    if (!post(call, &chat))
        return false;
    call->subject = chat.id;
    json_map(&call->out, NULL);
    chat_write(&chat, "message", &call->out);
    json_map_end(&call->out);
    return true;
}

const struct op chat_ops[] = {
    {
        .name = "chat_list",
        .cli = "chat-log",
        .http = "GET /api/chat",
        .tag = "Squad chat",
        .help = "Read the squad chat, newest message first; all of it, one prompt's thread, or what was said about one task.",
        .needs = ROLES_READ,
        .reaches = REACH_SQUAD,
        .kind = OP_READ,
        .run = run_chat_list,
        .example = "{\"task_ref\": \"" EXAMPLE_TASK "\", \"limit\": 20}",
        .reply = chat_list_reply,
        .params = {
            { "discussion_prompt_id", T_UUID, OPTIONAL, "Only the thread of this prompt." },
            { "task_ref", T_TEXT, OPTIONAL, "Only messages that refer to this task.", .max = LIMIT_REF },
            PAGE_PARAMS,
        },
    },
    {
        .name = "chat_post",
        .http = "POST /api/chat",
        .tag = "Squad chat",
        .help = "Write a message into the squad chat. @Name in it mentions an agent. "
                "As a discussion_response it answers a prompt.",
        .needs = ROLES_WRITE,
        .reaches = REACH_SQUAD,
        .kind = OP_WRITE,
        .status = 201,
        .cli = "chat-post",
        .tool = "post_to_chat",
        .run = run_chat_post,
        .example = "{\"agent_name\": \"Builder\", \"message\": \"@Reviewer the schema is final.\", "
                   "\"task_ref\": \"" EXAMPLE_TASK "\"}",
        .reply = chat_post_reply,
        .params = {
            { "agent_name", T_NAME, REQUIRED, "Who writes.", .flags = F_SPEAKER },
            { "message", T_TEXT, REQUIRED, "What to say; 64 KB at most unless limits.message says otherwise.",
              .max = LIMIT_MESSAGE_CEILING },
            { "is_human", T_BOOL, OPTIONAL, "Whether a person writes; an agent's token may not say so.",
              .fallback = "false" },
            { "message_type", T_ENUM, OPTIONAL,
              "message, or discussion_response together with discussion_prompt_id.", .fallback = "message",
              .values = types_to_post },
            { "discussion_prompt_id", T_UUID, OPTIONAL,
              "The prompt whose thread it belongs to. A plain message there does not count as a reply." },
            { "task_ref", T_TEXT, OPTIONAL, "A task it refers to, under whatever name you have for it.",
              .max = LIMIT_REF },
        },
    },
    { 0 },
};
