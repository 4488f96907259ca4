/*
 * A handler only notes the first signal and takes itself back out (SA_RESETHAND), so that the second one does
 * what it always does: ends the program.
 */
#include "cli/client/interrupt.h"

#include <signal.h>
#include <time.h>

#define NAP_MS 50 /* how long a signal may go unnoticed during a pause */

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    if (!caught)
        caught = number;
}

static void catch_one(int number)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND }, before;

    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void interrupt_catch(void)
{
    catch_one(SIGINT);
    catch_one(SIGTERM);
    catch_one(SIGHUP);
}

void interrupt_forget(void)
{
    caught = 0;
    interrupt_catch();
}

bool interrupted(void)
{
    return caught != 0;
}

bool interrupted_by_person(void)
{
    return caught == SIGINT;
}

int interrupt_exit(void)
{
    return CLI_SIGNALLED + caught;
}

void interrupt_pause(int64_t ms)
{
    struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };

    for (int64_t slept = 0; slept < ms && !interrupted(); slept += NAP_MS)
        nanosleep(&nap, NULL);
}

bool interrupt_pulse(struct cli *cli)
{
    (void)cli;
    return !interrupted();
}

bool interrupt_pulse_asking(struct cli *cli)
{
    (void)cli;
    return !interrupted() || interrupted_by_person();
}
