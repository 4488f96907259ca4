/*
 * budget_ask.h - whether a discussion may ask a model once more, by its rows and the rule (rules/budget.h).
 *
 * A call is taken off the budget before it is made: turns that are in line or out are rows, and are counted
 * with what was used, by one asker at a time. So however many are asked at once, and on however many nodes,
 * no more calls reach models than were allowed; each further attempt is asked for as the first was. A call
 * that was out when its node died counts as made.
 */
#ifndef CORE_COUNCIL_BUDGET_ASK_H
#define CORE_COUNCIL_BUDGET_ASK_H

#include "core/council/machine.h"
#include "core/council/rules/budget.h"

/* `again`: one that is out already, and is about to be made or to be made once more; or NULL. */
CHECKED bool budget_look(struct machine *machine, const struct open_turn *again, struct budget_look *look);
/* The verdict on such a look; without limits nothing is looked at. */
CHECKED bool budget_ask(struct machine *machine, const struct open_turn *again, enum budget_left *left);

#endif
