/*
 * Weights are tenths kept as whole numbers, and a share is compared with a little room, so that no sum
 * depends on the order of the ballots. A tie is a result and not broken by chance: a winner is something that
 * can be relied on.
 */
#include "core/council/rules/vote.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const char *const vote_rules[] = { "majority", "borda", "weighted", NULL };
WORDS_FIT(vote_rules, VOTE_END);

static bool refuse_threshold(struct err *err)
{
    return err_field(err, "agreement_threshold",
                     "agreement_threshold is \"all\", \"majority\" or a share above 0 and up to 1.");
}

static bool take_share(double share, struct threshold *threshold, struct err *err)
{
    if (!(share > 0 && share <= 1))
        return refuse_threshold(err);
    *threshold = (struct threshold){ THRESHOLD_SHARE, share };
    return true;
}

bool threshold_parse(const char *text, struct threshold *threshold, struct err *err)
{
    char *end;

    if (text && strcmp(text, "all") == 0) {
        *threshold = (struct threshold){ .kind = THRESHOLD_ALL };
        return true;
    }
    if (text && strcmp(text, "majority") == 0) {
        *threshold = (struct threshold){ .kind = THRESHOLD_MAJORITY };
        return true;
    }
    /* Digits and a point only: strtod also takes "inf" and hexadecimal. */
    if (!text || !*text || text[strspn(text, "0123456789.%")] != '\0')
        return refuse_threshold(err);
    double share = strtod(text, &end);

    if (strcmp(end, "%") == 0)
        share /= 100;
    else if (*end)
        return refuse_threshold(err);
    return take_share(share, threshold, err);
}

bool threshold_from_json(const json_t *value, struct threshold *threshold, struct err *err)
{
    if (json_is_string(value))
        return threshold_parse(json_string_value(value), threshold, err);
    if (!json_is_number(value))
        return refuse_threshold(err);
    return take_share(json_number_value(value), threshold, err);
}

bool threshold_reached(struct threshold threshold, size_t count, size_t voters)
{
    switch (threshold.kind) {
    case THRESHOLD_ALL: return voters > 0 && count >= voters;
    case THRESHOLD_MAJORITY: return count * 2 > voters;
    case THRESHOLD_SHARE: break;
    }
    /* A share such as 0.7 is not exact, 7 of 10 must reach it all the same. */
    return voters > 0 && (double)count >= threshold.share * (double)voters - 1e-9;
}

int vote_weight(double confidence)
{
    if (!(confidence > 0.6))
        return 1;
    if (confidence < 0.8)
        return 3;
    if (confidence < 0.9)
        return 5;
    return confidence < 1 ? 8 : VOTE_WEIGHT_1;
}

static bool check_vote(struct arena *arena, const struct vote *vote, struct err *err)
{
    if (vote->choice_count == 0)
        return err_field(err, "choices", "A vote needs choices.");
    if (vote->choice_count > LIMIT_CHOICES)
        return err_field(err, "choices", "A vote has at most %d choices.", LIMIT_CHOICES);
    for (size_t i = 0; i < vote->choice_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(str_normal(arena, vote->choices[i]), str_normal(arena, vote->choices[k])) == 0)
                return err_field(err, "choices", "\"%.100s\" is among the choices twice.", vote->choices[i]);
    if (vote->voters == 0)
        return err_field(err, "voters", "A vote needs voters.");
    if (vote->ballot_count > vote->voters)
        return err_field(err, "votes", "There are %zu votes of %zu voters.", vote->ballot_count,
                         vote->voters);
    for (size_t i = 0; i < vote->ballot_count; i++)
        for (size_t k = 0; vote->ballots[i].voter && k < i; k++)
            if (str_equal(vote->ballots[i].voter, vote->ballots[k].voter))
                return err_field(err, "votes", "%.64s has voted twice.", vote->ballots[i].voter);
    return true;
}

static bool is_choice(const struct vote *vote, int choice)
{
    return choice >= 0 && (size_t)choice < vote->choice_count;
}

static void add_ranking(const struct vote *vote, const struct ballot *ballot, long *points)
{
    long most = (long)vote->choice_count - 1;

    if (ballot->ranked == 0 && is_choice(vote, ballot->choice))
        points[ballot->choice] += most;
    for (size_t i = 0; i < ballot->ranked && i < vote->choice_count; i++)
        if (is_choice(vote, ballot->ranking[i]))
            points[ballot->ranking[i]] += most - (long)i;
}

static void add_ballot(const struct vote *vote, const struct ballot *ballot, long *points)
{
    if (vote->rule == VOTE_BORDA)
        add_ranking(vote, ballot, points);
    else if (is_choice(vote, ballot->choice))
        points[ballot->choice] += vote->rule == VOTE_WEIGHTED ? vote_weight(ballot->confidence) : 1;
}

/* By how much one voter can bring a choice closer to the one that leads. */
static long most_of_one(const struct vote *vote)
{
    if (vote->rule == VOTE_BORDA)
        return (long)vote->choice_count - 1;
    return vote->rule == VOTE_WEIGHTED ? VOTE_WEIGHT_1 : 1;
}

static void find_winner(const struct vote *vote, struct vote_result *result)
{
    size_t lead = 0;
    long second = 0, outstanding = (long)(vote->voters - vote->ballot_count);

    for (size_t i = 1; i < vote->choice_count; i++)
        if (result->points[i] > result->points[lead])
            lead = i;
    for (size_t i = 0; i < vote->choice_count; i++)
        if (i != lead && result->points[i] > second)
            second = result->points[i];
    /* Under borda a vote on one choice has no points to give. */
    bool alone = vote->choice_count == 1 && result->spoilt < vote->ballot_count;

    result->tie = result->points[lead] > 0 && result->points[lead] == second && vote->choice_count > 1;
    result->winner = alone || (result->points[lead] > second) ? (int)lead : NO_CHOICE;
    result->decided = alone || (result->winner != NO_CHOICE &&
                                result->points[lead] - second > outstanding * most_of_one(vote));
}

/* What a voter would have had first. */
static int first_choice(const struct vote *vote, const struct ballot *ballot)
{
    if (vote->rule == VOTE_BORDA && ballot->ranked > 0)
        return ballot->ranking[0];
    return ballot->choice;
}

static void find_dissent(struct arena *arena, const struct vote *vote, struct vote_result *result)
{
    size_t agreeing = 0;

    result->dissent = arena_array(arena, const struct ballot *, vote->ballot_count + 1);
    for (size_t i = 0; i < vote->ballot_count; i++) {
        const struct ballot *ballot = &vote->ballots[i];
        int first = first_choice(vote, ballot);

        if (!is_choice(vote, first))
            continue;
        if (first == result->winner)
            agreeing++;
        else
            result->dissent[result->dissent_count++] = ballot;
    }
    result->agreed =
        result->winner != NO_CHOICE && threshold_reached(vote->threshold, agreeing, vote->voters);
}

bool vote_count(struct arena *arena, const struct vote *vote, struct vote_result *result, struct err *err)
{
    if (!check_vote(arena, vote, err))
        return false;
    *result = (struct vote_result){
        .rule = vote->rule,
        .choices = vote->choices,
        .choice_count = vote->choice_count,
        .points = arena_array(arena, long, vote->choice_count),
    };
    for (size_t i = 0; i < vote->ballot_count; i++) {
        result->spoilt += !is_choice(vote, first_choice(vote, &vote->ballots[i]));
        add_ballot(vote, &vote->ballots[i], result->points);
    }
    find_winner(vote, result);
    find_dissent(arena, vote, result);
    return true;
}

static void write_points(const struct vote_result *result, size_t i, struct json_out *out)
{
    if (result->rule == VOTE_WEIGHTED)
        json_double(out, result->choices[i], (double)result->points[i] / VOTE_WEIGHT_1);
    else
        json_int(out, result->choices[i], result->points[i]);
}

static void write_dissent(const struct vote_result *result, const struct ballot *ballot, struct json_out *out)
{
    bool ranked = result->rule == VOTE_BORDA && ballot->ranked > 0;

    json_map(out, NULL);
    json_text(out, "voter", ballot->voter);
    json_text(out, "choice", result->choices[ranked ? ballot->ranking[0] : ballot->choice]);
    if (ballot->confidence >= 0)
        json_double(out, "confidence", ballot->confidence);
    else
        json_none(out, "confidence");
    json_map_end(out);
}

void vote_write(const struct vote_result *result, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "rule", vote_rule_word(result->rule));
    json_text(out, "winner", result->winner == NO_CHOICE ? NULL : result->choices[result->winner]);
    json_bool(out, "tie", result->tie);
    json_map(out, "tally");
    for (size_t i = 0; i < result->choice_count; i++)
        write_points(result, i, out);
    json_map_end(out);
    json_bool(out, "agreed", result->agreed);
    json_bool(out, "decided", result->decided);
    json_list(out, "dissent");
    for (size_t i = 0; i < result->dissent_count; i++)
        write_dissent(result, result->dissent[i], out);
    json_list_end(out);
    json_map_end(out);
}
