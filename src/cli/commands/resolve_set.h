/*
 * resolve_set.h - settles a set of open questions, in part or whole, for `witan resolve` and `witan answer`.
 */
#ifndef CLI_COMMANDS_RESOLVE_SET_H
#define CLI_COMMANDS_RESOLVE_SET_H

#include "cli/client/invoke.h"

struct set_wish {
    struct cli *cli;
    const char *project_id, *id;
    const char *const *answers; /* QUESTION=ANSWER; with one question, the answer alone */
    size_t count;
    bool approve, reject, dismiss, rest_unanswered;
};

/* The caller json_decrefs it. */
CHECKED bool set_read(struct cli *cli, const char *project_id, const char *set_id, json_t **set,
                      struct err *err);
/* `set` as set_read gave it. Says what became of it; the exit code. One that is settled is not asked about.
 */
int resolve_set(const struct set_wish *wish, const json_t *set);

#endif
