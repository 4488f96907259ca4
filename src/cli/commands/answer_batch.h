/*
 * answer_batch.h - answers that are about to be given, from one command line.
 */
#ifndef CLI_COMMANDS_ANSWER_BATCH_H
#define CLI_COMMANDS_ANSWER_BATCH_H

#include "cli/client/invoke.h"

#define BATCH_MAX 2000

/* One answer to give. */
struct answer {
    const char *id;
    const char *word; /* what was typed for it */
    json_t *question; /* as the server shows it */
    json_t *response; /* what will be sent */
};

struct batch {
    struct cli *cli;
    const char *word; /* for all that have none of their own, or NULL */
    bool typed_here;  /* the question was shown and its answer typed at the terminal */
    bool left_out;    /* one or more could not be answered, and the rest was */
    struct answer answers[BATCH_MAX];
    size_t count;
};

/* How an answer names its question, in one line: the short id, and what is asked. */
const char *answer_names(struct arena *arena, const struct answer *answer);

/* Shows them all, asks once whether to go on, and gives them; the exit code. */
int answer_many(struct batch *batch);

#endif
