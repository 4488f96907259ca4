/*
 * ws.c - /ws: the log over a WebSocket.
 *
 * Each event is one text message, with its number as "seq". The client may send {"type":"ping"} and
 * {"type":"subscribe", ...}; anything else is answered with an error, and the socket stays open.
 */
#include "edge/internal.h"
#include "edge/stream.h"
#include "edge/stream_open.h"
#include "http/websocket.h"

#include <stdlib.h>
#include <string.h>

struct ws {
    struct stream *stream;
    struct notice *current; /* did not fit, or NULL */
    bool ended;
};

static bool send_notice(struct websocket *socket, const struct notice *notice)
{
    BUF_AUTO text = { 0 };

    if (notice->json_len == 0)
        return true;
    if (notice->seq == 0)
        return websocket_send(socket, notice->json, notice->json_len);
    buf_format(&text, "{\"seq\":%lld,", (long long)notice->seq);
    buf_add(&text, notice->json + 1, notice->json_len - 1);
    return websocket_send(socket, text.bytes, text.len);
}

static void ws_ready(struct websocket *socket, void *data)
{
    struct ws *ws = data;

    while (!ws->ended) {
        if (!ws->current) {
            enum stream_found found = stream_next(ws->stream, &ws->current);

            if (found == STREAM_NOTHING)
                return;
            if (found == STREAM_ENDED) {
                ws->ended = true;
                websocket_end(socket, 1001, "The stream has ended.");
                return;
            }
        }
        if (!send_notice(socket, ws->current))
            return;
        notice_drop(ws->current);
        ws->current = NULL;
    }
}

static void ws_opened(struct websocket *socket, void *data)
{
    struct ws *ws = data;

    stream_aim(ws->stream, socket);
    ws_ready(socket, ws);
}

static void ws_refuse(struct websocket *socket, const struct err *err)
{
    BUF_AUTO text = { 0 };
    BUF_AUTO whole = { 0 };

    dispatch_write_error(err, &text);
    buf_text(&whole, "{\"type\":\"error\",");
    buf_add(&whole, text.bytes + 1, text.len - 1);
    websocket_send(socket, whole.bytes, whole.len);
}

/* A member that must be text when it is there. */
static bool read_text(const json_t *body, const char *name, const char **text, struct err *err)
{
    const json_t *value = json_object_get(body, name);

    if (!value || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return err_field(err, name, "%s must be a text.", name);
    *text = json_string_value(value);
    return true;
}

/* Types may be a list here, or the same text as in a query. */
static bool read_types(const json_t *body, struct arena *arena, const char **types, struct err *err)
{
    const json_t *value = json_object_get(body, "types");
    const json_t *type;
    const char *all = "";
    size_t i;

    if (!json_is_array(value))
        return read_text(body, "types", types, err);
    if (json_array_size(value) > LIMIT_TYPES_FILTER)
        return err_field(err, "types", "types names too many: %d at most.", LIMIT_TYPES_FILTER);
    json_array_foreach(value, i, type)
    {
        if (!json_is_string(type))
            return err_field(err, "types", "types must be a list of texts.");
        all = arena_format(arena, "%s%s%s", all, i ? "," : "", json_string_value(type));
    }
    *types = all;
    return true;
}

static bool read_after(const json_t *body, struct arena *arena, const char **after, struct err *err)
{
    const json_t *value = json_object_get(body, "after");

    if (!json_is_integer(value))
        return read_text(body, "after", after, err);
    *after = arena_format(arena, "%lld", (long long)json_integer_value(value));
    return true;
}

static bool ws_subscribe(struct ws *ws, const json_t *body, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct stream_filter wanted = { 0 };
    const char *after = NULL;

    if (!read_text(body, "projectId", &wanted.project_id, err) ||
        !read_text(body, "jobId", &wanted.job_id, err) ||
        !read_text(body, "discussionId", &wanted.discussion_id, err) ||
        !read_types(body, &arena, &wanted.types, err) || !read_after(body, &arena, &after, err) ||
        !stream_filter_check(&wanted, after, err))
        return false;
    stream_change(ws->stream, &wanted);
    return true;
}

static void ws_text(struct websocket *socket, void *data, const char *text, size_t len)
{
    struct ws *ws = data;
    JSON_AUTO *body = NULL;
    struct err err = { 0 };
    const char *type;

    if (!json_parse(text, len, &body, &err)) {
        ws_refuse(socket, &err);
        return;
    }
    type = json_string_value(json_object_get(body, "type"));
    if (type && strcmp(type, "ping") == 0) {
        websocket_send(socket, "{\"type\":\"pong\"}", strlen("{\"type\":\"pong\"}"));
    } else if (type && strcmp(type, "subscribe") == 0) {
        if (ws_subscribe(ws, body, &err))
            ws_ready(socket, ws);
        else
            ws_refuse(socket, &err);
    } else {
        err_field(&err, "type", "Unknown message: only ping and subscribe are understood.");
        ws_refuse(socket, &err);
    }
}

static void ws_stop(struct websocket *socket, void *data)
{
    struct ws *ws = data;

    stream_end(ws->stream, EVENT_SERVER_STOPPING,
               "The server stops. Come back with the last number to go on.");
    ws_ready(socket, ws);
    if (!ws->ended) {
        ws->ended = true;
        websocket_end(socket, 1001, "The server stops.");
    }
}

static void ws_closed(void *data)
{
    struct ws *ws = data;

    stream_close(ws->stream);
    notice_drop(ws->current);
    free(ws);
}

static void ws_wake(void *target)
{
    websocket_wake(target);
}

static void ws_accept(struct stream_opening *opening)
{
    static const struct websocket_calls calls = {
        .opened = ws_opened, .text = ws_text, .ready = ws_ready, .stop = ws_stop, .closed = ws_closed
    };
    struct ws *ws = calloc(1, sizeof(*ws));

    if (!ws)
        abort();
    ws->stream = stream_new(opening->edge->streams, &opening->caller, &opening->wanted, &opening->bounds,
                            false, ws_wake);
    stream_keep(ws->stream, &opening->hold);
    stream_open_greet(opening, ws->stream);
    if (!websocket_accept(opening->exchange, &calls, ws))
        ws_closed(ws);
    stream_open_free(opening);
}

void ws_handle(struct edge *edge, struct http_exchange *exchange)
{
    stream_open_begin(edge, exchange, ws_accept);
}
