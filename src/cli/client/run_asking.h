/*
 * run_asking.h - puts what a run asks to the person at the terminal, while it is being followed.
 *
 * One question at a time is shown whole, with a line to type behind it; nothing waits for that line, so that
 * what happens meanwhile is shown and a question that somebody else has answered is withdrawn. An approval
 * shows the arguments, which can be edited before they are approved: with the word "edit", in the editor of
 * $VISUAL or $EDITOR, or as a JSON object that is typed. Only the words that stand at the line decide.
 *
 * Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_RUN_ASKING_H
#define CLI_CLIENT_RUN_ASKING_H

#include "cli/client/invoke.h"

struct run_asking {
    struct cli *cli;
    FILE *terminal;   /* whatever the program's own ends are; NULL: nobody is asked here */
    int fd;           /* the terminal's, or -1 */
    bool asked;       /* a line was wanted here: what is typed may be meant for a question */
    json_t *question; /* the one that stands there, or NULL */
    json_t *args;     /* of an approval: what is approved instead of what was proposed, or NULL */
    json_t *told;     /* the ids of those that were told of, or left to others */
};

/* `asks`: whether somebody is to be asked here, if there is a terminal. */
void run_asking_open(struct run_asking *asking, struct cli *cli, bool asks);
void run_asking_close(struct run_asking *asking);

/* What is open now, of the questions of the job: withdraws what has ended, and asks or tells of the next. */
void run_asking_offer(struct run_asking *asking, const json_t *questions);
/* Something else was shown where the line was to be typed: the prompt stands there once more. */
void run_asking_again(struct run_asking *asking);
/* Whether a line is waited for. */
bool run_asking_waits(const struct run_asking *asking);
/* Takes a line that was typed, if there is one. */
void run_asking_hear(struct run_asking *asking);

#endif
