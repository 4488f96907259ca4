/*
 * notice.h - an event as it stands in memory, ready to be sent.
 *
 * Made once from the log's row and shared by every stream: immutable, counted, freed with its last
 * holder. `frame` is what a server-sent-events stream writes, `json` the text inside it.
 *
 * Thread: any.
 */
#ifndef ENGINE_NOTICE_H
#define ENGINE_NOTICE_H

#include "core/log/audience.h"
#include "core/log/event.h"

#include <stdatomic.h>
#include <stddef.h>

struct notice {
    atomic_uint holders;
    int64_t seq;    /* 0: said by the server itself, not in the log */
    int64_t place;  /* in its ring: the number, or for what is not in the log a count of the tailer's own */
    unsigned hears; /* set of enum role: who may hear of it */
    bool common;    /* about no project, and heard by those who are bound to one all the same */
    struct audience audience;
    enum event_type type; /* EVENT_UNKNOWN: also of a word of the server's own */
    const char *workspace_id, *project_id, *job_id, *discussion_id, *subject;
    const char *json;
    size_t json_len;
    const char *frame;
    size_t frame_len;
};

/* What a reader wants to hear. The texts are the reader's; NULL means any. */
struct notice_filter {
    const char *workspace_id; /* never NULL */
    struct hearer hearer;     /* the reader */
    const char *bound;        /* the only project that it may hear of beside what is common, or NULL: all */
    const char *project_id, *job_id, *discussion_id;
    const enum event_type *types; /* ends with EVENT_UNKNOWN; NULL: all */
};

/* With one holder: the caller. An event with the number 0 is not in the log, and has no `id:`. */
struct notice *notice_new(const struct event *event);
/* A word of the server's own, without a number: `json` is a whole object. */
struct notice *notice_word(const char *json);
/* Bytes of the stream format that carry no event: a comment, a setting. */
struct notice *notice_comment(const char *frame);
struct notice *notice_hold(struct notice *notice);
void notice_drop(struct notice *notice); /* accepts NULL */
size_t notice_size(const struct notice *notice);

bool notice_matches(const struct notice *notice, const struct notice_filter *filter);

#endif
