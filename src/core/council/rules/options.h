/*
 * options.h - what a discussion was asked to do beside speaking: vote, stop early, keep within a budget.
 *
 * {vote: {choices, rule}, agreement_threshold, smart_termination: off|on|shadow, judge, rehearse, context,
 * budget: {calls, tokens, seconds}}. They are checked when a discussion is made and stored in one form, so
 * that reading them back cannot fail.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_RULES_OPTIONS_H
#define CORE_COUNCIL_RULES_OPTIONS_H

#include "core/council/rules/ending.h"
#include "core/council/rules/vote.h"

struct council_options {
    const char **choices; /* what is voted for */
    size_t choice_count;  /* 0: there is no vote */
    enum vote_rule rule;
    struct threshold threshold;
    enum smart_mode smart;
    bool judge;          /* a model is asked after each round whether more is to come */
    bool rehearse;       /* nobody's model is called: everybody speaks by the script */
    const char *context; /* what speakers are told beside the topic, or NULL */
    struct allowance budget;
};

/* Checks what was given (NULL: nothing) and writes the stored form. err->field names the member. */
CHECKED bool options_check(struct arena *arena, const json_t *given, const char **stored, struct err *err);
/* Both as they are stored: its own, with the budget of the discussion that it is split off from; each of its
 * limits holds, unless its own is tighter. */
const char *options_within(struct arena *arena, const char *own, const char *parents);
/* `threshold`: what holds where the discussion has none of its own, as threshold_parse reads it. */
void options_read(struct arena *arena, const char *stored, const char *threshold,
                  struct council_options *options);

#endif
