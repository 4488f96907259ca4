/*
 * The transcript, letter by letter.
 */
#include "core/council/rules/transcript.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

#define RULER "============================================================\n"

static const struct council_entry talk[] = {
    { ENTRY_SAID, "Divergent", "Divergent", "Let me explore.\n1. Speed", 1, 0 },
    { ENTRY_SAID, "Convergent", "convergent", "A monolith.", 1, 1 },
    { ENTRY_SAID, "Critical", "critical", "Mind the mud.", 1, 2 },
    { ENTRY_SAID, "Divergent", "divergent", "A modular one.", 2, 0 },
    { ENTRY_SAID, "Ann", "user", "And the cost?", 2, OUT_OF_TURN, .person = true },
    { ENTRY_PASSED, "Convergent", "convergent", "It is clear.", 2, 1 },
    { ENTRY_PASSED, "Divergent", "divergent", "", 3, 0 },
    { ENTRY_SKIPPED, "Critical", "critical", "The agent is gone.", 3, 2 },
};

static void the_text_stands_line_by_line(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out;
    const struct transcript transcript = {
        .topic = "Microservices or monolith?", .entries = talk, .count = LEN(talk), .rounds = 3
    };

    (void)state;
    buf_init(&out, 0);
    transcript_text(&arena, &transcript, &out);
    assert_string_equal(out.bytes,
                        "🐝 [QueenBee Collaborative Discussion]\n"
                        "\n"
                        "My specialist team had a 3-round discussion about:\n"
                        "'Microservices or monolith?'\n"
                        "\n" RULER "Round 1: 3 contribution(s)\n" RULER "\n"
                        "🔵 Divergent:\n"
                        "Let me explore.\n1. Speed\n"
                        "\n"
                        "🟢 Convergent:\n"
                        "A monolith.\n"
                        "\n"
                        "🔴 Critical:\n"
                        "Mind the mud.\n"
                        "\n" RULER "Round 2: 2 contribution(s)\n" RULER "\n"
                        "🔵 Divergent:\n"
                        "A modular one.\n"
                        "\n"
                        "⚪ Ann:\n"
                        "And the cost?\n"
                        "\n" RULER "✨ Discussion complete with 5 total contributions\n"
                        "This represents a truly collaborative multi-perspective analysis.\n" RULER);
}

static void a_topic_is_cut_by_characters_and_stays_a_line(void **state)
{
    char topic[300], wanted[320];
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t chars = 99; chars <= 101; chars++) {
        BUF_AUTO out;

        topic[0] = wanted[0] = '\0';
        for (size_t i = 0; i < chars; i++)
            strcat(topic, "é");
        snprintf(wanted, sizeof(wanted), "'%.*s%s", (int)(chars > 100 ? 200 : chars * 2), topic,
                 chars > 100 ? "...'\n" : "'\n");
        const struct transcript transcript = { .topic = topic };

        buf_init(&out, 0);
        transcript_text(&arena, &transcript, &out);
        assert_non_null(strstr(out.bytes, wanted));
    }
    BUF_AUTO out;
    const struct transcript broken = { .topic = "a\n'b' \x1B[31mc" };

    buf_init(&out, 0);
    transcript_text(&arena, &broken, &out);
    assert_non_null(strstr(out.bytes, "about:\n'a 'b' [31mc'\n"));
    assert_non_null(strstr(out.bytes, "a 0-round discussion"));
}

static void the_result_has_what_programs_ask_for(void **state)
{
    BUF_AUTO text;
    struct json_out out;
    const struct transcript transcript = {
        .topic = "T", .entries = talk + 4, .count = LEN(talk) - 4, .rounds = 3
    };

    (void)state;
    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    transcript_members(&transcript, &out);
    json_map_end(&out);
    assert_string_equal(
        text.bytes,
        "{\"topic\":\"T\",\"rounds\":[{\"round\":1,\"contributions\":[],\"passes\":[]},"
        "{\"round\":2,\"contributions\":[{\"agent\":\"Ann\",\"round\":2,\"content\":\"And the cost?\"}],"
        "\"passes\":[{\"agent\":\"Convergent\",\"reason\":\"It is clear.\"}]},"
        "{\"round\":3,\"contributions\":[],\"passes\":[{\"agent\":\"Divergent\",\"reason\":\"\"},"
        "{\"agent\":\"Critical\",\"reason\":\"The agent is gone.\"}]}],"
        "\"full_discussion\":[{\"agent\":\"Ann\",\"round\":2,\"content\":\"And the cost?\"}],"
        "\"total_contributions\":1}");
}

static void markdown_shows_passes_too(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out;
    const struct transcript transcript = {
        .topic = "T", .entries = talk + 4, .count = LEN(talk) - 4, .rounds = 3, .end = END_ROUNDS
    };

    (void)state;
    buf_init(&out, 0);
    transcript_markdown(&arena, &transcript, &out);
    assert_string_equal(out.bytes, "# T\n\n3 round(s), 1 contribution(s); ended: rounds_used.\n\n"
                                   "## Round 2\n\n### ⚪ Ann\n\nAnd the cost?\n\n"
                                   "*🟢 Convergent passed: It is clear.*\n\n"
                                   "## Round 3\n\n*🔵 Divergent passed.*\n\n"
                                   "*🔴 Critical was skipped: The agent is gone.*\n\n");
}

static void markdown_ends_with_the_vote(void **state)
{
    static const struct {
        const char *vote, *shown;
    } rows[] = {
        { "{\"rule\":\"weighted\",\"winner\":\"left\",\"tie\":false,\"tally\":{\"left\":1.3,\"right\":1},"
          "\"dissent\":[{\"voter\":\"Bob\",\"choice\":\"right\"},{\"voter\":\"Eve\",\"choice\":\"right\"}]}",
          "By rule weighted: **left**.\n\n- left: 1.3\n- right: 1\n\nDissent: Bob (right), Eve "
          "(right).\n\n" },
        { "{\"rule\":\"majority\",\"winner\":null,\"tie\":true,\"tally\":{\"a\":0},\"dissent\":[]}",
          "By rule majority: a tie, which is not broken.\n\n- a: 0\n\n" },
        { "{\"rule\":\"borda\",\"winner\":null,\"tie\":false,\"tally\":{\"a\\nb\":0},\"dissent\":[]}",
          "By rule borda: nobody has voted.\n\n- a b: 0\n\n" },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        const struct transcript transcript = { .topic = "T", .rounds = 1, .vote = rows[i].vote };
        ARENA_AUTO arena = { 0 };
        BUF_AUTO out;

        buf_init(&out, 0);
        transcript_markdown(&arena, &transcript, &out);
        assert_non_null(strstr(out.bytes, "## Vote\n\n"));
        assert_string_equal(strstr(out.bytes, "## Vote\n\n") + strlen("## Vote\n\n"), rows[i].shown);
    }
}

static void icons_go_by_role_then_by_name(void **state)
{
    (void)state;
    assert_string_equal(transcript_icon("critical", "Divergent"), "🔴");
    assert_string_equal(transcript_icon("specialist", "DIVERGENT"), "🔵");
    assert_string_equal(transcript_icon("economist", "Eve"), "⚪");
    assert_string_equal(transcript_icon(NULL, NULL), "⚪");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_stands_line_by_line),
        cmocka_unit_test(a_topic_is_cut_by_characters_and_stays_a_line),
        cmocka_unit_test(the_result_has_what_programs_ask_for),
        cmocka_unit_test(markdown_shows_passes_too),
        cmocka_unit_test(markdown_ends_with_the_vote),
        cmocka_unit_test(icons_go_by_role_then_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
