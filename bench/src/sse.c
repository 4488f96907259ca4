#include "http_in.h"
#include "modes.h"
#include "util.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE (1 << 16)
#define LINE_KEPT 4096
#define MARK      "bench-" /* each message holds it, followed by its number from 1 */
#define LINGER_S  0.3
#define GIVE_UP_S 20.0 /* without a single byte, after the last was posted */

struct reader {
    int fd;
    bool standing;
    uint64_t last; /* number of the newest message seen */
    uint64_t lost, doubled;
    struct http_in in;
    size_t line_len; /* of an unfinished line */
    char line[LINE_KEPT];
};

struct stream_run {
    const struct options *options;
    int epoll;
    struct reader *readers;
    uint64_t delivered, heard_at;
    size_t standing, finished;
    FILE *sample;
    atomic_bool posted; /* the publisher has had its last reply */
    uint64_t first_post_at, last_post_at;
    uint64_t publish_errors;
};

struct span {
    struct stream_run *run;
    struct reader *reader;
};

/*
 * The numbers tell what ids could not: a message that never got an id. One that comes again, or too late,
 * is doubled; a jump means that those between are lost.
 */
static void reader_saw(struct stream_run *run, struct reader *reader, uint64_t number)
{
    if (number <= reader->last) {
        reader->doubled++;
        return;
    }
    reader->lost += number - reader->last - 1;
    reader->last = number;
    run->delivered++;
    if (number == run->options->count)
        run->finished++;
}

static void reader_line(struct stream_run *run, struct reader *reader, const char *line, size_t len)
{
    const char *mark;
    uint64_t number = 0;

    if (len < 5 || memcmp(line, "data:", 5) != 0)
        return;
    if (!(mark = memmem(line, len, MARK, strlen(MARK))))
        return;
    for (mark += strlen(MARK); mark < line + len && *mark >= '0' && *mark <= '9'; mark++)
        number = number * 10 + (uint64_t)(*mark - '0');
    if (run->sample) {
        const char *data = line + 5 + (len > 5 && line[5] == ' ');

        fwrite(data, 1, (size_t)(line + len - data), run->sample);
        if (fclose(run->sample) != 0)
            die("cannot write %s", run->options->sample);
        run->sample = NULL;
    }
    reader_saw(run, reader, number);
}

static void reader_body(void *ctx, const char *data, size_t len)
{
    struct span *span = ctx;
    struct reader *reader = span->reader;

    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        size_t part = end ? (size_t)(end - data) : len;

        if (!end || reader->line_len > 0) {
            if (reader->line_len + part > LINE_KEPT)
                die("a line of an event is longer than %d bytes", LINE_KEPT);
            memcpy(reader->line + reader->line_len, data, part);
            reader->line_len += part;
        }
        if (!end)
            return;
        if (reader->line_len > 0)
            reader_line(span->run, reader, reader->line, reader->line_len);
        else
            reader_line(span->run, reader, data, part);
        reader->line_len = 0;
        data = end + 1;
        len -= part + 1;
    }
}

static void reader_read(struct stream_run *run, struct reader *reader, char *buffer)
{
    struct span span = { run, reader };
    ssize_t got = recv(reader->fd, buffer, READ_SIZE, 0);
    size_t used;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || !http_in_feed(&reader->in, buffer, (size_t)got, &used, reader_body, &span) ||
        http_in_done(&reader->in))
        die("the server ended a stream after message %llu", (unsigned long long)reader->last);
    if (!reader->standing && http_in_started(&reader->in)) {
        if (reader->in.status != 200)
            die("status %d instead of a stream", reader->in.status);
        reader->standing = true;
        run->standing++;
    }
}

static void poll_readers(struct stream_run *run, char *buffer, int timeout_ms)
{
    struct epoll_event events[256];
    int ready = epoll_wait(run->epoll, events, 256, timeout_ms);

    for (int i = 0; i < ready; i++)
        reader_read(run, events[i].data.ptr, buffer);
    if (ready > 0)
        run->heard_at = now_ns();
}

static void open_readers(struct stream_run *run, char *buffer)
{
    char *out = need_memory(REQUEST_MAX);
    uint64_t start = now_ns();

    for (size_t i = 0; i < run->options->connections; i++) {
        struct reader *reader = &run->readers[i];
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = reader };
        size_t len = request_write(&run->options->request, i, out);

        reader->fd = net_connect(&run->options->target, i, false);
        if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, reader->fd, &event) != 0)
            die("epoll_ctl: %s", strerror(errno));
        if (!net_send(reader->fd, out, len))
            die("cannot subscribe");
        while (i + 1 - run->standing > 64 && seconds_since(start) < 60)
            poll_readers(run, buffer, 10);
    }
    while (run->standing < run->options->connections) {
        poll_readers(run, buffer, 10);
        if (seconds_since(start) > 60)
            die("only %zu streams stand after 60 s", run->standing);
    }
    free(out);
}

static bool publish_one(struct stream_run *run, int fd, uint64_t number, char *out)
{
    struct http_in in;
    size_t len = request_write(&run->options->publish, number, out), used;

    http_in_reset(&in);
    if (!net_send(fd, out, len))
        die("the publisher lost its connection");
    while (!http_in_done(&in)) {
        ssize_t got = recv(fd, out, READ_SIZE, 0);

        if (got <= 0 || !http_in_feed(&in, out, (size_t)got, &used, NULL, NULL))
            die("the publisher lost its connection");
    }
    return in.status / 100 == 2;
}

static void *publisher(void *ctx)
{
    struct stream_run *run = ctx;
    char *out = need_memory(REQUEST_MAX);
    int fd = net_connect(&run->options->target, 0, true);

    run->first_post_at = now_ns();
    for (uint64_t number = 1; number <= run->options->count; number++)
        run->publish_errors += !publish_one(run, fd, number, out);
    run->last_post_at = now_ns();
    atomic_store(&run->posted, true);
    close(fd);
    free(out);
    return NULL;
}

static int report(struct stream_run *run, uint64_t ended_at)
{
    uint64_t lost = 0, doubled = 0, wanted = run->options->count * run->options->connections;
    double seconds = (double)(ended_at - run->first_post_at) / 1e9;

    for (size_t i = 0; i < run->options->connections; i++) {
        struct reader *reader = &run->readers[i];

        lost += reader->lost + (run->options->count - reader->last);
        doubled += reader->doubled;
        close(reader->fd);
    }
    printf("{\"subscribers\":%zu,\"messages\":%zu,\"delivered\":%llu,\"wanted\":%llu,\"lost\":%llu,"
           "\"doubled\":%llu,\"errors\":%llu,\"seconds\":%.3f,\"posting_seconds\":%.3f,\"rps\":%.1f}\n",
           run->options->connections, run->options->count, (unsigned long long)run->delivered,
           (unsigned long long)wanted, (unsigned long long)lost, (unsigned long long)doubled,
           (unsigned long long)run->publish_errors, seconds,
           (double)(run->last_post_at - run->first_post_at) / 1e9, (double)run->delivered / seconds);
    return lost > 0 || doubled > 0 || run->publish_errors > 0;
}

int mode_sse(const struct options *options)
{
    struct stream_run run = { .options = options, .epoll = epoll_create1(EPOLL_CLOEXEC) };
    char *buffer = need_memory(READ_SIZE);
    pthread_t thread;
    uint64_t posted_at = 0, ended_at;
    int code;

    need_files(options->connections);
    run.readers = need_memory(options->connections * sizeof(*run.readers));
    open_readers(&run, buffer);
    if (options->sample && !(run.sample = fopen(options->sample, "w")))
        die("cannot write %s", options->sample);
    if (pthread_create(&thread, NULL, publisher, &run) != 0)
        die("cannot start the publisher");
    while (run.finished < options->connections) {
        poll_readers(&run, buffer, 100);
        if (!posted_at && atomic_load(&run.posted))
            posted_at = now_ns();
        /* What has not come long after the last post will not come: report it as lost. */
        if (posted_at && seconds_since(posted_at > run.heard_at ? posted_at : run.heard_at) > GIVE_UP_S)
            break;
    }
    pthread_join(thread, NULL);
    ended_at = run.heard_at;
    /* A moment longer, outside the time that counts: one that comes twice may come after the last. */
    while (seconds_since(ended_at) < LINGER_S)
        poll_readers(&run, buffer, 50);
    code = report(&run, ended_at);
    free(run.readers);
    free(buffer);
    close(run.epoll);
    return code;
}
