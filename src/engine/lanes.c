/*
 * Every turn is in exactly one of four places (LANE_NOWHERE, in line, aside, out), and each move between them
 * is constant time: the lists are linked through the turns. A turn whose discussion has enough calls out
 * steps aside instead of blocking its line; it goes back to the end of its line when one of its own returns.
 */
#include "engine/lanes.h"

#include "base/memory.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct line {
    struct lane_turn *first, *last;
};

/* Lives while a turn is in it. */
struct lane {
    struct table_item item; /* first: the table hands it back */
    struct lane *before, *behind;
    bool ready; /* in the list of those with somebody to call */
    struct line line;
    size_t turns;
    unsigned out, most;
    char name[];
};

struct lane_group {
    struct table_item item; /* first, as above */
    struct line aside;
    struct lane_turn *turns;
    unsigned out;
    char discussion_id[];
};

struct lanes {
    struct table lanes, groups;
    struct lane *first, *last; /* with somebody to call, in the order of their turns */
    unsigned most, most_of_group;
    size_t out, waiting;
};

struct lanes *lanes_new(unsigned most, unsigned most_of_discussion)
{
    struct lanes *lanes = memory_take(sizeof(*lanes));

    *lanes = (struct lanes){ .most = most, .most_of_group = most_of_discussion };
    return lanes;
}

void lanes_free(struct lanes *lanes)
{
    if (!lanes)
        return;
    table_done(&lanes->lanes);
    table_done(&lanes->groups);
    free(lanes);
}

static void line_add(struct line *line, struct lane_turn *turn)
{
    turn->behind = NULL;
    turn->before = line->last;
    if (line->last)
        line->last->behind = turn;
    else
        line->first = turn;
    line->last = turn;
}

static void line_remove(struct line *line, struct lane_turn *turn)
{
    if (turn->before)
        turn->before->behind = turn->behind;
    else
        line->first = turn->behind;
    if (turn->behind)
        turn->behind->before = turn->before;
    else
        line->last = turn->before;
}

/* Puts a lane into the list of those that have somebody to call, at its end, or takes it out. */
static void lane_settle(struct lanes *lanes, struct lane *lane)
{
    bool ready = lane->line.first && lane->out < lane->most;

    if (ready == lane->ready)
        return;
    lane->ready = ready;
    if (ready) {
        lane->behind = NULL;
        lane->before = lanes->last;
        *(lanes->last ? &lanes->last->behind : &lanes->first) = lane;
        lanes->last = lane;
        return;
    }
    *(lane->before ? &lane->before->behind : &lanes->first) = lane->behind;
    *(lane->behind ? &lane->behind->before : &lanes->last) = lane->before;
}

static struct lane *lane_of(struct lanes *lanes, const struct lane_key *key)
{
    struct lane *lane = (struct lane *)table_find(&lanes->lanes, key->name);

    if (!lane) {
        size_t size = strlen(key->name) + 1;

        lane = memory_take(sizeof(*lane) + size);
        memset(lane, 0, sizeof(*lane));
        memcpy(lane->name, key->name, size);
        table_add(&lanes->lanes, &lane->item, lane->name);
    }
    lane->most = key->most;
    return lane;
}

static struct lane_group *group_of(struct lanes *lanes, const char *discussion_id)
{
    struct lane_group *group = (struct lane_group *)table_find(&lanes->groups, discussion_id);

    if (!group) {
        size_t size = strlen(discussion_id) + 1;

        group = memory_take(sizeof(*group) + size);
        memset(group, 0, sizeof(*group));
        memcpy(group->discussion_id, discussion_id, size);
        table_add(&lanes->groups, &group->item, group->discussion_id);
    }
    return group;
}

static void enter(struct lanes *lanes, struct lane_turn *turn, const struct lane_key *key)
{
    turn->lane = lane_of(lanes, key);
    turn->lane->turns++;
    turn->group = group_of(lanes, key->discussion_id);
    turn->previous = NULL;
    turn->next_of_own = turn->group->turns;
    if (turn->next_of_own)
        turn->next_of_own->previous = turn;
    turn->group->turns = turn;
}

static void stand_in_line(struct lanes *lanes, struct lane_turn *turn)
{
    turn->place = LANE_IN_LINE;
    line_add(&turn->lane->line, turn);
    lane_settle(lanes, turn->lane);
}

static void go_out(struct lanes *lanes, struct lane_turn *turn)
{
    turn->place = LANE_OUT;
    turn->lane->out++;
    turn->group->out++;
    lanes->out++;
    lane_settle(lanes, turn->lane);
}

void lanes_join(struct lanes *lanes, struct lane_turn *turn, const struct lane_key *key)
{
    enter(lanes, turn, key);
    lanes->waiting++;
    stand_in_line(lanes, turn);
}

void lanes_join_out(struct lanes *lanes, struct lane_turn *turn, const struct lane_key *key)
{
    enter(lanes, turn, key);
    go_out(lanes, turn);
}

/* The first of the line whose discussion may have another call; those before it step aside. */
static struct lane_turn *first_allowed(struct lanes *lanes, struct lane *lane)
{
    struct lane_turn *turn;

    while ((turn = lane->line.first)) {
        line_remove(&lane->line, turn);
        if (turn->group->out < lanes->most_of_group)
            return turn;
        turn->place = LANE_ASIDE;
        line_add(&turn->group->aside, turn);
    }
    return NULL;
}

struct lane_turn *lanes_take(struct lanes *lanes)
{
    while (lanes->first && lanes->out < lanes->most) {
        struct lane *lane = lanes->first;
        struct lane_turn *turn = first_allowed(lanes, lane);

        /* Out of the list and, if there is more to do, to its end: the next lane's turn. */
        lane->ready = false;
        lanes->first = lane->behind;
        *(lane->behind ? &lane->behind->before : &lanes->last) = NULL;
        if (turn) {
            lanes->waiting--;
            go_out(lanes, turn);
            return turn;
        }
        lane_settle(lanes, lane);
    }
    return NULL;
}

static void come_back(struct lanes *lanes, struct lane_turn *turn)
{
    struct lane_turn *next = turn->group->aside.first;

    turn->lane->out--;
    turn->group->out--;
    lanes->out--;
    if (next) {
        line_remove(&turn->group->aside, next);
        stand_in_line(lanes, next);
    }
}

static void forget_when_empty(struct lanes *lanes, struct lane *lane, struct lane_group *group)
{
    if (!group->turns) {
        table_remove(&lanes->groups, &group->item);
        free(group);
    }
    if (--lane->turns == 0) {
        table_remove(&lanes->lanes, &lane->item);
        free(lane);
    }
}

void lanes_leave(struct lanes *lanes, struct lane_turn *turn)
{
    struct lane *lane = turn->lane;
    struct lane_group *group = turn->group;

    switch (turn->place) {
    case LANE_NOWHERE: return;
    case LANE_OUT: come_back(lanes, turn); break;
    case LANE_IN_LINE:
    case LANE_ASIDE:
        line_remove(turn->place == LANE_ASIDE ? &group->aside : &lane->line, turn);
        lanes->waiting--;
        break;
    }
    turn->place = LANE_NOWHERE;
    *(turn->previous ? &turn->previous->next_of_own : &group->turns) = turn->next_of_own;
    if (turn->next_of_own)
        turn->next_of_own->previous = turn->previous;
    lane_settle(lanes, lane);
    forget_when_empty(lanes, lane, group);
}

bool lanes_awaited(const struct lanes *lanes, const struct lane_turn *turn)
{
    bool all_out = lanes->out >= lanes->most;

    return turn->lane->line.first || turn->lane->out > turn->lane->most || (all_out && lanes->first);
}

const char *lanes_name(const struct lane_turn *turn)
{
    return turn->lane->name;
}

struct lane_turn *lanes_of(struct lanes *lanes, const char *discussion_id)
{
    struct lane_group *group = (struct lane_group *)table_find(&lanes->groups, discussion_id);

    return group ? group->turns : NULL;
}

size_t lanes_out(const struct lanes *lanes)
{
    return lanes->out;
}

size_t lanes_waiting(const struct lanes *lanes)
{
    return lanes->waiting;
}
