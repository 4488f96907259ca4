/*
 * ask_wait.h - waits for a question's end, whatever happens to the server meanwhile.
 *
 * Ctrl-C is caught from interrupt_catch on; a second one ends the program at once.
 */
#ifndef EDGE_CLI_ASK_WAIT_H
#define EDGE_CLI_ASK_WAIT_H

#include "edge/cli/invoke.h"

void interrupt_catch(void);
bool interrupted(void);

enum ask_waited {
    ASK_ENDED,
    ASK_INTERRUPTED,
    ASK_FAILED,
};

/*
 * Asks again and again until the question has ended. A server that is away is waited for `patience_ms`: the
 * question is a row, and still there when it is back. *question is json_decref'ed by the caller; err is
 * filled in for ASK_FAILED only.
 */
enum ask_waited ask_wait(struct cli *cli, const char *id, int64_t patience_ms, json_t **question,
                         struct err *err);

#endif
