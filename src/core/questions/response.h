/*
 * response.h - whether an answer fits its question.
 *
 * A response is {type, value, text?, args?}. What is stored is always in one form: the type is there, a
 * choice carries its option's value even when it was named by id, and texts are free of control characters.
 */
#ifndef CORE_QUESTIONS_RESPONSE_H
#define CORE_QUESTIONS_RESPONSE_H

#include "base/json.h"
#include "core/questions/question.h"

/* The question's side of an answer. */
struct response_rules {
    enum response_type response_type;
    const json_t *options; /* checked ones, or NULL */
    bool allow_other;
    bool has_action;           /* only then args mean something */
    const json_t *args_schema; /* of the action, or NULL (answer_shape.h) */
    const json_t *form;        /* what a text must be, or NULL */
};

struct response {
    const char *json;    /* as it is stored */
    const char *summary; /* in one line, for the log */
    const char *args;    /* an approval with these instead, or NULL */
    bool is_true;        /* approved, or a plain true */
    bool is_false;       /* rejected, or a plain false */
};

/* `field` is named when it does not fit. */
CHECKED bool response_check(struct arena *arena, const struct response_rules *rules, const json_t *value,
                            const char *field, struct response *response, struct err *err);
/* Whether an answer to this question fits it. */
CHECKED bool response_check_of(struct arena *arena, const struct question *question, const json_t *value,
                               struct response *response, struct err *err);
/*
 * Checks options and puts them into one form: each has id, label, value and, where given, description.
 * Those without an id get o1, o2 and so on.
 */
CHECKED bool response_options(struct arena *arena, const json_t *options, const char *field,
                              const char **checked, struct err *err);
/* A stored response in one line. */
const char *response_summary(struct arena *arena, const char *json);
/* The stored form of any JSON that people will read: texts without control characters. NULL stays NULL. */
const char *response_clean(struct arena *arena, const json_t *value);

#endif
