/*
 * The rulings are made in the order of their kinds and not of time: replies and skips by the rows of the log,
 * then round after round what was judged at its end, then what came before the end. A stored ruling and one
 * made again belong together by kind, round and place, and for replies also by the row, for a ballot stands
 * at the same place as a turn.
 */
#include "core/council/rules/replay.h"

#include "base/str.h"
#include "core/council/rules/attendance.h"
#include "core/council/rules/judgement.h"
#include "core/council/rules/voting.h"

#include <string.h>

#define MADE_PER_ROUND 4 /* new, vote, stop, and the vote before the end */

struct replaying {
    struct arena *arena;
    const struct replay_facts *facts;
    struct ruling *made;
    size_t made_count;
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
    const char **texts = arena_array(r->arena, const char *, json_array_size(stops));
    size_t i;

    json_array_foreach(stops, i, stop)
    {
        texts[i] = arena_text(r->arena, json_is_string(stop) ? json_string_value(stop) : "");
    }
    rules->stops = texts;
    rules->stop_count = json_array_size(stops);
}

static struct reply_rules rules_of(struct replaying *r, const struct logged *row, const json_t *metadata)
{
    struct reply_rules rules =
        reply_rules_of(r->arena, &r->facts->seating, (enum turn_kind)row->kind, row->speaker);

    rules.again = json_is_true(json_object_get(metadata, "askedAgain"));
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
    struct arena *arena = r->arena;

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
    for (size_t i = r->facts->taken_over; i < r->facts->log.count; i++) {
        const struct logged *row = &r->facts->log.rows[i];

        if (row->kind == ROW_TURN && row->manner == ENTRY_SKIPPED)
            make(r, ruling_of_skip(r->arena, row));
        else
            make_reply(r, row);
    }
}

/* Whether those spoke who sit there, in their order. */
static void compare_speakers(struct replaying *r)
{
    const struct seating *seating = &r->facts->seating;
    struct slot at = logged_place(seating, r->facts->log.rows, r->facts->taken_over);

    for (size_t i = r->facts->taken_over; i < r->facts->log.count; i++) {
        const struct logged *row = &r->facts->log.rows[i];
        const char *who = attendance_of_row(r->arena, seating, row),
                   *where = attendance_of_place(r->arena, seating, row, &at);

        if (who)
            differ(r, who);
        if (where)
            differ(r, where);
    }
}

/* Rounds */

/* By their places, as the store has those of a round: who are asked at once answer in any order. */
static struct logs rows_of(struct replaying *r, enum row_kind kind, int round)
{
    struct logs of = { .rows = arena_array(r->arena, struct logged, r->facts->log.count) };

    for (size_t i = 0; i < r->facts->log.count; i++) {
        const struct logged *row = &r->facts->log.rows[i];
        size_t at = of.count;

        if (row->kind != kind || row->round != round || (row->turn_index < 0 && kind != ROW_JUDGE))
            continue;
        for (; at > 0 && of.rows[at - 1].turn_index > row->turn_index; at--)
            of.rows[at] = of.rows[at - 1];
        of.rows[at] = *row;
        of.count++;
    }
    return of;
}

/* The last row that was known when a round was judged. */
static int64_t last_of_round(const struct replaying *r, int round)
{
    int64_t seq = 0;

    for (size_t i = 0; i < r->facts->log.count; i++)
        if (r->facts->log.rows[i].round == round && r->facts->log.rows[i].kind != ROW_SUMMARY)
            seq = r->facts->log.rows[i].seq;
    return seq;
}

/* How many rounds there were at that time. */
static int rounds_at(const struct replaying *r, int64_t seq)
{
    const char *text = r->facts->added;
    struct err ignored = { 0 };
    JSON_AUTO *added = NULL;
    int rounds = r->facts->seating.rounds;

    if (!text || !json_parse(text, strlen(text), &added, &ignored))
        return rounds;
    for (size_t i = 0; i < json_array_size(added); i++)
        if (json_integer_value(json_array_get(json_array_get(added, i), 0)) >= seq)
            rounds -= (int)json_integer_value(json_array_get(json_array_get(added, i), 1));
    return rounds;
}

/* What the rows up to this one have used, and all who share the budget, by then. */
static struct allowance used_at(const struct replaying *r, int64_t seq, int64_t at_ms)
{
    const struct replay_facts *facts = r->facts;
    struct spent spent = { 0 };

    for (size_t i = 0; i < facts->others_count; i++)
        if (facts->others[i].at_ms <= at_ms)
            spent_add(&spent, &facts->others[i].spent);
    for (size_t i = 0; i < facts->log.count && facts->log.rows[i].seq <= seq; i++)
        spent_add(&spent, &facts->log.rows[i].spent);
    return (struct allowance){ .calls = spent.calls,
                               .tokens = spent.tokens_in + spent.tokens_out,
                               .seconds = (at_ms - facts->since_ms) / 1000 };
}

static int64_t time_of(const struct replaying *r, int64_t seq)
{
    for (size_t i = 0; i < r->facts->log.count; i++)
        if (r->facts->log.rows[i].seq == seq)
            return r->facts->log.rows[i].created_ms;
    return r->facts->created_ms;
}

static bool is_over(struct replaying *r, int round)
{
    struct logs turns = rows_of(r, ROW_TURN, round);
    size_t seats = 0;

    for (size_t seat = 0; seat < r->facts->seating.count; seat++) {
        bool had = false;

        for (size_t i = 0; i < turns.count && !had; i++)
            had = turns.rows[i].turn_index == (int)seat;
        seats += had;
    }
    return seats == r->facts->seating.count && seats > 0;
}

/* False: somebody's ballot is not there yet, or they cannot be counted, which is a difference. */
static bool make_vote(struct replaying *r, int round, bool *agreed)
{
    struct logs ballots = rows_of(r, ROW_BALLOT, round);
    struct vote_result result;
    struct err err = { 0 };

    if (!voting_is_complete(&r->facts->seating, &ballots))
        return false;
    if (!voting_count(r->arena, &r->facts->seating, &r->facts->options, &ballots, &result, &err)) {
        differ(r, arena_format(r->arena, "Round %d: the ballots of the log cannot be counted: %s", round,
                               err.text));
        return false;
    }
    *agreed = result.agreed;
    make(r, ruling_of_vote(r->arena, round, &result));
    return true;
}

/* As round_end.c looks; false: it still waited for somebody. */
static bool look(struct replaying *r, struct end_facts *facts)
{
    const struct council_options *options = &r->facts->options;
    size_t count;

    if (facts->round >= facts->rounds)
        return true;
    if (options->choice_count > 0 && facts->round <= r->facts->vote_rounds &&
        !make_vote(r, facts->round, &facts->agreed))
        return false;
    const struct council_entry *entries =
        logged_entries(r->arena, r->facts->log.rows, r->facts->log.count, &count);
    struct novelty_round novelty = novelty_of_round(r->arena, entries, count, facts->round);

    make(r, ruling_of_novelty(r->arena, facts->round, &novelty));
    facts->nothing_new = novelty.nothing_new;
    if (!options->judge || facts->agreed || facts->nothing_new)
        return true;
    struct logs judge = rows_of(r, ROW_JUDGE, facts->round);

    facts->nothing_new = judge.count > 0 && !judgement_read(r->arena, judge.rows[0].content).go_on;
    return judge.count > 0;
}

static void make_round(struct replaying *r, int round)
{
    int64_t last = last_of_round(r, round);
    struct end_facts facts = { .mode = r->facts->seating.mode,
                               .smart = r->facts->options.smart,
                               .round = round,
                               .rounds = rounds_at(r, last),
                               .round_over = true,
                               .allowed = r->facts->options.budget,
                               .used = used_at(r, last, time_of(r, last)) };
    struct logs turns = rows_of(r, ROW_TURN, round);

    end_count_turns(turns.rows, turns.count, &facts);
    if (facts.contributions > 0 && facts.smart != SMART_OFF && !look(r, &facts))
        return;
    struct end_verdict verdict = end_judge(r->arena, &facts);

    r->end = verdict.end;
    make(r, ruling_of_end(r->arena, &facts, &verdict));
}

/* Where the order stands after the first rows of the log. */
static struct slot place_after(const struct replaying *r, size_t rows)
{
    return logged_place(&r->facts->seating, r->facts->log.rows, rows);
}

static bool is_of_round(enum ruling_kind kind)
{
    return kind == RULING_NEW || kind == RULING_VOTE || kind == RULING_STOP;
}

/* A cancel judges nothing, even where what it cut off was the last that its round waited for. */
static bool was_broken_off_before_judged(const struct replaying *r, int round)
{
    if (!r->facts->broken_off)
        return false;
    for (size_t i = 0; i < r->facts->log.count; i++)
        if (r->facts->log.rows[i].round > round)
            return false;
    for (size_t i = 0; i < r->facts->stored_count; i++)
        if (r->facts->stored[i].round == round && is_of_round(r->facts->stored[i].kind))
            return false;
    return true;
}

/* A fork judges the round before the one it begins in, and none before that. */
static void make_rounds(struct replaying *r)
{
    struct slot at = place_after(r, r->facts->taken_over);
    int first = at.round > 1 ? at.round - 1 : 1;

    for (int round = first; r->facts->seating.mode != MODE_TURNS && r->end == END_NONE && is_over(r, round);
         round++)
        if (!was_broken_off_before_judged(r, round))
            make_round(r, round);
}

/* The end */

/* Which calls were out when the budget was found spent, and what they were reckoned with, stands in no log:
 * it is taken as it was kept. */
static void take_out_then(const struct replaying *r, struct end_facts *facts)
{
    for (size_t i = 0; i < r->facts->stored_count; i++) {
        const struct ruling *ruling = &r->facts->stored[i];
        struct err ignored = { 0 };
        JSON_AUTO *inputs = NULL;

        if (ruling->kind == RULING_STOP && strcmp(ruling->verdict, council_end_word(END_BUDGET)) == 0 &&
            json_parse(ruling->inputs, strlen(ruling->inputs), &inputs, &ignored)) {
            facts->out = json_integer_value(json_object_get(inputs, "out"));
            facts->reserved = json_integer_value(json_object_get(inputs, "reserved"));
            return;
        }
    }
}

/* Between two turns: no round is left, or no budget. As machine.c heads for it. */
static void make_end(struct replaying *r)
{
    const struct replay_facts *of = r->facts;
    struct slot at = place_after(r, of->log.count);
    int rounds = of->seating.rounds;
    int64_t last = of->log.count > 0 ? of->log.rows[of->log.count - 1].seq : 0;
    struct end_facts facts = { .mode = of->seating.mode,
                               .smart = SMART_OFF,
                               .round = at.round > rounds ? rounds : at.round,
                               .rounds = rounds,
                               .round_over = at.round > rounds,
                               .contributions = 1,
                               .allowed = of->options.budget,
                               .used = used_at(r, last, of->ended_ms ? of->ended_ms : time_of(r, last)) };
    struct end_verdict verdict;

    if (r->end != END_NONE || of->broken_off)
        return;
    take_out_then(r, &facts);
    if (of->seating.mode == MODE_TURNS && at.round > rounds)
        r->end = END_ROUNDS;
    else if (of->has_ended && end_spent(&facts))
        r->end = END_BUDGET;
    if (r->end == END_NONE)
        return;
    verdict = end_judge(r->arena, &facts);
    verdict.end = r->end;
    make(r, ruling_of_end(r->arena, &facts, &verdict));
}

static void make_closing_vote(struct replaying *r)
{
    struct slot at = place_after(r, r->facts->log.count);
    int round = at.turn == 0 && at.round > 1 ? at.round - 1 : at.round, rounds = r->facts->seating.rounds;
    bool agreed;

    if (r->facts->options.choice_count > 0 &&
        (r->end == END_ROUNDS || r->end == END_ALL_PASSED || r->end == END_NOTHING_NEW))
        (void)make_vote(r, round > rounds ? rounds : round, &agreed);
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
    const struct ruling *stored = r->facts->stored;
    size_t count = r->facts->stored_count;
    struct arena *arena = r->arena;

    for (size_t i = 0; i < r->made_count; i++)
        if (!find(stored, count, &r->made[i]))
            differ(r, arena_format(arena, "Round %d, turn %d, %s: \"%s\" comes out, and nothing is stored.",
                                   r->made[i].round, r->made[i].turn, ruling_kind_word(r->made[i].kind),
                                   r->made[i].verdict));
    for (size_t i = 0; i < count; i++) {
        const struct ruling *made = find(r->made, r->made_count, &stored[i]);
        const char *difference =
            made ? ruling_difference(arena, &stored[i], made)
                 : arena_format(arena, "Round %d, turn %d, %s: \"%s\" is stored, and does not come out.",
                                stored[i].round, stored[i].turn, ruling_kind_word(stored[i].kind),
                                stored[i].verdict);

        if (difference)
            differ(r, difference);
    }
}

struct replay replay_judge(struct arena *arena, const struct replay_facts *facts)
{
    size_t room = facts->log.count + MADE_PER_ROUND * (LIMIT_ROUNDS + 1);
    struct replay replay = {
        .differences = arena_array(arena, const char *, 3 * facts->log.count + 2 * room + facts->stored_count)
    };
    struct replaying r = {
        .arena = arena, .facts = facts, .made = arena_array(arena, struct ruling, room), .replay = &replay
    };

    compare_speakers(&r);
    make_of_rows(&r);
    make_rounds(&r);
    make_end(&r);
    make_closing_vote(&r);
    compare(&r);
    replay.decisions = r.made_count;
    return replay;
}
