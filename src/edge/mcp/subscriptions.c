/*
 * Subscriptions hang on the tailer as the waits do. An event is held against the filter of each stream, which
 * is the same as for server-sent events, so nobody hears here of something that they could not list; that a
 * resource may be read is tried before it can be subscribed to.
 */
#include "edge/mcp/subscriptions.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "edge/mcp/followers.h"
#include "edge/mcp/further.h"
#include "edge/mcp/methods.h"
#include "edge/mcp/resources.h"
#include "edge/mcp/tasks.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* A stream, and what else it is for. */
struct listener {
    struct listening listening;
    struct mcp *mcp;
    struct arena arena; /* of the texts of filter and rights */
    struct recheck_one rights;
    bool lists[2]; /* by enum list_kind */
};

static void listening_free(struct outlet *outlet)
{
    struct listener *listener = outlet->data;

    if (listener->listening.follower) {
        pthread_mutex_lock(&outlet->outlets->lock);
        follower_part(listener->mcp->followers, &listener->listening);
        pthread_mutex_unlock(&outlet->outlets->lock);
    }
    arena_done(&listener->arena);
    free(listener);
}

static struct listener *listener_of(const struct outlet *outlet)
{
    return outlet->forget == listening_free ? outlet->data : NULL;
}

void subscriptions_forget(struct mcp *mcp, uint64_t session)
{
    pthread_mutex_lock(&mcp->outlets.lock);
    follower_unfollow(mcp->followers, follower_of_session(mcp->followers, session), NULL);
    pthread_mutex_unlock(&mcp->outlets.lock);
}

/* A notification on a stream; from 2026-07-28 on it names the request that opened it. */
static void put_notification(struct outlet *outlet, const char *method, const char *uri)
{
    BUF_AUTO message = { 0 };
    struct json_out out;

    json_begin(&out, &message);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_text(&out, "method", method);
    json_map(&out, "params");
    if (outlet->era == MCP_STATELESS) {
        json_map(&out, "_meta");
        json_raw(&out, "io.modelcontextprotocol/subscriptionId", outlet->id);
        json_map_end(&out);
    }
    if (uri)
        json_text(&out, "uri", uri);
    json_map_end(&out);
    json_map_end(&out);
    outlet_put(outlet, message.bytes, message.len);
}

static void put_updated(struct outlet *outlet, const char *uri)
{
    put_notification(outlet, "notifications/resources/updated", uri);
}

static void heard(void *user, struct notice *const notices[], size_t count)
{
    struct mcp *mcp = user;

    pthread_mutex_lock(&mcp->outlets.lock);
    for (size_t i = 0; i < count; i++)
        followers_tell(mcp->followers, notices[i], put_updated);
    pthread_mutex_unlock(&mcp->outlets.lock);
}

void subscriptions_open(struct mcp *mcp)
{
    mcp->followers = followers_new();
    tailer_subscribe(engine_tailer(mcp->edge->engine), heard, mcp);
}

void subscriptions_stop(struct mcp *mcp)
{
    tailer_unsubscribe(engine_tailer(mcp->edge->engine), mcp);
}

void subscriptions_close(struct mcp *mcp)
{
    followers_free(mcp->followers);
}

void subscriptions_list_changed(struct mcp *mcp, enum list_kind kind)
{
    pthread_mutex_lock(&mcp->outlets.lock);
    for (struct outlet *outlet = mcp->outlets.open; outlet; outlet = outlet->next) {
        const struct listener *listener = listener_of(outlet);

        if (listener && listener->lists[kind])
            put_notification(outlet,
                             kind == LIST_TOOLS ? "notifications/tools/list_changed"
                                                : "notifications/prompts/list_changed",
                             NULL);
    }
    pthread_mutex_unlock(&mcp->outlets.lock);
}

/* Whether they may still listen has just been asked (outlet->rights). */
static void listen_tick(struct outlet *outlet)
{
    outlet_comment(outlet);
    outlet->due_ms = clock_ticks_ms() + HEARTBEAT_MS;
}

static struct listener *listener_new(const struct mcp_call *call)
{
    const struct caller *caller = &call->request.call.caller;
    struct listener *listener = calloc(1, sizeof(*listener));

    if (!listener)
        abort();
    struct arena *arena = &listener->arena;

    listener->mcp = call->mcp;
    listener->listening.outlet = call->outlet;
    listener->listening.filter = (struct notice_filter){
        .workspace_id = arena_text(arena, caller->workspace_id),
        .bound = arena_text(arena, caller->project_id),
        .hearer = { .role = (unsigned)caller->role,
                    .person = caller_is_person(caller),
                    .id = arena_text(arena, caller->id),
                    .agent_key = caller->agent_name ? str_fold(arena, caller->agent_name) : NULL },
    };
    listener->rights = (struct recheck_one){ .credential = arena_text(arena, caller->credential),
                                             .workspace_id = listener->listening.filter.workspace_id,
                                             .role = caller->role };
    return listener;
}

/* Gives the listener to the outlet. False: there is no room for another stream, and the call is over. */
static bool give_listener(struct mcp_call *call, struct listener *listener)
{
    struct outlet *outlet = call->outlet;
    struct err *err = &call->request.call.err;

    outlet->data = listener;
    outlet->forget = listening_free;
    outlet->tick = listen_tick;
    outlet->rights = &listener->rights;
    if (!holds_take(call->mcp->edge->holds, &call->request.call.caller, call->remote, &outlet->hold, err)) {
        call_fail_with(call, err);
        return false;
    }
    return true;
}

void subscriptions_follow_session(struct mcp_call *call)
{
    struct mcp *mcp = call->mcp;

    if (!call_owns_session(call)) {
        call_fail(call);
        return;
    }
    struct listener *listener = listener_new(call);

    listener->lists[LIST_TOOLS] = listener->lists[LIST_PROMPTS] = true;
    if (!give_listener(call, listener))
        return;
    pthread_mutex_lock(&mcp->outlets.lock);
    follower_join(follower_of_session(mcp->followers, call->client.session), &listener->listening);
    pthread_mutex_unlock(&mcp->outlets.lock);
    call_stream(call, HEARTBEAT_MS);
    call_free(call);
}

static void end_listening(struct outlet *outlet)
{
    BUF_AUTO message = { 0 };

    buf_format(&message,
               "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"_meta\":"
               "{\"io.modelcontextprotocol/subscriptionId\":%s}}}",
               outlet->id, outlet->id);
    outlet_put(outlet, message.bytes, message.len);
}

/* Only what is honoured is acknowledged. */
static void acknowledge(struct outlet *outlet, const struct listener *listener)
{
    BUF_AUTO message = { 0 };
    struct json_out out;

    json_begin(&out, &message);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_text(&out, "method", "notifications/subscriptions/acknowledged");
    json_map(&out, "params");
    json_map(&out, "_meta");
    json_raw(&out, "io.modelcontextprotocol/subscriptionId", outlet->id);
    json_map_end(&out);
    json_map(&out, "notifications");
    if (listener->lists[LIST_TOOLS])
        json_bool(&out, "toolsListChanged", true);
    if (listener->lists[LIST_PROMPTS])
        json_bool(&out, "promptsListChanged", true);
    json_list(&out, "resourceSubscriptions");
    for (const struct interest *own = follower_interests(listener->listening.follower); own;
         own = own->sibling)
        json_text(&out, NULL, own->uri);
    json_list_end(&out);
    json_map_end(&out);
    json_map_end(&out);
    json_map_end(&out);
    outlet_put(outlet, message.bytes, message.len);
}

/* Those that there are, as many as one may follow. Under the lock. */
static void follow_all(struct mcp_call *call, struct follower *follower, const json_t *uris)
{
    const char *id;

    for (size_t i = 0; i < json_array_size(uris); i++) {
        const char *uri = json_string_value(json_array_get(uris, i));

        if (uri && resource_find(&call->arena, uri, &id) &&
            !follower_follow(call->mcp->followers, follower, uri))
            return;
    }
}

void subscriptions_listen(struct mcp_call *call)
{
    const json_t *wanted = json_object_get(call->message.params, "notifications");
    struct outlet *outlet = call->outlet;

    if (json_array_size(json_object_get(wanted, "taskIds")) > 0 && !tasks_are_known(call))
        return;
    if (outlet->only_json) {
        rpc_fail(&call->error, RPC_INVALID_REQUEST, 406,
                 "What changes is told on a stream: accept text/event-stream.");
        call_fail(call);
        return;
    }
    struct listener *listener = listener_new(call);

    listener->lists[LIST_TOOLS] = json_is_true(json_object_get(wanted, "toolsListChanged"));
    listener->lists[LIST_PROMPTS] = json_is_true(json_object_get(wanted, "promptsListChanged"));
    if (!give_listener(call, listener))
        return;
    outlet->stop = end_listening;
    pthread_mutex_lock(&call->mcp->outlets.lock);
    follower_join(follower_alone(), &listener->listening);
    follow_all(call, listener->listening.follower, json_object_get(wanted, "resourceSubscriptions"));
    acknowledge(outlet, listener);
    pthread_mutex_unlock(&call->mcp->outlets.lock);
    call_stream(call, HEARTBEAT_MS);
    call_free(call);
}

static void done(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_result(call, &out, &result);
}

static bool subscribe(struct mcp *mcp, uint64_t session, const char *uri)
{
    pthread_mutex_lock(&mcp->outlets.lock);
    bool room = follower_follow(mcp->followers, follower_of_session(mcp->followers, session), uri);

    pthread_mutex_unlock(&mcp->outlets.lock);
    return room;
}

/* It could be read just now. */
static void readable(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;
    const char *uri = call_text_param(call, "uri");

    if (err->code == ERR_NOT_FOUND) {
        resource_missing(call, uri);
    } else if (err->code != ERR_NONE) {
        call_fail_with(call, err);
    } else if (!call_owns_session(call)) {
        call_fail(call);
    } else if (!subscribe(call->mcp, call->client.session, uri)) {
        rpc_fail(&call->error, RPC_SERVER_ERROR, 429, "Too many subscriptions are held.");
        call_fail(call);
    } else {
        done(call);
    }
}

void resources_subscribe(struct mcp_call *call)
{
    const char *uri = call_text_param(call, "uri"), *id = NULL;
    const struct resource *resource = uri ? resource_find(&call->arena, uri, &id) : NULL;

    if (uri && !call->client.session) {
        rpc_fail(&call->error, RPC_INVALID_REQUEST, 400, "Subscribing needs a session: initialize first.");
        uri = NULL;
    }
    if (!uri)
        call_fail(call);
    else if (resource)
        resource_run(call, resource, id, readable);
    else if (mcp_further_resource(uri))
        call_run(call, mcp_further_resource(uri), NULL, readable);
    else
        resource_missing(call, uri);
}

void resources_unsubscribe(struct mcp_call *call)
{
    const char *uri = call_text_param(call, "uri");

    if (!uri || !call_owns_session(call)) {
        call_fail(call);
        return;
    }
    pthread_mutex_lock(&call->mcp->outlets.lock);
    follower_unfollow(call->mcp->followers, follower_of_session(call->mcp->followers, call->client.session),
                      uri);
    pthread_mutex_unlock(&call->mcp->outlets.lock);
    done(call);
}
