/*
 * open_turn.h - turns that were asked for and have not been logged yet.
 *
 * A turn is queued until a driver calls a model for it, or owed by somebody outside: an agent that comes by
 * the API, or a person. What is owed has a deadline and stands in its owner's inbox; once it has passed, the
 * turn is logged as a pass that says so. Changes belong to whoever has locked the discussion.
 */
#ifndef CORE_COUNCIL_OPEN_TURN_H
#define CORE_COUNCIL_OPEN_TURN_H

#include "core/council/logged_rows.h"
#include "core/council/participant.h"

struct open_turn {
    const char *id, *workspace_id, *discussion_id;
    enum turn_kind kind;
    int round, turn_index;
    const char *participant_id, *agent_id, *user_id; /* or NULL */
    const char *speaker, *role;
    enum turn_state state;
    int attempt;
    bool without_stops;
    int64_t due_ms;      /* 0: none */
    const char *partial; /* the text so far, or NULL */
    int64_t started_ms, created_ms;
    struct spent spent; /* by the attempts so far */
};

/* Opens a turn at a seat; a judge and a summary have none (`at` NULL). */
CHECKED bool open_turn_add(const struct tx *tx, const struct discussion *discussion, enum turn_kind kind,
                           const struct seats *seats, int seat, struct open_turn *turn);
CHECKED bool open_turn_list(const struct tx *tx, const char *discussion_id, struct open_turn **turns,
                            size_t *count);
/* ERR_NOT_FOUND when it is not open any more. */
CHECKED bool open_turn_get(const struct tx *tx, const char *id, struct open_turn *turn);
CHECKED bool open_turn_save(const struct tx *tx, const struct open_turn *turn);
CHECKED bool open_turn_delete(const struct tx *tx, const struct open_turn *turn);

/* A call that is cut off was made all the same, and its model may have been paid for what nobody hears. */
void open_turn_count_cut_off(struct discussion *discussion, struct open_turn *turn);

/* How long whoever owes a turn has for it. */
int64_t open_turn_time_ms(void);
/* Its place in the log, with what it holds already: who, when, which. */
struct logged open_turn_logged(const struct open_turn *turn);

/* A turn that waits for somebody, with what it is about. */
struct waiting_turn {
    struct open_turn turn;
    const char *topic, *project_id;
    enum council_mode mode;
};
struct turn_filter {
    const char *agent;  /* by name, or NULL */
    bool person;        /* what the caller owes as a person */
    const char *cursor; /* an id, or NULL */
    size_t limit;
};
/* Oldest first. */
CHECKED bool open_turn_waiting(const struct tx *tx, const struct turn_filter *filter,
                               struct waiting_turn **turns, size_t *count);
void waiting_turn_write(const struct waiting_turn *waiting, const char *key, struct json_out *out);

#endif
