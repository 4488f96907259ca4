/*
 * complete.h - what may follow the words of a command line that is being typed.
 *
 * Answers are lines: a word, a tab, and what it is. Those that only a server knows are named by what they
 * are, for whoever can ask one.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "base/buf.h"
#include "cli/cli.h"

/* What else may follow, which is looked up elsewhere. */
enum complete_also {
    COMPLETE_NOTHING,
    COMPLETE_WAITING,   /* the id of anything that waits */
    COMPLETE_QUESTIONS, /* of a question */
    COMPLETE_SETS,      /* of a set of open questions */
    COMPLETE_PROMPTS,
    COMPLETE_PROJECTS, /* a project's name */
    COMPLETE_AGENTS,   /* an agent's */
};

/* `words` are those behind the program's name; the last, which may be empty, is the one being typed. */
enum complete_also complete(const struct cli *cli, const char *const words[], size_t count, struct buf *into);
/* One line, if the word begins with what was typed so far. */
void complete_add(const char *typed, const char *word, const char *help, struct buf *into);

#endif
