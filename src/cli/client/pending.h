/*
 * pending.h - what waits for people, as the inbox and the batch answers read it.
 */
#ifndef CLI_CLIENT_PENDING_H
#define CLI_CLIENT_PENDING_H

#include "cli/client/invoke.h"

struct pending_filter {
    const char *type, *project; /* or NULL */
    const char *sort;           /* deadline, created; or NULL */
    const char *text;           /* a part of the question, in any case; or NULL */
    const char *tail;           /* the end of the id; or NULL */
    size_t limit;               /* at most so many */
};

struct pending {
    json_t *questions; /* the caller json_decrefs them */
    int64_t now_ms;    /* the server's */
    bool more;         /* there are others beyond the limit */
};

/* Everything that waits, in the few words of one list: sets of open questions and prompts as well. */
struct pending_items {
    json_t *items; /* the caller json_decrefs them */
    int64_t now_ms;
    bool more;
    int64_t need_you; /* how many of all need whoever asks, shown or not */
};
/* "2 need you." */
const char *pending_need_you(struct arena *arena, int64_t count);
CHECKED bool pending_items_read(struct cli *cli, const struct pending_filter *filter,
                                struct pending_items *pending, struct err *err);

/* Open questions alone, each whole. */
CHECKED bool pending_read(struct cli *cli, const struct pending_filter *filter, struct pending *pending,
                          struct err *err);

#endif
