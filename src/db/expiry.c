#include "db/expiry.h"

#include "base/clock.h"
#include "db/threads.h"

#define LOOK_MS 100

static void *expiry_main(void *user)
{
    struct expiry *expiry = user;

    while (!queue_sleep(expiry->queues[0], LOOK_MS)) {
        int64_t before_us = clock_ticks_us() - expiry->wait_ms * 1000;

        for (size_t i = 0; i < EXPIRY_QUEUES && expiry->queues[i]; i++)
            queue_expire(expiry->queues[i], before_us);
    }
    return NULL;
}

void expiry_begin(struct expiry *expiry)
{
    thread_start(&expiry->thread, "witan-expiry", expiry_main, expiry);
}

void expiry_end(struct expiry *expiry)
{
    pthread_join(expiry->thread, NULL);
}
