/*
 * An export is read in pieces: the handler writes one and says where the next begins (more_after), and the
 * door asks again when its client has taken it. Lines keep `detail` as the text that is stored, since that is
 * what the hash covers.
 */
#include "core/log/audit.h"

#include "base/limits.h"
#include "base/str.h"
#include "ops/about.h"
#include "ops/op.h"
#include "ops/tables.h"

#define TAG "Audit"

/* The parameters that name what an operation makes or takes away. */
static const char *const naming_params[] = { "name",           "title",   "question",   "topic",
                                             "prompt_message", "message", "description" };

/* What is gone, or was never there, is called as whoever called the operation did. */
static const char *name_given(struct arena *arena, const char *detail)
{
    JSON_AUTO *given = json_loads(detail, 0, NULL);

    for (size_t i = 0; i < sizeof(naming_params) / sizeof(*naming_params); i++) {
        const char *name = json_string_value(json_object_get(given, naming_params[i]));

        if (name && name[0])
            return arena_text(arena, str_beginning(arena, name, NOTIFICATION_CHARS));
    }
    return NULL;
}

/* All of a page with one statement. */
static bool name_entries(const struct call *call, const struct audit_entry *entries, size_t count,
                         struct named **named)
{
    const char **ids = arena_array(call->tx.arena, const char *, count);

    for (size_t i = 0; i < count; i++)
        ids[i] = entries[i].subject;
    if (!naming_find(&call->tx, call->caller.workspace_id, ids, count, named))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(*named)[i].name)
            (*named)[i].name = name_given(call->tx.arena, entries[i].detail);
    return true;
}

/* Without a name the detail stays the bytes that are stored, which are what the hash covers. */
static void write_entry(struct json_out *out, const struct audit_entry *entry, const struct named *named)
{
    json_map(out, NULL);
    json_int(out, "seq", entry->seq);
    json_time(out, "at", entry->at_ms);
    json_text(out, "workspaceId", entry->workspace_id);
    json_text(out, "actorKind", entry->actor_kind);
    json_text(out, "actorId", entry->actor_id);
    json_text(out, "actor", entry->actor);
    json_text(out, "operation", entry->operation);
    json_text(out, "subject", entry->subject);
    json_text(out, "door", entry->door);
    json_text(out, "remote", entry->remote);
    json_text(out, "requestId", entry->request_id);
    if (named) {
        about_write(named, out);
        json_raw(out, "detail", entry->detail);
    } else {
        json_text(out, "detail", entry->detail);
    }
    json_text(out, "hash", entry->hash);
    json_map_end(out);
}

static bool read_cursor(const struct call *call, int64_t *cursor, struct err *err)
{
    const char *text = arg_text(call, "cursor");

    *cursor = 0;
    return !text || (str_to_int(text, cursor) && *cursor > 0) ||
           err_field(err, "cursor", "cursor must be a nextCursor of this list.");
}

static bool run_audit_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count;
    struct audit_filter filter = {
        .actor = arg_text(call, "actor"),
        .operation = arg_text(call, "operation"),
        .subject = arg_text(call, "subject"),
        .after_ms = arg_given(call, "after") ? arg_int(call, "after") : 0,
        .before_ms = arg_given(call, "before") ? arg_int(call, "before") : 0,
        .limit = limit + 1,
    };
    struct audit_entry *entries;
    struct named *named;
    bool more;

    if (!read_cursor(call, &filter.cursor, &call->err) ||
        !audit_list(&call->tx, call->caller.workspace_id, &filter, &entries, &count))
        return false;
    more = count > limit;
    count = more ? limit : count;
    if (!name_entries(call, entries, count, &named))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "entries");
    for (size_t i = 0; i < count; i++)
        write_entry(&call->out, &entries[i], &named[i]);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor",
              more ? arena_format(call->tx.arena, "%lld", (long long)entries[count - 1].seq) : NULL);
    json_map_end(&call->out);
    return true;
}

/* A piece ends at EXPORT_ROWS rows or when it is large; its client gets the next one when it has read it. */
static bool run_audit_export(struct call *call)
{
    int64_t limit = arg_int(call, "limit");
    size_t wanted = (size_t)(limit < call->piece_rows ? limit : call->piece_rows), count, i;
    struct audit_entry *entries;

    if (!audit_read(&call->tx, call->caller.workspace_id, arg_int(call, "after_seq"), wanted, &entries,
                    &count))
        return false;
    for (i = 0; i < count && call->out.buf->len < LIMIT_PAGE_BYTES; i++) {
        struct json_out line;

        json_begin(&line, call->out.buf);
        write_entry(&line, &entries[i], NULL);
        buf_char(call->out.buf, '\n');
    }
    if ((i < count || count == wanted) && limit > (int64_t)i) {
        call->more_after = entries[i - 1].seq;
        call->more_left = limit - (int64_t)i;
    }
    return true;
}

static const struct field entry_fields[] = {
    { "seq", T_INT, REQUIRED,
      "Its number in the log of this server; the rows of one workspace may skip some." },
    { "at", T_TIME, REQUIRED, "When it happened." },
    { "workspaceId", T_TEXT, REQUIRED, "The workspace." },
    { "actorKind", T_TEXT, REQUIRED, "user, token, local, system or sql." },
    { "actorId", T_TEXT, REQUIRED, "Who did it: the user's or token's id.", .flags = F_NULL },
    { "actor", T_TEXT, REQUIRED, "Who did it, by name." },
    { "operation", T_TEXT, REQUIRED, "What was done." },
    { "subject", T_TEXT, REQUIRED, "The id of what it was done to.", .flags = F_NULL },
    { "door", T_TEXT, REQUIRED, "How it came in.", .flags = F_NULL },
    { "remote", T_TEXT, REQUIRED, "The address it came from.", .flags = F_NULL },
    { "requestId", T_TEXT, REQUIRED, "The request, as the server's log names it.", .flags = F_NULL },
    { "about", T_OBJECT, REQUIRED,
      "What was acted on, as it is called now; if it is gone, as the caller named it.",
      .fields = about_fields, .flags = F_NULL },
    { "detail", T_OBJECT, REQUIRED, "The parameters, without secrets; long texts are cut.", .flags = F_OPEN },
    { "hash", T_TEXT, REQUIRED, "Covers this row and the one before it.", .flags = F_NULL },
    { 0 },
};

static const struct field audit_list_reply[] = {
    { "entries", T_LIST, REQUIRED, "Newest first.", .items = T_OBJECT, .fields = entry_fields },
    PAGE_REPLY,
    { 0 },
};

const struct op audit_ops[] = {
    {
        .name = "audit_list",
        .http = "GET /api/audit",
        .tag = TAG,
        .help = "Show who did what to which row when, from where; newest first.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .run = run_audit_list,
        .example = "{\"operation\": \"token_create\", \"limit\": 20}",
        .reply = audit_list_reply,
        .params = {
            { "actor", T_TEXT, OPTIONAL, "Only by this user or token: a name or id.", .max = LIMIT_REF },
            { "operation", T_TEXT, OPTIONAL, "Only this operation.", .max = LIMIT_REF },
            { "subject", T_TEXT, OPTIONAL, "Only what was done to the row with this id.", .max = LIMIT_REF },
            { "after", T_TIME, OPTIONAL, "Only after this time." },
            { "before", T_TIME, OPTIONAL, "Only before this time." },
            PAGE_PARAMS,
        },
    },
    {
        .name = "audit_export",
        .http = "GET /api/audit/export",
        .tag = TAG,
        .help = "Export the audit log, oldest first, one JSON object a line, with detail as the stored text that the hash covers. "
                "For the next page give the last line's seq as after_seq. "
                "A last line with an error says that it could not be read to its end.",
        .needs = ROLES_MANAGE,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .heavy = true,
        .pieces = true,
        .run = run_audit_export,
        .reply_type = "application/x-ndjson",
        .params = {
            { "after_seq", T_INT, OPTIONAL, "Only rows with a higher number.", .min = 0, .max = INT64_MAX,
              .fallback = "0" },
            { "limit", T_INT, OPTIONAL, "How many at most.", .min = 1, .max = LIMIT_EXPORT,
              .fallback = "10000" },
        },
    },
    { 0 },
};
