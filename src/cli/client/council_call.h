/*
 * council_call.h - starts discussions and does things to them, in the words of the command line.
 */
#ifndef CLI_CLIENT_COUNCIL_CALL_H
#define CLI_CLIENT_COUNCIL_CALL_H

#include "cli/client/invoke.h"

/* Starts what `wish` says (the operation's parameters). In mode turns the topic is also the first message. */
CHECKED bool council_start(struct cli *cli, const json_t *wish, const char **id, struct err *err);
/* An operation on one discussion that takes nothing else: discussion_pause and the like. */
CHECKED bool council_do(struct cli *cli, const char *op, const char *id, struct err *err);
/* Stops one after Ctrl-C; whatever is wrong with that is said, and nothing more can be done. */
void council_stop(struct cli *cli, const char *id);

/* Whose words these are, for an operation that wants to know: the login of whoever sits here. NULL: who is
 * logged in, or has a token of their own, is known by that and speaks for nobody else. */
CHECKED bool council_speaker(struct cli *cli, const char **speaker, struct err *err);

/* The transcript in the words of --format: transcript, md or json, with the line end of a file. */
CHECKED bool council_transcript(struct cli *cli, const char *id, const char *format, const char **text,
                                struct err *err);
/* What --format takes, one by one; NULL behind the last. */
const char *council_format_at(size_t at);

/* It was not started: says why and, where nobody has a model to speak with, what to do. The exit code. */
int council_refused(const struct cli *cli, struct err *err);
/* Whether that was the reason. */
bool council_lacks_model(const struct err *err);
/* Whether a discussion has failed because nobody had a model to speak with. */
bool council_found_no_model(const json_t *state);
/* What to do when a discussion has failed because nobody has a model to speak with; says nothing otherwise.
 */
void council_say_no_model(const struct cli *cli, const json_t *state);

#endif
