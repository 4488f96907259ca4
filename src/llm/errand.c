/*
 * One attempt: the call that goes out, what comes in, and the lines of a script in place of both.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "llm/internal.h"
#include "llm/retry.h"
#include "llm/script.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define OVER_MS  200  /* for the end of a reply that is over */
#define ENDED_MS 2000 /* for the count of tokens that may follow a text */

void errand_free(struct errand *errand)
{
    draft_done(&errand->draft);
    buf_done(&errand->body);
    if (errand->key)
        explicit_bzero((char *)(uintptr_t)errand->key, strlen(errand->key));
    arena_done(&errand->arena);
    free(errand);
}

/* What comes in. */

bool errand_take_event(struct errand *errand, const char *text, size_t len)
{
    JSON_AUTO *event = NULL;
    struct err err = { 0 };

    if (errand->draft.over)
        return true;
    if (errand->provider->events && len == 6 && memcmp(text, "[DONE]", 6) == 0) {
        errand->draft.ended = errand->draft.over = true;
        return true;
    }
    if (!json_parse(text, len, &event, &err))
        return draft_fail(&errand->draft, err.code == ERR_UNAVAILABLE ? LLM_FAILED : LLM_GARBLED,
                          "What came from the %s is not JSON: %s", errand->server, err.text);
    return errand->provider->take(&errand->draft, event);
}

static bool take_event(void *user, const char *text, size_t len)
{
    return errand_take_event(user, text, len);
}

static bool has_type(struct net_call *call, const char *type)
{
    const char *header = net_call_header(call, "Content-Type");

    return header && strcasestr(header, type);
}

/* The first byte that is not white space tells a page or an object from a stream. */
static enum reading reading_of(struct errand *errand, struct net_call *call, const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len && (bytes[at] == ' ' || bytes[at] == '\r' || bytes[at] == '\n' || bytes[at] == '\t'))
        at++;
    if (net_call_status(call) != 200 || has_type(call, "text/html") || (at < len && bytes[at] == '<'))
        return READ_ERROR;
    if (!errand->provider->events)
        return READ_LINES;
    return at < len && bytes[at] == '{' ? READ_WHOLE : READ_EVENTS;
}

static void begin_reading(struct errand *errand, struct net_call *call, const char *bytes, size_t len)
{
    errand->reading = reading_of(errand, call, bytes, len);
    if (errand->reading == READ_EVENTS)
        sse_init(&errand->sse, take_event, errand);
    else if (errand->reading == READ_LINES)
        ndjson_init(&errand->ndjson, take_event, errand);
    else
        buf_init(&errand->rest, errand->reading == READ_WHOLE ? LIMIT_MODEL_LINE : LIMIT_MODEL_ERROR);
}

static void end_reading(struct errand *errand)
{
    if (errand->reading == READ_EVENTS)
        sse_done(&errand->sse);
    else if (errand->reading == READ_LINES)
        ndjson_done(&errand->ndjson);
    else if (errand->reading != READ_NOTHING)
        buf_done(&errand->rest);
    errand->reading = READ_NOTHING;
}

static bool too_long(struct errand *errand)
{
    return draft_fail(&errand->draft, LLM_FLOODED, "The %s sent a piece of more than %d KB.", errand->server,
                      LIMIT_MODEL_LINE / KB);
}

static bool read_chunk(struct errand *errand, const char *bytes, size_t len)
{
    switch (errand->reading) {
    case READ_EVENTS:
        return sse_feed(&errand->sse, bytes, len) || (sse_too_long(&errand->sse) && too_long(errand));
    case READ_LINES:
        return ndjson_feed(&errand->ndjson, bytes, len) ||
               (errand->ndjson.lines.too_long && too_long(errand));
    case READ_WHOLE: buf_add(&errand->rest, bytes, len); return !errand->rest.full || too_long(errand);
    default: buf_add(&errand->rest, bytes, len); return !errand->rest.full;
    }
}

/*
 * A reply that is over should end of itself, so that its connection serves the next one; a server that keeps
 * it open is not waited for.
 */
static bool take_chunk(void *user, struct net_call *call, const char *bytes, size_t len)
{
    struct errand *errand = user;

    if (errand->draft.over)
        return false;
    if (errand->reading == READ_NOTHING)
        begin_reading(errand, call, bytes, len);
    if (!read_chunk(errand, bytes, len))
        return false;
    if (errand->draft.over)
        net_call_hurry(call, OVER_MS);
    else if (errand->draft.ended)
        net_call_hurry(call, ENDED_MS);
    return true;
}

/* Going out. */

static void call_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct errand *errand = user;
    int64_t wait_ms = retry_after_ms(net_call_header(call, "Retry-After"), (int64_t)time(NULL));

    errand->call = NULL;
    errand->status = net_call_status(call);
    verdict(errand, call, end, why);
    if (errand->draft.kind == LLM_REFUSED && verdict_adapt(errand)) {
        end_reading(errand);
        draft_reset(&errand->draft);
        errand->attempts--;
        errand_ask(errand);
        return;
    }
    end_reading(errand);
    errand_ended(errand, wait_ms);
}

static int64_t time_left_ms(const struct errand *errand)
{
    return errand->began_ms + errand->model.timeout_ms - clock_ticks_ms();
}

static void call_out(struct errand *errand)
{
    struct err err = { 0 };
    const struct net_request request = {
        .url = errand->url,
        .headers = errand->headers,
        .body = errand->body.bytes,
        .body_len = errand->body.len,
        .policy = { .reach = errand->model.public_only ? NET_REACH_PUBLIC
                             : errand->model.here_only ? NET_REACH_HERE
                                                       : NET_REACH_OWN,
                    .connect_ms = errand->model.connect_timeout_ms,
                    .first_ms = errand->model.first_timeout_ms,
                    .idle_ms = errand->model.idle_timeout_ms,
                    .whole_ms = time_left_ms(errand),
                    .body_most = LIMIT_MODEL_WIRE },
        .chunk = take_chunk,
        .done = call_done,
        .user = errand,
    };

    if (net_call_start(errand->llm->net, &request, &errand->call, &err))
        return;
    draft_fail(&errand->draft, err.code == ERR_INVALID ? LLM_NOT_ALLOWED : LLM_FAILED, "%s", err.text);
    errand_ended(errand, -1);
}

/* Scripts. */

static void call_tools(struct errand *errand)
{
    const char *tool, *arguments;

    for (size_t i = 0; script_next_call(&errand->arena, &errand->calls, &tool, &arguments); i++)
        if (!draft_tool(&errand->draft, i, NULL, tool, arguments))
            return;
}

static void end_script(struct errand *errand)
{
    call_tools(errand);
    errand->draft.ended = true;
    draft_finish(&errand->draft, errand->draft.tool_count > 0 ? LLM_FINISH_TOOLS : LLM_FINISH_STOP);
    draft_close(&errand->draft);
    errand_ended(errand, -1);
}

/* A word with the space behind it. */
static size_t word_len(const char *line)
{
    size_t len = strcspn(line, " \n");

    return len + strspn(line + len, " \n");
}

static void say_next_word(void *user)
{
    struct errand *errand = user;

    if (time_left_ms(errand) <= 0) {
        draft_fail(&errand->draft, LLM_TOO_SLOW,
                   "The script took longer than the %lld ms that a call may take.",
                   (long long)errand->model.timeout_ms);
        errand_ended(errand, -1);
        return;
    }
    while (*errand->line) {
        size_t len = word_len(errand->line);
        const char *word = errand->line;

        errand->line += len;
        if (!draft_text(&errand->draft, word, len))
            break;
        if (errand->model.delay_ms > 0 && *errand->line) {
            net_timer_set(errand->llm->net, &errand->timer, errand->model.delay_ms);
            return;
        }
    }
    end_script(errand);
}

static void play(struct errand *errand)
{
    if (strncmp(errand->line, "!fail", 5) == 0) {
        draft_fail(&errand->draft, LLM_REFUSED, "The script says:%s", errand->line + 5);
        errand_ended(errand, -1);
        return;
    }
    errand->timer = (struct timer){ .run = say_next_word, .user = errand };
    net_timer_set(errand->llm->net, &errand->timer, errand->model.delay_ms);
}

void errand_ask(struct errand *errand)
{
    if (errand->began_ms == 0)
        errand->began_ms = clock_ticks_ms();
    errand->attempts++;
    errand->status = 0;
    if (time_left_ms(errand) <= 0) {
        draft_fail(&errand->draft, LLM_TOO_SLOW,
                   "The %lld ms that a call may take were over before it had its turn.",
                   (long long)errand->model.timeout_ms);
        errand_ended(errand, -1);
    } else if (errand->model.provider == LLM_SCRIPTED) {
        play(errand);
    } else {
        call_out(errand);
    }
}

void errand_cancel(struct errand *errand)
{
    if (errand->call) {
        net_call_cancel(errand->call);
        return;
    }
    net_timer_stop(errand->llm->net, &errand->timer);
    errand->draft.kind = LLM_FINE;
    draft_fail(&errand->draft, LLM_CANCELLED, "The call was cancelled.");
    errand_ended(errand, -1);
}
