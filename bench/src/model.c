/*
 * model.c - a model server that costs next to nothing, for measuring what asks it.
 *
 *   model [--first MS] [--call TOOL ARGUMENTS --steps N]
 *
 * Speaks just enough of OpenAI's wire: whatever is posted is answered with the same few words as a stream, at
 * once or MS milliseconds later. With --call it calls that tool instead, until a conversation has N results
 * of tools. One thread, epoll. It prints the port it listens on, and ends when stdin does.
 */
#include "util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM (256 * 1024)
#define PIECE(text) \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"

static const char said[] = PIECE("A modular ") PIECE("monolith ") PIECE(
    "would do.") "data: "
                 "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                 "data: "
                 "{\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"completion_tokens\":7}}\n\n"
                 "data: [DONE]\n\n";

/* A connection, and when it is to be answered; those that wait stand in line, all for the same time. */
struct conn {
    int fd;
    size_t len, need; /* bytes read, and of the whole request once its head is there */
    uint64_t due_ns;
    struct conn *next;
    bool waits, gone;
    char in[ROOM];
};

static uint64_t first_ns;
static struct conn *line, **line_end = &line;

struct reply {
    char bytes[2048];
    size_t len;
};

static struct reply words, call;
static int steps; /* results of tools after which words come; 0: at once */

static void make_reply(struct reply *reply, const char *body)
{
    reply->len = (size_t)snprintf(
        reply->bytes, sizeof(reply->bytes),
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %zu\r\n\r\n%s", strlen(body),
        body);
    if (reply->len >= sizeof(reply->bytes))
        die("the reply is too long");
}

/* As a string inside of a JSON text. */
static void quote(char *to, size_t size, const char *from)
{
    size_t len = 0;

    for (; *from && len + 3 < size; from++) {
        if (*from == '"' || *from == '\\')
            to[len++] = '\\';
        to[len++] = *from;
    }
    to[len] = '\0';
}

static void make_call(const char *tool, const char *arguments)
{
    char quoted[512], body[1536];

    quote(quoted, sizeof(quoted), arguments);
    snprintf(
        body, sizeof(body),
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\","
        "\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":\"%s\"}}]}}]}\n\n"
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
        "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"completion_tokens\":7}}\n\n"
        "data: [DONE]\n\n",
        tool, quoted);
    make_reply(&call, body);
}

static bool has_results(const struct conn *conn)
{
    static const char mark[] = "\"role\":\"tool\"";
    int count = 0;

    for (const char *at = conn->in; count < steps && (at = strstr(at, mark)); at += sizeof(mark) - 1)
        count++;
    return count == steps;
}

static void answer(struct conn *conn)
{
    const struct reply *reply = has_results(conn) ? &words : &call;

    conn->len = conn->need = 0;
    if (write(conn->fd, reply->bytes, reply->len) != (ssize_t)reply->len)
        die("a reply did not fit the socket");
}

static void wait_or_answer(struct conn *conn)
{
    if (first_ns == 0) {
        answer(conn);
        return;
    }
    conn->due_ns = now_ns() + first_ns;
    conn->waits = true;
    conn->next = NULL;
    *line_end = conn;
    line_end = &conn->next;
}

static void answer_due(void)
{
    while (line && line->due_ns <= now_ns()) {
        struct conn *conn = line;

        line = conn->next;
        if (!line)
            line_end = &line;
        conn->waits = false;
        if (conn->gone)
            free(conn);
        else
            answer(conn);
    }
}

static size_t whole_size(const struct conn *conn)
{
    const char *end = memmem(conn->in, conn->len, "\r\n\r\n", 4);
    const char *length = end ? strcasestr(conn->in, "content-length:") : NULL;

    if (!end)
        return 0;
    return (size_t)(end + 4 - conn->in) + (length && length < end ? strtoul(length + 15, NULL, 10) : 0);
}

static void drop(struct conn *conn)
{
    close(conn->fd);
    conn->gone = true;
    if (!conn->waits)
        free(conn);
}

static void serve(struct conn *conn)
{
    for (;;) {
        ssize_t got = read(conn->fd, conn->in + conn->len, ROOM - 1 - conn->len);

        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            drop(conn);
            return;
        }
        conn->len += (size_t)got;
        conn->in[conn->len] = '\0';
        if (conn->need == 0)
            conn->need = whole_size(conn);
        if (conn->need > 0 && conn->len >= conn->need) {
            wait_or_answer(conn);
            return;
        }
    }
}

static int open_listener(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        die("cannot listen: %s", strerror(errno));
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

static void watch(int loop, int fd, void *what)
{
    struct epoll_event event = { .events = EPOLLIN | (what && what != stdin ? EPOLLET : 0U),
                                 .data.ptr = what };

    if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) != 0)
        die("cannot watch: %s", strerror(errno));
}

static void take_connections(int loop, int listener)
{
    int fd, one = 1;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        struct conn *conn = need_memory(sizeof(*conn));

        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        conn->fd = fd;
        watch(loop, fd, conn);
        serve(conn);
    }
}

/* How long to sleep: until the first in line is due. */
static int nap_ms(void)
{
    uint64_t now = now_ns();

    if (!line)
        return -1;
    return line->due_ns <= now ? 0 : (int)((line->due_ns - now) / 1000000 + 1);
}

static void take_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--first") == 0)
            first_ns = (uint64_t)parse_count(argv[++i]) * 1000000;
        else if (i + 1 < argc && strcmp(argv[i], "--steps") == 0)
            steps = (int)parse_count(argv[++i]);
        else if (i + 2 < argc && strcmp(argv[i], "--call") == 0)
            make_call(argv[i + 1], argv[i + 2]), i += 2;
        else
            die("usage: model [--first MS] [--call TOOL ARGUMENTS --steps N]");
    }
    if (steps > 0 && call.len == 0)
        die("--steps needs --call");
}

int main(int argc, char **argv)
{
    int loop = epoll_create1(0);

    take_options(argc, argv);
    need_files(8192);
    make_reply(&words, said);
    int listener = open_listener();

    watch(loop, listener, NULL);
    watch(loop, STDIN_FILENO, stdin);
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(loop, events, 256, nap_ms());

        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == stdin)
                return 0;
            if (!events[i].data.ptr)
                take_connections(loop, listener);
            else
                serve(events[i].data.ptr);
        }
        answer_due();
    }
}
