#include "http_in.h"
#include "modes.h"
#include "util.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE (1 << 16)
#define BODY_KEPT 8192 /* enough of a reply to find the id that --pick wants */

struct client {
    int fd;
    bool waiting; /* for a reply */
    uint64_t sent_at;
    struct http_in in;
    size_t body_len;
    char *body; /* NULL unless --pick */
};

struct run {
    const struct options *options;
    int epoll;
    struct client *clients;
    uint64_t next;     /* number of the next request */
    uint64_t requests; /* replies within the counted time */
    uint64_t errors;   /* other than 2xx, or a connection lost */
    uint64_t counted_from, ends_at;
    size_t busy; /* requests on their way */
    bool stop;
    int first_bad; /* status of the first error, for the report */
    FILE *pick;
    struct hist *latency;
    char *out;
};

static void keep_body(void *ctx, const char *data, size_t len)
{
    struct client *client = ctx;
    size_t room = BODY_KEPT - 1 - client->body_len;

    if (len > room)
        len = room;
    memcpy(client->body + client->body_len, data, len);
    client->body_len += len;
}

static void client_connect(struct run *run, size_t nth)
{
    struct client *client = &run->clients[nth];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };

    client->fd = net_connect(&run->options->target, nth, false);
    if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, client->fd, &event) != 0)
        die("epoll_ctl: %s", strerror(errno));
}

static bool run_over(const struct run *run)
{
    return run->stop || (run->options->count && run->next >= run->options->count);
}

static void client_lost(struct run *run, struct client *client)
{
    if (client->waiting) {
        run->errors++;
        run->busy--;
    }
    client->waiting = false;
    close(client->fd);
    client_connect(run, (size_t)(client - run->clients));
}

static void client_send(struct run *run, struct client *client)
{
    size_t len = request_write(&run->options->request, run->next++, run->out);

    http_in_reset(&client->in);
    client->body_len = 0;
    client->sent_at = now_ns();
    client->waiting = true;
    run->busy++;
    if (!net_send(client->fd, run->out, len))
        client_lost(run, client);
}

static void pick_id(struct run *run, struct client *client)
{
    const char *at;

    client->body[client->body_len] = '\0';
    at = strstr(client->body, "\"questionId\":");
    if (at) {
        at += strlen("\"questionId\":");
    } else {
        at = strstr(client->body, "\"prompt\":");
        at = at ? strstr(at, "\"id\":") : NULL;
        at = at ? strchr(at + 5, '"') : NULL;
    }
    if (!at)
        die("no id in the reply: %.200s", client->body);
    fprintf(run->pick, "%.36s\n", at + 1);
}

static void client_done(struct run *run, struct client *client, uint64_t now)
{
    bool good = client->in.status / 100 == 2;

    client->waiting = false;
    run->busy--;
    if (!good && !run->first_bad)
        run->first_bad = client->in.status;
    if (now >= run->counted_from && now <= run->ends_at) {
        run->requests += good;
        run->errors += !good;
        hist_add(run->latency, now - client->sent_at);
    }
    if (good && run->pick)
        pick_id(run, client);
    if (client->in.closes)
        client_lost(run, client);
    if (!run_over(run))
        client_send(run, client);
}

static void client_read(struct run *run, struct client *client, char *buffer)
{
    ssize_t got = recv(client->fd, buffer, READ_SIZE, 0);
    size_t used;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || !client->waiting ||
        !http_in_feed(&client->in, buffer, (size_t)got, &used, client->body ? keep_body : NULL, client)) {
        client_lost(run, client);
        if (!run_over(run))
            client_send(run, client);
        return;
    }
    if (http_in_done(&client->in))
        client_done(run, client, now_ns());
}

static void run_loop(struct run *run)
{
    struct epoll_event events[128];
    char *buffer = need_memory(READ_SIZE);
    uint64_t quiet_since = now_ns();

    while (run->busy > 0) {
        int ready = epoll_wait(run->epoll, events, 128, 100);
        uint64_t now = now_ns();

        for (int i = 0; i < ready; i++)
            client_read(run, events[i].data.ptr, buffer);
        if (ready > 0)
            quiet_since = now;
        else if (now - quiet_since > 30 * 1000000000ULL)
            die("%zu requests have had no reply for 30 s", run->busy);
        if (now >= run->ends_at)
            run->stop = true;
    }
    free(buffer);
}

static void run_open(struct run *run)
{
    const struct options *options = run->options;

    need_files(options->connections);
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    run->clients = need_memory(options->connections * sizeof(*run->clients));
    run->latency = need_memory(sizeof(*run->latency));
    run->out = need_memory(REQUEST_MAX);
    if (options->pick && !(run->pick = fopen(options->pick, "w")))
        die("cannot write %s", options->pick);
    for (size_t i = 0; i < options->connections; i++) {
        client_connect(run, i);
        if (run->pick)
            run->clients[i].body = need_memory(BODY_KEPT);
    }
}

static void run_close(struct run *run)
{
    for (size_t i = 0; i < run->options->connections; i++) {
        close(run->clients[i].fd);
        free(run->clients[i].body);
    }
    if (run->pick && fclose(run->pick) != 0)
        die("cannot write %s", run->options->pick);
    close(run->epoll);
    free(run->clients);
    free(run->latency);
    free(run->out);
}

int mode_closed(const struct options *options)
{
    struct run run = { .options = options };
    uint64_t start;
    double seconds;

    run_open(&run);
    start = now_ns();
    run.counted_from = start + (uint64_t)(options->warmup * 1e9);
    run.ends_at = options->count ? UINT64_MAX : run.counted_from + (uint64_t)(options->seconds * 1e9);
    for (size_t i = 0; i < options->connections && !run_over(&run); i++)
        client_send(&run, &run.clients[i]);
    run_loop(&run);
    seconds = options->count ? seconds_since(run.counted_from) : options->seconds;

    printf("{\"requests\":%llu,\"errors\":%llu,\"seconds\":%.3f,\"rps\":%.1f,\"p50\":%.3f,\"p99\":%.3f",
           (unsigned long long)run.requests, (unsigned long long)run.errors, seconds,
           (double)run.requests / seconds, hist_ms(run.latency, 0.5), hist_ms(run.latency, 0.99));
    if (run.first_bad)
        printf(",\"first_bad_status\":%d", run.first_bad);
    printf("}\n");
    run_close(&run);
    return run.errors > 0;
}
