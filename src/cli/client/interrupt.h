/*
 * interrupt.h - signals while something is waited for.
 *
 * SIGINT is a person at the keyboard; SIGTERM, and SIGHUP when the terminal is lost, are a machine that
 * tidies up. Only the first ever takes back what was asked; after the others it stays open and can be waited
 * for again. A second signal of the same kind ends the program at once. What was ignored when the program
 * began (nohup, a shell's background) stays ignored.
 *
 * Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_INTERRUPT_H
#define CLI_CLIENT_INTERRUPT_H

#include "cli/cli.h"

#include <stdint.h>

/* From here on signals are noted instead of ending the program. */
void interrupt_catch(void);
/* As if none had come: what it was meant for has been stopped, and the program goes on. */
void interrupt_forget(void);
/* Whether one has come; the first one counts. */
bool interrupted(void);
/* Whether it was the person's. */
bool interrupted_by_person(void);
/* The exit code that shells expect: 128 and the signal's number. */
int interrupt_exit(void);
/* Waits, unless interrupted. */
void interrupt_pause(int64_t ms);

/* For cli->pulse: a request ends with any signal; or with those only that are not the person's. */
bool interrupt_pulse(struct cli *cli);
bool interrupt_pulse_asking(struct cli *cli);

#endif
