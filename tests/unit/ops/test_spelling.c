/*
 * Both spellings of a name are one name, whatever is neither is refused with the nearest, and what a row
 * keeps open is left as it was sent.
 */
#include "ops/spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const struct field option[] = {
    { "label", T_TEXT, REQUIRED, "" },
    { "is_default", T_BOOL, OPTIONAL, "" },
    { 0 },
};
static const struct field plan[] = {
    { "vote", T_OBJECT, OPTIONAL, "", .fields = option },
    { "smart_end", T_BOOL, OPTIONAL, "" },
    { 0 },
};
static const struct op op = {
    .name = "thing_make",
    .http = "POST /api/things/{id}",
    .params = {
        { "id", T_ID, REQUIRED, "" },
        { "timeoutMinutes", T_INT, OPTIONAL, "" },
        { "required_responses", T_INT, OPTIONAL, "" },
        { "options", T_LIST, OPTIONAL, "", .items = T_OBJECT, .fields = option },
        { "context", T_OBJECT, OPTIONAL, "", .fields = option, .flags = F_OPEN },
        { "plan", T_OBJECT, OPTIONAL, "", .fields = plan },
        { "dryRun", T_BOOL, OPTIONAL, "", .flags = F_QUERY },
    },
};

static bool settle(json_t *body, struct err *err)
{
    struct raw_value path = { "id", "one" };

    *err = (struct err){ 0 };
    return spelling_of_body(&op, &(struct raw_input){ .path = &path, .path_count = 1, .body = body }, err);
}

static void settles(const char *sent, const char *want)
{
    json_t *body = json_loads(sent, 0, NULL), *wanted = json_loads(want, 0, NULL);
    struct err err;

    assert_non_null(body);
    assert_non_null(wanted);
    if (!settle(body, &err))
        fail_msg("%s: %s", sent, err.text);
    assert_true(json_equal(body, wanted));
    json_decref(body);
    json_decref(wanted);
}

static void refuses(const char *sent, const char *field, const char *told)
{
    json_t *body = json_loads(sent, 0, NULL);
    struct err err;

    assert_non_null(body);
    assert_false(settle(body, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_string_equal(err.field, field);
    if (!strstr(err.text, told) && !strstr(err.hint, told))
        fail_msg("%s: %s %s", sent, err.text, err.hint);
    json_decref(body);
}

static void two_spellings_are_one_name(void **state)
{
    (void)state;
    assert_true(spelling_same("timeoutMinutes", "timeout_minutes"));
    assert_true(spelling_same("required_responses", "requiredResponses"));
    assert_true(spelling_same("id", "id"));
    assert_true(spelling_same("", ""));
    assert_false(spelling_same("timeoutMinutes", "timeoutminutes"));
    assert_false(spelling_same("timeoutMinutes", "timeout__minutes"));
    assert_false(spelling_same("timeoutMinutes", "timeout_Minutes"));
    assert_false(spelling_same("timeoutMinutes", "timeoutMinute"));
    assert_false(spelling_same("timeout_", "timeout"));
    assert_false(spelling_same("a_", "aA"));
    assert_false(spelling_same("aB", "a_"));
}

static void members_get_the_names_of_the_row(void **state)
{
    (void)state;
    settles("{\"timeout_minutes\": 5, \"requiredResponses\": 2}",
            "{\"timeoutMinutes\": 5, \"required_responses\": 2}");
    settles("{\"options\": [{\"label\": \"a\", \"isDefault\": true}]}",
            "{\"options\": [{\"label\": \"a\", \"is_default\": true}]}");
    settles("{\"plan\": {\"smartEnd\": true, \"vote\": {\"label\": \"a\", \"isDefault\": true}}}",
            "{\"plan\": {\"smart_end\": true, \"vote\": {\"label\": \"a\", \"is_default\": true}}}");
    settles("{\"timeout_minutes\": 5, \"timeoutMinutes\": 5}", "{\"timeoutMinutes\": 5}");
    settles("{\"timeout_minutes\": null, \"timeoutMinutes\": 5}", "{\"timeoutMinutes\": 5}");
    settles("{\"timeout_minutes\": 5, \"timeoutMinutes\": null}", "{\"timeoutMinutes\": 5}");
    settles("{\"id\": \"one\"}", "{\"id\": \"one\"}");
}

static void open_objects_stay_as_they_are(void **state)
{
    (void)state;
    settles("{\"context\": {\"isDefault\": 1, \"what_ever\": 2}}",
            "{\"context\": {\"isDefault\": 1, \"what_ever\": 2}}");
    /* But for a slip of the pen, which would do nothing where something was meant. */
    refuses("{\"context\": {\"labell\": 1}}", "context.labell", "label");
}

static void what_is_unknown_is_refused_with_the_nearest(void **state)
{
    (void)state;
    refuses("{\"timeoutMinuts\": 5}", "timeoutMinuts", "timeoutMinutes");
    refuses("{\"timeout_minuts\": 5}", "timeout_minuts", "timeoutMinutes");
    refuses("{\"options\": [{\"label\": \"a\", \"lable\": \"b\"}]}", "options[0].lable", "label");
    refuses("{\"options\": [{}, {\"lable\": \"b\"}]}", "options[1].lable", "parameter options[1].lable.");
    refuses("{\"plan\": {\"smartends\": true}}", "plan.smartends", "nearest is smart_end");
    refuses("{\"plan\": {\"smartEnds\": true}}", "plan.smartEnds", "nearest is smart_end");
    refuses("{\"plan\": {\"colour\": 1}}", "plan.colour", "It takes vote, smart_end");
    refuses("{\"plan\": {\"smartEnds\": true}}", "plan.smartEnds", "There is no parameter plan.smartEnds.");
    refuses("{\"plan\": {\"vote\": {\"lable\": 1}}}", "plan.vote.lable", "nearest is label");
    refuses("{\"timeout\": 5}", "timeout", "nearest is timeoutMinutes");
    refuses("{\"title\": 5}", "title", "It takes ");
    refuses("{\"\": 5}", "", "There is no parameter");
    refuses("{\"timeout_minutes\": 5, \"timeoutMinutes\": 6}", "timeoutMinutes", "different");
    refuses("{\"id\": \"two\"}", "id", "path");
}

static void query_names_are_held_to_the_same(void **state)
{
    struct raw_value right = { "dry_run", "true" }, wrong = { "dryRum", "true" };
    struct raw_value both[] = { { "dry_run", "true" }, { "dryRun", "false" } };
    struct raw_value body = { "timeoutMinutes", "5" };
    struct err err = { 0 };

    (void)state;
    assert_true(spelling_of_query(&op, &(struct raw_input){ .query = &right, .query_count = 1 }, &err));
    assert_false(spelling_of_query(&op, &(struct raw_input){ .query = &wrong, .query_count = 1 }, &err));
    assert_non_null(strstr(err.hint, "dryRun"));
    assert_false(spelling_of_query(&op, &(struct raw_input){ .query = both, .query_count = 2 }, &err));
    assert_false(spelling_of_query(&op, &(struct raw_input){ .query = &body, .query_count = 1 }, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_spellings_are_one_name),
        cmocka_unit_test(members_get_the_names_of_the_row),
        cmocka_unit_test(open_objects_stay_as_they_are),
        cmocka_unit_test(what_is_unknown_is_refused_with_the_nearest),
        cmocka_unit_test(query_names_are_held_to_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
