/*
 * Requests from their beginning to their end: a place in the lanes, unless their caller has one, an attempt,
 * and another after a pause. A call that pauses keeps its place: whoever makes it pause is in no state for
 * more. Everything but llm_start, llm_cancel and closing happens on the loop's thread.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"
#include "llm/internal.h"
#include "llm/retry.h"
#include "llm/script.h"
#include "llm/scrub.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define ERRAND_BLOCK (1 * KB) /* names, URL, headers: little, and of thousands that wait */
#define WORDS_CHARS  300
#define SECRET_LEAST \
    12 /* a shorter key is a placeholder ("ollama", "none"), and perhaps a word of the reply */

/* Lanes. */

static void start_waiting(void *user)
{
    struct llm *llm = user;
    struct lane_place *place;

    atomic_store(&llm->start_posted, false);
    while ((place = lanes_take(llm->lanes, &llm->client)))
        errand_ask((struct errand *)(void *)place);
}

/* Later on the loop, for an errand may end while it is asked. Thread: any. */
static void post_start(void *user)
{
    struct llm *llm = user;

    if (!atomic_exchange(&llm->start_posted, true))
        net_post(llm->net, &llm->start_task);
}

static void join_lane(struct errand *errand)
{
    struct lane_key key = lane_of_model(&errand->arena, &errand->model);

    lanes_join(errand->llm->lanes, &errand->llm->client, &errand->place, &key);
    post_start(errand->llm);
}

/* The end of an errand. */

static void fill_result(struct errand *errand, struct llm_result *result)
{
    /* A host of one word may be any word. */
    bool unique = errand->host && strpbrk(errand->host, ".:");
    const struct secrets secrets = { errand->key, unique ? errand->host : NULL };
    const struct draft *draft = &errand->draft;
    int64_t now_ms = clock_ticks_ms();

    *result = (struct llm_result){
        .kind = draft->kind,
        .words = draft->kind == LLM_FINE ? "" : scrub(&errand->arena, draft->words, &secrets, WORDS_CHARS),
        .text = draft->text.bytes,
        .text_len = draft->text.len,
        .finish = draft->kind == LLM_FINE ? draft->finish : LLM_FINISH_NONE,
        .usage = draft->usage,
        .tool_calls = draft_tool_calls(draft, &errand->arena),
        .tool_call_count = draft->tool_count,
        .attempts = errand->attempts,
        .again_ms = errand->again_ms,
        .status = errand->status,
        .scripted = errand->model.provider == LLM_SCRIPTED,
        .stopped =
            errand->stops_sent && (draft->finish == LLM_FINISH_CUT ||
                                   (draft->finish == LLM_FINISH_STOP && !errand->provider->tells_stops)),
        .first_ms = errand->first_ms ? errand->first_ms - errand->began_ms : -1,
        .whole_ms = errand->began_ms ? now_ms - errand->began_ms : 0,
    };
    if (result->kind == LLM_FINE && result->finish == LLM_FINISH_NONE)
        result->finish = LLM_FINISH_STOP;
}

static void report(struct errand *errand)
{
    struct llm *llm = errand->llm;
    struct llm_result result;

    fill_result(errand, &result);
    if (!errand->has_place) {
        lanes_leave(llm->lanes, &errand->place);
        post_start(llm);
    }
    errand->callbacks.done(errand->callbacks.user, &result);
    *errand->link = errand->next;
    if (errand->next)
        errand->next->link = errand->link;
    errand_free(errand);
    pthread_mutex_lock(&llm->lock);
    if (--llm->open == 0)
        pthread_cond_broadcast(&llm->empty);
    pthread_mutex_unlock(&llm->lock);
}

static void try_again(void *user)
{
    struct errand *errand = user;

    if (errand->draft.text.len > 0 && errand->callbacks.restart)
        errand->callbacks.restart(errand->callbacks.user);
    draft_reset(&errand->draft);
    errand->first_ms = 0;
    errand_ask(errand);
}

static int64_t pause_before_next(const struct errand *errand, int64_t retry_after)
{
    struct retry retry = {
        .kind = errand->draft.kind,
        .status = errand->status,
        .attempts = errand->attempts,
        .retries = errand->model.retries,
        .retry_after_ms = retry_after,
        .left_ms = errand->began_ms + errand->model.timeout_ms - clock_ticks_ms(),
        .random = randombytes_random(),
    };
    bool heard =
        errand->draft.text.len > 0 && errand->callbacks.delta && !errand->callbacks.restart && !errand->once;

    return heard || errand->llm->closing || errand->model.provider == LLM_SCRIPTED ? -1
                                                                                   : retry_pause_ms(&retry);
}

void errand_ended(struct errand *errand, int64_t retry_after)
{
    struct llm *llm = errand->llm;
    int64_t pause_ms = pause_before_next(errand, retry_after);

    if (errand->once) {
        errand->again_ms = pause_ms;
        pause_ms = -1;
    }
    if (pause_ms >= 0) {
        errand->timer = (struct timer){ .run = try_again, .user = errand };
        net_timer_set(llm->net, &errand->timer, pause_ms);
    } else {
        report(errand);
    }
}

/* The beginning. */

static void enter(void *user)
{
    struct errand *errand = user;
    struct llm *llm = errand->llm;

    errand->link = &llm->errands;
    errand->next = llm->errands;
    if (errand->next)
        errand->next->link = &errand->next;
    llm->errands = errand;
    if (llm->closing)
        errand_cancel(errand);
    else if (errand->has_place)
        errand_ask(errand);
    else
        join_lane(errand);
}

static bool take_delta(void *user, const char *text, size_t len)
{
    struct errand *errand = user;

    if (errand->first_ms == 0)
        errand->first_ms = clock_ticks_ms();
    return !errand->callbacks.delta || errand->callbacks.delta(errand->callbacks.user, text, len);
}

static bool check_request(const struct llm_request *request, struct err *err)
{
    if (request->stop_count > LIMIT_STOPS)
        return err_field(err, "stop", "There can be at most %d stop sequences.", LIMIT_STOPS);
    for (size_t i = 0; i < request->stop_count; i++)
        if (strlen(request->stops[i]) > LIMIT_STOP)
            return err_field(err, "stop", "A stop sequence has at most %d bytes.", LIMIT_STOP);
    if (request->tool_count > LIMIT_MODEL_TOOLS)
        return err_field(err, "tools", "There can be at most %d tools.", LIMIT_MODEL_TOOLS);
    return true;
}

static const char *const *make_headers(struct errand *errand)
{
    const struct provider *provider = errand->provider;
    size_t count = 0, more = 0;

    while (provider->headers && provider->headers[more])
        more++;
    const char **headers = arena_array(&errand->arena, const char *, more + 4);

    headers[count++] = "Content-Type: application/json";
    headers[count++] = provider->accept;
    for (size_t i = 0; i < more; i++)
        headers[count++] = provider->headers[i];
    if (errand->key) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        headers[count++] = arena_format(&errand->arena, provider->key_header, errand->key);
#pragma GCC diagnostic pop
    }
    return headers;
}

static void copy_model(struct errand *errand, const struct llm_model *model)
{
    errand->model = *model;
    errand->model.name = arena_text(&errand->arena, model->name);
    errand->model.script_text = NULL;
#define TEXT(member, key, fallback, help) errand->model.member = arena_text(&errand->arena, model->member);
#define NUMBER(member, key, fallback, least, most, help)
    MODEL_SETTINGS(TEXT, NUMBER, NUMBER, NUMBER)
#undef TEXT
#undef NUMBER
}

static bool prepare_script(struct errand *errand, const struct llm_request *request, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *script = request->model->script_text;

    if (!script && !script_read(&arena, request->model->script, &script, err))
        return false;
    const struct script_cue cue = { request->speaker, request->kind, request->turn };

    errand->line = script_reply(&errand->arena, script, &cue);
    errand->calls = request->tool_count > 0 ? script_calls(&errand->arena, &errand->line) : NULL;
    return true;
}

static bool prepare_call(struct errand *errand, const struct llm_request *request, struct err *err)
{
    struct json_out out;

    if (!model_key(request->model, &errand->arena, &errand->key, err))
        return false;
    errand->url = arena_format(&errand->arena, "%s%s", model_url(&errand->model), errand->provider->path);
    errand->server = arena_format(&errand->arena, "server of \"%s\"",
                                  *errand->model.name ? errand->model.name : errand->model.model);
    errand->host = scrub_host(&errand->arena, errand->url);
    errand->headers = make_headers(errand);
    errand->stops_sent = !request->keep_stops && request->stop_count > 0;
    buf_init(&errand->body, LIMIT_MODEL_REQUEST);
    json_begin(&out, &errand->body);
    errand->provider->write(request, &out);
    if (errand->body.full)
        return err_set(err, ERR_TOO_LARGE, "The request to the model is larger than %d MB.",
                       LIMIT_MODEL_REQUEST / MB);
    return true;
}

/* The caller may be left at any allocation, when there is no memory (base/memory.h). */
static void drop_errand(struct errand **errand)
{
    if (*errand)
        errand_free(*errand);
}

static struct errand *errand_new(struct llm *llm, const struct llm_request *request,
                                 const struct llm_callbacks *callbacks, struct err *err)
{
    __attribute__((cleanup(drop_errand))) struct errand *errand = NULL;

    errand = memory_take(sizeof(*errand));
    *errand = (struct errand){ .llm = llm,
                               .callbacks = *callbacks,
                               .once = request->once,
                               .has_place = request->has_place,
                               .again_ms = -1,
                               .provider = provider_of(request->model->provider) };
    errand->arena.block = ERRAND_BLOCK;
    errand->task = (struct net_task){ .run = enter, .user = errand };
    buf_init(&errand->body, 0);
    copy_model(errand, request->model);
    draft_init(&errand->draft, take_delta, errand);
    bool cuts = !request->own_cutting;

    stops_init(&errand->draft.stops, &errand->arena, request->stops, cuts ? request->stop_count : 0,
               cuts ? request->speaker : NULL);
    bool good = request->model->provider == LLM_SCRIPTED ? prepare_script(errand, request, err)
                                                         : prepare_call(errand, request, err);

    if (!good)
        return NULL;
    if (errand->key && strlen(errand->key) >= SECRET_LEAST)
        stops_hide(&errand->draft.stops, &errand->arena, errand->key);
    struct errand *made = errand;

    errand = NULL;
    return made;
}

static bool take_in(struct llm *llm, struct errand *errand, struct err *err)
{
    pthread_mutex_lock(&llm->lock);
    bool refusing = llm->refusing, full = llm->open >= LIMIT_MODEL_WAITING;

    if (!refusing && !full) {
        llm->open++;
        errand->id = ++llm->last_id;
    }
    pthread_mutex_unlock(&llm->lock);
    if (refusing)
        return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
    return !full || err_set(err, ERR_UNAVAILABLE, "Too many calls wait for models.");
}

bool llm_start(struct llm *llm, const struct llm_request *request, const struct llm_callbacks *callbacks,
               uint64_t *id, struct err *err)
{
    struct errand *errand = check_request(request, err) ? errand_new(llm, request, callbacks, err) : NULL;

    if (!errand)
        return false;
    if (!take_in(llm, errand, err)) {
        errand_free(errand);
        return false;
    }
    *id = errand->id;
    net_post(llm->net, &errand->task);
    return true;
}

/* Cancelling. */

struct cancellation {
    struct net_task task;
    struct llm *llm;
    uint64_t id;
};

static void cancel_one(void *user)
{
    struct cancellation *cancellation = user;
    struct errand *errand = cancellation->llm->errands;

    while (errand && errand->id != cancellation->id)
        errand = errand->next;
    if (errand)
        errand_cancel(errand);
    free(cancellation);
}

void llm_cancel(struct llm *llm, uint64_t id)
{
    struct cancellation *cancellation = memory_take(sizeof(*cancellation));

    *cancellation = (struct cancellation){ .llm = llm, .id = id };
    cancellation->task = (struct net_task){ .run = cancel_one, .user = cancellation };
    net_post(llm->net, &cancellation->task);
}

/* Opening and closing. */

struct llm *llm_open(struct net *net)
{
    struct llm *llm = memory_take(sizeof(*llm));

    *llm = (struct llm){ .net = net, .lanes = lanes_new(MODELS_IN_FLIGHT, MODELS_IN_FLIGHT_OF_ONE) };
    llm->client = (struct lane_client){ .wake = post_start, .user = llm };
    llm->start_task = (struct net_task){ .run = start_waiting, .user = llm };
    pthread_mutex_init(&llm->lock, NULL);
    pthread_cond_init(&llm->empty, NULL);
    return llm;
}

struct lanes *llm_lanes(struct llm *llm)
{
    return llm->lanes;
}

static void begin_closing(void *user)
{
    struct llm *llm = user;

    llm->closing = true;
    for (struct errand *errand = llm->errands, *next; errand; errand = next) {
        next = errand->next;
        errand_cancel(errand);
    }
}

void llm_close(struct llm *llm)
{
    if (!llm)
        return;
    llm->close_task = (struct net_task){ .run = begin_closing, .user = llm };
    pthread_mutex_lock(&llm->lock);
    llm->refusing = true;
    pthread_mutex_unlock(&llm->lock);
    net_post(llm->net, &llm->close_task);
    pthread_mutex_lock(&llm->lock);
    while (llm->open > 0)
        pthread_cond_wait(&llm->empty, &llm->lock);
    pthread_mutex_unlock(&llm->lock);
    net_wait(llm->net);
    pthread_mutex_destroy(&llm->lock);
    pthread_cond_destroy(&llm->empty);
    lanes_free(llm->lanes);
    free(llm);
}
