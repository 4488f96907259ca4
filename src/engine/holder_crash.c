/*
 * Ends the process on purpose right before or after the commit of a phase that a test names, with SIGKILL, so
 * that nothing is cleaned up: what the next node finds is what a real crash leaves.
 */
#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "base/words.h"
#include "engine/holder.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A test that asks for anything else is told what there is. */
static void say_phases(const struct holder_calls *calls)
{
    BUF_AUTO names = { 0 };

    buf_init(&names, 0);
    for (size_t i = 0; calls->phases[i]; i++)
        buf_format(&names, "%s%s", i > 0 ? "," : "", calls->phases[i]);
    log_line(LOG_WARN, "no such phase to crash at", "of", calls->rows, "phases", names.bytes, NULL);
}

/* What stands before the next colon, or the end; the rest is left in *at. */
static const char *next_part(struct arena *arena, const char **at)
{
    size_t len = strcspn(*at, ":");
    const char *part = arena_copy(arena, *at, len);

    *at += len + ((*at)[len] == ':');
    return part;
}

void crash_setup(struct holder *holder)
{
    const char *test = getenv("WITAN_TEST"), *at = getenv("WITAN_TEST_CRASH_AT");
    ARENA_AUTO arena = { 0 };

    if (!at || !str_equal(test, "1"))
        return;
    const char *word = next_part(&arena, &at);
    unsigned phase = words_find(holder->calls->phases, word);
    bool any = str_equal(word, "any");

    if (phase == WORD_UNKNOWN && !any) {
        say_phases(holder->calls);
        return;
    }
    holder->crash.phases = any ? ~0U : 1U << phase;
    holder->crash.before = str_equal(next_part(&arena, &at), "before");
    atomic_init(&holder->crash.left, *at ? atoi(at) : 1);
}

static void crash(struct holder *holder, unsigned phases, bool before)
{
    struct crash_point *point = &holder->crash;

    if ((point->phases & phases) == 0 || point->before != before || atomic_fetch_sub(&point->left, 1) != 1)
        return;
    kill(getpid(), SIGKILL);
    pause();
}

void crash_before(struct holder *holder, unsigned phases)
{
    crash(holder, phases, true);
}

void crash_after(struct holder *holder, unsigned phases)
{
    crash(holder, phases, false);
}
