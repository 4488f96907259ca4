/*
 * cast.h - who speaks when a discussion names nobody: a few agents of a kind that is always there.
 *
 * They are agents as any other. Those that the workspace does not have are made, under names that people know
 * them by; after that they can be changed and deleted like all others.
 */
#ifndef CORE_COUNCIL_CAST_H
#define CORE_COUNCIL_CAST_H

#include "core/council/participant.h"

enum cast { CAST_SPECIALISTS = 1, CAST_MODERATOR, CAST_END };
WORDS_OF(cast, council_casts);

#define CAST_MOST 3

struct cast_seats {
    struct participant list[CAST_MOST]; /* with system_prompt and model_config */
    const char *made[CAST_MOST];        /* those whose agents were made just now */
    size_t count, made_count;
};

CHECKED bool cast_seat(const struct tx *tx, enum cast cast, struct cast_seats *seats);
/* The names of those who were made. */
void cast_write_made(const struct cast_seats *seats, const char *key, struct json_out *out);

#endif
