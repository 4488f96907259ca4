/*
 * The life of each server: started, listed, used, and started again when it has died. All of it is the
 * loop's; other threads hand in tasks, and read under the lock what is told about a server.
 *
 * A server that fails is closed first, and the next start waits until nothing of it is left: there are never
 * two of one. A call that comes while a server starts waits for it, within the call's own time.
 */
#include "toolbox/mcp_servers.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "toolbox/internal.h"
#include "toolbox/mcp_link.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_MOST_MS 60000 /* between two starts */

/* A list of tools that never changes; given back by the last who reads it. */
struct mcp_snapshot {
    atomic_int readers;
    struct mcp_listing *listing;
};

struct mcp_server {
    struct mcp_servers *servers;
    const struct mcp_setup *setup;
    struct mcp_link *link; /* NULL: none */
    struct mcp_session session;
    bool has_session;
    struct timer timer;    /* what the session has to do next, or the next start */
    struct timer patience; /* of those who wait for it to start */
    struct mcp_errand *waiting;
    int failures; /* in a row */
    int64_t ready_ms;
    char last_why[320]; /* of the session that is being closed */

    /* Under the lock. */
    enum mcp_state state;
    bool has_settled;
    struct mcp_snapshot *snapshot;
    size_t left_out, calls;
    int restarts;
    const char *version;
    char why[320];
};

struct mcp_servers {
    struct net *net;
    struct programs *programs;
    struct mcp_server *list;
    size_t count;
    bool closing; /* the loop's */
    struct net_task open_task, close_task;
    size_t said; /* the loop's: of how many tools the log told last that they are too many for one run */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t calls, links, tasks;
    bool refusing;
};

const char *mcp_state_name(enum mcp_state state)
{
    static const char *const names[] = { "starting", "ready", "waiting", "unavailable" };

    return state >= MCP_STARTING && state < MCP_STATE_END ? names[state - 1] : "";
}

/* Lists of tools. */

static void let_go(struct mcp_snapshot *snapshot)
{
    if (!snapshot || atomic_fetch_sub(&snapshot->readers, 1) > 1)
        return;
    mcp_listing_done(snapshot->listing);
    free(snapshot->listing);
    free(snapshot);
}

static void publish(struct mcp_server *server, struct mcp_listing *listing)
{
    struct mcp_snapshot *snapshot = memory_take(sizeof(*snapshot)), *before;

    *snapshot = (struct mcp_snapshot){ .readers = 1, .listing = listing };
    pthread_mutex_lock(&server->servers->lock);
    before = server->snapshot;
    server->snapshot = snapshot;
    server->left_out = listing->left_out;
    /* Before anybody can see it: who finds that no server is waited for any more knows of another edition. */
    if (!before || !mcp_listing_same(before->listing, listing))
        tools_have_changed();
    pthread_mutex_unlock(&server->servers->lock);
    let_go(before);
}

static struct mcp_snapshot *snapshot_of(struct mcp_server *server)
{
    pthread_mutex_lock(&server->servers->lock);
    struct mcp_snapshot *snapshot = server->snapshot;

    if (snapshot)
        atomic_fetch_add(&snapshot->readers, 1);
    pthread_mutex_unlock(&server->servers->lock);
    return snapshot;
}

static struct tool copy_tool(struct arena *arena, const struct tool *tool)
{
    struct tool copy = *tool; /* rules and the server's name are the setup's, and outlive all */

    copy.name = arena_text(arena, tool->name);
    copy.description = arena_text(arena, tool->description);
    copy.schema = arena_text(arena, tool->schema);
    copy.server_tool = arena_text(arena, tool->server_tool);
    copy.digest = arena_text(arena, tool->digest);
    return copy;
}

static void let_go_auto(struct mcp_snapshot **snapshot)
{
    let_go(*snapshot);
}

static void add_tools(struct mcp_server *server, struct arena *arena, struct tool *tools, size_t *count,
                      size_t room)
{
    __attribute__((cleanup(let_go_auto))) struct mcp_snapshot *snapshot = snapshot_of(server);

    for (size_t i = 0; snapshot && i < snapshot->listing->count && *count < room; i++)
        tools[(*count)++] = copy_tool(arena, &snapshot->listing->tools[i]);
}

static size_t count_tools(struct mcp_server *server)
{
    pthread_mutex_lock(&server->servers->lock);
    size_t count = server->snapshot ? server->snapshot->listing->count : 0;

    pthread_mutex_unlock(&server->servers->lock);
    return count;
}

void mcp_servers_tools(struct mcp_servers *servers, struct arena *arena, const struct tool **tools,
                       size_t *count)
{
    size_t room = 0;

    for (size_t i = 0; i < servers->count; i++)
        room += count_tools(&servers->list[i]) + LIMIT_MCP_TOOLS; /* one may have more a moment later */
    struct tool *all = arena_array(arena, struct tool, room + 1);

    *count = 0;
    for (size_t i = 0; i < servers->count; i++)
        add_tools(&servers->list[i], arena, all, count, room);
    *tools = all;
}

bool mcp_servers_await(struct mcp_servers *servers, const char *name, struct tool *tool)
{
    for (size_t i = 0; i < servers->count; i++) {
        struct mcp_server *server = &servers->list[i];

        pthread_mutex_lock(&servers->lock);
        bool has_listed = server->snapshot != NULL;

        pthread_mutex_unlock(&servers->lock);
        if (!has_listed && mcp_tool_awaited(server->setup, name, tool))
            return true;
    }
    return false;
}

const struct mcp_status *mcp_servers_status(struct mcp_servers *servers, struct arena *arena, size_t *count)
{
    struct mcp_status *list = arena_array(arena, struct mcp_status, servers->count + 1);

    for (size_t i = 0; i < servers->count; i++) {
        struct mcp_server *server = &servers->list[i];
        char why[sizeof(server->why)];

        pthread_mutex_lock(&servers->lock);
        list[i] = (struct mcp_status){ .name = server->setup->name,
                                       .state = server->state,
                                       .version = server->version,
                                       .tools = server->snapshot ? server->snapshot->listing->count : 0,
                                       .left_out = server->left_out,
                                       .restarts = server->restarts };
        memcpy(why, server->why, sizeof(why));
        pthread_mutex_unlock(&servers->lock);
        list[i].why = arena_text(arena, why);
    }
    *count = servers->count;
    return list;
}

/* What is told about a server. */

static void tell(struct mcp_server *server, enum mcp_state state, const char *why)
{
    struct mcp_servers *servers = server->servers;

    pthread_mutex_lock(&servers->lock);
    server->state = state;
    server->has_settled = server->has_settled || state != MCP_STARTING;
    server->version = state == MCP_READY ? server->session.version : "";
    if (why)
        snprintf(server->why, sizeof(server->why), "%s", why);
    pthread_cond_broadcast(&servers->changed);
    pthread_mutex_unlock(&servers->lock);
}

/* The end of a call. */

static void errand_ended(void *user, struct mcp_errand *errand, const struct tool_result *result)
{
    struct mcp_server *server = user;
    struct mcp_servers *servers = server->servers;

    errand->callbacks.done(errand->callbacks.user, result);
    mcp_errand_free(errand);
    pthread_mutex_lock(&servers->lock);
    server->calls--;
    if (--servers->calls == 0)
        pthread_cond_broadcast(&servers->changed);
    pthread_mutex_unlock(&servers->lock);
}

static void end_waiting(struct mcp_server *server, struct mcp_errand *errand, enum tool_end end,
                        const char *text)
{
    struct tool_result result = { .end = end, .text = text, .took_ms = clock_ticks_ms() - errand->began_ms };

    *errand->link = errand->next;
    if (errand->next)
        errand->next->link = errand->link;
    errand_ended(server, errand, &result);
}

static void end_all_waiting(struct mcp_server *server, enum tool_end end, const char *why)
{
    while (server->waiting)
        end_waiting(server, server->waiting, end,
                    arena_format(&server->waiting->arena, "The server \"%s\" is not there: %s",
                                 server->setup->name, why));
}

static void wait_in_line(struct mcp_server *server, struct mcp_errand *errand)
{
    errand->link = &server->waiting;
    errand->next = server->waiting;
    if (errand->next)
        errand->next->link = &errand->next;
    server->waiting = errand;
}

/* Of those who wait: the first whose time is up. */
static void watch_patience(struct mcp_server *server)
{
    int64_t now_ms = clock_ticks_ms(), first_ms = INT64_MAX;

    for (const struct mcp_errand *errand = server->waiting; errand; errand = errand->next)
        if (errand->began_ms + errand->timeout_ms < first_ms)
            first_ms = errand->began_ms + errand->timeout_ms;
    if (first_ms == INT64_MAX)
        net_timer_stop(server->servers->net, &server->patience);
    else
        net_timer_set(server->servers->net, &server->patience, first_ms > now_ms ? first_ms - now_ms : 0);
}

static void patience_is_over(void *user)
{
    struct mcp_server *server = user;
    int64_t now_ms = clock_ticks_ms();

    for (struct mcp_errand *errand = server->waiting, *next; errand; errand = next) {
        next = errand->next;
        if (errand->began_ms + errand->timeout_ms <= now_ms)
            end_waiting(server, errand, TOOL_NOT_THERE,
                        arena_format(&errand->arena, "The server \"%s\" did not start in time.",
                                     server->setup->name));
    }
    watch_patience(server);
}

/* Starting, and starting again. */

static void settle(struct mcp_server *server);
static void start(void *user);

static void give_up(struct mcp_server *server, const char *why)
{
    struct mcp_servers *servers = server->servers;

    log_line(LOG_ERROR, "an MCP server is unavailable", "server", server->setup->name, "why", why, NULL);
    tell(server, MCP_UNAVAILABLE, why);
    end_all_waiting(server, TOOL_NOT_THERE, why);
    /* A program stays as it is; what is elsewhere may be mended there. */
    if (server->setup->url)
        net_timer_set(servers->net, &server->timer, MCP_RELIST_MS);
}

static void plan_next_start(struct mcp_server *server, const char *why)
{
    struct mcp_servers *servers = server->servers;
    int64_t pause_ms = RETRY_FIRST_MS;

    if (servers->closing)
        return;
    net_timer_stop(servers->net, &server->timer); /* what the session had still to do is no start */
    server->timer.run = start;
    if (server->ready_ms != 0 && clock_ticks_ms() - server->ready_ms > MCP_STEADY_MS)
        server->failures = 0;
    server->ready_ms = 0;
    if (server->failures >= server->setup->restarts) {
        give_up(server, why);
        return;
    }
    for (int i = 0; i < server->failures && pause_ms < PAUSE_MOST_MS; i++)
        pause_ms *= 2;
    server->failures++;
    log_line(LOG_WARN, "an MCP server has failed, and is started again", "server", server->setup->name, "why",
             why, NULL);
    tell(server, MCP_WAITING, why);
    net_timer_set(servers->net, &server->timer, pause_ms < PAUSE_MOST_MS ? pause_ms : PAUSE_MOST_MS);
}

static void end_session(struct mcp_server *server, enum tool_end end, const char *why)
{
    struct mcp_errand *again;

    if (!server->has_session)
        return;
    server->has_session = false;
    again = server->session.again;
    server->session.again = NULL;
    mcp_session_end(&server->session, end, why);
    for (struct mcp_errand *next; again; again = next) {
        next = again->next;
        wait_in_line(server, again);
    }
    watch_patience(server);
}

static void fail(struct mcp_server *server, const char *why)
{
    char kept[sizeof(server->last_why)];

    snprintf(kept, sizeof(kept), "%s", why); /* it may be the session's own */
    net_timer_stop(server->servers->net, &server->timer);
    end_session(server, TOOL_BROKE_OFF, kept);
    memcpy(server->last_why, kept, sizeof(kept));
    if (server->link)
        server->link->kind->close(server->link);
    else
        plan_next_start(server, kept);
}

/* Links. */

static void link_message(void *user, const char *text, size_t len, int64_t stream)
{
    struct mcp_server *server = user;

    if (!server->has_session)
        return;
    mcp_session_take(&server->session, text, len, stream);
    settle(server);
}

static void link_failed(void *user, int64_t request, const struct mcp_failure *failure)
{
    struct mcp_server *server = user;

    if (!server->has_session)
        return;
    mcp_session_failed(&server->session, request, failure);
    settle(server);
}

static bool link_awaits(void *user, int64_t request)
{
    const struct mcp_server *server = user;

    if (!server->has_session)
        return false;
    for (const struct mcp_pending *pending = server->session.pending; pending; pending = pending->next)
        if (pending->request == request)
            return true;
    return false;
}

static void link_gone(void *user, bool flooded, const char *why)
{
    struct mcp_server *server = user;
    struct mcp_servers *servers = server->servers;
    bool by_itself = server->has_session;
    /* Of several calls nobody knows which one it was that got too long an answer. */
    bool is_one = server->has_session && server->session.errands && !server->session.errands->next;

    server->link = NULL;
    if (by_itself) {
        snprintf(server->last_why, sizeof(server->last_why), "%s", why);
        end_session(server, flooded && is_one ? TOOL_FLOODED : TOOL_BROKE_OFF, server->last_why);
    }
    pthread_mutex_lock(&servers->lock);
    servers->links--;
    pthread_cond_broadcast(&servers->changed);
    pthread_mutex_unlock(&servers->lock);
    plan_next_start(server, server->last_why);
}

static bool send_letter(void *user, const struct mcp_letter *letter)
{
    struct mcp_server *server = user;

    return server->link && server->link->kind->send(server->link, letter);
}

static void drop_request(void *user, int64_t request)
{
    struct mcp_server *server = user;

    if (server->link)
        server->link->kind->drop(server->link, request);
}

static bool open_link(struct mcp_server *server, struct err *err)
{
    struct mcp_servers *servers = server->servers;
    struct mcp_link_host host = { .message = link_message,
                                  .failed = link_failed,
                                  .awaits = link_awaits,
                                  .gone = link_gone,
                                  .user = server };

    if (server->setup->url)
        return mcp_http_open(&server->link, server->setup, servers->net, &host, err);
    if (!servers->programs)
        return err_set(err, ERR_UNAVAILABLE, "This server starts no programs.");
    return mcp_stdio_open(&server->link, server->setup, servers->programs, servers->net, &host, err);
}

static void start(void *user)
{
    struct mcp_server *server = user;
    struct mcp_servers *servers = server->servers;
    struct err err = { 0 };

    if (servers->closing)
        return;
    pthread_mutex_lock(&servers->lock);
    server->restarts = server->failures;
    pthread_mutex_unlock(&servers->lock);
    tell(server, MCP_STARTING, NULL);
    if (!open_link(server, &err)) {
        fail(server, err.text);
        return;
    }
    pthread_mutex_lock(&servers->lock);
    servers->links++;
    pthread_mutex_unlock(&servers->lock);
    struct mcp_host host = { .over_http = server->link->kind->over_http,
                             .now_ms = clock_ticks_ms,
                             .send = send_letter,
                             .drop = drop_request,
                             .ended = errand_ended,
                             .user = server };

    server->has_session = true;
    mcp_session_begin(&server->session, server->setup, &host);
    settle(server);
}

/* What a call stands for now: its tool may not have been known yet, or have changed while the call waited,
 * and what was judged is run or nothing. NULL: nothing, and *why not. The list is the loop's to change. */
static const struct tool *find_listed(const struct mcp_server *server, const struct mcp_errand *errand,
                                      const char **why)
{
    const struct mcp_listing *listing = server->snapshot->listing;

    *why = "This tool is not there any more.";
    for (size_t i = 0; i < listing->count; i++) {
        if (strcmp(listing->tools[i].name, errand->name) != 0)
            continue;
        *why = "This tool is not what it was when the call was made, and was not run.";
        return !errand->digest || strcmp(errand->digest, listing->tools[i].digest) == 0 ? &listing->tools[i]
                                                                                        : NULL;
    }
    return NULL;
}

/* One that waits, and need not any more. */
static void call_now(struct mcp_server *server, struct mcp_errand *errand)
{
    const struct tool *tool;
    const char *why;

    if (!errand->tool || errand->digest) {
        tool = find_listed(server, errand, &why);
        if (!tool) {
            end_waiting(server, errand, TOOL_NOT_THERE, why);
            return;
        }
        errand->tool = arena_text(&errand->arena, tool->server_tool);
        errand->schema = arena_text(&errand->arena, tool->schema);
    }
    *errand->link = errand->next;
    if (errand->next)
        errand->next->link = errand->link;
    mcp_session_call(&server->session, errand);
}

static void session_is_due(void *user)
{
    struct mcp_server *server = user;

    if (!server->has_session)
        return;
    mcp_session_tick(&server->session);
    settle(server);
}

/* Commands alone are never too many, so that only a server's list can make them so. */
_Static_assert(LIMIT_TOOLS <= LIMIT_RUN_TOOLS, "all commands fit one run");

static void say_surplus(struct mcp_servers *servers)
{
    size_t all = tools_of_commands();
    char count[24], offered[24];

    for (size_t i = 0; i < servers->count; i++)
        all += count_tools(&servers->list[i]);
    if (all == servers->said || all <= LIMIT_RUN_TOOLS)
        return;
    servers->said = all;
    snprintf(count, sizeof(count), "%zu", all);
    snprintf(offered, sizeof(offered), "%d", LIMIT_RUN_TOOLS);
    log_line(
        LOG_WARN,
        "there are more tools than one run is offered, which are the first that are for it; `tools` of a job chooses others, enabled: false in config.yaml leaves some out",
        "tools", count, "offered", offered, NULL);
}

static void use_list(struct mcp_server *server)
{
    struct mcp_listing *listing = server->session.listed;
    bool is_first = server->ready_ms == 0;
    char count[24];

    server->session.listed = NULL;
    publish(server, listing);
    if (is_first)
        server->ready_ms = clock_ticks_ms();
    tell(server, MCP_READY, "");
    snprintf(count, sizeof(count), "%zu", listing->count);
    log_line(LOG_INFO, is_first ? "an MCP server is ready" : "an MCP server has listed its tools anew",
             "server", server->setup->name, "version", server->session.version, "tools", count, NULL);
    say_surplus(server->servers);
    while (server->waiting)
        call_now(server, server->waiting);
    watch_patience(server);
}

/* After each thing that a session was told. */
static void settle(struct mcp_server *server)
{
    if (!server->has_session)
        return;
    if (server->session.listed && !server->session.is_broken)
        use_list(server);
    if (server->session.is_broken) {
        fail(server, server->session.why);
        return;
    }
    int64_t due_ms = mcp_session_due(&server->session), now_ms = clock_ticks_ms();

    server->timer.run = session_is_due;
    if (due_ms == INT64_MAX)
        net_timer_stop(server->servers->net, &server->timer);
    else
        net_timer_set(server->servers->net, &server->timer, due_ms > now_ms ? due_ms - now_ms : 0);
}

/* What others hand in. */

struct mcp_order {
    struct net_task task;
    struct mcp_servers *servers;
    struct mcp_server *server; /* of a call */
    struct mcp_errand *errand; /* the same */
    uint64_t id;
    char *elicitation, *content;
    enum tool_answer answer;
};

static void order_free(struct mcp_order *order)
{
    struct mcp_servers *servers = order->servers;

    free(order->elicitation);
    free(order->content);
    free(order);
    pthread_mutex_lock(&servers->lock);
    servers->tasks--;
    pthread_cond_broadcast(&servers->changed);
    pthread_mutex_unlock(&servers->lock);
}

/* False: the servers are being closed, and the order is gone. */
static bool hand_in(struct mcp_order *order, void (*run)(void *user))
{
    struct mcp_servers *servers = order->servers;

    order->task = (struct net_task){ .run = run, .user = order };
    pthread_mutex_lock(&servers->lock);
    bool refused = servers->refusing;

    servers->tasks++;
    pthread_mutex_unlock(&servers->lock);
    if (refused)
        order_free(order);
    else
        net_post(servers->net, &order->task);
    return !refused;
}

static void begin_call(void *user)
{
    struct mcp_order *order = user;
    struct mcp_server *server = order->server;
    struct mcp_errand *errand = order->errand;

    wait_in_line(server, errand);
    if (server->servers->closing) {
        end_waiting(server, errand, TOOL_CANCELLED, "The call was cancelled.");
    } else if (server->state == MCP_UNAVAILABLE) {
        end_all_waiting(server, TOOL_NOT_THERE, server->why);
    } else if (server->has_session && mcp_session_talks(&server->session)) {
        call_now(server, errand);
        settle(server);
    } else {
        watch_patience(server);
    }
    order_free(order);
}

static struct mcp_errand *find_errand(struct mcp_servers *servers, uint64_t id, struct mcp_server **of,
                                      bool *waits)
{
    for (size_t i = 0; i < servers->count; i++) {
        struct mcp_server *server = &servers->list[i];

        *of = server;
        *waits = true;
        for (struct mcp_errand *errand = server->waiting; errand; errand = errand->next)
            if (errand->id == id)
                return errand;
        *waits = false;
        for (struct mcp_errand *errand = server->has_session ? server->session.errands : NULL; errand;
             errand = errand->next)
            if (errand->id == id)
                return errand;
    }
    return NULL;
}

static void cancel_call(void *user)
{
    struct mcp_order *order = user;
    struct mcp_server *server;
    bool waits;
    struct mcp_errand *errand = find_errand(order->servers, order->id, &server, &waits);

    if (errand && waits) {
        end_waiting(server, errand, TOOL_CANCELLED, "The call was cancelled.");
    } else if (errand) {
        mcp_session_cancel(&server->session, errand);
        settle(server);
    }
    order_free(order);
}

static void answer_call(void *user)
{
    struct mcp_order *order = user;
    struct mcp_server *server;
    bool waits;
    struct mcp_errand *errand = find_errand(order->servers, order->id, &server, &waits);

    if (errand && !waits) {
        mcp_session_answer(&server->session, errand, order->elicitation, order->answer, order->content);
        settle(server);
    }
    order_free(order);
}

static struct mcp_order *order_new(struct mcp_servers *servers, uint64_t id)
{
    struct mcp_order *order = memory_take(sizeof(*order));

    *order = (struct mcp_order){ .servers = servers, .id = id };
    return order;
}

static char *own_copy(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? memory_take(size) : NULL;

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void mcp_servers_cancel(struct mcp_servers *servers, uint64_t call)
{
    (void)hand_in(order_new(servers, call), cancel_call);
}

void mcp_servers_answer(struct mcp_servers *servers, uint64_t call, const char *elicitation,
                        enum tool_answer answer, const char *content)
{
    struct mcp_order *order = order_new(servers, call);

    order->elicitation = own_copy(elicitation);
    order->content = own_copy(content);
    order->answer = answer;
    (void)hand_in(order, answer_call);
}

/* A place among the server's calls; false: it has too many, or is not there. */
static bool take_place(struct mcp_server *server, struct err *err)
{
    struct mcp_servers *servers = server->servers;

    pthread_mutex_lock(&servers->lock);
    bool is_full = server->calls >= LIMIT_MCP_CALLS, refusing = servers->refusing;

    if (!is_full && !refusing) {
        server->calls++;
        servers->calls++;
    }
    pthread_mutex_unlock(&servers->lock);
    if (refusing)
        return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
    return !is_full || err_set(err, ERR_UNAVAILABLE, "Too many calls of \"%s\" are under way; wait for one.",
                               server->setup->name);
}

static struct mcp_errand *errand_new(const struct mcp_server *server, const struct tool *tool,
                                     const json_t *arguments, const struct tool_callbacks *callbacks,
                                     uint64_t id)
{
    struct mcp_errand *errand = memory_take(sizeof(*errand));

    *errand = (struct mcp_errand){ .id = id,
                                   .callbacks = *callbacks,
                                   .began_ms = clock_ticks_ms(),
                                   .timeout_ms = server->setup->timeout_ms,
                                   .request = -1 };
    errand->name = arena_text(&errand->arena, tool->name);
    errand->digest = arena_text(&errand->arena, tool->digest);
    errand->tool = arena_text(&errand->arena, tool->server_tool);
    errand->schema = arena_text(&errand->arena, tool->schema);
    errand->arguments = json_dump_text(&errand->arena, arguments);
    return errand;
}

bool mcp_servers_call(struct mcp_servers *servers, const struct tool *tool, const char *arguments,
                      const struct tool_callbacks *callbacks, uint64_t id, struct err *err)
{
    JSON_AUTO *tree = NULL;
    struct mcp_server *server = NULL;

    for (size_t i = 0; i < servers->count && !server; i++)
        if (str_equal(servers->list[i].setup->name, tool->server))
            server = &servers->list[i];
    if (!server)
        return err_set(err, ERR_NOT_FOUND, "There is no MCP server \"%s\".", tool->server);
    if (!json_parse(arguments, strlen(arguments), &tree, err))
        return false;
    if (!json_is_object(tree))
        return err_field(err, "arguments", "Arguments of a tool must be an object.");
    struct mcp_order *order = order_new(servers, id);

    order->server = server;
    order->errand = errand_new(server, tool, tree, callbacks, id);
    if (!take_place(server, err)) {
        mcp_errand_free(order->errand);
        free(order);
        return false;
    }
    struct mcp_errand *errand = order->errand;

    if (hand_in(order, begin_call))
        return true;
    mcp_errand_free(errand);
    pthread_mutex_lock(&servers->lock);
    server->calls--;
    servers->calls--;
    pthread_cond_broadcast(&servers->changed);
    pthread_mutex_unlock(&servers->lock);
    return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
}

/* All of them. */

static void start_all(void *user)
{
    struct mcp_servers *servers = user;

    for (size_t i = 0; i < servers->count; i++)
        start(&servers->list[i]);
}

bool mcp_servers_open(struct mcp_servers **opened, const struct mcp_setup *setups, size_t count,
                      struct programs *programs, struct net *net, struct err *err)
{
    struct mcp_servers *servers = memory_take(sizeof(*servers));

    (void)err;
    *servers = (struct mcp_servers){ .net = net, .programs = programs, .count = count };
    servers->list = memory_take(sizeof(*servers->list) * (count + 1));
    pthread_mutex_init(&servers->lock, NULL);
    pthread_cond_init(&servers->changed, NULL);
    for (size_t i = 0; i < count; i++) {
        struct mcp_server *server = &servers->list[i];

        *server = (struct mcp_server){
            .servers = servers, .setup = &setups[i], .state = MCP_STARTING, .version = ""
        };
        server->timer = (struct timer){ .run = start, .user = server };
        server->patience = (struct timer){ .run = patience_is_over, .user = server };
    }
    servers->open_task = (struct net_task){ .run = start_all, .user = servers };
    net_post(net, &servers->open_task);
    *opened = servers;
    return true;
}

static void close_all(void *user)
{
    struct mcp_servers *servers = user;

    servers->closing = true;
    for (size_t i = 0; i < servers->count; i++) {
        struct mcp_server *server = &servers->list[i];

        net_timer_stop(servers->net, &server->timer);
        end_session(server, TOOL_CANCELLED, "The call was cancelled.");
        end_all_waiting(server, TOOL_CANCELLED, "The call was cancelled.");
        net_timer_stop(servers->net, &server->patience);
        if (server->link)
            server->link->kind->close(server->link);
    }
}

void mcp_servers_close(struct mcp_servers *servers)
{
    if (!servers)
        return;
    pthread_mutex_lock(&servers->lock);
    servers->refusing = true;
    pthread_mutex_unlock(&servers->lock);
    servers->close_task = (struct net_task){ .run = close_all, .user = servers };
    net_post(servers->net, &servers->close_task);
    net_wait(servers->net); /* then no task is under way, and no new link is opened */
    pthread_mutex_lock(&servers->lock);
    while (servers->links > 0 || servers->calls > 0 || servers->tasks > 0)
        pthread_cond_wait(&servers->changed, &servers->lock);
    pthread_mutex_unlock(&servers->lock);
    net_wait(servers->net); /* the last one may still be letting go of the lock */
    for (size_t i = 0; i < servers->count; i++)
        let_go(servers->list[i].snapshot);
    pthread_cond_destroy(&servers->changed);
    pthread_mutex_destroy(&servers->lock);
    free(servers->list);
    free(servers);
}

static bool all_have_settled(const struct mcp_servers *servers)
{
    for (size_t i = 0; i < servers->count; i++)
        if (!servers->list[i].has_settled)
            return false;
    return true;
}

bool mcp_servers_settled(struct mcp_servers *servers)
{
    pthread_mutex_lock(&servers->lock);
    bool settled = all_have_settled(servers);

    pthread_mutex_unlock(&servers->lock);
    return settled;
}
