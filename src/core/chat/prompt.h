/*
 * prompt.h - an agent asks the others before it acts.
 *
 * A prompt collects replies in the squad chat until enough different agents have answered, its time is up,
 * or somebody ends it. Database triggers count, collect, end and tell, so that rows written by other
 * programs do the same; nothing here does it a second time. A prompt whose time has passed is treated as
 * ended whether or not the row says so yet.
 *
 * Everything in a struct prompt lives in the arena it was loaded with.
 */
#ifndef CORE_CHAT_PROMPT_H
#define CORE_CHAT_PROMPT_H

#include "base/json.h"
#include "core/caller/caller.h"
#include "core/caller/tx.h"
#include "core/chat/chat.h"

enum prompt_status {
    PROMPT_PENDING = 1, /* nobody has replied yet */
    PROMPT_COLLECTING,
    PROMPT_RESOLVED,
    PROMPT_TIMED_OUT,
    PROMPT_CANCELLED,
    PROMPT_END,
};
WORDS_OF(prompt_status, prompt_statuses);

/* From prompt.noun. */
#include "gen/nouns/prompt.h"

bool prompt_status_is_open(enum prompt_status status);
bool prompt_is_open(const struct prompt *prompt);
/*
 * No prompt that is open now was made before this: none lasts longer than PROMPT_MINUTES_MAX. So a look among
 * mentions, which stay for ever, need not go further back.
 */
const char *prompt_open_since(const struct tx *tx);
/* The asker can go on: enough replies, or no more to come. */
bool prompt_is_ready(const struct prompt *prompt);

/*
 * Asks. Takes requester_agent, prompt_message, task_id, required_responses, timeout_minutes and count_all;
 * fills in the rest of the prompt, and the message that shows it in the chat.
 */
CHECKED bool prompt_create(const struct tx *tx, struct prompt *prompt, struct chat *chat);
/*
 * ERR_NOT_FOUND, also for another workspace's and for what the caller's token is not bound to; ERR_DUE when
 * its time has passed and the row is still open.
 */
CHECKED bool prompt_get(const struct tx *tx, const char *id, struct prompt *prompt);
/* The project of the task that a prompt is about, or NULL. ERR_NOT_FOUND likewise. */
CHECKED bool prompt_project(const struct tx *tx, const char *id, const char **project_id);
/*
 * Replies. Takes agent_name, message, is_human and task_ref of the reply and fills in the rest; the prompt
 * is as it stands afterwards.
 */
CHECKED bool prompt_respond(const struct tx *tx, const char *id, struct chat *reply, struct prompt *prompt);
/* Ends it early. `action` is "resolve" or "cancel". ERR_CONFLICT, with how it ended, when it has already. */
CHECKED bool prompt_close(const struct tx *tx, const char *id, const char *action, struct prompt *prompt);

struct prompt_filter {
    enum prompt_status status; /* 0: pending and collecting */
    const char *agent;         /* NULL, or: what this agent may answer, its mentions first */
    const char *task_id;       /* or NULL */
    bool include_answered;     /* keep what the agent has answered */
    const char *cursor;        /* or NULL */
    size_t limit;
};

struct prompt_page {
    struct prompt *prompts; /* newest first */
    size_t count;
    const char *next_cursor; /* or NULL */
};

/* Those that the caller hears of. */
CHECKED bool prompt_list(const struct tx *tx, const struct prompt_filter *filter, struct prompt_page *page);

#endif
