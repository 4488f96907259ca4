/*
 * What is cut from a reply, whatever the borders between its pieces.
 */
#include "llm/stops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void collect(void *user, const char *text, size_t len)
{
    buf_add(user, text, len);
}

struct expectation {
    const char *text;
    const char *const *stops;
    size_t count;
    const char *speaker, *secret;
    const char *left;
    bool hit;
};

/* In pieces of every size, from single bytes to all at once. */
static void check(const struct expectation *expected)
{
    size_t len = strlen(expected->text);

    for (size_t piece = 1; piece <= len + 1; piece++) {
        ARENA_AUTO arena = { 0 };
        BUF_AUTO out = { 0 };
        struct stops stops;
        bool more = true;

        buf_init(&out, 0);
        stops_init(&stops, &arena, expected->stops, expected->count, expected->speaker);
        stops_hide(&stops, &arena, expected->secret);
        stops.emit = collect;
        stops.user = &out;
        for (size_t at = 0; at < len && more; at += piece)
            more = stops_feed(&stops, expected->text + at, piece < len - at ? piece : len - at);
        stops_flush(&stops);
        assert_string_equal(out.bytes, expected->left);
        assert_int_equal(stops.state == STOPS_HIT, expected->hit);
        stops_done(&stops);
    }
}

#define STOPS(...) \
    .stops = (const char *const[]){ __VA_ARGS__ }, \
    .count = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)

static void a_reply_ends_at_its_first_stop(void **state)
{
    (void)state;
    check(&(struct expectation){ "One. Two.", STOPS("[", "\n\n"), .left = "One. Two." });
    check(
        &(struct expectation){ "One.\n\nTwo.", STOPS("[", "\n\n", "Speaker:"), .left = "One.", .hit = true });
    check(&(struct expectation){ "One [Bo]: hm", STOPS("[", "\n\n"), .left = "One ", .hit = true });
    check(&(struct expectation){ "abc", STOPS("abcX", "bc"), .left = "a", .hit = true });
    check(&(struct expectation){ "abcX", STOPS("abcX", "bc"), .left = "", .hit = true });
    check(&(struct expectation){ "aaab", STOPS("aab"), .left = "a", .hit = true });
    check(&(struct expectation){ "Spea", STOPS("Speaker:"), .left = "Spea" });
    check(&(struct expectation){ "gr\xc3\xbc\xc3\x9f", STOPS("\xc3\xbc\xc3\xbc"),
                                 .left = "gr\xc3\xbc\xc3\x9f" });
}

static void stops_are_trimmed_unless_they_are_blank(void **state)
{
    (void)state;
    check(&(struct expectation){ "a END b", STOPS("  END  "), .left = "a ", .hit = true });
    check(&(struct expectation){ "a\n\nb", STOPS("\n\n"), .left = "a", .hit = true });
    check(&(struct expectation){ "a\nb", STOPS("\n\n", ""), .left = "a\nb" });
}

static void the_beginning_is_cut_before_stops_are_looked_for(void **state)
{
    (void)state;
    check(&(struct expectation){ "\n\n  Yes.", STOPS("\n\n"), .left = "Yes." });
    check(&(struct expectation){ "[Bo]: Yes.", STOPS("["), .speaker = "Bo", .left = "Yes." });
    check(&(struct expectation){ " bo:\n\nYes.", STOPS("\n\n"), .speaker = "Bo", .left = "Yes." });
    check(&(struct expectation){ "[Al]: Yes.", STOPS("["), .speaker = "Bo", .left = "", .hit = true });
    check(&(struct expectation){ "Bob: Yes.", STOPS("["), .speaker = "Bo", .left = "Bob: Yes." });
    check(&(struct expectation){ "Bo: Bo: Yes.", STOPS("["), .speaker = "Bo", .left = "Bo: Yes." });
    check(&(struct expectation){ "[Bo", .speaker = "Bo", .left = "[Bo" });
    check(&(struct expectation){ "[Bo", STOPS("["), .speaker = "Bo", .left = "", .hit = true });
    check(&(struct expectation){ "Bo:", .speaker = "Bo", .left = "" });
    check(&(struct expectation){ " \n ", STOPS("\n"), .left = "" });
}

static void a_secret_is_hidden(void **state)
{
    (void)state;
    check(&(struct expectation){ "key sk-123456 and sk-12345", STOPS("END"), .secret = "sk-123456",
                                 .left = "key *** and sk-12345" });
    check(&(struct expectation){ "sk-123456sk-123456", .secret = "sk-123456", .left = "******" });
    check(&(struct expectation){ "sk-123456END", STOPS("END"), .secret = "sk-123456", .left = "***",
                                 .hit = true });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_ends_at_its_first_stop),
        cmocka_unit_test(stops_are_trimmed_unless_they_are_blank),
        cmocka_unit_test(the_beginning_is_cut_before_stops_are_looked_for),
        cmocka_unit_test(a_secret_is_hidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
