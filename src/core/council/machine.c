/*
 * A loop that takes one small step at a time until a turn is open, somebody outside has to speak, or it is
 * over. Each step looks at the rows again and changes them at once, so that the loop can be left at any point
 * and taken up by another node. Whatever decides anything is a pure function elsewhere (order.h, ending.h,
 * vote.h); here is only what follows from it.
 */
#include "core/council/machine.h"

#include "base/settings.h"
#include "base/str.h"
#include "core/council/budget_ask.h"
#include "core/council/condense.h"
#include "core/council/tell.h"

#define LINES_MOST 256

bool machine_begin(const struct tx *tx, struct discussion *d, struct machine *m)
{
    *m = (struct machine){ .tx = tx, .d = d, .lines = arena_array(tx->arena, const char *, LINES_MOST) };
    options_read(tx->arena, d->options, settings()->consensus_agreement_threshold, &m->options);
    return participant_list(tx, d->id, &m->seats);
}

void machine_line(struct machine *m, const char *line)
{
    if (m->line_count < LINES_MOST)
        m->lines[m->line_count++] = line;
}

bool machine_rule(struct machine *m, struct ruling ruling)
{
    return logged_last_seq(m->tx, m->d->id, &ruling.after_seq) &&
           tx_exec(m->tx, SQL_DECIDED_INSERT,
                   DB_ARGS(db_text(m->d->id), db_text(ruling_kind_word(ruling.kind)), db_int(ruling.round),
                           db_int(ruling.turn), db_int(ruling.after_seq), db_text(ruling.inputs),
                           db_text(ruling.verdict), db_text(ruling.reason), db_int(m->tx->now_ms)),
                   NULL);
}

bool machine_has_ruled(struct machine *m, enum ruling_kind kind, int round, bool *ruled)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_DECIDED_COUNT,
                  DB_ARGS(db_text(m->d->id), db_text(ruling_kind_word(kind)), db_int(round)), &rows))
        return false;
    *ruled = db_cell_int(&rows, 0, 0) > 0;
    return true;
}

void machine_head_for(struct machine *m, enum council_end reason)
{
    m->d->ending = reason;
}

static struct slot place_of(const struct discussion *d)
{
    return (struct slot){ .round = d->round, .turn = d->turn_index };
}

static bool tell_round_over(struct machine *m, int round)
{
    size_t count, said = 0;
    struct logged *rows;

    if (!logged_round(m->tx, m->d->id, ROW_TURN, round, &rows, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        said += rows[i].manner == ENTRY_SAID;
    return tell_round(m->tx, m->d, round, said, count - said);
}

/* Behind the place where it stands. */
static bool move_on(struct machine *m)
{
    struct seating seating = participant_seating(m->d, &m->seats);
    struct slot at = place_of(m->d), next = order_after(&seating, at);

    m->d->turn_index = next.turn;
    m->d->round = next.round;
    m->d->iterations++;
    return next.round == at.round || tell_round_over(m, at.round);
}

static bool holds_place(const struct discussion *d, const struct logged *logged)
{
    return logged->kind == ROW_TURN && d->mode != MODE_PARALLEL && logged->round == d->round &&
           logged->turn_index == d->turn_index;
}

static bool log_row(struct machine *m, struct logged *logged)
{
    if (!logged_add(m->tx, m->d, logged))
        return false;
    if (logged->kind == ROW_TURN && logged->manner == ENTRY_SAID && m->d->mode != MODE_TURNS)
        machine_line(m, arena_format(m->tx->arena, "[Worker] %s contributed in round %d", logged->speaker,
                                     logged->round));
    return !holds_place(m->d, logged) || move_on(m);
}

bool machine_log(struct machine *m, const struct open_turn *turn, struct logged *logged)
{
    return open_turn_delete(m->tx, turn) && log_row(m, logged) && tell_finished(m->tx, m->d, turn, logged);
}

static bool skip(struct machine *m, int seat)
{
    const struct participant *p = (size_t)seat < m->seats.count ? &m->seats.list[seat] : NULL;
    struct logged logged = {
        .kind = ROW_TURN,
        .manner = ENTRY_SKIPPED,
        .agent_id = p ? p->agent_id : NULL,
        .speaker = p ? p->name : "",
        .role = p ? p->role : "",
        .content = "",
        .turn_index = seat,
        .round = m->d->round,
        .metadata = "{\"skipped\":true,\"reason\":\"The agent is gone.\"}",
    };
    struct open_turn none = { .id = NULL, .kind = TURN_TURN };

    return machine_rule(m, ruling_of_skip(m->tx->arena, &logged)) && log_row(m, &logged) &&
           tell_finished(m->tx, m->d, &none, &logged);
}

/* The end between two turns: the rounds are used up, or the budget is. */
static bool head_for_end(struct machine *m, enum council_end end)
{
    struct end_facts facts = { .mode = m->d->mode,
                               .smart = SMART_OFF,
                               .round = m->d->round > m->d->rounds ? m->d->rounds : m->d->round,
                               .rounds = m->d->rounds,
                               .round_over = end == END_ROUNDS,
                               .contributions = 1,
                               .allowed = m->options.budget };
    struct end_verdict verdict;

    if (budget_is_limited(&facts.allowed)) {
        struct budget_look look;

        if (!budget_look(m, NULL, &look))
            return false;
        facts.used = look.used;
        if (end == END_BUDGET) {
            facts.out = look.out;
            (void)budget_judge(&facts.allowed, &look, &facts.reserved);
        }
    }
    verdict = end_judge(m->tx->arena, &facts);
    verdict.end = end;
    machine_head_for(m, end);
    return machine_rule(m, ruling_of_end(m->tx->arena, &facts, &verdict));
}

/* A turn at a seat, or the end when there is no budget left for it; who speaks for themselves costs none. */
static bool ask(struct machine *m, int seat, bool *asked)
{
    enum budget_left left = BUDGET_LEFT;
    struct open_turn turn;

    if (m->seats.seats[seat].kind == SEAT_MODEL && !budget_ask(m, NULL, &left))
        return false;
    *asked = left == BUDGET_LEFT;
    if (left == BUDGET_LATER)
        return true;
    if (left == BUDGET_SPENT)
        return m->d->ending != END_NONE || head_for_end(m, END_BUDGET);
    return open_turn_add(m->tx, m->d, TURN_TURN, &m->seats, seat, &turn);
}

bool machine_ask_once(struct machine *m, enum turn_kind kind, int round, bool *asked,
                      const struct logged **row)
{
    struct discussion at = *m->d;
    enum budget_left left;
    struct open_turn turn;
    struct logged *rows;
    size_t count;

    at.round = round;
    if (!logged_round(m->tx, m->d->id, (enum row_kind)kind, round, &rows, &count) ||
        !budget_ask(m, NULL, &left))
        return false;
    *row = count > 0 ? &rows[0] : NULL;
    *asked = count == 0 && left == BUDGET_LEFT;
    return !*asked || open_turn_add(m->tx, &at, kind, &m->seats, -1, &turn);
}

static void line_of_round(struct machine *m)
{
    if (m->d->mode != MODE_TURNS && m->d->turn_index == 0)
        machine_line(m, arena_format(m->tx->arena, "[Worker] Round %d/%d", m->d->round, m->d->rounds));
}

/* Everybody of the round who has not spoken in it yet. */
static bool ask_all(struct machine *m, bool *asked)
{
    struct seating seating = participant_seating(m->d, &m->seats);
    bool *had = arena_array(m->tx->arena, bool, m->seats.count);
    size_t *turns = arena_array(m->tx->arena, size_t, m->seats.count);
    struct logged *rows;
    size_t count, pending;
    bool any = false;

    if (!logged_round(m->tx, m->d->id, ROW_TURN, m->d->round, &rows, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (rows[i].turn_index >= 0 && (size_t)rows[i].turn_index < m->seats.count)
            had[rows[i].turn_index] = true;
    if (count == 0)
        line_of_round(m);
    for (size_t i = 0; i < m->seats.count; i++)
        if (!had[i] && m->seats.seats[i].gone && !skip(m, (int)i))
            return false;
    pending = order_pending(&seating, had, turns);
    for (size_t i = 0; i < pending && m->d->ending == END_NONE; i++) {
        bool opened;

        if (!ask(m, (int)turns[i], &opened))
            return false;
        any = any || opened;
    }
    *asked = any;
    return pending > 0 || move_on(m);
}

/* One step at the place where it stands. `rest`: it waits for somebody without a turn being open. */
static bool step_at_place(struct machine *m, bool *asked, bool *rest)
{
    struct seating seating = participant_seating(m->d, &m->seats);
    struct order_step step = order_next(&seating, place_of(m->d), m->d->iterations);

    switch (step.verdict) {
    case ORDER_END: return head_for_end(m, END_ROUNDS);
    case ORDER_ASK_ALL: return ask_all(m, asked);
    case ORDER_REST: *rest = true; return true;
    case ORDER_SKIP: line_of_round(m); return skip(m, m->d->turn_index);
    case ORDER_WAIT_PERSON:
        if (m->d->mode == MODE_TURNS) {
            *rest = true;
            return true;
        }
        break;
    case ORDER_SPEAK:
    case ORDER_WAIT_OUTSIDE:
    case ORDER_VERDICT_END: break;
    }
    line_of_round(m);
    return ask(m, m->d->turn_index, asked);
}

static bool log_interjections(struct machine *m)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_INTERJECTION_LIST, DB_ARGS(db_text(m->d->id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        struct logged logged = {
            .kind = ROW_MESSAGE,
            .manner = ENTRY_SAID,
            .agent_id = db_cell(&rows, i, COL_INTERJECTION_AGENT_ID),
            .user_id = db_cell(&rows, i, COL_INTERJECTION_USER_ID),
            .speaker = db_cell(&rows, i, COL_INTERJECTION_SPEAKER),
            .role = db_cell(&rows, i, COL_INTERJECTION_ROLE),
            .content = db_cell(&rows, i, COL_INTERJECTION_CONTENT),
            .turn_index = OUT_OF_TURN,
            .round = m->d->round,
            .metadata = "{\"interjection\":\"after_turn\"}",
        };

        if (!logged_add(m->tx, m->d, &logged) || !tell_interjected(m->tx, m->d, &logged))
            return false;
    }
    return rows.count == 0 || tx_exec(m->tx, SQL_INTERJECTION_CLEAR, DB_ARGS(db_text(m->d->id)), NULL);
}

static bool has_children(struct machine *m, bool *any)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_DISCUSSION_CHILDREN_OPEN, DB_ARGS(db_text(m->d->id)), &rows))
        return false;
    *any = db_cell_int(&rows, 0, 0) > 0;
    return true;
}

/* Until a turn is open, it has ended, or it waits for somebody. */
static bool decide(struct machine *m)
{
    bool asked = false, rest = false, children = false;

    if (!log_interjections(m) || !has_children(m, &children))
        return false;
    if (children) {
        discussion_rest(m->d, PHASE_DELEGATING);
        return true;
    }
    while (!asked && !rest && m->d->status == STATUS_ACTIVE) {
        bool fine = m->d->ending != END_NONE ? machine_close(m, &asked)
                    : m->d->mode != MODE_TURNS && m->d->settled_round < m->d->round - 1
                        ? machine_settle(m, &asked)
                        : machine_condense(m, &asked) && (asked || step_at_place(m, &asked, &rest));
        if (!fine)
            return false;
        if (m->d->phase == PHASE_ANSWERING)
            return true;
    }
    if (rest)
        discussion_rest(m->d, PHASE_PERSON);
    return true;
}

static bool waits_outside(const struct open_turn *turns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (turns[i].state != TURN_OUTSIDE)
            return false;
    return count > 0;
}

const char *machine_model(const struct machine *m, const struct open_turn *turn)
{
    bool seated = turn->participant_id && (size_t)turn->turn_index < m->seats.count;

    if (m->options.rehearse)
        return "{\"provider\":\"scripted\"}";
    return seated ? m->seats.list[turn->turn_index].model_config : NULL;
}

static void fill_step(const struct machine *m, const struct open_turn *turns, size_t count,
                      struct drive_step *step)
{
    step->phase = m->d->phase;
    step->over = !m->d->wants_drive;
    step->lines = m->lines;
    step->line_count = m->line_count;
    step->call_count = 0;
    step->calls = arena_array(m->tx->arena, struct turn_call, count);
    for (size_t i = 0; i < count && !step->over; i++)
        if (turns[i].state == TURN_QUEUED)
            step->calls[step->call_count++] = (struct turn_call){
                .ref = { .turn_id = turns[i].id,
                         .discussion_id = m->d->id,
                         .node = m->d->driver,
                         .epoch = m->d->driver_epoch },
                .workspace_id = m->d->workspace_id,
                .project_id = m->d->project_id,
                .kind = turns[i].kind,
                .round = turns[i].round,
                .turn_index = turns[i].turn_index,
                .attempt = turns[i].attempt,
                .speaker = turns[i].speaker,
                .agent_id = turns[i].agent_id,
                .model_config = machine_model(m, &turns[i]),
            };
}

static bool tell_rest(struct machine *m)
{
    struct seating seating = participant_seating(m->d, &m->seats);

    return m->d->wants_drive || m->d->status != STATUS_ACTIVE ||
           tell_resting(m->tx, m->d, order_next_speaker(&seating, place_of(m->d)));
}

bool machine_run(struct machine *m, struct drive_step *step)
{
    struct drive_step ignored;
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    if (m->d->status == STATUS_ACTIVE && count == 0 &&
        (!decide(m) || !open_turn_list(m->tx, m->d->id, &turns, &count)))
        return false;
    if (m->d->status == STATUS_ACTIVE && count > 0) {
        m->d->phase = PHASE_OUTSIDE;
        for (size_t i = 0; i < count; i++)
            m->d->phase = phase_with(m->d->phase, turns[i].kind, turns[i].state, turns[i].partial != NULL);
        if (waits_outside(turns, count))
            discussion_rest(m->d, m->d->phase);
        else
            m->d->wants_drive = true;
    } else if (m->d->status != STATUS_ACTIVE) {
        discussion_rest(m->d, discussion_has_ended(m->d) ? PHASE_ENDED : m->d->phase);
    }
    fill_step(m, turns, count, step ? step : &ignored);
    return discussion_save(m->tx, m->d) && tell_rest(m);
}
