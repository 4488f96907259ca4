/*
 * attendance.h - did those speak who sit there, and in their order?
 *
 * What was said is held against the seats: each turn and ballot bears the name and the role of its seat, a
 * person's the role alone, since any person may take it; what judges and sums up bears its own. In the modes
 * in which one speaks after the other each turn stands at the place behind the one before it.
 */
#ifndef CORE_COUNCIL_RULES_ATTENDANCE_H
#define CORE_COUNCIL_RULES_ATTENDANCE_H

#include "core/council/rules/logged.h"

/* A sentence about what is wrong with this row, or NULL. */
const char *attendance_of_row(struct arena *arena, const struct seating *seating, const struct logged *row);
/* Or with its place, when it should be `at`; which is then moved behind it. */
const char *attendance_of_place(struct arena *arena, const struct seating *seating, const struct logged *row,
                                struct slot *at);

#endif
