/*
 * discussion_view.h - a discussion as it unfolds, on a terminal or in a pipe.
 *
 * Each speaker has a shape and a colour (speaker_mark.h). On a terminal words appear as they
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
    json_t *begun;  /* the ids of turns that the log has told of */
    char next[128]; /* whose turn it was when the whole was looked at; "": nobody's */
    json_t *places; /* of the speakers in their order, by name: what they look like follows from it */
    json_t *vote;   /* the one that was shown last, or NULL */

    /* The turn that is being shown as it is spoken. */
    char floor[64];          /* its id; "": none */
    char floor_speaker[128]; /* whose it is, and in which round: how its entry in the log is known */
    int floor_round;
    struct buf said;  /* what of it is on the screen */
    struct buf heard; /* what of it has been said as far as we know: less, when it is asked for again */
};

void view_open(struct discussion_view *view, const struct cli *cli, FILE *out);
void view_close(struct discussion_view *view);

/* What the server says of it as a whole: how many rounds, whether it is a rehearsal, who speaks in which
 * place. Shows nothing. */
void view_about(struct discussion_view *view, const json_t *state);
/* An entry of the log, whole; nothing when it was shown before. */
void view_entry(struct discussion_view *view, const json_t *entry);
/* An event of the discussion's stream. */
void view_event(struct discussion_view *view, const json_t *event);
/* How it ended: one line, and the rehearsal's notice. */
void view_end(struct discussion_view *view, const json_t *state);
/* Something else is about to be said on the screen; who has the floor goes on on a new line. */
void view_pause(struct discussion_view *view);
/* The words that nobody will add to now. */
void view_break_off(struct discussion_view *view);

/* Whether any of the entries was scripted. */
bool view_is_rehearsed(const json_t *entries);

#endif
