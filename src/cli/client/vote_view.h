/*
 * vote_view.h - how a vote came out, for people: who won, by which rule, with how many, and who was against.
 */
#ifndef CLI_CLIENT_VOTE_VIEW_H
#define CLI_CLIENT_VOTE_VIEW_H

#include "base/buf.h"

#include <jansson.h>

/* `vote` is what the API says of one: {rule, winner, tie, tally, agreed, dissent}. */
void vote_view(const json_t *vote, bool rehearsal, struct buf *into);

#endif
