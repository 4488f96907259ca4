/*
 * A wait whose subject changes all the time, with the log and the door played by the test: every look
 * is overtaken by an event.
 */
#include "base/clock.h"
#include "edge/wait.h"
#include "tests/support/patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define SUBJECT "hot"

static tailer_subscriber *listener;
static void *listener_user;
static atomic_int looks, late_looks;
static atomic_bool over;
static int64_t time_is_up_ms;

void tailer_subscribe(struct tailer *tailer, tailer_subscriber *called, void *user)
{
    (void)tailer;
    listener = called;
    listener_user = user;
}

static void an_event_comes(void)
{
    struct notice notice = { .subject = SUBJECT };
    struct notice *batch[] = { &notice };

    listener(listener_user, batch, 1);
}

/* Not ended, and while it looked the subject changed again. */
static void look(void *user, struct wait *wait)
{
    (void)user;
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    atomic_fetch_add(&looks, 1);
    if (clock_ticks_ms() > time_is_up_ms + 50)
        atomic_fetch_add(&late_looks, 1);
    an_event_comes();
    if (atomic_load(&late_looks) > 1000 || wait_looked(wait, false))
        atomic_store(&over, true);
}

static void a_hot_subject_is_not_held_past_its_time(void **state)
{
    static const struct wait_door door = { .look = look };
    struct waits *waits = waits_new(NULL);
    struct credentials nobody = { 0 };
    struct wait *wait;

    (void)state;
    time_is_up_ms = clock_ticks_ms() + 1000;
    wait = wait_new(waits, &door, NULL, SUBJECT, &nobody, 1);
    assert_false(wait_looked(wait, false));
    an_event_comes();
    for (int i = 0; i < PATIENCE_MS && !atomic_load(&over); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_true(atomic_load(&over));
    assert_true(atomic_load(&looks) > 1);
    assert_true(atomic_load(&late_looks) <= 1000);
    assert_int_equal(waits_count(waits), 0);
    waits_free(waits);
    wait_forget(wait);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_hot_subject_is_not_held_past_its_time) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
