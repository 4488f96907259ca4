/*
 * A request is moved from one unit of work to the next (knock, bind, fetch, before, run, due, run again), and
 * each `done` decides what follows: never by waiting. Steps that a row does not need are left out, so that a
 * point read goes straight to its run on the thread that brought it.
 */
#include "ops/dispatch.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/search/search.h"
#include "core/upkeep/deadline.h"
#include "ops/ask_errors.h"
#include "ops/perform.h"
#include "ops/refusals.h"
#include "ops/token_use.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#define DUE_ROUNDS    24 /* at least: more than a second, with the pauses between them */
#define DUE_PAUSE_MAX 64 /* milliseconds */

static struct request *request_of(struct work *work)
{
    return (struct request *)((char *)work - offsetof(struct request, work));
}

static struct work work_of(const struct request *request, bool (*run)(struct db *db, struct work *work),
                           void (*done)(struct work *work))
{
    return (struct work){ .run = run, .done = done, .caller = request->credentials.key };
}

static void finish(struct request *request)
{
    struct err *err = &request->call.err;

    /* These two are between us and the store; a caller can only try again. */
    if (err->code == ERR_DUE || err->code == ERR_RETRY) {
        err_set(err, ERR_UNAVAILABLE, "The server is busy. Try again.");
        err->retry_after_s = 1;
    }
    token_use_note(request->store, &request->call.caller, request->call.tx.now_ms);
    ask_errors_note(request);
    refusals_note(request);
    request->finished(request);
}

static bool run_work(struct db *db, struct work *work)
{
    struct request *request = request_of(work);

    if (dispatch_run(db, request))
        return true;
    work->err = request->call.err;
    return false;
}

/*
 * On PostgreSQL the overdue row may be in the hands of another transaction, which is about to end it: the
 * timer's, or another node's. It is passed over here, so the next look comes a moment later. The one writer
 * of SQLite never meets that, and never pauses.
 */
static void pause_before_round(int round)
{
    long ms = round < 2 ? 0 : round < 8 ? 1L << (round - 1) : DUE_PAUSE_MAX;

    if (ms > 0)
        nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/*
 * One batch, so that a long list of overdue rows never keeps others from the writer. Words that a search is
 * to find are overdue, too.
 */
static bool apply_due(struct db *db, struct work *work)
{
    struct request *request = request_of(work);
    size_t ended = 0, taken_in = 0;

    if (db->engine == DB_POSTGRES)
        pause_before_round(request->due_rounds);
    struct tx tx = tx_of(db, request->call.tx.arena, clock_now_ms(), &work->err);

    if (!deadline_apply(&tx, DEADLINE_BATCH, &ended) || !search_sweep(&tx, SEARCH_BATCH_ASKED, &taken_in))
        return false;
    request->due_more = ended >= DEADLINE_BATCH; /* a job's questions end together, so it may be more */
    return true;
}

static void submit_run(struct store *store, struct request *request);
static void submit_due(struct request *request);

static void due_done(struct work *work)
{
    struct request *request = request_of(work);

    if (work->err.code != ERR_NONE) {
        request->call.err = work->err;
        finish(request);
    } else if (request->due_more) {
        submit_due(request);
    } else {
        request->call.due_rounds = ++request->due_rounds;
        submit_run(request->store, request);
    }
}

/* The read met something overdue: end it first, on the writer, then read again. */
static void submit_due(struct request *request)
{
    request->work = work_of(request, apply_due, due_done);
    if (!store_write(request->store, &request->work, &request->call.err))
        finish(request);
}

/* Whoever has it in hand is waited for as one waits for one's turn. */
static int due_rounds_max(void)
{
    int64_t pauses = settings()->store_wait_ms / DUE_PAUSE_MAX;

    return pauses > DUE_ROUNDS ? (int)pauses : DUE_ROUNDS;
}

static void run_done(struct work *work)
{
    struct request *request = request_of(work);

    request->call.err = work->err;
    if (work->err.code == ERR_DUE && request->due_rounds < due_rounds_max())
        submit_due(request);
    else
        finish(request);
}

static void submit_run(struct store *store, struct request *request)
{
    bool write = request->op->kind == OP_WRITE && request->bind_err.code == ERR_NONE;

    request->work = work_of(request, run_work, run_done);
    request->work.heavy = request->op->heavy;
    if (request->op->quick && request->here && store_can_read_here(store)) {
        request->here = false; /* a second run comes from a store thread */
        store_read_here(store, &request->work);
        run_done(&request->work);
        return;
    }
    if (write ? !store_write(store, &request->work, &request->call.err)
              : !store_read(store, &request->work, &request->call.err))
        finish(request);
}

static bool before_work(struct db *db, struct work *work)
{
    struct request *request = request_of(work);

    (void)db;
    if (request->op->before(&request->call))
        return true;
    work->err = request->call.err;
    return false;
}

static void before_done(struct work *work)
{
    struct request *request = request_of(work);

    if (work->err.code == ERR_NONE) {
        submit_run(request->store, request);
        return;
    }
    request->call.err = work->err;
    finish(request);
}

static bool fetch_work(struct db *db, struct work *work)
{
    struct request *request = request_of(work);

    if (perform_admit(db, request) && (!request->op->fetch || request->op->fetch(&request->call)))
        return true;
    work->err = request->call.err;
    return false;
}

/* Whose turn a password takes: of one who is known, of the address, of a caller. */
static uint64_t turn_of(const struct call *call)
{
    char address[ADDRESS_KEY_SIZE];

    if (call->tried.own)
        return str_hash(call->tried.own);
    if (call->caller.id)
        return str_hash(call->caller.id);
    address_key(call->remote ? call->remote : "", address);
    return str_hash(address);
}

static void submit_before(struct request *request)
{
    struct work *work = &request->work;
    struct err *err = &request->call.err;

    *work = work_of(request, before_work, before_done);
    if (request->op->hashes ? !store_hash(request->store, work, turn_of(&request->call), err)
                            : !store_compute(request->store, work, err))
        finish(request);
}

static void fetch_done(struct work *work)
{
    struct request *request = request_of(work);

    if (work->err.code != ERR_NONE) {
        request->call.err = work->err;
        finish(request);
        return;
    }
    if (request->op->limit_logins && request->admit_login &&
        !request->admit_login(request, &request->call.err))
        finish(request);
    else
        submit_before(request);
}

/* Costly steps come after the caller has been admitted, so that strangers cannot make the server work. */
static void submit_fetch(struct store *store, struct request *request)
{
    request->work = work_of(request, fetch_work, fetch_done);
    if (!store_read(store, &request->work, &request->call.err))
        finish(request);
}

/* An empty key is refused rather than ignored: whoever sends one believes to be safe from repeats. */
static void check_key(const char *key, struct err *err)
{
    size_t len = strlen(key);

    if (len == 0 || len > LIMIT_IDEMPOTENCY_KEY)
        (void)err_set(err, ERR_INVALID, "Idempotency-Key must have 1 to %d bytes.", LIMIT_IDEMPOTENCY_KEY);
    else if (!str_is_utf8(key, len))
        (void)err_set(err, ERR_INVALID, "Idempotency-Key must be valid UTF-8.");
}

static void submit_bound(struct request *request)
{
    if (request->op->before && request->bind_err.code == ERR_NONE)
        submit_fetch(request->store, request);
    else
        submit_run(request->store, request);
}

static bool bind_work(struct db *db, struct work *work)
{
    struct request *request = request_of(work);

    (void)db;
    request->bind(request);
    return true;
}

static void bind_done(struct work *work)
{
    submit_bound(request_of(work));
}

static void submit_bind(struct request *request)
{
    request->work = work_of(request, bind_work, bind_done);
    if (!store_compute(request->store, &request->work, &request->call.err))
        finish(request);
}

static bool knock_work(struct db *db, struct work *work)
{
    struct request *request = request_of(work);

    if (perform_know(db, request))
        return true;
    work->err = request->call.err;
    return false;
}

static void knock_done(struct work *work)
{
    struct request *request = request_of(work);

    request->call.err = work->err;
    if (work->err.code == ERR_NONE)
        submit_bind(request);
    else
        finish(request);
}

static void knock_only_done(struct work *work)
{
    struct request *request = request_of(work);

    request->call.err = work->err;
    request->finished(request);
}

static void submit_knock(struct request *request, void (*done)(struct work *work))
{
    request->work = work_of(request, knock_work, done);
    if (!store_read(request->store, &request->work, &request->work.err))
        done(&request->work);
}

void dispatch_knock(struct store *store, struct request *request)
{
    request->store = store;
    request->call.op = request->op;
    submit_knock(request, knock_only_done);
}

void dispatch_submit(struct store *store, struct request *request)
{
    request->store = store;
    request->due_rounds = 0;
    request->call.op = request->op;
    if (request->idempotency_key && request->bind_err.code == ERR_NONE)
        check_key(request->idempotency_key, &request->bind_err);
    if (!request->bind || request->bind_err.code != ERR_NONE)
        submit_bound(request);
    else
        submit_knock(request, knock_done);
}

void dispatch_write_error(const struct err *err, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "error", err_for_callers(err));
    json_text(&out, "code", err_name(err));
    if (err->field[0])
        json_text(&out, "field", err->field);
    if (err->hint[0])
        json_text(&out, "hint", err->hint);
    if (err->detail) {
        buf_char(into, ',');
        buf_text(into, err->detail);
    }
    json_map_end(&out);
}
