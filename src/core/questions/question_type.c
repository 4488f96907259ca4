#include "core/questions/question_type.h"

#include "base/buf.h"

enum { GIVES_ADVICE, GIVES_CONSENT };

const char *const question_types[] = { QUESTION_TYPES(QUESTION_TYPE_WORD) NULL };
WORDS_FIT(question_types, QUESTION_TYPE_END);

#define TRAITS(name, word, waits, answer, minutes, kind, weight, text, meaning) \
    [QUESTION_##name] = { .blocks = (waits) != JOB_RUNNING, \
                          .consents = (answer) == GIVES_CONSENT, \
                          .waiting = (waits), \
                          .usual_ms = (minutes)*INT64_C(60000), \
                          .notification = (kind), \
                          .priority = (weight), \
                          .title = (text) },

const struct question_traits *question_traits(enum question_type type)
{
    static const struct question_traits traits[QUESTION_TYPE_END] = { QUESTION_TYPES(TRAITS) };

    return &traits[type];
}

const char *question_types_that_block(struct arena *arena)
{
    BUF_AUTO words = { 0 };

    for (enum question_type type = 1; type < QUESTION_TYPE_END; type++)
        if (question_traits(type)->blocks)
            buf_format(&words, " %s", question_type_word(type));
    buf_text(&words, " ");
    return arena_copy(arena, words.bytes, words.len);
}
