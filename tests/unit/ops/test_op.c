/*
 * What follows from a row, worked out once, is what its texts say.
 */
#include "ops/op.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static bool stands_in_path(const struct op *op, const char *name)
{
    char hole[80];

    assert_true((size_t)snprintf(hole, sizeof(hole), "{%s}", name) < sizeof(hole));
    return strstr(op->http, hole) != NULL;
}

static void check_param(const struct op_facts *facts, size_t at)
{
    const struct op *op = facts->op;
    const struct field *field = &op->params[at];
    bool in_path = stands_in_path(op, field->name), listed = false;
    bool in_query =
        str_starts(op->http, "GET ") || str_starts(op->http, "DELETE ") || (field->flags & F_QUERY);

    assert_int_equal(facts->places[at], in_path ? IN_PATH : in_query ? IN_QUERY : IN_BODY);
    assert_int_equal(op_param_place(op, field), facts->places[at]);
    assert_int_equal(op_param(facts, field->name), at);
    for (const size_t *path = facts->path_params; *path != NO_PARAM; path++)
        listed = listed || *path == at;
    assert_int_equal(listed, in_path);
    assert_int_equal(facts->id == at, in_path && strcmp(field->name, "id") == 0);
}

static void facts_say_what_the_texts_of_the_row_say(void **state)
{
    (void)state;
    for (const struct op *const *op = op_all(); *op; op++) {
        const struct op_facts *facts = op_facts(*op);

        assert_ptr_equal(facts->op, *op);
        assert_ptr_equal(&op_all()[facts->at], op);
        assert_ptr_equal(op_facts(*op), facts);
        assert_int_equal(facts->path[0], '/');
        assert_int_equal(facts->repeats, str_starts((*op)->http, "POST "));
        for (size_t at = 0; (*op)->params[at].type; at++)
            check_param(facts, at);
        assert_int_equal(op_param(facts, "planted"), NO_PARAM);
        assert_int_equal(op_param(facts, ""), NO_PARAM);
    }
}

static void every_row_is_found_by_its_name(void **state)
{
    (void)state;
    for (const struct op *const *op = op_all(); *op; op++)
        assert_ptr_equal(op_find((*op)->name), *op);
    assert_null(op_find("planted"));
    assert_null(op_find(""));
}

static void only_a_read_by_pages_has_a_page_limit(void **state)
{
    const struct op_facts *list = op_facts(op_find("job_list"));

    (void)state;
    assert_string_equal(list->op->params[list->page_limit].name, "limit");
    assert_int_equal(op_facts(op_find("audit_export"))->page_limit,
                     NO_PARAM); /* has a limit, and no cursor */
    assert_int_equal(op_facts(op_find("question_get"))->page_limit, NO_PARAM);
}

/* Such rows are made by tests, one after the other at the same address. */
static void a_row_of_no_table_is_worked_out_anew(void **state)
{
    struct op op = { .name = "planted",
                     .http = "PUT /api/things/{id}",
                     .params = { { "id", T_ID, REQUIRED, "" } } };

    (void)state;
    assert_int_equal(op_param_place(&op, &op.params[0]), IN_PATH);
    op.http = "PUT /api/things/{idea}";
    assert_int_equal(op_param_place(&op, &op.params[0]), IN_BODY);
    op.http = "GET /api/things";
    assert_int_equal(op_param_place(&op, &op.params[0]), IN_QUERY);
    assert_string_equal(op_path(&op), "/api/things");
    assert_null(op_all()[op_facts(&op)->at]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_say_what_the_texts_of_the_row_say),
        cmocka_unit_test(every_row_is_found_by_its_name),
        cmocka_unit_test(only_a_read_by_pages_has_a_page_limit),
        cmocka_unit_test(a_row_of_no_table_is_worked_out_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
