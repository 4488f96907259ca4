/*
 * item_reply.h - the answer to anything that waits, in words.
 *
 * Words are what `witan answer` takes: approve, yes, the value of an option, or a text. A set of questions is
 * answered one at a time, the first that has no answer; a prompt in the name of whoever answers; a turn is
 * spoken, or passed with the word "pass".
 */
#ifndef CLI_CLIENT_ITEM_REPLY_H
#define CLI_CLIENT_ITEM_REPLY_H

#include "cli/client/item_view.h"

#define ITEM_PASS "pass"

/* One thing, as the list knows it and whole. */
struct subject {
    struct item_subject of;
    const struct item_kind *kind;
    const json_t *found;
};

enum item_sort { ITEM_QUESTION, ITEM_SET, ITEM_PROMPT, ITEM_TURN };
enum item_sort item_sort_of(const struct item_kind *kind);
/* Whether it is answered by a yes or a no. */
bool item_is_yes_or_no(const struct subject *subject);

/* Whether these words can be the answer. What was typed is judged before it is sent. */
CHECKED bool item_reply_check(struct arena *arena, const struct subject *subject, const char *words,
                              struct err *err);
/* Sends them; `said` is what to tell whoever answered, *reply what the server said. */
CHECKED bool item_reply_send(struct cli *cli, const struct subject *subject, const char *words,
                             struct client_reply *reply, const char **said, struct err *err);

#endif
