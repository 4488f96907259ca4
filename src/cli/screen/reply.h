/*
 * reply.h - what a key or a typed line answers to the thing that is shown, and how it is sent.
 */
#ifndef CLI_SCREEN_REPLY_H
#define CLI_SCREEN_REPLY_H

#include "cli/client/item_view.h"
#include "cli/screen/keys.h"

/* One thing, as the list knows it and whole. */
struct subject {
    struct item_subject of;
    const struct item_kind *kind;
    const json_t *found;
};

enum reply_need {
    REPLY_READY, /* the words are there */
    REPLY_TYPE,  /* somebody has to type them; `prompt` says what for */
    REPLY_NOT,   /* the key means nothing here; err says what does */
};
enum reply_need reply_to(struct arena *arena, const struct subject *subject, struct deed deed,
                         const char **words, struct err *err);
/* Whether these words can be the answer. What was typed is judged before it is sent. */
CHECKED bool reply_check(struct arena *arena, const struct subject *subject, const char *words,
                         struct err *err);
/* Sends them; `said` is what to tell whoever answered. */
CHECKED bool reply_send(struct cli *cli, const struct subject *subject, const char *words, const char **said,
                        struct err *err);

#endif
