/*
 * discussion.h - what the operations about discussions have in common: their fields, and the reply of most of
 * them.
 */
#ifndef OPS_DISCUSSION_H
#define OPS_DISCUSSION_H

#include "core/council/discussion.h"
#include "ops/op.h"

#define TAG_DISCUSSIONS "Discussions"
#define DISCUSSION_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The discussion, or a project that has one." \
    }

extern const struct field discussion_fields[];       /* a discussion as such */
extern const struct field discussion_entry_fields[]; /* something that was said */
extern const struct field discussion_state_reply[];  /* all of it: status, project, entries, counts ... */
extern const struct field discussion_reply[];        /* {discussion} */
extern const struct field waiting_turn_fields[];

/* When a vote counts as agreement, beyond its type. */
#define THRESHOLD_FORM \
    "\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^(all|majority|[0-9]*[.]?[0-9]+%?)$\"}," \
    "{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":1},{\"type\":\"null\"}]"

/* Writes {discussion}. */
bool discussion_reply_one(struct call *call, const struct discussion *discussion);
/* Writes the whole state, with what was said. */
CHECKED bool discussion_reply_state(struct call *call, const struct discussion *discussion);

#endif
