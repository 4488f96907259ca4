/*
 * naming.h - what things are called, by their ids.
 *
 * Lists that hold ids of many kinds of things (the audit log, notifications) have a page of them named at
 * once. A name is what the thing is called now, not what it was called when the row was written: so whoever
 * was erased or renamed is not found here under an old name. A thing that is gone, or of another workspace,
 * has none.
 */
#ifndef CORE_SEARCH_NAMING_H
#define CORE_SEARCH_NAMING_H

#include "base/words.h"
#include "core/caller/tx.h"

enum named_kind {
    NAMED_QUESTION = 1,
    NAMED_JOB,
    NAMED_DISCUSSION, /* also for one of its turns that is open */
    NAMED_PROMPT,
    NAMED_CHAT,
    NAMED_PROJECT,
    NAMED_TASK,
    NAMED_SET,
    NAMED_DECISION,
    NAMED_FEEDBACK,
    NAMED_AGENT,
    NAMED_TEMPLATE,
    NAMED_TOKEN,
    NAMED_USER,
    NAMED_WORKSPACE,
    NAMED_END,
};
WORDS_OF(named_kind, named_kinds);

struct named {
    enum named_kind kind;   /* 0: nothing is known about it */
    const char *id;         /* by which it is opened: of a turn, its discussion's */
    const char *name;       /* the beginning of its text */
    const char *project_id; /* where it belongs, or NULL */
};

/* One for each id, in their order; an id may be NULL, or stand there twice. */
CHECKED bool naming_find(const struct tx *tx, const char *workspace_id, const char *const ids[], size_t count,
                         struct named **named);

#endif
