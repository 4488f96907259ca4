/*
 * The API filters by type and project; by text and by the end of an id is filtered here, page by page, until
 * there are enough.
 */
#include "cli/client/pending.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/term.h"

#include <string.h>

static bool workspace_of(struct cli *cli, const char **id, struct err *err)
{
    JSON_AUTO *none = json_object();
    JSON_AUTO *me = NULL;
    struct client_reply reply;

    if (!invoke_json(cli, op_find("me_get"), none, 0, &reply, &me, err))
        return false;
    *id = member_text(cli->arena, json_object_get(me, "workspace"), "id");
    if (!*id)
        return err_set(err, ERR_INTERNAL, "The reply of %s names no workspace; is it witan?",
                       cli->target.url);
    *id = arena_text(cli->arena, *id);
    return true;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t len = text ? strlen(text) : 0, tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

static bool holds(struct arena *arena, const json_t *question, const struct pending_filter *filter)
{
    const char *text = member_text(arena, question, "question");

    if (filter->tail && !ends_with(member_text(arena, question, "id"), filter->tail))
        return false;
    return !filter->text || (text && strstr(str_fold(arena, text), str_fold(arena, filter->text)));
}

static json_t *params_of(const struct pending_filter *filter, json_t *params)
{
    if (filter->type)
        json_object_set_new(params, "type", json_string(filter->type));
    if (filter->project)
        json_object_set_new(params, "projectId", json_string(filter->project));
    if (filter->sort)
        json_object_set_new(params, "sort", json_string(filter->sort));
    return params;
}

/* Adds a page; false when the list is full. */
static bool add_page(struct cli *cli, const struct pending_filter *filter, const json_t *page,
                     struct pending *pending)
{
    json_t *question;
    size_t index;

    json_array_foreach(json_object_get(page, "questions"), index, question)
    {
        if (!holds(cli->arena, question, filter))
            continue;
        if (json_array_size(pending->questions) == filter->limit) {
            pending->more = true;
            return false;
        }
        json_array_append(pending->questions, question);
    }
    return true;
}

static int64_t time_of(struct cli *cli, const json_t *page, const struct client_reply *reply)
{
    const char *now = member_text(cli->arena, page, "serverTime");
    int64_t now_ms;

    if (now && clock_parse(now, &now_ms))
        return now_ms;
    return reply->date_ms ? reply->date_ms : clock_now_ms();
}

static bool read_pages(struct cli *cli, const struct pending_filter *filter, json_t *params,
                       struct pending *pending, struct err *err)
{
    bool room = true;

    while (room) {
        JSON_AUTO *page = NULL;
        struct client_reply reply;
        const char *cursor;

        if (!invoke_json(cli, op_find("question_pending"), params, 0, &reply, &page, err))
            return false;
        pending->now_ms = time_of(cli, page, &reply);
        room = add_page(cli, filter, page, pending);
        cursor = json_string_value(json_object_get(page, "nextCursor"));
        if (!cursor)
            break;
        json_object_set_new(params, "cursor", json_string(cursor));
    }
    return true;
}

bool pending_read(struct cli *cli, const struct pending_filter *filter, struct pending *pending,
                  struct err *err)
{
    const char *workspace = NULL;

    if (!workspace_of(cli, &workspace, err))
        return false;
    JSON_AUTO *params =
        params_of(filter, json_pack("{s:s, s:i}", "workspaceId", workspace, "limit", LIMIT_PAGE));

    *pending = (struct pending){ .questions = json_array() };
    if (read_pages(cli, filter, params, pending, err))
        return true;
    json_decref(pending->questions);
    return false;
}

const char *pending_need_you(struct arena *arena, int64_t count)
{
    if (count == 0)
        return "None needs you.";
    return count == 1 ? "1 needs you." : arena_format(arena, "%lld need you.", (long long)count);
}

bool pending_items_read(struct cli *cli, const struct pending_filter *filter, struct pending_items *pending,
                        struct err *err)
{
    JSON_AUTO *params = params_of(filter, json_pack("{s:I}", "limit", (json_int_t)filter->limit));
    JSON_AUTO *page = NULL;
    struct client_reply reply;

    if (!invoke_json(cli, op_find("inbox_list"), params, 0, &reply, &page, err))
        return false;
    *pending = (struct pending_items){
        .items = json_incref(json_object_get(page, "items")),
        .now_ms = time_of(cli, page, &reply),
        .more = json_is_true(json_object_get(page, "more")),
        .need_you = member_int(page, "needYou"),
    };
    if (!pending->items)
        pending->items = json_array();
    return true;
}
