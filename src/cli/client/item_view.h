/*
 * item_view.h - one thing of the inbox, whole: a question, a set of open questions, a prompt or a turn,
 * whichever it is.
 */
#ifndef CLI_CLIENT_ITEM_VIEW_H
#define CLI_CLIENT_ITEM_VIEW_H

#include "cli/client/invoke.h"
#include "cli/term.h"

/* What is asked about, as the list knows it; .item is NULL when it is not waiting any more. */
struct item_subject {
    const char *id;
    const json_t *item;
};

/* How a kind is read and written. */
struct item_kind {
    const char *type; /* NULL: any question */
    const char *noun; /* "a set of open questions" */
    const char *op;
    void (*write)(struct term *term, const json_t *found, int64_t now_ms);
    /* The command that answers it, with what is to be typed: "witan answer 3f2a9c1d --approve". */
    const char *(*how)(struct arena *arena, const char *id, const json_t *found);
};

/* The types of what is no question; ends with NULL. */
extern const char *const item_other_types[];

const struct item_kind *item_kind_of(const json_t *item); /* NULL: a question */
const struct item_kind *item_kind_prompt(void);

/* The command that answers it, by its short id. */
const char *item_how(struct arena *arena, const struct item_subject *subject, const struct item_kind *kind,
                     const json_t *found);
/* All of it for people, with the command that answers it while it is open. */
void item_write(struct term *term, const struct item_subject *subject, const struct item_kind *kind,
                const json_t *found, int64_t now_ms);
/* Whether it still waits for somebody. */
bool item_is_open(const struct item_kind *kind, const json_t *found);

struct item_whole {
    struct client_reply reply;
    json_t *found; /* the caller json_decrefs it */
};
CHECKED bool item_read(struct cli *cli, const struct item_subject *subject, const struct item_kind *kind,
                       struct item_whole *whole, struct err *err);

#endif
