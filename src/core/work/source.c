#include "core/work/source.h"

const char *const work_sources[] = { "eval", "prd", "plan", "execute", NULL };
WORDS_FIT(work_sources, SOURCE_END);
