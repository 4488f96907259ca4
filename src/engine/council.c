/*
 * The driver as a holder of discussions (holder.h): what it claims and drops, what it hears of the log, and
 * its part of a round, which starts whatever calls the lanes allow.
 */
#include "engine/council.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "engine/council_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Claiming. */

/* With a long line in hand the rest waits as rows, for this node or another. */
static size_t room(struct holder *holder)
{
    bool full = lanes_waiting(council_of(holder)->lanes) >= COUNCIL_HELD;

    return settings()->council_drive && !full ? COUNCIL_CLAIM : 0;
}

static bool claim(const struct tx *tx, struct holder_unit *unit, size_t limit, struct held_row **list,
                  size_t *count)
{
    if (!drive_claim(tx, unit->holder->node, limit, list, count))
        return false;
    if (*count > 0)
        unit->phases = 1U << PHASE_OPENING;
    return true;
}

static bool ours(const struct tx *tx, const char *node, struct held_row **list, size_t *count)
{
    return holding_ours(tx, HOLDING_DISCUSSION, node, list, count);
}

static void claimed(struct holder *holder, const struct held_row *row)
{
    turns_doom(council_of(holder), row->id, row->epoch);
    step_advance(council_of(holder), row->id, row->epoch);
}

static void tell_figures(struct council *council)
{
    atomic_store(&council->calls, lanes_out(council->lanes));
    atomic_store(&council->waiting, lanes_waiting(council->lanes));
}

static size_t in_hand(const struct holder *holder)
{
    const struct council *council = (const struct council *)(const void *)holder;

    return council->turns.count + council->moving;
}

static void drop_all(struct holder *holder)
{
    turns_end(council_of(holder));
    tell_figures(council_of(holder));
}

/* News from the log. */

struct heard {
    struct mail mail; /* first */
    struct council *council;
    bool stops, of_turn;
    char discussion_id[UUID_SIZE], turn_id[UUID_SIZE];
};

static void open_heard(struct mail *mail)
{
    struct heard *heard = (struct heard *)mail;
    struct council *council = heard->council;
    struct turn *turn = heard->of_turn ? turn_find(council, heard->turn_id) : NULL;

    if (heard->of_turn)
        elsewhere_finished(council, heard->turn_id);
    if (heard->stops)
        step_check(council, heard->discussion_id);
    else if (turn && turn->stage == STAGE_CALLS)
        turn_disown(turn);
    else if (!heard->of_turn || !lanes_of_group(council->lanes, heard->discussion_id))
        holder_look(&council->holder);
    free(heard);
}

/* Which events may mean something for a call that is out, or that there is something to drive. */
enum { HEEDED = 1, STOPS, OF_TURN };

static const unsigned char heeded[EVENT_TYPE_END] = {
    [EVENT_DISCUSSION_CREATED] = HEEDED,     [EVENT_DISCUSSION_MESSAGE] = HEEDED,
    [EVENT_DISCUSSION_INTERJECTED] = HEEDED, [EVENT_DISCUSSION_RESUMED] = HEEDED,
    [EVENT_DISCUSSION_PAUSED] = STOPS,       [EVENT_DISCUSSION_ENDED] = STOPS,
    [EVENT_TURN_FINISHED] = OF_TURN,
};

static void hear_one(struct council *council, const struct notice *notice)
{
    unsigned how = heeded[notice->type];
    struct heard *heard;

    if (!how || !notice->discussion_id || strlen(notice->discussion_id) >= UUID_SIZE)
        return;
    heard = memory_take(sizeof(*heard));
    *heard = (struct heard){ .council = council, .stops = how == STOPS, .of_turn = how == OF_TURN };
    strcpy(heard->discussion_id, notice->discussion_id);
    if (heard->of_turn && notice->subject)
        snprintf(heard->turn_id, sizeof(heard->turn_id), "%s", notice->subject);
    holder_post(&council->holder, &heard->mail, open_heard);
}

static void hear(void *user, struct notice *const notices[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        hear_one(user, notices[i]);
}

/* The thread. */

static void call_next(struct council *council)
{
    struct lane_place *next;

    while (holder_holds(&council->holder) && (next = lanes_take(council->lanes, &council->client)))
        step_begin(turn_of_place(next));
}

static void heard_room(struct mail *mail)
{
    struct council *council = (struct council *)(void *)((char *)mail - offsetof(struct council, room));

    atomic_store(&council->room_told, false);
}

static void tell_room(void *user)
{
    struct council *council = user;

    if (!atomic_exchange(&council->room_told, true))
        holder_post(&council->holder, &council->room, heard_room);
}

static int64_t next_ms(const struct holder *holder)
{
    const struct council *council = (const struct council *)(const void *)holder;
    int64_t save_ms =
        council->turns.count > 0 && !council->saving ? council->saved_ms + COUNCIL_SAVE_FIRST_MS : INT64_MAX;
    int64_t hear_ms = elsewhere_matters(council) ? council->listened_ms + COUNCIL_SAVE_MS : INT64_MAX;

    return save_ms < hear_ms ? save_ms : hear_ms;
}

static void work(struct holder *holder)
{
    struct council *council = council_of(holder);

    call_next(council);
    texts_save(council);
    elsewhere_look(council);
    tell_figures(council);
}

static const struct holder_calls council_calls = {
    .rows = "discussions",
    .lapse = "the lease on discussions ran out; their calls are closed",
    .room = room,
    .claim = claim,
    .ours = ours,
    .claimed = claimed,
    .in_hand = in_hand,
    .drop = drop_all,
    .work = work,
    .next_ms = next_ms,
    .phases = council_phases,
};

/* Starting and stopping. */

static void council_free(struct council *council)
{
    holder_done(&council->holder);
    pthread_mutex_destroy(&council->text_lock);
    table_done(&council->turns);
    free(council);
}

static struct council *council_new(struct tailer *tailer, struct llm *llm)
{
    struct council *council = memory_take(sizeof(*council));

    memset(council, 0, sizeof(*council));
    holder_init(&council->holder);
    council->tailer = tailer;
    council->llm = llm;
    council->lanes = llm_lanes(llm);
    council->client = (struct lane_client){ .wake = tell_room, .user = council };
    pthread_mutex_init(&council->text_lock, NULL);
    return council;
}

struct council *council_open(struct store *store, struct tailer *tailer, struct llm *llm, struct err *err)
{
    struct council *council = council_new(tailer, llm);

    tailer_subscribe(tailer, hear, council);
    if (holder_open(&council->holder, store, &council_calls, err))
        return council;
    tailer_unsubscribe(tailer, council);
    council_free(council);
    return NULL;
}

void council_close(struct council *council)
{
    if (!council)
        return;
    tailer_unsubscribe(council->tailer, council);
    holder_close(&council->holder);
    council_free(council);
}

void council_figures(struct council *council, struct council_figures *figures)
{
    *figures = (struct council_figures){
        .turns = atomic_load(&council->stored),
        .claimed = atomic_load(&council->holder.claimed),
        .late = atomic_load(&council->late),
        .repeated = atomic_load(&council->holder.repeated),
        .given_up = atomic_load(&council->given_up),
        .failed = atomic_load(&council->failed),
        .calls = atomic_load(&council->calls),
        .waiting = atomic_load(&council->waiting),
    };
    for (size_t i = 0; i < LLM_KIND_COUNT; i++)
        figures->failures[i] = atomic_load(&council->failures[i]);
}
