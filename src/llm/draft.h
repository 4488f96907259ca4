/*
 * draft.h - a reply while it is being written: what a provider's events add to.
 *
 * Text runs through the stop sequences (stops.h) and out to whoever listens. The first failure stays.
 *
 * Thread: the loop's.
 */
#ifndef LLM_DRAFT_H
#define LLM_DRAFT_H

#include "base/buf.h"
#include "base/json.h"
#include "llm/llm.h"
#include "llm/stops.h"

struct draft_tool {
    struct buf id, name, arguments;
};

struct draft {
    struct stops stops;
    struct buf text; /* what passed the stops */
    bool ended;      /* the text is whole */
    bool over;       /* nothing more will come, not even counts of tokens */
    bool enough;     /* whoever listens wants no more */
    enum llm_finish finish;
    struct llm_usage usage;
    struct draft_tool *tools;
    size_t tool_count;
    size_t tool_bytes; /* of all tools together */
    enum llm_kind kind;
    char words[320];
    bool (*delta)(void *user, const char *text, size_t len); /* false: enough; or NULL */
    void *user;
};

/* The draft must not move afterwards. Its stops are set up by the caller. */
void draft_init(struct draft *draft, bool (*delta)(void *user, const char *text, size_t len), void *user);
void draft_done(struct draft *draft);
/* Everything is void; another attempt begins. */
void draft_reset(struct draft *draft);

/* Each returns whether there may be more; false also means a stop sequence, or that something is wrong. */
bool draft_text(struct draft *draft, const char *text, size_t len);
/* Adds to the tool call with this number, as providers count them. NULL adds nothing. */
bool draft_tool(struct draft *draft, size_t number, const char *id, const char *name, const char *arguments);
bool draft_fail(struct draft *draft, enum llm_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void draft_finish(struct draft *draft, enum llm_finish finish);
/* Token counts as they are reported; what is no number above 0 was not counted. */
void draft_usage(struct draft *draft, const json_t *input, const json_t *output);
/* The end: what was held back comes out. */
void draft_close(struct draft *draft);
/* Whether anything of it is worth keeping. */
bool draft_is_empty(const struct draft *draft);
/* The tool calls, in the arena. */
const struct llm_tool_call *draft_tool_calls(const struct draft *draft, struct arena *arena);

#endif
