/*
 * discussion_view.h - a discussion as it unfolds, on a terminal or in a pipe.
 *
 * Each speaker has a shape and a colour, the same as in the transcript. On a terminal words appear as they
 * are spoken; one speaker has the floor at a time, and what others say meanwhile is shown whole when they
 * have finished. In a pipe every turn is shown whole. An entry is shown once, however often it is heard of.
 *
 * Nothing here talks to a server. Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_DISCUSSION_VIEW_H
#define CLI_CLIENT_DISCUSSION_VIEW_H

#include "cli/cli.h"

#include <jansson.h>
#include <stdio.h>

#define REHEARSAL_NOTICE "Rehearsal: scripted lines, no model was called."

struct discussion_view {
    const struct cli *cli;
    FILE *out; /* stdout, or stderr where a document comes last */
    bool live, colour;
    bool rehearsal; /* said on every screen */
    int round;      /* whose heading was shown last; 0: none */
    int rounds;     /* how many there are; 0: not known */
    json_t *shown;  /* the ids of entries that were shown */
    json_t *behind; /* entries that wait until the floor is free */
    json_t *roles;  /* of the speakers that were heard of, by name */
    char floor[64]; /* the turn that is being shown as it is spoken; "": none */
    struct buf said;
    size_t said_chars;
};

void view_open(struct discussion_view *view, const struct cli *cli, FILE *out);
void view_close(struct discussion_view *view);

/* An entry of the log, whole; nothing when it was shown before. */
void view_entry(struct discussion_view *view, const json_t *entry);
/* An event of the discussion's stream. */
void view_event(struct discussion_view *view, const json_t *event);
/* How it ended: one line, and the rehearsal's notice. */
void view_end(struct discussion_view *view, const json_t *state);
/* The words that nobody will add to now. */
void view_break_off(struct discussion_view *view);

/* "blue circle Name" in the speaker's colour, into the buffer. */
void view_speaker(struct buf *into, bool colour, const char *role, const char *name);
/* Whether any of the entries was scripted. */
bool view_is_rehearsed(const json_t *entries);

#endif
