/*
 * Turns in hand. A turn is held by at most one thing at a time: the line, a unit of work, its model, a
 * timer. One that is not wanted any more is doomed: whoever holds it drops it when it comes back, so that
 * there are never two calls for one turn, however often its discussion changes hands.
 */
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "engine/council_internal.h"

#include <stdlib.h>
#include <string.h>

#define TURN_BLOCK 1024 /* thousands wait in line: what is said of one fits in here */

/* Of turns that nobody can be asked for: they fail at once, in their order. */
static const struct lane_key no_model_lane = { .name = "-", .server = "-", .most = 64 };

static struct turn *turn_of_item(struct table_item *item)
{
    return (struct turn *)(void *)((char *)item - offsetof(struct turn, item));
}

struct turn *turn_of_place(struct lane_place *place)
{
    return (struct turn *)(void *)place;
}

struct turn *turn_find(struct council *council, const char *id)
{
    struct table_item *item = table_find(&council->turns, id);

    return item ? turn_of_item(item) : NULL;
}

static void copy_call(struct arena *arena, const struct turn_call *from, const char *node,
                      struct turn_call *to)
{
    *to = *from;
    to->ref.turn_id = arena_text(arena, from->ref.turn_id);
    to->ref.discussion_id = arena_text(arena, from->ref.discussion_id);
    to->ref.node = node;
    to->workspace_id = arena_text(arena, from->workspace_id);
    to->project_id = arena_text(arena, from->project_id);
    to->speaker = arena_text(arena, from->speaker);
    to->agent_id = arena_text(arena, from->agent_id);
    to->model_config = arena_text(arena, from->model_config);
    to->system = to->user = to->refused = NULL;
    to->stops = NULL;
    to->stop_count = 0;
    to->rules = NULL;
}

struct turn *turn_new(struct council *council, const struct turn_call *call)
{
    struct turn *turn = memory_take(sizeof(*turn));

    memset(turn, 0, sizeof(*turn));
    turn->council = council;
    turn->arena.block = turn->answer.arena.block = TURN_BLOCK;
    copy_call(&turn->arena, call, council->holder.node, &turn->wanted);
    buf_init(&turn->said, 0);
    buf_init(&turn->text, 0);
    if (model_of_config(&turn->arena, turn->wanted.model_config, &turn->model, &turn->no_model))
        turn->lane = lane_of_model(&turn->arena, &turn->model);
    else
        turn->lane = no_model_lane;
    turn->lane.group = turn->wanted.ref.discussion_id;
    return turn;
}

static void turn_free(struct turn *turn)
{
    arena_done(&turn->answer.arena);
    arena_done(&turn->arena);
    arena_done(&turn->hearing);
    buf_done(&turn->said);
    buf_done(&turn->text);
    free(turn);
}

static void stand_in_line(struct turn *turn)
{
    turn->stage = STAGE_LINE;
    lanes_join(turn->council->lanes, &turn->council->client, &turn->place, &turn->lane);
}

static void pause_is_over(void *turn)
{
    stand_in_line(turn);
}

static void turn_enter(struct turn *turn)
{
    table_add(&turn->council->turns, &turn->item, turn->wanted.ref.turn_id);
    if (turn->wanted.delay_ms > 0)
        holder_after(&turn->council->holder, &turn->timer, turn->wanted.delay_ms, pause_is_over, turn);
    else
        stand_in_line(turn);
}

static void turn_adopt(struct council *council, const struct turn_call *call)
{
    struct turn *known = turn_find(council, call->ref.turn_id);

    if (known && !known->doomed && known->wanted.ref.epoch == call->ref.epoch)
        return;
    struct turn *turn = turn_new(council, call);

    if (known) {
        turn_doom(known);
        known = turn_find(council, call->ref.turn_id);
    }
    if (!known) {
        turn_enter(turn);
        return;
    }
    if (known->successor)
        turn_free(known->successor);
    known->successor = turn;
}

void turns_adopt(struct council *council, const struct drive_step *step, size_t but)
{
    for (size_t i = 0; i < step->call_count && !council->holder.stopping; i++)
        if (i != but)
            turn_adopt(council, &step->calls[i]);
}

void turn_drop(struct turn *turn)
{
    struct turn *successor = turn->successor;

    lanes_leave(turn->council->lanes, &turn->place);
    table_remove(&turn->council->turns, &turn->item);
    if (successor && !turn->council->holder.stopping)
        turn_enter(successor);
    else if (successor)
        turn_free(successor);
    turn_free(turn);
}

void turn_doom(struct turn *turn)
{
    bool was_doomed = turn->doomed;

    turn->doomed = true;
    switch (turn->stage) {
    case STAGE_LATER:
        timers_stop(&turn->council->holder.timers, &turn->timer);
        turn_drop(turn);
        break;
    case STAGE_LINE: turn_drop(turn); break;
    case STAGE_CALLS:
        if (!was_doomed)
            llm_cancel(turn->council->llm, turn->call);
        break;
    case STAGE_BEGINS:
    case STAGE_ENDS: break;
    }
}

void turn_disown(struct turn *turn)
{
    if (turn->stage == STAGE_CALLS && !turn->doomed)
        log_line(LOG_INFO, "a turn is not this node's any more; its call is closed", "discussion",
                 turn->wanted.ref.discussion_id, "turn", turn->wanted.ref.turn_id, NULL);
    turn_doom(turn);
}

void turns_doom(struct council *council, const char *discussion_id, int64_t before_epoch)
{
    struct lane_place *next;

    for (struct lane_place *at = lanes_of_group(council->lanes, discussion_id); at; at = next) {
        struct turn *turn = turn_of_place(at);

        next = at->next_of_own;
        if (turn->wanted.ref.epoch < before_epoch)
            turn_disown(turn);
    }
}

/* Gathered first: the table changes while turns go. */
void turns_end(struct council *council)
{
    ARENA_AUTO arena = { 0 };
    struct turn **all = arena_array(&arena, struct turn *, council->turns.count);
    size_t count = 0;

    for (size_t i = 0; i < council->turns.room; i++)
        for (struct table_item *item = council->turns.slots[i]; item; item = item->next)
            all[count++] = turn_of_item(item);
    for (size_t i = 0; i < count; i++)
        turn_doom(all[i]);
}
