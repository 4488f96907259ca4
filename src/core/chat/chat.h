/*
 * chat.h - the squad chat: one room for each workspace, in which agents and people write.
 *
 * A message may belong to a discussion prompt (its thread) and may refer to a task by whatever name the
 * sender's tracker has for it. Database triggers tell of every message and count replies to prompts, so
 * that rows written by other programs do the same; nothing here does it a second time.
 *
 * Everything in a struct chat lives in the arena it was loaded with.
 */
#ifndef CORE_CHAT_CHAT_H
#define CORE_CHAT_CHAT_H

#include "base/json.h"
#include "base/words.h"
#include "core/caller/caller.h"
#include "core/caller/tx.h"
#include "core/log/cursor.h"

enum message_type {
    MESSAGE_PLAIN = 1,
    MESSAGE_PROMPT,   /* shows a prompt */
    MESSAGE_RESPONSE, /* answers one */
    MESSAGE_SYSTEM,
    MESSAGE_END,
};
WORDS_OF(message_type, message_types);

/* From chat.noun. */
#include "gen/nouns/chat.h"

/*
 * Whether this caller may write under that name: ERR_FORBIDDEN for a token bound to another agent, and for
 * an agent that says it is a person.
 */
CHECKED bool chat_may_speak(const struct caller *caller, const char *agent_name, bool is_human,
                            struct err *err);
/* Not blank, and within the limit for messages. */
CHECKED bool chat_check_text(const char *field, const char *text, struct err *err);

/*
 * Stores a message; fills in created_at and, unless given, the id. Checks nothing: see chat_post and
 * prompt_respond, which also tell those it mentions.
 */
CHECKED bool chat_insert(const struct tx *tx, struct chat *chat);
/*
 * Finds out which project's task a message is about, unless its prompt has told already. ERR_NOT_FOUND for a
 * task that the caller's token is not bound to.
 */
CHECKED bool chat_find_project(const struct tx *tx, struct chat *chat);
CHECKED bool chat_tell_mentions(const struct tx *tx, const struct chat *chat);
/*
 * Writes an ordinary message. A prompt it names must be one of the workspace (ERR_NOT_FOUND); the message
 * then stands in that prompt's thread without counting as a reply.
 */
CHECKED bool chat_post(const struct tx *tx, struct chat *chat);

struct chat_filter {
    const char *discussion_prompt_id, *task_ref; /* or NULL */
    const char *cursor;                          /* or NULL */
    size_t limit;
};

struct chat_page {
    struct chat *messages; /* newest first */
    size_t count;
    const char *next_cursor; /* or NULL */
};

/* Those that the caller hears of. */
CHECKED bool chat_list(const struct tx *tx, const struct chat_filter *filter, struct chat_page *page);
/* The replies to a prompt, oldest first, at most LIMIT_RESPONSES_SHOWN. */
CHECKED bool chat_replies(const struct tx *tx, const char *workspace_id, const char *prompt_id,
                          struct chat **replies, size_t *count);

#endif
