/*
 * discussion.h - agents and people speak about one topic, in turns or in rounds.
 *
 * A discussion is a row of state, an order of participants, a log of what was said, and the turns that are
 * open. Everything about where it stands is in these rows; whoever changes them has locked the state first
 * (discussion_lock), so that two changes of one discussion never see each other half done.
 *
 * Who may speak when is decided by order.h, what counts as said by reply_cut.h and pass.h, and moving on by
 * machine.h; here are the rows themselves, how one is made and how it is shown.
 *
 * Everything in these structs lives in the arena it was loaded with.
 */
#ifndef CORE_COUNCIL_DISCUSSION_H
#define CORE_COUNCIL_DISCUSSION_H

#include "base/json.h"
#include "core/caller/tx.h"
#include "core/council/rules/council.h"
#include "core/council/rules/spent.h"
#include "core/council/rules/state.h"

struct discussion {
    const char *id, *workspace_id;
    const char *project_id, *task_id; /* or NULL */
    const char *topic;
    enum council_mode mode;
    int turn_index, round, rounds; /* where it stands, and how many rounds there are */
    enum council_status status;
    enum council_end end_reason;
    enum council_end ending; /* the end that it is on its way to: a vote or a summary comes first */
    const char *outcome_source, *outcome_by; /* NULL until it has ended */
    const char *outcome_by_id;               /* said by whoever ends it; never read */
    const char *result;                      /* what was decided, as a JSON object's text, or NULL */
    const char *options;                     /* a JSON object's text */
    enum council_phase phase;
    const char *parent_id, *root_id; /* parent_id or NULL; root_id is its own id then */
    int depth;
    enum council_ref ref_kind;
    const char *ref_id;
    const char *forked_from; /* or NULL */
    int64_t forked_at;       /* the last row of the log that was taken over */
    const char *session_id;  /* or NULL */
    struct spent spent;
    int iterations;    /* slots done since somebody spoke */
    int settled_round; /* the last one whose end was judged */
    bool wants_drive;
    const char *driver; /* or NULL */
    int64_t driver_epoch;
    const char *summary; /* of what was said up to summary_seq, or NULL */
    int64_t summary_seq;
    const char *created_by_kind, *created_by_id, *created_by_name;
    int64_t created_ms, updated_ms, ended_ms;
};

/* ERR_NOT_FOUND, also for another workspace's. `id` may be that of a project that has one discussion. */
CHECKED bool discussion_get(const struct tx *tx, const char *id, struct discussion *discussion);
/* The same; nobody else changes it until the transaction ends. */
CHECKED bool discussion_lock(const struct tx *tx, const char *id, struct discussion *discussion);
/* By its own id, whoever calls: for the driver. ERR_NOT_FOUND when it is gone. */
CHECKED bool discussion_lock_any(const struct tx *tx, const char *id, struct discussion *discussion);
/* Stores what may change of one that was locked. */
CHECKED bool discussion_save(const struct tx *tx, struct discussion *discussion);

bool discussion_has_ended(const struct discussion *discussion);
/* The round that was held last: behind the end of a round it stands in the next one already. */
int discussion_last_round(const struct discussion *discussion);
/* Whether somebody's message is being worked on: another one has to wait. */
bool discussion_is_busy(const struct discussion *discussion);
/* Somebody should drive it, from where it now stands; calls that are still out are not waited for. */
void discussion_want(struct discussion *discussion);
/* Nobody needs to. */
void discussion_rest(struct discussion *discussion, enum council_phase phase);

struct discussion_filter {
    enum council_mode mode;                                    /* 0: any */
    enum council_status status;                                /* 0: any */
    const char *project_id, *task_id, *parent_id, *session_id; /* or NULL */
    const char *cursor;                                        /* an id, or NULL */
    size_t limit;
};
/* Newest first; those that the caller sees. */
CHECKED bool discussion_list(const struct tx *tx, const struct discussion_filter *filter,
                             struct discussion **list, size_t *count);

/* {id, topic, mode, status, round, turnIndex, endReason, outcome ...}; key NULL: the root or inside a list.
 */
void discussion_write(const struct discussion *discussion, const char *key, struct json_out *out);

#endif
