/*
 * confirmation.h - which questions only ask whether somebody is sure.
 *
 * About one feedback the analyst may ask that once: an answered "are you sure" that is followed by "are you
 * really sure" wears people down until they say yes without reading. A question is a confirmation when
 *
 *   its entry in the result carries "confirmation": true, or
 *   the words are, you and sure (or certain) stand within eight words of each other, in any order, or
 *   it says "can, could or do you confirm" or "please confirm", or
 *   it is nothing but "is that (this) correct (right)", "confirm" or "shall I go ahead".
 *
 * Case, spaces and marks do not count. Whatever the rule finds after the first is refused.
 */
#ifndef CORE_WORK_CONFIRMATION_H
#define CORE_WORK_CONFIRMATION_H

#include "output/output.h"

bool confirmation_is(struct arena *arena, const struct output_question *question);

#endif
