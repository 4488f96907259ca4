/*
 * output.c - how fast an agent's output is read.
 *
 *   output object   a result inside 64 KB of prose and code, against the JSON library on the result alone
 *   output braces   1 MB of hostile braces of several kinds, the dearest of them against 1 MB of prose
 *
 * Figures are of processor time, since both sides are one thread that computes. Each prints one line of JSON:
 * MB/s for the object, nanoseconds per byte for the braces.
 */
#include "output/output.h"
#include "base/limits.h"
#include "bench/src/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUND_S   0.3
#define SURROUND  ((size_t)64 * KB)
#define QUESTIONS 12

static const char result_question[] =
    "{\"id\":\"q%d\",\"text\":\"Which of the two stores should the index of part %d live in: the embedded "
    "one, which needs no set-up, or the shared one, which other nodes can read?\","
    "\"createdAt\":\"2026-01-31T12:00:%02dZ\"}";
static const char prose[] =
    "I looked at the module and at the tests around it. The index is built when the first reader comes, and "
    "kept after that; nobody drops it.\nThere are two ways to go on: keep it where it is, or move it "
    "(which \"costs\" a migration).\n\n";
static const char code[] =
    "```c\nstatic bool grow(struct index *index)\n{\n    if (index->full) {\n"
    "        struct slot empty = { 0 };\n\n        return add(index, &empty);\n    }\n"
    "    return true;\n}\n```\n\n```json\n{\"name\": \"index\", \"size\": [1, 2, 3]}\n```\n\n";

struct text {
    char *bytes;
    size_t len, room;
};

static void add(struct text *text, const char *bytes, size_t len)
{
    while (text->len + len > text->room) {
        text->room = text->room ? text->room * 2 : 64 * KB;
        text->bytes = realloc(text->bytes, text->room);
        if (!text->bytes)
            die("out of memory");
    }
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
}

static void add_text(struct text *text, const char *more)
{
    add(text, more, strlen(more));
}

static struct text repeat(const char *piece, size_t len, const char *last)
{
    struct text text = { 0 };

    while (text.len < len)
        add_text(&text, piece);
    add_text(&text, last);
    return text;
}

static struct text make_result(void)
{
    struct text text = { 0 };
    char line[512];

    add_text(
        &text,
        "{\"status\":\"failed\",\"summary\":\"Two places for the index are possible.\",\"open_questions\":[");
    for (int i = 1; i <= QUESTIONS; i++) {
        snprintf(line, sizeof(line), result_question, i, i, i);
        add_text(&text, i > 1 ? "," : "");
        add_text(&text, line);
    }
    add_text(&text, "]}");
    return text;
}

/* The result in the middle of prose and code, in a fence, as agents print it. */
static struct text surround(const struct text *result)
{
    struct text text = { 0 };
    bool placed = false;

    while (text.len < SURROUND + result->len) {
        add_text(&text, prose);
        add_text(&text, code);
        if (!placed && text.len > SURROUND / 2) {
            add_text(&text, "```json\n");
            add(&text, result->bytes, result->len);
            add_text(&text, "\n```\n\n");
            placed = true;
        }
    }
    return text;
}

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void read_ours(struct arena *arena, const struct text *text, size_t questions)
{
    struct output out;
    struct err err = { 0 };

    if (!output_read(arena, text->bytes, text->len, NULL, &out, &err))
        die("%s", err.text);
    if (out.question_count != questions)
        die("%zu questions were read instead of %zu", out.question_count, questions);
    arena_reset(arena);
}

static void read_theirs(const struct text *text)
{
    json_t *value = json_loadb(text->bytes, text->len, 0, NULL);

    if (json_array_size(json_object_get(value, "open_questions")) != QUESTIONS)
        die("the JSON library reads something else");
    json_decref(value);
}

/* Seconds of processor time for one reading, over enough of them; `theirs` uses the JSON library. */
static double time_of(const struct text *text, size_t questions, bool theirs)
{
    struct arena arena = { 0 };
    double start = cpu_s(), spent;
    size_t times = 0;

    do {
        if (theirs)
            read_theirs(text);
        else
            read_ours(&arena, text, questions);
        times++;
        spent = cpu_s() - start;
    } while (spent < ROUND_S);
    arena_done(&arena);
    return spent / (double)times;
}

static void measure_object(void)
{
    struct text result = make_result(), whole = surround(&result);
    double theirs = (double)result.len / time_of(&result, 0, true) / 1e6;
    double ours = (double)whole.len / time_of(&whole, QUESTIONS, false) / 1e6;

    printf("{\"bytes\":%zu,\"ours\":%.1f,\"limit\":%.1f}\n", whole.len, ours, theirs);
    free(result.bytes);
    free(whole.bytes);
}

static void measure_braces(void)
{
    static const struct {
        const char *piece, *last;
        size_t questions;
    } kinds[] = {
        { "{", "", 0 },
        { "{\"a\":", "", 0 },
        { "{}", "", 0 },
        { "[", "", 0 },
        { "}", "", 0 },
        { "{\"", "", 0 },
        { "{", "{\"open_questions\":[\"Where?\"]}", 1 },
        { "{\"a\":", "{\"open_questions\":[\"Where?\"]}", 1 },
    };
    struct text plain = repeat(prose, MB, "");
    double worst = 0, base = time_of(&plain, 0, false) * 1e9 / (double)plain.len;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct text text = repeat(kinds[i].piece, MB, kinds[i].last);
        double each = time_of(&text, kinds[i].questions, false) * 1e9 / (double)text.len;

        fprintf(stderr, "  braces: %.2f ns per byte of '%s'%s\n", each, kinds[i].piece,
                kinds[i].questions ? " before a result" : "");
        worst = each > worst ? each : worst;
        free(text.bytes);
    }
    printf("{\"bytes\":%zu,\"ours\":%.2f,\"limit\":%.2f}\n", plain.len, worst, base);
    free(plain.bytes);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "object") == 0)
        measure_object();
    else if (argc == 2 && strcmp(argv[1], "braces") == 0)
        measure_braces();
    else
        die("usage: output object|braces");
    return 0;
}
