/*
 * clock.h - the one clock.
 *
 * Deadlines, leases, expiries and time stamps all read it. It is the database's time as last heard,
 * carried forward by CLOCK_BOOTTIME, plus an offset that tests move. It never goes back while a process
 * lives; core/upkeep/timekeeping.h says what holds when the database's own clock is moved. Socket timers do
 * not use it.
 *
 * Thread: any; it is one set of atomics.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_TEXT_SIZE sizeof("2026-01-31T12:00:00.000Z")

int64_t clock_now_ms(void);
/* Real elapsed milliseconds that no test moves: for socket timers, back-off and measuring. */
int64_t clock_ticks_ms(void);
int64_t clock_ticks_us(void);
/* The moment so far from now, for pthread_cond_timedwait on a condition that counts by CLOCK_MONOTONIC. */
struct timespec clock_moment_after(int64_t ms);
/*
 * What the database says the time is (without offset). The first call replaces this machine's own time.
 * After it, small differences are slewed and large ones step forward; time is never stepped back. Returns how
 * far the database's time has moved since the call before, beyond what has passed: 0 the first time.
 */
int64_t clock_follow(int64_t db_now_ms);
/* Lets the time be at least this, and returns by how much it was raised. The database's time is approached
 * from there. */
int64_t clock_raise(int64_t least_ms);
int64_t clock_offset_ms(void);
void clock_set_offset_ms(int64_t offset_ms);

void clock_format(int64_t ms, char text[static CLOCK_TEXT_SIZE]);
char *clock_text(struct arena *arena, int64_t ms);
/* RFC 3339 with any offset, in the years 1 to 9999; false for anything else. */
bool clock_parse(const char *text, int64_t *ms);
/* The same; 0 for NULL, and for what is no time. */
int64_t clock_ms(const char *text);

#endif
