/*
 * One read answers all that has to be known: who calls, whether they may, whether the job or discussion is
 * theirs to see, and where the log begins and ends. The filter is read before that but judged after it, so
 * that strangers learn nothing from it.
 */
#include "edge/stream_open.h"

#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/council/discussion.h"
#include "core/council/open_turn.h"
#include "core/questions/job.h"
#include "engine/engine.h"
#include "ops/spelling.h"
#include "ops/token_use.h"

#include <stdlib.h>
#include <string.h>

#define JOB_PATH        "/api/jobs/"
#define DISCUSSION_PATH "/api/discussions/"

void stream_open_free(struct stream_opening *opening)
{
    atomic_fetch_sub(&opening->edge->running, 1);
    arena_done(&opening->arena);
    free(opening);
}

static bool may_listen(const struct stream_opening *opening, struct err *err)
{
    const struct caller *caller = &opening->caller;

    if (caller->kind == CALLER_NOBODY) {
        err_set(err, ERR_UNAUTHORIZED, "This needs a token, a login or a ticket.");
        return err_hint(err, "Send \"Authorization: Bearer TOKEN\", or a ticket from POST /api/tickets.");
    }
    if (!((unsigned)caller->role & ROLES_READ))
        return err_set(err, ERR_FORBIDDEN, "The role %s may not read events.", role_name(caller->role));
    if (opening->wanted_err.code != ERR_NONE) {
        *err = opening->wanted_err;
        return false;
    }
    if (!caller_hears_project(caller, opening->wanted.project_id))
        return err_set(err, ERR_NOT_FOUND, "There is no such project.");
    return true;
}

/* As it is: whether it waits for something overdue is not the stream's business. */
static bool see_job(const struct tx *tx, struct stream_opening *opening)
{
    struct tx looking = *tx;
    struct job job;

    looking.caller = &opening->caller;
    looking.now_ms = 0;
    return !opening->of_job || job_get(&looking, opening->wanted.job_id, &job);
}

static bool read_texts(const struct tx *tx, struct stream_opening *opening, const struct discussion *of)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(tx, of->id, &turns, &count))
        return false;
    opening->texts = arena_array(tx->arena, struct council_piece, count);
    opening->text_count = 0;
    for (size_t i = 0; i < count; i++)
        if (turns[i].kind == TURN_TURN && turns[i].partial)
            opening->texts[opening->text_count++] = (struct council_piece){
                .workspace_id = of->workspace_id,
                .project_id = of->project_id,
                .discussion_id = of->id,
                .turn_id = turns[i].id,
                .kind = turns[i].kind,
                .speaker = turns[i].speaker,
                .round = turns[i].round,
                .turn_index = turns[i].turn_index,
                .text = turns[i].partial,
                .len = strlen(turns[i].partial),
            };
    return true;
}

/*
 * The path may also name a project that has one discussion. A filter by a discussion that is not there, or
 * not for this reader, hears nothing; only a path that names none is refused.
 */
static bool see_discussion(const struct tx *tx, struct stream_opening *opening)
{
    struct err missing = { 0 };
    struct tx looking = *tx;
    struct discussion discussion;

    looking.caller = &opening->caller;
    looking.err = &missing;
    if (!opening->wanted.discussion_id || !uuid_valid(opening->wanted.discussion_id))
        return true;
    if (!discussion_get(&looking, opening->wanted.discussion_id, &discussion)) {
        if (!opening->of_discussion && missing.code == ERR_NOT_FOUND)
            return true;
        *tx->err = missing;
        return false;
    }
    if (opening->of_discussion)
        opening->wanted.discussion_id = discussion.id;
    return read_texts(tx, opening, &discussion);
}

void stream_open_greet(struct stream_opening *opening, struct stream *stream)
{
    struct council *council = engine_council(opening->edge->engine);

    for (size_t i = 0; i < opening->text_count; i++)
        if (!council_speaks(council, opening->texts[i].turn_id))
            stream_greet_wanted(stream, council_piece(&opening->texts[i]));
}

static bool run_opening(struct db *db, struct work *work)
{
    struct stream_opening *opening = (struct stream_opening *)work;
    struct tx tx = tx_of(db, &opening->arena, clock_now_ms(), &work->err);

    return caller_identify(&tx, &opening->credentials, &opening->caller) && may_listen(opening, &work->err) &&
           see_job(&tx, opening) && see_discussion(&tx, opening) &&
           event_first(&tx, &opening->bounds.first) && event_last(&tx, &opening->bounds.last);
}

/* A caller who opens too many is told so once it is known who it is. */
static bool take_place(struct stream_opening *opening, struct err *err)
{
    char remote[INET6_ADDRSTRLEN];

    gate_remote(opening->edge, opening->exchange, remote);
    return holds_take(opening->edge->holds, &opening->caller, remote, &opening->hold, err);
}

static void stream_open_done(struct work *work)
{
    struct stream_opening *opening = (struct stream_opening *)work;

    known_learn(opening->edge->known, &opening->credentials, &opening->caller, &work->err);
    if (work->err.code == ERR_NONE && take_place(opening, &work->err)) {
        token_use_note(opening->edge->store, &opening->caller, clock_now_ms());
        opening->ready(opening);
        return;
    }
    edge_refuse(opening->exchange, &work->err);
    stream_open_free(opening);
}

/* The stream of one job or discussion has its id in the path. */
static bool read_id(struct stream_opening *opening, const char *prefix, const char **id, bool *named)
{
    const char *path = http_path(opening->exchange);
    char *text;

    *named = str_starts(path, prefix);
    if (!*named)
        return true;
    path += strlen(prefix);
    text = arena_copy(&opening->arena, path, strcspn(path, "/"));
    if (!uuid_valid(text))
        return false;
    uuid_lower(text);
    *id = text;
    return true;
}

static bool read_path(struct stream_opening *opening, struct err *err)
{
    if (!read_id(opening, JOB_PATH, &opening->wanted.job_id, &opening->of_job))
        return err_set(err, ERR_NOT_FOUND, "There is no job with that id.");
    if (!read_id(opening, DISCUSSION_PATH, &opening->wanted.discussion_id, &opening->of_discussion))
        return err_set(err, ERR_NOT_FOUND, "There is no discussion with that id.");
    return true;
}

/* The parameters of a stream, in either spelling, as those of operations. */
static const char *const stream_params[] = { "ticket", "projectId", "jobId", "discussionId",
                                             "types",  "after",     NULL };

static const char *param(const struct url_query *query, const char *name)
{
    for (size_t i = 0; i < query->count; i++)
        if (spelling_same(query->pairs[i].name, name))
            return query->pairs[i].value;
    return NULL;
}

static bool check_params(const struct url_query *query, struct err *err)
{
    for (size_t i = 0; i < query->count; i++) {
        const char *const *known = stream_params;

        while (*known && !spelling_same(*known, query->pairs[i].name))
            known++;
        if (!*known)
            return spelling_unknown(query->pairs[i].name, stream_params, err);
        if (param(query, *known) != query->pairs[i].value)
            return err_field(err, *known, "The query names %s twice.", *known);
    }
    return true;
}

static bool read_wanted(struct stream_opening *opening, struct err *err)
{
    const struct url_query *query = &opening->query;
    const char *after = http_header(opening->exchange, "Last-Event-ID");

    if (!url_parse_query(&opening->arena, http_query(opening->exchange), &opening->query, err))
        return false;
    opening->credentials.ticket = param(query, "ticket");
    opening->wanted = (struct stream_filter){
        .project_id = param(query, "projectId"),
        .job_id = param(query, "jobId"),
        .discussion_id = param(query, "discussionId"),
        .types = param(query, "types"),
    };
    return check_params(query, err) && read_path(opening, err) &&
           stream_filter_check(&opening->wanted, after && *after ? after : param(query, "after"), err);
}

static bool has_room(struct edge *edge, struct err *err)
{
    if (streams_count(edge->streams) < (unsigned)settings()->limits_streams)
        return true;
    err_set(err, ERR_UNAVAILABLE, "Too many event streams are open.");
    err->retry_after_s = 5;
    return false;
}

void stream_open_begin(struct edge *edge, struct http_exchange *exchange,
                       void (*ready)(struct stream_opening *opening))
{
    struct stream_opening *opening = calloc(1, sizeof(*opening));
    struct err err = { 0 };

    if (!opening)
        abort();
    opening->edge = edge;
    atomic_fetch_add(&edge->running, 1);
    opening->exchange = exchange;
    opening->ready = ready;
    opening->work = (struct work){ .run = run_opening, .done = stream_open_done };
    if (!gate_check(edge, exchange, GATE_STREAM, &opening->arena, &opening->credentials, &err) ||
        !has_room(edge, &err)) {
        edge_refuse(exchange, &err);
        stream_open_free(opening);
        return;
    }
    opening->work.caller = opening->credentials.key;
    (void)!read_wanted(opening, &opening->wanted_err);
    if (store_can_read_here(edge->store)) {
        store_read_here(edge->store, &opening->work);
        stream_open_done(&opening->work);
        return;
    }
    http_park(exchange);
    if (!store_read(edge->store, &opening->work, &opening->work.err))
        stream_open_done(&opening->work);
}
