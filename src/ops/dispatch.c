#include "ops/dispatch.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/deadline.h"
#include "core/idempotency.h"
#include "core/link.h"
#include "ops/asking.h"
#include "ops/openapi.h"
#include "ops/reach.h"
#include "ops/refusals.h"
#include "ops/touch.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define AUDIT_TEXT     512 /* longer texts are cut in the audit row; the row itself has them whole */
#define DUE_ROUNDS_MAX 24  /* more than a second, with the pauses between them */
#define DUE_PAUSE_MAX  64  /* milliseconds */

static struct request *request_of(struct work *work)
{
    return (struct request *)((char *)work - offsetof(struct request, work));
}

static struct work work_of(const struct request *request, bool (*run)(struct db *db, struct work *work),
                           void (*done)(struct work *work))
{
    return (struct work){ .run = run, .done = done, .caller = request->credentials.key };
}

/* Who may is decided by the row alone; handlers never ask. */
static bool authorise(const struct op *op, const struct caller *caller, struct err *err)
{
    if (op->needs & ROLE_ANYONE)
        return true;
    if (op->needs & (unsigned)caller->role)
        return reach_row(op, caller, err);
    if (caller->kind == CALLER_NOBODY) {
        err_set(err, ERR_UNAUTHORIZED, "This needs a token or a login.");
        return err_hint(err, "Send \"Authorization: Bearer TOKEN\"; make a token with `witan token create`.");
    }
    if (caller->agent_name)
        return err_set(err, ERR_FORBIDDEN,
                       "This token is bound to the agent %s and may do what agents may, not this (%s).",
                       caller->agent_name, op->name);
    return err_set(err, ERR_FORBIDDEN, "The role %s may not do this (%s).", role_name(caller->role),
                   op->name);
}

/*
 * A link is for one thing and judged by itself, whoever else its holder may be. One that has ended is as
 * none: browsers keep its cookie. False only when the store failed.
 */
static bool identify_by_link(struct db *db, struct request *request, struct err *ended)
{
    struct call *call = &request->call;
    const struct credentials *shown = &request->credentials;

    call->caller = (struct caller){ 0 };
    return !request->op->by_link || !shown->visit || shown->bearer ||
           link_caller(db, call->arena, shown->visit, shown->visit_id, call->now_ms, &call->caller, ended) ||
           ended->code == ERR_UNAUTHORIZED;
}

/* What anyone may do is not barred to those whose old session or token has ended: they are nobody. */
static bool identify(struct db *db, struct request *request)
{
    struct call *call = &request->call;
    struct err ended = { 0 };

    if (!identify_by_link(db, request, &ended)) {
        call->err = ended;
        return false;
    }
    if (call->caller.kind == CALLER_LINK)
        return true;
    if (caller_identify(db, call->arena, &request->credentials, call->now_ms, &call->caller, &call->err) &&
        (ended.code == ERR_NONE || call->caller.kind != CALLER_NOBODY))
        return true;
    if (ended.code != ERR_NONE) {
        call->err = ended;
        return false;
    }
    if (!(call->op->needs & ROLE_ANYONE) || call->err.code != ERR_UNAUTHORIZED)
        return false;
    call->err = (struct err){ 0 };
    call->caller = (struct caller){ 0 };
    return true;
}

/* By default the audit row names what the path named. */
static const char *default_subject(const struct call *call)
{
    for (size_t i = 0; call->op->params[i].type; i++)
        if (call->args[i].text && op_param_place(call->op, &call->op->params[i]) == IN_PATH)
            return call->args[i].text;
    return NULL;
}

/* May they make this call at all, whatever they say in it. */
static bool know_caller(struct db *db, struct request *request)
{
    struct call *call = &request->call;

    call->op = request->op;
    call->db = db;
    call->now_ms = clock_now_ms();
    call->err = (struct err){ 0 };
    call->subject = default_subject(call);
    return identify(db, request) &&
           (call->caller.kind == CALLER_LINK || authorise(call->op, &call->caller, &call->err));
}

/* The caller is known before anything is said about the input: a stranger learns nothing from errors. */
static bool admit(struct db *db, struct request *request)
{
    struct call *call = &request->call;

    if (!know_caller(db, request))
        return false;
    if (call->op->kind == OP_WRITE && request->admit_write && !request->admit_write(request, &call->err))
        return false;
    if (request->bind_err.code != ERR_NONE) {
        call->err = request->bind_err;
        return false;
    }
    if (call->caller.kind == CALLER_LINK && !str_equal(arg_text(call, "id"), request->credentials.visit_id)) {
        err_set(&call->err, ERR_UNAUTHORIZED, "This link is not good for this question.");
        return false;
    }
    return reach_thing(call, &call->err);
}

static const char *path_values(const struct call *call)
{
    const char *values = "";

    for (size_t i = 0; call->op->params[i].type; i++)
        if (call->args[i].text && op_param_place(call->op, &call->op->params[i]) == IN_PATH)
            values = arena_format(call->arena, "%s/%s", values, call->args[i].text);
    return values;
}

static void audit_value(struct json_out *out, const struct field *field, const struct arg *value)
{
    switch (field->type) {
    case T_INT: json_int(out, field->name, value->number); break;
    case T_TIME: json_time(out, field->name, value->number); break;
    case T_REAL: json_double(out, field->name, value->real); break;
    case T_BOOL: json_bool(out, field->name, value->number != 0); break;
    case T_OBJECT:
    case T_LIST:
    case T_JSON: json_value(out, field->name, value->json); break;
    default: json_text_len(out, field->name, value->text, str_fitting(value->text, AUDIT_TEXT)); break;
    }
}

static const char *audit_params(const struct call *call)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    for (size_t i = 0; call->op->params[i].type; i++)
        if (call->args[i].given && !(call->op->params[i].flags & F_SECRET))
            audit_value(&out, &call->op->params[i], &call->args[i]);
    json_map_end(&out);
    return arena_copy(call->arena, text.bytes, text.len);
}

static bool append_audit(struct call *call)
{
    const struct caller *caller = &call->caller;
    struct audit_entry entry = {
        .workspace_id = caller->workspace_id ? caller->workspace_id : DEFAULT_WORKSPACE_ID,
        .actor_kind = caller_kind_name(caller->kind),
        .actor_id = caller->id,
        .actor = caller->name ? caller->name : "nobody",
        .operation = call->op->name,
        .subject = call->subject,
        .door = call->door,
        .remote = call->remote,
        .request_id = call->request_id,
        .detail = call->audit_detail ? call->audit_detail : audit_params(call),
        .at_ms = call->now_ms,
    };

    return audit_append(call->db, call->arena, &entry, &call->err);
}

static bool run_op(struct request *request)
{
    struct call *call = &request->call;

    buf_clear(&request->reply);
    json_begin(&call->out, &request->reply);
    call->status = call->op->status ? call->op->status : 200;
    call->ended = false;
    call->more_after = call->more_left = 0;
    call->audit_detail = call->question_id = call->prompt_id = NULL;
    memset(call->cookies, 0, sizeof(call->cookies));
    call->subject = default_subject(call);
    return call->op->run(call);
}

/* The argument that says how long a page may be, of a row that lists by pages; NULL for the others. */
static struct arg *page_limit(struct call *call)
{
    struct arg *limit = NULL;
    bool cursor = false;

    if (call->op->kind != OP_READ)
        return NULL;
    for (size_t i = 0; call->op->params[i].type; i++) {
        if (call->op->params[i].type == T_CURSOR)
            cursor = true;
        else if (strcmp(call->op->params[i].name, "limit") == 0)
            limit = &call->args[i];
    }
    return cursor ? limit : NULL;
}

/*
 * A page ends at its limit or when it is large, whichever comes first, for every list alike: one that has
 * become too large is read again with fewer entries, and its cursor leads on to the rest. One entry is shown
 * however large it is.
 */
static bool run_page(struct request *request, struct arg *limit)
{
    int64_t wanted = limit->number;
    bool good;

    while ((good = run_op(request)) && limit->number > 1 &&
           (request->reply.full || request->reply.len > LIMIT_PAGE_BYTES)) {
        int64_t fits = limit->number * LIMIT_PAGE_BYTES / (int64_t)(request->reply.len + 1);

        if (fits >= limit->number || request->reply.full)
            fits = limit->number / 2;
        limit->number = fits > 1 ? fits : 1;
    }
    limit->number = wanted;
    return good;
}

static bool run_handler(struct request *request)
{
    struct call *call = &request->call;
    struct arg *limit = page_limit(call);

    if (limit ? !run_page(request, limit) : !run_op(request))
        return false;
    if (request->reply.full)
        return err_set(&call->err, ERR_TOO_LARGE, "The reply is too large; ask for a smaller page.");
    return call->op->kind == OP_READ || call->op->no_audit || append_audit(call);
}

static bool run_once(struct request *request)
{
    struct call *call = &request->call;
    struct idempotency_reply before = { 0 };
    struct idempotency claim = {
        .workspace_id = call->caller.workspace_id,
        .caller = call->caller.id,
        .operation = call->op->name,
        .key = request->idempotency_key,
        .body_hash = idempotency_hash(call->arena, request->body, request->body_len, path_values(call)),
    };

    if (!idempotency_claim(call->db, call->arena, &claim, call->now_ms, &before, &call->err))
        return false;
    if (before.found) {
        buf_clear(&request->reply);
        buf_text(&request->reply, before.body);
        call->status = before.status;
        request->replayed = true;
        return true;
    }
    if (!run_handler(request))
        return false;
    claim.question_id = call->question_id;
    claim.prompt_id = call->prompt_id;
    return idempotency_keep(call->db, call->arena, &claim, call->status,
                            call->op->secret_reply ? NULL : request->reply.bytes, &call->err);
}

static bool wants_idempotency(const struct request *request)
{
    return request->idempotency_key && request->op->kind == OP_WRITE &&
           request->call.caller.kind != CALLER_NOBODY && str_starts(request->op->http, "POST ");
}

bool dispatch_run(struct db *db, struct request *request)
{
    request->replayed = false;
    if (!admit(db, request))
        return false;
    return wants_idempotency(request) ? run_once(request) : run_handler(request);
}

static void finish(struct request *request)
{
    struct err *err = &request->call.err;

    /* These two are between us and the store; a caller can only try again. */
    if (err->code == ERR_DUE || err->code == ERR_RETRY)
        err_set(err, ERR_UNAVAILABLE, "The server is busy. Try again.");
    touch_caller(request->store, &request->call.caller, request->call.now_ms);
    asking_note(request);
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

/* One batch, so that a long list of overdue rows never keeps others from the writer. */
static bool apply_due(struct db *db, struct work *work)
{
    struct request *request = request_of(work);
    size_t ended = 0;

    if (db->engine == DB_POSTGRES)
        pause_before_round(request->due_rounds);
    if (!deadline_apply(db, request->call.arena, clock_now_ms(), DEADLINE_BATCH, &ended, &work->err))
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
        request->due_rounds++;
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

static void run_done(struct work *work)
{
    struct request *request = request_of(work);

    request->call.err = work->err;
    if (work->err.code == ERR_DUE && request->due_rounds < DUE_ROUNDS_MAX)
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

    if (admit(db, request) && (!request->op->fetch || request->op->fetch(&request->call)))
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

    if (know_caller(db, request))
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
