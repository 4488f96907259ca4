/*
 * Messages and prompts of a person who is erased.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/upkeep/erase_parts.h"

#include <string.h>

struct message {
    const char *id, *workspace_id, *name, *text, *prompt_id;
    enum message_type type;
    bool is_human;
    int64_t at_ms;
};

/* One name in a line, taken out. */
static const char *without_voice(struct arena *arena, const char *voices, const char *key)
{
    const char *line = arena_format(arena, "\n%s\n", key);
    const char *at = strstr(voices, line);

    if (!at)
        return voices;
    return arena_format(arena, "%.*s%s", (int)(at - voices), voices, at + strlen(line) - 1);
}

/* The reply that a prompt collected; another of the same name keeps their voice. */
static bool erase_collected(const struct tx *tx, const struct message *message, const char *name)
{
    const char *key = str_fold(tx->arena, message->name);
    struct db_rows rows;
    bool other = false;
    json_t *entry;
    size_t i;

    if (!tx_query(tx, SQL_ERASE_CONTEXT, DB_ARGS(db_text(message->prompt_id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    JSON_AUTO *list = erase_parse(db_cell(&rows, 0, 0));

    json_array_foreach(list, i, entry)
    {
        const char *agent = erase_member(entry, "agent");
        bool same = agent && str_equal(agent, message->name) &&
                    json_is_true(json_object_get(entry, "is_human")) == message->is_human;

        if (same && str_equal(erase_member(entry, "message"), message->text)) {
            json_object_set_new(entry, "agent", json_string(name));
            json_object_set_new(entry, "message", json_string(ERASED_TEXT));
        } else if (agent && str_equal(str_fold(tx->arena, agent), key)) {
            other = true;
        }
    }
    const char *voices = db_cell(&rows, 0, 1);

    if (!other && !str_equal(name, message->name))
        voices = without_voice(tx->arena, voices, key);
    return tx_exec(tx, SQL_ERASE_SET_CONTEXT,
                   DB_ARGS(db_text(message->prompt_id), db_text(json_dump_text(tx->arena, list)),
                           db_text(voices), db_text(message->id), db_text(name)),
                   NULL);
}

static bool is_own_message(const struct erasing *e, struct arena *arena, const struct message *message)
{
    if (!erase_is_in(e, message->workspace_id) || message->type == MESSAGE_SYSTEM)
        return false;
    return (message->is_human && erase_is_name(e, arena, message->name)) ||
           erase_is_gone(message->name, message->text) ||
           erase_did_to(e, message->workspace_id, message->id) ||
           (message->prompt_id && erase_did(e, message->workspace_id, message->prompt_id, message->at_ms)) ||
           (message->type == MESSAGE_PROMPT &&
            erase_is_theirs(e, arena, message->name, message->workspace_id, message->at_ms));
}

static bool erase_message(const struct tx *tx, struct erasing *e, const struct message *message)
{
    const char *name = erase_is_name(e, tx->arena, message->name) ? ERASED_NAME : message->name;

    if (!erase_change(tx, e, SQL_ERASE_CHAT, DB_ARGS(db_text(message->id), db_text(name)),
                      &e->report->messages))
        return false;
    if (e->looking)
        return true;
    return (!message->prompt_id || erase_collected(tx, message, name)) &&
           erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("chat"), db_text(message->id)), NULL);
}

bool erase_chat_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_CHAT_PAGE, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        struct message message = {
            .id = page->after[0] = db_cell(&rows, i, COL_ERASE_CHAT_ID),
            .workspace_id = db_cell(&rows, i, COL_ERASE_CHAT_WORKSPACE_ID),
            .name = db_cell(&rows, i, COL_ERASE_CHAT_AGENT_NAME),
            .text = db_cell(&rows, i, COL_ERASE_CHAT_MESSAGE),
            .is_human = db_cell_bool(&rows, i, COL_ERASE_CHAT_IS_HUMAN),
            .type = db_cell_word(&rows, i, COL_ERASE_CHAT_MESSAGE_TYPE, message_types, &strange),
            .prompt_id = db_cell(&rows, i, COL_ERASE_CHAT_DISCUSSION_PROMPT_ID),
            .at_ms = erase_time(db_cell(&rows, i, COL_ERASE_CHAT_CREATED_AT)),
        };

        if (!db_words_known(strange, tx->err))
            return false;
        if (!is_own_message(e, tx->arena, &message))
            continue;
        erase_note(e->own, "chat", message.id);
        if (message.prompt_id)
            erase_note(e->part, "prompt", message.prompt_id);
        if (!str_equal(message.text, ERASED_TEXT) && !erase_message(tx, e, &message))
            return false;
    }
    return true;
}

static bool erase_prompt(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_PROMPT_ID),
               *workspace_id = db_cell(rows, i, COL_ERASE_PROMPT_WORKSPACE_ID);
    const char *requester = db_cell(rows, i, COL_ERASE_PROMPT_REQUESTER_AGENT),
               *text = db_cell(rows, i, COL_ERASE_PROMPT_PROMPT_MESSAGE),
               *by = db_cell(rows, i, COL_ERASE_PROMPT_OUTCOME_BY);
    int64_t made_ms = erase_time(db_cell(rows, i, COL_ERASE_PROMPT_CREATED_AT)),
            ended_ms = erase_time(db_cell(rows, i, COL_ERASE_PROMPT_RESOLVED_AT));
    bool own = erase_is_in(e, workspace_id) &&
               (erase_is_gone(requester, text) || erase_did(e, workspace_id, id, made_ms) ||
                (!erase_did_then(e, workspace_id, made_ms) &&
                 erase_is_theirs(e, tx->arena, requester, workspace_id, made_ms)));
    bool ended = erase_is_theirs(e, tx->arena, by, workspace_id, ended_ms);

    if (own || ended || erase_did_to(e, workspace_id, id))
        erase_note(e->part, "prompt", id);
    if (own)
        erase_note(e->own, "prompt", id);
    own = own && !str_equal(text, ERASED_TEXT);
    if (!own && !ended)
        return true;
    return erase_change(
               tx, e, SQL_ERASE_PROMPT,
               DB_ARGS(db_text(id),
                       db_text(own && erase_is_name(e, tx->arena, requester) ? ERASED_NAME : requester),
                       db_text(own ? ERASED_TEXT : text), db_text(ended ? ERASED_NAME : by)),
               &e->report->prompts) &&
           (!own || e->looking ||
            erase_change(tx, e, SQL_ERASE_NOTIFICATIONS, DB_ARGS(db_text("prompt"), db_text(id)), NULL));
}

bool erase_prompt_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_PROMPT_PAGE, DB_ARGS(db_text(page->after[0]), db_int(ERASE_BATCH)), &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, COL_ERASE_PROMPT_ID);
        if (!erase_prompt(tx, e, &rows, i))
            return false;
    }
    return true;
}
