/*
 * The stages of a session. Which era a server is of is asked with server/discover, which every one of the
 * newer era must know. An older one answers with some error, or with nothing: then it is greeted. The
 * question stays open meanwhile, for a server that starts slowly may answer it all the same, and whichever
 * comes first counts.
 */
#include "toolbox/mcp_session.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "toolbox/mcp_hide.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELIST_PAUSE_MS 1000 /* between two lists, however often a server says that it has changed */
#define STRANGERS_TOLD  3    /* messages that are none, in the log */

void mcp_break(struct mcp_session *session, const char *fmt, ...)
{
    va_list args;

    if (session->is_broken)
        return;
    session->is_broken = true;
    va_start(args, fmt);
    vsnprintf(session->why, sizeof(session->why), fmt, args);
    va_end(args);
}

/* Requests. */

int64_t mcp_new_request(struct mcp_session *session, enum mcp_purpose purpose, struct mcp_errand *errand)
{
    struct mcp_pending *pending = memory_take(sizeof(*pending));

    *pending = (struct mcp_pending){
        .next = session->pending, .request = ++session->last_request, .purpose = purpose, .errand = errand
    };
    session->pending = pending;
    return pending->request;
}

bool mcp_take_pending(struct mcp_session *session, int64_t request, struct mcp_pending *taken)
{
    for (struct mcp_pending **link = &session->pending, *pending; (pending = *link); link = &pending->next)
        if (pending->request == request) {
            *taken = *pending;
            *link = pending->next;
            free(pending);
            return true;
        }
    return false;
}

static bool is_pending(const struct mcp_session *session, enum mcp_purpose purpose)
{
    for (const struct mcp_pending *pending = session->pending; pending; pending = pending->next)
        if (pending->purpose == purpose)
            return true;
    return false;
}

static void forget_pending(struct mcp_session *session, enum mcp_purpose purpose)
{
    for (struct mcp_pending **link = &session->pending, *pending; (pending = *link);) {
        if (pending->purpose != purpose) {
            link = &pending->next;
            continue;
        }
        *link = pending->next;
        session->host.drop(session->host.user, pending->request);
        free(pending);
    }
}

void mcp_post_letter(struct mcp_session *session, const struct buf *text, struct mcp_letter letter)
{
    letter.text = text->bytes;
    letter.len = text->len;
    letter.version = session->version;
    letter.stateless = letter.stateless || session->stateless;
    if (session->is_broken)
        return;
    if (text->full || !session->host.send(session->host.user, &letter))
        mcp_break(session, "The server does not take what it is sent.");
}

/* The stages. */

static void probe(struct mcp_session *session)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    int64_t request = mcp_new_request(session, MCP_FOR_PROBE, NULL);

    buf_init(&text, 0);
    mcp_begin(&out, &text, request, "server/discover");
    mcp_meta(&out, request, true, false);
    mcp_end(&out);
    session->stage = MCP_PROBING;
    session->version = MCP_STATELESS_VERSION;
    mcp_post_letter(
        session, &text,
        (struct mcp_letter){ .request = request, .method = "server/discover", .stateless = true });
    session->version = NULL;
}

static void greet(struct mcp_session *session)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (session->stage != MCP_PROBING)
        return;
    session->stage = MCP_GREETING;
    int64_t request = mcp_new_request(session, MCP_FOR_GREETING, NULL);

    buf_init(&text, 0);
    mcp_begin(&out, &text, request, "initialize");
    json_text(&out, "protocolVersion", MCP_HANDSHAKE_VERSION);
    mcp_client_capabilities(&out, "capabilities");
    mcp_client_info(&out, "clientInfo");
    mcp_end(&out);
    mcp_post_letter(session, &text, (struct mcp_letter){ .request = request, .method = "initialize" });
}

static void ask_for_page(struct mcp_session *session, const char *cursor)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    int64_t request = mcp_new_request(session, MCP_FOR_LIST, NULL);

    buf_init(&text, 0);
    mcp_begin(&out, &text, request, "tools/list");
    if (cursor)
        json_text(&out, "cursor", cursor);
    mcp_meta(&out, request, session->stateless, false);
    mcp_end(&out);
    mcp_post_letter(session, &text, (struct mcp_letter){ .request = request, .method = "tools/list" });
}

static void drop_listing(struct mcp_listing **listing)
{
    if (!*listing)
        return;
    mcp_listing_done(*listing);
    free(*listing);
    *listing = NULL;
}

/* Asks to be told of changes, once; a server that cannot is asked for the list from time to time. */
static void listen_for_changes(struct mcp_session *session)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (!session->stateless || !session->tells_changes || session->listens)
        return;
    session->listens = true;
    int64_t request = mcp_new_request(session, MCP_FOR_CHANGES, NULL);

    buf_init(&text, 0);
    mcp_begin(&out, &text, request, "subscriptions/listen");
    json_map(&out, "notifications");
    json_bool(&out, "toolsListChanged", true);
    json_map_end(&out);
    mcp_meta(&out, request, true, false);
    mcp_end(&out);
    mcp_post_letter(session, &text,
                    (struct mcp_letter){ .request = request, .method = "subscriptions/listen" });
}

static void list_is_whole(struct mcp_session *session)
{
    int64_t now_ms = session->host.now_ms();
    bool is_told = session->tells_changes && !session->host.over_http;

    drop_listing(&session->listed);
    session->listed = session->coming;
    session->coming = NULL;
    session->listed_at_ms = now_ms;
    if (session->relist_at_ms == INT64_MAX && !is_told) /* else it has changed again meanwhile */
        session->relist_at_ms = now_ms + MCP_RELIST_MS;
    session->stage = MCP_TALKING;
    listen_for_changes(session);
}

static int64_t start_limit(const struct mcp_setup *setup)
{
    return setup->start_ms > 0 ? setup->start_ms : MCP_START_MS;
}

static void begin_list(struct mcp_session *session)
{
    if (session->coming)
        return;
    session->coming = memory_take(sizeof(*session->coming));
    mcp_listing_init(session->coming);
    session->coming->over_http = session->host.over_http && session->stateless;
    session->pages = 0;
    session->relist_at_ms = INT64_MAX;
    session->list_by_ms = session->host.now_ms() + start_limit(session->setup);
    if (session->has_tools)
        ask_for_page(session, NULL);
    else
        list_is_whole(session);
}

static void set_out(struct mcp_session *session, const char *version, const json_t *capabilities)
{
    const json_t *tools = json_object_get(capabilities, "tools");

    session->version = version;
    session->stateless = strcmp(version, MCP_STATELESS_VERSION) == 0;
    session->has_tools = json_is_object(tools);
    session->tells_changes = json_is_true(json_object_get(tools, "listChanged"));
    session->stage = MCP_LISTING;
}

/* What comes back. */

static bool has_version(const json_t *list, bool handshake)
{
    const json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        const char *version = json_string_value(entry);

        if (handshake ? mcp_handshake_version(version) != NULL : str_equal(version, MCP_STATELESS_VERSION))
            return true;
    }
    return false;
}

static void probe_answered(struct mcp_session *session, const struct mcp_message *message)
{
    if (session->stage != MCP_PROBING && session->stage != MCP_GREETING)
        return;
    const json_t *versions = message->result ? json_object_get(message->result, "supportedVersions")
                                             : json_object_get(message->data, "supported");

    if (message->result && (!versions || has_version(versions, false))) {
        set_out(session, MCP_STATELESS_VERSION, json_object_get(message->result, "capabilities"));
        begin_list(session);
    } else if (message->result || message->code == MCP_VERSION_UNKNOWN) {
        if (has_version(versions, true))
            greet(session);
        else
            mcp_break(session, "The server speaks no version of the protocol that is known here.");
    } else if (message->code == MCP_HEADERS_DIFFER || message->code == MCP_CAPABILITY_MISSING) {
        mcp_break(session, "The server refuses to say what it can: %.200s", message->words);
    } else {
        greet(session);
    }
}

static void greeting_answered(struct mcp_session *session, const struct mcp_message *message)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (session->stage != MCP_GREETING)
        return;
    if (!message->result) {
        /* A slow one of the newer era may still answer what it was asked first. */
        if (!is_pending(session, MCP_FOR_PROBE))
            mcp_break(session, "The server refuses to begin: %.200s", message->words);
        return;
    }
    const char *said = json_string_value(json_object_get(message->result, "protocolVersion"));
    const char *version = mcp_handshake_version(said);

    if (!version) {
        mcp_break(session, "The server speaks version %.40s of the protocol, which is not known here.",
                  said ? said : "(none)");
        return;
    }
    set_out(session, version, json_object_get(message->result, "capabilities"));
    buf_init(&text, 0);
    mcp_begin(&out, &text, -1, "notifications/initialized");
    mcp_end(&out);
    mcp_post_letter(session, &text,
                    (struct mcp_letter){ .request = -1, .method = "notifications/initialized" });
    begin_list(session);
}

static void list_failed(struct mcp_session *session, const char *why)
{
    drop_listing(&session->coming);
    forget_pending(session, MCP_FOR_LIST);
    if (session->stage == MCP_LISTING) {
        mcp_break(session, "The server does not list its tools: %.200s", why);
        return;
    }
    log_line(LOG_WARN, "an MCP server does not list its tools anew", "server", session->setup->name, "why",
             why, NULL);
    session->relist_at_ms = session->host.now_ms() + MCP_RELIST_MS;
}

static void page_answered(struct mcp_session *session, const struct mcp_message *message)
{
    const char *cursor = NULL;

    if (!session->coming)
        return;
    if (!message->result)
        list_failed(session, message->words);
    else if (!mcp_listing_page(session->coming, session->setup, message->result, &cursor))
        list_failed(session, "its answer is not a list of tools.");
    else if (!cursor)
        list_is_whole(session);
    else if (++session->pages == LIMIT_MCP_PAGES) {
        log_line(LOG_WARN, "an MCP server lists more pages of tools than are read", "server",
                 session->setup->name, NULL);
        list_is_whole(session);
    } else
        ask_for_page(session, cursor);
}

static void no_more_changes(struct mcp_session *session)
{
    session->listens = false;
    session->relist_at_ms = session->host.now_ms() + MCP_RELIST_MS;
}

static void stranger(struct mcp_session *session, const char *what)
{
    if (session->strangers++ < STRANGERS_TOLD)
        log_line(LOG_DEBUG, "an MCP server says what nobody asked for", "server", session->setup->name,
                 "what", what, NULL);
}

static void take_answer(struct mcp_session *session, const struct mcp_message *message, int64_t stream)
{
    struct mcp_pending pending;
    /* Who refuses a request as a whole need not have read its id. */
    int64_t request = message->request < 0 && !message->result ? stream : message->request;

    if (!mcp_take_pending(session, request, &pending)) {
        if (!mcp_late_answer(session, request))
            stranger(session, "an answer");
        return;
    }
    switch (pending.purpose) {
    case MCP_FOR_PROBE: probe_answered(session, message); break;
    case MCP_FOR_GREETING: greeting_answered(session, message); break;
    case MCP_FOR_LIST: page_answered(session, message); break;
    case MCP_FOR_CALL: mcp_call_answered(session, pending.errand, message); break;
    case MCP_FOR_CHANGES: no_more_changes(session); break;
    }
}

static void tools_have_changed(struct mcp_session *session)
{
    int64_t now_ms = session->host.now_ms(), soon_ms = session->listed_at_ms + RELIST_PAUSE_MS;

    if (session->stage == MCP_TALKING)
        session->relist_at_ms = soon_ms > now_ms ? soon_ms : now_ms;
}

static void take_news(struct mcp_session *session, const struct mcp_message *message)
{
    if (strcmp(message->method, "notifications/tools/list_changed") == 0)
        tools_have_changed(session);
    else if (strcmp(message->method, "notifications/progress") == 0)
        mcp_call_progress(session, message->params);
    else if (strcmp(message->method, "notifications/cancelled") == 0)
        mcp_call_withdraws(session, json_object_get(message->params, "requestId"));
}

static void take_question(struct mcp_session *session, const struct mcp_message *message, int64_t stream)
{
    BUF_AUTO text = { 0 };

    if (session->stateless) { /* no server of that era asks so, and none may be answered */
        stranger(session, message->method);
        return;
    }
    if (strcmp(message->method, "elicitation/create") == 0) {
        mcp_call_asks(session, message, stream);
        return;
    }
    buf_init(&text, 0);
    if (strcmp(message->method, "ping") == 0)
        mcp_write_result(&text, message->id, "{}");
    else
        mcp_write_error(&text, message->id, MCP_NO_METHOD, "This client does not offer that.");
    mcp_post_letter(session, &text, (struct mcp_letter){ .request = -1 });
}

static void take_message(struct mcp_session *session, const json_t *tree, int64_t stream)
{
    struct mcp_message message;

    if (!mcp_read(tree, &message)) {
        stranger(session, "no message");
        return;
    }
    switch (message.kind) {
    case MCP_ANSWERS: take_answer(session, &message, stream); break;
    case MCP_TELLS: take_news(session, &message); break;
    case MCP_ASKS: take_question(session, &message, stream); break;
    }
}

/* Servers like to quote what they refuse: what the operator has given them stays here, whatever it stands in.
 */
static bool read_tree(const struct mcp_session *session, const char *text, size_t len, json_t **tree,
                      struct err *err)
{
    if (!json_parse(text, len, tree, err))
        return false;
    mcp_hide(*tree, session->setup->secrets);
    return true;
}

/* A list of messages is one after the other: 2025-03-26 had those. */
void mcp_session_take(struct mcp_session *session, const char *text, size_t len, int64_t stream)
{
    JSON_AUTO *tree = NULL;
    struct err err = { 0 };
    const json_t *part;
    size_t i;

    if (session->is_broken)
        return;
    if (!read_tree(session, text, len, &tree, &err)) {
        stranger(session, "no JSON");
        return;
    }
    if (!json_is_array(tree))
        take_message(session, tree, stream);
    json_array_foreach(tree, i, part)
    {
        take_message(session, part, stream);
    }
    mcp_leave_if_gone(session);
}

/* A request that came to nothing. */

static bool session_is_gone(const struct mcp_failure *failure)
{
    return failure->in_session && failure->loss == MCP_REFUSED &&
           (failure->status == 404 ||
            (failure->status == 400 && failure->body_len > 0 &&
             (strstr(failure->body, "session") || strstr(failure->body, "Session"))));
}

/* What refuses a request may still be an answer to it. */
static bool is_answered_by_body(struct mcp_session *session, int64_t request,
                                const struct mcp_failure *failure)
{
    JSON_AUTO *tree = NULL;
    struct err err = { 0 };
    struct mcp_message message;

    if (failure->loss != MCP_REFUSED || failure->body_len == 0 ||
        !read_tree(session, failure->body, failure->body_len, &tree, &err) || !mcp_read(tree, &message) ||
        message.kind != MCP_ANSWERS || message.result)
        return false;
    message.request = request;
    take_answer(session, &message, request);
    return true;
}

static void start_failed(struct mcp_session *session, enum mcp_purpose purpose,
                         const struct mcp_failure *failure)
{
    bool is_older = purpose == MCP_FOR_PROBE && failure->loss == MCP_REFUSED && failure->status != 401 &&
                    failure->status != 403 && failure->status < 500;

    if (is_older)
        greet(session);
    else if (purpose == MCP_FOR_LIST)
        list_failed(session, failure->why);
    else
        mcp_break(session, "%s", failure->why);
}

bool mcp_session_talks(const struct mcp_session *session)
{
    return session->stage == MCP_TALKING && !session->is_gone && !session->is_broken;
}

/* Each call has a connection of its own, and hears by itself whether it was refused. */
void mcp_leave_if_gone(struct mcp_session *session)
{
    if (session->is_gone && !session->errands)
        mcp_break(session, "The server has ended the session.");
}

void mcp_session_failed(struct mcp_session *session, int64_t request, const struct mcp_failure *failure)
{
    struct mcp_pending pending;

    if (session->is_broken)
        return;
    if (session_is_gone(failure)) {
        if (mcp_take_pending(session, request, &pending) && pending.errand) {
            struct mcp_errand *errand = pending.errand;

            errand->request = -1;
            *errand->link = errand->next;
            if (errand->next)
                errand->next->link = errand->link;
            errand->next = session->again;
            session->again = errand;
        }
        session->is_gone = true;
        mcp_leave_if_gone(session);
        return;
    }
    if (is_answered_by_body(session, request, failure) || !mcp_take_pending(session, request, &pending))
        return;
    if (pending.purpose == MCP_FOR_CALL)
        mcp_call_failed(session, pending.errand, failure);
    else if (pending.purpose == MCP_FOR_CHANGES)
        no_more_changes(session);
    else
        start_failed(session, pending.purpose, failure);
    mcp_leave_if_gone(session);
}

/* Time. */

int64_t mcp_session_due(const struct mcp_session *session)
{
    int64_t due_ms = session->stage < MCP_TALKING ? session->start_by_ms
                     : session->coming            ? session->list_by_ms
                                                  : session->relist_at_ms;

    if (session->stage == MCP_PROBING && session->greet_at_ms < due_ms)
        due_ms = session->greet_at_ms;
    for (const struct mcp_errand *errand = session->errands; errand; errand = errand->next)
        if (errand->deadline_ms != 0 && errand->deadline_ms < due_ms)
            due_ms = errand->deadline_ms;
    return due_ms;
}

void mcp_session_tick(struct mcp_session *session)
{
    int64_t now_ms = session->host.now_ms();

    if (session->is_broken)
        return;
    if (session->stage < MCP_TALKING && now_ms >= session->start_by_ms)
        mcp_break(session, "The server has not listed its tools within %" PRId64 " ms.",
                  session->start_by_ms - session->listed_at_ms);
    else if (session->stage == MCP_PROBING && now_ms >= session->greet_at_ms)
        greet(session);
    else if (session->stage == MCP_TALKING && session->coming && now_ms >= session->list_by_ms)
        list_failed(session, "it does not answer.");
    else if (session->stage == MCP_TALKING && !session->coming && now_ms >= session->relist_at_ms)
        begin_list(session);
    mcp_calls_tick(session, now_ms);
    mcp_leave_if_gone(session);
}

void mcp_session_begin(struct mcp_session *session, const struct mcp_setup *setup,
                       const struct mcp_host *host)
{
    int64_t now_ms = host->now_ms(), start_ms = start_limit(setup);

    *session = (struct mcp_session){ .host = *host,
                                     .setup = setup,
                                     .listed_at_ms = now_ms,
                                     .start_by_ms = now_ms + start_ms,
                                     .greet_at_ms =
                                         now_ms + (start_ms / 2 < MCP_PROBE_MS ? start_ms / 2 : MCP_PROBE_MS),
                                     .relist_at_ms = INT64_MAX };
    probe(session);
}

void mcp_session_end(struct mcp_session *session, enum tool_end end, const char *why)
{
    session->is_broken = true; /* nothing more is sent */
    while (session->errands)
        mcp_errand_end(session, session->errands, end, why);
    for (struct mcp_pending *pending; (pending = session->pending);) {
        session->pending = pending->next;
        free(pending);
    }
    drop_listing(&session->coming);
    drop_listing(&session->listed);
}
