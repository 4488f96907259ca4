/*
 * util.h - what all bench programs share: a clock, a way to stop, latencies, and limits of the process.
 *
 * These programs are run by hand or by bench/run; whatever goes wrong ends them with a sentence on stderr
 * and exit code 1, so that a figure is never printed from a run that broke.
 *
 * Thread: everything here may be called from any thread; a `struct hist` belongs to one thread.
 */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#include <stddef.h>
#include <stdint.h>

/* 64 steps per doubling keep a percentile within 1.6 % of the truth, up to about 70 minutes. */
#define HIST_STEPS 64
#define HIST_SIZE  ((size_t)(37 * HIST_STEPS))

struct hist {
    uint64_t count[HIST_SIZE];
    uint64_t total;
};

_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

uint64_t now_ns(void);
double seconds_since(uint64_t start_ns);

void *need_memory(size_t size);                  /* zeroed, never NULL */
char *read_whole(const char *path, size_t *len); /* adds a NUL; the caller frees */
long parse_count(const char *text);              /* a whole number above zero, or die */

/* Raises RLIMIT_NOFILE to hold this many sockets (the hard limit too, when run as root), or dies. */
void need_files(size_t sockets);

void hist_add(struct hist *hist, uint64_t ns);
double hist_ms(const struct hist *hist, double quantile);

#endif
