/*
 * The stream is opened first and the log read then, so that nothing falls between the two; what comes twice
 * is known by its id. Whenever the stream says that something has ended or rests, the log is asked how.
 */
#include "cli/client/discussion_follow.h"

#include "base/str.h"
#include "cli/client/discussion_pages.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "core/log/event_type.h"

#include <string.h>

#define RECONNECT_MS 500

struct following {
    struct cli *cli;
    const char *id;
    struct discussion_view *view;
    json_t *state;
    bool over; /* nothing more will come by itself */
    bool failed;
    struct err *err;
};

static const char *status_of(const json_t *state)
{
    const char *status = json_string_value(json_object_get(json_object_get(state, "discussion"), "status"));

    return status ? status : "";
}

static bool has_ended(const json_t *state)
{
    const char *status = status_of(state);

    return strcmp(status, "active") != 0 && strcmp(status, "paused") != 0;
}

/* Nobody runs it: it is paused, or a person has the word. */
static bool rests(const json_t *state)
{
    const char *phase = json_string_value(json_object_get(json_object_get(state, "discussion"), "phase"));

    return strcmp(status_of(state), "paused") == 0 || (phase && strcmp(phase, "person") == 0);
}

/* All that was said so far. */
static bool look(struct following *following)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", following->id);
    struct client_reply reply;
    json_t *state = NULL, *entry;
    size_t i;

    if (!invoke_json(following->cli, op_find("discussion_get"), params, 0, &reply, &state, following->err) ||
        !discussion_pages(following->cli, following->id, state, following->err)) {
        json_decref(state);
        following->failed = true;
        return false;
    }
    json_decref(following->state);
    following->state = state;
    view_about(following->view, state);
    json_array_foreach(json_object_get(state, "entries"), i, entry) view_entry(following->view, entry);
    following->over = has_ended(state) || rests(state);
    return !following->over;
}

static bool opened(void *user)
{
    return look(user);
}

static bool take(void *user, const char *id, const char *data)
{
    struct following *following = user;
    struct err ignored = { 0 };
    JSON_AUTO *event = NULL;
    enum event_type type;

    (void)id;
    if (!json_parse(data, strlen(data), &event, &ignored))
        return true;
    view_event(following->view, event);
    type = event_type_of(json_string_value(json_object_get(event, "type")));
    if (type == EVENT_DISCUSSION_ENDED || type == EVENT_DISCUSSION_PAUSED || type == EVENT_DISCUSSION_WAITING)
        return look(following);
    return !interrupted();
}

/* One connection, until it ends for whatever reason; false: there is no point in another one. */
static bool follow_once(struct following *following)
{
    struct cli *cli = following->cli;
    struct client_stream stream = {
        .path =
            arena_format(cli->arena, "/api/discussions/%s/stream", str_url_encode(cli->arena, following->id)),
        .take = take,
        .opened = opened,
        .user = following,
    };
    struct err err = { 0 };
    bool there = client_follow(cli, &stream, &err);

    if (following->over || following->failed || interrupted())
        return false;
    if (there && stream.refusal.status >= 400 && stream.refusal.status != 503) {
        client_error(cli, &stream.refusal, following->err);
        following->failed = true;
        return false;
    }
    if (stream.answered) {
        patience_rests(cli);
        interrupt_pause(RECONNECT_MS);
        return true;
    }
    if (cli->away_since_ms == 0)
        view_pause(following->view);
    if (!patience_lasts(cli, &stream.refusal, &err)) {
        *following->err = err;
        following->failed = !interrupted();
        return false;
    }
    return true;
}

enum followed discussion_follow(struct cli *cli, const char *id, struct discussion_view *view, json_t **state,
                                struct err *err)
{
    struct following following = { .cli = cli, .id = id, .view = view, .err = err };
    bool (*before)(struct cli * cli) = cli->pulse;

    cli->pulse = interrupt_pulse;
    while (follow_once(&following))
        continue;
    cli->pulse = before;
    view_break_off(view);
    *state = following.state;
    if (interrupted())
        return FOLLOW_INTERRUPTED;
    if (following.failed)
        return FOLLOW_FAILED;
    if (!has_ended(following.state))
        return FOLLOW_RESTS;
    view_end(view, following.state);
    return FOLLOW_ENDED;
}

int discussion_exit(const json_t *state)
{
    const char *status = status_of(state);

    return strcmp(status, "completed") == 0   ? CLI_OK
           : strcmp(status, "cancelled") == 0 ? CLI_CANCELLED
                                              : CLI_ERROR;
}
