/*
 * Defaults are made from the table on first use, so that tests and tools need no config. One that cannot be
 * parsed ends the program: it is in our own table.
 */
#include "base/settings.h"

#include "base/limits.h"
#include "base/str.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct settings defaults;
static const struct settings *_Atomic chosen;
static pthread_once_t defaults_once = PTHREAD_ONCE_INIT;

static int64_t duration(const char *text)
{
    int64_t ms;

    if (!str_to_duration_ms(text, &ms))
        abort();
    return ms;
}

static int64_t size(const char *text)
{
    int64_t bytes;

    if (!str_to_bytes(text, &bytes))
        abort();
    return bytes;
}

static void fill_defaults(void)
{
#define TEXT(member, key, fallback, help)              defaults.member = fallback;
#define INT(member, key, fallback, least, most, help)  defaults.member = fallback;
#define BOOL(member, key, fallback, help)              defaults.member = fallback;
#define TIME(member, key, fallback, least, most, help) defaults.member##_ms = duration(fallback);
#define SIZE(member, key, fallback, least, most, help) defaults.member = size(fallback);
#define MONEY(member, key, fallback, least, most, help) \
    defaults.member##_millionths = (int64_t)MONEY_MILLIONTHS * (fallback);
    SETTINGS(TEXT, INT, BOOL, TIME, SIZE, MONEY)
#undef TEXT
#undef INT
#undef BOOL
#undef TIME
#undef SIZE
#undef MONEY
}

const struct settings *settings(void)
{
    const struct settings *in_force = atomic_load_explicit(&chosen, memory_order_acquire);

    if (in_force)
        return in_force;
    pthread_once(&defaults_once, fill_defaults);
    return &defaults;
}

void settings_use(const struct settings *in_force)
{
    atomic_store_explicit(&chosen, in_force, memory_order_release);
}
