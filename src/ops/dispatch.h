/*
 * dispatch.h - runs operations for every door.
 *
 * A door fills in a request (operation, raw input bound or its binding error, credentials) and submits it.
 * Input that is too large to be bound on the door's thread is left to `bind`, which runs on a worker once the
 * caller may make this call at all. The dispatcher runs .before on a worker if there is one, then the
 * operation in a transaction: who calls, may they, is the input right, has this been done before
 * (Idempotency-Key), the handler, the audit row, the stored reply. A read that meets an overdue row (ERR_DUE)
 * has the deadlines applied on the writer first and is then run once more.
 *
 * Thread: dispatch_submit never blocks and may call `finished` before it returns (quick reads); otherwise
 * finished runs once on a store thread.
 */
#ifndef OPS_DISPATCH_H
#define OPS_DISPATCH_H

#include "db/store.h"
#include "ops/op.h"

struct request {
    const struct op *op;
    struct credentials credentials;
    const char *idempotency_key; /* or NULL */
    bool key_while_open;         /* only as long as what was asked under it is open */
    const char *body;            /* the raw body, for the idempotency hash; or NULL */
    size_t body_len;
    void (*bind)(struct request *request); /* fills in the arguments, or bind_err; NULL: the door did */
    void *input;                           /* for `bind` */
    const char *speaker; /* who speaks where the arguments do not say it and no agent's token does; or NULL */
    struct err bind_err; /* code != ERR_NONE: the input was wrong; said after the caller is known */
    struct call call;    /* door, remote, request_id, args, arena are the door's to fill */
    struct buf reply;    /* JSON of the reply, or of nothing when it failed */
    bool replayed;       /* the stored reply of an earlier, identical request */
    bool here;           /* the calling thread may run quick reads itself */
    bool was_let_in;     /* a look of a wait whose first look was let in */
    /* For rows with .limit_logins, between .fetch and .before: may they try? NULL: always. */
    bool (*admit_login)(struct request *request, struct err *err);
    /* For rows that write, once the caller is known: may they store this much? Takes nothing. NULL: always.
     */
    bool (*admit_write)(struct request *request, struct err *err);
    void (*finished)(struct request *request);
    void *user;

    struct store *store; /* the dispatcher's */
    struct work work;    /* the dispatcher's */
    int due_rounds;      /* the dispatcher's */
    bool due_more;       /* the dispatcher's */
};

void dispatch_submit(struct store *store, struct request *request);
/*
 * Only finds out who calls and whether they may make this call, whatever its arguments are; `finished`
 * follows on a store thread, with the answer in call.err.
 */
void dispatch_knock(struct store *store, struct request *request);
/* Runs one request on a connection that is already in a transaction, without .fetch and .before: for tests
 * and tools. */
bool dispatch_run(struct db *db, struct request *request);

/* The error as JSON: {"error","code","field"?,"hint"?,...detail}. */
void dispatch_write_error(const struct err *err, struct buf *into);

#endif
