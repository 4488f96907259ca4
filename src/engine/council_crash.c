/*
 * Ends the process on purpose right before or after the commit of a phase that a test names, with SIGKILL, so
 * that nothing is cleaned up: what the next node finds is what a real crash leaves.
 */
#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/council_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct crash_point {
    unsigned phase; /* as a set of one; 0: none */
    bool before;
};

static struct crash_point point; /* set before any unit runs */

/* A test that asks for anything else is told what there is. */
static void say_phases(void)
{
    BUF_AUTO names = { 0 };

    buf_init(&names, 0);
    for (unsigned phase = 0; phase < PHASES; phase++)
        buf_format(&names, "%s%s", phase ? "," : "", phase_text(phase));
    log_line(LOG_WARN, "no such phase to crash at", "phases", names.bytes, NULL);
}

void crash_setup(void)
{
    const char *test = getenv("WITAN_TEST"), *at = getenv("WITAN_TEST_CRASH_AT");

    if (!at || !str_equal(test, "1"))
        return;
    size_t len = strcspn(at, ":");

    for (unsigned phase = 0; phase < PHASES; phase++)
        if (strncmp(phase_text(phase), at, len) == 0 && phase_text(phase)[len] == '\0')
            point = (struct crash_point){ 1U << phase, strcmp(at + len, ":before") == 0 };
    if (point.phase == 0)
        say_phases();
}

static void crash(unsigned phases, bool before)
{
    if ((point.phase & phases) == 0 || point.before != before)
        return;
    kill(getpid(), SIGKILL);
    pause();
}

void crash_before(unsigned phases)
{
    crash(phases, true);
}

void crash_after(unsigned phases)
{
    crash(phases, false);
}
