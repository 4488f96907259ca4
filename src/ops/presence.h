/*
 * presence.h - what the operations and the event about who is here have in common.
 */
#ifndef OPS_PRESENCE_H
#define OPS_PRESENCE_H

#include "ops/op.h"

/* Who is here, and hears who is: people. */
#define ROLES_PRESENT (ROLES_READ & ~ROLE_AGENT)

extern const struct field presence_changed_fields[];

#endif
