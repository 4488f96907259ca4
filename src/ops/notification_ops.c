#include "core/inbox/notification.h"
#include "gen/nouns/notification_fields.h"
#include "ops/about.h"
#include "ops/fields.h"
#include "ops/tables.h"

const struct field notification_ref_fields[] = {
    { "type", T_TEXT, REQUIRED, "What kind of thing: prompt, chat, question, job, token." },
    { "id", T_TEXT, REQUIRED, "Which one." },
    { 0 },
};

static const struct field notification_fields[] = {
    NOTIFICATION_FIELDS,
    { "about", T_OBJECT, REQUIRED,
      "The same as ref, as it is called now: of a turn, its discussion; null when it is gone.",
      .fields = about_fields, .flags = F_NULL },
    { 0 },
};

static const struct field list_reply[] = {
    { "notifications", T_LIST, REQUIRED, "The notifications, newest first.", .items = T_OBJECT,
      .fields = notification_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field one_reply[] = {
    { "notification", T_OBJECT, REQUIRED, "The notification.", .fields = notification_fields },
    { 0 },
};

static const struct field count_reply[] = {
    { "count", T_INT, REQUIRED, "How many." },
    { 0 },
};

/* Who speaks as an agent reads that agent's inbox and nobody else's. */
static bool inbox(struct call *call, struct inbox *of)
{
    const char *agent = arg_text(call, "agent");

    if (agent && !caller_may_speak_as(&call->caller, agent, &call->err))
        return false;
    *of = notification_inbox(call->tx.arena, &call->caller, agent);
    return true;
}

/* All of a page with one statement. A turn is known by its discussion, which is there after its end. */
static bool write_named(struct call *call, const struct notification items[], size_t count, const char *key)
{
    const char **ids = arena_array(call->tx.arena, const char *, count);
    struct named *named;

    for (size_t i = 0; i < count; i++)
        ids[i] = items[i].discussion_id ? items[i].discussion_id : items[i].ref_id;
    if (!naming_find(&call->tx, call->caller.workspace_id, ids, count, &named))
        return false;
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, key);
        notification_write_members(&items[i], &call->out);
        about_write(&named[i], &call->out);
        json_map_end(&call->out);
    }
    return true;
}

static void reply_count(struct call *call, int64_t count)
{
    json_map(&call->out, NULL);
    json_int(&call->out, "count", count);
    json_map_end(&call->out);
}

static bool run_notification_list(struct call *call)
{
    struct notification_page page;
    struct inbox of;

    if (!inbox(call, &of) ||
        !notification_list(&call->tx, call->caller.workspace_id, &of,
                           &(struct notification_filter){ .unread_only = arg_bool(call, "unread"),
                                                          .cursor = arg_text(call, "cursor"),
                                                          .limit = (size_t)arg_int(call, "limit") },
                           &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "notifications");
    if (!write_named(call, page.items, page.count, NULL))
        return false;
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

static bool run_notification_pending_count(struct call *call)
{
    struct inbox of;
    int64_t count;

    if (!inbox(call, &of) || !notification_pending(&call->tx, call->caller.workspace_id, &of, &count))
        return false;
    reply_count(call, count);
    return true;
}

static bool run_notification_read(struct call *call)
{
    struct notification notification;

    if (!notification_read(&call->tx, arg_text(call, "id"), &notification))
        return false;
    json_map(&call->out, NULL);
    if (!write_named(call, &notification, 1, "notification"))
        return false;
    json_map_end(&call->out);
    return true;
}

static bool run_notification_read_all(struct call *call)
{
    size_t count;

    if (!notification_read_all(&call->tx, arg_text(call, "agent"), &count))
        return false;
    reply_count(call, (int64_t)count);
    return true;
}

const struct op notification_ops[] = {
    {
        .name = "notification_list",
        .http = "GET /api/notifications",
        .tag = "Notifications",
        .help = "Read an inbox, newest first: your own, or that of the agent you name.",
        .needs = ROLES_READ,
        .reaches = REACH_INBOX,
        .kind = OP_READ,
        .run = run_notification_list,
        .example = "{\"agent\": \"Reviewer\", \"unread\": true}",
        .reply = list_reply,
        .params = {
            { "agent", T_NAME, OPTIONAL, "Whose inbox; your own when left out." },
            { "unread", T_BOOL, OPTIONAL, "Only what is neither read nor resolved.", .fallback = "false" },
            PAGE_PARAMS,
        },
    },
    {
        .name = "notification_pending_count",
        .http = "GET /api/notifications/pending-count",
        .tag = "Notifications",
        .help = "Count what waits in an inbox: questions and turns until they have ended, read or not; the rest until it has been read.",
        .needs = ROLES_READ,
        .reaches = REACH_INBOX,
        .kind = OP_READ,
        .run = run_notification_pending_count,
        .example = "{\"agent\": \"Reviewer\"}",
        .reply = count_reply,
        .params = { { "agent", T_NAME, OPTIONAL, "Whose inbox; your own when left out." } },
    },
    {
        .name = "notification_read",
        .http = "POST /api/notifications/{id}/read",
        .tag = "Notifications",
        .help = "Mark a notification as read. A second time changes nothing.",
        .needs = ROLES_READ,
        .reaches = REACH_INBOX,
        .kind = OP_WRITE,
        .no_audit = true,
        .run = run_notification_read,
        .reply = one_reply,
        .params = { { "id", T_UUID, REQUIRED, "The notification." } },
    },
    {
        .name = "notification_read_all",
        .http = "POST /api/notifications/read-all",
        .tag = "Notifications",
        .help = "Mark everything in an inbox as read and say how many were not.",
        .needs = ROLES_READ,
        .reaches = REACH_INBOX,
        .kind = OP_WRITE,
        .no_audit = true,
        .run = run_notification_read_all,
        .example = "{\"agent\": \"Reviewer\"}",
        .reply = count_reply,
        .params = { { "agent", T_NAME, OPTIONAL, "Whose inbox; your own when left out." } },
    },
    { 0 },
};
