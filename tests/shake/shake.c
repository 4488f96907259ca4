/*
 * A library to preload that holds up each thread of a program now and then, right after it has let go of a
 * lock or has been woken: the places where another thread may be first. A test that takes one order for
 * granted fails under it within a few runs, where a busy machine would need weeks. See tests/shake/run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

/* How long a thread runs between two halts at most, and how long a halt is at most. */
enum { RUN_MS = 400, HALT_MS = 150 };

static _Thread_local uint64_t seed;
static _Thread_local int64_t next_ms;

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* xorshift64*; each thread of each process has its own row. */
static int64_t below(int64_t limit)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * 2685821657736338717ULL) >> 33) % limit;
}

static void maybe_halt(void)
{
    int64_t now = now_ms();
    int saved = errno;

    if (seed == 0) {
        seed = (uint64_t)now * 1000003 ^ (uint64_t)(uintptr_t)&seed;
        next_ms = now + below(RUN_MS);
    }
    if (now < next_ms)
        return;
    int64_t halt = 1 + below(HALT_MS);
    struct timespec length = { .tv_sec = halt / 1000, .tv_nsec = halt % 1000 * 1000000 };

    nanosleep(&length, NULL);
    next_ms = now_ms() + below(RUN_MS);
    errno = saved;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    int result = real(mutex);

    maybe_halt();
    return result;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    static int (*real)(int, struct epoll_event *, int, int);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
    int result = real(epoll, events, most, timeout);

    maybe_halt();
    return result;
}
