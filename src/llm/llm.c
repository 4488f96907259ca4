/*
 * The queues. Each server has a lane with so many calls at once; whoever comes later waits in it. A call that
 * has to be tried again leaves its place to others while it pauses. Everything but llm_start, llm_cancel and
 * closing happens on the loop's thread.
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

#define WORDS_CHARS 300
#define SECRET_LEAST                                                                                         \
    12 /* a shorter key is a placeholder ("ollama", "none"), and perhaps a word of the reply */

/* Lanes. */

static struct lane *lane_of(struct llm *llm, const char *url)
{
    for (struct lane *lane = llm->lanes; lane; lane = lane->next)
        if (strcmp(lane->url, url) == 0)
            return lane;
    struct lane *lane = memory_take(sizeof(*lane));
    size_t size = strlen(url) + 1;

    *lane = (struct lane){ .next = llm->lanes, .url = memory_take(size) };
    memcpy(lane->url, url, size);
    lane->last = &lane->first;
    llm->lanes = lane;
    return lane;
}

/* Agents may name any server: lanes that nobody uses do not stay. */
static void drop_idle_lanes(struct llm *llm)
{
    for (struct lane **link = &llm->lanes; *link;) {
        struct lane *lane = *link;

        if (lane->in_flight > 0 || lane->first) {
            link = &lane->next;
            continue;
        }
        *link = lane->next;
        free(lane->url);
        free(lane);
    }
}

static void wait_in_lane(struct job *job, bool first)
{
    struct lane *lane = job->lane = lane_of(job->llm, model_url(&job->model));

    job->state = JOB_WAITING;
    job->next_waiting = first ? lane->first : NULL;
    if (first) {
        if (!lane->first)
            lane->last = &job->next_waiting;
        lane->first = job;
    } else {
        *lane->last = job;
        lane->last = &job->next_waiting;
    }
}

static void leave_lane(struct job *job)
{
    struct lane *lane = job->lane;

    for (struct job **link = &lane->first; *link; link = &(*link)->next_waiting) {
        if (*link != job)
            continue;
        *link = job->next_waiting;
        if (!*link)
            lane->last = link;
        return;
    }
}

static void count_calling(struct llm *llm, int change)
{
    llm->in_flight += change;
    atomic_store(&llm->calling, (uint64_t)llm->in_flight);
}

static void give_back_place(struct job *job)
{
    if (job->state != JOB_ASKING)
        return;
    job->lane->in_flight--;
    count_calling(job->llm, -1);
    job->state = JOB_PAUSING;
}

static bool start_one(struct llm *llm, struct lane *lane)
{
    struct job *job = lane->first;

    if (!job || llm->in_flight >= llm->in_flight_most || lane->in_flight >= job->model.max_in_flight)
        return false;
    leave_lane(job);
    job->state = JOB_ASKING;
    lane->in_flight++;
    count_calling(llm, +1);
    job_ask(job);
    return true;
}

/*
 * Starts what can be started, one of each lane in turn. A job that ends at once comes back here from inside;
 * it only leaves word then.
 */
static void start_waiting(struct llm *llm)
{
    if (llm->closing) {
        drop_idle_lanes(llm);
        return;
    }
    if (llm->starting) {
        llm->start_again = true;
        return;
    }
    llm->starting = true;
    do {
        llm->start_again = false;
        for (struct lane *lane = llm->lanes; lane; lane = lane->next)
            if (start_one(llm, lane))
                llm->start_again = true;
    } while (llm->start_again);
    llm->starting = false;
    drop_idle_lanes(llm);
}

/* The end of a job. */

static void fill_result(struct job *job, struct llm_result *result)
{
    const struct draft *draft = &job->draft;
    int64_t now_ms = clock_ticks_ms();

    *result = (struct llm_result){
        .kind = draft->kind,
        .words = draft->kind == LLM_FINE ? "" : scrub(&job->arena, draft->words, job->key, WORDS_CHARS),
        .text = draft->text.bytes,
        .text_len = draft->text.len,
        .finish = draft->kind == LLM_FINE ? draft->finish : LLM_FINISH_NONE,
        .usage = draft->usage,
        .tool_calls = draft_tool_calls(draft, &job->arena),
        .tool_call_count = draft->tool_count,
        .attempts = job->attempts,
        .status = job->status,
        .scripted = job->model.provider == LLM_SCRIPTED,
        .began_with_stop = draft->stops.state == STOPS_HIT && draft->text.len == 0,
        .first_ms = job->first_ms ? job->first_ms - job->began_ms : -1,
        .whole_ms = job->began_ms ? now_ms - job->began_ms : 0,
    };
    if (result->kind == LLM_FINE && result->finish == LLM_FINISH_NONE)
        result->finish = LLM_FINISH_STOP;
}

static void report(struct job *job)
{
    struct llm *llm = job->llm;
    struct llm_result result;

    fill_result(job, &result);
    if (result.kind != LLM_FINE && result.kind != LLM_CANCELLED)
        atomic_fetch_add(&llm->failed, 1);
    job->callbacks.done(job->callbacks.user, &result);
    *job->link = job->next;
    if (job->next)
        job->next->link = job->link;
    job_free(job);
    pthread_mutex_lock(&llm->lock);
    if (--llm->open == 0)
        pthread_cond_broadcast(&llm->empty);
    pthread_mutex_unlock(&llm->lock);
}

static void try_again(void *user)
{
    struct job *job = user;

    if (job->draft.text.len > 0 && job->callbacks.restart)
        job->callbacks.restart(job->callbacks.user);
    draft_reset(&job->draft);
    job->first_ms = 0;
    wait_in_lane(job, true);
    start_waiting(job->llm);
}

static int64_t pause_before_next(const struct job *job, int64_t retry_after)
{
    struct retry retry = {
        .kind = job->draft.kind,
        .status = job->status,
        .attempts = job->attempts,
        .retries = job->model.retries,
        .retry_after_ms = retry_after,
        .left_ms = job->began_ms + job->model.timeout_ms - clock_ticks_ms(),
        .random = randombytes_random(),
    };
    bool heard = job->draft.text.len > 0 && job->callbacks.delta && !job->callbacks.restart;

    return heard || job->llm->closing || job->model.provider == LLM_SCRIPTED ? -1 : retry_pause_ms(&retry);
}

void job_ended(struct job *job, int64_t retry_after)
{
    struct llm *llm = job->llm;
    int64_t pause_ms = pause_before_next(job, retry_after);

    if (job->state == JOB_WAITING)
        leave_lane(job);
    give_back_place(job);
    if (pause_ms >= 0) {
        atomic_fetch_add(&llm->retried, 1);
        job->timer = (struct net_timer){ .run = try_again, .user = job };
        net_timer_set(llm->net, &job->timer, pause_ms);
    } else {
        report(job);
    }
    start_waiting(llm);
}

/* The beginning. */

static void enter(void *user)
{
    struct job *job = user;
    struct llm *llm = job->llm;

    job->link = &llm->jobs;
    job->next = llm->jobs;
    if (job->next)
        job->next->link = &job->next;
    llm->jobs = job;
    wait_in_lane(job, false);
    if (llm->closing)
        job_cancel(job);
    else
        start_waiting(llm);
}

static void take_delta(void *user, const char *text, size_t len)
{
    struct job *job = user;

    if (job->first_ms == 0)
        job->first_ms = clock_ticks_ms();
    if (job->callbacks.delta)
        job->callbacks.delta(job->callbacks.user, text, len);
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

static const char *const *make_headers(struct job *job)
{
    const struct provider *provider = job->provider;
    size_t count = 0, more = 0;

    while (provider->headers && provider->headers[more])
        more++;
    const char **headers = arena_array(&job->arena, const char *, more + 4);

    headers[count++] = "Content-Type: application/json";
    headers[count++] = provider->accept;
    for (size_t i = 0; i < more; i++)
        headers[count++] = provider->headers[i];
    if (job->key) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        headers[count++] = arena_format(&job->arena, provider->key_header, job->key);
#pragma GCC diagnostic pop
    }
    return headers;
}

static void copy_model(struct job *job, const struct llm_model *model)
{
    job->model = *model;
    job->model.name = arena_text(&job->arena, model->name);
    job->model.script_text = NULL;
#define TEXT(member, key, fallback, help) job->model.member = arena_text(&job->arena, model->member);
#define NUMBER(member, key, fallback, least, most, help)
    MODEL_SETTINGS(TEXT, NUMBER, NUMBER, NUMBER)
#undef TEXT
#undef NUMBER
}

static bool prepare_script(struct job *job, const struct llm_request *request, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *script = request->model->script_text;

    if (!script && !script_read(&arena, request->model->script, &script, err))
        return false;
    job->line = script_line(&job->arena, script, request->speaker, request->turn);
    return true;
}

static bool prepare_call(struct job *job, const struct llm_request *request, struct err *err)
{
    struct json_out out;

    if (!model_key(request->model, &job->arena, &job->key, err))
        return false;
    job->url = arena_format(&job->arena, "%s%s", model_url(&job->model), job->provider->path);
    job->headers = make_headers(job);
    buf_init(&job->body, LIMIT_MODEL_REQUEST);
    json_begin(&out, &job->body);
    job->provider->write(request, &out);
    if (job->body.full)
        return err_set(err, ERR_TOO_LARGE, "The request to the model is larger than %d MB.",
                       LIMIT_MODEL_REQUEST / MB);
    return true;
}

static struct job *job_new(struct llm *llm, const struct llm_request *request,
                           const struct llm_callbacks *callbacks, struct err *err)
{
    struct job *job = memory_take(sizeof(*job));

    *job = (struct job){ .llm = llm,
                         .callbacks = *callbacks,
                         .provider = provider_of(request->model->provider) };
    job->task = (struct net_task){ .run = enter, .user = job };
    buf_init(&job->body, 0);
    copy_model(job, request->model);
    draft_init(&job->draft, take_delta, job);
    stops_init(&job->draft.stops, &job->arena, request->stops, request->stop_count, request->speaker);
    bool good = request->model->provider == LLM_SCRIPTED ? prepare_script(job, request, err)
                                                         : prepare_call(job, request, err);

    if (!good) {
        job_free(job);
        return NULL;
    }
    if (job->key && strlen(job->key) >= SECRET_LEAST)
        stops_hide(&job->draft.stops, &job->arena, job->key);
    return job;
}

static bool take_in(struct llm *llm, struct job *job, struct err *err)
{
    pthread_mutex_lock(&llm->lock);
    bool refusing = llm->refusing, full = llm->open >= LIMIT_MODEL_WAITING;

    if (!refusing && !full) {
        llm->open++;
        job->id = ++llm->last_id;
    }
    pthread_mutex_unlock(&llm->lock);
    if (refusing)
        return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
    return !full || err_set(err, ERR_UNAVAILABLE, "Too many calls wait for models.");
}

bool llm_start(struct llm *llm, const struct llm_request *request, const struct llm_callbacks *callbacks,
               uint64_t *id, struct err *err)
{
    struct job *job = check_request(request, err) ? job_new(llm, request, callbacks, err) : NULL;

    if (!job)
        return false;
    if (!take_in(llm, job, err)) {
        job_free(job);
        return false;
    }
    *id = job->id;
    net_post(llm->net, &job->task);
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
    struct job *job = cancellation->llm->jobs;

    while (job && job->id != cancellation->id)
        job = job->next;
    if (job)
        job_cancel(job);
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

struct llm *llm_open(struct net *net, int in_flight_most)
{
    struct llm *llm = memory_take(sizeof(*llm));

    *llm = (struct llm){ .net = net, .in_flight_most = in_flight_most };
    pthread_mutex_init(&llm->lock, NULL);
    pthread_cond_init(&llm->empty, NULL);
    return llm;
}

static void begin_closing(void *user)
{
    struct llm *llm = user;

    llm->closing = true;
    for (struct job *job = llm->jobs, *next; job; job = next) {
        next = job->next;
        job_cancel(job);
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
    free(llm);
}

void llm_figures(struct llm *llm, struct llm_figures *figures)
{
    pthread_mutex_lock(&llm->lock);
    uint64_t open = llm->open;

    pthread_mutex_unlock(&llm->lock);
    figures->in_flight = atomic_load(&llm->calling);
    figures->waiting = open > figures->in_flight ? open - figures->in_flight : 0;
    figures->asked = atomic_load(&llm->asked);
    figures->retried = atomic_load(&llm->retried);
    figures->failed = atomic_load(&llm->failed);
}
