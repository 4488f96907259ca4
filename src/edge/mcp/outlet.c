/*
 * A stream is kept under one lock together with all others, because the ticker, the tailer and the client's
 * own messages may all reach the same one. What ends it only marks it; it is freed by its last holder,
 * outside the lock.
 */
#include "edge/mcp/outlet.h"

#include "base/clock.h"
#include "base/limits.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDLE_MS   60000
#define ASKED_HEX 32

static void outlet_free(struct outlet *outlet)
{
    if (outlet->forget)
        outlet->forget(outlet);
    if (outlet->wait)
        wait_forget(outlet->wait);
    hold_give(&outlet->hold);
    buf_done(&outlet->pending);
    free(outlet->id);
    free(outlet->progress);
    free(outlet->asked);
    free(outlet);
}

/* Under the lock. True: nobody holds it any more, and the caller frees it. */
static bool let_go(struct outlet *outlet)
{
    return --outlet->holders == 0;
}

static void link_open(struct outlet *outlet)
{
    struct outlets *outlets = outlet->outlets;

    outlet->next = outlets->open;
    if (outlet->next)
        outlet->next->prev = outlet;
    outlets->open = outlet;
}

static void unlink_open(struct outlet *outlet)
{
    if (outlet->prev)
        outlet->prev->next = outlet->next;
    else
        outlet->outlets->open = outlet->next;
    if (outlet->next)
        outlet->next->prev = outlet->prev;
}

/* The streams whose tick is due and whose rights are asked for first. */
struct checking {
    struct recheck rights;
    struct outlet *held[RECHECK_MOST];
};

static void tick(struct outlet *outlet)
{
    outlet->due_ms = 0;
    outlet->tick(outlet);
}

/* Ticks what is due, or takes it for checking, and says when the next is due. */
static int64_t tick_due(struct outlets *outlets, int64_t now, struct checking *checking)
{
    struct recheck *rights = &checking->rights;
    int64_t next = now + IDLE_MS;

    rights->count = 0;
    pthread_mutex_lock(&outlets->lock);
    for (struct outlet *outlet = outlets->open; outlet; outlet = outlet->next) {
        if (!outlet->due_ms || outlet->ended)
            continue;
        if (outlet->due_ms <= now && !outlet->rights) {
            tick(outlet);
        } else if (outlet->due_ms <= now && rights->count < RECHECK_MOST) {
            outlet->due_ms = now + IDLE_MS;
            outlet->holders++;
            checking->held[rights->count] = outlet;
            rights->all[rights->count++] = *outlet->rights;
        }
        if (outlet->due_ms && !outlet->ended && outlet->due_ms < next)
            next = outlet->due_ms;
    }
    pthread_mutex_unlock(&outlets->lock);
    return next;
}

static void end_stopped(struct outlet *outlet)
{
    if (outlet->stop && !outlet->ended)
        outlet->stop(outlet);
    outlet_end_locked(outlet);
}

/* While the store does not answer, nobody is sent away. */
static void tick_checked(struct outlets *outlets, struct checking *checking)
{
    struct recheck *rights = &checking->rights;
    bool known = recheck_run(rights, outlets->store);

    for (size_t i = 0; i < rights->count; i++) {
        struct outlet *outlet = checking->held[i];

        pthread_mutex_lock(&outlets->lock);
        if (known && rights->all[i].refused.code != ERR_NONE)
            end_stopped(outlet);
        else if (!outlet->ended)
            tick(outlet);
        bool last = let_go(outlet);

        pthread_mutex_unlock(&outlets->lock);
        if (last)
            outlet_free(outlet);
    }
}

static void *run_ticker(void *user)
{
    struct outlets *outlets = user;
    struct checking *checking = calloc(1, sizeof(*checking));
    int64_t sleep_ms = IDLE_MS;

    if (!checking)
        abort();
    while (poke_wait(&outlets->poke, sleep_ms)) {
        int64_t now = clock_ticks_ms(), next = tick_due(outlets, now, checking);

        if (checking->rights.count > 0) {
            tick_checked(outlets, checking);
            next = now;
        }
        sleep_ms = next > now ? next - now : 1;
    }
    arena_done(&checking->rights.arena);
    free(checking);
    return NULL;
}

void outlets_open(struct outlets *outlets, struct store *store)
{
    outlets->store = store;
    pthread_mutex_init(&outlets->lock, NULL);
    poke_init(&outlets->poke);
    if (pthread_create(&outlets->ticker, NULL, run_ticker, outlets) != 0)
        abort();
}

void outlets_close(struct outlets *outlets)
{
    poke_stop(&outlets->poke);
    pthread_join(outlets->ticker, NULL);
    poke_done(&outlets->poke);
    pthread_mutex_destroy(&outlets->lock);
}

static char *copy(const char *text)
{
    char *own = text ? strdup(text) : NULL;

    if (text && !own)
        abort();
    return own;
}

struct outlet *outlet_new(struct outlets *outlets, struct http_exchange *exchange, const char *id,
                          const char *progress)
{
    struct outlet *outlet = calloc(1, sizeof(*outlet));

    if (!outlet)
        abort();
    outlet->outlets = outlets;
    outlet->exchange = exchange;
    outlet->id = copy(id);
    outlet->progress = copy(progress);
    outlet->holders = 1;
    buf_init(&outlet->pending, 0);
    return outlet;
}

/*
 * What has left makes room. False: nobody wants to hear, or whoever does has not read for so long that this
 * much waits; such a stream ends, and the connection with it when it does not read on (HTTP_SEND_S).
 */
static bool make_room(struct outlet *outlet)
{
    struct buf *pending = &outlet->pending;

    if (outlet->gone || outlet->ended || outlet->cancelled)
        return false;
    if (pending->len - outlet->sent > OUTLET_PENDING_MOST) {
        buf_done(pending);
        buf_init(pending, 0);
        outlet->sent = 0;
        outlet->cancelled = true;
        if (outlet->streaming)
            http_stream_wake(outlet->exchange);
        return false;
    }
    if (outlet->sent > pending->len / 2) {
        pending->len -= outlet->sent;
        memmove(pending->bytes, pending->bytes + outlet->sent, pending->len);
        outlet->sent = 0;
    }
    return true;
}

void outlet_put(struct outlet *outlet, const char *message, size_t len)
{
    if (!make_room(outlet))
        return;
    /* A line ends the event's; in JSON it is a space like any other. */
    if (!outlet->only_json)
        buf_text(&outlet->pending, "data: ");
    size_t at = outlet->pending.len;

    buf_add(&outlet->pending, message, len);
    for (; at < outlet->pending.len; at++)
        if (outlet->pending.bytes[at] == '\n' || outlet->pending.bytes[at] == '\r')
            outlet->pending.bytes[at] = ' ';
    buf_text(&outlet->pending, "\n\n");
    if (outlet->streaming)
        http_stream_wake(outlet->exchange);
}

void outlet_comment(struct outlet *outlet)
{
    if (!make_room(outlet))
        return;
    buf_text(&outlet->pending, outlet->only_json ? " " : ": waiting\n\n");
    http_stream_wake(outlet->exchange);
}

/* What SSE has for it: how long to wait before one comes back. No event has an id, so nothing is taken up in
 * the middle; clients that know only that leave it alone. */
void outlet_may_be_repeated(struct outlet *outlet)
{
    if (!outlet->only_json)
        buf_text(&outlet->pending, "retry: 1000\n\n");
}

void outlet_end_locked(struct outlet *outlet)
{
    if (outlet->ended)
        return;
    outlet->ended = true;
    free(outlet->asked);
    outlet->asked = NULL;
    outlet->holders--;
    if (!outlet->gone)
        http_stream_wake(outlet->exchange);
}

void outlet_send(struct outlet *outlet, const char *message, size_t len)
{
    pthread_mutex_lock(&outlet->outlets->lock);
    outlet_put(outlet, message, len);
    pthread_mutex_unlock(&outlet->outlets->lock);
}

static void answer_stream(struct outlet *outlet, const struct buf *message)
{
    struct outlets *outlets = outlet->outlets;

    pthread_mutex_lock(&outlets->lock);
    if (message)
        outlet_put(outlet, message->bytes, message->len);
    bool over = outlet->gone && outlet->holders == 1;

    if (!outlet->ended)
        outlet_end_locked(outlet);
    pthread_mutex_unlock(&outlets->lock);
    if (over)
        outlet_free(outlet);
}

void outlet_answer(struct outlet *outlet, int status, const struct http_header_line *headers,
                   struct buf *message)
{
    if (outlet->streaming) {
        answer_stream(outlet, message);
        return;
    }
    http_reply(outlet->exchange, status, message->len > 0 ? "application/json" : NULL, headers, message);
    outlet_free(outlet);
}

void outlet_drop(struct outlet *outlet)
{
    if (outlet->streaming)
        answer_stream(outlet, NULL);
    else
        outlet_free(outlet);
}

static ptrdiff_t pull(void *data, char *into, size_t room)
{
    struct outlet *outlet = data;
    ptrdiff_t len = 0;

    pthread_mutex_lock(&outlet->outlets->lock);
    size_t left = outlet->pending.len - outlet->sent;

    if (left > 0) {
        len = (ptrdiff_t)(left < room ? left : room);
        memcpy(into, outlet->pending.bytes + outlet->sent, (size_t)len);
        outlet->sent += (size_t)len;
        if (outlet->sent == outlet->pending.len) {
            buf_done(&outlet->pending);
            buf_init(&outlet->pending, 0);
            outlet->sent = 0;
        }
    } else if (outlet->ended || outlet->cancelled) {
        len = -1;
    }
    pthread_mutex_unlock(&outlet->outlets->lock);
    return len;
}

/* A stream that answers no request, or whose answer comes from ticks and responses, has no call to end it. */
static void stream_gone(void *data)
{
    struct outlet *outlet = data;
    struct outlets *outlets = outlet->outlets;
    bool left = outlet->wait && wait_leave(outlet->wait);

    pthread_mutex_lock(&outlets->lock);
    outlet->gone = true;
    unlink_open(outlet);
    if (!outlet->ended && (left || !outlet->wait)) {
        outlet->ended = true;
        outlet->holders--;
    }
    bool last = let_go(outlet);

    pthread_mutex_unlock(&outlets->lock);
    if (last)
        outlet_free(outlet);
}

static void stream_stop(void *data)
{
    struct outlet *outlet = data;

    if (outlet->wait) {
        wait_hurry(outlet->wait);
        return;
    }
    pthread_mutex_lock(&outlet->outlets->lock);
    end_stopped(outlet);
    pthread_mutex_unlock(&outlet->outlets->lock);
}

void outlet_open(struct outlet *outlet, int64_t tick_ms)
{
    static const struct http_stream_calls calls = { .pull = pull, .gone = stream_gone, .stop = stream_stop };
    static const struct http_header_line headers[] = { { "Cache-Control", "no-store" },
                                                       { "X-Accel-Buffering", "no" },
                                                       { NULL, NULL } };
    struct outlets *outlets = outlet->outlets;

    pthread_mutex_lock(&outlets->lock);
    outlet->streaming = true;
    outlet->holders++;
    outlet->due_ms = outlet->tick ? clock_ticks_ms() + tick_ms : 0;
    link_open(outlet);
    pthread_mutex_unlock(&outlets->lock);
    http_stream(outlet->exchange, outlet->only_json ? "application/json" : "text/event-stream", headers,
                &calls, outlet);
    if (outlet->tick)
        poke_now(&outlets->poke);
}

void outlet_ask(struct outlet *outlet, const char *method, const char *params,
                void (*told)(struct outlet *outlet, const json_t *result))
{
    unsigned char random[ASKED_HEX / 2];
    char hex[ASKED_HEX + 1], id[ASKED_HEX + 3];
    BUF_AUTO text = { 0 };

    randombytes_buf(random, sizeof(random));
    sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
    snprintf(id, sizeof(id), "\"%s\"", hex);
    buf_format(&text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":", id, method);
    buf_text(&text, params);
    buf_char(&text, '}');
    free(outlet->asked);
    outlet->asked = copy(id);
    outlet->told = told;
    outlet_put(outlet, text.bytes, text.len);
}

void outlet_progress(struct outlet *outlet, double done, double total, const char *text)
{
    BUF_AUTO message = { 0 };
    struct json_out out;

    if (!outlet->progress || outlet->only_json)
        return;
    json_begin(&out, &message);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_text(&out, "method", "notifications/progress");
    json_map(&out, "params");
    json_raw(&out, "progressToken", outlet->progress);
    json_double(&out, "progress", done);
    if (total > 0)
        json_double(&out, "total", total);
    if (text)
        json_text(&out, "message", text);
    json_map_end(&out);
    json_map_end(&out);
    outlet_put(outlet, message.bytes, message.len);
}

void outlet_withdraw(struct outlet *outlet)
{
    BUF_AUTO message = { 0 };

    pthread_mutex_lock(&outlet->outlets->lock);
    if (outlet->asked) {
        buf_format(&message,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%s,"
                   "\"reason\":\"It has been answered elsewhere.\"}}",
                   outlet->asked);
        outlet_put(outlet, message.bytes, message.len);
        free(outlet->asked);
        outlet->asked = NULL;
    }
    pthread_mutex_unlock(&outlet->outlets->lock);
}

static bool is_of(const struct outlet *outlet, struct outlet_sender from)
{
    return outlet->session == from.session && outlet->owner == from.owner;
}

void *outlets_told(struct outlets *outlets, struct outlet_sender from, const char *id, const json_t *result)
{
    void *to_do = NULL;

    pthread_mutex_lock(&outlets->lock);
    for (struct outlet *outlet = outlets->open; outlet; outlet = outlet->next) {
        if (!is_of(outlet, from) || !outlet->asked || strcmp(outlet->asked, id) != 0)
            continue;
        free(outlet->asked);
        outlet->asked = NULL;
        outlet->told(outlet, result);
        to_do = outlet->to_do;
        outlet->to_do = NULL;
        break;
    }
    pthread_mutex_unlock(&outlets->lock);
    return to_do;
}

/* Its wait, if any, ends by itself: the stream ends, and with it everything that hangs on it. */
void outlets_cancel(struct outlets *outlets, struct outlet_sender from, const char *id)
{
    pthread_mutex_lock(&outlets->lock);
    for (struct outlet *outlet = outlets->open; outlet; outlet = outlet->next) {
        if (!is_of(outlet, from) || !outlet->id || strcmp(outlet->id, id) != 0 || outlet->ended)
            continue;
        outlet->cancelled = true;
        http_stream_wake(outlet->exchange);
    }
    pthread_mutex_unlock(&outlets->lock);
}
