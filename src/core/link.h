/*
 * link.h - a one-time link to one question.
 *
 * Whoever holds it may look at that question and answer it once, without a login, with the right of the
 * person who made it and only as long as that person has it. The secret is told once; only its hash is kept.
 */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include "core/caller.h"
#include "db/db.h"

struct link {
    const char *secret;
    int64_t expires_ms;
};

/* ERR_NOT_FOUND without such a question, ERR_CONFLICT when it has ended, ERR_FORBIDDEN for agents. */
CHECKED bool link_create(struct db *db, struct arena *arena, const struct caller *caller,
                         const char *question_id, int64_t now_ms, struct link *link, struct err *err);
/* Who the holder of a link to this question is: kind CALLER_LINK. ERR_UNAUTHORIZED when it is not good. */
CHECKED bool link_caller(struct db *db, struct arena *arena, const char *secret, const char *question_id,
                         int64_t now_ms, struct caller *caller, struct err *err);
/* A link answers once. ERR_CONFLICT the second time. */
CHECKED bool link_use(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
                      struct err *err);
/* Forgets links that expired before `before_ms`, at most `limit`. */
CHECKED bool link_prune(struct db *db, struct arena *arena, int64_t before_ms, size_t limit, size_t *pruned,
                        struct err *err);

#endif
