/*
 * mcp_session.h - one conversation with one MCP server, whatever carries it.
 *
 * Messages come in (mcp_session_take), letters go out (host.send); time is the owner's as well. First the era
 * is found out: a server of 2026-07-28 answers server/discover and is then told with each request who asks;
 * any other one is greeted with initialize. Then its tools are listed, and calls can be made.
 *
 * A session that cannot go on sets `is_broken` and says `why`; its owner looks at that after each thing it
 * has told the session, ends it, and perhaps begins another.
 *
 * Thread: one at a time.
 */
#ifndef TOOLBOX_MCP_SESSION_H
#define TOOLBOX_MCP_SESSION_H

#include "base/limits.h"
#include "toolbox/mcp_content.h"
#include "toolbox/mcp_wire.h"

struct mcp_session;

/* One message that goes out. */
struct mcp_letter {
    const char *text;
    size_t len;
    int64_t request;            /* whose answer comes back on it; -1: none does */
    const char *method;         /* NULL: it is an answer */
    const char *name;           /* of the tool that is called, or NULL */
    const char *version;        /* of the protocol; NULL: it is not known yet */
    bool stateless;             /* headers repeat method and name */
    const char *const *headers; /* further ones; ends with NULL; or NULL */
};

/* A call of a tool, from the moment it is taken to its `done`. */
struct mcp_errand {
    struct mcp_errand *next, **link; /* in its session's list, or its owner's of those that wait */
    struct arena arena;
    uint64_t id;
    const char *name;      /* of the tool, as a model calls it */
    const char *digest;    /* that it must have; NULL: any */
    const char *tool;      /* what the server calls it; NULL: it is known when the server has listed it */
    const char *arguments; /* one line of JSON: an object */
    const char *schema;    /* of the arguments */
    struct tool_callbacks callbacks;
    int64_t began_ms, timeout_ms;
    int64_t deadline_ms;    /* 0: it stands still while somebody is asked for something */
    int64_t last_ms;        /* past which progress does not put it off */
    int64_t progress_at_ms; /* when progress was handed on last */
    int64_t request;        /* under way, or -1 */
    int rounds;
    struct mcp_asking *askings; /* what it has asked for, in this round */
    const char *state;          /* that goes with the next round, or NULL */
};

/* Why a request came to nothing where each has a connection of its own. */
enum mcp_loss {
    MCP_UNREACHED = 1, /* it cannot have been heard */
    MCP_REFUSED,       /* by its status */
    MCP_CUT_OFF,       /* its answer did not come, or not to its end */
    MCP_TOO_LARGE,
};

struct mcp_failure {
    enum mcp_loss loss;
    int status;       /* of HTTP; 0: none */
    bool in_session;  /* it went out with the id of a session */
    const char *why;  /* a sentence */
    const char *body; /* of what was refused */
    size_t body_len;
};

struct mcp_host {
    bool over_http; /* each request has a stream of its own */
    int64_t (*now_ms)(void);
    /* False: it cannot be sent, and the session is over. */
    bool (*send)(void *user, const struct mcp_letter *letter);
    /* Nobody waits for this answer any more: over HTTP its stream is closed. */
    void (*drop)(void *user, int64_t request);
    /* The call is over, and no longer the session's. */
    void (*ended)(void *user, struct mcp_errand *errand, const struct tool_result *result);
    void *user;
};

enum mcp_stage { MCP_PROBING = 1, MCP_GREETING, MCP_LISTING, MCP_TALKING };

struct mcp_session {
    struct mcp_host host;
    const struct mcp_setup *setup;
    enum mcp_stage stage;
    const char *version; /* NULL: not known yet */
    bool stateless;
    bool has_tools, tells_changes; /* as it says */
    bool listens;
    bool is_gone; /* the server has ended it: calls that are under way come to their ends, no new ones are
                     made */
    int64_t last_request, start_by_ms, greet_at_ms;
    struct mcp_pending *pending;
    struct mcp_errand *errands;
    struct mcp_errand *again; /* that the server has not heard: for the next session */
    struct mcp_listing *coming;
    int pages;
    struct mcp_listing *listed; /* a whole list, for the owner to take; or NULL */
    int64_t listed_at_ms, relist_at_ms, list_by_ms;
    uint64_t last_asking;
    /* Calls that were given up and that the server has not answered, the last of them: for a while it may
     * still ask something for them. */
    struct mcp_given_up {
        int64_t request, until_ms;
    } given_up[LIMIT_MCP_CALLS];
    size_t given_up_count;
    uint64_t strangers; /* messages that are none, or answer nobody */
    bool is_broken;
    char why[320];
};

/* The setup outlives the session. Sends the first letter. */
void mcp_session_begin(struct mcp_session *session, const struct mcp_setup *setup,
                       const struct mcp_host *host);
/* Ends all its calls in this way, and lets go of everything. */
void mcp_session_end(struct mcp_session *session, enum tool_end end, const char *why);

/* A message came; `stream`: on that of this request, -1 where all share one. */
void mcp_session_take(struct mcp_session *session, const char *text, size_t len, int64_t stream);
/* The stream of a request has ended. Nothing happens when its answer has come. */
void mcp_session_failed(struct mcp_session *session, int64_t request, const struct mcp_failure *failure);
/* When to call mcp_session_tick, as now_ms counts; INT64_MAX: not at all. */
int64_t mcp_session_due(const struct mcp_session *session);
void mcp_session_tick(struct mcp_session *session);

/* For a session that is talking (mcp_session_talks). The errand is the session's until it has ended. */
bool mcp_session_talks(const struct mcp_session *session);
void mcp_session_call(struct mcp_session *session, struct mcp_errand *errand);
void mcp_session_cancel(struct mcp_session *session, struct mcp_errand *errand);
void mcp_session_answer(struct mcp_session *session, struct mcp_errand *errand, const char *elicitation,
                        enum tool_answer answer, const char *content);

/* Between mcp_session.c and mcp_calls.c. */

enum mcp_purpose { MCP_FOR_PROBE = 1, MCP_FOR_GREETING, MCP_FOR_LIST, MCP_FOR_CALL, MCP_FOR_CHANGES };

/* A request of ours that has no answer yet. */
struct mcp_pending {
    struct mcp_pending *next;
    int64_t request;
    enum mcp_purpose purpose;
    struct mcp_errand *errand;
};

int64_t mcp_new_request(struct mcp_session *session, enum mcp_purpose purpose, struct mcp_errand *errand);
/* Takes it out; false: it is not there. */
CHECKED bool mcp_take_pending(struct mcp_session *session, int64_t request, struct mcp_pending *taken);
void mcp_post_letter(struct mcp_session *session, const struct buf *text, struct mcp_letter letter);
/* An answer came for one that was given up; false: none such is known. */
bool mcp_late_answer(struct mcp_session *session, int64_t request);
/* Sets is_broken, unless it is; the first reason counts. */
void mcp_break(struct mcp_session *session, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Breaks one that is gone, once nothing of it is under way. */
void mcp_leave_if_gone(struct mcp_session *session);

void mcp_call_answered(struct mcp_session *session, struct mcp_errand *errand,
                       const struct mcp_message *message);
void mcp_call_failed(struct mcp_session *session, struct mcp_errand *errand,
                     const struct mcp_failure *failure);
void mcp_call_progress(struct mcp_session *session, const json_t *params);
/* elicitation/create of a server up to 2025-11-25. */
void mcp_call_asks(struct mcp_session *session, const struct mcp_message *message, int64_t stream);
/* It no longer wants to know. */
void mcp_call_withdraws(struct mcp_session *session, const json_t *id);
void mcp_calls_tick(struct mcp_session *session, int64_t now_ms);
void mcp_errand_end(struct mcp_session *session, struct mcp_errand *errand, enum tool_end end,
                    const char *text);
void mcp_errand_free(struct mcp_errand *errand);

#endif
