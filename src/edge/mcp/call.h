/*
 * call.h - one request of an MCP client, from its message to its answer.
 *
 * Every method is run for a caller that is known: those that need no operation of the table ask first whether
 * the caller may read here at all (call_know), and go on in `then`, on a store thread. A method that runs an
 * operation binds the arguments by name and submits it (call_run). Both end in call_result or call_fail,
 * which free the call.
 */
#ifndef EDGE_MCP_CALL_H
#define EDGE_MCP_CALL_H

#include "edge/mcp/mcp.h"
#include "edge/mcp/outlet.h"
#include "edge/mcp/seal.h"
#include "edge/parking.h"

#include <stdatomic.h>

#define MCP_HOLD_S 50 /* clients give up after a minute */

struct mcp_tool;
struct followers;

struct mcp {
    struct edge *edge;
    struct outlets outlets;
    struct ended_sessions ended;
    struct seal_key key;
    struct wait_door waits;
    struct followers *followers; /* under the lock of outlets */
    pthread_mutex_t spare_lock;
    struct mcp_call *spares; /* kept for the next requests */
    size_t spare_count;
};

struct mcp_call {
    struct mcp_call *next; /* while it is spare */
    struct mcp *mcp;
    struct outlet *outlet;
    struct arena arena;
    json_t *tree;   /* the message, or NULL for a look on behalf of a wait */
    size_t charged; /* of the budget, for the tree */
    size_t body_len;
    struct rpc_message message;
    struct rpc_error error;
    struct peer client;
    struct request request;
    struct parking parking;
    bool submitted; /* something has been, so that the exchange is or will be parked */
    struct work work;
    bool parsed;
    void (*then)(struct mcp_call *call); /* once the operation has ended, with its outcome in request.call */
    const struct mcp_tool *tool;         /* of tools/call */
    json_t *args;        /* of the operation, or NULL; its members are given the row's spelling */
    json_t *own_args;    /* made here, or NULL */
    int64_t wait_s;      /* how long a tool may wait */
    const char *made;    /* the id of what a first operation made, or NULL */
    bool as_task;        /* the client gets a task if what it asked for takes time (tasks.h) */
    const char *task_id; /* the task that the request is about, or NULL */
    size_t list;         /* tasks/list: which of its lists */
    int64_t began_us;
    char remote[INET6_ADDRSTRLEN];
};

/* Without an exchange: a look on behalf of what waits there. */
struct mcp_call *call_new(struct mcp *mcp, struct http_exchange *exchange);
void call_free(struct mcp_call *call);
/* Gives back those that were kept. */
void call_free_spares(struct mcp *mcp);

/* Asks who calls, and whether they may read. */
void call_know(struct mcp_call *call, void (*then)(struct mcp_call *call));
/* What tells the caller, once known, from all others: the very credential, in this workspace. */
uint64_t call_owner(const struct mcp_call *call);
/* Makes the answer a stream of the caller's (outlet_open). */
void call_stream(struct mcp_call *call, int64_t tick_ms);
/* The session that the request names is the caller's own. False: call->error says that there is none. */
CHECKED bool call_owns_session(struct mcp_call *call);
/* Arguments that were made here, in place of those before; freed with the call. */
void call_own(struct mcp_call *call, json_t *args);
/* Binds the arguments by name and runs the operation. */
void call_run(struct mcp_call *call, const struct op *op, json_t *args, void (*then)(struct mcp_call *call));

/*
 * An answer. `result` is written between call_begin and call_result: call_begin opens the object, with
 * what every result of this version has.
 */
void call_begin(const struct mcp_call *call, struct json_out *out, struct buf *into);
/* With another resultType than "complete", which 2026-07-28 names. */
void call_begin_as(const struct mcp_call *call, const char *type, struct json_out *out, struct buf *into);
void call_result(struct mcp_call *call, struct json_out *out, struct buf *result);
/* The same without anything before it and behind it: a whole JSON object. */
void call_fail(struct mcp_call *call);
/* The outcome of an operation as an error of the protocol. */
void call_fail_with(struct mcp_call *call, const struct err *err);
/* A list's or a resource's: how long it may be kept, and by whom. 2026-07-28 only. */
void call_write_ttl(const struct mcp_call *call, struct json_out *out, int64_t ttl_ms, bool public);

/* The text parameter of this name; NULL and call->error: there is none. */
const char *call_text_param(struct mcp_call *call, const char *name);

#endif
