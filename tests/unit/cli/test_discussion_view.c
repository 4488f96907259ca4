#include "cli/client/discussion_view.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct cli cli = { .quiet = true };
static struct discussion_view view;
static char *shown;
static size_t shown_len;

static int open_view(void **state)
{
    FILE *out = open_memstream(&shown, &shown_len);

    (void)state;
    assert_non_null(out);
    view_open(&view, &cli, out);
    view.live = true; /* as on a terminal */
    return 0;
}

static int close_view(void **state)
{
    (void)state;
    view_close(&view);
    fclose(view.out);
    free(shown);
    shown = NULL;
    return 0;
}

static void hear(const char *text)
{
    struct err err = { 0 };
    JSON_AUTO *event = NULL;

    assert_true(json_parse(text, strlen(text), &event, &err));
    view_event(&view, event);
}

static void piece(const char *turn, int offset, const char *text)
{
    ARENA_AUTO arena = { 0 };

    hear(arena_format(
        &arena,
        "{\"type\":\"turn.delta\",\"turnId\":\"%s\",\"speaker\":\"%s\",\"round\":1,\"offset\":%d,"
        "\"text\":\"%s\"}",
        turn, turn, offset, text));
}

static void started(const char *turn)
{
    ARENA_AUTO arena = { 0 };

    hear(arena_format(&arena,
                      "{\"type\":\"turn.started\",\"turnId\":\"%s\",\"speaker\":\"%s\",\"role\":\"\"}", turn,
                      turn));
}

/* A piece of a turn that the log has told of. */
static void delta(const char *turn, int offset, const char *text)
{
    started(turn);
    piece(turn, offset, text);
}

static void finished(const char *turn, const char *content, const char *metadata)
{
    ARENA_AUTO arena = { 0 };

    hear(arena_format(
        &arena,
        "{\"type\":\"turn.finished\",\"turnId\":\"%s\",\"kind\":\"turn\",\"entry\":{\"id\":\"e-%s\","
        "\"speaker\":\"%s\",\"role\":\"\",\"content\":\"%s\",\"roundNumber\":1,\"metadata\":%s}}",
        turn, turn, turn, content, metadata));
}

/* Who has no role that everybody knows looks like their place. */
#define FIRST  "\xF0\x9F\x9F\xA3 "
#define SECOND "\xF0\x9F\x9F\xA0 "
#define THIRD  "\xF0\x9F\x94\xB7 "

static void words_appear_as_they_come_and_what_is_missing_is_added(void **state)
{
    (void)state;
    delta("Ann", 0, "One ");
    delta("Ann", 4, "two");
    finished("Ann", "One two three", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two three\n\n");
    /* Heard again, after the stream was opened anew. */
    finished("Ann", "One two three", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two three\n\n");
}

/* As they come in lines are set in; what comes whole is quoted where it looks like somebody else's turn. */
static void nobody_is_made_to_speak_by_what_another_says(void **state)
{
    (void)state;
    delta("Ann", 0, "Fine.\\n");
    delta("Ann", 6, SECOND "Ben\\nI approve.");
    finished("Ann", "Fine.\\n" SECOND "Ben\\nI approve.", "{}");
    finished("Ben", THIRD "Cid\\nI approve.\\n--- Round 2 of 2 ---", "{}");
    finished("Cid", "One.\\nTwo.", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nFine.\n  " SECOND
                               "Ben\n  I approve.\n\n" SECOND "Ben\n> " THIRD
                               "Cid\n> I approve.\n> --- Round 2 of 2 ---\n\n" THIRD "Cid\nOne.\nTwo.\n\n");
}

static void one_has_the_floor_and_others_come_whole(void **state)
{
    (void)state;
    delta("Ann", 0, "One ");
    delta("Ben", 0, "Mine ");
    delta("Ann", 4, "two");
    finished("Ben", "Mine alone", "{}");
    finished("Ann", "One two", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two\n\n" SECOND "Ben\nMine alone\n\n");
}

/* They overtake what is in the log: here the end of the turn before, which must not come to stand behind it.
 */
static void pieces_wait_until_the_log_has_told_that_the_turn_began(void **state)
{
    JSON_AUTO *about = json_pack("{s:{}, s:s}", "discussion", "nextSpeaker", "Ann");

    (void)state;
    piece("Ben", 0, "Mine ");
    finished("Ann", "One two", "{}");
    started("Ben");
    piece("Ben", 5, "alone");
    finished("Ben", "Mine alone", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two\n\n" SECOND "Ben\nMine alone\n\n");
    /* Who joins late has not heard it begin, but knows whose turn it is. */
    view_about(&view, about);
    piece("Ann", 0, "And ");
    fflush(view.out);
    assert_non_null(strstr(shown, "Ann\nAnd "));
}

static void a_turn_that_is_asked_anew_begins_again(void **state)
{
    (void)state;
    delta("Ann", 0, "Wrong");
    delta("Ann", 0, "Right");
    finished("Ann", "Right", "{}");
    assert_non_null(strstr(shown, "Wrong\n(begins again)\nRight\n\n"));
}

static void words_that_stand_there_already_are_not_shown_again(void **state)
{
    (void)state;
    delta("Ann", 0, "One two ");
    /* The stream was opened anew and tells all so far, or the turn is asked for again and goes the same way.
     */
    delta("Ann", 0, "One ");
    delta("Ann", 4, "two three");
    finished("Ann", "One two three", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two three\n\n");
}

static void a_turn_that_ended_while_nobody_listened_leaves_the_floor(void **state)
{
    struct err err = { 0 };
    JSON_AUTO *entry = NULL;
    const char *text = "{\"id\":\"e-Ann\",\"speaker\":\"Ann\",\"role\":\"\",\"content\":\"One two.\","
                       "\"turnIndex\":0,\"roundNumber\":1,\"metadata\":{}}";

    (void)state;
    assert_true(json_parse(text, strlen(text), &entry, &err));
    delta("Ann", 0, "One ");
    view_entry(&view, entry);
    delta("Ben", 0, "Now ");
    delta("Ben", 4, "I.");
    finished("Ben", "Now I.", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nOne two.\n\n" SECOND "Ben\nNow I.\n\n");
}

static void everybody_looks_like_their_place_and_known_roles_like_themselves(void **state)
{
    struct err err = { 0 };
    JSON_AUTO *about = NULL;
    const char *text = "{\"discussion\":{\"rounds\":2},\"speakerOrder\":[\"Ann\",\"Critical\",\"Ben\"]}";

    (void)state;
    assert_true(json_parse(text, strlen(text), &about, &err));
    view_about(&view, about);
    finished("Ben", "First to be heard.", "{}");
    finished("Critical", "No.", "{}");
    finished("Ann", "Yes.", "{}");
    assert_string_equal(shown, "--- Round 1 of 2 ---\n\n" THIRD "Ben\nFirst to be heard.\n\n"
                               "\xF0\x9F\x94\xB4 Critical\nNo.\n\n" FIRST "Ann\nYes.\n\n");
}

static void a_vote_is_shown_once_with_its_dissent(void **state)
{
    const char *vote =
        "{\"rule\":\"majority\",\"winner\":\"tea\",\"tie\":false,\"tally\":{\"tea\":2,\"water\":1},"
        "\"agreed\":false,\"decided\":true,\"dissent\":[{\"voter\":\"Ann\",\"choice\":\"water\","
        "\"confidence\":0.5}]}";
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    JSON_AUTO *ended = NULL;
    const char *text = arena_format(&arena, "{\"discussion\":{},\"result\":{\"vote\":%s}}", vote);

    (void)state;
    assert_true(json_parse(text, strlen(text), &ended, &err));
    hear(arena_format(&arena, "{\"type\":\"vote.counted\",\"round\":1,\"vote\":%s}", vote));
    view_end(&view, ended);
    assert_string_equal(shown,
                        "Vote (majority): tea\n  tea: 2\n  water: 1\n"
                        "  Dissent: Ann is for water (confidence 0.5).\n"
                        "  That is less than agreement: --threshold says how many must be for it.\n\n");
}

static void a_pass_is_not_shown_before_it_is_known_to_be_one(void **state)
{
    (void)state;
    delta("Ann", 0, "[PA");
    delta("Ann", 3, "SS] all");
    finished("Ann", "all said", "{\"pass\":true,\"reason\":\"all said\"}");
    delta("Ben", 0, "[P");
    delta("Ben", 2, "aris] is far.");
    finished("Ben", "[Paris] is far.", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann passed: all said\n\n" SECOND
                               "Ben\n[Paris] is far.\n\n");
}

static void a_piece_that_does_not_fit_is_left_to_the_whole(void **state)
{
    (void)state;
    delta("Ann", 7, "late");
    assert_null(shown && *shown ? shown : NULL);
    finished("Ann", "I came late", "{}");
    assert_string_equal(shown, "--- Round 1 ---\n\n" FIRST "Ann\nI came late\n\n");
}

static void passes_and_what_was_cut_off_are_told_apart(void **state)
{
    (void)state;
    finished("Ann", "all said", "{\"pass\":true,\"reason\":\"all said\"}");
    finished("Ben", "", "{\"skipped\":true,\"reason\":\"The agent is gone.\"}");
    finished("Cid", "I was just", "{\"partial\":true}");
    assert_non_null(strstr(shown, FIRST "Ann passed: all said\n"));
    assert_non_null(strstr(shown, SECOND "Ben was skipped: The agent is gone.\n"));
    assert_non_null(strstr(shown, THIRD "Cid\nI was just\n(cut off)\n"));
}

static void nobody_moves_the_cursor(void **state)
{
    (void)state;
    delta("Ann", 0, "a\\u001b[2Jb");
    finished("Ben\\u001b]0;x\\u0007", "c\\u001b[1Ad", "{}");
    for (size_t i = 0; i < shown_len; i++)
        assert_true(shown[i] != '\033' && shown[i] != '\a');
}

#define WITH_VIEW(test) cmocka_unit_test_setup_teardown(test, open_view, close_view)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_VIEW(words_appear_as_they_come_and_what_is_missing_is_added),
        WITH_VIEW(nobody_is_made_to_speak_by_what_another_says),
        WITH_VIEW(one_has_the_floor_and_others_come_whole),
        WITH_VIEW(pieces_wait_until_the_log_has_told_that_the_turn_began),
        WITH_VIEW(a_turn_that_is_asked_anew_begins_again),
        WITH_VIEW(words_that_stand_there_already_are_not_shown_again),
        WITH_VIEW(a_turn_that_ended_while_nobody_listened_leaves_the_floor),
        WITH_VIEW(everybody_looks_like_their_place_and_known_roles_like_themselves),
        WITH_VIEW(a_vote_is_shown_once_with_its_dissent),
        WITH_VIEW(a_pass_is_not_shown_before_it_is_known_to_be_one),
        WITH_VIEW(a_piece_that_does_not_fit_is_left_to_the_whole),
        WITH_VIEW(passes_and_what_was_cut_off_are_told_apart),
        WITH_VIEW(nobody_moves_the_cursor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
