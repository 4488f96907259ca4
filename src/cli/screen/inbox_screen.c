/*
 * The stream of events only says that something has happened; what waits is then read anew, a moment later,
 * so that many events make one request. Between two events, and while the server is away, keys are heard and
 * the time that is left runs on.
 */
#include "cli/screen/inbox_screen.h"

#include "base/clock.h"
#include "cli/screen/draw.h"
#include "cli/screen/window.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define SETTLE_MS  200   /* how long events may gather before the list is read again */
#define REFRESH_MS 30000 /* and how old it may become without any */
#define AWAY_MS    1000  /* between two tries to reach the server */

static const enum event_type heard[] = {
    EVENT_QUESTION_ASKED,       EVENT_QUESTION_ANSWERED,     EVENT_QUESTION_APPROVAL,
    EVENT_QUESTION_TIMEOUT,     EVENT_QUESTION_CANCELLED,    EVENT_QUESTION_EXTENDED,
    EVENT_QUESTION_ASSIGNED,    EVENT_QUESTION_SNOOZED,      EVENT_QUESTION_LATE_ANSWER,
    EVENT_PROMPT_CREATED,       EVENT_PROMPT_ENDED,          EVENT_NOTIFICATION_ADDED,
    EVENT_NOTIFICATION_UPDATED, EVENT_NOTIFICATION_RESOLVED, EVENT_TURN_WAITING,
    EVENT_TURN_FINISHED,        EVENT_DISCUSSION_ENDED,      EVENT_UNKNOWN,
};

/* The screen on a stream. */
struct inbox_watch {
    struct model model;
    char last_id[64];
};

bool inbox_screen_possible(void)
{
    return window_possible();
}

static bool take_event(void *user, const char *id, const char *data)
{
    struct inbox_watch *watch = user;

    (void)data;
    snprintf(watch->last_id, sizeof(watch->last_id), "%s", id);
    watch->model.stale = true;
    return true;
}

static bool take_opening(void *user)
{
    struct inbox_watch *watch = user;

    watch->model.away = false;
    watch->model.stale = true;
    return true;
}

static void refresh_list(struct model *model)
{
    int64_t age_ms = clock_ticks_ms() - model->read_ms;
    struct err err = { 0 };

    if (model->away || (age_ms < REFRESH_MS && (!model->stale || age_ms < SETTLE_MS)))
        return;
    if (!model_read(model, &err))
        model_say(model, err.text);
}

/* One look at everything but the stream; false: it is over. */
static bool look(void *user)
{
    struct inbox_watch *watch = user;
    struct press press;

    while ((press = window_key()).name != KEYNAME_NONE && !watch->model.quit)
        model_press(&watch->model, press, draw_page());
    refresh_list(&watch->model);
    draw(&watch->model);
    return !watch->model.quit && !window_signal();
}

/* The time until the next try goes on being a screen. */
static void wait_away(struct inbox_watch *watch)
{
    int64_t until_ms = clock_ticks_ms() + AWAY_MS;
    struct pollfd keyboard = { .fd = STDIN_FILENO, .events = POLLIN };

    while (look(watch) && clock_ticks_ms() < until_ms) {
        int64_t left_ms = until_ms - clock_ticks_ms();

        poll(&keyboard, 1, left_ms > 0 ? (int)left_ms : 0);
    }
}

/* True to try again; false when it is over, or, with an err, can never be. */
static bool follow(struct inbox_watch *watch, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct cli following = *watch->model.cli;
    struct client_stream stream = {
        .path = "/api/events",
        .types = heard,
        .last_id = watch->last_id[0] ? watch->last_id : NULL,
        .take = take_event,
        .opened = take_opening,
        .also = look,
        .also_fd = STDIN_FILENO,
        .user = watch,
    };
    struct err away = { 0 };

    following.arena = &arena;
    bool there = client_follow(&following, &stream, &away);

    if (watch->model.quit || window_signal())
        return false;
    if (there && stream.refusal.status >= 400 && stream.refusal.status < 500 &&
        stream.refusal.status != 429) {
        client_error(&following, &stream.refusal, err);
        return false;
    }
    watch->model.away = true;
    return true;
}

static int run(struct inbox_watch *watch)
{
    struct cli *cli = watch->model.cli;
    struct err err = { 0 };
    int number;

    while (follow(watch, &err))
        wait_away(watch);
    number = window_signal();
    window_close();
    if (err.code)
        return cli_fail(cli, &err);
    return number ? CLI_SIGNALLED + number : CLI_OK;
}

int inbox_screen_run(struct cli *cli, const struct pending_filter *filter)
{
    struct inbox_watch watch = { .model = { .cli = cli, .filter = *filter } };
    struct err err = { 0 };
    int code;

    if (!model_read(&watch.model, &err)) {
        code = cli_fail(cli, &err);
    } else if (!window_open(cli->colour)) {
        err_set(&err, ERR_INVALID, "This terminal cannot be drawn on.");
        err_hint(&err, "`TERM=dumb witan inbox --watch` prints lines.");
        code = cli_fail(cli, &err);
    } else {
        cli->pulse = window_pulse;
        code = run(&watch);
        cli->pulse = NULL;
    }
    model_done(&watch.model);
    return code;
}
