/*
 * What came of an attempt, in a kind for programs and a sentence for people. Here the ways in which a server
 * can be wrong are told apart; what it said itself is shown, cleaned (scrub.h).
 */
#include "base/limits.h"
#include "base/str.h"
#include "llm/internal.h"
#include "llm/scrub.h"
#include "llm/wire.h"

#include <ctype.h>
#include <string.h>

#define ADAPTATIONS 3
#define SAID_CHARS  160 /* of what a server said */

static const char *const slow_words[] = {
    [NET_SLOW_CONNECT] = "did not take the connection",
    [NET_SLOW_START] = "sent no word",
    [NET_SLOW_NEXT] = "fell silent in the middle",
    [NET_SLOW_WHOLE] = "did not come to an end",
};

static int64_t slow_ms(const struct job *job, enum net_end end)
{
    switch (end) {
    case NET_SLOW_CONNECT: return job->model.connect_timeout_ms;
    case NET_SLOW_START: return job->model.first_timeout_ms;
    case NET_SLOW_NEXT: return job->model.idle_timeout_ms;
    default: return job->model.timeout_ms;
    }
}

static void of_the_net(struct job *job, enum net_end end, const char *why)
{
    struct draft *draft = &job->draft;

    switch (end) {
    case NET_CANCELLED: draft_fail(draft, LLM_CANCELLED, "The call was cancelled."); break;
    case NET_NO_HOST:
        draft_fail(draft, LLM_UNREACHABLE, "There is no server %s: its name is unknown.", job->url);
        break;
    case NET_NO_SERVER:
        draft_fail(draft, LLM_UNREACHABLE, "Nobody answers at %s: is the server running?", job->url);
        break;
    case NET_NO_TLS:
        draft_fail(draft, LLM_UNREACHABLE, "There is no trusted connection to %s: %s", job->url, why);
        break;
    case NET_NOT_ALLOWED:
        draft_fail(draft, LLM_NOT_ALLOWED, "%s leads to an address that may not be called.", job->url);
        break;
    case NET_SLOW_CONNECT:
    case NET_SLOW_START:
    case NET_SLOW_NEXT:
    case NET_SLOW_WHOLE:
        draft_fail(draft, LLM_TOO_SLOW, "Too slow: %s %s for %lld ms.", job->url, slow_words[end],
                   (long long)slow_ms(job, end));
        break;
    case NET_TOO_LARGE:
        draft_fail(draft, LLM_FLOODED, "%s sent more than %d MB.", job->url, LIMIT_MODEL_WIRE / MB);
        break;
    case NET_GARBLED:
        draft_fail(draft, LLM_GARBLED, "%s does not speak HTTP as it should: %s.", job->url, why);
        break;
    case NET_NO_MEMORY: draft_fail(draft, LLM_FAILED, "There is not enough memory."); break;
    default: draft_fail(draft, LLM_BROKE_OFF, "The connection to %s broke off: %s", job->url, why); break;
    }
}

static enum llm_kind kind_of_status(int status)
{
    if (status == 401 || status == 403)
        return LLM_WRONG_KEY;
    if (status == 404)
        return LLM_UNKNOWN_MODEL;
    if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500)
        return LLM_BUSY;
    if (status >= 300 && status < 400)
        return LLM_NOT_ALLOWED;
    return LLM_REFUSED;
}

static const char *key_place(const struct job *job)
{
    if (*job->model.api_key_file)
        return job->model.api_key_file;
    if (*job->model.api_key_env)
        return job->model.api_key_env;
    return job->provider->key_env ? job->provider->key_env : "api_key_env";
}

static bool is_html(const struct job *job)
{
    const char *text = job->reading == READ_ERROR ? job->rest.bytes : "";

    while (isspace((unsigned char)*text))
        text++;
    return *text == '<';
}

static void of_kind(struct job *job, enum llm_kind kind, const char *said)
{
    struct draft *draft = &job->draft;
    int status = job->status;

    switch (kind) {
    case LLM_WRONG_KEY:
        if (job->key)
            draft_fail(draft, kind, "%s refuses the key from %s (%d): %s", job->url, key_place(job), status,
                       said);
        else
            draft_fail(draft, kind, "%s wants a key, and none is set (%d): %s", job->url, status, said);
        break;
    case LLM_UNKNOWN_MODEL:
        draft_fail(draft, kind, "%s does not know the model \"%s\" (%d): %s", job->url, job->model.model,
                   status, said);
        break;
    case LLM_NOT_ALLOWED:
        draft_fail(draft, kind,
                   "%s sends us elsewhere (%d), and redirects are not followed: is base_url right?", job->url,
                   status);
        break;
    case LLM_BUSY:
        draft_fail(draft, kind, "%s %s (%d): %s", job->url,
                   status == 429 ? "asks us to come more slowly" : "is in trouble", status, said);
        break;
    default: draft_fail(draft, kind, "%s refuses the request (%d): %s", job->url, status, said); break;
    }
}

/* A 404 with an error in it is about the model; without one, nobody there knows the path. */
static void of_the_status(struct job *job)
{
    JSON_AUTO *error = NULL;
    struct err ignored = { 0 };
    bool readable =
        job->reading == READ_ERROR && json_parse(job->rest.bytes, job->rest.len, &error, &ignored);
    const char *said = readable ? wire_complaint(error) : NULL;
    enum llm_kind kind = readable && job->provider->kind_of ? job->provider->kind_of(error) : LLM_FINE;

    if (kind == LLM_FINE)
        kind = kind_of_status(job->status);
    if (!said && kind != LLM_BUSY && kind != LLM_NOT_ALLOWED && kind != LLM_WRONG_KEY) {
        draft_fail(&job->draft, LLM_GARBLED, "%s answers %d with %s: is base_url right?", job->url,
                   job->status, is_html(job) ? "a web page instead of JSON" : "something else than JSON");
        return;
    }
    of_kind(job, kind, said ? scrub(&job->arena, said, job->key, SAID_CHARS) : "it does not say why.");
}

/* Everything came; was it a reply? */
static void of_the_reply(struct job *job)
{
    struct draft *draft = &job->draft;

    if (job->reading == READ_EVENTS && !sse_flush(&job->sse) && sse_too_long(&job->sse))
        draft_fail(draft, LLM_FLOODED, "%s sent a piece of more than %d KB.", job->url,
                   LIMIT_MODEL_LINE / KB);
    else if (job->reading == READ_LINES)
        (void)ndjson_flush(&job->ndjson);
    else if (job->reading == READ_WHOLE)
        (void)job_take_event(job, job->rest.bytes, job->rest.len);
    else if (job->reading == READ_ERROR)
        draft_fail(draft, LLM_GARBLED, "%s sent a web page instead of JSON: is base_url right?", job->url);
    if (draft->ended)
        return;
    if (job->reading == READ_NOTHING)
        draft_fail(draft, LLM_GARBLED, "%s sent nothing at all.", job->url);
    else if (job->reading == READ_WHOLE)
        draft_fail(draft, LLM_GARBLED, "%s sent JSON that is no reply.", job->url);
    else
        draft_fail(draft, LLM_BROKE_OFF, "The reply from %s broke off before its end.", job->url);
}

void verdict(struct job *job, struct net_call *call, enum net_end end, const char *why)
{
    struct draft *draft = &job->draft;
    bool refused = job->status != 0 && job->status != 200;

    (void)call;
    if (end == NET_CANCELLED && !draft->ended)
        draft->kind = LLM_FINE; /* what else went wrong is of no interest any more */
    if (refused && (end == NET_WHOLE || end == NET_ENOUGH))
        of_the_status(job);
    else if (end == NET_WHOLE || (end == NET_ENOUGH && job->reading == READ_ERROR))
        of_the_reply(job);
    else if (end != NET_ENOUGH && !draft->ended)
        of_the_net(job, end, *why ? scrub(&job->arena, why, job->key, SAID_CHARS) : "it does not say why");
    draft_close(draft);
    if (draft->text.full)
        draft_fail(draft, LLM_FLOODED, "The reply has more than %d KB of text.", LIMIT_MODEL_TEXT / KB);
}

bool verdict_adapt(struct job *job)
{
    JSON_AUTO *body = NULL;
    struct err ignored = { 0 };
    struct json_out out;

    if (!job->provider->adapt || job->adapted == ADAPTATIONS || job->reading != READ_ERROR ||
        !json_parse(job->body.bytes, job->body.len, &body, &ignored) ||
        !job->provider->adapt(job->rest.bytes, body))
        return false;
    job->adapted++;
    buf_clear(&job->body);
    json_begin(&out, &job->body);
    json_value(&out, NULL, body);
    return true;
}
