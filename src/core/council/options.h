/*
 * options.h - what a discussion was asked to do beside speaking: vote, stop early, keep within a budget.
 *
 * {vote: {choices, rule}, agreement_threshold, smart_termination: off|on|shadow, judge, rehearse, context,
 * budget: {calls, tokens, seconds}}. They are checked when a discussion is made and stored in one form, so
 * that reading them back cannot fail.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_OPTIONS_H
#define CORE_COUNCIL_OPTIONS_H

#include "core/council/ending.h"
#include "core/council/vote.h"

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
void options_read(struct arena *arena, const char *stored, struct council_options *options);

#endif
