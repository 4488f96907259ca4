/*
 * Every change locks the row first and is decided by what that row says then. One that is overdue counts as
 * ended for every caller, but is not written here: a call that is refused undoes what it wrote, so that is
 * left to the timer (ERR_DUE).
 */
#include "core/chat/prompt.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/chat/mention.h"
#include "core/chat/voices.h"
#include "core/log/outcome.h"

#include <string.h>

const char *const prompt_statuses[] = { "pending", "collecting", "resolved", "timed_out", "cancelled", NULL };
WORDS_FIT(prompt_statuses, PROMPT_END);

bool prompt_status_is_open(enum prompt_status status)
{
    return status == PROMPT_PENDING || status == PROMPT_COLLECTING;
}

bool prompt_is_open(const struct prompt *prompt)
{
    return prompt_status_is_open(prompt->status);
}

bool prompt_is_ready(const struct prompt *prompt)
{
    return prompt->status == PROMPT_RESOLVED || prompt->status == PROMPT_TIMED_OUT;
}

static bool is_overdue(const struct prompt *prompt, int64_t now_ms)
{
    return prompt_is_open(prompt) && now_ms > prompt->due_ms;
}

static bool not_found(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no discussion prompt with that id.");
}

static bool load(const struct tx *tx, const char *id, struct prompt *prompt)
{
    struct db_rows rows;
    struct prompt found;

    if (!tx_query(tx, SQL_PROMPT_GET, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return not_found(tx->err);
    if (!prompt_from_row(&rows, 0, &found, tx->err))
        return false;
    if (!caller_hears_project(tx->caller, found.project_id))
        return not_found(tx->err);
    *prompt = found;
    return true;
}

bool prompt_get(const struct tx *tx, const char *id, struct prompt *prompt)
{
    struct prompt found;

    if (!load(tx, id, &found))
        return false;
    if (is_overdue(&found, tx->now_ms))
        return err_set(tx->err, ERR_DUE, "The time of this discussion prompt is up.");
    *prompt = found;
    return true;
}

bool prompt_project(const struct tx *tx, const char *id, const char **project_id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_REACH_PROMPT, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0 || !caller_hears_project(tx->caller, db_cell(&rows, 0, 0)))
        return not_found(tx->err);
    *project_id = db_cell(&rows, 0, 0);
    return true;
}

/*
 * For those who want to change it: locked, with what decides whether they may. A prompt that is overdue has
 * ended even though no row says so yet. It is not written here: what asks for it is about to be refused,
 * which would undo that again; the timer writes it.
 */
static bool lock(const struct tx *tx, const char *id, struct prompt *prompt)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_PROMPT_LOCK, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0 || !caller_hears_project(tx->caller, db_cell(&rows, 0, COL_PROMPT_LOCK_PROJECT_ID)))
        return not_found(tx->err);
    if (!prompt_lock_from_row(&rows, 0, prompt, tx->err))
        return false;
    if (is_overdue(prompt, tx->now_ms))
        return err_set(tx->err, ERR_DUE, "The prompt's time has passed.");
    /* What another program wrote may not have been folded yet, and what follows is counted by it. */
    return voices_are_folded(tx->arena, prompt->requester_agent, prompt->requester_key, prompt->voices) ||
           voices_fold(tx, prompt->id);
}

static bool insert(const struct tx *tx, const struct prompt *prompt)
{
    struct db_arg row[PROMPT_INSERT_WIDTH];

    prompt_put_insert(prompt, row);
    return tx_exec(tx, SQL_PROMPT_INSERT, PROMPT_INSERT_WIDTH, row, NULL);
}

static bool tell_mentions(const struct tx *tx, const struct prompt *prompt)
{
    return mention_tell(tx, &(struct mention_source){ .workspace_id = prompt->workspace_id,
                                                      .project_id = prompt->project_id,
                                                      .in = ABOUT_PROMPT,
                                                      .ref_id = prompt->id,
                                                      .author = prompt->requester_agent,
                                                      .text = prompt->prompt_message,
                                                      .created_at = prompt->created_at });
}

/*
 * The prompt comes first, so that whoever hears of the message finds it; each names the other. Read again, it
 * knows its task's project: a task that the caller's token is not bound to is not there.
 */
bool prompt_create(const struct tx *tx, struct prompt *prompt, struct chat *chat)
{
    if (!chat_may_speak(tx->caller, prompt->requester_agent, false, tx->err) ||
        !chat_check_text("prompt_message", prompt->prompt_message, tx->err))
        return false;
    prompt->id = uuid_new(tx->arena);
    prompt->workspace_id = tx->caller->workspace_id;
    prompt->requester_id = tx->caller->id;
    prompt->squad_chat_id = uuid_new(tx->arena);
    prompt->created_at = clock_text(tx->arena, tx->now_ms);
    prompt->requester_fold = str_fold_beyond(tx->arena, prompt->requester_agent);
    *chat = (struct chat){ .id = prompt->squad_chat_id,
                           .workspace_id = tx->caller->workspace_id,
                           .agent_name = prompt->requester_agent,
                           .message = prompt->prompt_message,
                           .message_type = MESSAGE_PROMPT,
                           .discussion_prompt_id = prompt->id,
                           .task_ref = prompt->task_id };
    if (!insert(tx, prompt))
        return false;
    if (!load(tx, prompt->id, prompt))
        return tx->err->code == ERR_NOT_FOUND ? err_set(tx->err, ERR_NOT_FOUND, "There is no such task.")
                                              : false;
    chat->project_id = prompt->project_id;
    return chat_insert(tx, chat) && tell_mentions(tx, prompt);
}

bool prompt_respond(const struct tx *tx, const char *id, struct chat *reply, struct prompt *prompt)
{
    if (!chat_may_speak(tx->caller, reply->agent_name, reply->is_human, tx->err) ||
        !chat_check_text("message", reply->message, tx->err) || !lock(tx, id, prompt))
        return false;
    /*
     * A prompt that has ended takes no more answers: the asker may already have acted on what was
     * collected, and an answer that nobody will read must not look accepted.
     */
    if (!prompt_is_open(prompt))
        return err_set(tx->err, ERR_INVALID, "Cannot respond to prompt with status: %s",
                       prompt_status_word(prompt->status));
    /* A reader of the prompt is given all of them. */
    if (prompt->collected_bytes + (int64_t)strlen(reply->message) > LIMIT_COLLECTED) {
        err_set(tx->err, ERR_CONFLICT, "This prompt has taken all the replies that it has room for.");
        return err_hint(tx->err, "End it with PATCH /api/discussion/%.40s, or ask again.", prompt->id);
    }
    reply->workspace_id = tx->caller->workspace_id;
    reply->message_type = MESSAGE_RESPONSE;
    reply->discussion_prompt_id = prompt->id;
    reply->project_id = prompt->project_id;
    return chat_find_project(tx, reply) && chat_insert(tx, reply) && chat_tell_mentions(tx, reply) &&
           load(tx, id, prompt);
}

static const char *error_detail(struct arena *arena, const struct prompt *prompt)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_text(&out, "status", prompt_status_word(prompt->status));
    prompt_write_outcome(prompt, "outcome", &out);
    return arena_copy(arena, text.bytes, text.len);
}

/* First writer wins; the loser learns who won and what. */
static bool ended_already(struct arena *arena, const struct prompt *prompt, struct err *err)
{
    err_set(err, ERR_CONFLICT, "This discussion prompt has already ended: %s.",
            prompt_status_word(prompt->status));
    err->detail = error_detail(arena, prompt);
    return false;
}

bool prompt_close(const struct tx *tx, const char *id, const char *action, struct prompt *prompt)
{
    enum { RESOLVE = 1, CANCEL };
    static const char *const actions[] = { "resolve", "cancel", NULL };
    unsigned wanted = words_find(actions, action);
    bool resolve = wanted == RESOLVE;
    struct actor by = actor_of(tx->caller);

    if (!resolve && wanted != CANCEL) {
        err_field(tx->err, "action", "Invalid action. Must be \"resolve\" or \"cancel\"");
        return false;
    }
    if (!lock(tx, id, prompt))
        return false;
    if (!prompt_is_open(prompt))
        return ended_already(tx->arena, prompt, tx->err);
    if (!tx_exec(tx, SQL_PROMPT_END,
                 DB_ARGS(db_text(id), db_text(tx->caller->workspace_id),
                         db_text(prompt_status_word(resolve ? PROMPT_RESOLVED : PROMPT_CANCELLED)),
                         db_text(outcome_source_word(resolve ? OUTCOME_FORCED : OUTCOME_CANCELLED)),
                         db_text(by.name), db_text(clock_text(tx->arena, tx->now_ms)), db_text(by.id)),
                 NULL))
        return false;
    return load(tx, id, prompt);
}
