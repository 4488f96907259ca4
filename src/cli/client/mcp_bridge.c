/*
 * One curl multi handle that also polls standard input, in one thread. Messages after initialize wait for its
 * reply, because its version and session go into their headers; all others are in flight at once.
 *
 * A call may be held for hours while a person makes up their mind, and servers are started anew meanwhile.
 * The stream of one that may be repeated says so (retry); when it is lost before the answer, it is sent
 * again.
 */
#include "cli/client/mcp_bridge.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/client/mcp_input.h"
#include "cli/client/transfer.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META        "io.modelcontextprotocol/"
#define PATIENCE_MS 20000  /* how long a server that is away is tried again */
#define HELD_MS     300000 /* and for a call that was being held */
#define AGAIN_MS    300
#define SILENCE_MS  120000 /* what is held says a word every few seconds */
#define END_MS      30000  /* what is on its way when the input ends may still be answered */
#define END_HELD_MS 1000   /* what is held then, or could not be sent, is let go: nobody hears the answer */

/* One message on its way. */
struct bridge_errand {
    struct bridge_errand *next;
    struct transfer transfer;
    struct buf message, line;
    char *id;                  /* of a request, as JSON; NULL: nobody waits for an answer */
    bool follows;              /* the stream of a session, which answers nothing */
    bool initializes;          /* its reply tells the session */
    bool answered;             /* a response was written */
    bool repeatable;           /* nothing is done twice if it is sent again */
    bool was_held;             /* a stream has begun, now or before it was lost */
    bool lost;                 /* it is to be repeated: the server stops, and has not answered */
    int64_t heard_ms;          /* of the server; to begin with, when it began */
    int64_t sent_ms, again_ms; /* again_ms: it waits to be tried again */
};

struct bridge {
    struct cli *cli;
    CURLM *multi;
    struct bridge_errand *errands;
    struct mcp_input input;
    int64_t ended_ms;        /* when standard input did; 0: it has not */
    char *session, *version; /* of the handshake, or NULL */
    bool broken;             /* standard output has */
};

static void set_text(char **where, const char *text)
{
    free(*where);
    *where = text ? strdup(text) : NULL;
}

static void write_line(struct bridge *bridge, const char *text, size_t len)
{
    BUF_AUTO line = { 0 };

    buf_init(&line, MCP_LINE_MOST + 1);
    buf_add(&line, text, len);
    for (size_t i = 0; i < line.len; i++)
        if (line.bytes[i] == '\n' || line.bytes[i] == '\r')
            line.bytes[i] = ' ';
    buf_char(&line, '\n');
    if (cli_print(line.bytes, line.len) != CLI_OK)
        bridge->broken = true;
}

/* What initialize settled goes into the headers of what follows. */
static void note_version(struct bridge *bridge, const json_t *reply)
{
    set_text(&bridge->version,
             json_string_value(json_object_get(json_object_get(reply, "result"), "protocolVersion")));
}

/* An error that says no more than that the server is away for a moment. */
static bool says_unavailable(const json_t *reply)
{
    const json_t *data = json_object_get(json_object_get(reply, "error"), "data");

    return str_equal(json_string_value(json_object_get(data, "code")), "unavailable");
}

/* What the server says, which is the answer unless it is a word or a question of its own. */
static void pass_on(struct bridge *bridge, struct bridge_errand *errand, const char *text, size_t len)
{
    struct err ignored = { 0 };
    JSON_AUTO *message = NULL;

    if (len == 0)
        return;
    (void)!json_parse(text, len, &message, &ignored);
    errand->lost = errand->repeatable && says_unavailable(message);
    if (errand->lost)
        return;
    if (errand->initializes)
        note_version(bridge, message);
    if (!json_object_get(message, "method"))
        errand->answered = true;
    write_line(bridge, text, len);
}

static void take_line(struct bridge *bridge, struct bridge_errand *errand, const struct buf *line)
{
    if (line->len > 6 && memcmp(line->bytes, "data: ", 6) == 0)
        pass_on(bridge, errand, line->bytes + 6, line->len - 6);
    else if (line->len > 6 && memcmp(line->bytes, "retry:", 6) == 0)
        errand->repeatable = true;
}

/* Its reply is a stream, as far as it has come: what takes time is answered by one. */
static bool is_held(const struct bridge_errand *errand)
{
    const char *type = NULL;

    if (errand->transfer.curl)
        curl_easy_getinfo(errand->transfer.curl, CURLINFO_CONTENT_TYPE, &type);
    return type && str_starts(type, "text/event-stream");
}

/* A stream is passed on line by line, a reply once it is whole. */
static size_t take_reply(char *bytes, size_t size, size_t count, void *user)
{
    struct bridge_errand *errand = user;
    struct bridge *bridge = NULL;
    size_t len = size * count;

    curl_easy_getinfo(errand->transfer.curl, CURLINFO_PRIVATE, (char **)&bridge);
    errand->heard_ms = clock_ticks_ms();
    if (!is_held(errand))
        return transfer_take(bytes, size, count, &errand->transfer.body);
    errand->was_held = true;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\n') {
            buf_char(&errand->line, bytes[i]);
            continue;
        }
        take_line(bridge, errand, &errand->line);
        buf_clear(&errand->line);
    }
    return errand->line.full ? 0 : len;
}

/* A header's value as it is, or in base64 where headers cannot carry it. */
static const char *header_value(struct arena *arena, const char *value)
{
    bool plain = true;

    for (const char *c = value; *c; c++)
        plain = plain && *c > ' ' && *c < 0x7f;
    if (plain)
        return value;
    size_t size = sodium_base64_ENCODED_LEN(strlen(value), sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_alloc(arena, size, 1);

    sodium_bin2base64(text, size, (const unsigned char *)value, strlen(value),
                      sodium_base64_VARIANT_ORIGINAL);
    return arena_format(arena, "=?base64?%s?=", text);
}

/* 2026-07-28 says in the message what the headers repeat. */
static void add_names(struct cli *cli, struct bridge_errand *errand, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    const char *version =
        json_string_value(json_object_get(json_object_get(params, "_meta"), META "protocolVersion"));
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *name = json_string_value(json_object_get(params, "name"));

    if (!version || !method)
        return;
    if (!name)
        name = json_string_value(json_object_get(params, "uri"));
    if (!name)
        name = json_string_value(json_object_get(params, "taskId"));
    transfer_add(cli, &errand->transfer, "MCP-Protocol-Version", transfer_safe(cli->arena, version));
    transfer_add(cli, &errand->transfer, "Mcp-Method", header_value(cli->arena, method));
    transfer_add(cli, &errand->transfer, "Mcp-Name", name ? header_value(cli->arena, name) : NULL);
}

static struct bridge_errand *errand_new(struct bridge *bridge, const char *text, size_t len)
{
    struct bridge_errand *errand = calloc(1, sizeof(*errand));

    if (!errand)
        abort();
    buf_init(&errand->message, MCP_LINE_MOST);
    buf_add(&errand->message, text, len);
    buf_init(&errand->line, MCP_LINE_MOST);
    errand->heard_ms = clock_ticks_ms();
    errand->next = bridge->errands;
    bridge->errands = errand;
    return errand;
}

/* (Re)makes the transfer and starts it. */
static void errand_start(struct bridge *bridge, struct bridge_errand *errand)
{
    ARENA_AUTO arena = { 0 };
    struct cli cli = *bridge->cli;
    struct err ignored = { 0 };
    JSON_AUTO *message = NULL;
    struct transfer *transfer = &errand->transfer;

    cli.arena = &arena;
    errand->again_ms = 0;
    errand->sent_ms = clock_ticks_ms();
    errand->lost = false;
    buf_clear(&errand->line);
    transfer_open(&cli, transfer, "/mcp");
    transfer_add(&cli, transfer, "Accept", "application/json, text/event-stream");
    (void)!json_parse(errand->message.bytes, errand->message.len, &message, &ignored);
    if (!errand->follows)
        add_names(&cli, errand, message);
    if (bridge->session && !errand->initializes) {
        transfer_add(&cli, transfer, "Mcp-Session-Id", transfer_safe(&arena, bridge->session));
        transfer_add(&cli, transfer, "MCP-Protocol-Version", transfer_safe(&arena, bridge->version));
    }
    if (!errand->follows) {
        transfer_add(&cli, transfer, "Content-Type", "application/json");
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDSIZE, (long)errand->message.len);
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDS, errand->message.bytes);
    }
    curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEFUNCTION, take_reply);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEDATA, errand);
    curl_easy_setopt(transfer->curl, CURLOPT_PRIVATE, bridge);
    curl_multi_add_handle(bridge->multi, transfer->curl);
}

/* Ends its transfer, which the server sees. */
static void errand_stop(struct bridge *bridge, struct bridge_errand *errand)
{
    if (!errand->transfer.curl)
        return;
    curl_multi_remove_handle(bridge->multi, errand->transfer.curl);
    transfer_close(&errand->transfer);
    errand->transfer.curl = NULL;
}

static void errand_free(struct bridge *bridge, struct bridge_errand *errand)
{
    struct bridge_errand **link = &bridge->errands;

    errand_stop(bridge, errand);

    while (*link != errand)
        link = &(*link)->next;
    *link = errand->next;
    buf_done(&errand->message);
    buf_done(&errand->line);
    free(errand->id);
    free(errand);
}

/* The stream of the session, on which the server tells what answers nothing. */
static void follow(struct bridge *bridge)
{
    struct bridge_errand *errand = errand_new(bridge, "", 0);

    errand->follows = true;
    errand_start(bridge, errand);
}

/* A call that nobody waits for any more is dropped, which ends it for the server in every version. */
static void cancel(struct bridge *bridge, const json_t *params)
{
    ARENA_AUTO arena = { 0 };
    const json_t *id = json_object_get(params, "requestId");
    const char *text = id ? json_dump_text(&arena, id) : NULL;
    struct bridge_errand *next;

    for (struct bridge_errand *errand = bridge->errands; text && errand; errand = next) {
        next = errand->next;
        if (errand->id && strcmp(errand->id, text) == 0 && !errand->initializes)
            errand_free(bridge, errand);
    }
}

/* Asked for again it is the same question, so it may be repeated even if the server has said nothing yet. */
static bool asks_permission(const char *method, const json_t *params)
{
    return str_equal(method, "tools/call") &&
           str_equal(json_string_value(json_object_get(params, "name")), "approve_tool_use");
}

static void send_line(struct bridge *bridge, const char *text, size_t len)
{
    ARENA_AUTO arena = { 0 };
    struct bridge_errand *errand = errand_new(bridge, text, len);
    struct err ignored = { 0 };
    JSON_AUTO *message = NULL;
    const char *method = NULL;

    if (json_parse(text, len, &message, &ignored)) {
        const json_t *id = json_object_get(message, "id");

        method = json_string_value(json_object_get(message, "method"));
        set_text(&errand->id, id && method ? json_dump_text(&arena, id) : NULL);
    }
    errand->initializes = str_equal(method, "initialize");
    errand->repeatable = asks_permission(method, json_object_get(message, "params"));
    errand_start(bridge, errand);
    if (str_equal(method, "notifications/cancelled"))
        cancel(bridge, json_object_get(message, "params"));
    if (str_equal(method, "notifications/initialized") && bridge->session)
        follow(bridge);
}

static void write_error(struct bridge *bridge, const char *id, int code, const char *why)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_raw(&out, "id", id);
    json_map(&out, "error");
    json_int(&out, "code", code);
    json_text(&out, "message", why);
    json_map_end(&out);
    json_map_end(&out);
    write_line(bridge, text.bytes, text.len);
}

/* Its request has had no answer, and gets an error that says why. */
static void give_up(struct bridge *bridge, struct bridge_errand *errand, const char *why)
{
    if (why && errand->id && !errand->answered)
        write_error(bridge, errand->id, -32000, why);
    errand_free(bridge, errand);
}

static void note_session(struct bridge *bridge, const struct bridge_errand *errand)
{
    struct curl_header *header;

    if (errand->initializes &&
        curl_easy_header(errand->transfer.curl, "Mcp-Session-Id", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        set_text(&bridge->session, header->value);
}

static const char *sentence_of(struct arena *arena, const struct buf *body, long status)
{
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;
    const char *text = NULL;

    if (body->len > 0 && json_parse(body->bytes, body->len, &reply, &ignored))
        text = json_string_value(json_object_get(reply, "error"));
    return text ? arena_text(arena, text) : arena_format(arena, "The server answered %ld.", status);
}

/* Why there is no answer; NULL: there is one, or none was to come. */
static const char *failure_of(const struct bridge *bridge, const struct bridge_errand *errand,
                              struct arena *arena, CURLcode code)
{
    const struct buf *body = &errand->transfer.body;
    long status = 0;

    curl_easy_getinfo(errand->transfer.curl, CURLINFO_RESPONSE_CODE, &status);
    if (!errand->id || errand->answered)
        return NULL;
    if (code != CURLE_OK)
        return arena_format(arena, "Cannot reach witan at %s (%s). Start it with `%s serve`.",
                            bridge->cli->target.url, curl_easy_strerror(code), program_name());
    if (errand->lost || is_held(errand))
        return "The server went away before there was an answer.";
    return sentence_of(arena, body, status);
}

/* A server that is being started anew takes what could not even be sent, and what may be repeated. */
static bool try_again(struct bridge_errand *errand, CURLcode code)
{
    bool unheard = errand->repeatable && (code != CURLE_OK || errand->lost || is_held(errand));
    int64_t patience_ms = errand->was_held ? HELD_MS : PATIENCE_MS;

    if (errand->answered || (!unheard && code != CURLE_COULDNT_CONNECT) ||
        clock_ticks_ms() - errand->heard_ms > patience_ms)
        return false;
    errand->again_ms = clock_ticks_ms() + AGAIN_MS;
    return true;
}

static void take_end(struct bridge *bridge, struct bridge_errand *errand, CURLcode code)
{
    ARENA_AUTO arena = { 0 };
    const struct buf *body = &errand->transfer.body;

    note_session(bridge, errand);
    if (code == CURLE_OK && body->len > 0 && memmem(body->bytes, body->len, "\"jsonrpc\"", 9))
        pass_on(bridge, errand, body->bytes, body->len);
    if (try_again(errand, code)) {
        errand_stop(bridge, errand);
        return;
    }
    give_up(bridge, errand, failure_of(bridge, errand, &arena, code));
}

static void take_finished(struct bridge *bridge)
{
    CURLMsg *done;
    int left;

    while ((done = curl_multi_info_read(bridge->multi, &left))) {
        struct bridge_errand *errand = bridge->errands;

        while (errand && errand->transfer.curl != done->easy_handle)
            errand = errand->next;
        if (errand)
            take_end(bridge, errand, done->data.result);
    }
}

/* For a request that is given up because the input has ended. */
static const char *end_words(const struct bridge *bridge, const struct bridge_errand *errand,
                             struct arena *arena)
{
    if (errand->was_held || is_held(errand))
        return "The input ended before there was an answer; what was asked stays open.";
    return arena_format(arena, "witan at %s does not answer. Start it with `witan serve`.",
                        bridge->cli->target.url);
}

/* Starts what waits to be tried again, and gives up what is waited for in vain. */
static void look_after(struct bridge *bridge, int64_t now)
{
    ARENA_AUTO arena = { 0 };
    int64_t since_end = bridge->ended_ms ? now - bridge->ended_ms : 0;
    struct bridge_errand *next;

    for (struct bridge_errand *errand = bridge->errands; errand; errand = next) {
        int64_t heard_ms = errand->heard_ms > errand->sent_ms ? errand->heard_ms : errand->sent_ms;

        next = errand->next;
        if (errand->follows)
            continue;
        if (since_end > (errand->transfer.curl && !is_held(errand) ? END_MS : END_HELD_MS))
            give_up(bridge, errand, end_words(bridge, errand, &arena));
        else if (errand->again_ms && errand->again_ms <= now)
            errand_start(bridge, errand);
        else if (errand->transfer.curl && now - heard_ms > SILENCE_MS)
            give_up(bridge, errand, "The server has fallen silent.");
    }
}

/* The next message waits for the reply to initialize, which says what its headers hold. */
static bool is_initializing(const struct bridge *bridge)
{
    for (const struct bridge_errand *errand = bridge->errands; errand; errand = errand->next)
        if (errand->initializes)
            return true;
    return false;
}

static void send_lines(struct bridge *bridge)
{
    ARENA_AUTO arena = { 0 };
    struct mcp_line line;

    while (!is_initializing(bridge) && mcp_input_next(&bridge->input, &line)) {
        if (line.text)
            send_line(bridge, line.text, line.len);
        else
            write_error(bridge, line.id, -32600,
                        arena_format(&arena, "The message is longer than %d MB and was not read.",
                                     MCP_LINE_MOST / (1024 * 1024)));
    }
    if (bridge->input.ended && !bridge->ended_ms)
        bridge->ended_ms = clock_ticks_ms();
}

static bool is_waiting(const struct bridge *bridge)
{
    for (const struct bridge_errand *errand = bridge->errands; errand; errand = errand->next)
        if (!errand->follows)
            return true;
    return false;
}

static void turn(struct bridge *bridge)
{
    struct curl_waitfd input = { .fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN };
    int running;

    curl_multi_perform(bridge->multi, &running);
    take_finished(bridge);
    send_lines(bridge);
    look_after(bridge, clock_ticks_ms());
    curl_multi_poll(bridge->multi, &input, mcp_input_wants(&bridge->input) ? 1 : 0, AGAIN_MS, NULL);
    if (input.revents)
        mcp_input_read(&bridge->input);
}

int mcp_bridge_run(struct cli *cli)
{
    struct bridge bridge = { .cli = cli, .multi = curl_multi_init() };

    /* Who speaks here is an agent: a person's login at this terminal is not its own. */
    cli->target.session = NULL;
    if (!bridge.multi)
        abort();
    mcp_input_init(&bridge.input);
    while (!bridge.broken && (!bridge.ended_ms || is_waiting(&bridge)))
        turn(&bridge);
    while (bridge.errands)
        errand_free(&bridge, bridge.errands);
    curl_multi_cleanup(bridge.multi);
    mcp_input_done(&bridge.input);
    free(bridge.session);
    free(bridge.version);
    return bridge.broken ? CLI_ERROR : CLI_OK;
}
