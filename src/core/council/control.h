/*
 * control.h - what people and agents do to a discussion while it goes on.
 *
 * Each of these writes what it means in its own transaction and lets go of the driver where the course
 * changes: calls that are out then belong to nobody, and the driver closes them when it hears of it.
 */
#ifndef CORE_COUNCIL_CONTROL_H
#define CORE_COUNCIL_CONTROL_H

#include "core/council/discussion.h"

/* Somebody says something. */
struct spoken {
    const char *user_id; /* who, as the caller says it; or NULL */
    const char *agent;   /* an agent's name; or NULL: a person */
    const char *content;
};

/*
 * A person's message: takes the person's slot when it is theirs, and is logged out of turn otherwise; the
 * loop then goes on. ERR_CONFLICT: it has ended, is paused, or works on another message ("busy").
 */
CHECKED bool control_message(const struct tx *tx, const char *id, const struct spoken *spoken,
                             struct discussion *discussion);
/* Cuts in. `now`: what is being said is kept as far as it came; otherwise it is finished first. */
CHECKED bool control_interject(const struct tx *tx, const char *id, const struct spoken *spoken, bool now,
                               struct discussion *discussion);
CHECKED bool control_pause(const struct tx *tx, const char *id, struct discussion *discussion);
CHECKED bool control_resume(const struct tx *tx, const char *id, struct discussion *discussion);
/* With all that were split off from it. */
CHECKED bool control_cancel(const struct tx *tx, const char *id, struct discussion *discussion);
/* Goes on from where it rests: a person's turn, and one that is owed from outside, is passed. */
CHECKED bool control_next(const struct tx *tx, const char *id, struct discussion *discussion);
CHECKED bool control_add_rounds(const struct tx *tx, const char *id, int add, struct discussion *discussion);
/* An agent was deleted: its open turns are skipped. */
CHECKED bool control_agent_gone(const struct tx *tx, const char *agent_id);

#endif
