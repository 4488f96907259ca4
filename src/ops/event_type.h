/*
 * event_type.h - what can happen, said once.
 *
 * An event type (core/log/event_type.h) is one kind of line in the log. Its row has its members with their
 * types, a sentence for people, the roles that hear it, and what it reaches. The filter of streams,
 * docs/events.md and the AsyncAPI document at /api/asyncapi.json are derived from the row, and every event
 * that the tests cause is held against it.
 *
 * All events carry type, at and workspaceId beside their own members. Some are words that a stream says for
 * itself, which are in no log and have no number; those have .word set, and no workspaceId.
 */
#ifndef OPS_EVENT_TYPE_H
#define OPS_EVENT_TYPE_H

#include "core/log/event_type.h"
#include "ops/op.h"

struct event_spec {
    const char *tag; /* the heading in the reference, as for operations */
    const char *help;
    unsigned hears; /* set of enum role */
    /* As an operation's. A token that is bound to a project hears what is about it, and of what is about none
     * only what is common ground: REACH_SQUAD, and in an inbox being called in the squad's talk
     * (core/log/audience.h). */
    enum reach reaches;
    bool word; /* said by a stream itself: cannot be filtered by, has no number */
    bool live; /* heard while it happens, and not kept: can be filtered by, has no number */
    const struct field *fields;
};

const struct event_spec *event_type_spec(enum event_type type); /* NULL of EVENT_UNKNOWN */
/* Whether every type has its row. The server does not start and the tests do not pass without it. */
CHECKED bool event_type_check_table(struct err *err);
/* The name of a type that a filter may name and that is most like this one, or NULL. */
const char *event_type_nearest(const char *name);

/* The members that every event of the log has, and every word. */
extern const struct field event_fields[];

/*
 * Whether an event's members are those that its type declares: none missing, none of another type, none that
 * is not named. For tests.
 */
CHECKED bool event_type_check(const char *name, const json_t *members, struct err *err);

#endif
