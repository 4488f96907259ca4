/*
 * One attempt: the call that goes out, what comes in, and the lines of a script in place of both.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "llm/internal.h"
#include "llm/retry.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define OVER_MS  200  /* for the end of a reply that is over */
#define ENDED_MS 2000 /* for the count of tokens that may follow a text */

void job_free(struct job *job)
{
    draft_done(&job->draft);
    buf_done(&job->body);
    if (job->key)
        explicit_bzero((char *)(uintptr_t)job->key, strlen(job->key));
    arena_done(&job->arena);
    free(job);
}

/* What comes in. */

bool job_take_event(struct job *job, const char *text, size_t len)
{
    JSON_AUTO *event = NULL;
    struct err err = { 0 };

    if (job->draft.over)
        return true;
    if (job->provider->events && len == 6 && memcmp(text, "[DONE]", 6) == 0) {
        job->draft.ended = job->draft.over = true;
        return true;
    }
    if (!json_parse(text, len, &event, &err))
        return draft_fail(&job->draft, err.code == ERR_UNAVAILABLE ? LLM_FAILED : LLM_GARBLED,
                          "What came from %s is not JSON: %s", job->url, err.text);
    return job->provider->take(&job->draft, event);
}

static bool take_event(void *user, const char *text, size_t len)
{
    return job_take_event(user, text, len);
}

static bool has_type(struct net_call *call, const char *type)
{
    const char *header = net_call_header(call, "Content-Type");

    return header && strcasestr(header, type);
}

/* The first byte that is not white space tells a page or an object from a stream. */
static enum reading reading_of(struct job *job, struct net_call *call, const char *bytes, size_t len)
{
    size_t at = 0;

    while (at < len && (bytes[at] == ' ' || bytes[at] == '\r' || bytes[at] == '\n' || bytes[at] == '\t'))
        at++;
    if (net_call_status(call) != 200 || has_type(call, "text/html") || (at < len && bytes[at] == '<'))
        return READ_ERROR;
    if (!job->provider->events)
        return READ_LINES;
    return at < len && bytes[at] == '{' ? READ_WHOLE : READ_EVENTS;
}

static void begin_reading(struct job *job, struct net_call *call, const char *bytes, size_t len)
{
    job->reading = reading_of(job, call, bytes, len);
    if (job->reading == READ_EVENTS)
        sse_init(&job->sse, take_event, job);
    else if (job->reading == READ_LINES)
        ndjson_init(&job->ndjson, take_event, job);
    else
        buf_init(&job->rest, job->reading == READ_WHOLE ? LIMIT_MODEL_LINE : LIMIT_MODEL_ERROR);
}

static void end_reading(struct job *job)
{
    if (job->reading == READ_EVENTS)
        sse_done(&job->sse);
    else if (job->reading == READ_LINES)
        ndjson_done(&job->ndjson);
    else if (job->reading != READ_NOTHING)
        buf_done(&job->rest);
    job->reading = READ_NOTHING;
}

static bool too_long(struct job *job)
{
    return draft_fail(&job->draft, LLM_FLOODED, "%s sent a piece of more than %d KB.", job->url,
                      LIMIT_MODEL_LINE / KB);
}

static bool read_chunk(struct job *job, const char *bytes, size_t len)
{
    switch (job->reading) {
    case READ_EVENTS: return sse_feed(&job->sse, bytes, len) || (sse_too_long(&job->sse) && too_long(job));
    case READ_LINES:
        return ndjson_feed(&job->ndjson, bytes, len) || (job->ndjson.lines.too_long && too_long(job));
    case READ_WHOLE: buf_add(&job->rest, bytes, len); return !job->rest.full || too_long(job);
    default: buf_add(&job->rest, bytes, len); return !job->rest.full;
    }
}

/*
 * A reply that is over should end of itself, so that its connection serves the next one; a server that keeps
 * it open is not waited for.
 */
static bool take_chunk(void *user, struct net_call *call, const char *bytes, size_t len)
{
    struct job *job = user;

    if (job->draft.over)
        return false;
    if (job->reading == READ_NOTHING)
        begin_reading(job, call, bytes, len);
    if (!read_chunk(job, bytes, len))
        return false;
    if (job->draft.over)
        net_call_hurry(call, OVER_MS);
    else if (job->draft.ended)
        net_call_hurry(call, ENDED_MS);
    return true;
}

/* Going out. */

static void call_done(void *user, struct net_call *call, enum net_end end, const char *why)
{
    struct job *job = user;
    int64_t wait_ms = retry_after_ms(net_call_header(call, "Retry-After"), (int64_t)time(NULL));

    job->call = NULL;
    job->status = net_call_status(call);
    verdict(job, call, end, why);
    if (job->draft.kind == LLM_REFUSED && verdict_adapt(job)) {
        end_reading(job);
        draft_reset(&job->draft);
        job->attempts--;
        job_ask(job);
        return;
    }
    end_reading(job);
    job_ended(job, wait_ms);
}

static int64_t time_left_ms(const struct job *job)
{
    return job->began_ms + job->model.timeout_ms - clock_ticks_ms();
}

static void call_out(struct job *job)
{
    struct err err = { 0 };
    const struct net_request request = {
        .url = job->url,
        .headers = job->headers,
        .body = job->body.bytes,
        .body_len = job->body.len,
        .policy = { .reach = job->model.public_only ? NET_REACH_PUBLIC : NET_REACH_OWN,
                    .connect_ms = job->model.connect_timeout_ms,
                    .first_ms = job->model.first_timeout_ms,
                    .idle_ms = job->model.idle_timeout_ms,
                    .whole_ms = time_left_ms(job),
                    .body_most = LIMIT_MODEL_WIRE },
        .chunk = take_chunk,
        .done = call_done,
        .user = job,
    };

    if (net_call_start(job->llm->net, &request, &job->call, &err))
        return;
    draft_fail(&job->draft, err.code == ERR_INVALID ? LLM_NOT_ALLOWED : LLM_FAILED, "%s", err.text);
    job_ended(job, -1);
}

/* Scripts. */

static void end_script(struct job *job)
{
    job->draft.ended = true;
    draft_finish(&job->draft, LLM_FINISH_STOP);
    draft_close(&job->draft);
    job_ended(job, -1);
}

/* A word with the space behind it. */
static size_t word_len(const char *line)
{
    size_t len = strcspn(line, " \n");

    return len + strspn(line + len, " \n");
}

static void say_next_word(void *user)
{
    struct job *job = user;

    if (time_left_ms(job) <= 0) {
        draft_fail(&job->draft, LLM_TOO_SLOW, "The script took longer than the %lld ms that a call may take.",
                   (long long)job->model.timeout_ms);
        job_ended(job, -1);
        return;
    }
    while (*job->line) {
        size_t len = word_len(job->line);
        const char *word = job->line;

        job->line += len;
        if (!draft_text(&job->draft, word, len))
            break;
        if (job->model.delay_ms > 0 && *job->line) {
            net_timer_set(job->llm->net, &job->timer, job->model.delay_ms);
            return;
        }
    }
    end_script(job);
}

static void play(struct job *job)
{
    if (strncmp(job->line, "!fail", 5) == 0) {
        draft_fail(&job->draft, LLM_REFUSED, "The script says:%s", job->line + 5);
        job_ended(job, -1);
        return;
    }
    job->timer = (struct net_timer){ .run = say_next_word, .user = job };
    net_timer_set(job->llm->net, &job->timer, job->model.delay_ms);
}

void job_ask(struct job *job)
{
    if (job->began_ms == 0)
        job->began_ms = clock_ticks_ms();
    job->attempts++;
    job->status = 0;
    atomic_fetch_add(&job->llm->asked, 1);
    if (time_left_ms(job) <= 0) {
        draft_fail(&job->draft, LLM_TOO_SLOW,
                   "The %lld ms that a call may take were over before it had its turn.",
                   (long long)job->model.timeout_ms);
        job_ended(job, -1);
    } else if (job->model.provider == LLM_SCRIPTED) {
        play(job);
    } else {
        call_out(job);
    }
}

void job_cancel(struct job *job)
{
    if (job->call) {
        net_call_cancel(job->call);
        return;
    }
    net_timer_stop(job->llm->net, &job->timer);
    job->draft.kind = LLM_FINE;
    draft_fail(&job->draft, LLM_CANCELLED, "The call was cancelled.");
    job_ended(job, -1);
}
