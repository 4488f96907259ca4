/*
 * A server that is a URL: each message of ours is a POST, and its answer comes as JSON or as a stream of
 * events, on which the server may tell and ask other things first.
 *
 * Up to 2025-11-25 there is more to it. What initialize's reply names as the session goes with each later
 * request. A stream that broke off is taken up again behind the last event that came, if the server gave its
 * events ids; and one more stream, a GET that belongs to no request, brings what a server says unasked.
 * Nothing is sent between the end of the handshake and its acknowledgement, or a server might meet it in
 * another order. Who closes says so with a DELETE, so that a server need not keep a session nobody comes back
 * to.
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "net/sse.h"
#include "toolbox/mcp_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONNECT_MS     10000
#define NOTE_MS        30000                    /* for what has no answer */
#define FAREWELL_MS    2000                     /* for the last word, which holds up a stop */
#define STREAM_MS      (7 * 24 * 3600 * 1000LL) /* for what has; how long to wait is the session's business */
#define RESUMES_MOST   5                        /* how often one answer is taken up again */
#define RESUME_MS      1000                     /* before that, unless the server says otherwise */
#define RESUME_MOST_MS 30000
#define LISTEN_MOST_MS 60000
#define SESSION_CHARS  512
#define HEADERS_ROOM   16
#define REFUSAL_BYTES  (16 * KB)

enum post_reading { POST_NOTHING, POST_JSON, POST_EVENTS, POST_REFUSED };

struct mcp_post {
    struct mcp_http *http;
    struct mcp_post *next, **link; /* among those that are not gone */
    struct arena arena;            /* headers */
    int64_t request;               /* -1: none */
    bool is_greeting, is_ready, is_listening, is_farewell, is_dropped, starts_later;
    bool is_ending; /* it is being looked at how it ended: whoever closes the link leaves it alone */
    struct buf body;
    const char *const *headers;
    struct net_call *call; /* NULL: it waits */
    enum post_reading reading;
    struct sse sse;
    struct buf rest;
    char *last_id; /* of the stream that broke off, or NULL */
    int resumes;
    int64_t pause_ms;
    struct timer timer;
};

struct mcp_http {
    struct mcp_link link; /* first */
    struct net *net;
    const struct mcp_setup *setup;
    struct mcp_post *posts;
    struct mcp_post *holding; /* the acknowledgement of the handshake, before which nothing else goes out */
    char session[SESSION_CHARS + 1];
    const char *version; /* of the handshake's era, once it is known; static */
    bool stateless, closing, is_posted;
    bool is_reading,
        starts_posted; /* a piece is being read; those held back meanwhile are started by a task */
    struct net_task gone_task, start_task;
};

static bool start_post(struct mcp_post *post);

/* The end of a post, and of the link. */

static void say_gone(void *user)
{
    struct mcp_http *http = user;

    http->link.host.gone(http->link.host.user, false, "The connection was closed.");
    free(http);
}

static void look_whether_gone(struct mcp_http *http)
{
    if (!http->closing || http->posts || http->is_posted)
        return;
    http->is_posted = true;
    net_post(http->net, &http->gone_task);
}

static void post_free(struct mcp_post *post)
{
    struct mcp_http *http = post->http;

    net_timer_stop(http->net, &post->timer);
    *post->link = post->next;
    if (post->next)
        post->next->link = post->link;
    if (http->holding == post)
        http->holding = NULL;
    if (post->reading == POST_EVENTS)
        sse_done(&post->sse);
    buf_done(&post->rest);
    buf_done(&post->body);
    free(post->last_id);
    arena_done(&post->arena);
    free(post);
    look_whether_gone(http);
}

static void report(struct mcp_post *post, enum mcp_loss loss, int status, const char *why)
{
    struct mcp_http *http = post->http;
    struct mcp_failure failure = { .loss = loss,
                                   .status = status,
                                   .in_session = http->session[0] != '\0' && !post->is_greeting,
                                   .why = why,
                                   .body = post->rest.bytes,
                                   .body_len = loss == MCP_REFUSED ? post->rest.len : 0 };

    if (post->request >= 0 && !post->is_dropped && !http->closing)
        http->link.host.failed(http->link.host.user, post->request, &failure);
}

static const char *said(struct mcp_post *post, const char *fmt)
{
    return arena_format(&post->arena, "The server \"%s\" %s.", post->http->setup->name, fmt);
}

/* What comes back. */

static bool hand_on(void *user, const char *data, size_t len)
{
    struct mcp_post *post = user;
    const struct mcp_link_host *host = &post->http->link.host;

    if (len > 0 && !post->http->closing && !post->is_dropped)
        host->message(host->user, data, len, post->request);
    if (post->http->closing || post->is_dropped)
        return false;
    return post->request < 0 || host->awaits(host->user, post->request);
}

/* Up to 2025-11-25: it goes with each later request. One that no header could carry is as good as none. */
static void keep_session(struct mcp_post *post)
{
    const char *id = net_call_header(post->call, "Mcp-Session-Id");
    size_t len = id ? strlen(id) : 0;

    if (!post->is_greeting || len == 0 || len > SESSION_CHARS)
        return;
    for (size_t i = 0; i < len; i++)
        if (id[i] < 0x21 || id[i] > 0x7e)
            return;
    memcpy(post->http->session, id, len + 1);
}

static bool is_type(const char *header, const char *type)
{
    size_t len = strlen(type);

    return header && strncasecmp(header, type, len) == 0 &&
           (header[len] == '\0' || strchr("; \t", header[len]));
}

static void begin_reading(struct mcp_post *post)
{
    int status = net_call_status(post->call);
    const char *type = net_call_header(post->call, "Content-Type");

    keep_session(post);
    if (status < 200 || status > 299) {
        post->reading = POST_REFUSED;
        buf_init(&post->rest, REFUSAL_BYTES);
    } else if (is_type(type, "text/event-stream")) {
        post->reading = POST_EVENTS;
        sse_init(&post->sse, hand_on, post);
        sse_bound(&post->sse, LIMIT_MCP_MESSAGE);
    } else {
        post->reading = POST_JSON;
        buf_init(&post->rest, LIMIT_MCP_MESSAGE);
    }
}

static bool take_chunk(void *user, struct net_call *call, const char *bytes, size_t len)
{
    struct mcp_post *post = user;

    (void)call;
    if (post->reading == POST_NOTHING)
        begin_reading(post);
    if (post->reading == POST_EVENTS) {
        post->http->is_reading = true;
        bool more = sse_feed(&post->sse, bytes, len);

        post->http->is_reading = false;
        return more;
    }
    buf_add(&post->rest, bytes, len);
    return !post->rest.full;
}

/* Taking up again. */

static void try_again(void *user)
{
    struct mcp_post *post = user;

    if (start_post(post))
        return;
    post->is_ending = true;
    report(post, MCP_CUT_OFF, 0, said(post, "cannot be called now"));
    post_free(post);
}

static const char *const *get_headers(struct mcp_post *post);

static void pause_then_get(struct mcp_post *post, int64_t pause_ms)
{
    post->is_ending = false;
    if (post->reading == POST_EVENTS) {
        free(post->last_id);
        post->last_id = strdup(sse_last_id(&post->sse));
        sse_done(&post->sse);
    }
    buf_done(&post->rest);
    buf_done(&post->body);
    post->reading = POST_NOTHING;
    post->headers = get_headers(post);
    post->timer = (struct timer){ .run = try_again, .user = post };
    net_timer_set(post->http->net, &post->timer, pause_ms);
}

static int64_t between(int64_t ms, int64_t most_ms)
{
    return ms < 0 ? RESUME_MS : ms > most_ms ? most_ms : ms;
}

static bool can_be_resumed(const struct mcp_post *post)
{
    return post->reading == POST_EVENTS && !post->http->stateless && !post->is_dropped &&
           !post->http->closing && *sse_last_id(&post->sse) && !sse_too_long(&post->sse) &&
           post->resumes < RESUMES_MOST;
}

/* The stream that is nobody's own: taken up again, later each time, unless the server has none. */
static bool listen_again(struct mcp_post *post, enum net_end end, int status)
{
    bool has_none = end == NET_WHOLE && (status < 200 || status > 299) && status < 500;

    if (!post->is_listening || post->http->closing || has_none)
        return false;
    post->pause_ms = post->reading == POST_EVENTS ? between(post->sse.retry_ms, LISTEN_MOST_MS)
                                                  : between(post->pause_ms * 2, LISTEN_MOST_MS);
    if (post->pause_ms < RESUME_MS)
        post->pause_ms = RESUME_MS;
    pause_then_get(post, post->pause_ms);
    return true;
}

/* How it ended. */

static void report_end(struct mcp_post *post, enum net_end end)
{
    switch (end) {
    case NET_NO_HOST:
    case NET_NO_SERVER: report(post, MCP_UNREACHED, 0, said(post, "cannot be reached")); break;
    case NET_NO_TLS: report(post, MCP_UNREACHED, 0, said(post, "has no certificate that is trusted")); break;
    case NET_NOT_ALLOWED:
        report(post, MCP_UNREACHED, 0, said(post, "is at an address that may not be called"));
        break;
    case NET_SLOW_CONNECT: report(post, MCP_UNREACHED, 0, said(post, "takes too long to connect")); break;
    case NET_TOO_LARGE:
        report(post, MCP_TOO_LARGE, 0, said(post, "answers with more than can be taken"));
        break;
    case NET_GARBLED:
        report(post, MCP_CUT_OFF, 0, said(post, "does not speak HTTP that is understood"));
        break;
    case NET_CANCELLED:
    case NET_WHOLE:
    case NET_ENOUGH:
    case NET_SLOW_START:
    case NET_SLOW_NEXT:
    case NET_SLOW_WHOLE:
    case NET_BROKE_OFF:
    case NET_NO_MEMORY:
        report(post, MCP_CUT_OFF, 0, said(post, "broke off before its answer was there"));
        break;
    }
}

static bool is_too_long(const struct mcp_post *post)
{
    return post->reading == POST_EVENTS ? sse_too_long(&post->sse)
                                        : post->reading == POST_JSON && post->rest.full;
}

static void report_refusal(struct mcp_post *post, int status)
{
    char words[80];

    if (status == 401 || status == 403)
        snprintf(words, sizeof(words), "does not let us in (HTTP status %d)", status);
    else
        snprintf(words, sizeof(words), "answers with HTTP status %d", status);
    report(post, MCP_REFUSED, status, said(post, words));
}

static void give_last(void *user)
{
    struct mcp_post *post = user;

    if (post->reading == POST_EVENTS)
        sse_flush(&post->sse);
    else if (post->reading == POST_JSON && post->rest.len > 0)
        hand_on(post, post->rest.bytes, post->rest.len);
}

static void start_held(struct mcp_http *http);
static void listen(struct mcp_http *http);

static void post_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct mcp_post *post = user;
    struct mcp_http *http = post->http;
    int status = net_call_status(call);
    bool was_ready = post->is_ready;

    (void)why;
    post->is_ending = true;
    if (post->reading == POST_NOTHING && end == NET_WHOLE)
        begin_reading(post);
    post->call = NULL;
    if (is_too_long(post))
        end = NET_TOO_LARGE;
    if (end == NET_WHOLE && !memory_try(give_last, post))
        end = NET_NO_MEMORY;
    bool is_open = post->request >= 0 && !http->closing && !post->is_dropped &&
                   http->link.host.awaits(http->link.host.user, post->request);

    if (listen_again(post, end, status))
        return;
    if (is_open && can_be_resumed(post)) {
        post->resumes++;
        pause_then_get(post, between(post->sse.retry_ms, RESUME_MOST_MS));
        return;
    }
    if (is_open && end == NET_WHOLE && post->reading == POST_REFUSED)
        report_refusal(post, status);
    else if (is_open)
        report_end(post, end);
    post_free(post);
    if (was_ready && !http->closing) {
        start_held(http);
        listen(http);
    }
}

/* What goes out. */

static const char **common_headers(struct mcp_post *post, size_t further, size_t *count)
{
    const struct mcp_http *http = post->http;
    size_t given = 0;

    for (const char *const *header = http->setup->headers; header && *header; header++)
        given++;
    const char **headers = arena_array(&post->arena, const char *, given + further + HEADERS_ROOM);

    for (size_t i = 0; i < given; i++)
        headers[(*count)++] = http->setup->headers[i];
    if (http->session[0] && !post->is_greeting)
        headers[(*count)++] = arena_format(&post->arena, "Mcp-Session-Id: %s", http->session);
    return headers;
}

static const char *const *get_headers(struct mcp_post *post)
{
    size_t count = 0;
    const char **headers = common_headers(post, 0, &count);

    if (!post->is_farewell)
        headers[count++] = "Accept: text/event-stream";
    if (post->http->version)
        headers[count++] = arena_format(&post->arena, "MCP-Protocol-Version: %s", post->http->version);
    if (post->last_id && *post->last_id)
        headers[count++] = arena_format(&post->arena, "Last-Event-ID: %s", post->last_id);
    return headers;
}

static const char *const *post_headers(struct mcp_post *post, const struct mcp_letter *letter)
{
    size_t count = 0, further = 0;

    for (const char *const *header = letter->headers; header && *header; header++)
        further++;
    const char **headers = common_headers(post, further, &count);

    headers[count++] = "Content-Type: application/json";
    headers[count++] = "Accept: application/json, text/event-stream";
    if (letter->version)
        headers[count++] = arena_format(&post->arena, "MCP-Protocol-Version: %s", letter->version);
    if (letter->stateless && letter->method)
        headers[count++] = arena_format(&post->arena, "Mcp-Method: %s", letter->method);
    if (letter->stateless && letter->name)
        headers[count++] =
            arena_format(&post->arena, "Mcp-Name: %s", mcp_header_value(&post->arena, letter->name));
    for (size_t i = 0; i < further; i++)
        headers[count++] = arena_text(&post->arena, letter->headers[i]);
    return headers;
}

static bool start_post(struct mcp_post *post)
{
    struct mcp_http *http = post->http;
    int64_t most_ms = post->is_farewell                          ? FAREWELL_MS
                      : post->request >= 0 || post->is_listening ? STREAM_MS
                                                                 : NOTE_MS;
    bool has_body = post->body.len > 0;
    struct net_request request = { .url = http->setup->url,
                                   .headers = post->headers,
                                   .method = post->is_farewell ? "DELETE" : NULL,
                                   .body = has_body ? post->body.bytes : NULL,
                                   .body_len = post->body.len,
                                   .policy = { .reach = NET_REACH_OWN,
                                               .connect_ms = CONNECT_MS,
                                               .first_ms = most_ms,
                                               .idle_ms = most_ms,
                                               .whole_ms = most_ms,
                                               .body_most = LIMIT_MCP_FLOOD },
                                   .chunk = take_chunk,
                                   .done = post_done,
                                   .user = post };
    struct err err = { 0 };

    if (net_call_start(http->net, &request, &post->call, &err))
        return true;
    log_line(LOG_DEBUG, "an MCP server cannot be called", "server", http->setup->name, "why", err.text, NULL);
    return false;
}

static struct mcp_post *post_new(struct mcp_http *http, int64_t request)
{
    struct mcp_post *post = memory_take(sizeof(*post));

    *post = (struct mcp_post){ .http = http, .request = request, .next = http->posts, .link = &http->posts };
    if (post->next)
        post->next->link = &post->next;
    http->posts = post;
    buf_init(&post->body, 0);
    buf_init(&post->rest, 0);
    return post;
}

/* Those that were held back, and may go now: all of them, or first the acknowledgement of the handshake. */
static void start_held(struct mcp_http *http)
{
    /* The last that came stands first; what is held is little, and its order is of no matter over HTTP. */
    for (struct mcp_post *post = http->posts; post;) {
        bool may_go = post->starts_later && (!http->holding || http->holding == post);

        if (!may_go || (post->starts_later = false, start_post(post))) {
            post = post->next;
            continue;
        }
        post->is_ending = true;
        report(post, MCP_UNREACHED, 0, said(post, "cannot be called now"));
        post_free(post);
        post = http->posts; /* who was told may have let go of others */
    }
}

static void start_those_held(void *user)
{
    struct mcp_http *http = user;

    http->starts_posted = false;
    if (!http->closing)
        start_held(http);
}

static void listen(struct mcp_http *http)
{
    struct mcp_post *post = post_new(http, -1);

    post->is_listening = true;
    post->headers = get_headers(post);
    if (!start_post(post))
        post_free(post);
}

static bool http_send(struct mcp_link *link, const struct mcp_letter *letter)
{
    struct mcp_http *http = (struct mcp_http *)(void *)link;
    struct mcp_post *post = post_new(http, letter->request);

    post->is_greeting = letter->method && strcmp(letter->method, "initialize") == 0;
    post->is_ready = letter->method && strcmp(letter->method, "notifications/initialized") == 0;
    buf_add(&post->body, letter->text, letter->len);
    http->stateless = letter->stateless;
    if (!letter->stateless && letter->version)
        http->version = letter->version;
    post->headers = post_headers(post, letter);
    post->starts_later =
        http->holding || http->is_reading; /* curl takes no call while it hands one a piece */
    if (post->is_ready)
        http->holding = post;
    if (http->is_reading && !http->starts_posted) {
        http->starts_posted = true;
        net_post(http->net, &http->start_task);
    }
    if (!post->body.full && (post->starts_later || start_post(post)))
        return true;
    post_free(post);
    return false;
}

static void http_drop(struct mcp_link *link, int64_t request)
{
    struct mcp_http *http = (struct mcp_http *)(void *)link;

    for (struct mcp_post *post = http->posts, *next; post; post = next) {
        next = post->next;
        if (post->request != request)
            continue;
        post->is_dropped = true;
        if (post->call)
            net_call_cancel(post->call);
        else if (!post->is_ending)
            post_free(post);
    }
}

/* Whatever comes of it: a server may refuse it, or be gone. */
static void say_farewell(struct mcp_http *http)
{
    struct mcp_post *post = post_new(http, -1);

    post->is_farewell = true;
    post->headers = get_headers(post);
    if (!start_post(post))
        post_free(post);
}

static void http_close(struct mcp_link *link)
{
    struct mcp_http *http = (struct mcp_http *)(void *)link;

    if (http->closing)
        return;
    http->closing = true;
    if (http->session[0] && !http->is_reading) /* curl takes no call while it hands one a piece */
        say_farewell(http);
    for (struct mcp_post *post = http->posts, *next; post; post = next) {
        next = post->next;
        if (post->is_farewell)
            continue;
        if (post->call)
            net_call_cancel(post->call);
        else if (!post->is_ending)
            post_free(post);
    }
    look_whether_gone(http);
}

static const struct mcp_link_kind http_kind = {
    .over_http = true, .send = http_send, .drop = http_drop, .close = http_close
};

bool mcp_http_open(struct mcp_link **link, const struct mcp_setup *setup, struct net *net,
                   const struct mcp_link_host *host, struct err *err)
{
    if (!net_url_check(setup->url, err))
        return false;
    struct mcp_http *http = memory_take(sizeof(*http));

    *http = (struct mcp_http){ .link = { .kind = &http_kind, .host = *host }, .net = net, .setup = setup };
    http->gone_task = (struct net_task){ .run = say_gone, .user = http };
    http->start_task = (struct net_task){ .run = start_those_held, .user = http };
    *link = &http->link;
    return true;
}
