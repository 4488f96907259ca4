/*
 * source.h - what agents work on and ask about.
 *
 * Thread: any.
 */
#ifndef CORE_WORK_SOURCE_H
#define CORE_WORK_SOURCE_H

#include "base/words.h"

enum work_source {
    SOURCE_EVAL = 1, /* feedback */
    SOURCE_PRD,      /* a section of the PRD */
    SOURCE_PLAN,
    SOURCE_EXECUTE, /* a task */
    SOURCE_END,
};
WORDS_OF(work_source, work_sources);

#endif
