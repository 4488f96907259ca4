/*
 * make.h - how a discussion comes to be: from a wish that is checked whole, or as a fork of another.
 */
#ifndef CORE_COUNCIL_MAKE_H
#define CORE_COUNCIL_MAKE_H

#include "core/council/cast.h"
#include "core/council/discussion.h"

struct discussion_wish {
    const char *topic;
    enum council_mode mode;
    int rounds;                                    /* 0: as configured */
    const char *project_id, *task_id, *session_id; /* or NULL */
    const char *parent_id;                         /* or NULL */
    enum council_ref ref_kind;
    const char *ref_id;
    const json_t *participants; /* a list of {agentId | agentName, role, userId, name, sequence_order} */
    enum cast cast;             /* who speak when no participants are given; 0: nobody */
    const json_t *options;      /* or NULL */
};

/*
 * 4xx that names the field; nothing is stored then. Modes rounds and parallel start at once. `cast` is who
 * was seated without having been named, and who of them was made.
 */
CHECKED bool discussion_make(const struct tx *tx, const struct discussion_wish *wish,
                             struct discussion *discussion, struct cast_seats *cast);
/* A new discussion with the history up to the entry `at`, from which it goes on. */
CHECKED bool discussion_fork(const struct tx *tx, const char *id, const char *at,
                             struct discussion *discussion);

#endif
