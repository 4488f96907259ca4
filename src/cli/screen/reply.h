/*
 * reply.h - what a key answers to the thing that is shown.
 */
#ifndef CLI_SCREEN_REPLY_H
#define CLI_SCREEN_REPLY_H

#include "cli/client/item_reply.h"
#include "cli/screen/keys.h"

enum reply_need {
    REPLY_READY, /* the words are there */
    REPLY_TYPE,  /* somebody has to type them; `prompt` says what for */
    REPLY_NOT,   /* the key means nothing here; err says what does */
};
enum reply_need reply_to(struct arena *arena, const struct subject *subject, struct deed deed,
                         const char **words, struct err *err);

#endif
