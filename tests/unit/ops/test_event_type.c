/*
 * The table of events, and that what strays from it is found.
 */
#include "ops/event_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static bool check(const char *type, const char *text, struct err *err)
{
    json_t *members = json_loads(text, 0, NULL);
    bool good;

    assert_non_null(members);
    *err = (struct err){ 0 };
    good = event_type_check(type, members, err);
    json_decref(members);
    return good;
}

static void the_table_makes_sense(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_true(event_type_check_table(&err));
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++) {
        assert_int_equal(event_type_of(event_type_word(type)), type);
        assert_true(event_type_spec(type)->help[0]);
        for (const struct field *field = event_type_spec(type)->fields; field->type; field++) {
            assert_true(field->help && field->help[0]);
            assert_true(field->type != T_ENUM || field->values);
            /* These are every event's own. */
            assert_string_not_equal(field->name, "type");
            assert_string_not_equal(field->name, "at");
            assert_string_not_equal(field->name, "workspaceId");
            assert_string_not_equal(field->name, "seq"); /* the number in the log, over WebSocket */
        }
    }
}

#define JOB "\"jobId\": \"01a279a8-6471-7530-b1b7-daf5de2f7d24\""

static void what_strays_from_the_table_is_found(void **state)
{
    static const struct {
        const char *type, *members, *said;
    } rows[] = {
        { "status", "{" JOB ", \"status\": \"running\", \"previousStatus\": \"pending\"}", NULL },
        { "status", "{" JOB ", \"status\": \"running\"}", "previousStatus is missing" },
        { "status", "{" JOB ", \"status\": \"run\", \"previousStatus\": \"pending\"}", "status is not" },
        { "status", "{" JOB ", \"status\": 1, \"previousStatus\": \"pending\"}", "status is not" },
        { "status", "{" JOB ", \"status\": \"running\", \"previousStatus\": \"pending\", \"planted\": 1}",
          "1 members are not declared" },
        { "job.progress", "{" JOB ", \"progress\": {\"done\": 1, \"total\": null, \"step\": \"x\"}}", NULL },
        { "job.progress",
          "{" JOB ", \"progress\": {\"done\": 1, \"total\": null, \"step\": \"x\", \"y\": 1}}",
          "not declared" },
        { "planted.event", "{}", "not in the table" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct err err;
        bool good = check(rows[i].type, rows[i].members, &err);

        if (good != !rows[i].said || (!good && !strstr(err.text, rows[i].said)))
            fail_msg("%s %s: %s", rows[i].type, rows[i].members, good ? "found good" : err.text);
    }
}

static void a_mistyped_name_has_a_nearest(void **state)
{
    (void)state;
    assert_string_equal(event_type_nearest("prompt.create"), "prompt.created");
    assert_string_equal(event_type_nearest("question.asked"), "question_asked");
    assert_string_equal(event_type_nearest("question_aksed"), "question_asked");
    assert_null(event_type_nearest("server.stoping")); /* no filter may name server.stopping */
    assert_null(event_type_nearest("weather"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_makes_sense),
        cmocka_unit_test(what_strays_from_the_table_is_found),
        cmocka_unit_test(a_mistyped_name_has_a_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
