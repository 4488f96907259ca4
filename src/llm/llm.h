/*
 * llm.h - asking models.
 *
 * A request goes to one model; its text comes back in pieces as it is written, and then a result that says
 * how it ended. Behind that are lanes (a model has only so many calls in flight), retries with growing
 * pauses, stop sequences that are enforced here whatever the provider did, unless the caller does it, and
 * time-outs for each part of a call.
 *
 * Threads: llm_start and llm_cancel may be called from any thread. Callbacks run on the loop's (net/net.h)
 * and must not block. `done` comes exactly once for every request that was taken.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include "base/arena.h"
#include "base/err.h"
#include "llm/model.h"
#include "net/net.h"

struct llm;
struct lanes;

struct llm_tool_call {
    const char *id;        /* the provider's, or one of ours where it gives none */
    const char *name;      /* of the tool */
    const char *arguments; /* JSON text as the model wrote it */
    bool is_object;        /* of a result: whether that can be read, and is an object */
};

struct llm_message {
    const char *role; /* "system", "user", "assistant" or "tool" */
    const char *name; /* of the speaker, or NULL; sent where the provider has a place for it */
    const char *content;
    const struct llm_tool_call *tool_calls; /* of an assistant's message */
    size_t tool_call_count;
    const char *tool_call_id; /* which call a tool's message answers */
};

struct llm_tool {
    const char *name, *description;
    const char *schema; /* of its arguments: JSON text */
};

/* Why a call came to nothing. */
#define LLM_KINDS(X) \
    X(LLM_FINE, "ok")                     /* it did not */ \
    X(LLM_CANCELLED, "cancelled")         /* by llm_cancel, or the server stops */ \
    X(LLM_UNREACHABLE, "unreachable")     /* nobody answers there */ \
    X(LLM_WRONG_KEY, "wrong_key")         /* missing or refused */ \
    X(LLM_UNKNOWN_MODEL, "unknown_model") /* the provider does not have it */ \
    X(LLM_REFUSED, "refused")             /* the provider does not take the request */ \
    X(LLM_BUSY, "busy")                   /* too many requests, or the provider is in trouble */ \
    X(LLM_TOO_SLOW, "too_slow")           /* one of the time-outs */ \
    X(LLM_GARBLED, "garbled")             /* HTML, no JSON, or JSON that says nothing */ \
    X(LLM_BROKE_OFF, "broke_off")         /* before its end */ \
    X(LLM_FLOODED, "flooded")             /* more than a reply may be */ \
    X(LLM_NOT_ALLOWED, "not_allowed")     /* not http(s), a forbidden address, a redirect */ \
    X(LLM_FAILED, "failed")               /* on our side: a script or a key that cannot be read, no memory */

enum llm_kind {
#define X(kind, name) kind,
    LLM_KINDS(X)
#undef X
};
const char *llm_kind_name(enum llm_kind kind);

#define LLM_FINISHES(X) \
    X(LLM_FINISH_NONE, "none") /* it did not come to an end */ \
    X(LLM_FINISH_STOP, "stop") /* the model had said what it wanted, or came to a stop sequence */ \
    X(LLM_FINISH_CUT, "cut")   /* at a stop sequence, by us or as the provider says */ \
    X(LLM_FINISH_LENGTH, "length") \
    X(LLM_FINISH_TOOLS, "tools") /* it wants tools to be called */ \
    X(LLM_FINISH_FILTER, "filter") \
    X(LLM_FINISH_OTHER, "other")

enum llm_finish {
#define X(finish, name) finish,
    LLM_FINISHES(X)
#undef X
};
const char *llm_finish_name(enum llm_finish finish);

#define LLM_NOT_REPORTED (-1)

struct llm_usage {
    int64_t input, output; /* tokens, or LLM_NOT_REPORTED; never 0 for what was not said */
};

struct llm_result {
    enum llm_kind kind;
    const char *words; /* a sentence about what is wrong, for every reader: without the key and the URL of the
                          server; "" when nothing is */
    const char *text;  /* what came, also when it broke off */
    size_t text_len;
    enum llm_finish finish;
    struct llm_usage usage;
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    int attempts;     /* how often the provider was asked */
    int64_t again_ms; /* of one that is asked once and failed: worth another after so long; -1: it is not */
    int status;       /* of the last HTTP reply; 0: none */
    bool scripted;    /* no model spoke: say so wherever it is shown */
    bool stopped;     /* the provider ended it at a stop that it was sent, or may have: not all tell */
    int64_t first_ms; /* from leaving the queue to the first piece of text; -1: none came */
    int64_t whole_ms;
};

struct llm_request {
    const struct llm_model *model; /* the registry's, or the caller's until llm_start returns */
    const struct llm_message *messages;
    size_t message_count;
    const char *const *stops; /* all of them are enforced */
    size_t stop_count;
    bool keep_stops;  /* they are not sent */
    bool own_cutting; /* nor enforced, nor is a label cut: the caller cuts, and says when it has heard enough
                       */
    bool once;        /* no further attempts by ourselves */
    bool has_place;   /* the caller has one in the lanes, until `done`: it is asked at once */
    const struct llm_tool *tools;
    size_t tool_count;
    const char *speaker; /* whose label ("[Name]:", "Name:") is cut from the beginning, and who a script
                            knows; or NULL */
    int turn;            /* which of the speaker's turns this is, from 1: for scripts */
    const char *kind;    /* what is asked for instead of a turn, as ballot; NULL: a turn; for scripts */
};

struct llm_callbacks {
    /* More text. False: this was enough, and the call is ended as if at a stop. NULL: only the result is
     * wanted. */
    bool (*delta)(void *user, const char *text, size_t len);
    /* All text so far is void, another attempt begins. NULL: no other attempt once there was text. */
    void (*restart)(void *user);
    /* The result and what it points to are gone when this returns. */
    void (*done)(void *user, const struct llm_result *result);
    void *user;
};

struct llm *llm_open(struct net *net);
/* Where its requests wait, and all who ask for a place before they make one. */
struct lanes *llm_lanes(struct llm *llm);
/* Cancels what is under way, waits for the last `done`. Before net_close, and not from a callback. */
void llm_close(struct llm *llm);

/* Copies the request. False: it cannot be asked (too many wait, a key that is missing); `done` does not come.
 */
CHECKED bool llm_start(struct llm *llm, const struct llm_request *request,
                       const struct llm_callbacks *callbacks, uint64_t *id, struct err *err);
/* Closes its connection; `done` follows. Nothing happens when it has come already. */
void llm_cancel(struct llm *llm, uint64_t id);

/* Asks and waits for the result, which is copied into the arena. Not on the loop's thread. */
CHECKED bool llm_ask(struct llm *llm, const struct llm_request *request, struct arena *arena,
                     struct llm_result *result, struct err *err);

#endif
