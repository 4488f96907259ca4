/*
 * What came of an attempt, in a kind for programs and a sentence for people. Here the ways in which a server
 * can be wrong are told apart; what it said itself is shown, cleaned (scrub.h). Every reader of a discussion
 * sees these sentences, so they name the model, and not where its server is: that is the operator's business.
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

static int64_t slow_ms(const struct errand *errand, enum net_end end)
{
    switch (end) {
    case NET_SLOW_CONNECT: return errand->model.connect_timeout_ms;
    case NET_SLOW_START: return errand->model.first_timeout_ms;
    case NET_SLOW_NEXT: return errand->model.idle_timeout_ms;
    default: return errand->model.timeout_ms;
    }
}

static void of_the_net(struct errand *errand, enum net_end end, const char *why)
{
    struct draft *draft = &errand->draft;

    switch (end) {
    case NET_CANCELLED: draft_fail(draft, LLM_CANCELLED, "The call was cancelled."); break;
    case NET_NO_HOST:
        draft_fail(draft, LLM_UNREACHABLE, "The %s is not found: its name is unknown.", errand->server);
        break;
    case NET_NO_SERVER:
        draft_fail(draft, LLM_UNREACHABLE, "Nobody answers at the %s: is the server running?",
                   errand->server);
        break;
    case NET_NO_TLS:
        draft_fail(draft, LLM_UNREACHABLE, "There is no trusted connection to the %s: %s", errand->server,
                   why);
        break;
    case NET_NOT_ALLOWED:
        draft_fail(
            draft, LLM_NOT_ALLOWED,
            errand->model.public_only
                ? "The %s may not be called: a server that an agent's config names must be public, and its port allowed (see server.connect_ports). "
                  "Others stand under models in config.yaml."
                : "The %s has an address or a port that may not be called (see server.connect_ports).",
            errand->server);
        break;
    case NET_SLOW_CONNECT:
    case NET_SLOW_START:
    case NET_SLOW_NEXT:
    case NET_SLOW_WHOLE:
        draft_fail(draft, LLM_TOO_SLOW, "Too slow: the %s %s for %lld ms.", errand->server, slow_words[end],
                   (long long)slow_ms(errand, end));
        break;
    case NET_TOO_LARGE:
        draft_fail(draft, LLM_FLOODED, "The %s sent more than %d MB.", errand->server, LIMIT_MODEL_WIRE / MB);
        break;
    case NET_GARBLED:
        draft_fail(draft, LLM_GARBLED, "The %s does not speak HTTP as it should: %s.", errand->server, why);
        break;
    case NET_NO_MEMORY: draft_fail(draft, LLM_FAILED, "There is not enough memory."); break;
    default:
        draft_fail(draft, LLM_BROKE_OFF, "The connection to the %s broke off: %s", errand->server, why);
        break;
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

static const char *key_place(const struct errand *errand)
{
    if (*errand->model.api_key_file)
        return "its file";
    if (*errand->model.api_key_env)
        return errand->model.api_key_env;
    return errand->provider->key_env ? errand->provider->key_env : "api_key_env";
}

static bool is_html(const struct errand *errand)
{
    const char *text = errand->reading == READ_ERROR ? errand->rest.bytes : "";

    while (isspace((unsigned char)*text))
        text++;
    return *text == '<';
}

static void of_kind(struct errand *errand, enum llm_kind kind, const char *said)
{
    struct draft *draft = &errand->draft;
    int status = errand->status;

    switch (kind) {
    case LLM_WRONG_KEY:
        if (errand->key)
            draft_fail(draft, kind, "The %s refuses the key from %s (%d): %s", errand->server,
                       key_place(errand), status, said);
        else
            draft_fail(draft, kind, "The %s wants a key, and none is set (%d): %s", errand->server, status,
                       said);
        break;
    case LLM_UNKNOWN_MODEL:
        draft_fail(draft, kind, "The %s does not know the model \"%s\" (%d): %s", errand->server,
                   errand->model.model, status, said);
        break;
    case LLM_NOT_ALLOWED:
        draft_fail(draft, kind,
                   "The %s sends us elsewhere (%d), and redirects are not followed: is base_url right?",
                   errand->server, status);
        break;
    case LLM_BUSY:
        draft_fail(draft, kind, "The %s %s (%d): %s", errand->server,
                   status == 429 ? "asks us to come more slowly" : "is in trouble", status, said);
        break;
    default:
        draft_fail(draft, kind, "The %s refuses the request (%d): %s", errand->server, status, said);
        break;
    }
}

/* A 404 with an error in it is about the model; without one, nobody there knows the path. */
static void of_the_status(struct errand *errand)
{
    const struct secrets secrets = { errand->key, errand->host };
    JSON_AUTO *error = NULL;
    struct err ignored = { 0 };
    bool readable =
        errand->reading == READ_ERROR && json_parse(errand->rest.bytes, errand->rest.len, &error, &ignored);
    const char *said = readable ? wire_complaint(error) : NULL;
    enum llm_kind kind = readable && errand->provider->kind_of ? errand->provider->kind_of(error) : LLM_FINE;

    if (kind == LLM_FINE)
        kind = kind_of_status(errand->status);
    if (!said && kind != LLM_BUSY && kind != LLM_NOT_ALLOWED && kind != LLM_WRONG_KEY) {
        draft_fail(&errand->draft, LLM_GARBLED, "The %s answers %d with %s: is base_url right?",
                   errand->server, errand->status,
                   is_html(errand) ? "a web page instead of JSON" : "something else than JSON");
        return;
    }
    of_kind(errand, kind, said ? scrub(&errand->arena, said, &secrets, SAID_CHARS) : "it does not say why.");
}

/* The rest, when a stream has ended. Half an event is one that broke off, not one that is wrong. */
static void flush(struct errand *errand)
{
    struct draft *draft = &errand->draft;
    bool was_fine = draft->kind == LLM_FINE;

    if (errand->reading == READ_EVENTS && !sse_flush(&errand->sse) && sse_too_long(&errand->sse))
        draft_fail(draft, LLM_FLOODED, "The %s sent a piece of more than %d KB.", errand->server,
                   LIMIT_MODEL_LINE / KB);
    if (errand->reading == READ_LINES)
        (void)ndjson_flush(&errand->ndjson);
    if (was_fine && errand->reading == READ_EVENTS && draft->kind == LLM_GARBLED)
        draft->kind = LLM_FINE;
}

/* Everything came; was it a reply? */
static void of_the_reply(struct errand *errand)
{
    struct draft *draft = &errand->draft;

    flush(errand);
    if (errand->reading == READ_WHOLE)
        (void)errand_take_event(errand, errand->rest.bytes, errand->rest.len);
    else if (errand->reading == READ_ERROR)
        draft_fail(draft, LLM_GARBLED, "The %s sent a web page instead of JSON: is base_url right?",
                   errand->server);
    if (draft->ended)
        return;
    if (errand->reading == READ_NOTHING)
        draft_fail(draft, LLM_GARBLED, "The %s sent nothing at all.", errand->server);
    else if (errand->reading == READ_WHOLE)
        draft_fail(draft, LLM_GARBLED, "The %s sent JSON that is not a reply.", errand->server);
    else
        draft_fail(draft, LLM_BROKE_OFF, "The reply from the %s broke off before its end.", errand->server);
}

void verdict(struct errand *errand, struct net_call *call, enum net_end end, const char *why)
{
    const struct secrets secrets = { errand->key, errand->host };
    struct draft *draft = &errand->draft;
    bool refused = errand->status != 0 && errand->status != 200;

    (void)call;
    if (end == NET_CANCELLED && !draft->ended)
        draft->kind = LLM_FINE; /* what else went wrong is of no interest any more */
    if (refused && (end == NET_WHOLE || end == NET_ENOUGH))
        of_the_status(errand);
    else if (end == NET_WHOLE || (end == NET_ENOUGH && errand->reading == READ_ERROR))
        of_the_reply(errand);
    else if (end != NET_ENOUGH && !draft->ended)
        of_the_net(errand, end,
                   *why ? scrub(&errand->arena, why, &secrets, SAID_CHARS) : "it does not say why");
    draft_close(draft);
    if (draft->text.full)
        draft_fail(draft, LLM_FLOODED, "The reply has more than %d KB of text.", LIMIT_MODEL_TEXT / KB);
}

bool verdict_adapt(struct errand *errand)
{
    JSON_AUTO *body = NULL;
    struct err ignored = { 0 };
    struct json_out out;

    if (!errand->provider->adapt || errand->adapted == ADAPTATIONS || errand->reading != READ_ERROR ||
        !json_parse(errand->body.bytes, errand->body.len, &body, &ignored) ||
        !errand->provider->adapt(errand->rest.bytes, body))
        return false;
    errand->adapted++;
    buf_clear(&errand->body);
    json_begin(&out, &errand->body);
    json_value(&out, NULL, body);
    return true;
}
