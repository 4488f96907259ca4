/*
 * answer_shape.h - answers that must have a shape: the args of an approval that were changed, and forms.
 *
 * An action may say by a JSON Schema what its args must be (`inputSchema`), and the context of a question
 * that is answered by a text what that text must be (`answerSchema`): a form of one text is answered by that
 * text as it is, any other by JSON.
 *
 * Thread: any; nothing is kept.
 */
#ifndef CORE_QUESTIONS_ANSWER_SHAPE_H
#define CORE_QUESTIONS_ANSWER_SHAPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#define ACTION_SCHEMA  "inputSchema"
#define CONTEXT_SCHEMA "answerSchema"

/* Whether a member of what is asked is a schema, where it is there. `field` is where it stands. */
CHECKED bool answer_shape_is_schema(const json_t *of, const char *member, const char *field, struct err *err);
/* Whether changed args fit. `schema` may be NULL: everything does. */
CHECKED bool answer_shape_args(struct arena *arena, const json_t *schema, const json_t *args,
                               const char *field, struct err *err);
/* What a text says of a form; the caller json_decrefs it. */
CHECKED bool answer_shape_form(struct arena *arena, const json_t *schema, const char *text, const char *field,
                               json_t **filled, struct err *err);

#endif
