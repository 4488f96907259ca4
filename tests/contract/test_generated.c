/*
 * Cases made from the operation table: nobody needs to remember to write them for a new row. For each
 * operation: no token, every role that may not, another workspace's token, a wrong value for each parameter,
 * a body that is too large. None of them may change a row.
 */
#include "subjects.h"

#include "base/limits.h"
#include "base/settings.h"
#include "ops/bind.h"
#include "ops/openapi.h"

#include <stdio.h>

/* A value that this parameter cannot be, or NULL where every value is one. */
static json_t *wrong_value(const struct op *op, const struct field *field, struct arena *arena)
{
    enum param_place place = op_param_place(op, field);

    if (place == IN_PATH)
        return json_string("no such thing");
    if (place == IN_BODY)
        return field->type == T_JSON                                                    ? NULL
               : field->type == T_INT || field->type == T_REAL || field->type == T_BOOL ? json_string("wrong")
                                                                                        : json_integer(7);
    switch (field->type) {
    case T_TEXT:
    case T_NAME:
    case T_CURSOR: {
        size_t len = (field->max ? (size_t)field->max : field->type == T_NAME ? LIMIT_NAME : 2000) + 1;
        char *text = arena_alloc(arena, len + 1, 1);

        if (field->type == T_CURSOR)
            return json_string("!");
        if (len > 4000)
            return NULL; /* longer than a URL may be */
        memset(text, 'x', len);
        return field->type == T_TEXT && !field->max ? NULL : json_string(text);
    }
    default: return json_string("no good");
    }
}

static bool has_path_param(const struct op *op)
{
    return strchr(op->http, '{') != NULL;
}

static int check_strangers(struct t *t, const struct op *op, const json_t *params)
{
    const char *secrets[] = { t->owner, t->admin, t->member, t->agent, t->viewer };
    int cases = 0;

    if (op->needs & ROLE_ANYONE)
        return 0;
    t->as = "";
    call_json(t, op->name, params);
    CHECK_STATUS(401);
    cases++;
    for (int i = 0; i < 5; i++) {
        if (op->needs & (1u << i))
            continue;
        t->as = secrets[i];
        call_json(t, op->name, params);
        CHECK_STATUS(403);
        cases++;
    }
    return cases;
}

static int check_neighbours(struct t *t, const struct op *op, const json_t *params, const char *elsewhere)
{
    if (op->needs & ROLE_ANYONE || (!has_path_param(op) && op->kind == OP_WRITE))
        return 0;
    t->as = elsewhere;
    call_json(t, op->name, params);
    if (has_path_param(op))
        CHECK_STATUS(404);
    else if (strstr(t->text, MARKER))
        fail_msg("%s shows another workspace's rows: %s", op->name, t->text);
    return 1;
}

static int check_wrong_values(struct t *t, const struct op *op, const json_t *params)
{
    int cases = 0;

    t->as = t->owner;
    for (const struct field *field = op->params; field->type; field++) {
        json_t *wrong = wrong_value(op, field, &t->arena);
        json_t *changed = wrong ? json_copy((json_t *)(uintptr_t)params) : NULL;

        if (!wrong)
            continue;
        json_object_set_new(changed, field->name, wrong);
        call_json(t, op->name, changed);
        json_decref(changed);
        if (op_param_place(op, field) == IN_PATH) {
            CHECK_STATUS(404);
        } else {
            if (t->status != 400)
                fail_msg("%s took a wrong %s: %d %s", op->name, field->name, t->status, t->text);
            CHECK_TEXT("field", field->name);
        }
        cases++;
    }
    return cases;
}

static int check_oversize(struct t *t, const struct op *op, const json_t *params)
{
    size_t limit = op->body_max ? op->body_max : (size_t)settings()->limits_body;
    json_t *large;
    char *filler;

    if (t->door != DOOR_REST || str_starts(op->http, "GET ") || str_starts(op->http, "DELETE "))
        return 0;
    filler = malloc(limit + 2);
    memset(filler, 'x', limit + 1);
    filler[limit + 1] = '\0';
    large = json_copy((json_t *)(uintptr_t)params);
    json_object_set_new(large, "filler", json_string(filler));
    t->as = t->owner;
    call_json(t, op->name, large);
    CHECK_STATUS(413);
    json_decref(large);
    free(filler);
    return 1;
}

/* What the table itself says the number of cases must be; kept apart from the checks on purpose. */
static int expected_cases(struct t *t, const struct op *op)
{
    int cases = 0;

    if (!(op->needs & ROLE_ANYONE)) {
        cases = 1;
        for (int i = 0; i < 5; i++)
            cases += !(op->needs & (1u << i));
        cases += has_path_param(op) || op->kind == OP_READ;
    }
    for (const struct field *field = op->params; field->type; field++) {
        json_t *wrong = wrong_value(op, field, &t->arena);

        cases += wrong != NULL;
        json_decref(wrong);
    }
    return cases +
           (t->door == DOOR_REST && !str_starts(op->http, "GET ") && !str_starts(op->http, "DELETE "));
}

/* The first table's line that is not what it was. */
static const char *first_change(struct t *t, const char *before)
{
    const char *now = fingerprint(t);

    while (*before && *before == *now)
        before++, now++;
    while (now[-1] != '\n')
        now--;
    return arena_copy(&t->arena, now, strcspn(now, "\n"));
}

CONTRACT(every_operation_refuses_strangers_and_nonsense)
{
    /* One call after the other: a run that looks for races only would learn nothing here, slowly. */
    if (getenv("WITAN_RACES_ONLY"))
        skip();

    /* What other cases left open must not end by itself between two looks: let all of it end now. */
    advance(t, (int64_t)25 * 3600 * 1000);

    struct subjects subjects = make_subjects(t);
    const char *elsewhere = token_elsewhere(t, "owner");
    int total = 0, expected = 0;
    const char *before = fingerprint(t);

    for (const struct op *const *op = op_all(); *op; op++) {
        json_t *params = valid_params(*op, &subjects);
        int cases = check_strangers(t, *op, params);

        cases += check_neighbours(t, *op, params, elsewhere);
        cases += check_wrong_values(t, *op, params);
        cases += check_oversize(t, *op, params);
        printf("    %-28s %3d cases\n", (*op)->name, cases);
        if (strcmp(before, fingerprint(t)) != 0) {
            print_newest_events(t);
            fail_msg("%s changed %s although every call was refused", (*op)->name, first_change(t, before));
        }
        assert_int_equal(cases, expected_cases(t, *op));
        total += cases;
        expected += expected_cases(t, *op);
        json_decref(params);
    }
    printf("    %d cases in all\n", total);
    assert_int_equal(total, expected);
    assert_true(total > 100);
}

static bool run_nothing(struct call *call_)
{
    (void)call_;
    return true;
}

/* The check of the table must see what is wrong; these rows are wrong in one way each. */
CONTRACT(a_row_without_a_role_or_a_reach_does_not_pass)
{
    static const struct field reply[] = { { "ok", T_BOOL, REQUIRED, "Yes." }, { 0 } };
    const struct op good = { .name = "planted",
                             .http = "GET /api/planted/{id}",
                             .tag = "Test",
                             .help = "Planted.",
                             .needs = ROLE_OWNER,
                             .reaches = REACH_WORKSPACE,
                             .kind = OP_READ,
                             .run = run_nothing,
                             .reply = reply,
                             .params = { { "id", T_UUID, REQUIRED, "Which." } } };
    struct op rows[8] = { good, good, good, good, good, good, good, good };
    struct err err = { 0 };

    (void)t;
    rows[1].needs = 0;
    rows[2].params[0].need = OPTIONAL;
    rows[3].reply = NULL;
    rows[4].kind = 0;
    rows[5].help = NULL;
    rows[6].reaches = 0;
    rows[7].http = "GET /api/projects/{id}/planted"; /* which does not reach the workspace */
    assert_true(op_check_table((const struct op *const[]){ &rows[0], NULL }, &err));
    for (size_t i = 1; i < 8; i++)
        assert_false(op_check_table((const struct op *const[]){ &rows[i], NULL }, &err));
    assert_false(op_check_table((const struct op *const[]){ &rows[0], &good, NULL }, &err));
}
