/*
 * conclusion.h - what a discussion came to, in plain words: the summary that was asked for at its end, or
 * what was said last; the vote; whoever disagreed.
 */
#ifndef CORE_COUNCIL_RULES_CONCLUSION_H
#define CORE_COUNCIL_RULES_CONCLUSION_H

#include "base/json.h"
#include "core/council/rules/logged.h"

struct conclusion {
    struct logs log;      /* all of it */
    int round;            /* the last that was held */
    enum council_end end; /* which it has come to, or is on its way to */
    const json_t *vote;   /* as vote_write has it; NULL: there was none */
};

const char *conclusion_text(struct arena *arena, const struct conclusion *of);

#endif
