/*
 * Reading what is everybody's makes a row for the reader and leaves the notification alone; reading one's own
 * marks the notification. On SQLite nothing is resolved without a look first, since an update that finds
 * nothing still costs the writer a page.
 */
#include "core/inbox/notification.h"

#include "base/str.h"
#include "base/uuid.h"
#include "core/log/audience.h"
#include "core/log/cursor.h"
#include "core/log/event.h"

#define LIST_NAME "notifications"
#define ROW_WIDTH 14

const char *const notification_kinds[] = { "mention",        "question", "approval", "error",
                                           "completed",      "failed",   "decision", "open_question",
                                           "token_expiring", "turn",     NULL };
WORDS_FIT(notification_kinds, NOTIFICATION_KIND_END);
const char *const notification_priorities[] = { "high", "normal", "low", NULL };
WORDS_FIT(notification_priorities, PRIORITY_END);
const char *const notification_subjects[] = { "prompt",   "chat",          "question", "job", "token",
                                              "decision", "open_question", "turn",     NULL };
WORDS_FIT(notification_subjects, ABOUT_END);

void notification_write_members(const struct notification *notification, struct json_out *out)
{
    json_text(out, "id", notification->id);
    json_text(out, "kind", notification_kind_word(notification->kind));
    json_text(out, "priority", notification_priority_word(notification->priority));
    json_text(out, "title", notification->title);
    json_text(out, "body", notification->body);
    json_map(out, "ref");
    json_text(out, "type", notification_subject_word(notification->about));
    json_text(out, "id", notification->ref_id);
    json_map_end(out);
    json_text(out, "projectId", notification->project_id);
    json_bool(out, "read", notification->read_ms != 0);
    json_bool(out, "resolved", notification->resolved_ms != 0);
    json_time(out, "createdAt", notification->created_ms);
}

/* Those who hear of it may read several inboxes: whose it is stands beside. */
static const char *event_data(struct arena *arena, const struct notification *notification)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    notification_write_members(notification, &out);
    json_text(&out, "agent", notification->agent_key);
    json_text(&out, "userId", notification->user_id);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static unsigned roles_of(const struct notification *notification)
{
    return notification->roles ? notification->roles : ROLES_PEOPLE;
}

/* Being called in the squad's talk is common ground; the lists say the same in SQL. */
static const char *audience_of(struct arena *arena, const struct notification *notification)
{
    struct audience audience = { .agent_key = notification->agent_key,
                                 .user_id = notification->user_id,
                                 .roles = roles_of(notification),
                                 .squad = notification->kind == NOTIFICATION_MENTION };

    return audience_text(arena, &audience);
}

static struct event event_of(struct arena *arena, const char *type, const struct notification *notification,
                             int64_t at_ms)
{
    return (struct event){ .workspace_id = notification->workspace_id,
                           .type = type,
                           .project_id = notification->project_id,
                           .subject = notification->id,
                           .data = event_data(arena, notification),
                           .at_ms = at_ms,
                           .audience = audience_of(arena, notification) };
}

struct event notification_added(struct arena *arena, const struct notification *notification)
{
    return event_of(arena, "notification.added", notification, notification->created_ms);
}

/* Whether it is read depends on who looks, so that stands behind the columns. */
enum { READ_AT = COL_NOTIFICATION_END, RESOLVED_AT, ROLES };

static bool from_row(const struct db_rows *rows, size_t row, struct notification *notification,
                     struct err *err)
{
    const char *strange = NULL;

    *notification = (struct notification){
        .id = db_cell(rows, row, COL_NOTIFICATION_ID),
        .workspace_id = db_cell(rows, row, COL_NOTIFICATION_WORKSPACE_ID),
        .project_id = db_cell(rows, row, COL_NOTIFICATION_PROJECT_ID),
        .user_id = db_cell(rows, row, COL_NOTIFICATION_USER_ID),
        .agent_key = db_cell(rows, row, COL_NOTIFICATION_AGENT_KEY),
        .kind = db_cell_word(rows, row, COL_NOTIFICATION_KIND, notification_kinds, &strange),
        .priority = db_cell_word(rows, row, COL_NOTIFICATION_PRIORITY, notification_priorities, &strange),
        .title = db_cell(rows, row, COL_NOTIFICATION_TITLE),
        .body = db_cell(rows, row, COL_NOTIFICATION_BODY),
        .about = db_cell_word(rows, row, COL_NOTIFICATION_REF_TYPE, notification_subjects, &strange),
        .ref_id = db_cell(rows, row, COL_NOTIFICATION_REF_ID),
        .discussion_id = db_cell(rows, row, COL_NOTIFICATION_DISCUSSION_ID),
        .created_ms = db_cell_int(rows, row, COL_NOTIFICATION_CREATED_AT),
        .read_ms = db_cell_int(rows, row, READ_AT),
        .resolved_ms = db_cell_int(rows, row, RESOLVED_AT),
    };
    return db_words_known(strange, err);
}

static void put_row(const struct notification *notification, struct db_arg row[static ROW_WIDTH])
{
    size_t at = 0;

    row[at++] = db_text(notification->id);
    row[at++] = db_text(notification->workspace_id);
    row[at++] = db_text(notification->project_id);
    row[at++] = db_text(notification->user_id);
    row[at++] = db_text(notification->agent_key);
    row[at++] = db_text(notification_kind_word(notification->kind));
    row[at++] = db_text(notification_priority_word(notification->priority));
    row[at++] = db_text(notification->title);
    row[at++] = db_text(notification->body);
    row[at++] = db_text(notification_subject_word(notification->about));
    row[at++] = db_text(notification->ref_id);
    row[at++] = db_int(notification->created_ms);
    row[at++] = db_int(roles_of(notification));
    row[at] = db_text(notification->discussion_id);
}

bool notification_insert(const struct tx *tx, struct notification notifications[], size_t count)
{
    struct db_arg *rows = arena_array(tx->arena, struct db_arg, count * ROW_WIDTH);

    for (size_t i = 0; i < count; i++) {
        notifications[i].id = uuid_new(tx->arena);
        notifications[i].created_ms = tx->now_ms;
        put_row(&notifications[i], &rows[i * ROW_WIDTH]);
    }
    return db_exec_rows(tx->db, tx->arena, SQL_NOTIFICATION_INSERT, SQL_NOTIFICATION_INSERT_MANY, ROW_WIDTH,
                        rows, count, NULL, tx->err);
}

bool notification_add(const struct tx *tx, struct notification *notification)
{
    if (!notification_insert(tx, notification, 1))
        return false;
    struct event added = notification_added(tx->arena, notification);

    return event_append(tx, &added);
}

static bool resolve_rows(const struct tx *tx, enum notification_subject about, const char *const ids[],
                         size_t count, struct db_rows *rows)
{
    struct db_arg args[] = { db_text(notification_subject_word(about)),
                             db_text(count == 1 ? ids[0] : json_texts(tx->arena, ids, count)),
                             db_int(tx->now_ms) };

    if (count > 1)
        return tx_query(tx, SQL_NOTIFICATION_RESOLVE, 3, args, rows);
    if (tx->db->engine == DB_POSTGRES)
        return tx_query(tx, SQL_NOTIFICATION_RESOLVE_ONE, 3, args, rows);
    return tx_query(tx, SQL_NOTIFICATION_UNRESOLVED, 3, args, rows) &&
           (rows->count == 0 || tx_exec(tx, SQL_NOTIFICATION_RESOLVE_ONE, 3, args, NULL));
}

bool notification_resolve(const struct tx *tx, enum notification_subject about, const char *const ids[],
                          size_t count, struct event **events, size_t *event_count)
{
    struct db_rows rows;

    if (!resolve_rows(tx, about, ids, count, &rows))
        return false;
    *events = arena_array(tx->arena, struct event, rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        struct notification resolved;

        if (!from_row(&rows, i, &resolved, tx->err))
            return false;
        resolved.roles = (unsigned)db_cell_int(&rows, i, ROLES);
        (*events)[i] = event_of(tx->arena, "notification.resolved", &resolved, tx->now_ms);
    }
    *event_count = rows.count;
    return true;
}

static const char *reader_of_agent(struct arena *arena, const char *key)
{
    return arena_format(arena, "agent:%s", key);
}

struct inbox notification_inbox(struct arena *arena, const struct caller *caller, const char *agent)
{
    const char *name = agent ? agent : caller->agent_name;

    if (name)
        return (struct inbox){ .reader = reader_of_agent(arena, str_fold(arena, name)),
                               .project_id = caller->project_id };
    /* A token for agents that is bound to none has no inbox of its own, least of all the people's. */
    if (!caller_is_person(caller))
        return (struct inbox){ .reader = "nobody" };
    return (struct inbox){ .reader = arena_format(arena, "user:%s", caller->id),
                           .person = caller->id,
                           .role = (unsigned)caller->role,
                           .project_id = caller->project_id };
}

static const char *cursor_at(struct arena *arena, const struct notification *last)
{
    return cursor_after(arena, LIST_NAME, 0, clock_text(arena, last->created_ms), last->id);
}

/* Ids are made in time order, so the id alone is the place. */
bool notification_list(const struct tx *tx, const char *workspace_id, const struct inbox *inbox,
                       const struct notification_filter *filter, struct notification_page *page)
{
    struct cursor from;
    struct db_rows rows;

    if (!cursor_read(LIST_NAME, filter->cursor, &from, tx->err) ||
        !tx_query(tx, filter->unread_only ? SQL_NOTIFICATION_LIST_UNREAD : SQL_NOTIFICATION_LIST,
                  DB_ARGS(db_text(workspace_id), db_text(inbox->reader), db_text(from.id),
                          db_int((int64_t)filter->limit + 1), db_text(inbox->person), db_int(inbox->role),
                          db_text(inbox->project_id)),
                  &rows))
        return false;
    *page = (struct notification_page){ .count = rows.count < filter->limit ? rows.count : filter->limit };
    page->items = arena_array(tx->arena, struct notification, page->count);
    for (size_t i = 0; i < page->count; i++)
        if (!from_row(&rows, i, &page->items[i], tx->err))
            return false;
    if (rows.count > page->count)
        page->next_cursor = cursor_at(tx->arena, &page->items[page->count - 1]);
    return true;
}

bool notification_pending(const struct tx *tx, const char *workspace_id, const struct inbox *inbox,
                          int64_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_NOTIFICATION_PENDING,
                  DB_ARGS(db_text(workspace_id), db_text(inbox->reader), db_text(inbox->person),
                          db_int(inbox->role), db_text(inbox->project_id)),
                  &rows))
        return false;
    *count = db_cell_int(&rows, 0, 0);
    return true;
}

bool notification_ref(const struct tx *tx, const char *workspace_id, const char *id,
                      enum notification_subject *about, const char **ref_id)
{
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_NOTIFICATION_REF, DB_ARGS(db_text(id), db_text(workspace_id)), &rows))
        return false;
    *about = rows.count > 0 ? db_cell_word(&rows, 0, 0, notification_subjects, &strange) : 0;
    *ref_id = rows.count > 0 ? db_cell(&rows, 0, 1) : NULL;
    return db_words_known(strange, tx->err);
}

/* Those who work here may tidy up for any agent, a token bound to one for that one, a user for themselves. */
static bool is_readers(const struct caller *caller, struct arena *arena,
                       const struct notification *notification)
{
    /* A token that is bound to a project does not learn what others ask. */
    if (notification->kind == NOTIFICATION_MENTION ? !caller_hears_project(caller, notification->project_id)
                                                   : !caller_sees_project(caller, notification->project_id))
        return false;
    if (notification->agent_key)
        return caller->role != ROLE_VIEWER &&
               (!caller->agent_name ||
                str_equal(str_fold(arena, caller->agent_name), notification->agent_key));
    if (notification->user_id)
        return caller->kind == CALLER_USER && str_equal(caller->id, notification->user_id);
    return caller_is_person(caller) && (notification->roles & (unsigned)caller->role) != 0;
}

/* Whose inbox it was, what was marked there, and whom to tell. */
struct reading {
    const char *reader, *subject, *project_id, *audience; /* no subject: all of them */
    size_t count;
};

static bool tell_read(const struct tx *tx, const char *workspace_id, const struct reading *reading)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    if (reading->subject)
        json_text(&out, "id", reading->subject);
    else
        json_bool(&out, "all", true);
    json_text(&out, "reader", reading->reader);
    json_int(&out, "count", (int64_t)reading->count);
    json_map_end(&out);
    return event_append(tx, &(struct event){ .workspace_id = workspace_id,
                                             .type = "notification.read",
                                             .project_id = reading->project_id,
                                             .subject = reading->subject,
                                             .data = text.bytes,
                                             .at_ms = tx->now_ms,
                                             .audience = reading->audience });
}

static const char *reader_of(struct arena *arena, const struct notification *notification)
{
    if (notification->agent_key)
        return reader_of_agent(arena, notification->agent_key);
    return notification->user_id ? arena_format(arena, "user:%s", notification->user_id) : "people";
}

/* One that is for everybody is read by each for themselves. */
static bool mark_read(const struct tx *tx, const struct notification *notification, size_t *changed)
{
    if (!notification->agent_key && !notification->user_id)
        return tx_exec(tx, SQL_NOTIFICATION_READ_SHARED,
                       DB_ARGS(db_text(notification->id), db_text(tx->caller->id), db_int(tx->now_ms)),
                       changed);
    return tx_exec(tx, SQL_NOTIFICATION_READ,
                   DB_ARGS(db_text(notification->id), db_text(tx->caller->workspace_id), db_int(tx->now_ms)),
                   changed);
}

bool notification_read(const struct tx *tx, const char *id, struct notification *notification)
{
    struct db_rows rows;
    size_t changed;

    if (!tx_query(tx, SQL_NOTIFICATION_GET,
                  DB_ARGS(db_text(id), db_text(tx->caller->workspace_id), db_text(tx->caller->id)), &rows))
        return false;
    if (rows.count > 0) {
        if (!from_row(&rows, 0, notification, tx->err))
            return false;
        notification->roles = (unsigned)db_cell_int(&rows, 0, ROLES);
    }
    if (rows.count == 0 || !is_readers(tx->caller, tx->arena, notification))
        return err_set(tx->err, ERR_NOT_FOUND, "There is no notification with that id.");
    if (!mark_read(tx, notification, &changed))
        return false;
    if (changed == 0)
        return true;
    notification->read_ms = tx->now_ms;
    return tell_read(tx, tx->caller->workspace_id,
                     &(struct reading){ .reader = reader_of(tx->arena, notification),
                                        .subject = id,
                                        .project_id = notification->project_id,
                                        .audience = audience_of(tx->arena, notification),
                                        .count = 1 });
}

bool notification_read_all(const struct tx *tx, const char *agent, size_t *count)
{
    struct inbox inbox = notification_inbox(tx->arena, tx->caller, agent);
    size_t own, shared = 0;

    if (agent && tx->caller->role == ROLE_VIEWER)
        return err_set(tx->err, ERR_FORBIDDEN, "A viewer cannot mark an agent's notifications as read.");
    if (agent && !caller_may_speak_as(tx->caller, agent, tx->err))
        return false;
    if (!tx_exec(tx, SQL_NOTIFICATION_READ_ALL,
                 DB_ARGS(db_text(tx->caller->workspace_id), db_text(inbox.reader), db_int(tx->now_ms),
                         db_text(inbox.project_id)),
                 &own))
        return false;
    if (inbox.person && !tx_exec(tx, SQL_NOTIFICATION_READ_ALL_SHARED,
                                 DB_ARGS(db_text(tx->caller->workspace_id), db_text(inbox.person),
                                         db_int(tx->now_ms), db_int(inbox.role), db_text(inbox.project_id)),
                                 &shared))
        return false;
    *count = own + shared;
    /* A reader of one inbox is written as an audience is. */
    return *count == 0 || tell_read(tx, tx->caller->workspace_id,
                                    &(struct reading){ .reader = inbox.reader,
                                                       .project_id = inbox.project_id,
                                                       .audience = inbox.reader,
                                                       .count = *count });
}
