/*
 * What is cut from a model's reply, and what must stay.
 */
#include "base/str.h"
#include "core/council/rules/reply_cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const char *const others[] = { "Manager", "Ann", "Critical" };

static struct reply cut_as(struct arena *arena, enum council_mode mode, bool again, const char *raw)
{
    const struct reply_rules rules = {
        .mode = mode, .speaker = "Divergent", .others = others, .other_count = LEN(others), .again = again
    };

    return reply_cut(arena, &rules, raw, strlen(raw));
}

static struct reply cut(struct arena *arena, enum council_mode mode, const char *raw)
{
    return cut_as(arena, mode, false, raw);
}

struct row {
    const char *raw, *text;
    enum reply_lack lack;
};

static void check_as(enum council_mode mode, bool again, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ARENA_AUTO arena = { 0 };
        struct reply reply = cut_as(&arena, mode, again, rows[i].raw);

        if (strcmp(reply.text, rows[i].text) != 0)
            fail_msg("\"%s\" became \"%s\"", rows[i].raw, reply.text);
        if (reply.lack != rows[i].lack)
            fail_msg("\"%s\" lacks because of %s", rows[i].raw, reply_lack_word(reply.lack));
        assert_int_equal(!*reply_lack_sentence(reply.lack), reply.lack == LACK_NONE);
    }
}

static void check(enum council_mode mode, const struct row *rows, size_t count)
{
    check_as(mode, false, rows, count);
}

static void in_turns_one_speaks_briefly_and_for_oneself(void **state)
{
    static const struct row rows[] = {
        { "Hello.", "Hello.", LACK_NONE },
        { "  \n\n Hello. \n", "Hello.", LACK_NONE },
        { "[Divergent]: Hello.", "Hello.", LACK_NONE },
        { "\n[divergent] : Hello.", "Hello.", LACK_NONE },
        { "[Divergent] Hello.", "Hello.", LACK_NONE },
        { "Divergent: Hello.", "Hello.", LACK_NONE },
        { "**Divergent:** Hello.", "Hello.", LACK_NONE },
        { "**Divergent**: Hello.", "Hello.", LACK_NONE },
        { "Divergent: Divergent:\nHello.", "Hello.", LACK_NONE },
        { "Divergent thinking: Hello.", "Divergent thinking: Hello.", LACK_NONE },
        { "Hello.\n\nAnd more.", "Hello.", LACK_NONE },
        { "Hello. [Manager]: Me too.", "Hello.", LACK_NONE },
        { "See item [1].", "See item", LACK_NONE },
        { "Hello. Speaker: me", "Hello.", LACK_NONE },
        { "Hello.\nManager: Me too.", "Hello.", LACK_NONE },
        { "Hello.\n**Ann**: Me too.", "Hello.", LACK_NONE },
        { "Ask Manager: he knows.", "Ask Manager: he knows.", LACK_NONE },
        { "Hello.\nManagers: none.", "Hello.\nManagers: none.", LACK_NONE },
        { "", "", LACK_NOTHING },
        { " \t\r\n", "", LACK_NOTHING },
        { "\x01\x02", "", LACK_UNREADABLE },
        { "<|im_end|>", "", LACK_TOKENS },
        { " </s> [INST]", "", LACK_TOKENS },
        { "Divergent:", "", LACK_LABEL },
        { "[Divergent]: ", "", LACK_LABEL },
        { "[", "", LACK_STOP },
        { "[Manager]: I speak.", "", LACK_OTHER },
        { "[1] Firstly", "", LACK_STOP },
        { "Speaker: me", "", LACK_STOP },
        { "Manager: I speak.", "", LACK_OTHER },
        { "Divergent: Ann: I speak.", "", LACK_OTHER },
        { "<think>So what.</think>", "", LACK_THOUGHT },
        { "<think>So what.", "", LACK_THOUGHT },
    };

    (void)state;
    check(MODE_TURNS, rows, LEN(rows));
}

static void asked_again_one_is_heard_behind_any_label_but_anothers(void **state)
{
    static const struct row rows[] = {
        { "Hello. [Manager]: Me too.", "Hello.", LACK_NONE },
        { "[Somebody]: Hello.", "Hello.", LACK_NONE },
        { "**[Somebody]:** Hello. [2]", "Hello.", LACK_NONE },
        { "[Divergent]: [Somebody] : Hello.", "Hello.", LACK_NONE },
        { "[Somebody]: [Divergent]: Hello.", "Hello.", LACK_NONE },
        { "[1] Firstly, [2]", "Firstly,", LACK_NONE },
        { "[sighs] Well. Speaker: no", "Well.", LACK_NONE },
        { "Speaker: Hello.", "Hello.", LACK_NONE },
        { "[Hello.\nYou.", "Hello.\nYou.", LACK_NONE },
        { "[Hello.", "", LACK_STOP },
        { "[PASS] Said enough.", "", LACK_STOP },
        { "[Somebody]:", "", LACK_STOP },
        { "[", "", LACK_STOP },
        { "", "", LACK_NOTHING },
        { "[Manager]: I speak.", "", LACK_OTHER },
        { "Manager: I speak.", "", LACK_OTHER },
        { "[Manager]: I speak.\n[Divergent]: I answer.", "I answer.", LACK_NONE },
        { "Ann: I speak.\nManager: I too.\nDivergent: And I.\nAnn: Hm.", "And I.", LACK_NONE },
    };

    static const struct row without_stops[] = {
        { "[1] Firstly, [2]", "[1] Firstly, [2]", LACK_NONE },
        { "[Round 1] Ann: No.\n[Round 1] Divergent: Yes.", "Yes.", LACK_NONE },
        { "[Round 1] Ann: No.", "", LACK_OTHER },
    };

    (void)state;
    check_as(MODE_TURNS, true, rows, LEN(rows));
    check_as(MODE_ROUNDS, true, without_stops, LEN(without_stops));
}

/* A provider that obeys stops sends nothing where the reply began with one, or what stood around the label.
 */
static void a_reply_that_a_provider_stopped_began_with_a_stop(void **state)
{
    static const char *const rows[] = { "", " ", "**", "Divergent:" };
    const struct reply_rules rules = { .mode = MODE_TURNS, .speaker = "Divergent", .stopped = true };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++)
        assert_int_equal(reply_cut(&arena, &rules, rows[i], strlen(rows[i])).lack, LACK_STOP);
    assert_string_equal(reply_cut(&arena, &rules, "Yes.", 4).text, "Yes.");
    assert_string_equal(cut(&arena, MODE_TURNS, "**").text, "**");
    assert_int_equal(cut(&arena, MODE_TURNS, "**[Somebody]:** no").lack, LACK_STOP);
    assert_int_equal(cut(&arena, MODE_TURNS, "**[Ann]:** no").lack, LACK_OTHER);
}

/* Nothing is cut short that more text would make another reply of. */
static void a_reply_is_over_only_when_more_would_not_change_it(void **state)
{
    static const char *const rows[] = {
        "[Divergent]: Hello there.\n\nAnd more",
        "**[Divergent]:** Hello.\n\nmore [x]",
        "[Div]: no",
        "[PASS] Nothing new.\n\nReally.",
        "Hello. [Manager]: Me too.",
        "[Round 1] Divergent: Yes.\nAnn: no",
        "Divergent: [Divergent] Yes [1] no\n\nx",
        "Hello.\nManager: no\nDivergent: yes",
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        const struct reply_rules rules = {
            .mode = MODE_TURNS, .speaker = "Divergent", .others = others, .other_count = LEN(others)
        };
        struct reply whole = cut(&arena, MODE_TURNS, rows[i]);
        bool over = false;

        for (size_t len = 0; len <= strlen(rows[i]); len++) {
            struct reply part = reply_cut(&arena, &rules, rows[i], len);

            if (over && !reply_is_over(&rules, &part))
                fail_msg("\"%.*s\" goes on", (int)len, rows[i]);
            over = reply_is_over(&rules, &part);
            if (over)
                assert_string_equal(part.text, whole.text);
        }
        assert_int_equal(over, whole.lack == LACK_NONE && strlen(rows[i]) > 20);
    }
}

static void in_rounds_long_texts_stay_whole(void **state)
{
    static const struct row rows[] = {
        { "One.\n\nTwo [see 1].\n\nSpeaker: three", "One.\n\nTwo [see 1].\n\nSpeaker: three", LACK_NONE },
        { "[Round 2] Divergent: One.", "One.", LACK_NONE },
        { "[Round 2] [Divergent]: One.", "One.", LACK_NONE },
        { "**[Round 2] Divergent:** One.", "One.", LACK_NONE },
        { "One.\n\nCritical: a heading\n\nTwo.", "One.\n\nCritical: a heading\n\nTwo.", LACK_NONE },
        { "One.\n[Round 2] Critical: Two.", "One.", LACK_NONE },
        { "One.\n\n[Critical]: Two.", "One.", LACK_NONE },
        { "[Round 1] Critical: Two.", "", LACK_OTHER },
        { "[Round 1] of many.", "[Round 1] of many.", LACK_NONE },
        { "[Round x] Divergent: a", "[Round x] Divergent: a", LACK_NONE },
    };

    (void)state;
    check(MODE_ROUNDS, rows, LEN(rows));
    check(MODE_PARALLEL, rows, LEN(rows));
}

static void tokens_go_and_the_text_between_them_stays(void **state)
{
    static const struct row rows[] = {
        { "Hello.<|im_end|>", "Hello.", LACK_NONE },
        { "Hello.<|eot_id|>\n", "Hello.", LACK_NONE },
        { "<s>Hello</s> there", "Hello there", LACK_NONE },
        { "[INST] Hello [/INST] there", "Hello  there", LACK_NONE },
        { "<<SYS>>a<</SYS>>b", "ab", LACK_NONE },
        { "<|im_start|>assistant\nHello.<|im_end|>", "Hello.", LACK_NONE },
        { "<|start_header_id|>assistant<|end_header_id|>\n\nHello.", "Hello.", LACK_NONE },
        { "<start_of_turn>model\nHello.<end_of_turn>", "Hello.", LACK_NONE },
        { "<|im_start|>assistant says hello", "assistant says hello", LACK_NONE },
        { "<\xEF\xBD\x9C"
          "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>Hello.",
          "Hello.", LACK_NONE },
        { "Hel<|im_<|im_end|>end|>lo", "Hello", LACK_NONE },
        { "<<s>s>Hello", "Hello", LACK_NONE },
        { "[IN[INST]ST]Hello", "Hello", LACK_NONE },
        { "a <| b |> c", "a <| b |> c", LACK_NONE },
        { "a <|> b <||> c", "a <|> b <||> c", LACK_NONE },
        { "a < b and c > d", "a < b and c > d", LACK_NONE },
        { "<b>bold</b>", "<b>bold</b>", LACK_NONE },
        { "<think>Hm.</think>Hello.", "Hello.", LACK_NONE },
        { "<think>\nHm.\n</think>\n\nHello.", "Hello.", LACK_NONE },
        { "Hm, so.\n</think>\nHello.", "Hello.", LACK_NONE },
        { "Hello.<think>Hm.</think> You.", "Hello. You.", LACK_NONE },
        { "Write <think> before it.", "Write  before it.", LACK_NONE },
        { "<think>a<think>b</think>Hello.", "Hello.", LACK_NONE },
        { "<<think>x</think>|im_end|>Hello.", "Hello.", LACK_NONE },
        { "<think>a</think>b</think>c", "bc", LACK_NONE },
    };

    (void)state;
    check(MODE_ROUNDS, rows, LEN(rows));
}

static void thoughts_are_kept_apart(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(cut(&arena, MODE_TURNS, "<think> Hm [1]\n\nso. </think> Hi.").thought,
                        "Hm [1]\n\nso.");
    assert_string_equal(cut(&arena, MODE_TURNS, "<thinking>Hm.").thought, "Hm.");
    assert_null(cut(&arena, MODE_TURNS, "<think></think> Hi.").thought);
}

static void bytes_become_text(void **state)
{
    static const struct row rows[] = {
        { "a\xFF\xFE"
          "b",
          "a\xEF\xBF\xBD"
          "b",
          LACK_NONE },
        { "caf\xC3", "caf\xEF\xBF\xBD", LACK_NONE },
        { "a\r\nb\rc\x1B[31m\x07", "a\nb\nc[31m", LACK_NONE },
        { "a\xE2\x80\xAE"
          "b",
          "ab", LACK_NONE },
        { "\xF0\x9F\x90\x9D", "\xF0\x9F\x90\x9D", LACK_NONE },
    };
    ARENA_AUTO arena = { 0 };
    const struct reply_rules rules = { .mode = MODE_ROUNDS };
    struct reply reply = reply_cut(&arena, &rules, "a\0b", 3);

    (void)state;
    check(MODE_ROUNDS, rows, LEN(rows));
    assert_string_equal(reply.text, "ab");
    assert_true(cut(&arena, MODE_ROUNDS, "a\xFF").mended);
    assert_false(cut(&arena, MODE_ROUNDS, "a").mended);
}

static void stops_are_the_agents_own_where_it_has_some(void **state)
{
    static const char *const own[] = { " END ", "\n", "", "###" };
    static const char *const empty[] = { "" };
    const struct reply_rules
        with = { .mode = MODE_TURNS, .speaker = "A", .stops = own, .stop_count = LEN(own) },
        without = { .mode = MODE_TURNS, .speaker = "A", .stops = empty, .stop_count = LEN(empty) },
        rounds = { .mode = MODE_ROUNDS, .speaker = "A", .stops = own, .stop_count = LEN(own) };
    ARENA_AUTO arena = { 0 };
    const char *stops[LIMIT_STOPS];
    struct reply reply = reply_cut(&arena, &with, "A: [x] theEND", 13);

    (void)state;
    assert_int_equal(reply_stops(&arena, &with, stops), 3);
    assert_string_equal(stops[0], "END");
    assert_string_equal(stops[1], "\n");
    assert_string_equal(reply.text, "[x] the");
    assert_string_equal(reply.stop, "END");
    assert_string_equal(reply_cut(&arena, &with, "a\nb", 3).text, "a");
    assert_int_equal(reply_stops(&arena, &without, stops), 3);
    assert_string_equal(stops[0], "[");
    assert_string_equal(reply_cut(&arena, &rounds, "a ### b", 7).text, "a");
}

static void the_earliest_end_counts(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct reply reply = cut(&arena, MODE_TURNS, "a\nAnn: b\n\nc [d]");

    (void)state;
    assert_string_equal(reply.text, "a");
    assert_string_equal(reply.other, "Ann");
    assert_null(reply.stop);
    reply = cut(&arena, MODE_TURNS, "a [b]\nAnn: c");
    assert_string_equal(reply.stop, "[");
    assert_null(reply.other);
    assert_string_equal(reply.whole, "a [b]\nAnn: c");
}

static void a_flood_is_cut_at_a_character(void **state)
{
    size_t len = 4 * (size_t)LIMIT_MESSAGE;
    char *flood = malloc(len);
    ARENA_AUTO arena = { 0 };
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = "x" };

    (void)state;
    for (size_t i = 0; i < len; i++)
        flood[i] = "\xF0\x9F\x90\x9D"[i % 4];
    flood[0] = flood[1] = flood[2] = flood[3] = 'a';
    struct reply reply = reply_cut(&arena, &rules, flood + 1, len - 1);

    assert_true(reply.too_long);
    assert_true(strlen(reply.text) <= LIMIT_MESSAGE && strlen(reply.text) > LIMIT_MESSAGE - 4);
    assert_true(str_is_utf8(reply.text, strlen(reply.text)));
    free(flood);
}

/* Whatever pieces a reply comes in, what is shown only grows, and is never taken back. */
static void what_is_shown_stays(void **state)
{
    static const char *const rows[] = {
        "[Divergent]: Hello there.\nManager: I speak",
        "**Divergent:** Hello <|im_end|>there, Mana ger: no\nAnn: x",
        "Divergent: a [b] c",
        "Hello.\n\nmore",
        "Hello Speaker: me",
        "Divers: a<b",
        "[Somebody]: Hello. [Manager]: no",
        "**[Somebody]:** Hello there.",
        "Speaker: Hello.",
        "[Ann]: No.\n[Divergent]: Yes.\nAnn: no",
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        const struct reply_rules rules = { .mode = MODE_TURNS,
                                           .speaker = "Divergent",
                                           .others = others,
                                           .other_count = LEN(others),
                                           .again = true };
        ARENA_AUTO arena = { 0 };
        const char *final = cut_as(&arena, MODE_TURNS, true, rows[i]).text;
        size_t shown = 0;

        for (size_t len = 0; len <= strlen(rows[i]); len++) {
            struct reply part = reply_cut(&arena, &rules, rows[i], len);
            size_t now = reply_showable(&arena, &rules, &part);

            if (now > strlen(final) || strncmp(part.text, final, now) != 0)
                fail_msg("\"%.*s\" showed \"%.*s\"", (int)len, rows[i], (int)now, part.text);
            shown = now > shown ? now : shown;
        }
        assert_true(shown > 0);
    }
}

static void plain_words_are_shown_at_once(void **state)
{
    const struct reply_rules rules = {
        .mode = MODE_TURNS, .speaker = "Divergent", .others = others, .other_count = LEN(others)
    };
    ARENA_AUTO arena = { 0 };
    struct reply part = reply_cut(&arena, &rules, "Well", 4);

    (void)state;
    assert_int_equal(reply_showable(&arena, &rules, &part), 4);
    part = reply_cut(&arena, &rules, "Diver", 5);
    assert_int_equal(reply_showable(&arena, &rules, &part), 0);
}

/* A reply that is nothing but its own label costs what its length costs, and not the square of it. */
static void labels_without_end_cost_little(void **state)
{
    enum { SIZE = 128 * 1024 };
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = "A" };
    ARENA_AUTO arena = { 0 };
    char *text = malloc(SIZE);
    struct rusage before, after;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i += 4)
        memcpy(text + i, "A: \n", 4);
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(reply_cut(&arena, &rules, text, SIZE).lack, LACK_LABEL);
    getrusage(RUSAGE_SELF, &after);
    free(text);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 64 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_turns_one_speaks_briefly_and_for_oneself),
        cmocka_unit_test(asked_again_one_is_heard_behind_any_label_but_anothers),
        cmocka_unit_test(a_reply_that_a_provider_stopped_began_with_a_stop),
        cmocka_unit_test(a_reply_is_over_only_when_more_would_not_change_it),
        cmocka_unit_test(in_rounds_long_texts_stay_whole),
        cmocka_unit_test(tokens_go_and_the_text_between_them_stays),
        cmocka_unit_test(thoughts_are_kept_apart),
        cmocka_unit_test(bytes_become_text),
        cmocka_unit_test(stops_are_the_agents_own_where_it_has_some),
        cmocka_unit_test(the_earliest_end_counts),
        cmocka_unit_test(a_flood_is_cut_at_a_character),
        cmocka_unit_test(what_is_shown_stays),
        cmocka_unit_test(plain_words_are_shown_at_once),
        cmocka_unit_test(labels_without_end_cost_little),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
