/*
 * The order of the steps is the promise: the caller before the input, the input before the effect, the effect
 * before the audit row, all in one transaction that may be run again. Everything a run has set is therefore
 * set anew at its start (run_op). Pages are cut here for every list alike, by running the handler again with
 * a smaller limit and without what the run before has read.
 */
#include "ops/perform.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/log/audit.h"
#include "core/log/idempotency.h"
#include "core/questions/link.h"
#include "ops/reach.h"

#include <stdio.h>
#include <string.h>

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
        return err_set(
            err, ERR_FORBIDDEN,
            "This token is bound to the agent %s so it may do only what agents may, and not this (%s).",
            caller->agent_name, op->name);
    return err_set(err, ERR_FORBIDDEN, "The role %s may not do this (%s).", role_name(caller->role),
                   op->name);
}

/*
 * A link is for one thing and judged by itself, whoever else its holder may be. One that has ended is as
 * none: browsers keep its cookie. False only when the store failed.
 */
static bool identify_by_link(struct request *request, enum link_purpose purpose, struct err *ended)
{
    struct call *call = &request->call;
    const struct credentials *shown = &request->credentials;
    struct tx looking = tx_with_err(&call->tx, ended);

    call->caller = (struct caller){ 0 };
    return !request->op->by_link || !shown->visit || shown->bearer ||
           link_caller(&looking, shown->visit, shown->visit_id, purpose, &call->caller) ||
           ended->code == ERR_UNAUTHORIZED;
}

/*
 * Nobody but the holder of a link that has ended: nothing is shown to them any more, but how that ended which
 * they were waiting for, and what becomes of the answer that they send.
 */
static bool identify_by_ended_link(struct request *request)
{
    struct call *call = &request->call;
    enum link_purpose purpose = request->op->kind == OP_WRITE ? LINK_ANSWER
                                : request->was_let_in         ? LINK_HELD
                                                              : LINK_LOOK;
    struct err ended = { 0 };
    bool looked = identify_by_link(request, purpose, &ended);

    call->err = ended;
    return looked && call->caller.kind == CALLER_LINK;
}

/* What anyone may do is not barred to those whose old session or token has ended: they are nobody. */
static bool identify(struct request *request)
{
    struct call *call = &request->call;
    struct err ended = { 0 };

    if (!identify_by_link(request, LINK_LOOK, &ended)) {
        call->err = ended;
        return false;
    }
    if (call->caller.kind == CALLER_LINK)
        return true;
    if (caller_identify(&call->tx, &request->credentials, &call->caller) &&
        (ended.code == ERR_NONE || call->caller.kind != CALLER_NOBODY))
        return true;
    if (ended.code != ERR_NONE)
        return identify_by_ended_link(request);
    if (!(call->op->needs & ROLE_ANYONE) || call->err.code != ERR_UNAUTHORIZED)
        return false;
    call->err = (struct err){ 0 };
    call->caller = (struct caller){ 0 };
    return true;
}

/* By default the audit row names what the path named. */
static const char *default_subject(const struct call *call)
{
    for (const size_t *at = op_facts(call->op)->path_params; *at != NO_PARAM; at++)
        if (call->args[*at].text)
            return call->args[*at].text;
    return NULL;
}

/* May they make this call at all, whatever they say in it. */
bool perform_know(struct db *db, struct request *request)
{
    struct call *call = &request->call;

    call->op = request->op;
    call->err = (struct err){ 0 };
    call->tx = (struct tx){ .db = db,
                            .arena = call->tx.arena,
                            .caller = &call->caller,
                            .now_ms = clock_now_ms(),
                            .err = &call->err };
    call->subject = default_subject(call);
    return identify(request) &&
           (call->caller.kind == CALLER_LINK || authorise(call->op, &call->caller, &call->err));
}

/* A connection speaks as one agent: its token's, or the one that its client says it is. */
static void name_speaker(struct request *request)
{
    struct call *call = &request->call;
    const char *name = call->caller.agent_name ? call->caller.agent_name : request->speaker;

    for (size_t i = 0; request->speaker && call->op->params[i].type; i++) {
        struct arg *value = &call->args[i];

        if ((call->op->params[i].flags & F_SPEAKER) && !value->given)
            *value = (struct arg){ .given = true, .text = name };
    }
}

/* The caller is known before anything is said about the input: a stranger learns nothing from errors. */
bool perform_admit(struct db *db, struct request *request)
{
    struct call *call = &request->call;

    if (!perform_know(db, request))
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
    name_speaker(request);
    return reach_thing(call, &call->err);
}

static const char *path_values(const struct call *call)
{
    const char *values = "";

    for (const size_t *at = op_facts(call->op)->path_params; *at != NO_PARAM; at++)
        if (call->args[*at].text)
            values = arena_format(call->tx.arena, "%s/%s", values, call->args[*at].text);
    return values;
}

/* Megabytes of it stand where they belong; here they would be read with every page of the log. */
static void audit_json(struct json_out *out, const char *name, const json_t *value)
{
    size_t len = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

    if (len <= LIMIT_AUDIT_JSON) {
        json_value(out, name, value);
        return;
    }
    char words[64];

    snprintf(words, sizeof(words), "%zu bytes of JSON, left out here", len);
    json_text(out, name, words);
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
    case T_JSON: audit_json(out, field->name, value->json); break;
    default: json_text_len(out, field->name, value->text, str_fitting(value->text, LIMIT_AUDIT_TEXT)); break;
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
    return arena_copy(call->tx.arena, text.bytes, text.len);
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
        .at_ms = call->tx.now_ms,
    };

    return audit_append(&call->tx, &entry);
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

/* How many entries a page may have, of a row that lists by pages or in pieces; NULL for the others. */
static int64_t *page_limit(struct call *call)
{
    size_t limit = op_facts(call->op)->page_limit;

    if (call->op->pieces && call->op->kind == OP_READ) {
        call->piece_rows = EXPORT_ROWS;
        return &call->piece_rows;
    }
    return limit == NO_PARAM ? NULL : &call->args[limit].number;
}

/* Memory of one try, which ends with it, also when there is not enough. */
struct try_memory {
    struct arena arena;
    struct call *call;
    struct arena *outer;
};

static void try_memory_done(struct try_memory *memory)
{
    memory->call->tx.arena = memory->outer;
    arena_done(&memory->arena);
}

/* A single entry is shown however large it is; more than one only as far as they fit. */
static bool try_page(struct request *request, bool single)
{
    struct call *call = &request->call;
    struct arena *outer = call->tx.arena;
    __attribute__((cleanup(try_memory_done))) struct try_memory memory = {
        .arena = { .budget = outer->budget, .most = single ? 0 : LIMIT_PAGE_READ },
        .call = call,
        .outer = outer,
    };

    call->tx.arena = &memory.arena;
    call->tx.db->cut_at = 0;
    call->err = (struct err){ 0 };
    bool good = run_op(request);

    call->subject = arena_text(outer, call->subject);
    call->err.detail = arena_text(outer, call->err.detail);
    return good;
}

/*
 * How many entries to try next. Where the rows themselves were too much, those before the one that was are a
 * page, and that one shows that others follow.
 */
static int64_t fewer(const struct db *db, int64_t limit)
{
    int64_t fitted = db->cut_at > 1 ? (int64_t)db->cut_at - 1 : 1;

    return db->cut_at == 0 || db->was_full || fitted >= limit ? limit / 2 : fitted;
}

static bool is_small_enough(const struct request *request)
{
    return request->op->pieces || (!request->reply.full && request->reply.len <= LIMIT_PAGE_BYTES);
}

/*
 * A page ends at its limit or when it is large, whichever comes first, for every list alike: one that has
 * become too large, in what was read for it or in what it says, is tried again with fewer entries, and its
 * cursor leads on to the rest. A piece ends by itself when it says enough.
 */
static bool run_page(struct request *request, int64_t *limit)
{
    const struct db *db = request->call.tx.db;
    int64_t wanted = *limit;
    bool good;

    for (;;) {
        good = try_page(request, *limit <= 1);
        if (*limit <= 1 || (db->cut_at == 0 && (!good || is_small_enough(request))))
            break;
        *limit = fewer(db, *limit);
    }
    *limit = wanted;
    return good;
}

static bool run_whole(struct request *request)
{
    struct arena *arena = request->call.tx.arena;

    arena->most = request->op->kind == OP_READ ? LIMIT_READ : 0;
    bool good = run_op(request);

    arena->most = 0;
    return good;
}

static bool run_handler(struct request *request)
{
    struct call *call = &request->call;
    int64_t *limit = page_limit(call);

    if (limit ? !run_page(request, limit) : !run_whole(request))
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
        .while_open = request->key_while_open,
        .body_hash = idempotency_hash(call->tx.arena, request->body, request->body_len, path_values(call)),
    };

    if (!idempotency_claim(&call->tx, &claim, &before))
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
    return idempotency_keep(&call->tx, &claim, call->status,
                            call->op->secret_reply ? NULL : request->reply.bytes);
}

static bool wants_idempotency(const struct request *request)
{
    return request->idempotency_key && request->op->kind == OP_WRITE &&
           request->call.caller.kind != CALLER_NOBODY && op_facts(request->op)->repeats;
}

bool dispatch_run(struct db *db, struct request *request)
{
    request->replayed = false;
    if (!perform_admit(db, request))
        return false;
    return wants_idempotency(request) ? run_once(request) : run_handler(request);
}
