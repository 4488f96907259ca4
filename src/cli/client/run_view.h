/*
 * run_view.h - what an agent of the runner does, as lines for people.
 *
 * Two ways: as it happens, for somebody who follows (what the agent says, which tools it calls and what they
 * return, each call in one line), and as its trace, in which every entry has its time, what it cost and why
 * it was decided. Whatever agents and tools wrote is shown as text and nothing else (term.h), and stands
 * further in than our own words, so that it cannot be taken for them.
 *
 * Nothing here talks to a server. Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_RUN_VIEW_H
#define CLI_CLIENT_RUN_VIEW_H

#include "cli/cli.h"

#include <jansson.h>

struct run_view {
    const struct cli *cli;
    FILE *out;
    bool colour;
    bool trace;        /* every entry with its time and reason; else what somebody who follows wants to see */
    bool full;         /* nothing is cut */
    bool json;         /* each entry as a line of JSON */
    const char *name;  /* the agent's, once it is known */
    const char *said;  /* what it said last, or NULL */
    const char *error; /* the last error that was shown whole, or NULL */
    const struct run_view_call *calls; /* of its last reply */
    size_t call_count;
    bool at_prompt; /* a line is being typed: what is shown begins on a new one, and this says so */
    int code;       /* CLI_ERROR: nobody takes it any more */
};

void run_view_open(struct run_view *view, const struct cli *cli, FILE *out);
/* Who runs, on which model, how far it is and what it has used; of a trace as its first lines. How a job
 * ended is known before its run is closed. */
void run_view_about(struct run_view *view, const json_t *run);
void run_view_head(struct run_view *view, const json_t *run, const json_t *job);
/* One entry of its log. */
void run_view_entry(struct run_view *view, const json_t *entry);

/* What came out, as a text: what was handed in if nothing stands beside it, a text as it is and all else as
 * JSON; NULL: nothing. */
const char *run_view_result(struct arena *arena, const json_t *job);

#endif
