/*
 * ask_wait.h - waits for a question's end, whatever happens to the server meanwhile.
 */
#ifndef CLI_CLIENT_ASK_WAIT_H
#define CLI_CLIENT_ASK_WAIT_H

#include "cli/client/invoke.h"

enum ask_waited {
    ASK_ENDED,
    ASK_INTERRUPTED,
    ASK_FAILED,
};

/*
 * Asks again and again until the question has ended, or a signal comes (interrupt.h). A server that is away
 * is waited for with cli->patience_ms: the question is a row, and still there when it is back. *question is
 * json_decref'ed by the caller; err is filled in for ASK_FAILED only.
 */
enum ask_waited ask_wait(struct cli *cli, const char *id, json_t **question, struct err *err);
/* How a wait that has not ended is told: that it stays open, and the command that waits for it again. */
void ask_left_open(struct cli *cli, const char *id);

/*
 * Sends a request that asks somebody, under one key, so that it is asked once however often it is sent.
 * Ctrl-C waits for the reply: without an id there would be nothing to cancel. When it fails for a reason that
 * may pass, or by a signal, the command that goes on is printed. As invoke_json otherwise.
 */
CHECKED bool ask_send(struct cli *cli, const struct op *op, const json_t *params, struct client_reply *reply,
                      json_t **made, struct err *err);
/* The exit code when there was nothing to wait for yet: the error's, or the signal's. */
int ask_not_sent(struct cli *cli, const struct err *err);

#endif
