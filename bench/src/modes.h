/*
 * modes.h - what the load generator can do. Each mode runs to its end and prints one line of JSON (idle
 * prints one per command). A mode returns the exit code: 0 unless something broke or was lost.
 */
#ifndef BENCH_MODES_H
#define BENCH_MODES_H

#include "net.h"
#include "request.h"

#include <stddef.h>

struct options {
    struct target target;
    struct request request; /* what every connection sends */
    struct request publish; /* sse: what the publisher posts */
    size_t connections;
    size_t count; /* requests (or messages) in all; 0: run for `seconds` */
    double seconds;
    double warmup;        /* not counted */
    const char *pick;     /* post: write the id of each prompt or question made to this file */
    char *const *command; /* first: the server to start */
    const char *sample;   /* sse: write the first event's data to this file */
};

int mode_once(const struct options *options);   /* one request; the reply as it came on stdout */
int mode_closed(const struct options *options); /* each connection sends its next request after its reply */
int mode_sse(const struct options *options);    /* subscribers of one stream, and one publisher */
int mode_first(
    const struct options *options); /* starts a server, times its first answer, leaves it running */
int mode_idle(
    const struct options *options); /* holds connections, obeys `reset`, `close`, `state` on stdin */

int mode_ask(const struct options *options);    /* questions, each asked, awaited and answered */
int mode_answer(const struct options *options); /* holds a wait for each question, then answers them all */

#endif
