/*
 * invoke.h - asks a running server for an operation of the table.
 *
 * Parameters are collected in a JSON object by name, converted to the type the row says; what goes into the
 * path, the query and the body is the row's decision.
 */
#ifndef CLI_CLIENT_INVOKE_H
#define CLI_CLIENT_INVOKE_H

#include "base/json.h"
#include "cli/client/client.h"

/* Adds a value as people write it: "3", "true", "a,b", JSON. */
CHECKED bool invoke_set(const struct op *op, json_t *params, const char *name, const char *text,
                        struct err *err);
/* Adds what the command line gave for each parameter of the command's row. */
CHECKED bool invoke_collect(const struct cli *cli, json_t *params, struct err *err);

/* Where the server did not find what this option names, the error says so; returns false, as errors do. */
bool invoke_unknown(const struct cli *cli, const char *option, struct err *err);

#define INVOKE_AT_ONCE (-1)

/*
 * Asks, with `wait` seconds of patience where the operation can be waited for; 0: as the operation does by
 * itself, INVOKE_AT_ONCE: the reply is not held back, even if it usually is.
 */
CHECKED bool invoke(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
                    struct client_reply *reply, struct err *err);
/*
 * As invoke, and a reply that says no is a failure too. With patience (patience.h) a server that is away is
 * waited for, and `wait_s` is then left out once, to hear soon that it is back. The caller json_decrefs *out;
 * NULL: the reply need not be JSON.
 */
CHECKED bool invoke_json(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
                         struct client_reply *reply, json_t **out, struct err *err);

/* The reply as it came, with a line end; or, for people, indented. */
int invoke_print(const struct cli *cli, const struct client_reply *reply, bool indented);

#endif
