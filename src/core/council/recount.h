/*
 * recount.h - the ballots of a discussion, counted under every rule.
 *
 * Which rule decided is the discussion's own (options.h). What the same ballots say under the others is for
 * those who wonder whether the rule made the difference; nothing is changed by looking.
 */
#ifndef CORE_COUNCIL_RECOUNT_H
#define CORE_COUNCIL_RECOUNT_H

#include "core/council/discussion.h"

/* {round, ballots, counts} of its last vote; round is null and the lists are empty when it has not voted. */
CHECKED bool recount_write(const struct tx *tx, struct discussion *discussion, struct json_out *out);

#endif
