/*
 * council.h - discussions whose models are played by the tests: what a driver does, with replies from a list.
 */
#ifndef TESTS_CONTRACT_COUNCIL_H
#define TESTS_CONTRACT_COUNCIL_H

#include "contract.h"
#include "core/council/drive.h"

/* What a model answers the next time that this speaker is asked; who has no line left says "NAME speaks.". */
struct line {
    const char *speaker, *text;
    const char *error; /* the call fails */
    bool used;
};

struct stage {
    struct t *t;
    const char *node;
    struct line *lines;
    size_t line_count;
    size_t calls;      /* made so far */
    size_t most;       /* stop after so many; 0: until it is over */
    const char *asked; /* what the last model was told */
    const char *log;   /* the lines for the server's log, each with a line break */
};

/* An agent on a model of its own; its id. */
const char *make_agent(struct t *t, const char *name, const char *role);
const char *make_external_agent(struct t *t, const char *name, const char *role);
/* A discussion of these agents, by name ("user" is a person), in mode and rounds; its id. */
const char *make_discussion(struct t *t, const char *mode, int rounds, const char *const names[],
                            size_t count);
/* The same with options as JSON text. */
const char *make_discussion_with(struct t *t, const char *mode, const char *options,
                                 const char *const names[], size_t count);
int say(struct t *t, const char *id, const char *message);
int show_discussion(struct t *t, const char *id);
/* Drives whatever wants it until nothing does. */
void play(struct stage *stage);
/* The same with lines from a list. */
void play_lines(struct t *t, struct line *lines, size_t count);
#define PLAY(t, ...) \
    play_lines((t), (struct line[]){ __VA_ARGS__ }, \
               sizeof((struct line[]){ __VA_ARGS__ }) / sizeof(struct line))

/* One transaction of the driver's. */
struct tx stage_begin(struct t *t, struct err *err);
void stage_commit(struct t *t);
void stage_rollback(struct t *t);
/* Takes the one discussion that wants to be driven. */
struct held_row stage_claim(struct t *t, const char *node);
/*
 * Those of this case that a node gets that much later. A driver takes whatever there is; what other cases
 * left is none of this one's business.
 */
size_t stage_claim_later(struct t *t, const char *node, int64_t later_ms, struct held_row **list);
struct drive_step stage_advance(struct t *t, const char *node, const struct held_row *claimed);
struct turn_call stage_call(struct t *t, const struct turn_ref *ref);
/* The next turn of the one discussion that wants to be driven, called and heard up to here. */
struct turn_call stage_half_said(struct t *t, const char *text);

#endif
