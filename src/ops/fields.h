/*
 * fields.h - objects that the replies of several nouns show.
 */
#ifndef OPS_FIELDS_H
#define OPS_FIELDS_H

#include "ops/op.h"

extern const struct field chat_fields[];    /* a message of the squad chat */
extern const struct field outcome_fields[]; /* {source, by, at}: how a wait ended */

#endif
