/*
 * Asking and waiting, for those who have a thread to spare: the command line and tests.
 */
#include "llm/llm.h"

#include <pthread.h>

struct ask_waiter {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
    struct arena *arena;
    struct llm_result *result;
};

static const struct llm_tool_call *copy_calls(struct arena *arena, const struct llm_result *result)
{
    struct llm_tool_call *calls = arena_array(arena, struct llm_tool_call, result->tool_call_count + 1);

    for (size_t i = 0; i < result->tool_call_count; i++) {
        calls[i] = result->tool_calls[i];
        calls[i].id = arena_text(arena, calls[i].id);
        calls[i].name = arena_text(arena, calls[i].name);
        calls[i].arguments = arena_text(arena, calls[i].arguments);
    }
    return calls;
}

/* The asking thread sleeps meanwhile, so its arena may be used. */
static void keep_result(void *user, const struct llm_result *result)
{
    struct ask_waiter *waiter = user;

    *waiter->result = *result;
    waiter->result->words = arena_text(waiter->arena, result->words);
    waiter->result->text = arena_copy(waiter->arena, result->text, result->text_len);
    waiter->result->tool_calls = copy_calls(waiter->arena, result);
    pthread_mutex_lock(&waiter->lock);
    waiter->is_done = true;
    pthread_cond_signal(&waiter->done);
    pthread_mutex_unlock(&waiter->lock);
}

bool llm_ask(struct llm *llm, const struct llm_request *request, struct arena *arena,
             struct llm_result *result, struct err *err)
{
    struct ask_waiter waiter = { .arena = arena, .result = result };
    const struct llm_callbacks callbacks = { .done = keep_result, .user = &waiter };
    uint64_t id;

    pthread_mutex_init(&waiter.lock, NULL);
    pthread_cond_init(&waiter.done, NULL);
    bool taken = llm_start(llm, request, &callbacks, &id, err);

    pthread_mutex_lock(&waiter.lock);
    while (taken && !waiter.is_done)
        pthread_cond_wait(&waiter.done, &waiter.lock);
    pthread_mutex_unlock(&waiter.lock);
    pthread_mutex_destroy(&waiter.lock);
    pthread_cond_destroy(&waiter.done);
    return taken;
}
