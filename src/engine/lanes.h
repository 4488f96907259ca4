/*
 * lanes.h - who may be called next: the lines of turns before models, and how many calls may be out.
 *
 * A lane is what a provider's limit is about: a model of config.yaml, or a server that an agent names. Turns
 * stand in their lane's line in the order in which they came. Three limits hold at once: calls of a lane,
 * calls of one discussion (a turn over it steps out of line until one of its own comes back), and all calls.
 * Lanes take turns, so that a long line before one model keeps nobody from another.
 *
 * This is a cache of rows: a line that is lost with its node is found again in the store. Nothing here calls
 * anybody, and a turn belongs to its owner.
 *
 * Thread: one at a time.
 */
#ifndef ENGINE_LANES_H
#define ENGINE_LANES_H

#include <stdbool.h>
#include <stddef.h>

struct lanes;
struct lane;
struct lane_group;

/* A turn's part in this; all of it is the module's. */
struct lane_turn {
    struct lane_turn *before, *behind;        /* in the line */
    struct lane_turn *previous, *next_of_own; /* of the same discussion */
    struct lane *lane;
    struct lane_group *group;
    enum { LANE_NOWHERE, LANE_IN_LINE, LANE_ASIDE, LANE_OUT } place;
};

struct lanes *lanes_new(unsigned most, unsigned most_of_discussion);
void lanes_free(struct lanes *lanes); /* when every turn has left; accepts NULL */

/* `most` is the lane's limit as it is now. */
struct lane_key {
    const char *name, *discussion_id;
    unsigned most;
};
/* To the end of its line. */
void lanes_join(struct lanes *lanes, struct lane_turn *turn, const struct lane_key *key);
/* Straight out, whatever the limits say: for one that takes over the place of a call that has just ended. */
void lanes_join_out(struct lanes *lanes, struct lane_turn *turn, const struct lane_key *key);
/* The next that may be called, which is out from now on; NULL: none. */
struct lane_turn *lanes_take(struct lanes *lanes);
/* Its call has ended, or it is not wanted any more. */
void lanes_leave(struct lanes *lanes, struct lane_turn *turn);

/* Whether somebody waits behind this one, which is out: for the same lane, or because all places are taken.
 */
bool lanes_awaited(const struct lanes *lanes, const struct lane_turn *turn);
const char *lanes_name(const struct lane_turn *turn);
/* The turns of a discussion, wherever they are, by next_of_own; NULL: it has none. */
struct lane_turn *lanes_of(struct lanes *lanes, const char *discussion_id);

size_t lanes_out(const struct lanes *lanes);
size_t lanes_waiting(const struct lanes *lanes);

#endif
