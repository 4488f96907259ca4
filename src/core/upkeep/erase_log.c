/*
 * The two logs: events that repeat what a person who is erased wrote or name them, and their audit rows.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/questions/question.h"
#include "core/upkeep/erase_parts.h"
#include "core/work/task.h"

#include <stdlib.h>
#include <string.h>

/* Events */

struct told {
    const char *workspace_id, *type;
    const json_t *data;
    int64_t at_ms;
};

static bool is_type(const struct told *told, const char *beginning)
{
    return strncmp(told->type, beginning, strlen(beginning)) == 0;
}

/* A member that says who did what the event tells of. */
static bool done_by_them(const struct erasing *e, struct arena *arena, const struct told *told,
                         const char *name)
{
    return erase_is_theirs(e, arena, name, told->workspace_id, told->at_ms);
}

static const char *outcome_by(const struct told *told)
{
    return erase_member(json_object_get(told->data, "outcome"), "by");
}

static bool question_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    const char *id = erase_member(told->data, "questionId"), *by = erase_member(told->data, "by");

    if (str_equal(told->type, EVENT_QUESTION_ASKED))
        return erase_noted(e->own, "question", id);
    if (str_equal(told->type, EVENT_QUESTION_DRAFT)) /* which leaves no row in the audit log */
        return erase_is_name(e, arena, by) &&
               (erase_noted(e->part, "question", id) || erase_is_alone(e, told->workspace_id));
    return str_equal(erase_member(told->data, "assignedTo"), e->person->id) ||
           done_by_them(e, arena, told, by) || done_by_them(e, arena, told, outcome_by(told));
}

static bool talk_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    if (str_equal(told->type, "chat.message"))
        return erase_noted(e->own, "chat", erase_member(told->data, "id"));
    if (str_equal(told->type, "prompt.responded"))
        return erase_noted(e->own, "chat", erase_member(told->data, "chatId"));
    if (str_equal(told->type, "prompt.created"))
        return erase_noted(e->own, "prompt", erase_member(told->data, "promptId"));
    return done_by_them(e, arena, told, outcome_by(told));
}

/* Notifications of what is theirs, and sets that they have answered. */
static bool inbox_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    const json_t *ref = json_object_get(told->data, "ref");
    const char *type = erase_member(ref, "type"), *id = erase_member(ref, "id");
    json_t *entry;
    size_t i;

    /* Why a job was ended is told of in its notification. */
    if (erase_noted(e->own, type, id) || (str_equal(type, "job") && erase_noted(e->part, type, id)) ||
        done_by_them(e, arena, told, outcome_by(told)))
        return true;
    json_array_foreach(json_object_get(told->data, "responses"), i, entry)
    {
        if (erase_is_theirs(e, arena, erase_member(entry, "by"), told->workspace_id,
                            erase_time(erase_member(entry, "at"))))
            return true;
    }
    return false;
}

static bool task_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    const char *assignee = erase_member(told->data, "assignee"), *id = erase_member(told->data, "taskId");
    const json_t *since = id ? json_object_get(e->claims, id) : NULL;

    return done_by_them(e, arena, told, assignee) ||
           (erase_is_name(e, arena, assignee) &&
            (erase_is_alone(e, told->workspace_id) || (since && told->at_ms >= json_integer_value(since))));
}

/* Where they sit nobody else has their name. */
static bool discussion_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    const char *seat = erase_seat_of(e, erase_member(told->data, "discussionId"));

    return (seat && erase_holds(told->data, seat)) || erase_holds(told->data, e->person->id) ||
           erase_noted(e->own, "entry", erase_member(json_object_get(told->data, "entry"), "id")) ||
           (str_equal(told->type, "discussion.created") &&
            erase_noted(e->own, "discussion", erase_member(told->data, "discussionId"))) ||
           done_by_them(e, arena, told, erase_member(told->data, "by")) ||
           done_by_them(e, arena, told, outcome_by(told));
}

static bool event_tells(const struct erasing *e, struct arena *arena, const struct told *told)
{
    if (is_type(told, "question_"))
        return question_tells(e, arena, told);
    if (is_type(told, "chat.") || is_type(told, "prompt."))
        return talk_tells(e, arena, told);
    if (is_type(told, "notification."))
        return inbox_tells(e, arena, told);
    if (is_type(told, "task."))
        return task_tells(e, arena, told);
    if (is_type(told, "discussion.") || is_type(told, "turn."))
        return discussion_tells(e, arena, told);
    if (str_equal(told->type, "job.ended"))
        return done_by_them(e, arena, told, outcome_by(told));
    if (str_equal(told->type, "feedback.added"))
        return erase_noted(e->own, "feedback", erase_member(told->data, "id"));
    return done_by_them(e, arena, told, erase_member(told->data, "author"));
}

static bool erase_event(const struct tx *tx, struct erasing *e, int64_t key)
{
    size_t gone;

    e->changes++;
    if (e->looking) {
        e->report->events++;
        return true;
    }
    return tx_exec(tx, SQL_ERASE_EVENT, DB_ARGS(db_int(key)), &gone) &&
           (gone > 0 || tx_exec(tx, SQL_ERASE_NEWEST_EVENT, DB_ARGS(db_int(key)), NULL));
}

enum { KEY = COL_ERASE_EVENT_END }; /* behind the columns */

bool erase_event_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_EVENT_PAGE, DB_ARGS(db_int(atoll(page->after[0])), db_int(ERASE_BATCH)),
                  &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, KEY);
        if (!erase_is_in(e, db_cell(&rows, i, COL_ERASE_EVENT_WORKSPACE_ID)))
            continue;
        JSON_AUTO *data = erase_parse(db_cell(&rows, i, COL_ERASE_EVENT_DATA));
        struct told told = {
            .workspace_id = db_cell(&rows, i, COL_ERASE_EVENT_WORKSPACE_ID),
            .type = db_cell(&rows, i, COL_ERASE_EVENT_TYPE),
            .data = data,
            .at_ms = db_cell_int(&rows, i, COL_ERASE_EVENT_CREATED_AT),
        };

        if (json_object_size(data) > 0 && event_tells(e, tx->arena, &told) &&
            !erase_event(tx, e, db_cell_int(&rows, i, KEY)))
            return false;
    }
    return true;
}

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

/* Somebody else's row: members of its detail that hold people. */
static bool change_detail(const struct erasing *e, struct arena *arena, const struct audit_entry *row,
                          json_t *detail)
{
    const char *holder = str_equal(row->operation, OP_TASK_CLAIM) ? "agent" : "assignee";
    bool taken = erase_is_name(e, arena, erase_member(detail, holder)) &&
                 strncmp(row->operation, "task_", 5) == 0 &&
                 (erase_is_alone(e, row->workspace_id) ||
                  (row->subject && json_object_get(e->claims, row->subject) &&
                   row->at_ms >= json_integer_value(json_object_get(e->claims, row->subject))));
    bool about = str_equal(row->subject, e->person->id);
    bool changed = false;

    changed = replace(detail, "name", about && erase_is_name(e, arena, erase_member(detail, "name")));
    changed = replace(detail, "by",
                      erase_is_theirs(e, arena, erase_member(detail, "by"), row->workspace_id, row->at_ms)) ||
              changed;
    changed = replace(detail, holder, taken) || changed;
    changed = change_seats(e, arena, row, json_object_get(detail, "participants")) || changed;
    changed = replace(detail, "requestedBy", erase_is_name(e, arena, erase_member(detail, "requestedBy"))) ||
              changed;
    changed =
        replace(detail, "assignedTo", erase_is_name(e, arena, erase_member(detail, "assignedTo"))) || changed;
    changed = replace(detail, "to",
                      strncmp(row->operation, "question_", strlen("question_")) == 0 &&
                          erase_is_name(e, arena, erase_member(detail, "to"))) ||
              changed;
    changed = erase_from_answerers(e, arena, detail) || changed;
    return erase_from_answerers(e, arena, json_object_get(detail, "settings")) || changed;
}

/* A message that was written in their name, by a token or another program. */
static bool is_their_message(const struct erasing *e, struct arena *arena, const struct audit_entry *row,
                             const json_t *detail)
{
    return erase_noted(e->own, "chat", row->subject) ||
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
