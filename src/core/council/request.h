/*
 * request.h - what a model is told for a turn: who it is, what was said, what is asked of it.
 */
#ifndef CORE_COUNCIL_REQUEST_H
#define CORE_COUNCIL_REQUEST_H

#include "core/council/machine.h"

/* Fills in system, user, stops and send_stops of a call. */
CHECKED bool request_build(struct machine *machine, const struct open_turn *turn, struct turn_call *call);
/* By which rules its reply is cut. */
struct reply_rules request_rules(const struct machine *machine, const struct open_turn *turn);

#endif
