/*
 * link.h - a one-time link to one question.
 *
 * Its holder may look at that question and answer it once, without a login, with the right of the
 * person who made it and only as long as that person has it. It lives as long as its question is open and
 * has not been answered with it; whoever had opened it by then still hears what became of the answer they
 * send, and of the question they wait for (enum link_purpose). The secret is told once; only its hash is
 * kept.
 *
 * The secret of a link travels in mails and chats, where programs follow links before people do. So it opens
 * nothing by itself: it is exchanged (link_open) for the secret of a cookie, which stands for it in one
 * browser from then on.
 */
#ifndef CORE_QUESTIONS_LINK_H
#define CORE_QUESTIONS_LINK_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

struct link {
    const char *secret;
    int64_t expires_ms; /* with the question's deadline as it is now; 0: it has none */
};

/* ERR_NOT_FOUND without such a question, ERR_CONFLICT when it has ended, ERR_FORBIDDEN for agents. */
CHECKED bool link_create(const struct tx *tx, const char *question_id, struct link *link);
/*
 * Exchanges a link's secret for that of a cookie, in `visit`, as often as somebody likes; the latest
 * LIMIT_VISITS are good. Says who the holder is. ERR_UNAUTHORIZED when the link is not good.
 */
CHECKED bool link_open(const struct tx *tx, const char *secret, const char *question_id, const char **visit,
                       struct caller *caller);
/* What a cookie is shown for. */
enum link_purpose {
    LINK_LOOK,   /* to look at the question: while the link lives */
    LINK_HELD,   /* the same for a look that was let in then and has been held: also how it ended */
    LINK_ANSWER, /* to answer: also afterwards, since who comes too late is told so by the rules of answers */
};
/* Who the holder of such a cookie is: kind CALLER_LINK. ERR_UNAUTHORIZED when the link is not good any more.
 */
CHECKED bool link_caller(const struct tx *tx, const char *visit, const char *question_id,
                         enum link_purpose purpose, struct caller *caller);
/* A link answers once. ERR_UNAUTHORIZED the second time. */
CHECKED bool link_use(const struct tx *tx);
/* Forgets links to questions that have ended, some days later; looks at `limit` of them at most. */
CHECKED bool link_prune(const struct tx *tx, size_t limit, size_t *pruned);

#endif
