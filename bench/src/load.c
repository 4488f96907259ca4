/*
 * load.c - the load generator of the benchmarks: HTTP/1.1 over epoll, one thread (the publisher of `sse`
 * has its own), so that it takes at most one core from the server it measures.
 *
 *   load once   --target A:P --path /x                    one request, the reply as it came
 *   load get    --target A:P --path /x --connections 64 --seconds 5 --warmup 1
 *   load post   --target A:P --paths FILE --prefix /x/ --body '{"a":"n{n}"}' --count 40000 [--pick FILE]
 *   load sse    --target A:P --path /events --connections 1000 --count 300 --publish /chat --body '...
 * bench-{n} ...' load idle   --target A:P --path /events --connections 10000, then `reset`, `close` or
 * `state` on stdin
 *   load ask    --target A:P --path /api/questions --connections 64 --seconds 5      ask, wait, answer, heard
 *   load answer --target A:P --paths FILE --prefix /api/questions/      a wait for each, answered after a
 * line on stdin load first  --target A:P --path /x -- COMMAND...      from the start of a server to its first
 * answer
 *
 * --header 'Name: value' adds to every request. {n} is the number of the request. A path with wait= in
 * idle is a long poll that is asked again when answered.
 */
#include "http_in.h"
#include "modes.h"
#include "util.h"

#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct option OPTIONS[] = {
    { "target", required_argument, NULL, 't' },
    { "path", required_argument, NULL, 'p' },
    { "paths", required_argument, NULL, 'P' },
    { "prefix", required_argument, NULL, 'x' },
    { "body", required_argument, NULL, 'b' },
    { "body-file", required_argument, NULL, 'B' },
    { "header", required_argument, NULL, 'h' },
    { "connections", required_argument, NULL, 'c' },
    { "count", required_argument, NULL, 'n' },
    { "seconds", required_argument, NULL, 's' },
    { "warmup", required_argument, NULL, 'w' },
    { "pick", required_argument, NULL, 'k' },
    { "publish", required_argument, NULL, 'u' },
    { "sample", required_argument, NULL, 'm' },
    { NULL, 0, NULL, 0 },
};

static void write_out(void *ctx, const char *data, size_t len)
{
    (void)ctx;
    if (fwrite(data, 1, len, stdout) != len)
        die("cannot write the reply");
}

int mode_once(const struct options *options)
{
    char *buffer = need_memory(REQUEST_MAX);
    size_t len = request_write(&options->request, 1, buffer), used;
    int fd = net_connect(&options->target, 0, true);
    struct http_in in;
    bool head_out = false;

    http_in_reset(&in);
    if (!net_send(fd, buffer, len))
        die("the connection was lost");
    while (!http_in_done(&in)) {
        ssize_t got = recv(fd, buffer, 1, 0);

        /* Byte by byte, so that the head is complete and printed before the body begins. */
        if (got <= 0 || !http_in_feed(&in, buffer, (size_t)got, &used, write_out, NULL))
            break;
        if (!head_out && http_in_started(&in)) {
            write_out(NULL, in.head, in.head_len);
            head_out = true;
        }
    }
    close(fd);
    free(buffer);
    if (!http_in_started(&in))
        die("no reply");
    return in.status / 100 != 2;
}

static double parse_seconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || value < 0 || value > 3600)
        die("'%s' is not a number of seconds", text);
    return value;
}

static void parse_one(struct options *options, int letter, const char **prefix, const char **file)
{
    struct request *request = &options->request;

    switch (letter) {
    case 't': target_parse(&options->target, optarg); break;
    case 'p': request_add_path(request, optarg); break;
    case 'P': *file = optarg; break;
    case 'x': *prefix = optarg; break;
    case 'b': request->body = optarg; break;
    case 'B': request->body = read_whole(optarg, NULL); break;
    case 'h': request_add_header(request, optarg); break;
    case 'c': options->connections = (size_t)parse_count(optarg); break;
    case 'n': options->count = (size_t)parse_count(optarg); break;
    case 's': options->seconds = parse_seconds(optarg); break;
    case 'w': options->warmup = parse_seconds(optarg); break;
    case 'k': options->pick = optarg; break;
    case 'u': request_add_path(&options->publish, optarg); break;
    case 'm': options->sample = optarg; break;
    default: die("see the head of bench/src/load.c for how to call it");
    }
}

static void parse(struct options *options, const char *mode, int argc, char **argv)
{
    struct request *request = &options->request;
    const char *prefix = "", *file = NULL;
    int letter;

    *options = (struct options){ .connections = 1, .seconds = 5 };
    while ((letter = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1)
        parse_one(options, letter, &prefix, &file);
    if (file)
        request_add_paths(request, prefix, file);
    if (!options->target.host[0] || request->path_count == 0)
        die("--target and --path (or --paths) are needed");
    options->command = argv + optind;
    request->host = options->target.host;
    request->method = request->body ? "POST" : "GET";
    if (strcmp(mode, "sse") != 0)
        return;
    if (options->publish.path_count == 0 || !request->body || options->count == 0)
        die("sse needs --publish, --body and --count");
    /* The body and the headers are the publisher's; the subscribers ask for a stream. */
    memcpy(options->publish.headers, request->headers, sizeof(request->headers));
    options->publish.body = request->body;
    options->publish.method = "POST";
    options->publish.host = request->host;
    request->body = NULL;
    request->method = "GET";
    request->headers[0] = '\0';
    request_add_header(request, "Accept: text/event-stream");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *);
    } MODES[] = { { "once", mode_once }, { "get", mode_closed },   { "post", mode_closed },
                  { "sse", mode_sse },   { "idle", mode_idle },    { "first", mode_first },
                  { "ask", mode_ask },   { "answer", mode_answer } };
    struct options options;

    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc > 1 && i < sizeof(MODES) / sizeof(*MODES); i++) {
        if (strcmp(argv[1], MODES[i].name) != 0)
            continue;
        parse(&options, argv[1], argc - 1, argv + 1);
        return MODES[i].run(&options);
    }
    die("the first argument is once, get, post, sse, idle, first, ask or answer");
}
