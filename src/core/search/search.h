/*
 * search.h - finding things by the words in them.
 *
 * Questions, jobs, discussions, projects, tasks and agents are found by all of the words that somebody looks
 * for; the last may be the beginning of one. What is open comes first, then the newest. Triggers note what
 * was written (search_queue), search_sweep takes its words into the index (search_words), and a search that
 * comes before that says ERR_DUE, so that it has it done first: whoever has asked something finds it.
 */
#ifndef CORE_SEARCH_SEARCH_H
#define CORE_SEARCH_SEARCH_H

#include "base/limits.h"
#include "base/words.h"
#include "core/caller/tx.h"

enum search_kind {
    SEARCH_QUESTION = 1,
    SEARCH_JOB,
    SEARCH_DISCUSSION,
    SEARCH_PROJECT,
    SEARCH_TASK,
    SEARCH_AGENT,
    SEARCH_END,
};
WORDS_OF(search_kind, search_kinds);

struct search_filter {
    const char *text;
    enum search_kind kind;  /* 0: all */
    const char *project_id; /* or NULL: all that the caller sees */
    size_t limit;
    const char *cursor;
    bool as_it_is; /* whatever is not in the index yet */
};

struct search_hit {
    enum search_kind kind;
    const char *ref_id;     /* where it stands in the list */
    const char *id, *title; /* what it is called by; its text, or the beginning of it */
    const char *status;     /* as its kind calls it; NULL: it has none */
    const char *agent;      /* who asks or works; or NULL */
    const char *project_id, *project;
    bool open;
    int64_t created_ms;
};

struct search_page {
    struct search_hit *hits;
    size_t count;
    const char *next_cursor; /* NULL on the last */
    bool complete;           /* all that was written before is in the index */
};

/* ERR_DUE when words are to be taken in first, or a deadline has passed; ERR_INVALID for a strange cursor. */
CHECKED bool search_find(const struct tx *tx, const struct search_filter *filter, struct search_page *page);

#define SEARCH_WORDS_MAX (LIMIT_SEARCH_ASKED + 2) /* all that are asked for, a kind and a project */

/* What somebody looks for, as words of the index. */
struct search_words {
    const char *begun, *behind;          /* the beginning of a word, and what comes after all such; or NULL */
    const char *words[SEARCH_WORDS_MAX]; /* whole ones, NULL behind them; the first drives */
    size_t count;
};

/* False: there is no word in it. When the beginning of one is all there is, the first whole word is NULL. */
bool search_words_of(struct arena *arena, const char *text, struct search_words *asked);
/* ERR_DUE when words are to be taken in first, for lists that are narrowed by words. */
CHECKED bool search_is_ready(const struct tx *tx);
/* Takes in the words of up to `limit` things, the newest first; says how many. */
CHECKED bool search_sweep(const struct tx *tx, size_t limit, size_t *swept);
/* How many things wait for that: as many as it says or fewer, 0 when none does. */
CHECKED bool search_waiting(const struct tx *tx, size_t *waiting);

#endif
