/*
 * lanes.h - who may be called next: the lines of calls before models, and how many may be out.
 *
 * A lane is a model's line of calls: of a model of config.yaml, or of a server that an agent names. Whoever
 * wants to ask a model stands in its lane with a place, in the order in which they came, and asks once the
 * place is taken. Four limits hold at once: calls of a lane; calls to a server, which are as many as the
 * largest of its lanes allows; calls of a group, which is what one discussion or one run has out (a place
 * over it steps aside until one of its own comes back); and all calls. Lanes take turns, so that a long line
 * before one model keeps nobody from another.
 *
 * There is one of these for all who ask (llm_lanes). Those are its clients: the driver of discussions, which
 * writes a row between its place and its call, and llm itself, for whoever hands in a request without a
 * place. Nothing here calls a model, and a place belongs to its owner. It is a cache of rows: a line that is
 * lost with its node is found again in the store.
 *
 * Threads: any, a client's functions one at a time; a group's places are of one client. Memory is taken under
 * a lock, so none of this may run inside memory_try.
 */
#ifndef LLM_LANES_H
#define LLM_LANES_H

#include "llm/model.h"

struct lanes;
struct lane;
struct lane_server;
struct lane_group;
struct lane_place;

struct lane_line {
    struct lane_place *first, *last;
};

/* Who stands in lanes. */
struct lane_client {
    /* One of its places may be taken, by lanes_take. On whichever thread made room, under a lock: it only
     * leaves word. */
    void (*wake)(void *user);
    void *user;
    struct lane_line kept; /* the module's: out, and not fetched yet */
};

/* Begins as zeroes; all of it is the module's. */
struct lane_place {
    struct lane_place *before, *behind;        /* in its line */
    struct lane_place *previous, *next_of_own; /* of the same group */
    struct lane_client *client;
    struct lane *lane;
    struct lane_group *group; /* or NULL */
    enum { PLACE_NOWHERE, PLACE_IN_LINE, PLACE_ASIDE, PLACE_KEPT, PLACE_OUT } state;
};

struct lanes *lanes_new(unsigned most, unsigned most_of_group);
void lanes_free(struct lanes *lanes); /* when every place is nowhere; accepts NULL */

/* `most` is the lane's limit as it is now; `group` may be NULL. */
struct lane_key {
    const char *name, *server, *group;
    unsigned most;
};
/* The lane of a model, by its name or by the server that a config spells out; in no group. */
struct lane_key lane_of_model(struct arena *arena, const struct llm_model *model);

/* Whoever joins, leaves or hands over takes afterwards: what has room then may be another's, too. */

/* To the end of its line. */
void lanes_join(struct lanes *lanes, struct lane_client *client, struct lane_place *place,
                const struct lane_key *key);
/* The client's next that may be called, which is out from now on; NULL: none. */
struct lane_place *lanes_take(struct lanes *lanes, struct lane_client *client);
/* Its call has ended, or it is not wanted any more. */
void lanes_leave(struct lanes *lanes, struct lane_place *place);
/* From one that is out to the next of the same lane and group, whoever waits. */
void lanes_hand_over(struct lanes *lanes, struct lane_place *from, struct lane_place *to);

/* Whether somebody waits behind this one, which is out: for the same lane, or because all places are taken,
 * of the server or at all. */
bool lanes_awaited(struct lanes *lanes, const struct lane_place *place);
/* The places of a group, wherever they are, by next_of_own; NULL: it has none. */
struct lane_place *lanes_of_group(struct lanes *lanes, const char *group);

size_t lanes_out(struct lanes *lanes);
size_t lanes_waiting(struct lanes *lanes);

#endif
