/*
 * Strictly increasing within a process: a counter fills the bits behind the millisecond and begins at a
 * random place in each. A clock that stands still or goes back does not matter, since the last millisecond is
 * remembered and counted on from.
 */
#include "base/uuid.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define COUNTER_BITS 20 /* the 12 bits of rand_a and the top 8 of rand_b */
#define COUNTER_MAX  ((UINT32_C(1) << COUNTER_BITS) - 1)
#define TAIL_BITS    54 /* what is left of rand_b: random in each id */

/* The kernel is asked for many ids' worth at once, since a call to it costs more than an id may. */
static struct {
    pthread_mutex_t lock;
    int64_t last_ms;
    uint32_t counter;
    size_t used;
    uint64_t pool[512];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .used = sizeof(state.pool) / sizeof(*state.pool) };

void random_bytes(void *into, size_t len)
{
    char *at = into;

    while (len > 0) {
        ssize_t got = getrandom(at, len, 0);

        if (got < 0 && errno != EINTR) {
            perror("getrandom");
            abort();
        }
        if (got > 0) {
            at += got;
            len -= (size_t)got;
        }
    }
}

static uint64_t take_random(void)
{
    if (state.used == sizeof(state.pool) / sizeof(*state.pool)) {
        random_bytes(state.pool, sizeof(state.pool));
        state.used = 0;
    }
    return state.pool[state.used++];
}

/*
 * A new millisecond starts the counter at a random place in its lower half, which leaves half a
 * million ids to go. A clock that stands still or goes back only counts on; a counter that runs out borrows
 * the next millisecond.
 */
static void step(int64_t now_ms, uint64_t random)
{
    if (now_ms <= state.last_ms && state.counter < COUNTER_MAX) {
        state.counter++;
        return;
    }
    state.last_ms = now_ms > state.last_ms ? now_ms : state.last_ms + 1;
    state.counter = (uint32_t)(random >> TAIL_BITS) << 9;
}

static void put_hex(char *at, int digits, uint64_t number)
{
    for (int i = digits - 1; i >= 0; i--, number >>= 4)
        at[i] = "0123456789abcdef"[number & 15];
}

void uuid_make(char text[static UUID_SIZE])
{
    int64_t now_ms = clock_now_ms();

    pthread_mutex_lock(&state.lock);
    uint64_t random = take_random();

    step(now_ms, random);
    uint64_t ms = (uint64_t)state.last_ms, counter = state.counter;

    pthread_mutex_unlock(&state.lock);

    memcpy(text, "00000000-0000-7000-0000-000000000000", UUID_SIZE);
    put_hex(text, 8, ms >> 16);
    put_hex(text + 9, 4, ms);
    put_hex(text + 15, 3, counter >> 8);
    put_hex(text + 19, 4, 0x8000 | (counter & 0xFF) << 6 | (random >> 48 & 0x3F));
    put_hex(text + 24, 12, random);
}

char *uuid_new(struct arena *arena)
{
    char *text = arena_alloc(arena, UUID_SIZE, 1);

    uuid_make(text);
    return text;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool uuid_valid(const char *text)
{
    if (!text)
        return false;
    for (int i = 0; i < UUID_SIZE - 1; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? text[i] != '-' : !is_hex(text[i]))
            return false;
    }
    return text[UUID_SIZE - 1] == '\0';
}

void uuid_lower(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'F')
            *text = (char)(*text - 'A' + 'a');
}
