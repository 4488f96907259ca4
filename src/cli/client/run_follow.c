/*
 * Events come in bursts, one for each step of the run and each line of the job's log; whatever has come by
 * the time of a look is one look.
 */
#include "cli/client/run_follow.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "cli/client/resume.h"
#include "cli/client/run_asking.h"
#include "cli/term.h"

#include <string.h>
#include <unistd.h>

#define RECONNECT_MS 500

struct following_run {
    struct cli *cli;
    const char *id;
    struct run_view *view;
    struct run_asking asking;
    struct client_stream *stream;
    json_t *job, *run;
    int64_t after; /* the number of the last entry that was shown */
    bool stale;    /* something has happened since the last look */
    json_t *told;  /* the calls of which it was told that they wait for others than people */
    bool over, failed;
    struct err *err;
};

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static bool has_ended(const json_t *job)
{
    const char *status = text_of(job, "status");

    return strcmp(status, "completed") == 0 || strcmp(status, "failed") == 0 ||
           strcmp(status, "cancelled") == 0;
}

int run_exit(const json_t *job)
{
    const char *status = text_of(job, "status");

    return strcmp(status, "completed") == 0   ? CLI_OK
           : strcmp(status, "cancelled") == 0 ? CLI_CANCELLED
                                              : CLI_NO;
}

static void keep(json_t **kept, const json_t *value)
{
    json_incref((json_t *)(uintptr_t)value);
    json_decref(*kept);
    *kept = (json_t *)(uintptr_t)value;
}

bool run_entries_show(struct cli *cli, const char *id, struct run_view *view, int64_t *after, json_t **run,
                      struct err *err)
{
    for (;;) {
        JSON_AUTO *params =
            json_pack("{s:s, s:i, s:I}", "id", id, "limit", LIMIT_LOG_PAGE, "after", (json_int_t)*after);
        JSON_AUTO *page = NULL;
        struct client_reply reply;
        const json_t *entry;
        size_t i;

        if (!invoke_json(cli, op_find("run_trace"), params, 0, &reply, &page, err))
            return false;
        keep(run, json_object_get(page, "run"));
        run_view_about(view, *run);
        json_array_foreach(json_object_get(page, "entries"), i, entry)
        {
            run_view_entry(view, entry);
            *after = member_int(entry, "seq");
        }
        if (!json_is_string(json_object_get(page, "nextCursor")))
            return true;
    }
}

static bool read_job(struct following_run *following)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", following->id);
    JSON_AUTO *job = NULL;
    struct client_reply reply;

    if (!invoke_json(following->cli, op_find("job_get"), params, INVOKE_AT_ONCE, &reply, &job,
                     following->err))
        return false;
    keep(&following->job, job);
    return true;
}

/* Page by page: a run may ask two hundred. */
static bool read_questions(struct following_run *following, json_t *all)
{
    JSON_AUTO *params = json_pack("{s:s, s:i}", "id", following->id, "limit", LIMIT_PAGE);

    for (;;) {
        JSON_AUTO *page = NULL;
        struct client_reply reply;
        const json_t *cursor;

        if (!invoke_json(following->cli, op_find("question_list_job"), params, 0, &reply, &page,
                         following->err))
            return false;
        json_array_extend(all, json_object_get(page, "questions"));
        cursor = json_object_get(page, "nextCursor");
        if (!json_is_string(cursor))
            return true;
        json_object_set(params, "cursor", (json_t *)(uintptr_t)cursor);
    }
}

/* What it waits for that nobody here can answer is told once. */
static void tell_waits(struct following_run *following)
{
    const json_t *waits = json_object_get(following->run, "waitsFor"), *wait;
    struct cli *cli = following->cli;
    size_t i;

    json_array_foreach(waits, i, wait)
    {
        const char *id = text_of(wait, "callId");
        const char *discussion = text_of(wait, "discussionId"), *prompt = text_of(wait, "promptId");

        if ((!*discussion && !*prompt) || json_object_get(following->told, id))
            continue;
        json_object_set_new(following->told, id, json_true());
        cli_note(
            cli,
            *discussion ? "It waits for a discussion; see it with:\n  %s"
                        : "It waits for the squad; see it with:\n  %s",
            resume_command(cli, arena_format(cli->arena, *discussion ? "discuss show %s" : "prompt show %s",
                                             *discussion ? discussion : prompt)));
    }
}

/*
 * The job first and the entries last: of one that has ended none are missing then, and what is asked stands
 * behind the call that asks it.
 */
static bool look(struct following_run *following)
{
    struct cli *cli = following->cli;
    struct run_view *view = following->view;
    struct run_asking *asking = &following->asking;
    JSON_AUTO *questions = json_array();
    bool typing = asking->question != NULL && isatty(fileno(view->out));

    following->stale = false;
    view->at_prompt = typing;
    if (!read_job(following) || (!view->trace && !read_questions(following, questions)) ||
        !run_entries_show(cli, following->id, view, &following->after, &following->run, following->err))
        return false;
    if (typing && !view->at_prompt)
        run_asking_again(asking);
    following->over = has_ended(following->job) || view->code != CLI_OK;
    if (view->trace || following->over)
        return true;
    run_asking_offer(asking, questions);
    if (!asking->question)
        tell_waits(following);
    return true;
}

static bool take(void *user, const char *id, const char *data)
{
    struct following_run *following = user;

    (void)id, (void)data;
    following->stale = true;
    return !interrupted();
}

static bool opened(void *user)
{
    struct following_run *following = user;
    bool was_away = following->cli->away_since_ms != 0;

    patience_rests(following->cli);
    if (was_away)
        run_asking_again(&following->asking);
    following->stale = true;
    return !interrupted();
}

static bool beside(void *user)
{
    struct following_run *following = user;

    if (interrupted())
        return false;
    run_asking_hear(&following->asking);
    if (following->stale && !look(following)) {
        following->failed = !interrupted();
        return false;
    }
    following->stream->also_fd = run_asking_waits(&following->asking) ? following->asking.fd : -1;
    return !following->over;
}

/* One connection, until it ends for whatever reason; false: there is no point in another one. */
static bool follow_once(struct following_run *following)
{
    struct cli *cli = following->cli;
    struct client_stream stream = {
        .path = arena_format(cli->arena, "/api/jobs/%s/stream", str_url_encode(cli->arena, following->id)),
        .take = take,
        .opened = opened,
        .also = beside,
        .also_fd = -1,
        .user = following,
    };
    struct err err = { 0 };

    following->stream = &stream;
    bool there = client_follow(cli, &stream, &err);

    if (following->over || following->failed || interrupted())
        return false;
    if (there && stream.refusal.status >= 400 && stream.refusal.status != 503) {
        client_error(cli, &stream.refusal, following->err);
        following->failed = true;
        return false;
    }
    if (stream.answered) {
        interrupt_pause(RECONNECT_MS);
        return true;
    }
    if (!patience_lasts(cli, &stream.refusal, &err)) {
        *following->err = err;
        following->failed = !interrupted();
        return false;
    }
    return true;
}

enum run_followed run_follow(struct cli *cli, const char *id, struct run_view *view, bool asks, json_t **job,
                             struct err *err)
{
    struct following_run following = {
        .cli = cli, .id = id, .view = view, .told = json_object(), .err = err
    };
    bool (*before)(struct cli * cli) = cli->pulse;

    cli->pulse = interrupt_pulse;
    run_asking_open(&following.asking, cli, asks);
    while (follow_once(&following))
        continue;
    run_asking_close(&following.asking);
    cli->pulse = before;
    json_decref(following.run);
    json_decref(following.told);
    *job = following.job;
    if (interrupted())
        return RUN_LEFT;
    return following.failed ? RUN_LOST : RUN_FOLLOWED;
}
