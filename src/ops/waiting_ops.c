#include "base/str.h"
#include "core/work/waiting.h"
#include "ops/example.h"
#include "ops/fields.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

enum { SORT_DEADLINE = 1, SORT_CREATED };
static const char *const sorts[] = { "deadline", "created", NULL };

static const struct field item_fields[] = {
    { "type", T_ENUM, REQUIRED,
      "What it is: a question of one of the four types, a set of open questions, a prompt, a turn.",
      .values = waiting_types },
    { "id", T_UUID, REQUIRED, "The question, set, prompt or turn." },
    { "text", T_TEXT, REQUIRED,
      "The beginning of what is asked; of a set, of its first question; of a turn, the topic." },
    { "questions", T_INT, REQUIRED, "How many questions a set holds; else 1." },
    { "agent", T_TEXT, REQUIRED, "Which agent asks.", .flags = F_NULL },
    { "projectId", T_ID, REQUIRED, "Its project.", .flags = F_NULL },
    { "project", T_TEXT, REQUIRED, "The project's name.", .flags = F_NULL },
    { "task", T_TEXT, REQUIRED, "The title of the task that it is about, or that whoever asks works on.",
      .flags = F_NULL },
    { "assignedTo", T_TEXT, REQUIRED, "The user who is to answer; null: whoever may.", .flags = F_NULL },
    { "assignee", T_TEXT, REQUIRED, "That user's name.", .flags = F_NULL },
    { "requiredRole", T_TEXT, REQUIRED, "The least role that may answer.", .flags = F_NULL },
    { "you", T_OBJECT, REQUIRED, "What it is to you.", .fields = standing_fields },
    { "timeoutAt", T_TIME, REQUIRED, "When it ends by itself.", .flags = F_NULL },
    { "defaultResponse", T_OBJECT, REQUIRED, "The answer that holds then.", .flags = F_NULL | F_OPEN },
    { "source", T_TEXT, REQUIRED, "Of a set: eval, prd, plan or execute.", .flags = F_NULL },
    { "discussionId", T_UUID, REQUIRED, "Of a turn: the discussion it is owed.", .flags = F_NULL },
    { "createdAt", T_TIME, REQUIRED, "When it was asked." },
    { 0 },
};

static const struct field list_reply[] = {
    { "items", T_LIST, REQUIRED, "What waits, the most urgent first.", .items = T_OBJECT,
      .fields = item_fields },
    { "serverTime", T_TIME, REQUIRED, "Now, to count the time that is left." },
    { "more", T_BOOL, REQUIRED, "Whether more waits than is shown." },
    { "needYou", T_INT, REQUIRED,
      "How much of all this needs you, shown or not: what somebody waits for, you may answer with effect, and have not snoozed." },
    { 0 },
};

static void write_time(struct json_out *out, const char *key, int64_t ms)
{
    if (ms)
        json_time(out, key, ms);
    else
        json_text(out, key, NULL);
}

static void write_item(struct arena *arena, const struct waiting *item, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "type", waiting_type_word(item->type));
    json_text(out, "id", item->id);
    json_text(out, "text", str_beginning(arena, item->text, NOTIFICATION_CHARS));
    json_int(out, "questions", item->questions);
    json_text(out, "agent", item->agent);
    json_text(out, "projectId", item->project_id);
    json_text(out, "project", item->project);
    json_text(out, "task", item->task);
    json_text(out, "assignedTo", item->assigned_to);
    json_text(out, "assignee", item->assignee);
    json_text(out, "requiredRole", item->required_role);
    standing_write(&item->standing, "you", out);
    write_time(out, "timeoutAt", item->due_ms);
    json_raw(out, "defaultResponse", item->default_response ? item->default_response : "null");
    json_text(out, "source", work_source_word(item->source));
    json_text(out, "discussionId", item->discussion_id);
    json_time(out, "createdAt", item->asked_ms);
    json_map_end(out);
}

static bool run_inbox_list(struct call *call)
{
    const char *project =
        arg_given(call, "projectId") ? arg_text(call, "projectId") : call->caller.project_id;
    struct waiting_page page;

    if (!caller_sees_project(&call->caller, project))
        return err_set(&call->err, ERR_NOT_FOUND, "There is no such project.");
    if (!waiting_list(&call->tx,
                      &(struct waiting_filter){ .type = arg_word(call, "type", waiting_types),
                                                .project_id = project,
                                                .by_age = arg_word(call, "sort", sorts) == SORT_CREATED,
                                                .limit = (size_t)arg_int(call, "limit") },
                      &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "items");
    for (size_t i = 0; i < page.count; i++)
        write_item(call->tx.arena, &page.items[i], &call->out);
    json_list_end(&call->out);
    json_time(&call->out, "serverTime", call->tx.now_ms);
    json_bool(&call->out, "more", page.more);
    json_int(&call->out, "needYou", page.need_you);
    json_map_end(&call->out);
    return true;
}

const struct op waiting_ops[] = {
    {
        .name = "inbox_list",
        .http = "GET /api/inbox",
        .tag = "Notifications",
        .help = "List everything that waits for people: questions, approvals, decisions, sets of open questions, prompts that mention you, and turns that people owe discussions, of all projects, the most urgent first. "
                "It says of each what it is to you, and how much needs you.",
        .needs = ROLES_READ,
        .reaches = REACH_INBOX,
        .kind = OP_READ,
        .run = run_inbox_list,
        .example = "{\"projectId\": \"" EXAMPLE_PROJECT "\", \"limit\": 20}",
        .reply = list_reply,
        .params = {
            { "type", T_ENUM, OPTIONAL, "Only this.", .values = waiting_types },
            { "projectId", T_ID, OPTIONAL, "Only of this project." },
            { "sort", T_ENUM, OPTIONAL, "What ends first and then what has no deadline; or the oldest first.", .values = sorts,
              .fallback = "deadline" },
            { "limit", T_INT, OPTIONAL, "How many at most.", .min = 1, .max = INBOX_SHOWN_MAX, .fallback = "200" },
        },
    },
    { 0 },
};
