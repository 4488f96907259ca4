/*
 * item_ref.h - what a word on the command line stands for: anything that `witan inbox` lists, or has listed.
 *
 * A word is a number of this terminal, the end of an id, or an id (question_ref.h). What it names is a
 * question, a set of open questions, a prompt or a turn; it is found whichever it is, also after its end.
 */
#ifndef CLI_CLIENT_ITEM_REF_H
#define CLI_CLIENT_ITEM_REF_H

#include "cli/client/item_view.h"

struct item_ref {
    struct item_subject of; /* .item is owned */
    const struct item_kind *kind;
    struct item_whole whole; /* .found is owned */
};

/* ERR_NOT_FOUND when there is no such thing; ERR_CONFLICT when this terminal has shown it and it is gone. */
CHECKED bool item_ref_find(struct cli *cli, const char *word, struct item_ref *ref, struct err *err);
void item_ref_done(struct item_ref *ref);

/*
 * The id that the end of one stands for, among everything that waits; and, where that has none, among what
 * this terminal has shown and the questions that ended last.
 */
CHECKED bool item_ref_tail(struct cli *cli, const char *tail, const char **id, struct err *err);

/* Puts the id in the place of the argument `name`, which may be a number or the end of one. */
CHECKED bool item_ref_argument(struct cli *cli, const char *name, struct err *err);

/*
 * After a command for things of one kind (`wanted`, as item_kind.type) found none: where the id is that of
 * another kind, err says of which and how that is answered. Returns false, as errors do.
 */
bool item_ref_other(struct cli *cli, const char *id, const char *wanted, struct err *err);

#endif
