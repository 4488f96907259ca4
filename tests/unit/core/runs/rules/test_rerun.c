/*
 * What a replay makes of a run's log: here, where its conversation was cut.
 */
#include "core/runs/rules/rerun.h"
#include "core/upkeep/erase_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MOST 5

/* 30 bytes are about 10 tokens. */
#define THIRTY "thirty bytes, which are told.."

/* Two replies with their results, and a third that stays; a summary; another reply, and a second summary. */
static const struct rerun_entry conversation[] = {
    { .seq = 1, .kind = RUN_INSTRUCTIONS, .text = THIRTY },
    { .seq = 2, .kind = RUN_INPUT, .text = THIRTY },
    { .seq = 3, .kind = RUN_REPLY, .text = THIRTY },
    { .seq = 4, .kind = RUN_RESULT, .text = THIRTY },
    { .seq = 5, .kind = RUN_REPLY, .text = THIRTY },
    { .seq = 6, .kind = RUN_RESULT, .text = THIRTY },
    { .seq = 7, .kind = RUN_NOTE, .text = THIRTY },
    { .seq = 8, .kind = RUN_REPLY, .text = THIRTY },
    { .seq = 9,
      .kind = RUN_DECISION,
      .text = "Entries 3 to 4 are to be condensed.",
      .data = "{\"rule\":\"cut\",\"keep\":40}" },
    { .seq = 10, .kind = RUN_CONDENSED, .text = "In short.", .data = "{\"from\":3,\"to\":4}" },
    { .seq = 11, .kind = RUN_REPLY, .text = THIRTY },
    { .seq = 12,
      .kind = RUN_DECISION,
      .text = "Entries 5 to 7 are to be condensed.",
      .data = "{\"rule\":\"cut\",\"keep\":15}" },
    { .seq = 13, .kind = RUN_CONDENSED, .text = "Shorter.", .data = "{\"from\":5,\"to\":7}" },
};
#define COUNT (sizeof(conversation) / sizeof(*conversation))

struct altered {
    int64_t seq; /* 0: nothing */
    const char *text, *data;
    enum run_entry_kind kind; /* or 0 */
};

/* The places that come out differently, the first of them, after these changes. */
static size_t differences(const struct altered *altered, size_t count, int64_t *first)
{
    ARENA_AUTO arena = { 0 };
    struct rerun *replay = rerun_begin(&arena, &(struct rerun_setup){ .mistakes_most = MOST });

    for (size_t i = 0; i < COUNT; i++) {
        struct rerun_entry entry = conversation[i];

        for (size_t j = 0; j < count; j++)
            if (altered[j].seq == entry.seq) {
                entry.text = altered[j].text ? altered[j].text : entry.text;
                entry.data = altered[j].data ? altered[j].data : entry.data;
                entry.kind = altered[j].kind ? altered[j].kind : entry.kind;
            }
        rerun_take(replay, &entry);
    }
    const struct rerun_result result = rerun_end(replay);

    *first = result.count > 0 ? result.differences[0].seq : 0;
    return result.count;
}

static void differs_at(struct altered altered, int64_t seq)
{
    int64_t first;

    assert_true((differences(&altered, 1, &first) > 0) == (seq != 0));
    assert_int_equal(first, seq);
}

static void a_cut_is_made_again_from_what_was_said(void **state)
{
    (void)state;
    differs_at((struct altered){ 0 }, 0);
    differs_at((struct altered){ 9, .text = "Entries 3 to 6 are to be condensed." }, 9);
    differs_at((struct altered){ 9, .data = "{\"rule\":\"cut\",\"keep\":10}" }, 9);
    differs_at((struct altered){ 12, .data = "{\"rule\":\"cut\",\"keep\":50}" }, 12);
    differs_at((struct altered){ 8, .text = THIRTY THIRTY THIRTY THIRTY }, 9);
    /* The arguments of its calls count, and what was said before the last summary does not any more. */
    differs_at((struct altered){ 8, .data = "{\"a\":\"" THIRTY THIRTY THIRTY "\"}" }, 9);
    differs_at((struct altered){ 6, .text = "short", .data = "{\"a\":\"" THIRTY "\"}" }, 9);
    differs_at((struct altered){ 4, .text = THIRTY THIRTY THIRTY THIRTY }, 0);
}

static void a_summary_stands_for_what_was_decided(void **state)
{
    (void)state;
    differs_at((struct altered){ 10, .data = "{\"from\":3,\"to\":6}" }, 10);
    differs_at((struct altered){ 10, .data = "{\"from\":4,\"to\":4}" }, 10);
    differs_at((struct altered){ 10, .data = "{}" }, 10);
    differs_at((struct altered){ 13, .data = "{\"from\":3,\"to\":7}" }, 13);
    differs_at((struct altered){ 13, .data = "{\"from\":5,\"to\":10}" }, 13);
}

/* Which of them people have said, nobody can tell any more, nor how long it was. */
static void a_cut_of_what_was_erased_is_taken_as_it_is(void **state)
{
    int64_t first;

    (void)state;
    differs_at((struct altered){ 6, .text = ERASED_TEXT }, 0);
    differs_at((struct altered){ 6, .text = "[erases]" }, 9);
    differs_at((struct altered){ 7, .text = ERASED_TEXT }, 0);
    /* Before it, and behind it again, what can be told is. */
    assert_int_equal(differences((struct altered[]){ { 4, .text = ERASED_TEXT },
                                                     { 12, .data = "{\"rule\":\"cut\",\"keep\":50}" } },
                                 2, &first),
                     1);
    assert_int_equal(first, 12);
}

/* Runs from before cuts were noted. */
static void a_summary_without_a_cut_is_taken_as_it_is(void **state)
{
    int64_t first;

    (void)state;
    differs_at((struct altered){ 9, .kind = RUN_INSTRUCTIONS }, 0);
    assert_int_equal(differences((struct altered[]){ { 9, .kind = RUN_INSTRUCTIONS },
                                                     { 10, .data = "{\"from\":4,\"to\":4}" } },
                                 2, &first),
                     1);
    assert_int_equal(first, 10);
    assert_int_equal(differences((struct altered[]){ { 9, .kind = RUN_INSTRUCTIONS },
                                                     { 10, .data = "{\"from\":3,\"to\":6}" },
                                                     { 12, .text = "Entries 7 to 7 are to be condensed." },
                                                     { 13, .data = "{\"from\":7,\"to\":7}" } },
                                 4, &first),
                     0);
    assert_int_equal(differences((struct altered[]){ { 12, .kind = RUN_INSTRUCTIONS },
                                                     { 13, .data = "{\"from\":5,\"to\":10}" } },
                                 2, &first),
                     0);
}

/* A reply took so many tokens of 100, and its one call is done: what follows from what would be told next? */
static bool stops(int64_t tokens, const char *data)
{
    const struct rerun_setup setup = { .budget = { .tokens = 100 }, .mistakes_most = MOST };
    ARENA_AUTO arena = { 0 };
    struct rerun *replay = rerun_begin(&arena, &setup);

    rerun_take(replay, &(struct rerun_entry){ .seq = 3,
                                              .kind = RUN_REPLY,
                                              .data = "{\"calls\":[{\"call\":\"a\",\"name\":\"look\"}]}",
                                              .tokens = tokens });
    rerun_take(
        replay,
        &(struct rerun_entry){
            .seq = 4, .kind = RUN_RESULT, .text = "seen", .data = "{\"outcome\":\"ok\"}", .call_id = "a" });
    rerun_take(replay, &(struct rerun_entry){
                           .seq = 5, .kind = RUN_DECISION, .text = "Its budget is used up.", .data = data });
    return rerun_end(replay).count == 0;
}

static void a_request_that_takes_what_is_left_is_held_against_the_budget_again(void **state)
{
    (void)state;
    assert_true(stops(60, "{\"verdict\":\"fail\",\"next\":40}"));
    assert_false(stops(60, "{\"verdict\":\"fail\",\"next\":39}"));
    assert_false(stops(60, "{\"verdict\":\"fail\"}"));
    assert_false(stops(59, "{\"verdict\":\"fail\",\"next\":40}"));
    assert_true(stops(59, "{\"verdict\":\"fail\",\"next\":40,\"limit\":\"project_tokens\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_is_made_again_from_what_was_said),
        cmocka_unit_test(a_summary_stands_for_what_was_decided),
        cmocka_unit_test(a_cut_of_what_was_erased_is_taken_as_it_is),
        cmocka_unit_test(a_summary_without_a_cut_is_taken_as_it_is),
        cmocka_unit_test(a_request_that_takes_what_is_left_is_held_against_the_budget_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
