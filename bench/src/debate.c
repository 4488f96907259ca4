/*
 * debate.c - do the published mechanics of debates hold when our rules run them?
 *
 *   debate          everything, as a table
 *   debate PART     one of weights, stop, borda, equal, as a line of JSON
 *
 * Scripted agents answer questions of which one choice is right. Each sends a reply as a model would, prose
 * and an object, which is cut, read and counted by the server's own rules (src/core/council); nothing here
 * counts votes by itself. An agent is right with its skill, shifted by how hard the question is for
 * everybody, so that errors go together as those of models do. The same seed gives the same figures anywhere.
 *
 * What it cannot show is how models behave: the agents do what their numbers say. It shows that the rules do
 * with such answers what the papers say they do, and at which number of calls.
 */
#include "bench/src/util.h"
#include "core/council/rules/ballot.h"
#include "core/council/rules/ending.h"
#include "core/council/rules/reply_cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTIONS 4000
#define VOTERS    9
#define ROUNDS    3
#define SEED      UINT64_C(0x9E3779B97F4A7C15)

static const char *const choices[] = { "Alder", "Birch", "Cedar", "Dogwood" };
#define CHOICES (sizeof(choices) / sizeof(*choices))
#define RIGHT   0 /* the order of the choices means nothing to the rules */

static const char *const names[VOTERS] = { "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9" };

static uint64_t dice_state;

static double dice(void)
{
    dice_state ^= dice_state << 13;
    dice_state ^= dice_state >> 7;
    dice_state ^= dice_state << 17;
    return (double)(dice_state >> 11) / (double)(UINT64_C(1) << 53);
}

static double limit(double number, double least, double most)
{
    return number < least ? least : number > most ? most : number;
}

/* How much harder or easier than usual the question is for everybody. */
static double hardness(void)
{
    return 0.5 * (dice() - 0.5);
}

static int answer(double skill)
{
    return dice() < limit(skill, 0.02, 0.98) ? RIGHT : 1 + (int)(dice() * (double)(CHOICES - 1));
}

/* Of one that knows what it knows: high when it is right, low when not, with some noise. */
static double confidence(int choice, double known)
{
    double blind = 0.4 + 0.6 * dice(), sure = choice == RIGHT ? 0.75 + 0.25 * dice() : 0.4 + 0.4 * dice();

    return known * sure + (1 - known) * blind;
}

/* The choice first, then the right one if the agent has an inkling, then the rest in some order. */
static void make_ranking(int choice, double inkling, int ranking[CHOICES])
{
    size_t at = 0;

    ranking[at++] = choice;
    if (choice != RIGHT && dice() < inkling)
        ranking[at++] = RIGHT;
    for (int shift = (int)(dice() * CHOICES), i = 0; i < (int)CHOICES; i++) {
        int next = (i + shift) % (int)CHOICES;
        bool there = false;

        for (size_t k = 0; k < at; k++)
            there |= ranking[k] == next;
        if (!there)
            ranking[at++] = next;
    }
}

/* What the agent's model sends, as the rules read it. */
static struct ballot reply(struct arena *arena, size_t who, int choice, double sure)
{
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = names[who] };
    int ranking[CHOICES];

    make_ranking(choice, 0.5, ranking);
    const char *sent =
        arena_format(arena,
                     "%s: I have weighed it.\n```json\n{\"choice\": \"%s\", \"confidence\": %.3f, "
                     "\"ranking\": [\"%s\", \"%s\", \"%s\", \"%s\"]}\n```<|im_end|>",
                     names[who], choices[choice], sure, choices[ranking[0]], choices[ranking[1]],
                     choices[ranking[2]], choices[ranking[3]]);
    struct reply cut = reply_cut(arena, &rules, sent, strlen(sent));

    return ballot_read(arena, choices, CHOICES, names[who], cut.text);
}

static struct vote_result count(struct arena *arena, enum vote_rule rule, const struct ballot *ballots,
                                size_t cast, size_t voters)
{
    /* More than two thirds, as DyLAN has it. */
    const struct vote vote = { rule, choices, CHOICES, voters, ballots, cast, { THRESHOLD_SHARE, 0.667 } };
    struct vote_result result;
    struct err err = { 0 };

    if (!vote_count(arena, &vote, &result, &err))
        die("%s", err.text);
    return result;
}

/* A tie is not an answer, but guessing among the tied would be: it counts half where two lead. */
static double score(const struct vote_result *result)
{
    long most = 0;
    int leading = 0;

    for (size_t i = 0; i < CHOICES; i++)
        most = result->points[i] > most ? result->points[i] : most;
    for (size_t i = 0; i < CHOICES; i++)
        leading += result->points[i] == most;
    return result->points[RIGHT] == most ? 1.0 / leading : 0;
}

/* Five agents of differing skill; how much confidence tells is given. */
struct weights {
    double majority, weighted, borda;
};

static struct weights run_weights(double known)
{
    static const double skill[] = { 0.75, 0.55, 0.5, 0.45, 0.4 };
    struct weights sum = { 0 };

    dice_state = SEED;
    for (size_t q = 0; q < QUESTIONS; q++) {
        ARENA_AUTO arena = { 0 };
        struct ballot ballots[5];
        double hard = hardness();

        for (size_t i = 0; i < 5; i++) {
            int choice = answer(skill[i] + hard);

            ballots[i] = reply(&arena, i, choice, confidence(choice, known));
        }
        struct vote_result majority = count(&arena, VOTE_MAJORITY, ballots, 5, 5),
                           weighted = count(&arena, VOTE_WEIGHTED, ballots, 5, 5),
                           borda = count(&arena, VOTE_BORDA, ballots, 5, 5);

        sum.majority += score(&majority) / QUESTIONS;
        sum.weighted += score(&weighted) / QUESTIONS;
        sum.borda += score(&borda) / QUESTIONS;
    }
    return sum;
}

/* What an agent says after it has heard the others: it gives way to most of them with `sway`, and is shown
 * the right answer with `light` when somebody has it. */
static int listen(const int said[], size_t agents, size_t who, double sway, double light)
{
    int heard[CHOICES] = { 0 }, most = said[who];
    bool right_heard = false;

    for (size_t i = 0; i < agents; i++)
        heard[said[i]] += i != who;
    for (int c = 0; c < (int)CHOICES; c++)
        if (heard[c] > heard[most])
            most = c;
    right_heard = heard[RIGHT] > 0;
    if (right_heard && dice() < light)
        return RIGHT;
    return heard[most] > heard[said[who]] && dice() < sway ? most : said[who];
}

struct debate {
    size_t agents;
    enum smart_mode smart;
    double skill, sway, light;
};

struct debate_sum {
    double right, calls;
};

/* One question: rounds of answers, each of which may end it. */
static struct debate_sum debate_one(const struct debate *debate, double hard)
{
    ARENA_AUTO arena = { 0 };
    struct ballot ballots[VOTERS];
    int said[VOTERS], next[VOTERS];
    struct vote_result result = { 0 };
    size_t calls = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        for (size_t i = 0; i < debate->agents; i++, calls++) {
            next[i] = round == 1 ? answer(debate->skill + hard)
                                 : listen(said, debate->agents, i, debate->sway, debate->light);
            ballots[i] = reply(&arena, i, next[i], confidence(next[i], 0.5));
        }
        memcpy(said, next, sizeof(said));
        result = count(&arena, VOTE_MAJORITY, ballots, debate->agents, debate->agents);
        const struct end_facts facts = { .mode = MODE_PARALLEL,
                                         .smart = debate->smart,
                                         .round = round,
                                         .rounds = ROUNDS,
                                         .round_over = true,
                                         .contributions = debate->agents,
                                         .agreed = result.agreed };

        if (end_judge(&arena, &facts).end != END_NONE)
            break;
    }
    return (struct debate_sum){ score(&result), (double)calls };
}

static struct debate_sum run_debate(const struct debate *debate)
{
    struct debate_sum sum = { 0 };

    dice_state = SEED;
    for (size_t q = 0; q < QUESTIONS; q++) {
        struct debate_sum one = debate_one(debate, hardness());

        sum.right += one.right / QUESTIONS;
        sum.calls += one.calls / QUESTIONS;
    }
    return sum;
}

/* As many agents as a debate has calls, each asked once. */
static double run_voting(size_t voters, double skill)
{
    double right = 0;

    dice_state = SEED;
    for (size_t q = 0; q < QUESTIONS; q++) {
        ARENA_AUTO arena = { 0 };
        struct ballot ballots[VOTERS];
        double hard = hardness();

        for (size_t i = 0; i < voters; i++) {
            int choice = answer(skill + hard);

            ballots[i] = reply(&arena, i, choice, confidence(choice, 0.5));
        }
        struct vote_result result = count(&arena, VOTE_MAJORITY, ballots, voters, voters);

        right += score(&result) / QUESTIONS;
    }
    return right;
}

struct lead {
    double calls;     /* on average until it was decided */
    size_t decided;   /* questions decided before the last ballot */
    size_t overtaken; /* of those, how many ended otherwise */
};

static struct lead run_borda(double skill)
{
    struct lead lead = { 0 };

    dice_state = SEED;
    for (size_t q = 0; q < QUESTIONS; q++) {
        ARENA_AUTO arena = { 0 };
        struct ballot ballots[VOTERS];
        double hard = hardness();
        int early = NO_CHOICE;
        size_t calls = VOTERS;

        for (size_t i = 0; i < VOTERS; i++) {
            int choice = answer(skill + hard);

            ballots[i] = reply(&arena, i, choice, 1);
            struct vote_result result = count(&arena, VOTE_BORDA, ballots, i + 1, VOTERS);

            if (result.decided && early == NO_CHOICE) {
                early = result.winner;
                calls = i + 1;
            }
        }
        struct vote_result last = count(&arena, VOTE_BORDA, ballots, VOTERS, VOTERS);

        lead.calls += (double)calls / QUESTIONS;
        lead.decided += calls < VOTERS;
        lead.overtaken += early != NO_CHOICE && early != last.winner;
    }
    return lead;
}

static void line(const char *what, const char *setting, const char *format, double ours, double other)
{
    printf("%-44s | %-26s | ", what, setting);
    printf(format, ours, other);
    putchar('\n');
}

static void table_of_weights(void)
{
    static const double known[] = { 1, 0.5, 0 };
    static const char *const settings[] = { "confidence tells", "confidence tells half",
                                            "confidence is noise" };

    for (size_t i = 0; i < 3; i++) {
        struct weights sum = run_weights(known[i]);

        line("right: weighted (ReConcile) / majority", settings[i], "%.3f / %.3f", sum.weighted,
             sum.majority);
    }
    struct weights sum = run_weights(0.5);

    line("right: borda / majority", "half an inkling", "%.3f / %.3f", sum.borda, sum.majority);
}

static void table_of_stops(void)
{
    for (double skill = 0.4; skill < 0.85; skill += 0.2) {
        struct debate all = { 5, SMART_OFF, skill, 0.5, 0.1 }, early = { 5, SMART_ON, skill, 0.5, 0.1 };
        struct debate_sum whole = run_debate(&all), stopped = run_debate(&early);
        char setting[40];

        snprintf(setting, sizeof(setting), "5 agents, skill %.1f", skill);
        line("calls: stop above 2/3 (DyLAN) / all rounds", setting, "%.1f / %.1f", stopped.calls,
             whole.calls);
        line("right: stop above 2/3 (DyLAN) / all rounds", setting, "%.3f / %.3f", stopped.right,
             whole.right);
    }
}

static void table_of_leads(void)
{
    for (double skill = 0.4; skill < 0.85; skill += 0.2) {
        struct lead lead = run_borda(skill);
        char setting[40];

        snprintf(setting, sizeof(setting), "9 voters, skill %.1f", skill);
        line("calls: borda until decided / all ballots", setting, "%.1f / %.1f", lead.calls, VOTERS);
        line("leads: overtaken / decided early", setting, "%.0f / %.0f", (double)lead.overtaken,
             (double)lead.decided);
    }
}

static void table_of_equal_calls(void)
{
    static const double light[] = { 0, 0.1, 0.3 };

    for (size_t i = 0; i < 3; i++) {
        struct debate debate = { 3, SMART_OFF, 0.5, 0.5, light[i] };
        struct debate_sum sum = run_debate(&debate);
        char setting[40];

        snprintf(setting, sizeof(setting), "%.0f calls, insight %.1f", sum.calls, light[i]);
        line("right: 9 votes / debate of 3 in 3 rounds", setting, "%.3f / %.3f", run_voting(VOTERS, 0.5),
             sum.right);
    }
}

static int print_part(const char *part)
{
    double ours, other;

    if (strcmp(part, "weights") == 0) {
        struct weights sum = run_weights(1);

        ours = sum.weighted, other = sum.majority;
    } else if (strcmp(part, "stop") == 0) {
        ours = run_debate(&(struct debate){ 5, SMART_ON, 0.6, 0.5, 0.1 }).calls;
        other = run_debate(&(struct debate){ 5, SMART_OFF, 0.6, 0.5, 0.1 }).calls;
    } else if (strcmp(part, "borda") == 0) {
        struct lead lead = run_borda(0.6);

        ours = (double)lead.overtaken, other = (double)lead.decided;
    } else if (strcmp(part, "equal") == 0) {
        ours = run_voting(VOTERS, 0.5);
        other = run_debate(&(struct debate){ 3, SMART_OFF, 0.5, 0.5, 0 }).right;
    } else {
        die("there is no part '%s'; the parts are weights, stop, borda and equal", part);
    }
    printf("{\"ours\":%.4f,\"limit\":%.4f}\n", ours, other);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_part(argv[1]);
    printf("%d questions each, %zu choices, seed %llx\n\n", QUESTIONS, CHOICES, (unsigned long long)SEED);
    table_of_weights();
    table_of_stops();
    table_of_leads();
    table_of_equal_calls();
    return 0;
}
