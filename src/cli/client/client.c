/*
 * One curl handle for each request, closed behind it. A stream is cut into lines by hand; that it is open is
 * known by the empty line behind its headers, from which on nothing is missed. Codes of errors are found by
 * name in the same map that the server has.
 */
#include "cli/client/client.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/transfer.h"
#include "core/identity/cookie.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool unreachable(const struct cli *cli, const struct transfer *transfer, CURLcode code,
                        struct err *err)
{
    if (transfer->body.full)
        return err_set(err, ERR_TOO_LARGE, "The reply is larger than %d bytes.", LIMIT_REPLY);
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return err_set(err, ERR_UNAVAILABLE, "The request was given up.");
    if (code == CURLE_OPERATION_TIMEDOUT)
        return err_set(err, ERR_UNAVAILABLE, "witan at %s did not answer in time.", cli->target.url);
    err_set(err, ERR_UNAVAILABLE, "Cannot reach witan at %s (%s).", cli->target.url,
            curl_easy_strerror(code));
    return err_hint(err, "Start it with `witan serve`, or set WITAN_URL.");
}

static const char *session_in(struct cli *cli, struct transfer *transfer)
{
    static const char name[] = COOKIE_SESSION "=";
    struct curl_header *cookie;

    for (size_t i = 0;
         curl_easy_header(transfer->curl, "Set-Cookie", i, CURLH_HEADER, -1, &cookie) == CURLHE_OK; i++)
        if (str_starts(cookie->value, name))
            return arena_copy(cli->arena, cookie->value + strlen(name),
                              strcspn(cookie->value + strlen(name), ";"));
    return NULL;
}

static void read_reply(struct cli *cli, struct transfer *transfer, struct client_reply *reply)
{
    struct curl_header *date, *replayed;
    const char *type = NULL;

    *reply = (struct client_reply){ .len = transfer->body.len, .type = "" };
    reply->body =
        arena_copy(cli->arena, transfer->body.bytes ? transfer->body.bytes : "", transfer->body.len);
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &reply->status);
    if (curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type)
        reply->type = arena_text(cli->arena, type);
    if (curl_easy_header(transfer->curl, "Date", 0, CURLH_HEADER, -1, &date) == CURLHE_OK)
        reply->date_ms = (int64_t)curl_getdate(date->value, NULL) * 1000;
    reply->session = session_in(cli, transfer);
    reply->replayed =
        curl_easy_header(transfer->curl, "Idempotent-Replayed", 0, CURLH_HEADER, -1, &replayed) == CURLHE_OK;
}

bool client_send(struct cli *cli, const struct client_request *request, struct client_reply *reply,
                 struct err *err)
{
    struct transfer transfer;
    CURLcode code;

    transfer_open(cli, &transfer, request->path);
    curl_easy_setopt(transfer.curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(transfer.curl, CURLOPT_TIMEOUT,
                     request->timeout_s ? request->timeout_s : CLIENT_REQUEST_S);
    transfer_add(cli, &transfer, "Idempotency-Key", transfer_safe(cli->arena, request->idempotency_key));
    if (request->body) {
        transfer_add(cli, &transfer, "Content-Type", "application/json");
        curl_easy_setopt(transfer.curl, CURLOPT_POSTFIELDSIZE, (long)strlen(request->body));
        curl_easy_setopt(transfer.curl, CURLOPT_POSTFIELDS, request->body);
    }
    curl_easy_setopt(transfer.curl, CURLOPT_HTTPHEADER, transfer.headers);
    code = curl_easy_perform(transfer.curl);
    bool good = code == CURLE_OK || unreachable(cli, &transfer, code, err);

    if (good)
        read_reply(cli, &transfer, reply);
    transfer_close(&transfer);
    return good;
}

#define CLIENT_BESIDE_MS 1000

struct followed_stream {
    struct client_stream *stream;
    CURL *curl;
    struct buf line, data; /* of the event being read */
    char id[64];
    struct buf *refusal;
    bool ended;
};

/* One line of the stream; an empty one ends an event. */
static bool take_line(struct followed_stream *follower)
{
    const char *line = follower->line.bytes ? follower->line.bytes : "";

    if (!*line) {
        bool go_on = follower->data.len == 0 ||
                     follower->stream->take(follower->stream->user, follower->id, follower->data.bytes);

        buf_clear(&follower->data);
        return go_on;
    }
    if (str_starts(line, "data:")) {
        if (follower->data.len > 0)
            buf_char(&follower->data, '\n');
        buf_text(&follower->data, line + 5 + (line[5] == ' '));
    } else if (str_starts(line, "id:"))
        snprintf(follower->id, sizeof(follower->id), "%s", line + 3 + (line[3] == ' '));
    return !follower->data.full;
}

static size_t take_stream(char *bytes, size_t size, size_t count, void *user)
{
    struct followed_stream *follower = user;
    size_t len = size * count;
    long status = 0;

    curl_easy_getinfo(follower->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return transfer_take(bytes, size, count, follower->refusal);
    follower->stream->answered = true;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\r')
            continue;
        if (bytes[i] != '\n') {
            buf_char(&follower->line, bytes[i]);
            continue;
        }
        if (follower->line.full || !take_line(follower)) {
            follower->ended = true;
            return 0;
        }
        buf_clear(&follower->line);
    }
    return len;
}

/* The empty line after the headers: from here on nothing that happens is missed. */
static size_t take_header(char *bytes, size_t size, size_t count, void *user)
{
    struct followed_stream *follower = user;
    struct client_stream *stream = follower->stream;
    size_t len = size * count;
    long status = 0;

    if (!stream->opened || len == 0 || (bytes[0] != '\r' && bytes[0] != '\n'))
        return len;
    curl_easy_getinfo(follower->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return len;
    stream->answered = true;
    follower->ended = !stream->opened(stream->user);
    return follower->ended ? 0 : len;
}

/* What arrives, and meanwhile what else the program waits for: about once a second in any case. */
static CURLcode follow_beside(struct followed_stream *follower)
{
    struct client_stream *stream = follower->stream;
    struct curl_waitfd also = { .fd = stream->also_fd, .events = CURL_WAIT_POLLIN };
    CURLM *multi = curl_multi_init();
    CURLcode code = CURLE_ABORTED_BY_CALLBACK;
    CURLMsg *message;
    int running = 1, left;

    if (!multi || curl_multi_add_handle(multi, follower->curl) != CURLM_OK)
        abort();
    while (running && !follower->ended) {
        if (curl_multi_perform(multi, &running) != CURLM_OK)
            break;
        if (!follower->ended && !stream->also(stream->user))
            follower->ended = true;
        also.fd = stream->also_fd; /* whoever is called may begin or cease to listen */
        if (running && !follower->ended)
            curl_multi_poll(multi, &also, 1, CLIENT_BESIDE_MS, NULL);
    }
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE)
            code = message->data.result;
    curl_multi_remove_handle(multi, follower->curl);
    curl_multi_cleanup(multi);
    return code;
}

static void put_path(const struct client_stream *stream, struct buf *path)
{
    buf_text(path, stream->path);
    for (const enum event_type *type = stream->types; type && *type; type++)
        buf_format(path, "%s%s", type == stream->types ? "?types=" : ",", event_type_word(*type));
}

bool client_follow(struct cli *cli, struct client_stream *stream, struct err *err)
{
    struct transfer transfer;
    struct followed_stream follower = { .stream = stream, .refusal = &transfer.body };
    BUF_AUTO path = { 0 };
    CURLcode code;

    put_path(stream, &path);
    transfer_open(cli, &transfer, path.bytes);
    follower.curl = transfer.curl;
    buf_init(&follower.line, LIMIT_REPLY);
    buf_init(&follower.data, LIMIT_REPLY);
    transfer_add(cli, &transfer, "Accept", "text/event-stream");
    transfer_add(cli, &transfer, "Last-Event-ID", transfer_safe(cli->arena, stream->last_id));
    curl_easy_setopt(transfer.curl, CURLOPT_HTTPHEADER, transfer.headers);
    curl_easy_setopt(transfer.curl, CURLOPT_WRITEFUNCTION, take_stream);
    curl_easy_setopt(transfer.curl, CURLOPT_WRITEDATA, &follower);
    curl_easy_setopt(transfer.curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(transfer.curl, CURLOPT_HEADERDATA, &follower);
    /* A heartbeat comes every 15 seconds; a stream that is silent for three of them is dead. */
    curl_easy_setopt(transfer.curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(transfer.curl, CURLOPT_LOW_SPEED_TIME, (long)(3 * HEARTBEAT_MS / 1000));
    code = stream->also ? follow_beside(&follower) : curl_easy_perform(transfer.curl);
    read_reply(cli, &transfer, &stream->refusal);
    bool good = code == CURLE_OK || follower.ended || unreachable(cli, &transfer, code, err);

    buf_done(&follower.line);
    buf_done(&follower.data);
    transfer_close(&transfer);
    return good;
}

static enum err_code code_named(const char *name)
{
#define X(code, machine, http, exit) \
    if (strcmp(name, machine) == 0) \
        return ERR_##code;
    ERR_MAP(X)
#undef X
    return ERR_NONE;
}

/* The first code with that status stands for it. */
static enum err_code code_of_status(long status)
{
#define X(code, machine, http, exit) \
    if (status == http) \
        return ERR_##code;
    ERR_MAP(X)
#undef X
    return ERR_INTERNAL;
}

void client_error(const struct cli *cli, const struct client_reply *reply, struct err *err)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;
    bool is_json = json_parse(reply->body, reply->len, &parsed, &ignored);
    const char *text = is_json ? json_string_value(json_object_get(parsed, "error")) : NULL;
    const char *name = is_json ? json_string_value(json_object_get(parsed, "code")) : NULL;
    const char *hint = is_json ? json_string_value(json_object_get(parsed, "hint")) : NULL;
    const char *field = is_json ? json_string_value(json_object_get(parsed, "field")) : NULL;
    enum err_code code = name ? code_named(name) : ERR_NONE;

    if (code == ERR_NONE)
        code = code_of_status(reply->status);
    if (text)
        err_set(err, code, "%s", text);
    else
        err_set(err, code, "The server answered %ld; is it witan?", reply->status);
    if (field)
        snprintf(err->field, sizeof(err->field), "%s", field);
    if (code == ERR_UNAUTHORIZED && !cli->target.token)
        err_hint(
            err,
            "Log in with `witan login`, set WITAN_TOKEN, or give --token-file; `witan token create` makes a token.");
    else if (hint)
        err_hint(err, "%s", hint);
    json_decref(parsed);
}
