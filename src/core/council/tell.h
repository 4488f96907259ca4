/*
 * tell.h - the events of discussions.
 *
 * Each is appended in the transaction of what it tells of. Those about a turn have the turn as their subject,
 * the others the discussion: waits hear when it rests or ends, and are not woken by each turn.
 */
#ifndef CORE_COUNCIL_TELL_H
#define CORE_COUNCIL_TELL_H

#include "core/council/logged_rows.h"
#include "core/council/open_turn.h"

CHECKED bool tell_created(const struct tx *tx, const struct discussion *discussion);
CHECKED bool tell_message(const struct tx *tx, const struct discussion *discussion,
                          const struct logged *logged);
CHECKED bool tell_interjected(const struct tx *tx, const struct discussion *discussion,
                              const struct logged *logged);
CHECKED bool tell_started(const struct tx *tx, const struct discussion *discussion,
                          const struct open_turn *turn);
CHECKED bool tell_waiting(const struct tx *tx, const struct discussion *discussion,
                          const struct open_turn *turn);
CHECKED bool tell_finished(const struct tx *tx, const struct discussion *discussion,
                           const struct open_turn *turn, const struct logged *logged);
CHECKED bool tell_round(const struct tx *tx, const struct discussion *discussion, int round,
                        size_t contributions, size_t passes);
/* `vote` is a JSON object's text. */
CHECKED bool tell_vote(const struct tx *tx, const struct discussion *discussion, int round, const char *vote);
/* It has come to rest: somebody has to speak, or to end another discussion, before it goes on. */
CHECKED bool tell_resting(const struct tx *tx, const struct discussion *discussion, const char *next_speaker);
CHECKED bool tell_paused(const struct tx *tx, const struct discussion *discussion);
CHECKED bool tell_resumed(const struct tx *tx, const struct discussion *discussion);
CHECKED bool tell_ended(const struct tx *tx, const struct discussion *discussion);

#endif
