/*
 * The memory of a REST call, and its answer: status, headers, and a reply that is sent whole or, when the
 * operation has more than fits, piece by piece with its rights checked for each.
 */
#include "edge/rest_call.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "edge/rest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_CALLS 64

/*
 * A call with its first block of memory is some 20 KB, and taking that from malloc for each request shows. A
 * few are kept for the next ones. The edge is not touched after `running` has gone down: it may be closing.
 */
void rest_call_free(struct rest_call *call)
{
    struct edge *edge = call->edge;

    input_done(&call->input);
    buf_done(&call->request.reply);
    arena_reset(&call->arena);
    pthread_mutex_lock(&edge->spare_lock);
    bool keep = edge->spare_count < SPARE_CALLS;

    if (keep) {
        call->next = edge->spares;
        edge->spares = call;
        edge->spare_count++;
    }
    pthread_mutex_unlock(&edge->spare_lock);
    if (!keep) {
        arena_done(&call->arena);
        free(call);
    }
    atomic_fetch_sub(&edge->running, 1);
}

static struct rest_call *take_spare(struct edge *edge)
{
    pthread_mutex_lock(&edge->spare_lock);
    struct rest_call *call = edge->spares;

    if (call) {
        edge->spares = call->next;
        edge->spare_count--;
    }
    pthread_mutex_unlock(&edge->spare_lock);
    return call;
}

struct rest_call *rest_call_new(struct edge *edge, struct http_exchange *exchange)
{
    struct rest_call *call = take_spare(edge);
    struct arena arena = call ? call->arena : (struct arena){ NULL };

    if (!call)
        call = memory_take(sizeof(*call));
    memset(call, 0, sizeof(*call));
    atomic_fetch_add(&edge->running, 1);
    call->edge = edge;
    call->exchange = call->parking.exchange = exchange;
    call->input.exchange = exchange;
    call->input.budget = &edge->budget;
    call->arena = arena;
    call->arena.budget = call->piece.budget = &edge->budget;
    call->began_us = clock_ticks_us();
    gate_remote(edge, exchange, call->remote);
    return call;
}

void rest_free_spares(struct edge *edge)
{
    struct rest_call *call;

    while ((call = take_spare(edge))) {
        arena_done(&call->arena);
        free(call);
    }
}

static void log_call(const struct rest_call *call, int status, int64_t took_us)
{
    const struct request *request = &call->request;
    const struct err *err = &request->call.err;
    enum log_level level = status < 500 && !err->raw              ? LOG_DEBUG
                           : status == 503 && !edge_outage_line() ? LOG_DEBUG
                                                                  : LOG_WARN;
    char code[16], ms[32];

    if (!log_wants(level))
        return;
    snprintf(code, sizeof(code), "%d", status);
    snprintf(ms, sizeof(ms), "%.3f", (double)took_us / 1000);
    log_line(level, "request", "id", http_request_id(call->exchange), "operation",
             request->op ? request->op->name : NULL, "status", code, "ms", ms, "caller",
             request->call.caller.name, "remote", call->remote, "why", level == LOG_WARN ? err->text : NULL,
             NULL);
}

static size_t add_header(struct http_header_line *headers, size_t count, const char *name, const char *value)
{
    headers[count] = (struct http_header_line){ name, value };
    return count + 1;
}

/* What was done has been stored; a repeat stored nothing. */
void rest_note_stored(const struct rest_call *call)
{
    const struct request *request = &call->request;

    if (request->op->kind == OP_WRITE && request->body_len > 0 && !request->replayed)
        stored_note(call->edge->stored, &request->call.caller, call->remote, request->body_len,
                    clock_ticks_us());
}

static void put_piece(struct request *request)
{
    struct rest_call *call = request->user;
    const struct err *err = &request->call.err;

    if (err->code != ERR_NONE) {
        buf_clear(&request->reply);
        dispatch_write_error(err, &request->reply);
        buf_char(&request->reply, '\n');
    }
    pieces_put(call->pieces, &request->reply, err->code == ERR_NONE && request->call.more_after > 0);
}

/* The same operation once more, from where the piece before ended, with its rights checked again. */
static void next_piece(void *user)
{
    struct rest_call *call = user;
    struct request *request = &call->request;

    size_t after = op_param(op_facts(request->op), "after_seq"),
           limit = op_param(op_facts(request->op), "limit");

    if (after != NO_PARAM)
        request->call.args[after].number = request->call.more_after;
    if (limit != NO_PARAM)
        request->call.args[limit].number = request->call.more_left;
    arena_reset(&call->piece);
    request->call.tx.arena = &call->piece;
    dispatch_submit(call->edge->store, request);
}

static void pieces_over(void *user)
{
    struct rest_call *call = user;

    arena_done(&call->piece);
    rest_call_free(call);
}

/* Its client may go while a piece is being read: what the request brought must not go with it. */
static bool begin_pieces(struct rest_call *call, struct err *err)
{
    struct request *request = &call->request;
    struct credentials *credentials = &request->credentials;
    struct pieces_owner owner = {
        .next = next_piece, .over = pieces_over, .user = call, .budget = &call->edge->budget
    };

    credentials->bearer = arena_text(&call->arena, credentials->bearer);
    credentials->workspace = arena_text(&call->arena, credentials->workspace);
    request->call.request_id = arena_text(&call->arena, request->call.request_id);
    request->idempotency_key = NULL;
    call->pieces = pieces_new(&owner, &request->reply);
    if (!call->pieces)
        return err_set(err, ERR_UNAVAILABLE, "Too much is being sent at the moment; try again.");
    request->finished = put_piece;
    return true;
}

void rest_answer(struct rest_call *call)
{
    struct request *request = &call->request;
    struct err *err = &request->call.err;
    struct http_header_line headers[6] = { { NULL, NULL } };
    size_t count = 0;
    char retry_after[16];
    int status = request->call.status;
    const char *type = "application/json";
    int64_t took_us = clock_ticks_us() - (call->wait ? wait_began_us(call->wait) : call->began_us);
    bool in_pieces = err->code == ERR_NONE && request->call.more_after > 0 && begin_pieces(call, err);

    if (err->code != ERR_NONE) {
        status = err_http(err->code);
        buf_clear(&request->reply);
        dispatch_write_error(err, &request->reply);
        if (status == 429 || status == 503) {
            snprintf(retry_after, sizeof(retry_after), "%d", err->retry_after_s > 0 ? err->retry_after_s : 1);
            count = add_header(headers, count, "Retry-After", retry_after);
        }
        if (status == 401)
            count = add_header(headers, count, "WWW-Authenticate", "Bearer");
        if (status == 405 && call->input.match.allow)
            count = add_header(headers, count, "Allow", call->input.match.allow);
    } else {
        rest_note_stored(call);
        const struct reply_document *document = op_document(&request->call);

        if (request->op->reply_type)
            type = request->op->reply_type;
        if (document) {
            type = document->type;
            count = add_header(headers, count, "Content-Disposition",
                               arena_format(&call->arena, "inline; filename=\"%s\"", document->file));
        }
        for (size_t i = 0; i < CALL_COOKIES && request->call.cookies[i]; i++)
            count = add_header(headers, count, "Set-Cookie", request->call.cookies[i]);
        if (request->replayed)
            count = add_header(headers, count, "Idempotent-Replayed", "true");
    }
    metrics_count(call->edge->metrics, request->op, status, took_us);
    log_call(call, status, took_us);
    if (in_pieces) {
        pieces_send(call->pieces, call->exchange, type);
        return;
    }
    http_reply(call->exchange, status, status == 204 ? NULL : type, count > 0 ? headers : NULL,
               &request->reply);
    rest_call_free(call);
}
