#include "edge/cli/ask_wait.h"

#include "base/clock.h"
#include "base/str.h"
#include "edge/cli/question_view.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS 1000
#define NAP_MS   50 /* how long an interruption may go unnoticed during a pause */

static volatile sig_atomic_t caught;

static void on_interrupt(int number)
{
    (void)number;
    caught = 1;
}

void interrupt_catch(void)
{
    struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void)
{
    return caught != 0;
}

/* The line that counts down on a terminal. */
struct countdown {
    const json_t *question;
    int64_t ahead_ms; /* what the server's clock shows more than this machine's ticks */
    bool shown;
};

static bool has_terminal(const struct cli *cli)
{
    return !cli->quiet && isatty(STDERR_FILENO);
}

static bool tick(struct cli *cli)
{
    ARENA_AUTO arena = { 0 };
    struct countdown *countdown = cli->pulse_state;
    int64_t now_ms = clock_ticks_ms() + countdown->ahead_ms;

    if (interrupted())
        return false;
    if (!countdown->question || !has_terminal(cli))
        return true;
    fprintf(stderr, "\r\033[KWaiting. %s left; then %s. ", view_left(&arena, countdown->question, now_ms),
            view_deadline(&arena, countdown->question));
    fflush(stderr);
    countdown->shown = true;
    return true;
}

static void clear_line(struct countdown *countdown)
{
    if (countdown->shown)
        fputs("\r\033[K", stderr);
    countdown->shown = false;
}

static void pause_a_second(void)
{
    struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };

    for (int slept = 0; slept < PAUSE_MS && !interrupted(); slept += NAP_MS)
        nanosleep(&nap, NULL);
}

/* What may be better in a moment: nobody there, a proxy whose server restarts, too many requests. */
static bool may_pass(const struct client_reply *reply, const struct err *err)
{
    return err->code == ERR_UNAVAILABLE || err->code == ERR_RATE_LIMITED || reply->status >= 500;
}

struct patience {
    int64_t limit_ms, gone_since_ms; /* 0: the server is there */
};

/* Says so once, and whether to go on. */
static bool be_patient(struct cli *cli, struct countdown *countdown, struct patience *patience,
                       const struct err *err)
{
    int64_t now_ms = clock_ticks_ms();

    clear_line(countdown);
    if (patience->gone_since_ms == 0) {
        patience->gone_since_ms = now_ms;
        cli_note(cli, "%s The question is kept there; trying again.", err->text);
    }
    if (now_ms - patience->gone_since_ms >= patience->limit_ms)
        return false;
    pause_a_second();
    return true;
}

static void is_back(struct cli *cli, struct patience *patience)
{
    if (patience->gone_since_ms != 0)
        cli_note(cli, "The server is back; still waiting.");
    patience->gone_since_ms = 0;
}

/* One look, held by the server for up to `wait_s` until the question has ended. */
static bool look(struct cli *cli, const char *id, int wait_s, struct client_reply *reply, json_t **question,
                 struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *state = NULL;

    *err = (struct err){ 0 };
    *reply = (struct client_reply){ 0 };
    if (!invoke_json(cli, op_find("question_get"), params, wait_s, reply, &state, err))
        return false;
    *question = json_incref(json_object_get(state, "question"));
    return json_is_object(*question) ||
           err_set(err, ERR_INTERNAL, "The reply of %s holds no question; is it witan?", cli->target.url);
}

static enum ask_waited wait_on(struct cli *cli, const char *id, struct patience *patience, json_t **question,
                               struct err *err)
{
    struct countdown *countdown = cli->pulse_state;
    struct client_reply reply;
    int wait_s = 0; /* the first look is only for what there is to show */

    while (!interrupted()) {
        int64_t began_ms = clock_ticks_ms();
        json_t *seen = NULL;
        bool good = look(cli, id, wait_s, &reply, &seen, err);

        if (good && !view_is_open(seen)) {
            clear_line(countdown);
            *question = seen;
            return ASK_ENDED;
        }
        if (!good) {
            json_decref(seen);
            wait_s = 0;
            if (interrupted())
                break;
            if (!may_pass(&reply, err) || !be_patient(cli, countdown, patience, err)) {
                clear_line(countdown);
                return ASK_FAILED;
            }
            continue;
        }
        is_back(cli, patience);
        json_decref((json_t *)countdown->question);
        countdown->question = seen;
        countdown->ahead_ms = (reply.date_ms ? reply.date_ms : clock_now_ms()) - clock_ticks_ms();
        /* A server that is about to stop does not hold waits; it is not asked without a pause. */
        if (wait_s > 0 && clock_ticks_ms() - began_ms < PAUSE_MS)
            pause_a_second();
        wait_s = WAIT_SECONDS_MAX;
    }
    clear_line(countdown);
    return ASK_INTERRUPTED;
}

enum ask_waited ask_wait(struct cli *cli, const char *id, int64_t patience_ms, json_t **question,
                         struct err *err)
{
    struct countdown countdown = { 0 };
    struct patience patience = { .limit_ms = patience_ms };
    enum ask_waited waited;

    cli->pulse = tick;
    cli->pulse_state = &countdown;
    waited = wait_on(cli, id, &patience, question, err);
    cli->pulse = NULL;
    cli->pulse_state = NULL;
    json_decref((json_t *)countdown.question);
    return waited;
}
