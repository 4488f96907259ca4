/*
 * Hostile output: eight times as much of it takes about eight times as long, and not sixty-four times.
 */
#include "output/output.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMALL ((size_t)32 * KB)
#define TIMES 8
/* Halfway between linear and quadratic, on a scale of factors; processor time, and the best of a few. */
#define FACTOR 24
#define TRIES  4

struct hostile {
    const char *head, *piece, *tail;
    size_t questions;
};

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static char *build(const struct hostile *hostile, size_t size, size_t *len)
{
    size_t head = strlen(hostile->head), piece = strlen(hostile->piece), tail = strlen(hostile->tail);
    size_t count = size / piece;
    char *text = malloc(head + count * piece + tail);

    assert_non_null(text);
    memcpy(text, hostile->head, head);
    for (size_t i = 0; i < count; i++)
        memcpy(text + head + i * piece, hostile->piece, piece);
    memcpy(text + head + count * piece, hostile->tail, tail);
    *len = head + count * piece + tail;
    return text;
}

static double time_of(const struct hostile *hostile, size_t size)
{
    size_t len;
    char *text = build(hostile, size, &len);
    double best = 1e9;

    for (int i = 0; i < TRIES; i++) {
        ARENA_AUTO arena = { 0 };
        struct output out;
        struct err err = { 0 };
        double start = cpu_s();

        assert_true(output_read(&arena, text, len, NULL, &out, &err));
        double spent = cpu_s() - start;

        if (out.steps > OUTPUT_STEPS * len + 64 * KB)
            fail_msg("'%s': %zu steps for each byte", hostile->piece, out.steps / len);

        if (out.question_count != hostile->questions)
            fail_msg("'%s': %zu questions", hostile->piece, out.question_count);
        best = spent < best ? spent : best;
    }
    free(text);
    return best;
}

static void time_is_linear(void **state)
{
    static const struct hostile kinds[] = {
        { "", "{", "", 0 },
        { "", "[", "", 0 },
        { "", "{}", "", 0 },
        { "", "\"", "", 0 },
        { "", "{\"", "", 0 },
        { "", "\\", "", 0 },
        { "", "`", "", 0 },
        { "", "```\n", "", 0 },
        { "", "\n", "", 0 },
        { "", "?", "", 0 },
        { "", ":", "", 0 },
        { "", "{\"a\":", "", 0 },
        { "", "{\"a\":", "{\"open_questions\":[\"x?\"]}", 1 },
        { "", "{", "{\"open_questions\":[\"x?\"]}", 1 },
        { "", "{\"status\":", "", 0 },
        { "", "{\"open_questions\":", "", 0 },
        { "", "{\"open_questions\":[", "", 0 },
        { "", "'open_questions':", "", 0 },
        { "", "{'open_questions':", "", 0 },
        { "", "\\\"open_questions\\\":", "", 0 },
        { "{\"a\":\"", "\\\"open_questions\\\":{", "\"}", 0 },
        { "", "{/*", "\"open_questions\":", 0 },
        { "", "{//", "\"open_questions\":", 0 },
        { "{", "\"{//\":\"{//\",//\n", "\"open_questions\":", 0 },
        { "{\"a\":\"{\"", ", \":\" : \",\"", "\"open_questions\":", 0 },
        { "{\"open_questions\":[\"x?\"],\"y\":", "[", "", 1 },
        { "{\"open_questions\":[{\"text\":\"", "x ", "", 0 },
        { "{\"open_questions\":[{\"text\":\"", "\\", "", 0 },
        { "{\"open_questions\":[", "1,", "", 0 },
        { "{'open_questions':['x?'],", "'k':1,", "", 1 },
        { "{'open_questions':['", "'a", "", 0 },
        { "{'open_questions':['x?'],'a':\"", "\"# ", "", 1 },
        { "{'open_questions':['x?'],'a':\"", "\"// ", "", 1 },
        { "{'open_questions':['x?'],'a':\"", "\"/* ", "", 1 },
        { "{'open_questions':['x?'],'a':\"", "\",", "", 1 },
        { "{'open_questions':['x?'],'a':\"", "\",'", "", 1 },
        { "{'open_questions':['x?'],'a':\"", "\" \n ", "", 1 },
        { "", "{\"type\":\"result\",\"result\":\"{\\\"status\\\":\\\"x\\\"}\"}\n", "", 0 },
        { "", "{\"type\":\"result\",\"result\":\"{'open_questions':[7\"}\n", "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        double small = time_of(&kinds[i], SMALL), large = time_of(&kinds[i], SMALL * TIMES);

        if (large > small * FACTOR && large > 0.005)
            fail_msg("'%s%s': %.1f times as long for %d times as much", kinds[i].head, kinds[i].piece,
                     large / small, TIMES);
    }
}

/* Nesting of any depth is passed over, and what stands beside it is read. */
static void depth_is_passed_over(void **state)
{
    static const struct {
        const char *head, *open, *close, *tail;
    } rows[] = {
        { "{\"x\":", "[", "]", ",\"open_questions\":[\"a?\"]}" },
        { "{\"open_questions\":[\"a?\"],\"x\":", "[", "]", "}" },
        { "{\"open_questions\":[{\"y\":", "{\"z\":", "}", ",\"text\":\"a?\"}]}" },
        { "{'x':", "[", "]", ",'open_questions':['a?']}" },
    };
    static const size_t depths[] = { 10, 31, 32, 33, 1000, 1023, 1024, 1025, 100000 };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (size_t k = 0; k < sizeof(depths) / sizeof(*depths); k++) {
            ARENA_AUTO arena = { 0 };
            size_t open_len, close_len;
            struct hostile open = { rows[i].head, rows[i].open, "0", 0 },
                           close = { "", rows[i].close, rows[i].tail, 0 };
            char *opened = build(&open, strlen(rows[i].open) * depths[k], &open_len);
            char *closed = build(&close, depths[k], &close_len);
            char *text = arena_format(&arena, "%.*s%.*s", (int)open_len, opened, (int)close_len, closed);
            struct output out;
            struct err err = { 0 };

            assert_true(output_read(&arena, text, open_len + close_len, NULL, &out, &err));
            if (out.question_count != 1 || strcmp(out.questions[0].text, "a?") != 0)
                fail_msg("row %zu, depth %zu: %zu questions", i, depths[k], out.question_count);
            /* Inside a question the depth is told of; inside what nobody asked for it is not. */
            if (i == 2 && (out.problem_count > 0 && strstr(out.problems[0], "nested")) != (depths[k] > 30))
                fail_msg("depth %zu: %s", depths[k],
                         out.problem_count ? out.problems[0] : "nothing was said");
            free(opened);
            free(closed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_linear),
        cmocka_unit_test(depth_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
