/*
 * Core only inserts: triggers number, count and tell, for rows of other programs as for ours. What is left to
 * do here is what SQL cannot see, namely who may speak under a name and which project a message belongs to.
 */
#include "core/chat/chat.h"

#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/chat/mention.h"
#include "core/chat/prompt.h"

#include <string.h>

#define LIST_NAME "chat"

const char *const message_types[] = { "message", "discussion_prompt", "discussion_response", "system", NULL };
WORDS_FIT(message_types, MESSAGE_END);

bool chat_may_speak(const struct caller *caller, const char *agent_name, bool is_human, struct err *err)
{
    if (!caller_may_speak_as(caller, agent_name, err))
        return false;
    /* Readers of the thread must be able to rely on which words are a person's. */
    if (is_human && !caller_is_person(caller))
        return err_set(err, ERR_FORBIDDEN, "An agent cannot speak for a person: is_human must be false.");
    return true;
}

bool chat_check_text(const char *field, const char *text, struct err *err)
{
    int64_t most = settings()->limits_message;

    if (str_is_blank(text))
        return err_field(err, field, "%s must not be empty.", field);
    if ((int64_t)strlen(text) > most)
        return err_field(err, field, "%s is too long: at most %lld bytes.", field, (long long)most);
    return true;
}

bool chat_insert(const struct tx *tx, struct chat *chat)
{
    struct db_arg row[CHAT_INSERT_WIDTH];

    if (!chat->id)
        chat->id = uuid_new(tx->arena);
    chat->created_at = clock_text(tx->arena, tx->now_ms);
    chat->author_id = tx_actor_id(tx);
    chat->agent_key = str_fold_beyond(tx->arena, chat->agent_name);
    chat_put_insert(chat, row);
    return tx_exec(tx, SQL_CHAT_INSERT, CHAT_INSERT_WIDTH, row, NULL);
}

bool chat_find_project(const struct tx *tx, struct chat *chat)
{
    struct db_rows rows;

    if (!chat->task_ref)
        return true;
    if (!tx_query(tx, SQL_CHAT_TASK_PROJECT,
                  DB_ARGS(db_text(chat->task_ref), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    if (!caller_hears_project(tx->caller, db_cell(&rows, 0, 0)))
        return err_set(tx->err, ERR_NOT_FOUND, "There is no such task.");
    if (!chat->project_id)
        chat->project_id = db_cell(&rows, 0, 0);
    return true;
}

bool chat_tell_mentions(const struct tx *tx, const struct chat *chat)
{
    return mention_tell(tx, &(struct mention_source){ .workspace_id = chat->workspace_id,
                                                      .project_id = chat->project_id,
                                                      .in = ABOUT_CHAT,
                                                      .ref_id = chat->id,
                                                      .author = chat->agent_name,
                                                      .text = chat->message,
                                                      .created_at = chat->created_at });
}

bool chat_post(const struct tx *tx, struct chat *chat)
{
    if (!chat_may_speak(tx->caller, chat->agent_name, chat->is_human, tx->err) ||
        !chat_check_text("message", chat->message, tx->err))
        return false;
    if (chat->discussion_prompt_id && !prompt_project(tx, chat->discussion_prompt_id, &chat->project_id))
        return false;
    if (!chat_find_project(tx, chat))
        return false;
    chat->workspace_id = tx->caller->workspace_id;
    chat->message_type = MESSAGE_PLAIN;
    return chat_insert(tx, chat) && chat_tell_mentions(tx, chat);
}

/* One row more than asked for tells whether there is a next page. */
static bool query_page(const struct tx *tx, const struct chat_filter *filter, const struct cursor *from,
                       struct db_rows *rows)
{
    struct db_arg args[] = { db_text(tx->caller->workspace_id),
                             db_text(from->created_at),
                             db_text(from->id),
                             db_int((int64_t)filter->limit + 1),
                             db_text(tx->caller->project_id),
                             db_null(),
                             db_null() };

    if (filter->discussion_prompt_id) {
        args[5] = db_text(filter->discussion_prompt_id);
        args[6] = db_text(filter->task_ref);
        return tx_query(tx, SQL_CHAT_LIST_THREAD, 7, args, rows);
    }
    if (filter->task_ref) {
        args[5] = db_text(filter->task_ref);
        return tx_query(tx, SQL_CHAT_LIST_TASK, 6, args, rows);
    }
    return tx_query(tx, SQL_CHAT_LIST, 5, args, rows);
}

bool chat_list(const struct tx *tx, const struct chat_filter *filter, struct chat_page *page)
{
    struct cursor from;
    struct db_rows rows;

    if (!cursor_read(LIST_NAME, filter->cursor, &from, tx->err) || !query_page(tx, filter, &from, &rows))
        return false;
    *page = (struct chat_page){ .count = rows.count < filter->limit ? rows.count : filter->limit };
    if (!chat_from_rows(tx, &rows, page->count, &page->messages))
        return false;
    if (rows.count > page->count) {
        const struct chat *last = &page->messages[page->count - 1];

        page->next_cursor = cursor_after(tx->arena, LIST_NAME, 0, last->created_at, last->id);
    }
    return true;
}

bool chat_replies(const struct tx *tx, const char *workspace_id, const char *prompt_id, struct chat **replies,
                  size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_CHAT_REPLIES,
                  DB_ARGS(db_text(prompt_id), db_text(workspace_id), db_int(LIMIT_RESPONSES_SHOWN)), &rows))
        return false;
    *count = rows.count;
    return chat_from_rows(tx, &rows, rows.count, replies);
}
