/*
 * logged.h - a row of a discussion's log, and what the rules see in it.
 *
 * Messages and turns are what readers see; ballots, a judge's words and summaries are kept beside them, so
 * that every decision can be made again from the log alone.
 */
#ifndef CORE_COUNCIL_RULES_LOGGED_H
#define CORE_COUNCIL_RULES_LOGGED_H

#include "core/council/rules/order.h"
#include "core/council/rules/spent.h"
#include "core/council/rules/state.h"

struct logged {
    const char *id;
    int64_t seq;
    enum row_kind kind;
    enum entry_kind manner;         /* said, passed, skipped */
    const char *agent_id, *user_id; /* or NULL */
    const char *speaker, *role, *content;
    int turn_index, round; /* turn_index OUT_OF_TURN: outside of the order */
    const char *metadata;  /* a JSON object's text */
    int64_t created_ms;
    struct spent spent; /* by the models that were asked for it, in all attempts */
};

/* The log of a discussion, or a part of it. */
struct logs {
    struct logged *rows;
    size_t count;
};

/* Where the order stands after these rows, which are the first of a log. */
struct slot logged_place(const struct seating *seating, const struct logged *rows, size_t count);
bool logged_is_shown(const struct logged *logged); /* a message or a turn */
/* As the rules see it. */
struct council_entry logged_entry(const struct logged *logged);
/* Those that are shown, as the rules see them. */
struct council_entry *logged_entries(struct arena *arena, const struct logged *rows, size_t count,
                                     size_t *entry_count);
/* {id, speaker, agentId, role, content, turnIndex, roundNumber, metadata, createdAt}; key NULL: inside a
 * list. */
void logged_write(const struct logged *logged, const char *key, struct json_out *out);

#endif
