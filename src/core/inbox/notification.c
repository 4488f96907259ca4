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

const char *const notification_kinds[] = { "mention",        "question", "approval", "error",
                                           "completed",      "failed",   "decision", "open_question",
                                           "token_expiring", "turn",     NULL };
WORDS_FIT(notification_kinds, NOTIFICATION_KIND_END);
const char *const notification_priorities[] = { "high", "normal", "low", NULL };
WORDS_FIT(notification_priorities, PRIORITY_END);
const char *const notification_subjects[] = { "prompt",   "chat",          "question", "job", "token",
                                              "decision", "open_question", "turn",     NULL };
WORDS_FIT(notification_subjects, ABOUT_END);

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

/* Being called in the squad's talk is common ground; the lists say the same in SQL. */
static const char *audience_of(struct arena *arena, const struct notification *notification)
{
    struct audience audience = { .agent_key = notification->agent_key,
                                 .user_id = notification->user_id,
                                 .roles = (unsigned)notification->roles,
                                 .squad = notification->kind == NOTIFICATION_MENTION };

    return audience_text(arena, &audience);
}

static struct event event_of(struct arena *arena, enum event_type type,
                             const struct notification *notification, int64_t at_ms)
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
    return event_of(arena, EVENT_NOTIFICATION_ADDED, notification, notification->created_ms);
}

bool notification_insert(const struct tx *tx, struct notification notifications[], size_t count)
{
    struct db_arg *rows = arena_array(tx->arena, struct db_arg, count * NOTIFICATION_INSERT_WIDTH);

    for (size_t i = 0; i < count; i++) {
        notifications[i].id = uuid_new(tx->arena);
        notifications[i].created_ms = tx->now_ms;
        if (!notifications[i].roles)
            notifications[i].roles = ROLES_PEOPLE;
        notification_put_insert(&notifications[i], &rows[i * NOTIFICATION_INSERT_WIDTH]);
    }
    return db_exec_rows(tx->db, tx->arena, SQL_NOTIFICATION_INSERT, SQL_NOTIFICATION_INSERT_MANY,
                        NOTIFICATION_INSERT_WIDTH, rows, count, NULL, tx->err);
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

        if (!notification_from_row(&rows, i, &resolved, tx->err))
            return false;
        (*events)[i] = event_of(tx->arena, EVENT_NOTIFICATION_RESOLVED, &resolved, tx->now_ms);
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
    if (!notification_from_rows(tx, &rows, page->count, &page->items))
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
static bool is_readers(const struct caller *caller, const struct notification *notification)
{
    /* A token that is bound to a project does not learn what others ask. */
    if (notification->kind == NOTIFICATION_MENTION ? !caller_hears_project(caller, notification->project_id)
                                                   : !caller_sees_project(caller, notification->project_id))
        return false;
    if (notification->agent_key)
        return ((unsigned)caller->role & ROLES_WRITE) &&
               (!caller->agent_name || str_same_name(caller->agent_name, notification->agent_key));
    if (notification->user_id)
        return caller->kind == CALLER_USER && str_equal(caller->id, notification->user_id);
    return caller_is_person(caller) && (notification->roles & (unsigned)caller->role) != 0;
}

/* Whose inbox it was, what was marked there, and whom to tell. */
struct inbox_reading {
    const char *reader, *subject, *project_id, *audience; /* no subject: all of them */
    size_t count;
};

static bool tell_read(const struct tx *tx, const char *workspace_id, const struct inbox_reading *reading)
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
                                             .type = EVENT_NOTIFICATION_READ,
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
    if (rows.count > 0 && !notification_from_row(&rows, 0, notification, tx->err))
        return false;
    if (rows.count == 0 || !is_readers(tx->caller, notification))
        return err_set(tx->err, ERR_NOT_FOUND, "There is no notification with that id.");
    if (!mark_read(tx, notification, &changed))
        return false;
    if (changed == 0)
        return true;
    notification->read_ms = tx->now_ms;
    return tell_read(tx, tx->caller->workspace_id,
                     &(struct inbox_reading){ .reader = reader_of(tx->arena, notification),
                                              .subject = id,
                                              .project_id = notification->project_id,
                                              .audience = audience_of(tx->arena, notification),
                                              .count = 1 });
}

bool notification_read_all(const struct tx *tx, const char *agent, size_t *count)
{
    struct inbox inbox = notification_inbox(tx->arena, tx->caller, agent);
    size_t own, shared = 0;

    if (agent && !((unsigned)tx->caller->role & ROLES_WRITE))
        return err_set(tx->err, ERR_FORBIDDEN, "A %s cannot mark an agent's notifications as read.",
                       role_name(tx->caller->role));
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
                                    &(struct inbox_reading){ .reader = inbox.reader,
                                                             .project_id = inbox.project_id,
                                                             .audience = inbox.reader,
                                                             .count = *count });
}
