/*
 * script.h - the lines of a scripted model: what is said instead of a model, for rehearsals and tests.
 *
 * A script is text. "Name: what it says" is one turn of that speaker, in the order of their turns; "*: ..."
 * is for those who have no lines of their own; \n in a line is a line break; lines that begin with # are
 * remarks. Whoever has no line left passes. "!fail WORDS" instead of what is said is a call that fails with
 * these words. "Name (ballot): ..." is what they answer when they are asked for a ballot and not for a turn,
 * and "* (judge)" and "* (summary)" are what a judge and a summary say; the last such line holds for all that
 * follow. Where tools are offered, "!call TOOL {ARGUMENTS}" at the beginning of a turn, or behind a \\n in
 * it, calls one, and each further such line another; what stands before the first is said.
 *
 * Thread: any.
 */
#ifndef LLM_SCRIPT_H
#define LLM_SCRIPT_H

#include "base/arena.h"
#include "base/err.h"

/* What the speaker says in this turn (from 1), in the arena; never NULL. */
const char *script_line(struct arena *arena, const char *script, const char *speaker, int turn);
/* What a speaker is asked for. */
struct script_cue {
    const char *speaker; /* or NULL */
    const char *kind;    /* ballot, judge, summary; NULL: a turn */
    int turn;            /* from 1 */
};
/* The line for it. Where the script has none for a ballot, the rehearsal's serves: nobody votes by reading
 * out what they have said. */
const char *script_reply(struct arena *arena, const char *script, const struct script_cue *cue);
/* The calls of a reply, from which they are taken away; NULL: there are none. */
const char *script_calls(struct arena *arena, const char **reply);
/* The next of them: its tool and arguments, in the arena. False: there is none left. */
bool script_next_call(struct arena *arena, const char **calls, const char **tool, const char **arguments);
/* What is said where nobody has written a script: rehearsal.c. */
extern const char rehearsal_script[];
CHECKED bool script_read(struct arena *arena, const char *path, const char **script, struct err *err);

#endif
