/*
 * Subscriptions hang on the tailer as the waits do. An event is held against the filter of each stream, which
 * is the same as for server-sent events, so nobody hears here of something that they could not list; that a
 * resource may be read is tried before it can be subscribed to.
 */
#include "edge/mcp/subscriptions.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "edge/mcp/fixtures.h"
#include "edge/mcp/methods.h"
#include "edge/mcp/resources.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#define SUBSCRIPTIONS_MOST 4096 /* of all sessions together */
#define LISTENED_MOST      64   /* resources of one stream */

/* A resource that somebody wants to hear of. */
struct subscription {
    struct subscription *next;
    uint64_t session; /* 0: of one stream */
    const struct resource *resource;
    char *uri, *id;
};

/* What a stream listens for. */
struct listening {
    struct arena arena; /* of the filter's texts */
    struct notice_filter filter;
    bool lists[2]; /* by enum list_kind */
    struct subscription *own;
};

static char *copy(const char *text)
{
    char *own = text ? strdup(text) : NULL;

    if (text && !own)
        abort();
    return own;
}

static struct subscription *subscription_new(uint64_t session, const char *uri)
{
    struct subscription *made = calloc(1, sizeof(*made));
    ARENA_AUTO arena = { 0 };
    const char *id = NULL;

    if (!made)
        abort();
    made->session = session;
    made->resource = resource_find(&arena, uri, &id);
    made->uri = copy(uri);
    made->id = id ? copy(str_fold(&arena, id)) : NULL;
    return made;
}

static void subscription_free(struct subscription *subscription)
{
    free(subscription->uri);
    free(subscription->id);
    free(subscription);
}

/* Takes those of a session, or one of its addresses, out of the list. Under the lock. */
static void take_out(struct mcp *mcp, uint64_t session, const char *uri)
{
    struct subscription **link = &mcp->subscriptions, *found;

    while ((found = *link)) {
        if (found->session != session || (uri && strcmp(found->uri, uri) != 0)) {
            link = &found->next;
            continue;
        }
        *link = found->next;
        subscription_free(found);
        mcp->subscription_count--;
    }
}

void subscriptions_forget(struct mcp *mcp, uint64_t session)
{
    pthread_mutex_lock(&mcp->outlets.lock);
    take_out(mcp, session, NULL);
    pthread_mutex_unlock(&mcp->outlets.lock);
}

static void listening_free(struct outlet *outlet)
{
    struct listening *listening = outlet->data;

    while (listening->own) {
        struct subscription *next = listening->own->next;

        subscription_free(listening->own);
        listening->own = next;
    }
    arena_done(&listening->arena);
    free(listening);
}

static struct listening *listening_of(const struct outlet *outlet)
{
    return outlet->forget == listening_free ? outlet->data : NULL;
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

static bool tells_of(const struct notice *notice, const struct subscription *subscription)
{
    if (!subscription->resource)
        return false;
    if (subscription->resource->changes)
        return notice->type && str_starts(notice->type, subscription->resource->changes);
    return str_equal(notice->subject, subscription->id) || str_equal(notice->job_id, subscription->id) ||
           str_equal(notice->discussion_id, subscription->id);
}

static void tell(struct outlet *outlet, const struct subscription *list, const struct notice *notice)
{
    for (const struct subscription *wanted = list; wanted; wanted = wanted->next)
        if ((wanted->session == 0 || wanted->session == outlet->session) && tells_of(notice, wanted))
            put_notification(outlet, "notifications/resources/updated", wanted->uri);
}

static void heard(void *user, struct notice *const notices[], size_t count)
{
    struct mcp *mcp = user;

    pthread_mutex_lock(&mcp->outlets.lock);
    for (struct outlet *outlet = mcp->outlets.open; outlet; outlet = outlet->next) {
        const struct listening *listening = listening_of(outlet);

        for (size_t i = 0; listening && i < count; i++)
            if (notice_matches(notices[i], &listening->filter))
                tell(outlet, outlet->era == MCP_STATELESS ? listening->own : mcp->subscriptions, notices[i]);
    }
    pthread_mutex_unlock(&mcp->outlets.lock);
}

void subscriptions_open(struct mcp *mcp)
{
    tailer_subscribe(engine_tailer(mcp->edge->engine), heard, mcp);
}

void subscriptions_close(struct mcp *mcp)
{
    tailer_unsubscribe(engine_tailer(mcp->edge->engine), mcp);
    while (mcp->subscriptions)
        take_out(mcp, mcp->subscriptions->session, NULL);
}

void subscriptions_list_changed(struct mcp *mcp, enum list_kind kind)
{
    pthread_mutex_lock(&mcp->outlets.lock);
    for (struct outlet *outlet = mcp->outlets.open; outlet; outlet = outlet->next) {
        const struct listening *listening = listening_of(outlet);

        if (listening && listening->lists[kind])
            put_notification(outlet,
                             kind == LIST_TOOLS ? "notifications/tools/list_changed"
                                                : "notifications/prompts/list_changed",
                             NULL);
    }
    pthread_mutex_unlock(&mcp->outlets.lock);
}

static void listen_tick(struct outlet *outlet)
{
    outlet_comment(outlet);
    outlet->due_ms = clock_ticks_ms() + HEARTBEAT_MS;
}

static struct listening *listening_new(const struct mcp_call *call)
{
    const struct caller *caller = &call->request.call.caller;
    struct listening *listening = calloc(1, sizeof(*listening));

    if (!listening)
        abort();
    listening->filter = (struct notice_filter){
        .workspace_id = arena_text(&listening->arena, caller->workspace_id),
        .bound = arena_text(&listening->arena, caller->project_id),
        .hearer = { .role = (unsigned)caller->role,
                    .person = caller_is_person(caller),
                    .id = arena_text(&listening->arena, caller->id),
                    .agent_key =
                        caller->agent_name ? str_fold(&listening->arena, caller->agent_name) : NULL },
    };
    return listening;
}

/* Takes the listening over; the call is over, its outlet a stream. */
static bool follow(struct mcp_call *call, struct listening *listening)
{
    struct outlet *outlet = call->outlet;
    struct err *err = &call->request.call.err;

    outlet->data = listening;
    outlet->forget = listening_free;
    outlet->tick = listen_tick;
    if (!holds_take(call->mcp->edge->holds, &call->request.call.caller, call->remote, &outlet->hold, err)) {
        call_fail_with(call, err);
        return false;
    }
    return true;
}

void subscriptions_follow_session(struct mcp_call *call)
{
    struct listening *listening = listening_new(call);

    listening->lists[LIST_TOOLS] = listening->lists[LIST_PROMPTS] = true;
    if (!follow(call, listening))
        return;
    outlet_open(call->outlet, HEARTBEAT_MS);
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
static void acknowledge(struct outlet *outlet, const struct listening *listening)
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
    if (listening->lists[LIST_TOOLS])
        json_bool(&out, "toolsListChanged", true);
    if (listening->lists[LIST_PROMPTS])
        json_bool(&out, "promptsListChanged", true);
    json_list(&out, "resourceSubscriptions");
    for (const struct subscription *own = listening->own; own; own = own->next)
        json_text(&out, NULL, own->uri);
    json_list_end(&out);
    json_map_end(&out);
    json_map_end(&out);
    json_map_end(&out);
    outlet_put(outlet, message.bytes, message.len);
}

void subscriptions_listen(struct mcp_call *call)
{
    const json_t *wanted = json_object_get(call->message.params, "notifications");
    const json_t *uris = json_object_get(wanted, "resourceSubscriptions");
    struct listening *listening = listening_new(call);
    struct outlet *outlet = call->outlet;

    listening->lists[LIST_TOOLS] = json_is_true(json_object_get(wanted, "toolsListChanged"));
    listening->lists[LIST_PROMPTS] = json_is_true(json_object_get(wanted, "promptsListChanged"));
    for (size_t i = 0; i < json_array_size(uris) && i < LISTENED_MOST; i++) {
        const char *uri = json_string_value(json_array_get(uris, i));
        struct subscription *own = uri ? subscription_new(0, uri) : NULL;

        if (own && !own->resource) {
            subscription_free(own);
        } else if (own) {
            own->next = listening->own;
            listening->own = own;
        }
    }
    if (!follow(call, listening))
        return;
    outlet->stop = end_listening;
    acknowledge(outlet, listening);
    outlet_open(outlet, HEARTBEAT_MS);
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
    bool room;

    pthread_mutex_lock(&mcp->outlets.lock);
    take_out(mcp, session, uri);
    room = mcp->subscription_count < SUBSCRIPTIONS_MOST;
    if (room) {
        struct subscription *made = subscription_new(session, uri);

        made->next = mcp->subscriptions;
        mcp->subscriptions = made;
        mcp->subscription_count++;
    }
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
    else if (call->mcp->edge->options.mcp_fixtures && fixture_is_resource(uri))
        call_run(call, fixture_op(), NULL, readable);
    else
        resource_missing(call, uri);
}

void resources_unsubscribe(struct mcp_call *call)
{
    const char *uri = call_text_param(call, "uri");

    if (!uri) {
        call_fail(call);
        return;
    }
    pthread_mutex_lock(&call->mcp->outlets.lock);
    take_out(call->mcp, call->client.session, uri);
    pthread_mutex_unlock(&call->mcp->outlets.lock);
    done(call);
}
