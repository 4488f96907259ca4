/*
 * retry.h - whether a call is tried again, and when.
 *
 * Thread: any; all of it is arithmetic.
 */
#ifndef LLM_RETRY_H
#define LLM_RETRY_H

#include "llm/llm.h"

struct retry {
    enum llm_kind kind;     /* how the last attempt ended */
    int status;             /* of its HTTP reply; 0: none */
    int attempts;           /* so far */
    int64_t retries;        /* how many more than one there may be */
    int64_t retry_after_ms; /* what the server asked for; -1: nothing */
    int64_t left_ms;        /* of the time for the whole call */
    uint32_t random;        /* any number: of what the pause is made less regular */
};

/* The pause before the next attempt; -1: there is none. */
int64_t retry_pause_ms(const struct retry *retry);
/* A Retry-After header: seconds, or a date. -1 for NULL and for what is neither. `now_s` is the time of day.
 */
int64_t retry_after_ms(const char *header, int64_t now_s);

#endif
