/*
 * The server holds each look for as long as it may (?wait), so waiting costs one request a minute and hears
 * of the end at once. The countdown is drawn by curl's progress callback, which is also where a signal is
 * noticed: there is no second thread.
 */
#include "cli/client/ask_wait.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/uuid.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "cli/client/question_view.h"
#include "cli/client/resume.h"

#include <stdio.h>
#include <unistd.h>

#define PAUSE_MS 1000

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

/* One look, held by the server for up to `wait_s` until the question has ended. */
static bool look(struct cli *cli, const char *id, int wait_s, struct client_reply *reply, json_t **question,
                 struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *state = NULL;

    if (!invoke_json(cli, op_find("question_get"), params, wait_s, reply, &state, err))
        return false;
    *question = json_incref(json_object_get(state, "question"));
    return json_is_object(*question) ||
           err_set(err, ERR_INTERNAL, "The reply of %s holds no question; is it witan?", cli->target.url);
}

static enum ask_waited wait_on(struct cli *cli, const char *id, json_t **question, struct err *err)
{
    struct countdown *countdown = cli->pulse_state;
    struct client_reply reply;
    int wait_s = 0; /* the first look is only for what there is to show */

    while (!interrupted()) {
        int64_t began_ms = clock_ticks_ms();
        json_t *seen = NULL;
        bool good = look(cli, id, wait_s, &reply, &seen, err);

        if (!good && interrupted())
            break;
        if (!good || !view_is_open(seen)) {
            clear_line(countdown);
            *question = seen;
            return good ? ASK_ENDED : ASK_FAILED;
        }
        json_decref((json_t *)countdown->question);
        countdown->question = seen;
        countdown->ahead_ms = (reply.date_ms ? reply.date_ms : clock_now_ms()) - clock_ticks_ms();
        /* A server that is about to stop does not hold waits; it is not asked without a pause. */
        if (wait_s > 0 && clock_ticks_ms() - began_ms < PAUSE_MS)
            interrupt_pause(PAUSE_MS);
        wait_s = WAIT_SECONDS_MAX;
    }
    clear_line(countdown);
    return ASK_INTERRUPTED;
}

enum ask_waited ask_wait(struct cli *cli, const char *id, json_t **question, struct err *err)
{
    struct countdown countdown = { 0 };
    enum ask_waited waited;

    cli->pulse = tick;
    cli->pulse_state = &countdown;
    waited = wait_on(cli, id, question, err);
    cli->pulse = NULL;
    cli->pulse_state = NULL;
    json_decref((json_t *)countdown.question);
    return waited;
}

void ask_left_open(struct cli *cli, const char *id)
{
    cli_note(cli, "It stays open; wait for it again with:\n  %s",
             resume_command(cli, arena_format(cli->arena, "wait %s", id)));
}

bool ask_send(struct cli *cli, const struct op *op, const json_t *params, struct client_reply *reply,
              json_t **made, struct err *err)
{
    const char *key = uuid_new(cli->arena);
    bool good;

    cli->idempotency_key = key;
    cli->pulse = interrupt_pulse_asking;
    good = invoke_json(cli, op, params, 0, reply, made, err);
    cli->pulse = NULL;
    cli->idempotency_key = NULL;
    if (good && reply->replayed)
        cli_note(cli, "This was asked before, under the same key.");
    else if (!good && (interrupted() || patience_may_pass(reply, err)))
        cli_note(cli, "To go on without asking twice:\n  %s", resume_same(cli, key));
    return good;
}

int ask_not_sent(struct cli *cli, const struct err *err)
{
    return interrupted() ? interrupt_exit() : cli_fail(cli, err);
}
