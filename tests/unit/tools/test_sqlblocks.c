/*
 * The block parser: what it keeps, what it drops, and every complaint it can make.
 */
#include "tools/sqlblocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct sqlblocks blocks;
static struct sqlblocks_error err;

static int start(void **state)
{
    (void)state;
    sqlblocks_init(&blocks);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    sqlblocks_done(&blocks);
    return 0;
}

/* The text is parsed from an exact copy, so that ASan sees a read past its end. */
static bool parse_bytes(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    bool ok;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    ok = sqlblocks_parse(&blocks, "a.sql", copy, len, &err);
    free(copy);
    return ok;
}

static bool parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static void assert_fails(const char *text, int line, const char *message)
{
    assert_false(parse(text));
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, "a.sql");
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    sqlblocks_done(&blocks);
}

static void assert_text(size_t index, const char *text)
{
    assert_true(index < blocks.count);
    assert_string_equal(blocks.items[index].text, text);
}

static void blocks_run_to_the_next_name(void **state)
{
    (void)state;
    assert_true(parse("-- A file may begin with comments.\n\n"
                      "-- name: prompt_get\nSELECT a\n  FROM t\n WHERE id = $1;\n\n"
                      "-- name: prompt_list\nSELECT b FROM t"));
    assert_int_equal(blocks.count, 2);
    assert_string_equal(blocks.items[0].name, "prompt_get");
    assert_int_equal(blocks.items[0].line, 3);
    assert_int_equal(blocks.items[0].params, 1);
    assert_text(0, "SELECT a\n  FROM t\n WHERE id = $1");
    assert_string_equal(blocks.items[1].name, "prompt_list");
    assert_int_equal(blocks.items[1].params, 0);
    assert_text(1, "SELECT b FROM t");
}

static void comments_and_blank_lines_are_dropped(void **state)
{
    (void)state;
    assert_true(parse("-- name: a\n-- why it's so\n\nSELECT 1 -- one $7\n   \n"
                      "  /* two; $8\n lines */ + 2; -- the end; it's over\r\n"));
    assert_text(0, "SELECT 1\n + 2");
    assert_int_equal(blocks.items[0].params, 0);
}

static void literals_are_kept_as_they_stand(void **state)
{
    (void)state;
    assert_true(parse("-- name: a\nSELECT 'it''s; -- $9  \n\n-- in it /* ', \"a;--$8\", $2, '$12' || $10;"));
    assert_text(0, "SELECT 'it''s; -- $9  \n\n-- in it /* ', \"a;--$8\", $2, '$12' || $10");
    assert_int_equal(blocks.items[0].params, 10);
}

static void bytes_above_ascii_are_kept(void **state)
{
    (void)state;
    assert_true(parse("-- name: a\nSELECT '\xc3\xa9'"));
    assert_text(0, "SELECT '\xc3\xa9'");
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    assert_true(parse(""));
    assert_true(parse("\n-- only comments\n"));
    assert_int_equal(blocks.count, 0);
}

static void complaints_name_the_line(void **state)
{
    (void)state;
    assert_fails("\nSELECT 1;\n", 2, "before the first");
    assert_fails("-", 1, "before the first");
    assert_fails("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n", 3, "already defined at a.sql:1");
    assert_fails("-- name: a @sqlite\nSELECT 1;\n-- name: a @sqlite\nSELECT 2;\n", 3, "already defined");
    assert_fails("-- name: a\n-- nothing\n\n-- name: b\nSELECT 1", 1, "a is empty");
    assert_fails("-- name: a\n;\n", 1, "a is empty");
    assert_fails("-- name: a", 1, "a is empty");
    assert_fails("-- name: a\nSELECT 1; SELECT 2", 2, "one statement");
    assert_fails("-- name: a\nSELECT 'x\n-- name: b\nSELECT 1", 1, "quoted");
    assert_fails("-- name: a\nSELECT /* x", 1, "comment");
    assert_fails("-- name: a\nSELECT $0", 2, "$1 to $99");
    assert_fails("-- name: a\n\nSELECT $100", 3, "$1 to $99");
    assert_fails("-- name: a\nSELECT $99999999999999999999", 2, "$1 to $99");
    assert_fails("-- name: a\nSELECT '\x01'", 2, "control character 0x01");
}

static void a_nul_byte_is_refused(void **state)
{
    static const char bytes[] = "-- name: a\nSELECT \0 1";

    (void)state;
    assert_false(parse_bytes(bytes, sizeof bytes - 1));
    assert_int_equal(err.line, 2);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    assert_fails("-- name:\nSELECT 1", 1, "a name is made of");
    assert_fails("-- name: Prompt\nSELECT 1", 1, "a name is made of");
    assert_fails("-- name: a-b\nSELECT 1", 1, "a name is made of");
    assert_fails("-- name: 1a\nSELECT 1", 1, "a name is made of");
    assert_fails("-- name: a@sqlite\nSELECT 1", 1, "a name is made of");
    assert_fails("-- name: a @mysql\nSELECT 1", 1, "only @sqlite or @postgres");
    assert_fails("-- name: a b\nSELECT 1", 1, "only @sqlite or @postgres");
    assert_fails("-- name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nSELECT 1", 1,
                 "at most 63");
}

static void limits_hold(void **state)
{
    size_t len = SQLBLOCKS_TEXT_MAX + 100;
    char *text = malloc(len + 1);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', len);
    memcpy(text, "-- name: a\n", 11);
    text[len] = '\0';
    assert_fails(text, 2, "at most 65536 bytes");
    free(text);
    for (int i = 0; i <= SQLBLOCKS_MAX; i++) {
        char block[64];

        snprintf(block, sizeof block, "-- name: a%d\nSELECT 1", i);
        assert_int_equal(parse(block), i < SQLBLOCKS_MAX);
    }
    assert_non_null(strstr(err.message, "more than 4096 blocks"));
}

static void assert_pair(size_t index, const char *sqlite, const char *postgres)
{
    struct sqlblocks_statement statement;

    assert_true(sqlblocks_statement(&blocks, index, &statement, &err));
    assert_string_equal(statement.sqlite->text, sqlite);
    assert_string_equal(statement.postgres->text, postgres);
}

static void twins_replace_the_text_on_their_engine(void **state)
{
    (void)state;
    assert_true(parse("-- name: same\nS\n-- name: pg\nP1\n-- name: pg @postgres\nP2\n"
                      "-- name: lite @sqlite\nL2\n-- name: lite\nL1\n"
                      "-- name: pair @postgres\nA\n-- name: pair @sqlite\nB\n"));
    assert_true(sqlblocks_is_first(&blocks, 1));
    assert_false(sqlblocks_is_first(&blocks, 2));
    assert_pair(0, "S", "S");
    assert_pair(1, "P1", "P2");
    assert_pair(3, "L2", "L1");
    assert_pair(5, "B", "A");
}

static void an_engine_may_be_left_out(void **state)
{
    struct sqlblocks_statement statement;

    (void)state;
    assert_true(parse("-- name: a @postgres only\nA\n-- name: b  @sqlite only \nB\n"));
    assert_true(sqlblocks_statement(&blocks, 0, &statement, &err));
    assert_null(statement.sqlite);
    assert_string_equal(statement.postgres->text, "A");
    assert_true(sqlblocks_statement(&blocks, 1, &statement, &err));
    assert_string_equal(statement.sqlite->text, "B");
    assert_null(statement.postgres);
}

static void assert_no_statement(const char *text, int line, const char *message)
{
    struct sqlblocks_statement statement = { NULL, NULL };

    assert_true(parse(text));
    assert_false(sqlblocks_statement(&blocks, 0, &statement, &err));
    assert_null(statement.sqlite);
    assert_int_equal(err.line, line);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    sqlblocks_done(&blocks);
}

static void twins_must_fit_together(void **state)
{
    (void)state;
    assert_no_statement("\n-- name: a @postgres\nA", 2, "no text for SQLite");
    assert_no_statement("-- name: a @sqlite\nA", 1, "no text for PostgreSQL");
    assert_no_statement("-- name: a @sqlite\nA\n-- name: a @postgres\nB\n-- name: a\nC", 5, "never used");
    assert_no_statement("-- name: a @sqlite\nA\n-- name: a @postgres only\nB", 3, "for the other engine");
    assert_no_statement("-- name: a\nA\n-- name: a @sqlite only\nB", 3, "for the other engine");
    assert_no_statement("-- name: a\n$1\n-- name: a @postgres\n$2", 1, "1 parameters on SQLite but 2");
}

static void statements_refer_to_lists_of_columns(void **state)
{
    (void)state;
    assert_true(parse("-- columns: job\nid, -- the key\n status,\n\nf(.at, '.x', 1.5, k.y) AS made_at;\n"
                      "-- name: a\nSELECT {job j}, 1 FROM jobs j;\n"
                      "-- name: b\nSELECT {job}, '{job}' FROM jobs;\n"));
    assert_int_equal(blocks.count, 2);
    assert_string_equal(blocks.items[0].text,
                        "SELECT j.id, j.status, f(j.at, '.x', 1.5, k.y), 1 FROM jobs j");
    assert_string_equal(blocks.items[1].text, "SELECT id, status, f(at, '.x', 1.5, k.y), '{job}' FROM jobs");
    assert_int_equal(blocks.list_count, 1);
    assert_int_equal(blocks.lists[0]->columns.count, 3);
    assert_string_equal(blocks.lists[0]->columns.items[2].name, "made_at");
}

/* A condition that many statements share is such a list, and its parameters are theirs. */
static void parameters_of_a_list_are_those_of_its_statements(void **state)
{
    (void)state;
    assert_true(parse("-- columns: c\n(.x = $3 OR $2) AS fits\n"
                      "-- name: a\nSELECT 1 FROM t WHERE $1 AND {c t}\n"
                      "-- name: b\nSELECT 1 FROM t WHERE $4 AND {c t}\n"
                      "-- name: d\nSELECT 1 FROM t WHERE $1\n"));
    assert_string_equal(blocks.items[0].text, "SELECT 1 FROM t WHERE $1 AND (t.x = $3 OR $2)");
    assert_int_equal(blocks.items[0].params, 3);
    assert_int_equal(blocks.items[1].params, 4);
    assert_int_equal(blocks.items[2].params, 1);
}

static void a_list_may_differ_by_engine_but_not_in_its_names(void **state)
{
    (void)state;
    assert_true(parse("-- columns: c @sqlite\nx, at\n-- columns: c @postgres\nx, t(.at) AS at\n"
                      "-- name: a @sqlite\nSELECT {c}\n-- name: a @postgres\nSELECT {c p}\n"));
    assert_string_equal(blocks.items[0].text, "SELECT x, at");
    assert_string_equal(blocks.items[1].text, "SELECT p.x, t(p.at)");
    sqlblocks_done(&blocks);
    assert_fails("-- columns: c @sqlite\nx, at\n-- columns: c @postgres\nat, x", 3, "another order");
    assert_fails("-- columns: c\nx\n-- columns: c\nx", 3, "already defined");
}

static void lists_are_checked(void **state)
{
    (void)state;
    assert_fails("-- name: a\nSELECT {job} FROM x\n", 2, "no list of columns job before");
    assert_fails("-- columns: c\nx\n-- name: a\nSELECT {c} {c FROM", 4, "named as {name}");
    assert_fails("-- columns: c\nx\n-- name: a\nSELECT {c p.q}", 4, "named as {name}");
    assert_fails("-- columns: c\nx, x", 1, "twice");
    assert_fails("-- columns: c\nx,", 1, "an entry is");
    assert_fails("-- columns: c\nf(x)", 1, "an entry is");
    assert_fails("-- columns: c\n-- name: a\nA", 1, "empty");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_run_to_the_next_name),
        TEST(comments_and_blank_lines_are_dropped),
        TEST(literals_are_kept_as_they_stand),
        TEST(bytes_above_ascii_are_kept),
        TEST(nothing_is_nothing),
        TEST(complaints_name_the_line),
        TEST(a_nul_byte_is_refused),
        TEST(bad_names_are_refused),
        TEST(limits_hold),
        TEST(twins_replace_the_text_on_their_engine),
        TEST(an_engine_may_be_left_out),
        TEST(twins_must_fit_together),
        TEST(statements_refer_to_lists_of_columns),
        TEST(parameters_of_a_list_are_those_of_its_statements),
        TEST(a_list_may_differ_by_engine_but_not_in_its_names),
        TEST(lists_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
