/*
 * Many waiters, each for its own question, answered through a few connections. The questions are the paths;
 * the waiters stand when `established` is printed, and are answered when a line comes on stdin.
 */
#include "exchange.h"
#include "modes.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define ANSWERERS 64

struct answering {
    const struct options *options;
    int epoll;
    struct exchange *waiters; /* one for each question */
    size_t count;
    struct exchange answerers[ANSWERERS];
    uint64_t *answered_at;
    size_t next, told, heard;
    struct hist *latency;
};

static void open_waiters(struct answering *answering)
{
    char path[256];

    for (size_t i = 0; i < answering->count; i++) {
        exchange_open(&answering->waiters[i], answering->epoll, &answering->options->target, i, NULL);
        snprintf(path, sizeof(path), "%s?wait=55", answering->options->request.paths[i]);
        exchange_send(&answering->waiters[i], answering->options->target.host, path, NULL);
    }
    printf("{\"established\":%zu}\n", answering->count);
    fflush(stdout);
}

static void answer_next(struct answering *answering, struct exchange *person)
{
    char path[256], body[128];
    size_t nth = answering->next;

    if (nth == answering->count)
        return;
    answering->next++;
    answering->answered_at[nth] = now_ns();
    snprintf(path, sizeof(path), "%s/answer", answering->options->request.paths[nth]);
    snprintf(body, sizeof(body), "{\"response\":{\"type\":\"text\",\"value\":\"number %zu\"}}", nth);
    exchange_send(person, answering->options->target.host, path, body);
}

static void hear(struct answering *answering, struct exchange *waiter)
{
    size_t nth = (size_t)(waiter - answering->waiters);
    char wanted[64];

    snprintf(wanted, sizeof(wanted), "\"value\":\"number %zu\"", nth);
    if (!strstr(waiter->body, wanted))
        die("waiter %zu got another answer: %.300s", nth, waiter->body);
    hist_add(answering->latency, now_ns() - answering->answered_at[nth]);
    answering->heard++;
}

static bool is_answerer(const struct answering *answering, const struct exchange *exchange)
{
    return exchange >= answering->answerers && exchange < answering->answerers + ANSWERERS;
}

static void step(struct answering *answering, struct exchange *exchange)
{
    if (!exchange_read(exchange))
        return;
    if (!is_answerer(answering, exchange)) {
        hear(answering, exchange);
        return;
    }
    answering->told++;
    answer_next(answering, exchange);
}

static void answer_all(struct answering *answering)
{
    struct epoll_event events[128];

    for (size_t i = 0; i < ANSWERERS; i++)
        answer_next(answering, &answering->answerers[i]);
    while (answering->heard < answering->count || answering->told < answering->count) {
        int ready = epoll_wait(answering->epoll, events, 128, 30000);

        if (ready == 0)
            die("%zu of %zu waiters have heard nothing for 30 s", answering->count - answering->heard,
                answering->count);
        for (int i = 0; i < ready; i++)
            step(answering, events[i].data.ptr);
    }
}

int mode_answer(const struct options *options)
{
    struct answering *answering = need_memory(sizeof(*answering));
    uint64_t start;
    double seconds;

    answering->options = options;
    answering->count = options->request.path_count;
    need_files(answering->count + ANSWERERS);
    answering->epoll = epoll_create1(EPOLL_CLOEXEC);
    answering->waiters = need_memory(answering->count * sizeof(*answering->waiters));
    answering->answered_at = need_memory(answering->count * sizeof(uint64_t));
    answering->latency = need_memory(sizeof(struct hist));
    open_waiters(answering);
    while (getchar() != '\n')
        if (feof(stdin))
            die("stdin ended before a line came");
    for (size_t i = 0; i < ANSWERERS; i++)
        exchange_open(&answering->answerers[i], answering->epoll, &options->target, answering->count + i,
                      NULL);
    start = now_ns();
    answer_all(answering);
    seconds = seconds_since(start);
    printf("{\"requests\":%zu,\"errors\":0,\"seconds\":%.3f,\"rps\":%.1f,\"p50\":%.3f,\"p99\":%.3f}\n",
           answering->count, seconds, (double)answering->count / seconds, hist_ms(answering->latency, 0.5),
           hist_ms(answering->latency, 0.99));
    for (size_t i = 0; i < answering->count; i++)
        exchange_close(&answering->waiters[i]);
    for (size_t i = 0; i < ANSWERERS; i++)
        exchange_close(&answering->answerers[i]);
    close(answering->epoll);
    free(answering->waiters);
    free(answering->answered_at);
    free(answering->latency);
    free(answering);
    return 0;
}
