/*
 * The rulings are made in the order of their kinds and not of time: replies and skips by the rows of the log,
 * then round after round what was judged at its end, then what came before the end. A stored ruling and one
 * made again belong together by kind, round and place, and for replies also by the row, for a ballot stands
 * at the same place as a turn.
 */
#include "core/council/replay.h"

#include "base/settings.h"
#include "base/str.h"
#include "core/council/attendance.h"
#include "core/council/judgement.h"
#include "core/council/machine.h"
#include "core/council/novelty.h"
#include "core/council/request.h"
#include "core/council/result.h"

#include <string.h>

#define MADE_PER_ROUND 4 /* new, vote, stop, and the vote before the end */

struct replaying {
    const struct tx *tx;
    struct machine m;
    struct logs log;
    size_t taken_over; /* rows of the log that a fork began with */
    int64_t since_ms;  /* when the first of those who share its budget began */
    struct ruling *made;
    size_t made_count;
    const struct ruling *stored;
    size_t stored_count;
    enum council_end end; /* as it comes out */
    struct replay *replay;
};

static void differ(struct replaying *r, const char *difference)
{
    r->replay->differences[r->replay->difference_count++] = difference;
}

static void make(struct replaying *r, struct ruling ruling)
{
    r->made[r->made_count++] = ruling;
}

/* Rows */

static json_t *metadata_of(const struct logged *row)
{
    struct err ignored = { 0 };
    json_t *metadata = NULL;

    return json_parse(row->metadata, strlen(row->metadata), &metadata, &ignored) ? metadata : json_object();
}

static void take_stops(struct replaying *r, const json_t *metadata, struct reply_rules *rules)
{
    const json_t *stops = json_object_get(metadata, "stops"), *stop;
    const char **texts = arena_array(r->tx->arena, const char *, json_array_size(stops));
    size_t i;

    json_array_foreach(stops, i, stop)
    {
        texts[i] = arena_text(r->tx->arena, json_is_string(stop) ? json_string_value(stop) : "");
    }
    rules->stops = texts;
    rules->stop_count = json_array_size(stops);
}

static struct reply_rules rules_of(struct replaying *r, const struct logged *row, const json_t *metadata)
{
    struct open_turn turn = { .kind = (enum turn_kind)row->kind,
                              .round = row->round,
                              .turn_index = row->turn_index,
                              .speaker = row->speaker,
                              .role = row->role,
                              .without_stops = json_is_true(json_object_get(metadata, "askedAgain")) };
    struct reply_rules rules = request_rules(&r->m, &turn);

    rules.stopped = json_is_true(json_object_get(metadata, "stopped"));
    take_stops(r, metadata, &rules);
    return rules;
}

/* What was made of a model's reply, and whether that is what stands in the log. */
static void make_reply(struct replaying *r, const struct logged *row)
{
    JSON_AUTO *metadata = metadata_of(row);
    const char *raw = json_string_value(json_object_get(metadata, "raw"));
    bool failed = json_is_true(json_object_get(metadata, "failed"));
    struct arena *arena = r->tx->arena;

    /* Nobody was called (people, too late), or nothing was made of what a model had said when it was cut off.
     */
    if (!json_object_get(metadata, "attempts") || json_is_true(json_object_get(metadata, "partial")))
        return;
    struct reply_rules rules = rules_of(r, row, metadata);
    const char *text = arena_text(arena, raw ? raw : failed ? "" : row->content);
    struct reply cut = reply_cut(arena, &rules, text, strlen(text));
    struct pass pass = failed ? (struct pass){ PASS_FAILED, row->content } : pass_of_reply(arena, &cut);
    struct ruling_place place = { { row->round, row->turn_index }, row->speaker, row->role };
    struct ruling ruling = ruling_of_reply(arena, &place, &cut, &pass);

    ruling.after_seq = row->seq;
    make(r, ruling);
    if (!str_equal(pass.kind == PASS_NOT ? cut.text : pass.reason, row->content) ||
        (pass.kind == PASS_NOT) != (row->manner == ENTRY_SAID))
        differ(r,
               arena_format(arena, "Round %d, turn %d: the log does not hold what comes out of %s's reply.",
                            row->round, row->turn_index, row->speaker));
}

static void make_of_rows(struct replaying *r)
{
    for (size_t i = r->taken_over; i < r->log.count; i++) {
        const struct logged *row = &r->log.rows[i];

        if (row->kind == ROW_TURN && row->manner == ENTRY_SKIPPED)
            make(r, machine_skip_ruling(r->tx, row));
        else
            make_reply(r, row);
    }
}

/* Whether those spoke who sit there, in their order. */
static void compare_speakers(struct replaying *r)
{
    struct seating seating = participant_seating(r->m.d, &r->m.seats);
    struct slot at = logged_place(&seating, r->log.rows, r->taken_over);

    for (size_t i = r->taken_over; i < r->log.count; i++) {
        const struct logged *row = &r->log.rows[i];
        const char *who = attendance_of_row(r->tx->arena, &r->m.seats, row),
                   *where = attendance_of_place(r->tx->arena, &seating, row, &at);

        if (who)
            differ(r, who);
        if (where)
            differ(r, where);
    }
}

/* Rounds */

/* By their places, as logged_round has them: those who are asked at once answer in any order. */
static struct logged *rows_of(struct replaying *r, enum row_kind kind, int round, size_t *count)
{
    struct logged *rows = arena_array(r->tx->arena, struct logged, r->log.count);

    *count = 0;
    for (size_t i = 0; i < r->log.count; i++) {
        const struct logged *row = &r->log.rows[i];
        size_t at = *count;

        if (row->kind != kind || row->round != round || (row->turn_index < 0 && kind != ROW_JUDGE))
            continue;
        for (; at > 0 && rows[at - 1].turn_index > row->turn_index; at--)
            rows[at] = rows[at - 1];
        rows[at] = *row;
        (*count)++;
    }
    return rows;
}

/* The last row that was known when a round was judged. */
static int64_t last_of_round(const struct replaying *r, int round)
{
    int64_t seq = 0;

    for (size_t i = 0; i < r->log.count; i++)
        if (r->log.rows[i].round == round && r->log.rows[i].kind != ROW_SUMMARY)
            seq = r->log.rows[i].seq;
    return seq;
}

/* How many rounds there were at that time. */
static int rounds_at(const struct replaying *r, int64_t seq)
{
    const char *text = result_recall(r->tx, r->m.d, "added");
    struct err ignored = { 0 };
    JSON_AUTO *added = NULL;
    int rounds = r->m.d->rounds;

    if (!text || !json_parse(text, strlen(text), &added, &ignored))
        return rounds;
    for (size_t i = 0; i < json_array_size(added); i++)
        if (json_integer_value(json_array_get(json_array_get(added, i), 0)) >= seq)
            rounds -= (int)json_integer_value(json_array_get(json_array_get(added, i), 1));
    return rounds;
}

/* What the rows up to this one have used, and all who share the budget, by `now`. */
static bool used_at(const struct replaying *r, int64_t seq, int64_t now_ms, struct allowance *used)
{
    struct spent_moment moment = { .root_id = r->m.d->root_id, .discussion_id = r->m.d->id, .at_ms = now_ms };
    struct spent spent;

    if (!spent_by_others(r->tx, &moment, &spent))
        return false;
    for (size_t i = 0; i < r->log.count && r->log.rows[i].seq <= seq; i++)
        spent_add(&spent, &r->log.rows[i].spent);
    *used = (struct allowance){ .calls = spent.calls,
                                .tokens = spent.tokens_in + spent.tokens_out,
                                .seconds = (now_ms - r->since_ms) / 1000 };
    return true;
}

static int64_t time_of(const struct replaying *r, int64_t seq)
{
    for (size_t i = 0; i < r->log.count; i++)
        if (r->log.rows[i].seq == seq)
            return r->log.rows[i].created_ms;
    return r->m.d->created_ms;
}

static bool is_over(struct replaying *r, int round)
{
    size_t count;
    const struct logged *rows = rows_of(r, ROW_TURN, round, &count);
    size_t seats = 0;

    for (size_t seat = 0; seat < r->m.seats.count; seat++) {
        bool had = false;

        for (size_t i = 0; i < count && !had; i++)
            had = rows[i].turn_index == (int)seat;
        seats += had;
    }
    return seats == r->m.seats.count && seats > 0;
}

/* Ballots that cannot be counted are a difference, and no fault of whoever asks. */
static bool tally(struct replaying *r, int round, const struct logged *ballots, size_t count,
                  struct vote_result *result)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(r->tx, &err);
    struct machine m = r->m;

    m.tx = &quiet;
    if (machine_tally(&m, ballots, count, result))
        return true;
    if (err.code == ERR_INVALID)
        differ(r, arena_format(r->tx->arena, "Round %d: the ballots of the log cannot be counted: %s", round,
                               err.text));
    else
        *r->tx->err = err;
    return false;
}

static bool make_vote(struct replaying *r, int round, bool *complete, bool *agreed)
{
    struct vote_result result;
    size_t count;
    const struct logged *ballots = rows_of(r, ROW_BALLOT, round, &count);

    *complete = machine_has_ballots(&r->m, ballots, count);
    if (!*complete)
        return true;
    if (!tally(r, round, ballots, count, &result)) {
        *complete = false;
        return r->tx->err->code == ERR_NONE;
    }
    *agreed = result.agreed;
    make(r, ruling_of_vote(r->tx->arena, round, &result));
    return true;
}

/* As round_end.c looks; `complete` is false when it still waited for somebody. */
static bool look(struct replaying *r, struct end_facts *facts, bool *complete)
{
    const struct council_options *options = &r->m.options;
    size_t count;

    if (facts->round >= facts->rounds)
        return true;
    if (options->choice_count > 0 && facts->round <= settings()->consensus_max_rounds) {
        if (!make_vote(r, facts->round, complete, &facts->agreed))
            return false;
        if (!*complete)
            return true;
    }
    const struct entry *entries = logged_entries(r->tx->arena, r->log.rows, r->log.count, &count);
    struct novelty_round novelty = novelty_of_round(r->tx->arena, entries, count, facts->round);

    make(r, ruling_of_novelty(r->tx->arena, facts->round, &novelty));
    facts->nothing_new = novelty.nothing_new;
    if (!options->judge || facts->agreed || facts->nothing_new)
        return true;
    const struct logged *judge = rows_of(r, ROW_JUDGE, facts->round, &count);

    *complete = count > 0;
    facts->nothing_new = count > 0 && !judgement_read(r->tx->arena, judge[0].content).go_on;
    return true;
}

static bool make_round(struct replaying *r, int round)
{
    int64_t last = last_of_round(r, round);
    struct end_facts facts = { .mode = r->m.d->mode,
                               .smart = r->m.options.smart,
                               .round = round,
                               .rounds = rounds_at(r, last),
                               .round_over = true,
                               .allowed = r->m.options.budget };
    bool complete = true;
    size_t count;
    const struct logged *turns = rows_of(r, ROW_TURN, round, &count);

    if (!used_at(r, last, time_of(r, last), &facts.used))
        return false;
    machine_count_turns(turns, count, &facts);
    if (facts.contributions > 0 && facts.smart != SMART_OFF && !look(r, &facts, &complete))
        return false;
    if (!complete)
        return true;
    struct end_verdict verdict = end_judge(r->tx->arena, &facts);

    r->end = verdict.end;
    make(r, ruling_of_end(r->tx->arena, &facts, &verdict));
    return true;
}

/* Where the order stands after the first rows of the log. */
static struct slot place_after(struct replaying *r, size_t rows)
{
    struct seating seating = participant_seating(r->m.d, &r->m.seats);

    return logged_place(&seating, r->log.rows, rows);
}

static bool is_of_round(enum ruling_kind kind)
{
    return kind == RULING_NEW || kind == RULING_VOTE || kind == RULING_STOP;
}

/* By a cancel, or because it could not be moved on: no judgement of the rules. */
static bool was_broken_off(const struct replaying *r)
{
    const struct discussion *d = r->m.d;

    return d->status == STATUS_CANCELLED ||
           (d->status == STATUS_FAILED && result_recall(r->tx, d, RESULT_FAILURE));
}

/* A cancel judges nothing, even where what it cut off was the last that its round waited for. */
static bool was_broken_off_before_judged(const struct replaying *r, int round)
{
    if (!was_broken_off(r))
        return false;
    for (size_t i = 0; i < r->log.count; i++)
        if (r->log.rows[i].round > round)
            return false;
    for (size_t i = 0; i < r->stored_count; i++)
        if (r->stored[i].round == round && is_of_round(r->stored[i].kind))
            return false;
    return true;
}

/* A fork judges the round before the one it begins in, and none before that. */
static bool make_rounds(struct replaying *r)
{
    struct slot at = place_after(r, r->taken_over);
    int first = at.round > 1 ? at.round - 1 : 1;

    for (int round = first; r->m.d->mode != MODE_TURNS && r->end == END_NONE && is_over(r, round); round++)
        if (!was_broken_off_before_judged(r, round) && !make_round(r, round))
            return false;
    return true;
}

/* The end */

/* Which calls were out when the budget was found spent, and what they were reckoned with, stands in no log:
 * it is taken as it was kept. */
static void take_out_then(const struct replaying *r, struct end_facts *facts)
{
    for (size_t i = 0; i < r->stored_count; i++) {
        const struct ruling *ruling = &r->stored[i];
        struct err ignored = { 0 };
        JSON_AUTO *inputs = NULL;

        if (ruling->kind == RULING_STOP && strcmp(ruling->verdict, end_text(END_BUDGET)) == 0 &&
            json_parse(ruling->inputs, strlen(ruling->inputs), &inputs, &ignored)) {
            facts->out = json_integer_value(json_object_get(inputs, "out"));
            facts->reserved = json_integer_value(json_object_get(inputs, "reserved"));
            return;
        }
    }
}

/* Between two turns: no round is left, or no budget. As machine.c heads for it. */
static bool make_end(struct replaying *r)
{
    const struct discussion *d = r->m.d;
    struct slot at = place_after(r, r->log.count);
    int64_t last = r->log.count > 0 ? r->log.rows[r->log.count - 1].seq : 0;
    struct end_facts facts = { .mode = d->mode,
                               .round = at.round > d->rounds ? d->rounds : at.round,
                               .rounds = d->rounds,
                               .round_over = at.round > d->rounds,
                               .contributions = 1,
                               .allowed = r->m.options.budget };
    struct end_verdict verdict;

    if (r->end != END_NONE || was_broken_off(r))
        return true;
    if (!used_at(r, last, d->ended_ms ? d->ended_ms : time_of(r, last), &facts.used))
        return false;
    take_out_then(r, &facts);
    if (d->mode == MODE_TURNS && at.round > d->rounds)
        r->end = END_ROUNDS;
    else if (discussion_has_ended(d) && end_spent(&facts))
        r->end = END_BUDGET;
    if (r->end == END_NONE)
        return true;
    verdict = end_judge(r->tx->arena, &facts);
    verdict.end = r->end;
    make(r, ruling_of_end(r->tx->arena, &facts, &verdict));
    return true;
}

static bool make_closing_vote(struct replaying *r)
{
    struct slot at = place_after(r, r->log.count);
    int round = at.turn == 0 && at.round > 1 ? at.round - 1 : at.round;
    bool complete, agreed;

    if (r->m.options.choice_count == 0 ||
        (r->end != END_ROUNDS && r->end != END_ALL_PASSED && r->end != END_NOTHING_NEW))
        return true;
    return make_vote(r, round > r->m.d->rounds ? r->m.d->rounds : round, &complete, &agreed);
}

/* Comparing */

static bool belong_together(const struct ruling *a, const struct ruling *b)
{
    return a->kind == b->kind && a->round == b->round && a->turn == b->turn &&
           (a->kind != RULING_REPLY || a->after_seq == b->after_seq);
}

static const struct ruling *find(const struct ruling *list, size_t count, const struct ruling *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (belong_together(&list[i], wanted))
            return &list[i];
    return NULL;
}

static void compare(struct replaying *r)
{
    const struct ruling *stored = r->stored;
    size_t count = r->stored_count;
    struct arena *arena = r->tx->arena;

    for (size_t i = 0; i < r->made_count; i++)
        if (!find(stored, count, &r->made[i]))
            differ(r, arena_format(arena, "Round %d, turn %d, %s: \"%s\" comes out, and nothing is stored.",
                                   r->made[i].round, r->made[i].turn, ruling_kind_name(r->made[i].kind),
                                   r->made[i].verdict));
    for (size_t i = 0; i < count; i++) {
        const struct ruling *made = find(r->made, r->made_count, &stored[i]);
        const char *difference =
            made ? ruling_difference(arena, &stored[i], made)
                 : arena_format(arena, "Round %d, turn %d, %s: \"%s\" is stored, and does not come out.",
                                stored[i].round, stored[i].turn, ruling_kind_name(stored[i].kind),
                                stored[i].verdict);

        if (difference)
            differ(r, difference);
    }
}

static bool read_stored(const struct tx *tx, const char *id, struct ruling **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DECIDED_LIST, DB_ARGS(db_text(id), db_int(LIMIT_ENTRIES)), &rows))
        return false;
    *list = arena_array(tx->arena, struct ruling, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        struct ruling *ruling = &(*list)[i];

        if (!ruling_kind_parse(db_cell(&rows, i, COL_DECIDED_KIND), &ruling->kind, tx->err))
            return false;
        ruling->round = (int)db_cell_int(&rows, i, COL_DECIDED_ROUND_NUMBER);
        ruling->turn = (int)db_cell_int(&rows, i, COL_DECIDED_TURN_INDEX);
        ruling->after_seq = db_cell_int(&rows, i, COL_DECIDED_AFTER_SEQ);
        ruling->inputs = db_cell(&rows, i, COL_DECIDED_INPUTS);
        ruling->verdict = db_cell(&rows, i, COL_DECIDED_VERDICT);
        ruling->reason = db_cell(&rows, i, COL_DECIDED_REASON);
    }
    return true;
}

/* A fork's log begins with what people saw of the other one up to where it was forked. */
static bool count_taken_over(struct replaying *r)
{
    const struct discussion *d = r->m.d;
    struct logged *rows;
    size_t count;

    if (!d->forked_from)
        return true;
    if (!logged_all(r->tx, d->forked_from, 0, &rows, &count))
        return false;
    for (size_t i = 0; i < count && rows[i].seq <= d->forked_at; i++)
        r->taken_over += logged_is_shown(&rows[i]);
    if (r->taken_over > r->log.count)
        r->taken_over = r->log.count;
    return true;
}

static bool find_beginning(struct replaying *r)
{
    struct db_rows rows;

    if (!tx_query(r->tx, SQL_DISCUSSION_USED, DB_ARGS(db_text(r->m.d->root_id)), &rows))
        return false;
    r->since_ms = db_cell_int(&rows, 0, 2);
    return true;
}

bool replay_run(const struct tx *tx, const char *id, struct replay *replay)
{
    struct replaying r = { .tx = tx, .replay = replay };
    struct ruling *stored;
    struct discussion d;
    size_t count, room;

    *replay = (struct replay){ 0 };
    if (!discussion_get(tx, id, &d) || !machine_begin(tx, &d, &r.m) ||
        !logged_all(tx, d.id, 0, &r.log.rows, &r.log.count) || !count_taken_over(&r) || !find_beginning(&r) ||
        !read_stored(tx, d.id, &stored, &count))
        return false;
    r.stored = stored;
    r.stored_count = count;
    room = r.log.count + MADE_PER_ROUND * (LIMIT_ROUNDS + 1);
    r.made = arena_array(tx->arena, struct ruling, room);
    replay->differences = arena_array(tx->arena, const char *, 3 * r.log.count + 2 * room + count);
    compare_speakers(&r);
    make_of_rows(&r);
    if (!make_rounds(&r) || !make_end(&r) || !make_closing_vote(&r))
        return false;
    compare(&r);
    replay->decisions = r.made_count;
    return true;
}
