/*
 * The driver's thread: one round opens mail, rings alarms, renews the lease, claims, and starts whatever
 * calls the lanes allow. All state here belongs to that thread and needs no lock but the mailbox's. Work for
 * the store or a model is handed off and comes back as mail, so a round never waits, and stopping is only:
 * start nothing more, and go on until the last unit and the last turn are back.
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

#define FOREVER_MS (INT64_C(100) * 366 * 86400000)
#define RETRY_MS   500 /* after a claim or a renewal that the store did not take */

/* Mail and alarms. */

void council_post(struct council *council, struct mail *mail, void (*open)(struct mail *mail))
{
    mail->next = NULL;
    mail->open = open;
    /* Signalled under the lock: once the last mail is opened the council may be gone. */
    pthread_mutex_lock(&council->mail_lock);
    if (!council->first)
        pthread_cond_signal(&council->mail_came);
    *council->last = mail;
    council->last = &mail->next;
    pthread_mutex_unlock(&council->mail_lock);
}

void council_alarm(struct council *council, struct alarm *alarm, int64_t after_ms,
                   void (*ring)(struct alarm *alarm))
{
    struct alarm **at = &council->alarms;

    alarm->at_ms = clock_ticks_ms() + after_ms;
    alarm->ring = ring;
    while (*at && (*at)->at_ms <= alarm->at_ms)
        at = &(*at)->next;
    alarm->next = *at;
    *at = alarm;
}

void council_unalarm(struct council *council, struct alarm *alarm)
{
    struct alarm **at = &council->alarms;

    while (*at && *at != alarm)
        at = &(*at)->next;
    if (*at)
        *at = alarm->next;
}

/* When the server stops nothing is waited for any more. */
static void ring_alarms(struct council *council)
{
    int64_t now = clock_ticks_ms();

    while (council->alarms && (council->stopping || council->alarms->at_ms <= now)) {
        struct alarm *alarm = council->alarms;

        council->alarms = alarm->next;
        alarm->ring(alarm);
    }
}

static void open_mail(struct council *council)
{
    pthread_mutex_lock(&council->mail_lock);
    struct mail *mail = council->first;

    council->first = NULL;
    council->last = &council->first;
    council->stopping = council->stop_wanted;
    pthread_mutex_unlock(&council->mail_lock);
    while (mail) {
        struct mail *next = mail->next;

        mail->open(mail);
        mail = next;
    }
}

/* Claiming. */

struct claim_unit {
    struct unit unit; /* first */
    struct drive_claimed *list;
    size_t count;
};

static bool run_claim(const struct tx *tx, struct unit *unit)
{
    struct claim_unit *claim = (struct claim_unit *)unit;
    const struct council *council = unit->council;

    claim->count = 0;
    if (!drive_claim(tx, council->node, COUNCIL_CLAIM, &claim->list, &claim->count))
        return false;
    if (claim->count == 0)
        return true;
    unit->phases = 1U << PHASE_OPENING;
    return council->alone || drive_node_renew(tx, council->node, tx->now_ms + DRIVE_LEASE_MS);
}

/* From now on, as the store has just heard. */
static void lease_holds(struct council *council)
{
    council->renewed_ms = clock_ticks_ms();
    council->renew_at_ms = council->renewed_ms + DRIVE_RENEW_MS;
    council->lapsed = false;
}

static void after_claim(struct unit *unit)
{
    struct claim_unit *claim = (struct claim_unit *)unit;
    struct council *council = unit->council;

    council->claiming = false;
    if (unit->work.err.code != ERR_NONE) {
        if (!unit_may_work_later(unit))
            log_line(LOG_WARN, "discussions cannot be claimed", "why", unit->work.err.text, NULL);
        council->look_at_ms = clock_ticks_ms() + RETRY_MS;
        unit_free(unit);
        return;
    }
    if (claim->count > 0)
        lease_holds(council);
    if (claim->count == COUNCIL_CLAIM)
        council->look = true;
    atomic_fetch_add(&council->claimed, claim->count);
    for (size_t i = 0; i < claim->count && !council->stopping; i++) {
        turns_doom(council, claim->list[i].discussion_id, claim->list[i].epoch);
        step_advance(council, claim->list[i].discussion_id, claim->list[i].epoch);
    }
    unit_free(unit);
}

void council_look(struct council *council)
{
    council->look = true;
}

/*
 * Looks when something was heard of, and once a second: another program may have written, a node may have
 * died. With a long line in hand the rest waits as rows, for this node or another.
 */
static void claim(struct council *council)
{
    int64_t now = clock_ticks_ms();

    if (council->claiming || (!council->look && now < council->look_at_ms))
        return;
    council->look = false;
    council->look_at_ms = now + COUNCIL_LOOK_MS;
    if (!settings()->council_drive || lanes_waiting(council->lanes) >= COUNCIL_HELD)
        return;
    council->claiming = true;
    unit_hand_in(unit_new(council, sizeof(struct claim_unit), run_claim, after_claim));
}

/* The lease, where others may take over. Whoever drives nothing needs none. */

struct renew_unit {
    struct unit unit; /* first */
    bool anew;
};

/*
 * A node whose lease has lapsed has dropped its turns. Nobody would take them up again under a lease that
 * goes on, so it lets go of them first.
 */
static bool run_renew(const struct tx *tx, struct unit *unit)
{
    const char *node = unit->council->node;

    return (!((struct renew_unit *)unit)->anew || drive_node_leave(tx, node)) &&
           drive_node_renew(tx, node, tx->now_ms + DRIVE_LEASE_MS);
}

static void doom_all(struct council *council)
{
    council->lapsed = true;
    if (council->turns.count == 0)
        return;
    log_line(LOG_WARN, "the lease on discussions ran out; their calls are closed", NULL);
    turns_end(council);
}

static void after_renew(struct unit *unit)
{
    struct council *council = unit->council;
    int64_t now = clock_ticks_ms();

    council->renewing = false;
    if (unit->work.err.code == ERR_NONE) {
        lease_holds(council);
        council->look |= ((struct renew_unit *)unit)->anew;
    } else {
        council->renew_at_ms = now + RETRY_MS;
        if (now - council->renewed_ms > DRIVE_LEASE_MS)
            doom_all(council);
    }
    unit_free(unit);
}

static void renew(struct council *council)
{
    if (council->alone || council->renewing || council->turns.count == 0 ||
        clock_ticks_ms() < council->renew_at_ms)
        return;
    struct renew_unit *renewal = unit_new(council, sizeof(*renewal), run_renew, after_renew);

    renewal->anew = council->lapsed;
    council->renewing = true;
    unit_hand_in(&renewal->unit);
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
    else if (!heard->of_turn || !lanes_of(council->lanes, heard->discussion_id))
        council->look = true;
    free(heard);
}

/* Which events may mean something for a call that is out, or that there is something to drive. */
static const struct {
    const char *type;
    bool stops, of_turn;
} heeded[] = {
    { "discussion.created", false, false },     { "discussion.message", false, false },
    { "discussion.interjected", false, false }, { "discussion.resumed", false, false },
    { "discussion.paused", true, false },       { "discussion.ended", true, false },
    { "turn.finished", false, true },
};

static void hear_one(struct council *council, const struct notice *notice)
{
    if (!notice->discussion_id || strlen(notice->discussion_id) >= UUID_SIZE)
        return;
    for (size_t i = 0; i < sizeof(heeded) / sizeof(*heeded); i++) {
        if (strcmp(heeded[i].type, notice->type) != 0)
            continue;
        struct heard *heard = memory_take(sizeof(*heard));

        *heard = (struct heard){ .council = council, .stops = heeded[i].stops, .of_turn = heeded[i].of_turn };
        strcpy(heard->discussion_id, notice->discussion_id);
        if (heard->of_turn && notice->subject)
            snprintf(heard->turn_id, sizeof(heard->turn_id), "%s", notice->subject);
        council_post(council, &heard->mail, open_heard);
        return;
    }
}

static void hear(void *user, struct notice *const notices[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        hear_one(user, notices[i]);
}

/* The thread. */

static void call_next(struct council *council)
{
    struct lane_turn *next;

    while ((next = lanes_take(council->lanes)))
        step_begin(turn_of_lane(next));
}

static void sooner(int64_t *at, int64_t than)
{
    if (than < *at)
        *at = than;
}

/* Work that is under way already comes back as mail. */
static int64_t next_moment(const struct council *council)
{
    int64_t now = clock_ticks_ms(), at = now + COUNCIL_LOOK_MS;

    if (!council->claiming)
        sooner(&at, council->look ? now : council->look_at_ms);
    if (council->alarms)
        sooner(&at, council->alarms->at_ms);
    if (council->turns.count > 0 && !council->saving)
        sooner(&at, council->saved_ms + COUNCIL_SAVE_FIRST_MS);
    if (council->turns.count > 0 && !council->alone && !council->renewing)
        sooner(&at, council->renew_at_ms);
    if (elsewhere_matters(council))
        sooner(&at, council->listened_ms + COUNCIL_SAVE_MS);
    return at;
}

static void wait_for_mail(struct council *council)
{
    int64_t left = next_moment(council) - clock_ticks_ms();
    struct timespec moment = clock_moment_after(left > 1 ? left : 1);

    pthread_mutex_lock(&council->mail_lock);
    while (!council->first && (council->stopping || !council->stop_wanted) && left > 0)
        if (pthread_cond_timedwait(&council->mail_came, &council->mail_lock, &moment) != 0)
            break;
    pthread_mutex_unlock(&council->mail_lock);
}

static void round_of_work(struct council *council)
{
    open_mail(council);
    ring_alarms(council);
    if (council->stopping) {
        turns_end(council);
    } else {
        renew(council);
        claim(council);
        call_next(council);
        texts_save(council);
        elsewhere_look(council);
    }
    atomic_store(&council->calls, lanes_out(council->lanes));
    atomic_store(&council->waiting, lanes_waiting(council->lanes));
}

static void *run_council(void *user)
{
    struct council *council = user;

    while (!council->stopping || council->units > 0 || council->turns.count > 0) {
        wait_for_mail(council);
        round_of_work(council);
    }
    open_mail(council);
    return NULL;
}

/* Starting and stopping. */

struct node_work {
    struct work work;
    struct arena arena;
    struct council *council;
    bool leaves;
};

static bool run_node(struct db *db, struct work *work)
{
    struct node_work *of = (struct node_work *)work;
    struct tx tx = tx_of(db, &of->arena, clock_now_ms(), &work->err);

    arena_reset(&of->arena);
    if (of->leaves)
        return drive_node_leave(&tx, of->council->node);
    return drive_node_clear(&tx) && drive_node_renew(&tx, of->council->node, tx.now_ms + FOREVER_MS);
}

static bool write_node(struct council *council, bool leaves, struct err *err)
{
    struct node_work of = { .work = { .run = run_node }, .council = council, .leaves = leaves };
    bool done = store_write_wait(council->store, &of.work);

    arena_done(&of.arena);
    if (!done)
        *err = of.work.err;
    return done;
}

static void council_free(struct council *council)
{
    pthread_cond_destroy(&council->mail_came);
    pthread_mutex_destroy(&council->mail_lock);
    pthread_mutex_destroy(&council->text_lock);
    lanes_free(council->lanes);
    table_done(&council->turns);
    free(council);
}

static struct council *council_new(struct store *store, struct tailer *tailer, struct llm *llm)
{
    struct council *council = memory_take(sizeof(*council));
    pthread_condattr_t attributes;

    memset(council, 0, sizeof(*council));
    council->store = store;
    council->tailer = tailer;
    council->llm = llm;
    council->alone = store_engine(store) == DB_SQLITE;
    council->last = &council->first;
    council->look = true;
    council->lanes = lanes_new(COUNCIL_CALLS, COUNCIL_CALLS_OF_ONE);
    uuid_make(council->node);
    pthread_mutex_init(&council->mail_lock, NULL);
    pthread_mutex_init(&council->text_lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&council->mail_came, &attributes);
    pthread_condattr_destroy(&attributes);
    return council;
}

struct council *council_open(struct store *store, struct tailer *tailer, struct llm *llm, struct err *err)
{
    struct council *council = council_new(store, tailer, llm);

    crash_setup();
    if (council->alone && !write_node(council, false, err)) {
        council_free(council);
        return NULL;
    }
    tailer_subscribe(tailer, hear, council);
    if (pthread_create(&council->thread, NULL, run_council, council) != 0)
        abort();
    return council;
}

void council_close(struct council *council)
{
    struct err err = { 0 };

    if (!council)
        return;
    tailer_unsubscribe(council->tailer, council);
    pthread_mutex_lock(&council->mail_lock);
    council->stop_wanted = true;
    pthread_cond_signal(&council->mail_came);
    pthread_mutex_unlock(&council->mail_lock);
    pthread_join(council->thread, NULL);
    if (!write_node(council, true, &err))
        log_line(LOG_WARN, "discussions could not be let go of", "why", err.text, NULL);
    council_free(council);
}

void council_figures(struct council *council, struct council_figures *figures)
{
    *figures = (struct council_figures){
        .turns = atomic_load(&council->stored),
        .claimed = atomic_load(&council->claimed),
        .late = atomic_load(&council->late),
        .repeated = atomic_load(&council->repeated),
        .given_up = atomic_load(&council->given_up),
        .failed = atomic_load(&council->failed),
        .calls = atomic_load(&council->calls),
        .waiting = atomic_load(&council->waiting),
    };
    for (size_t i = 0; i < LLM_KIND_COUNT; i++)
        figures->failures[i] = atomic_load(&council->failures[i]);
}
