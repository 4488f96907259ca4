/*
 * tool_wait.c - tools that wait: the answer becomes a stream and the call a wait (edge/wait.h), which keeps
 * what a look needs and nothing else.
 */
#include "base/clock.h"
#include "base/str.h"
#include "edge/mcp/elicit.h"
#include "edge/mcp/tool_result.h"

#include <stdlib.h>
#include <string.h>

#define PROGRESS_MS 5000 /* between two words to a client that waits */

/* What a look needs. */
struct tool_wait {
    struct mcp *mcp;
    const struct mcp_tool *tool;
    const struct op *op;
    json_t *args;
    char *made;          /* the id of what was made first, or NULL */
    char *response_type; /* of a question that the person at the client is asked, too */
    char *name;          /* the client's */
    char *task_id;       /* of which the result is asked for, or NULL */
    const char *version;
    enum mcp_era era;
    bool holds; /* until it has ended, however long that takes */
    int64_t began_ms;
    char remote[INET6_ADDRSTRLEN];
};

static void wait_free(struct outlet *outlet)
{
    struct tool_wait *wait = outlet->data;

    json_decref(wait->args);
    free(wait->made);
    free(wait->response_type);
    free(wait->name);
    free(wait->task_id);
    free(wait);
}

/* One that is held for hours sits behind proxies and clients that give up on silence. */
static int64_t tick_ms(const struct outlet *outlet, const struct tool_wait *wait)
{
    return outlet->progress || wait->holds ? PROGRESS_MS : HEARTBEAT_MS;
}

/* To those who gave a token that it goes on, to the others a word that keeps the connection. */
static void wait_tick(struct outlet *outlet)
{
    const struct tool_wait *wait = outlet->data;
    double waited_s = (double)(clock_ticks_ms() - wait->began_ms) / 1000;

    if (outlet->progress && !outlet->only_json)
        outlet_progress(outlet, waited_s, wait->holds ? 0 : MCP_HOLD_S,
                        wait->tool->waiting ? wait->tool->waiting : "Waiting for an answer.");
    else
        outlet_comment(outlet);
    outlet->due_ms = clock_ticks_ms() + tick_ms(outlet, wait);
}

/* The server stops. Whatever a result said would be taken for an answer, and there is none. */
static void interrupt(struct mcp_call *call)
{
    struct err err = { 0 };

    err_set(&err, ERR_UNAVAILABLE,
            "The server is being stopped before anybody has answered: this is neither a yes nor a no. "
            "Ask again in a moment; the question stays open.");
    call_fail_with(call, &err);
}

/* A store that is away for a moment answers nothing: what is held until it has ended looks again later. */
static bool has_ended(const struct mcp_call *call, const struct tool_wait *wait, bool final)
{
    enum err_code code = call->request.call.err.code;

    if (wait->holds && !final && code == ERR_UNAVAILABLE)
        return false;
    return code != ERR_NONE || call->request.call.ended;
}

static void looked(struct mcp_call *call)
{
    struct outlet *outlet = call->outlet;
    const struct tool_wait *wait = outlet->data;
    const struct err *err = &call->request.call.err;
    bool ended = has_ended(call, wait, wait_is_final(outlet->wait));

    if (!wait_looked(outlet->wait, ended)) {
        call_free(call);
        return;
    }
    outlet_withdraw(outlet);
    if (err->code != ERR_NONE)
        tool_answer_error(call, err);
    else if (!ended && wait->holds)
        interrupt(call);
    else
        tool_answer(call, wait->made, !ended);
}

void tool_look(void *user, struct wait *registered)
{
    struct outlet *outlet = wait_owner(registered);
    const struct tool_wait *wait = outlet->data;
    struct mcp_call *call = call_new(user, NULL);

    call->outlet = outlet;
    call->tool = wait->tool;
    call->task_id = wait->task_id ? arena_text(&call->arena, wait->task_id) : NULL;
    call->client = (struct peer){ .era = wait->era, .version = wait->version, .name = wait->name };
    call->request.credentials = *wait_credentials(registered);
    call->request.call.glance = !wait_is_final(registered);
    memcpy(call->remote, wait->remote, sizeof(call->remote));
    call_run(call, wait->op, wait->args, looked);
}

/* The answer that was given at the client is an answer like any other; the wait hears of it. */
static void answered_here(struct mcp_call *call)
{
    call_free(call);
}

/* Under the lock, so the answer itself is left to be done. The wait may be gone by then: all is copied. */
static void elicited(struct outlet *outlet, const json_t *result)
{
    const struct tool_wait *wait = outlet->data;
    json_t *args = elicit_answer(result, wait->made, wait->response_type);
    struct mcp_call *call = args ? call_new(wait->mcp, NULL) : NULL;

    if (!call)
        return;
    const struct credentials *shown = wait_credentials(outlet->wait);

    call->own_args = args;
    call->client = (struct peer){ .version = wait->version, .name = arena_text(&call->arena, wait->name) };
    call->request.credentials = (struct credentials){ .bearer = arena_text(&call->arena, shown->bearer),
                                                      .session = arena_text(&call->arena, shown->session),
                                                      .workspace = arena_text(&call->arena, shown->workspace),
                                                      .may_be_solo = shown->may_be_solo,
                                                      .key = shown->key };
    memcpy(call->remote, wait->remote, sizeof(call->remote));
    outlet->to_do = call;
}

void tool_told(void *to_do)
{
    struct mcp_call *call = to_do;

    if (call)
        call_run(call, op_find("question_answer"), call->own_args, answered_here);
}

/* What is waited for is what the row's path names last. */
static const char *subject_of(const struct op *op, const json_t *args)
{
    const char *subject = NULL;

    for (const size_t *at = op_facts(op)->path_params; *at != NO_PARAM; at++)
        subject = json_string_value(json_object_get(args, op->params[*at].name));
    return subject;
}

static struct tool_wait *wait_make(const struct mcp_call *call, const struct op *op, json_t *args,
                                   const char *made)
{
    struct tool_wait *wait = calloc(1, sizeof(*wait));

    if (!wait)
        abort();
    *wait = (struct tool_wait){ .mcp = call->mcp,
                                .tool = call->tool,
                                .op = op,
                                .args = args,
                                .made = made ? strdup(made) : NULL,
                                .name = strdup(call->client.name),
                                .task_id = call->task_id ? strdup(call->task_id) : NULL,
                                .version = call->client.version,
                                .era = call->client.era,
                                .began_ms = clock_ticks_ms() };
    memcpy(wait->remote, call->remote, sizeof(wait->remote));
    return wait;
}

/* Takes over `args`. The look that follows may have read before an event, so it is made once more. */
void tool_wait(struct mcp_call *call, const struct op *op, json_t *args, const char *made, int64_t seconds)
{
    struct mcp *mcp = call->mcp;
    struct outlet *outlet = call->outlet;
    struct request *request = &call->request;
    ARENA_AUTO arena = { 0 };
    const char *subject = str_lower(&arena, subject_of(op, args));

    if (!holds_take(mcp->edge->holds, &request->call.caller, call->remote, &outlet->hold,
                    &request->call.err)) {
        json_decref(args);
        tool_answer_error(call, &request->call.err);
        return;
    }
    struct tool_wait *wait = wait_make(call, op, args, made);

    wait->holds = seconds == WAIT_UNTIL_ENDED;
    outlet->data = wait;
    outlet->forget = wait_free;
    outlet->tick = wait_tick;
    outlet->wait =
        wait_new(mcp->edge->waits, &mcp->waits, outlet, subject, &request->credentials, (int)seconds);
    if (wait->holds || call->tool->reads)
        outlet_may_be_repeated(outlet);
    if (call->tool->elicits && call->client.era == MCP_HANDSHAKE && !outlet->only_json &&
        elicit_fits(call, call->args)) {
        wait->response_type = strdup(json_string_value(json_object_get(call->args, "responseType")));
        elicit_ask(call, elicited);
    }
    call_stream(call, tick_ms(outlet, wait));
    call_free(call);
    tool_look(mcp, outlet->wait);
}
