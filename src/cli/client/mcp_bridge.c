/*
 * One curl multi handle that also polls standard input, in one thread. Messages after initialize wait for its
 * reply, because its version and session go into their headers; all others are in flight at once.
 */
#include "cli/client/mcp_bridge.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/transfer.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META        "io.modelcontextprotocol/"
#define PATIENCE_MS 20000 /* how long a server that is away is tried again */
#define AGAIN_MS    300
#define LINE_MOST   LIMIT_REPLY
#define REPLY_S     120 /* no call is held longer than 50 seconds */

/* One message on its way. */
struct errand {
    struct errand *next;
    struct transfer transfer;
    struct buf message, line;
    char *id;                   /* of a request, as JSON; NULL: nobody waits for an answer */
    bool follows;               /* the stream of a session, which answers nothing */
    bool initializes;           /* its reply tells the session */
    bool answered;              /* a response was written */
    int64_t began_ms, again_ms; /* again_ms: it waits to be tried again */
};

struct bridge {
    struct cli *cli;
    CURLM *multi;
    struct errand *errands;
    struct buf input;
    char *session, *version; /* of the handshake, or NULL */
    bool ended;              /* standard input has */
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

    buf_init(&line, LINE_MOST + 1);
    buf_add(&line, text, len);
    for (size_t i = 0; i < line.len; i++)
        if (line.bytes[i] == '\n' || line.bytes[i] == '\r')
            line.bytes[i] = ' ';
    buf_char(&line, '\n');
    if (cli_print(line.bytes, line.len) != CLI_OK)
        bridge->broken = true;
}

/* What initialize settled goes into the headers of what follows. */
static void note_version(struct bridge *bridge, const char *text, size_t len)
{
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;

    if (json_parse(text, len, &reply, &ignored))
        set_text(&bridge->version,
                 json_string_value(json_object_get(json_object_get(reply, "result"), "protocolVersion")));
}

static void pass_on(struct bridge *bridge, struct errand *errand, const char *text, size_t len)
{
    if (len == 0)
        return;
    if (errand->initializes)
        note_version(bridge, text, len);
    if (memmem(text, len, "\"result\"", 8) || memmem(text, len, "\"error\"", 7))
        errand->answered = true;
    write_line(bridge, text, len);
}

/* A stream is passed on line by line, a reply once it is whole. */
static size_t take_reply(char *bytes, size_t size, size_t count, void *user)
{
    struct errand *errand = user;
    struct bridge *bridge = NULL;
    const char *type = NULL;
    size_t len = size * count;

    curl_easy_getinfo(errand->transfer.curl, CURLINFO_PRIVATE, (char **)&bridge);
    curl_easy_getinfo(errand->transfer.curl, CURLINFO_CONTENT_TYPE, &type);
    if (!type || !str_starts(type, "text/event-stream"))
        return transfer_take(bytes, size, count, &errand->transfer.body);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\n') {
            buf_char(&errand->line, bytes[i]);
            continue;
        }
        if (errand->line.len > 6 && memcmp(errand->line.bytes, "data: ", 6) == 0)
            pass_on(bridge, errand, errand->line.bytes + 6, errand->line.len - 6);
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
static void add_names(struct cli *cli, struct errand *errand, const json_t *message)
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

static struct errand *errand_new(struct bridge *bridge, const char *text, size_t len)
{
    struct errand *errand = calloc(1, sizeof(*errand));

    if (!errand)
        abort();
    buf_init(&errand->message, LINE_MOST);
    buf_add(&errand->message, text, len);
    buf_init(&errand->line, LINE_MOST);
    errand->began_ms = clock_ticks_ms();
    errand->next = bridge->errands;
    bridge->errands = errand;
    return errand;
}

/* (Re)makes the transfer and starts it. */
static void errand_start(struct bridge *bridge, struct errand *errand)
{
    ARENA_AUTO arena = { 0 };
    struct cli cli = *bridge->cli;
    struct err ignored = { 0 };
    JSON_AUTO *message = NULL;
    struct transfer *transfer = &errand->transfer;

    cli.arena = &arena;
    errand->again_ms = 0;
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
        curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT, (long)REPLY_S);
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDSIZE, (long)errand->message.len);
        curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDS, errand->message.bytes);
    }
    curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->headers);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEFUNCTION, take_reply);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEDATA, errand);
    curl_easy_setopt(transfer->curl, CURLOPT_PRIVATE, bridge);
    curl_multi_add_handle(bridge->multi, transfer->curl);
}

static void errand_free(struct bridge *bridge, struct errand *errand)
{
    struct errand **link = &bridge->errands;

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
    struct errand *errand = errand_new(bridge, "", 0);

    errand->follows = true;
    errand_start(bridge, errand);
}

static void send_line(struct bridge *bridge, const char *text, size_t len)
{
    ARENA_AUTO arena = { 0 };
    struct errand *errand = errand_new(bridge, text, len);
    struct err ignored = { 0 };
    JSON_AUTO *message = NULL;
    const char *method = NULL;

    if (json_parse(text, len, &message, &ignored)) {
        const json_t *id = json_object_get(message, "id");

        method = json_string_value(json_object_get(message, "method"));
        set_text(&errand->id, id && method ? json_dump_text(&arena, id) : NULL);
    }
    errand->initializes = method && strcmp(method, "initialize") == 0;
    errand_start(bridge, errand);
    if (method && strcmp(method, "notifications/initialized") == 0 && bridge->session)
        follow(bridge);
}

/* A reply that says nothing of MCP, or none at all, becomes an error of the request. */
static void write_failure(struct bridge *bridge, const struct errand *errand, const char *why)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (!errand->id)
        return;
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_raw(&out, "id", errand->id);
    json_map(&out, "error");
    json_int(&out, "code", -32000);
    json_text(&out, "message", why);
    json_map_end(&out);
    json_map_end(&out);
    write_line(bridge, text.bytes, text.len);
}

static void note_session(struct bridge *bridge, const struct errand *errand)
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

static void finish(struct bridge *bridge, struct errand *errand, CURLcode code)
{
    ARENA_AUTO arena = { 0 };
    struct buf *body = &errand->transfer.body;
    long status = 0;

    note_session(bridge, errand);
    curl_easy_getinfo(errand->transfer.curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK && body->len > 0 && memmem(body->bytes, body->len, "\"jsonrpc\"", 9))
        pass_on(bridge, errand, body->bytes, body->len);
    else if (code == CURLE_OK && status >= 400 && !errand->follows)
        write_failure(bridge, errand, sentence_of(&arena, body, status));
    else if (code != CURLE_OK && !errand->answered)
        write_failure(bridge, errand,
                      arena_format(&arena, "Cannot reach witan at %s (%s). Start it with `witan serve`.",
                                   bridge->cli->target.url, curl_easy_strerror(code)));
}

/* A server that is being started anew takes what could not even be sent. */
static bool try_again(struct errand *errand, CURLcode code)
{
    if (code != CURLE_COULDNT_CONNECT || clock_ticks_ms() - errand->began_ms > PATIENCE_MS)
        return false;
    errand->again_ms = clock_ticks_ms() + AGAIN_MS;
    return true;
}

static void take_finished(struct bridge *bridge)
{
    CURLMsg *done;
    int left;

    while ((done = curl_multi_info_read(bridge->multi, &left))) {
        struct errand *errand = bridge->errands;
        CURLcode code = done->data.result;

        while (errand && errand->transfer.curl != done->easy_handle)
            errand = errand->next;
        if (!errand)
            continue;
        bool again = try_again(errand, code);

        if (!again)
            finish(bridge, errand, code);
        curl_multi_remove_handle(bridge->multi, errand->transfer.curl);
        transfer_close(&errand->transfer);
        errand->transfer.curl = NULL;
        if (!again)
            errand_free(bridge, errand);
    }
    for (struct errand *errand = bridge->errands; errand; errand = errand->next)
        if (errand->again_ms && errand->again_ms <= clock_ticks_ms())
            errand_start(bridge, errand);
}

/* The next message waits for the reply to initialize, which says what its headers hold. */
static bool is_initializing(const struct bridge *bridge)
{
    for (const struct errand *errand = bridge->errands; errand; errand = errand->next)
        if (errand->initializes)
            return true;
    return false;
}

static void send_lines(struct bridge *bridge)
{
    char *end;

    while (bridge->input.len > 0 && !is_initializing(bridge) &&
           (end = memchr(bridge->input.bytes, '\n', bridge->input.len))) {
        size_t len = (size_t)(end - bridge->input.bytes), rest = bridge->input.len - len - 1;

        if (len > 0)
            send_line(bridge, bridge->input.bytes, len);
        memmove(bridge->input.bytes, end + 1, rest);
        bridge->input.len = rest;
    }
}

static void read_input(struct bridge *bridge)
{
    char bytes[16384];
    ssize_t len = read(STDIN_FILENO, bytes, sizeof(bytes));

    if (len < 0 && errno == EINTR)
        return;
    if (len <= 0) {
        bridge->ended = true;
        buf_char(&bridge->input, '\n');
        return;
    }
    buf_add(&bridge->input, bytes, (size_t)len);
    if (bridge->input.full)
        bridge->ended = true;
}

static bool is_waiting(const struct bridge *bridge)
{
    for (const struct errand *errand = bridge->errands; errand; errand = errand->next)
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
    curl_multi_poll(bridge->multi, &input, bridge->ended ? 0 : 1, AGAIN_MS, NULL);
    if (input.revents)
        read_input(bridge);
}

int mcp_bridge_run(struct cli *cli)
{
    struct bridge bridge = { .cli = cli, .multi = curl_multi_init() };

    /* Who speaks here is an agent: a person's login at this terminal is not its own. */
    cli->target.session = NULL;
    if (!bridge.multi)
        abort();
    buf_init(&bridge.input, LINE_MOST);
    while (!bridge.broken && (!bridge.ended || is_waiting(&bridge) || bridge.input.len > 0))
        turn(&bridge);
    while (bridge.errands) {
        if (bridge.errands->transfer.curl) {
            curl_multi_remove_handle(bridge.multi, bridge.errands->transfer.curl);
            transfer_close(&bridge.errands->transfer);
        }
        errand_free(&bridge, bridge.errands);
    }
    curl_multi_cleanup(bridge.multi);
    buf_done(&bridge.input);
    free(bridge.session);
    free(bridge.version);
    return bridge.broken ? CLI_ERROR : CLI_OK;
}
