#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

void die(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("bench: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

double seconds_since(uint64_t start_ns)
{
    return (double)(now_ns() - start_ns) / 1e9;
}

void *need_memory(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    if (!memory)
        die("out of memory for %zu bytes", size);
    return memory;
}

char *read_whole(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16, used = 0, got;
    char *text = need_memory(room + 1);

    if (!file)
        die("cannot open %s", path);
    while ((got = fread(text + used, 1, room - used, file)) > 0) {
        used += got;
        if (used < room)
            continue;
        room *= 2;
        text = realloc(text, room + 1);
        if (!text)
            die("out of memory reading %s", path);
    }
    if (ferror(file))
        die("cannot read %s", path);
    fclose(file);
    text[used] = '\0';
    if (len)
        *len = used;
    return text;
}

long parse_count(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < 1)
        die("'%s' is not a whole number above zero", text);
    return value;
}

void need_files(size_t sockets)
{
    struct rlimit limit;
    rlim_t wanted = sockets + 64;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        die("cannot read RLIMIT_NOFILE");
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    if (limit.rlim_max < wanted)
        limit.rlim_max = wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        die("%zu connections need a higher limit of open files: ulimit -n %zu", sockets, (size_t)wanted);
}

static size_t hist_slot(uint64_t ns)
{
    uint64_t us = ns / 100; /* steps of 0.1 us are finer than any request here */
    unsigned shift = 0;
    size_t slot;

    while ((us >> shift) >= 2 * (uint64_t)HIST_STEPS)
        shift++;
    slot = (size_t)shift * HIST_STEPS + (size_t)(us >> shift);
    return slot < HIST_SIZE ? slot : HIST_SIZE - 1;
}

void hist_add(struct hist *hist, uint64_t ns)
{
    hist->count[hist_slot(ns)]++;
    hist->total++;
}

double hist_ms(const struct hist *hist, double quantile)
{
    uint64_t wanted = (uint64_t)(quantile * (double)hist->total), seen = 0;
    size_t slot, shift;

    for (slot = 0; slot < HIST_SIZE; slot++) {
        seen += hist->count[slot];
        if (seen > wanted)
            break;
    }
    if (hist->total == 0 || slot == HIST_SIZE)
        return 0;
    shift = slot < 2 * (size_t)HIST_STEPS ? 0 : slot / HIST_STEPS - 1;
    return (double)((uint64_t)(slot - shift * HIST_STEPS) << shift) / 1e4;
}
