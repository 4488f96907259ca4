/*
 * The same tools for both: what a message is answered with is decided in one place, and how the answer
 * travels in another.
 */
#include "tests/support/mcp_played.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define META "io.modelcontextprotocol/"

static const char tools[] =
    "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"grow\",\"inputSchema\":{\"type\":\"object\"}}";
static const char form[] =
    "{\"mode\":\"form\",\"message\":\"Your name?\",\"requestedSchema\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}";

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void write_text(struct buf *out, const char *id, const char *text, bool is_error)
{
    struct json_out json;

    json_begin(&json, out);
    json_map(&json, NULL);
    json_text(&json, "jsonrpc", "2.0");
    json_raw(&json, "id", id);
    json_map(&json, "result");
    json_text(&json, "resultType", "complete");
    json_bool(&json, "isError", is_error);
    json_list(&json, "content");
    json_map(&json, NULL);
    json_text(&json, "type", "text");
    json_text(&json, "text", text);
    json_map_end(&json);
    json_list_end(&json);
    json_map_end(&json);
    json_map_end(&json);
}

static void write_greeting(struct buf *out, const char *id, const char *text)
{
    char hello[200];

    snprintf(hello, sizeof(hello), "Hello %.100s", text);
    write_text(out, id, hello, false);
}

/* What a person has said: accept with a name, or anything else. */
static void write_said(struct buf *out, const char *id, const json_t *said)
{
    char nobody[100];

    if (strcmp(text_of(said, "action"), "accept") == 0) {
        write_greeting(out, id, text_of(json_object_get(said, "content"), "name"));
        return;
    }
    snprintf(nobody, sizeof(nobody), "Nobody: %.40s", text_of(said, "action"));
    write_text(out, id, nobody, false);
}

static void write_tools(struct buf *out, const char *id, bool grown)
{
    buf_format(out,
               "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"tools\":[%s%s]}}",
               id, tools, grown ? ",{\"name\":\"grown\",\"inputSchema\":{\"type\":\"object\"}}" : "");
}

static void write_discovered(struct buf *out, const char *id)
{
    buf_format(
        out,
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
        "\"capabilities\":{\"tools\":{\"listChanged\":true}}}}",
        id);
}

static void write_initialized(struct buf *out, const char *id)
{
    buf_format(
        out,
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
        "{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"played\",\"version\":\"1\"}}}",
        id);
}

static void write_unknown(struct buf *out, const char *id)
{
    buf_format(out,
               "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}",
               id);
}

static void write_asking(struct buf *out, const char *id)
{
    buf_format(
        out,
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"sealed\",\"inputRequests\":"
        "{\"who\":{\"method\":\"elicitation/create\",\"params\":%s}}}}",
        id, form);
}

/* A program. */

struct played {
    bool modern, babbles, grown;
    int called_off;
    char asking[64];    /* the call that has asked */
    char listening[64]; /* the request by which changes are heard */
};

static void say(const char *line)
{
    printf("%s\n", line);
    fflush(stdout);
}

static void say_big(const char *id, size_t bytes)
{
    BUF_AUTO out = { 0 };
    char *text = malloc(bytes + 1);

    memset(text, 'x', bytes);
    text[bytes] = '\0';
    buf_init(&out, 0);
    write_text(&out, id, text, false);
    say(out.bytes);
    free(text);
}

static void tell_of_growth(struct played *played)
{
    played->grown = true;
    if (!played->modern)
        say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    else if (played->listening[0])
        printf(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":{\"" META
            "subscriptionId\":%s}}}\n",
            played->listening);
}

static void serve_call(struct played *played, const char *id, const json_t *params)
{
    const char *name = text_of(params, "name");
    const json_t *arguments = json_object_get(params, "arguments");
    BUF_AUTO out = { 0 };
    char number[24];

    buf_init(&out, 0);
    if (strcmp(name, "slow") == 0)
        return;
    if (strcmp(name, "die") == 0)
        _exit(7); /* as it is: whoever looks for leaks cannot do so in there */
    if (strcmp(name, "big") == 0) {
        say_big(id, (size_t)json_integer_value(json_object_get(arguments, "bytes")));
        return;
    }
    if (strcmp(name, "ask") == 0 && !played->modern) {
        snprintf(played->asking, sizeof(played->asking), "%s", id);
        printf("{\"jsonrpc\":\"2.0\",\"id\":\"q-%s\",\"method\":\"elicitation/create\",\"params\":%s}\n", id,
               form);
        fflush(stdout);
        return;
    }
    if (strcmp(name, "ask") == 0) {
        const json_t *responses = json_object_get(params, "inputResponses");

        if (responses && strcmp(text_of(params, "requestState"), "sealed") == 0)
            write_said(&out, id, json_object_get(responses, "who"));
        else
            write_asking(&out, id);
    } else if (strcmp(name, "called_off") == 0) {
        snprintf(number, sizeof(number), "%d", played->called_off);
        write_text(&out, id, number, false);
    } else {
        if (strcmp(name, "grow") == 0)
            tell_of_growth(played);
        write_text(&out, id, text_of(arguments, "text"), false);
    }
    say(out.bytes);
    if (strcmp(name, "twice") == 0)
        say(out.bytes);
}

static void serve_line(struct played *played, const char *line)
{
    JSON_AUTO *tree = NULL;
    struct err err = { 0 };
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };

    if (!json_parse(line, strlen(line), &tree, &err))
        exit(9);
    const char *method = text_of(tree, "method");
    const json_t *params = json_object_get(tree, "params");
    const char *id = json_object_get(tree, "id") ? json_dump_text(&arena, json_object_get(tree, "id")) : NULL;

    buf_init(&out, 0);
    if (strcmp(method, "notifications/cancelled") == 0)
        played->called_off++;
    else if (strcmp(method, "tools/call") == 0)
        serve_call(played, id, params);
    else if (strcmp(method, "tools/list") == 0)
        write_tools(&out, id, played->grown);
    else if (strcmp(method, "server/discover") == 0 && played->modern)
        write_discovered(&out, id);
    else if (strcmp(method, "initialize") == 0 && !played->modern)
        write_initialized(&out, id);
    else if (strcmp(method, "subscriptions/listen") == 0 && played->modern)
        snprintf(played->listening, sizeof(played->listening), "%s", id);
    else if (!*method && played->asking[0])
        write_said(&out, played->asking, json_object_get(tree, "result"));
    else if (id)
        write_unknown(&out, id);
    if (played->babbles)
        say("Starting up... {not: json}\n\n{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n[1,2]\n\x01\xff\xfe");
    if (out.len > 0)
        say(out.bytes);
}

int played_program(const char *manner)
{
    struct played played = { .modern = strcmp(manner, "modern") == 0,
                             .babbles = strcmp(manner, "babble") == 0 };
    char *line = NULL;
    size_t room = 0;

    if (strcmp(manner, "dead") == 0) {
        fprintf(stderr, "I cannot.\n");
        _exit(3);
    }
    while (strcmp(manner, "flood") == 0)
        if (fwrite("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n", 52, 1, stdout) != 1)
            return 0;
    while (strcmp(manner, "hang") == 0)
        pause();
    while (getline(&line, &room, stdin) > 0)
        serve_line(&played, line);
    _exit(0);
}

/* Over HTTP: one thread a connection, one request each. */

static atomic_int era, complaints, farewells, sessions;

void played_era(int which)
{
    era = which;
    complaints = farewells = 0;
}

void played_forget(void)
{
    sessions++;
}

int played_complaints(void)
{
    return complaints;
}

int played_farewells(void)
{
    return farewells;
}

struct heard {
    int fd;
    char *text, *body;
    bool is_get, is_delete;
};

static const char *header_of(const struct heard *heard, const char *name, char *into, size_t room)
{
    size_t len = strlen(name);

    for (const char *line = strstr(heard->text, "\r\n"); line && line + 2 < heard->body;
         line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':') {
            const char *value = str_past_space(line + 3 + len), *end = strstr(value, "\r\n");

            snprintf(into, room, "%.*s", (int)(end - value), value);
            return into;
        }
    return NULL;
}

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0)
            return;
        bytes += sent;
        len -= (size_t)sent;
    }
}

static void reply(const struct heard *heard, const char *status, const char *type, const char *more,
                  const char *body)
{
    BUF_AUTO out = { 0 };

    buf_init(&out, 0);
    buf_format(&out, "HTTP/1.1 %s\r\nConnection: close\r\n%s", status, more);
    if (type)
        buf_format(&out, "Content-Type: %s\r\n", type);
    if (!type || strcmp(type, "text/event-stream") != 0)
        buf_format(&out, "Content-Length: %zu\r\n", strlen(body));
    buf_format(&out, "\r\n%s", body);
    send_all(heard->fd, out.bytes, out.len);
}

static void reply_json(const struct heard *heard, const char *body)
{
    reply(heard, "200 OK", "application/json; charset=utf-8", "", body);
}

static void complain(const struct heard *heard, const char *about)
{
    complaints++;
    fprintf(stderr, "played server: wrong: %s\n%s\n", about, heard->text);
}

/* What must stand in the headers of a request, in either era. */
static void check_headers(const struct heard *heard, const char *method, const json_t *params)
{
    char value[300];
    const char *version = header_of(heard, "MCP-Protocol-Version", value, sizeof(value));

    if (era == PLAYED_STATELESS) {
        if (!str_equal(version, "2026-07-28") ||
            !str_equal(text_of(json_object_get(params, "_meta"), META "protocolVersion"), "2026-07-28"))
            complain(heard, "version");
        if (!str_equal(header_of(heard, "Mcp-Method", value, sizeof(value)), method))
            complain(heard, "method");
        if (strcmp(method, "tools/call") == 0 &&
            !str_equal(header_of(heard, "Mcp-Name", value, sizeof(value)), text_of(params, "name")))
            complain(heard, "name");
    } else if (strcmp(method, "server/discover") != 0 && strcmp(method, "initialize") != 0 &&
               !str_equal(version, "2025-11-25")) {
        complain(heard, "version");
    }
}

static bool is_in_session(const struct heard *heard)
{
    char value[300], own[24];

    snprintf(own, sizeof(own), "s%d", sessions);
    return str_equal(header_of(heard, "Mcp-Session-Id", value, sizeof(value)), own);
}

static pthread_mutex_t answer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answer_came = PTHREAD_COND_INITIALIZER;
static char answer_body[1000];

/* The older era: the form goes out on the stream of the call, and what is said comes as a request of its own.
 */
static void ask_on_stream(const struct heard *heard, const char *id)
{
    JSON_AUTO *said = NULL;
    struct err err = { 0 };
    BUF_AUTO out = { 0 };
    char event[600];

    snprintf(event, sizeof(event),
             "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":%s}\n\n",
             form);
    pthread_mutex_lock(&answer_lock);
    answer_body[0] = '\0';
    pthread_mutex_unlock(&answer_lock);
    reply(heard, "200 OK", "text/event-stream", "", event);
    pthread_mutex_lock(&answer_lock);
    while (!answer_body[0])
        pthread_cond_wait(&answer_came, &answer_lock);
    if (!json_parse(answer_body, strlen(answer_body), &said, &err))
        complain(heard, "answer");
    pthread_mutex_unlock(&answer_lock);
    buf_init(&out, 0);
    buf_text(&out, "data: ");
    write_said(&out, id, json_object_get(said, "result"));
    buf_text(&out, "\n\n");
    send_all(heard->fd, out.bytes, out.len);
}

static void serve_http_call(const struct heard *heard, const char *id, const json_t *params)
{
    const char *name = text_of(params, "name"), *text = text_of(json_object_get(params, "arguments"), "text");
    const json_t *responses = json_object_get(params, "inputResponses");
    BUF_AUTO out = { 0 };
    char value[300];

    buf_init(&out, 0);
    if (strcmp(name, "stream") == 0) {
        buf_format(
            &out,
            ": wait\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1}}\n\ndata: ",
            id);
        write_text(&out, id, text, false);
        buf_text(&out, "\n\n");
        reply(heard, "200 OK", "text/event-stream", "", out.bytes);
    } else if (strcmp(name, "resume") == 0) {
        buf_format(&out, "retry: 50\nid: call-%s\ndata:\n\n", id);
        reply(heard, "200 OK", "text/event-stream", "", out.bytes);
    } else if (strcmp(name, "cut") == 0) {
        reply(heard, "200 OK", "text/event-stream", "",
              "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n");
    } else if (strcmp(name, "ask") == 0 && era == PLAYED_HANDSHAKE) {
        ask_on_stream(heard, id);
    } else {
        if (strcmp(name, "ask") == 0 && responses)
            write_said(&out, id, json_object_get(responses, "who"));
        else if (strcmp(name, "ask") == 0)
            write_asking(&out, id);
        else if (strcmp(name, "quote") == 0)
            write_text(&out, id, header_of(heard, "Authorization", value, sizeof(value)), true);
        else
            write_text(&out, id, text, false);
        reply_json(heard, out.bytes);
    }
}

static void serve_get(const struct heard *heard)
{
    char value[300];
    const char *last = header_of(heard, "Last-Event-ID", value, sizeof(value));
    BUF_AUTO out = { 0 };

    if (!last || !str_starts(last, "call-")) {
        reply(heard, "405 Method Not Allowed", NULL, "", "");
        return;
    }
    buf_init(&out, 0);
    buf_text(&out, "id: end\ndata: ");
    write_text(&out, last + 5, "resumed", false);
    buf_text(&out, "\n\n");
    reply(heard, "200 OK", "text/event-stream", "", out.bytes);
}

/* The end of a session, which is told by who has it. */
static void serve_delete(const struct heard *heard)
{
    check_headers(heard, "", NULL);
    if (is_in_session(heard))
        farewells++;
    reply(heard, is_in_session(heard) ? "204 No Content" : "404 Not Found", NULL, "", "");
}

static void take_said(const struct heard *heard)
{
    reply(heard, "202 Accepted", NULL, "", "");
    pthread_mutex_lock(&answer_lock);
    snprintf(answer_body, sizeof(answer_body), "%s", heard->body);
    pthread_cond_broadcast(&answer_came);
    pthread_mutex_unlock(&answer_lock);
}

static void serve_post(const struct heard *heard)
{
    JSON_AUTO *tree = NULL;
    struct err err = { 0 };
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    char session[60];

    if (!json_parse(heard->body, strlen(heard->body), &tree, &err)) {
        complain(heard, err.text);
        return;
    }
    const char *method = text_of(tree, "method");
    const json_t *params = json_object_get(tree, "params");
    const char *id = json_object_get(tree, "id") ? json_dump_text(&arena, json_object_get(tree, "id")) : NULL;

    buf_init(&out, 0);
    check_headers(heard, method, params);
    snprintf(session, sizeof(session), "Mcp-Session-Id: s%d\r\n", sessions);
    if (era == PLAYED_HANDSHAKE && strcmp(method, "server/discover") == 0) {
        reply(heard, "400 Bad Request", "text/plain", "", "What is that?");
    } else if (era == PLAYED_HANDSHAKE && strcmp(method, "initialize") == 0) {
        buf_text(&out, "data: ");
        write_initialized(&out, id);
        buf_text(&out, "\n\n");
        reply(heard, "200 OK", "text/event-stream", session, out.bytes);
    } else if (era == PLAYED_HANDSHAKE && !is_in_session(heard)) {
        reply(heard, "404 Not Found", NULL, "", "");
    } else if (!*method) {
        take_said(heard);
    } else if (!id) {
        reply(heard, "202 Accepted", NULL, "", "");
    } else if (strcmp(method, "tools/call") == 0) {
        serve_http_call(heard, id, params);
    } else if (strcmp(method, "subscriptions/listen") == 0) {
        reply(heard, "200 OK", "text/event-stream", "",
              "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"}\n\n");
        usleep(100000);
    } else {
        if (strcmp(method, "server/discover") == 0)
            write_discovered(&out, id);
        else if (strcmp(method, "tools/list") == 0)
            write_tools(&out, id, false);
        else
            write_unknown(&out, id);
        reply_json(heard, out.bytes);
    }
}

static bool hear(int fd, struct heard *heard)
{
    static const size_t room = 64 * 1024;
    size_t len = 0, wanted = 0;

    heard->fd = fd;
    heard->text = calloc(1, room);
    while (len + 1 < room) {
        ssize_t got = recv(fd, heard->text + len, room - len - 1, 0);
        char value[40];

        if (got <= 0)
            return false;
        len += (size_t)got;
        char *end = strstr(heard->text, "\r\n\r\n");

        if (!end)
            continue;
        heard->body = end + 4;
        wanted = header_of(heard, "Content-Length", value, sizeof(value)) ? strtoul(value, NULL, 10) : 0;
        if (len >= (size_t)(heard->body - heard->text) + wanted)
            break;
    }
    heard->is_get = str_starts(heard->text, "GET ");
    heard->is_delete = str_starts(heard->text, "DELETE ");
    return true;
}

static void *serve_connection(void *user)
{
    struct heard heard = { 0 };
    int fd = (int)(intptr_t)user;

    if (hear(fd, &heard)) {
        if (heard.is_get)
            serve_get(&heard);
        else if (heard.is_delete)
            serve_delete(&heard);
        else
            serve_post(&heard);
    }
    free(heard.text);
    close(fd);
    return NULL;
}

static void *listen_on(void *user)
{
    int fd = (int)(intptr_t)user;

    for (int peer; (peer = accept(fd, NULL, NULL)) >= 0;) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, serve_connection, (void *)(intptr_t)peer) == 0)
            pthread_detach(thread);
    }
    return NULL;
}

int played_http(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pthread_t thread;

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0 ||
        pthread_create(&thread, NULL, listen_on, (void *)(intptr_t)fd) != 0)
        abort();
    pthread_detach(thread);
    return ntohs(address.sin_port);
}
