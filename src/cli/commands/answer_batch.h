/*
 * answer_batch.h - answers that are about to be given, from one command line.
 */
#ifndef CLI_COMMANDS_ANSWER_BATCH_H
#define CLI_COMMANDS_ANSWER_BATCH_H

#include "cli/client/invoke.h"

#define BATCH_MAX 2000

/* One answer to give. */
struct cli_answer {
    const char *id;
    const char *word; /* what was typed for it */
    json_t *question; /* as the server shows it */
    json_t *response; /* what will be sent */
};

struct answer_batch {
    struct cli *cli;
    const char *word; /* for all that have none of their own, or NULL */
    bool several;     /* they are shown together, and each gets its own result */
    bool typed_here;  /* the question was shown and its answer typed at the terminal */
    int left_out;     /* the exit code for those that could not be answered; 0: all could */
    struct cli_answer answers[BATCH_MAX];
    size_t count;
};

/* Adds what a number, a short id or an id names, with the answer to it or NULL. */
CHECKED bool batch_add(struct answer_batch *batch, const char *name, const char *word, struct err *err);
/* Those of standard input: a line is an id or number, and what follows it the answer. */
CHECKED bool batch_add_lines(struct answer_batch *batch, struct err *err);
/* All open questions that --filter lets pass. */
CHECKED bool batch_add_filtered(struct answer_batch *batch, struct err *err);

/* How an answer names its question, in one line: the short id, and what is asked. */
const char *answer_names(struct arena *arena, const struct cli_answer *answer);

/* Shows them all, asks once whether to go on, and gives them; the exit code. */
int answer_many(struct answer_batch *batch);

#endif
