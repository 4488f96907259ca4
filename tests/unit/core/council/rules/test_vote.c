/*
 * Ballots, as models write them, and what comes of counting them.
 */
#include "core/council/rules/ballot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const char *const abc[] = { "A", "B", "C" };
static const char *const stores[] = { "SQLite", "PostgreSQL", "Neither" };

static void ballots_are_found_in_what_models_send(void **state)
{
    static const struct {
        const char *reply;
        int choice;
        double confidence;
        size_t ranked;
    } rows[] = {
        { "{\"choice\":\"SQLite\",\"confidence\":0.9,\"ranking\":[\"SQLite\",\"PostgreSQL\",\"Neither\"]}", 0,
          0.9, 3 },
        { "I think.\n```json\n{\"choice\": \"postgresql\", \"confidence\": \"85%\"}\n```\nDone.", 1, 0.85,
          0 },
        { "{choice: 'SQLite', confidence: 1,}", 0, 1, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":0.5} no: {\"choice\":\"Neither\",\"confidence\":0.7}", 2,
          0.7, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":0.5", 0, 0.5, 0 },
        { "{\"thought\":{\"x\":1}} {\"choice\":\"SQLite\",\"confidence\":90}", 0, 0.9, 0 },
        { "{\"choice\":2,\"confidence\":0}", 1, 0, 0 },
        { "{\"ranking\":[\"Neither\",\"SQLite\"],\"confidence\":0.61}", 2, 0.61, 2 },
        { "{\"ranking\":[\"Neither\",\"Neither\",\"MySQL\",\"SQLite\"],\"confidence\":0.61}", 2, 0.61, 2 },
        { "{\"choice\":\"I choose SQLite.\",\"confidence\":0.8}", 0, 0.8, 0 },
        { "{\"choice\":\"SQLite or PostgreSQL\",\"confidence\":0.8}", NO_CHOICE, 0.8, 0 },
        { "{\"choice\":\"MySQL\",\"confidence\":0.8}", NO_CHOICE, 0.8, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":-1}", 0, NO_CONFIDENCE, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":1000}", 0, NO_CONFIDENCE, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":\"high\"}", 0, NO_CONFIDENCE, 0 },
        { "{\"choice\":\"SQLite\",\"confidence\":\"nan\"}", 0, NO_CONFIDENCE, 0 },
        { "{\"choice\":\"SQLite\"}", 0, NO_CONFIDENCE, 0 },
        { "{\"choice\":null}", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "{\"choice\":[\"SQLite\"]}", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "**SQLite**", 0, NO_CONFIDENCE, 0 },
        { "My vote goes to PostgreSQL, clearly.", 1, NO_CONFIDENCE, 0 },
        { "SQLite beats PostgreSQL.", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "SQLiteish", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "{", NO_CHOICE, NO_CONFIDENCE, 0 },
        { "[PASS]", NO_CHOICE, NO_CONFIDENCE, 0 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct ballot ballot = ballot_read(&arena, stores, LEN(stores), "Ann", rows[i].reply);

        if (ballot.choice != rows[i].choice || fabs(ballot.confidence - rows[i].confidence) > 1e-9 ||
            ballot.ranked != rows[i].ranked)
            fail_msg("%s: choice %d, confidence %g, %zu ranked", rows[i].reply, ballot.choice,
                     ballot.confidence, ballot.ranked);
        if (ballot.choice == NO_CHOICE)
            assert_non_null(ballot.problem);
    }
}

static void a_choice_inside_another_is_told_from_it(void **state)
{
    static const char *const choices[] = { "Yes", "Yes, with tests", "No" };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_int_equal(ballot_read(&arena, choices, 3, "a", "I say: yes, with tests!").choice, 1);
    assert_int_equal(ballot_read(&arena, choices, 3, "a", "I say yes").choice, 0);
    assert_int_equal(ballot_read(&arena, choices, 3, "a", "Yes and no").choice, NO_CHOICE);
}

static void hostile_replies_cost_little(void **state)
{
    static char text[60000];
    ARENA_AUTO arena = { 0 };

    (void)state;
    memset(text, '{', sizeof(text) - 1);
    assert_int_equal(ballot_read(&arena, abc, 3, "x", text).choice, NO_CHOICE);
    for (size_t i = 0; i + 12 < sizeof(text); i += 11)
        memcpy(text + i, "{\"choice\":\"", 11);
    ballot_read(&arena, abc, 3, "x", text);
}

/* Many long choices, and a ranking of far more entries than there are choices. */
static void rankings_without_end_cost_little(void **state)
{
    enum { CHOICES = 50, LONG = 500, ENTRIES = 1000 };
    static char texts[CHOICES][LONG + 1], reply[16 + ENTRIES * 4];
    static const char *choices[CHOICES];
    ARENA_AUTO arena = { 0 };
    struct rusage before, after;
    size_t len = (size_t)sprintf(reply, "{\"ranking\":[");

    (void)state;
    for (size_t i = 0; i < CHOICES; i++) {
        memset(texts[i], 'a' + (int)(i % 26), LONG);
        texts[i][0] = (char)('a' + (int)(i / 26));
        choices[i] = texts[i];
    }
    for (size_t i = 0; i < ENTRIES; i++, len += 4)
        memcpy(reply + len, "\"x\",", 4);
    getrusage(RUSAGE_SELF, &before);
    struct ballot ballot = ballot_read(&arena, choices, CHOICES, "x", reply);

    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(ballot.ranked, 0);
    assert_non_null(strstr(ballot.problem, "no choice"));
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 64 * 1024);
}

static void weights_are_those_of_reconcile(void **state)
{
    static const struct {
        double confidence;
        int weight;
    } rows[] = { { NO_CONFIDENCE, 1 }, { 0, 1 },   { 0.6, 1 },    { 0.61, 3 }, { 0.79, 3 }, { 0.8, 5 },
                 { 0.89, 5 },          { 0.9, 8 }, { 0.9999, 8 }, { 1, 10 },   { NAN, 1 } };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++)
        assert_int_equal(vote_weight(rows[i].confidence), rows[i].weight);
}

static void thresholds_are_read_and_reached(void **state)
{
    static const struct {
        const char *text;
        size_t count, voters;
        bool reached;
    } rows[] = {
        { "all", 3, 3, true },       { "all", 2, 3, false },     { "majority", 2, 3, true },
        { "majority", 2, 4, false }, { "majority", 3, 4, true }, { "0.5", 2, 4, true },
        { "0.7", 7, 10, true },      { "0.67", 2, 3, false },    { "0.66", 2, 3, true },
        { "75%", 3, 4, true },       { "1", 4, 4, true },        { "1.0", 3, 4, false },
    };
    static const char *const bad[] = { "",    "0", "1.1",  "-1",  "half", "nan", "inf",
                                       "0x1", "%", "101%", "1e0", "0.5x", NULL };
    struct threshold threshold;
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        assert_true(threshold_parse(rows[i].text, &threshold, &err));
        assert_int_equal(threshold_reached(threshold, rows[i].count, rows[i].voters), rows[i].reached);
    }
    for (size_t i = 0; i < LEN(bad); i++) {
        assert_false(threshold_parse(bad[i], &threshold, &err));
        assert_string_equal(err.field, "agreement_threshold");
    }
}

/* Votes written as a letter each for majority ("AAB."), '.' for a spoilt one. */
static struct vote_result count_letters(struct arena *arena, enum vote_rule rule, const char *letters,
                                        size_t voters, const char *threshold)
{
    static const char *const names[] = { "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8" };
    struct ballot *ballots = arena_array(arena, struct ballot, LEN(names));
    struct vote vote = { rule, abc, LEN(abc), voters, ballots, strlen(letters), { 0 } };
    struct vote_result result = { 0 };
    struct err err = { 0 };

    for (size_t i = 0; letters[i]; i++)
        ballots[i] = (struct ballot){ .voter = names[i],
                                      .choice = letters[i] == '.' ? NO_CHOICE : letters[i] - 'A',
                                      .confidence = 1 };
    if (!threshold_parse(threshold, &vote.threshold, &err) || !vote_count(arena, &vote, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static void majorities_ties_and_what_is_decided(void **state)
{
    static const struct {
        const char *votes;
        size_t voters;
        const char *threshold;
        int winner;
        bool tie, agreed, decided;
        size_t dissent;
    } rows[] = {
        { "AAA", 3, "all", 0, false, true, true, 0 },
        { "AAB", 3, "all", 0, false, false, true, 1 },
        { "AAB", 3, "majority", 0, false, true, true, 1 },
        { "AAB", 3, "0.66", 0, false, true, true, 1 },
        { "AB", 2, "0.5", NO_CHOICE, true, false, false, 2 },
        { "AABB", 4, "majority", NO_CHOICE, true, false, false, 4 },
        { "AAB", 4, "majority", 0, false, false, false, 1 }, /* a fourth vote can make it a tie */
        { "AA", 3, "majority", 0, false, true, true, 0 },
        { "AA", 4, "majority", 0, false, false, false, 0 },
        { "AAA", 5, "majority", 0, false, true, true, 0 },
        { "", 3, "all", NO_CHOICE, false, false, false, 0 },
        { "...", 3, "all", NO_CHOICE, false, false, false, 0 },
        { "A..", 3, "majority", 0, false, false, true, 0 },
        { "AA.", 3, "all", 0, false, false, true, 0 },
        { "ABC", 3, "majority", NO_CHOICE, true, false, false, 3 },
        { "AABC", 4, "majority", 0, false, false, true, 2 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct vote_result result =
            count_letters(&arena, VOTE_MAJORITY, rows[i].votes, rows[i].voters, rows[i].threshold);

        if (result.winner != rows[i].winner || result.tie != rows[i].tie || result.agreed != rows[i].agreed ||
            result.decided != rows[i].decided || result.dissent_count != rows[i].dissent)
            fail_msg("%s of %zu: winner %d tie %d agreed %d decided %d dissent %zu", rows[i].votes,
                     rows[i].voters, result.winner, result.tie, result.agreed, result.decided,
                     result.dissent_count);
    }
}

static void rankings_are_counted_by_borda(void **state)
{
    static const int a_b_c[] = { 0, 1, 2 }, b_c_a[] = { 1, 2, 0 }, c_b_a[] = { 2, 1, 0 };
    const struct ballot ballots[] = { { "1", 0, 1, a_b_c, 3 }, { "2", 0, 1, a_b_c, 3 },
                                      { "3", 1, 1, b_c_a, 3 }, { "4", 1, 1, b_c_a, 3 },
                                      { "5", 2, 1, c_b_a, 3 }, { "6", 0, 1, NULL, 0 } };
    struct vote vote = { VOTE_BORDA, abc, 3, 5, ballots, 5, { THRESHOLD_MAJORITY } };
    struct vote_result result;
    struct err err = { 0 };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_int_equal(result.points[0], 4);
    assert_int_equal(result.points[1], 7);
    assert_int_equal(result.points[2], 4);
    assert_int_equal(result.winner, 1); /* whom nobody minds wins over whom most have first */
    assert_true(result.decided);
    assert_false(result.agreed);
    assert_int_equal(result.dissent_count, 3);
    /* One more could give the others 2 points each: 7 to 6 holds. Two more could not be beaten off. */
    vote.voters = 6;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_true(result.decided);
    vote.voters = 7;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_false(result.decided);
    vote.ballot_count = 6;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_int_equal(result.points[0], 6);
    assert_false(result.decided);
}

static void confidence_outweighs_numbers(void **state)
{
    const struct ballot ballots[] = {
        { "1", 0, 0.6 }, { "2", 0, 0.6 }, { "3", 0, NO_CONFIDENCE }, { "4", 1, 0.95 }
    };
    struct vote vote = { VOTE_WEIGHTED, abc, 3, 4, ballots, 4, { THRESHOLD_MAJORITY } };
    struct vote_result result;
    struct err err = { 0 };
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text;
    struct json_out out;

    (void)state;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_int_equal(result.winner, 1);
    assert_true(result.decided);
    assert_false(result.agreed); /* one of four */
    buf_init(&text, 0);
    json_begin(&out, &text);
    vote_write(&result, NULL, &out);
    assert_string_equal(
        text.bytes, "{\"rule\":\"weighted\",\"winner\":\"B\",\"tie\":false,\"tally\":{\"A\":0.3,\"B\":0.8,"
                    "\"C\":0},\"agreed\":false,\"decided\":true,\"dissent\":[{\"voter\":\"1\",\"choice\":"
                    "\"A\",\"confidence\":0.6},{\"voter\":\"2\",\"choice\":\"A\",\"confidence\":0.6},"
                    "{\"voter\":\"3\",\"choice\":\"A\",\"confidence\":null}]}");
    /* The same ballots, under the other rules. */
    vote.rule = VOTE_MAJORITY;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_int_equal(result.winner, 0);
    vote.rule = VOTE_BORDA;
    assert_true(vote_count(&arena, &vote, &result, &err));
    assert_int_equal(result.winner, 0);
}

static void one_choice_wins_with_any_vote(void **state)
{
    const struct ballot ballots[] = { { "1", 0, 1 } };
    struct vote_result result;
    struct err err = { 0 };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (enum vote_rule rule = VOTE_MAJORITY; rule <= VOTE_WEIGHTED; rule++) {
        struct vote vote = { rule, abc, 1, 2, ballots, 1, { THRESHOLD_ALL } };

        assert_true(vote_count(&arena, &vote, &result, &err));
        assert_int_equal(result.winner, 0);
        assert_true(result.decided && !result.tie && !result.agreed);
    }
}

static void votes_that_cannot_be_are_refused(void **state)
{
    static const char *const twice[] = { "Yes", "no", "yes." };
    const struct ballot ballots[] = { { "Ann", 0, 1 }, { "Ann", 1, 1 } };
    const struct {
        struct vote vote;
        const char *field;
    } rows[] = {
        { { VOTE_MAJORITY, abc, 0, 2, NULL, 0, { 0 } }, "choices" },
        { { VOTE_MAJORITY, twice, 3, 2, NULL, 0, { 0 } }, "choices" },
        { { VOTE_MAJORITY, abc, LIMIT_CHOICES + 1, 2, NULL, 0, { 0 } }, "choices" },
        { { VOTE_MAJORITY, abc, 3, 0, NULL, 0, { 0 } }, "voters" },
        { { VOTE_MAJORITY, abc, 3, 1, ballots, 2, { 0 } }, "votes" },
        { { VOTE_MAJORITY, abc, 3, 2, ballots, 2, { 0 } }, "votes" },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct vote_result result;
        struct err err = { 0 };

        assert_false(vote_count(&arena, &rows[i].vote, &result, &err));
        assert_string_equal(err.field, rows[i].field);
    }
}

static void ballots_that_are_handed_in_must_be_right(void **state)
{
    static const struct {
        const char *json;
        bool right;
        int choice;
    } rows[] = {
        { "{\"voter\":\"Ann\",\"choice\":\"a\",\"confidence\":1}", true, 0 },
        { "{\"ranking\":[\"B\",\"A\"]}", true, 1 },
        { "{\"voter\":\"Ann\"}", true, NO_CHOICE },
        { "{\"choice\":\"D\"}", false, 0 },
        { "{\"choice\":1}", false, 0 },
        { "{\"choice\":\"A\",\"confidence\":2}", false, 0 },
        { "{\"choice\":\"A\",\"confidence\":\"1\"}", false, 0 },
        { "{\"ranking\":\"A\"}", false, 0 },
        { "{\"ranking\":[\"A\",\"A\"]}", false, 0 },
        { "{\"ranking\":[\"A\",7]}", false, 0 },
        { "[\"A\"]", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        JSON_AUTO *object = NULL;
        struct ballot ballot;
        struct err err = { 0 };

        assert_true(json_parse(rows[i].json, strlen(rows[i].json), &object, &err));
        assert_int_equal(ballot_from_json(&arena, abc, 3, object, &ballot, &err), rows[i].right);
        if (rows[i].right)
            assert_int_equal(ballot.choice, rows[i].choice);
        else
            assert_string_equal(err.field, "votes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ballots_are_found_in_what_models_send),
        cmocka_unit_test(a_choice_inside_another_is_told_from_it),
        cmocka_unit_test(hostile_replies_cost_little),
        cmocka_unit_test(rankings_without_end_cost_little),
        cmocka_unit_test(weights_are_those_of_reconcile),
        cmocka_unit_test(thresholds_are_read_and_reached),
        cmocka_unit_test(majorities_ties_and_what_is_decided),
        cmocka_unit_test(rankings_are_counted_by_borda),
        cmocka_unit_test(confidence_outweighs_numbers),
        cmocka_unit_test(one_choice_wins_with_any_vote),
        cmocka_unit_test(votes_that_cannot_be_are_refused),
        cmocka_unit_test(ballots_that_are_handed_in_must_be_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
