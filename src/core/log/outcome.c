#include "core/log/outcome.h"

const char *const outcome_sources[] = { "human",  "agents", "default",   "timeout",
                                        "policy", "forced", "cancelled", NULL };
WORDS_FIT(outcome_sources, OUTCOME_END);
