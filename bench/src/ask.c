/*
 * Questions from the asking to the answer in the waiter's hand. Each of the flows has two connections, the
 * asker's and the person's: ask, wait, answer, and the wait ends with exactly that answer.
 */
#include "exchange.h"
#include "modes.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct flow {
    struct exchange asker, person;
    bool asked;
    uint64_t began, number;
    char id[40];
};

struct asking {
    const struct options *options;
    int epoll;
    uint64_t next, done, counted;
    uint64_t counted_from, ends_at;
    size_t busy;
    struct hist *latency;
};

static bool is_over(const struct asking *asking, uint64_t now)
{
    return asking->options->count ? asking->next >= asking->options->count : now >= asking->ends_at;
}

static void flow_begin(struct asking *asking, struct flow *flow)
{
    char body[256];

    flow->asked = false;
    flow->number = asking->next++;
    flow->began = now_ns();
    snprintf(body, sizeof(body),
             "{\"question\":\"Which region shall number %llu "
             "use?\",\"type\":\"blocking\",\"responseType\":\"text\"}",
             (unsigned long long)flow->number);
    asking->busy++;
    exchange_send(&flow->asker, asking->options->target.host, "/api/questions", body);
}

/* The wait is on its way before the answer is, so that most answers find somebody waiting. */
static void flow_answer(struct asking *asking, struct flow *flow)
{
    const char *host = asking->options->target.host;
    char path[128], body[128];

    exchange_text(&flow->asker, "questionId", flow->id, sizeof(flow->id));
    flow->asked = true;
    snprintf(path, sizeof(path), "/api/questions/%s?wait=55", flow->id);
    exchange_send(&flow->asker, host, path, NULL);
    snprintf(path, sizeof(path), "/api/questions/%s/answer", flow->id);
    snprintf(body, sizeof(body), "{\"response\":{\"type\":\"text\",\"value\":\"region %llu\"}}",
             (unsigned long long)flow->number);
    exchange_send(&flow->person, host, path, body);
}

static void flow_check(const struct flow *flow)
{
    char wanted[64];

    snprintf(wanted, sizeof(wanted), "\"value\":\"region %llu\"", (unsigned long long)flow->number);
    if (!strstr(flow->asker.body, wanted))
        die("the waiter of %s got another answer: %.300s", flow->id, flow->asker.body);
}

static void flow_step(struct asking *asking, struct exchange *exchange)
{
    struct flow *flow = exchange->owner;
    uint64_t now;

    if (!exchange_read(exchange))
        return;
    if (!flow->asked) {
        flow_answer(asking, flow);
        return;
    }
    now = now_ns();
    if (exchange == &flow->asker) {
        flow_check(flow);
        if (now >= asking->counted_from && now <= asking->ends_at) {
            hist_add(asking->latency, now - flow->began);
            asking->counted++;
        }
    }
    if (flow->asker.waiting || flow->person.waiting)
        return;
    asking->busy--;
    asking->done++;
    if (!is_over(asking, now))
        flow_begin(asking, flow);
}

int mode_ask(const struct options *options)
{
    struct asking asking = { .options = options, .latency = need_memory(sizeof(struct hist)) };
    struct flow *flows = need_memory(options->connections * sizeof(*flows));
    struct epoll_event events[128];
    uint64_t start;
    double seconds;

    need_files(2 * options->connections);
    asking.epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < options->connections; i++) {
        exchange_open(&flows[i].asker, asking.epoll, &options->target, 2 * i, &flows[i]);
        exchange_open(&flows[i].person, asking.epoll, &options->target, 2 * i + 1, &flows[i]);
    }
    start = now_ns();
    asking.counted_from = start + (uint64_t)(options->warmup * 1e9);
    asking.ends_at = options->count ? UINT64_MAX : asking.counted_from + (uint64_t)(options->seconds * 1e9);
    for (size_t i = 0; i < options->connections && !is_over(&asking, start); i++)
        flow_begin(&asking, &flows[i]);
    while (asking.busy > 0) {
        int ready = epoll_wait(asking.epoll, events, 128, 60000);

        if (ready == 0)
            die("%zu questions have had no answer for 60 s", asking.busy);
        for (int i = 0; i < ready; i++)
            flow_step(&asking, events[i].data.ptr);
    }
    seconds = options->count ? seconds_since(asking.counted_from) : options->seconds;
    printf("{\"requests\":%llu,\"errors\":0,\"seconds\":%.3f,\"rps\":%.1f,\"p50\":%.3f,\"p99\":%.3f}\n",
           (unsigned long long)asking.counted, seconds, (double)asking.counted / seconds,
           hist_ms(asking.latency, 0.5), hist_ms(asking.latency, 0.99));
    for (size_t i = 0; i < options->connections; i++) {
        exchange_close(&flows[i].asker);
        exchange_close(&flows[i].person);
    }
    close(asking.epoll);
    free(asking.latency);
    free(flows);
    return 0;
}
