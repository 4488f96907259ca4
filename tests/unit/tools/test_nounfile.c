/*
 * The reader of .noun files: what it makes of a table, and every complaint it can make.
 */
#include "tools/nounfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "noun lamp\ntable lamps\npart lock\n"

static struct noun noun;
static struct noun_error err;

/* The text is parsed from an exact copy, so that ASan sees a read past its end. */
static bool parse_bytes(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    bool ok;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    ok = noun_parse(&noun, "lamp.noun", copy, len, &err);
    free(copy);
    return ok;
}

static void parse(const char *text)
{
    if (!parse_bytes(text, strlen(text)))
        fail_msg("%d: %s", err.line, err.message);
}

static void assert_fails(const char *text, int line, const char *message)
{
    assert_false(parse_bytes(text, strlen(text)));
    assert_string_equal(err.file, "lamp.noun");
    assert_int_equal(err.line, line);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    assert_null(noun.text);
}

static void a_noun_says_what_it_is(void **state)
{
    (void)state;
    parse(
        "# A lamp.\nnoun lamp\ntable lamps\nview lamp_rows\nheader light.h\nuse base/clock.h\nbrief\nwhole\n"
        "part lock\nleft asked kept by triggers, for now\nleft ms @sqlite for triggers\n\nid | uuid | id | 001 | | The lamp.\n");
    assert_string_equal(noun.name, "lamp");
    assert_string_equal(noun.table, "lamps");
    assert_string_equal(noun.view, "lamp_rows");
    assert_string_equal(noun.header, "light.h");
    assert_string_equal(noun.uses[0], "base/clock.h");
    assert_string_equal(noun.parts[0], "lock");
    assert_string_equal(noun.left[0].column, "asked");
    assert_string_equal(noun.left[0].why, "kept by triggers, for now");
    assert_null(noun.left[0].engine);
    assert_string_equal(noun.left[1].engine, "sqlite");
    assert_string_equal(noun.left[1].why, "for triggers");
    assert_true(noun.brief && noun.whole && !noun.rows && noun_is_read(&noun));
    assert_int_equal(noun.member_count, 1);
    assert_false(noun.as_text);
    noun_done(&noun);
    parse("noun lamp\ntext\nlit | bool | lit | - | | Whether it is lit.\n");
    assert_true(noun.whole && noun.as_text && !noun_is_read(&noun));
    noun_done(&noun);
}

static void a_member_says_all_about_itself(void **state)
{
    const struct noun_member *member = noun.members;

    (void)state;
    parse(
        HEAD
        "lit_at | ms null | litAt | 012 | insert update lock | When | it was lit.\n"
        "    field: .min = 1\n    sql: MAX(.lit_at)\n    value: lamp->lit_ms\n    set: COALESCE($, lit_at)\n"
        "    bind: db_null()\n    read: 0\n");
    assert_string_equal(member->column, "lit_at");
    assert_string_equal(member->name, "lit_ms");
    assert_int_equal(member->kind, NOUN_MS);
    assert_true(member->null && !member->absent);
    assert_string_equal(member->json, "litAt");
    assert_int_equal(member->since, 12);
    assert_int_equal(member->traits, NOUN_INSERT | NOUN_UPDATE);
    assert_int_equal(member->parts, 1);
    assert_string_equal(member->help, "When | it was lit.");
    assert_string_equal(member->field, ".min = 1");
    assert_string_equal(member->sql, "MAX(.lit_at)");
    assert_string_equal(member->value, "lamp->lit_ms");
    assert_string_equal(member->set, "COALESCE($, lit_at)");
    assert_string_equal(member->bind, "db_null()");
    assert_string_equal(member->read, "0");
    noun_done(&noun);
}

static void types_and_names_differ_as_the_form_says(void **state)
{
    const struct noun_member *members = noun.members;

    (void)state;
    parse(HEAD "ref_type as about | enum lamp_kind lamp_kinds null | - | 001 | | What it is.\n"
               "made_at | ms absent | madeAt | 001 | | When it was made.\n"
               "old | keep struct lamp * | - | - | | The one before.\n"
               "bright | bool | bright | - | kept | Whether it is.\n"
               "far | bool | - | - | behind | Whether it is far.\n"
               "key | text | - | 001 | insert unread | Its name, folded.\n"
               "- | written null | outcome | - | open optional | How it ended.\n");
    assert_string_equal(members[0].name, "about");
    assert_string_equal(members[0].c_type, "lamp_kind");
    assert_string_equal(members[0].words, "lamp_kinds");
    assert_true(members[0].null && !members[0].json && noun_member_is_listed(&members[0]));
    assert_true(members[1].null && members[1].absent);
    assert_string_equal(members[2].c_type, "struct lamp *");
    for (size_t i = 2; i < noun.member_count; i++)
        assert_false(noun_member_is_listed(&members[i]));
    assert_int_equal(members[6].traits, NOUN_OPEN | NOUN_OPTIONAL);
    assert_string_equal(members[6].name, "");
    noun_done(&noun);
}

static void objects_are_made_of_members_wherever_they_stand(void **state)
{
    const struct noun_member *end = noun.members;

    (void)state;
    parse(HEAD "- | written null | end | - | | How it ended.\n    of: by ended_by, at ended_ms\n"
               "ended_at | ms null | - | 001 | | When.\nended_by | text null | - | 001 | | Who.\n");
    assert_int_equal(end->inner_count, 2);
    assert_string_equal(end->inner[0].json, "by");
    assert_int_equal(end->inner[0].member, 2);
    assert_string_equal(end->inner[1].json, "at");
    assert_int_equal(end->inner[1].member, 1);
    noun_done(&noun);
    assert_fails(HEAD "- | written null | end | - | | A.\n    of: by\n", 4, "pairs");
    assert_fails(HEAD "- | written null | end | - | | A.\n    of: by ended_by,\n", 4, "pairs");
    assert_fails(HEAD "a | text | a | - | | A.\n    of: a a\n", 5, "of:");
    assert_fails(HEAD "- | written | e | - | | A.\n    of: a a, a a, a a, a a, a a, a a, a a, a a, a a\n"
                      "a | text | a | - | | A.\n",
                 4, "more than");
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    assert_fails("", 0, "no members");
    assert_fails("noun Lamp\n", 1, "a name is made of");
    assert_fails("lamp lamp\n", 1, "says nothing about a noun");
    assert_fails("left asked\n", 1, "a name and a reason");
    assert_fails("left asked @oracle no\n", 1, "of its own");
    assert_fails("noun lamp\nuse\n", 2, "has a name");
    assert_fails("id | uuid | id | - | | The lamp.\n", 1, "the noun has no name");
    assert_fails(HEAD "id | uuid | id | - |\n", 4, "a member has a column");
    assert_fails(HEAD "id | uid | id | - | | The lamp.\n", 4, "there is no type");
    assert_fails(HEAD "id | uuid zero | id | - | | The lamp.\n", 4, "says nothing about a type");
    assert_fails(HEAD "id | enum lamp_kind | id | - | | The lamp.\n", 4, "a state is");
    assert_fails(HEAD "id | keep | - | - | | The lamp.\n", 4, "has a type");
    assert_fails(HEAD "Id | uuid | id | - | | The lamp.\n", 4, "no name of a column");
    assert_fails(HEAD "id is it | uuid | id | - | | The lamp.\n", 4, "COLUMN as NAME");
    assert_fails(HEAD "id | uuid | i-d | - | | The lamp.\n", 4, "no name of a member in JSON");
    assert_fails(HEAD "id | uuid | id | 1 | | The lamp.\n", 4, "the number of a migration");
    assert_fails(HEAD "id | uuid | id | 001 | bright | The lamp.\n", 4, "no trait");
    assert_fails(HEAD "id | uuid | id | 001 | |\n", 4, "has a help");
    assert_fails(HEAD "- | text | - | - | | Nothing.\n", 4, "in the store, in the struct, or shown");
    assert_fails(HEAD "id | written | id | - | | The lamp.\n", 4, "only a JSON name");
    assert_fails("noun lamp\nid | uuid | id | - | insert | The lamp.\n", 2, "only a column of a table");
    assert_fails(HEAD "id | uuid | id | 001 | | A.\nid | uuid | - | 001 | | B.\n", 5, "at line 4 already");
    assert_fails(HEAD "a | uuid | id | 001 | | A.\nb | uuid | id | 001 | | B.\n", 5, "at line 4 already");
    assert_fails(HEAD "id | uuid | id | 001 | | A.\nbrief\n", 5, "comes before its members");
    assert_fails(HEAD "    sql: 1\n", 4, "the member above it");
    assert_fails(HEAD "id | uuid | id | 001 | | A.\n    sqe: 1\n", 5, "says nothing about a member");
    assert_fails(HEAD "id | uuid | id | 001 | | A.\n    sql: 1\n    sql: 2\n", 6, "twice");
    assert_false(parse_bytes("noun\0lamp", 9));
}

static void there_are_limits(void **state)
{
    static char text[65536];
    size_t len = (size_t)snprintf(text, sizeof text, "noun lamp\n");

    (void)state;
    for (int i = 0; i <= NOUN_MEMBERS_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "m%d | text | - | - | | A.\n", i);
    assert_fails(text, NOUN_MEMBERS_MAX + 2, "more than");
    len = (size_t)snprintf(text, sizeof text, "noun lamp\n");
    for (int i = 0; i <= NOUN_LINES_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "left m%d no\n", i);
    assert_fails(text, NOUN_LINES_MAX + 2, "more than");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_noun_says_what_it_is),
        cmocka_unit_test(a_member_says_all_about_itself),
        cmocka_unit_test(types_and_names_differ_as_the_form_says),
        cmocka_unit_test(objects_are_made_of_members_wherever_they_stand),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(there_are_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
