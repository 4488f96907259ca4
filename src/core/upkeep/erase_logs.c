/*
 * What repeats elsewhere what a person who is erased did and wrote: notifications, lines of jobs, events, the
 * replies kept for repeats, and the audit log. Each is found by who did it, or by the id of what it is about.
 */
#include "base/str.h"
#include "core/log/event_type.h"
#include "core/questions/job.h"
#include "core/upkeep/erase_parts.h"
#include "core/work/task.h"

#include <string.h>

static bool is_own(const struct erase_row *row, const char *id)
{
    return id && erase_noted(row->e->own, "", id);
}

static bool has_part(const struct erase_row *row, const char *id)
{
    return id && erase_noted(row->e->part, "", id);
}

static bool is_name(const struct erase_row *row, const char *text)
{
    return erase_is_name(row->e, row->tx->arena, text);
}

/* The title of a set of open questions is about their feedback in its words. */
static bool erase_notification(struct erase_row *row)
{
    const char *ref = CELL(NOTIFICATION_REF_ID);

    if (ref && erase_noted(row->e->part, OF_ABOUT, ref))
        erase_put(row, COL_ERASE_NOTIFICATION_TITLE, ERASED_TEXT);
    if (!is_own(row, ref))
        return true;
    erase_put(row, COL_ERASE_NOTIFICATION_TITLE, ERASED_TEXT);
    erase_put(row, COL_ERASE_NOTIFICATION_BODY, ERASED_TEXT);
    return true;
}

/* Lines of jobs */

/* "Ada answered: ...", "Ada moved the deadline ..." and the like, and why a job was ended. */
static bool line_is_theirs(const struct erase_row *row, enum line_kind kind)
{
    const char *message = CELL(LINE_MESSAGE), *name = row->e->person->name;
    bool named = str_starts(message, name) && message[strlen(name)] == ' ';
    bool reason = kind == LINE_STATUS && strstr(message, ": ");

    if (kind == LINE_QUESTION || kind == LINE_TIMEOUT || (kind == LINE_STATUS && !named && !reason))
        return false;
    return (reason && is_own(row, row->cells[0])) ||
           erase_is_theirs(row->e, row->tx->arena, CELL(LINE_ACTOR_ID), named ? name : NULL,
                           CELL(LINE_WORKSPACE_ID));
}

/* What was asked, to whom it was given, and the answer that a job was started again with. */
static void erase_quoted(struct erase_row *row, enum line_kind kind)
{
    JSON_AUTO *data = erase_parse(CELL(LINE_DATA));
    const char *id = erase_member(data, "questionId");

    if ((kind == LINE_QUESTION && is_own(row, id)) ||
        (kind == LINE_ASSIGNED && erase_holds(data, row->e->person->id)))
        erase_put(row, COL_ERASE_LINE_MESSAGE, ERASED_TEXT);
    if (kind == LINE_RESTART && json_object_get(data, "response") &&
        (is_own(row, id) || (has_part(row, id) && is_name(row, erase_member(data, "by")))))
        erase_put(row, COL_ERASE_LINE_DATA, NULL);
}

static bool erase_line(struct erase_row *row)
{
    enum line_kind kind = words_find(line_kinds, CELL(LINE_KIND));

    if (line_is_theirs(row, kind)) {
        erase_put(row, COL_ERASE_LINE_MESSAGE, ERASED_TEXT);
        erase_put(row, COL_ERASE_LINE_DATA, NULL);
    }
    erase_quoted(row, kind);
    return true;
}

/* Events */

/* What triggers tell, or others, that holds what they wrote or names them. */
static bool event_repeats(const struct erase_row *row, enum event_type type, const json_t *data)
{
    const char *ref = erase_member(json_object_get(data, "ref"), "id");

    switch (type) {
    case EVENT_CHAT_MESSAGE: return is_own(row, erase_member(data, "id"));
    case EVENT_PROMPT_RESPONDED: return is_own(row, erase_member(data, "chatId"));
    case EVENT_PROMPT_CREATED: return is_own(row, erase_member(data, "promptId"));
    case EVENT_PROMPT_ENDED: return erase_noted(row->e->part, OF_ENDED, erase_member(data, "promptId"));
    case EVENT_NOTIFICATION_ADDED:
    case EVENT_NOTIFICATION_UPDATED:
    case EVENT_NOTIFICATION_RESOLVED:
        return is_own(row, ref) || is_own(row, erase_member(data, "sourceId")) ||
               (has_part(row, ref) && erase_holds(data, row->e->person->name));
    case EVENT_TASK_UPDATED:
    case EVENT_TASK_DELETED:
        return is_name(row, erase_member(data, "assignee")) &&
               (has_part(row, erase_member(data, "taskId")) ||
                erase_is_alone(row->e, CELL(EVENT_WORKSPACE_ID)));
    case EVENT_DISCUSSION_CREATED: return is_own(row, erase_member(data, "discussionId"));
    default: return false;
    }
}

/* Where they sit nobody else has their name. */
static bool discussion_names(const struct erase_row *row, const json_t *data)
{
    const char *seat = erase_seat_of(row->e, erase_member(data, "discussionId"));

    return (seat && erase_holds(data, seat)) ||
           is_own(row, erase_member(json_object_get(data, "entry"), "id"));
}

/* A row from before there were ids. */
static bool says_name(const struct erase_row *row, const json_t *data)
{
    const char *by[] = { erase_member(data, "by"), erase_member(data, "author"),
                         erase_member(json_object_get(data, "outcome"), "by") };
    bool theirs = false;

    for (size_t i = 0; i < sizeof(by) / sizeof(by[0]) && !CELL(EVENT_ACTOR_ID) && !theirs; i++)
        theirs = by[i] && erase_is_theirs(row->e, row->tx->arena, NULL, by[i], CELL(EVENT_WORKSPACE_ID));
    return theirs;
}

/* The newest event keeps its number, so that it is not given again. */
static bool erase_event(struct erase_row *row)
{
    JSON_AUTO *data = erase_parse(CELL(EVENT_DATA));

    if (json_object_size(data) == 0)
        return true;
    row->changed = str_equal(CELL(EVENT_ACTOR_ID), row->e->person->id) ||
                   erase_holds(data, row->e->person->id) ||
                   event_repeats(row, event_type_of(CELL(EVENT_TYPE)), data) || discussion_names(row, data) ||
                   says_name(row, data);
    return !row->changed || row->e->looking ||
           tx_exec(row->tx, SQL_ERASE_NEWEST_EVENT, DB_ARGS(db_text(row->cells[0])), NULL);
}

/* Replies kept for repeats */

struct mentioned {
    bool own, part, name; /* an id of what they wrote, of what they had a part in; their name */
};

static void find_mentioned(const struct erase_row *row, json_t *value, struct mentioned *found)
{
    const char *text = json_string_value(value), *key;
    json_t *item;
    size_t i;

    if (text) {
        found->own = found->own || is_own(row, text);
        found->part = found->part || has_part(row, text);
        found->name = found->name || is_name(row, text);
    }
    json_array_foreach(value, i, item) find_mentioned(row, item, found);
    json_object_foreach(value, key, item) find_mentioned(row, item, found);
}

/* The name by itself may be an agent's. Whoever repeats that request is told that it was done, and that its
 * reply was not kept. */
static bool erase_reply(struct erase_row *row)
{
    const char *workspace_id = CELL(REPLY_WORKSPACE_ID);
    JSON_AUTO *reply = erase_parse(CELL(REPLY_REPLY));
    struct mentioned found = { 0 };

    if (str_equal(CELL(REPLY_CALLER), row->e->person->id)) {
        row->write = SQL_ERASE_OWN_REPLY;
        row->changed = true;
        return true;
    }
    find_mentioned(row, reply, &found);
    row->changed = erase_is_in(row->e, workspace_id) &&
                   (found.own || (found.name && (found.part || erase_is_alone(row->e, workspace_id))));
    return true;
}

const struct erase_table erase_logs[] = {
    { ERASE_TABLE(NOTIFICATION), .more = erase_notification },
    { ERASE_TABLE(LINE), .keys = 2, .more = erase_line, ERASE_COUNT(lines) },
    { ERASE_TABLE(EVENT), .first = "0", .more = erase_event, ERASE_COUNT(events) },
    { .page = SQL_ERASE_REPLY_PAGE,
      .write = SQL_ERASE_REPLY,
      .written = 4,
      .keys = 4,
      .more = erase_reply,
      ERASE_COUNT(replies) },
};
const size_t erase_log_count = sizeof(erase_logs) / sizeof(erase_logs[0]);

/* The audit log */

static bool replace(json_t *map, const char *key, bool theirs)
{
    if (!theirs)
        return false;
    json_object_set_new(map, key, json_string(ERASED_NAME));
    return true;
}

/* Who was given a seat. */
static bool change_seats(const struct erasing *e, struct arena *arena, const struct audit_entry *row,
                         json_t *seats)
{
    const char *known = erase_seat_of(e, row->subject);
    bool changed = false;
    json_t *seat;
    size_t i;

    json_array_foreach(seats, i, seat)
    {
        const char *name = erase_member(seat, "name"), *user_id = erase_member(seat, "userId");
        bool them = str_equal(user_id, e->person->id) || erase_is_name(e, arena, user_id) ||
                    (name && known && str_equal(name, known));

        changed = replace(seat, "name", them && erase_is_name(e, arena, name)) || changed;
        changed = replace(seat, "userId", erase_is_name(e, arena, user_id)) || changed;
    }
    return changed;
}

/* Somebody else's row: members of its detail that hold people, some of which may hold an agent of the same
 * name. */
static bool change_detail(const struct erasing *e, struct arena *arena, const struct audit_entry *row,
                          json_t *detail)
{
    bool alone = erase_is_alone(e, row->workspace_id), task = str_starts(row->operation, "task_");
    bool held = alone || (row->subject && erase_noted(e->part, "", row->subject));
    const struct {
        const char *member;
        bool theirs; /* if it is their name */
    } members[] = {
        { "name", str_equal(row->subject, e->person->id) },
        { "by", alone || erase_noted(e->part, OF_ENDED, row->subject) },
        { str_equal(row->operation, OP_TASK_CLAIM) ? "agent" : "assignee", task && held },
        { "requestedBy", true },
        { "assignedTo", true },
        { "to", str_starts(row->operation, "question_") },
    };
    bool changed = change_seats(e, arena, row, json_object_get(detail, "participants"));

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        changed =
            replace(detail, members[i].member,
                    members[i].theirs && erase_is_name(e, arena, erase_member(detail, members[i].member))) ||
            changed;
    changed = erase_from_answerers(e, arena, detail) || changed;
    return erase_from_answerers(e, arena, json_object_get(detail, "settings")) || changed;
}

/* A message that was written in their name, by a token or another program. */
static bool is_their_message(const struct erasing *e, struct arena *arena, const struct audit_entry *row,
                             const json_t *detail)
{
    return (row->subject && erase_noted(e->own, "", row->subject) && json_object_get(detail, "agent_name")) ||
           (json_is_true(json_object_get(detail, "is_human")) &&
            erase_is_name(e, arena, erase_member(detail, "agent_name")));
}

bool erase_audit_row(void *context, struct arena *arena, struct audit_entry *row)
{
    const struct erasing *e = context;

    if (str_equal(row->actor_id, e->person->id)) {
        row->actor = ERASED_NAME;
        row->remote = NULL;
        row->detail = "{}";
        return true;
    }
    if (!erase_is_in(e, row->workspace_id))
        return false;
    JSON_AUTO *detail = erase_parse(row->detail);

    if (json_object_size(detail) == 0)
        return false;
    if (is_their_message(e, arena, row, detail)) {
        row->detail = "{}";
        return true;
    }
    if (!change_detail(e, arena, row, detail))
        return false;
    row->detail = json_dump_text(arena, detail);
    return true;
}
