/*
 * label.h - the label under which somebody speaks, at the start of a line: "[Name]:", "Name:", "[Round 2]
 * Name:", also in bold, and "[Name]" without a colon.
 */
#ifndef CORE_COUNCIL_RULES_LABEL_H
#define CORE_COUNCIL_RULES_LABEL_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>

#define LABEL_MOST \
    ((size_t)(LIMIT_NAME * 4 + 32)) /* bytes of a label, with all that may stand around the name */

enum label_match {
    LABEL_NOT,
    LABEL_MAYBE, /* the text ends before it can be told */
    LABEL_IS,
};

/* Whether the line begins with the label of this name, which then takes *len bytes. `bare`: "Name:" is one.
 */
enum label_match label_match(const char *line, const char *name, bool bare, size_t *len);
/* Bytes of a label in brackets at the start of the text, whoever's it is; 0: there is none. */
size_t label_bracketed(const char *text);

#endif
