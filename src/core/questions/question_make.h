/*
 * question_make.h - from what an agent wishes to ask to a question that can be asked.
 *
 * For question_ask.c only. Everything is checked here, before anything is written.
 */
#ifndef CORE_QUESTIONS_QUESTION_MAKE_H
#define CORE_QUESTIONS_QUESTION_MAKE_H

#include "core/questions/question.h"
#include "core/questions/question_row.h"

struct asking {
    const struct tx *tx;
    struct question_wish wish; /* with what the template adds */
    struct question *question; /* being made */
};

/* The question's own values win over the template's. `filled` must live as long as the wish. */
void question_take_template(struct question_wish *wish, const json_t *filled);
/* Fills in asking->question for this job, or says which field is wrong. */
CHECKED bool question_make(struct asking *asking, const struct job *job);

#endif
