/*
 * audience.h - whom an event is for, when it is not for everybody who may read.
 *
 * What stands in an inbox is for those who can read that inbox: an agent's, a person's, or that of the people
 * with certain roles. The event that tells of it says so in its row (events.audience), so that a stream hears
 * of what its caller could list and of nothing else, without asking the store. A row without one is for
 * everybody: other kinds of events, and what version 0.1.0 wrote.
 *
 * Thread: any.
 */
#ifndef CORE_LOG_AUDIENCE_H
#define CORE_LOG_AUDIENCE_H

#include "core/caller/caller.h"

struct audience {
    const char *agent_key, *user_id; /* one of them, or neither */
    unsigned roles;                  /* neither: people with one of these roles; 0: everybody */
    bool squad; /* talk of the squad: common ground for those who are bound to a project, if it is about none
                 */
};

/* Who listens, as a stream keeps it. */
struct hearer {
    unsigned role;         /* 0: the server itself, which hears everything */
    bool person;           /* caller_is_person */
    const char *id;        /* the caller's */
    const char *agent_key; /* a token bound to an agent's name: that name, folded; or NULL */
};

/* As it is stored; NULL for everybody. */
const char *audience_text(struct arena *arena, const struct audience *audience);
/* Reads it; texts point into `text`. What another version wrote and this one does not know is the owner's. */
struct audience audience_parse(const char *text);
/* The same rule as an inbox's (notification_inbox). */
bool audience_has(const struct audience *audience, const struct hearer *hearer);

#endif
