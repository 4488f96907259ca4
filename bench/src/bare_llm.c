/*
 * bare_llm.c - the server's own client of models with nothing around it: so many calls at a time, for so
 * long.
 *
 *   bare_llm BASE_URL CALLS SECONDS
 *
 * Prints how many replies a second that were, and how long the first word took in the middle, in
 * milliseconds.
 */
#include "llm/llm.h"
#include "util.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct llm *llm;
static struct llm_model model;
static atomic_uint_fast64_t replies;
static atomic_int out;
static uint64_t end_ns;
static struct hist firsts; /* the loop's own */

static const struct llm_message messages[] = {
    { .role = "system", .content = "You are Divergent. Say something new, in a few words." },
    { .role = "user", .content = "Should a young company begin with services or with one program?" },
};

struct caller {
    uint64_t began_ns;
    bool spoke;
};

static void call(struct caller *caller);

static bool on_delta(void *user, const char *text, size_t len)
{
    struct caller *caller = user;

    (void)text, (void)len;
    if (!caller->spoke)
        hist_add(&firsts, now_ns() - caller->began_ns);
    caller->spoke = true;
    return true;
}

static void on_done(void *user, const struct llm_result *result)
{
    if (result->kind != LLM_FINE)
        die("a call failed: %s", result->words);
    atomic_fetch_add(&replies, 1);
    if (now_ns() < end_ns)
        call(user);
    else
        atomic_fetch_sub(&out, 1);
}

static void call(struct caller *caller)
{
    struct llm_request request = {
        .model = &model, .messages = messages, .message_count = 2, .speaker = "Divergent"
    };
    struct llm_callbacks callbacks = { .delta = on_delta, .done = on_done, .user = caller };
    struct err err = { 0 };
    uint64_t id;

    *caller = (struct caller){ .began_ns = now_ns() };
    if (!llm_start(llm, &request, &callbacks, &id, &err))
        die("cannot ask: %s", err.text);
}

int main(int argc, char **argv)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct net *net;

    if (argc != 4)
        die("usage: bare_llm BASE_URL CALLS SECONDS");
    int calls = (int)parse_count(argv[2]);
    struct caller *callers = need_memory((size_t)calls * sizeof(*callers));

    model_init(&model, "test");
    if (!model_set(&model, &arena, "provider", "openai", &err) ||
        !model_set(&model, &arena, "base_url", argv[1], &err) ||
        !model_set(&model, &arena, "max_in_flight", "256", &err) || !model_check(&model, &arena, &err) ||
        !net_open(&net, &err))
        die("%s", err.text);
    llm = llm_open(net);
    uint64_t begin = now_ns();

    end_ns = begin + (uint64_t)parse_count(argv[3]) * 1000000000;
    atomic_store(&out, calls);
    for (int i = 0; i < calls; i++)
        call(&callers[i]);
    while (atomic_load(&out) > 0)
        usleep(1000);
    printf("%.0f %.3f\n", (double)atomic_load(&replies) / seconds_since(begin), hist_ms(&firsts, 0.5));
    llm_close(llm);
    net_close(net);
    return 0;
}
