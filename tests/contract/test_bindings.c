/*
 * What tokens reach that are bound to a project, to an agent, or to both, with every role: made from the
 * operation table, so that a new row is tried without anybody thinking of it.
 */
#include "subjects.h"

#include "ops/openapi.h"

#include <stdio.h>

struct binding {
    const char *name;
    bool agent, project;
};

static const struct binding bindings[] = {
    { "to an agent", true, false },
    { "to a project", false, true },
    { "to both", true, true },
};

static const struct {
    const char *name;
    enum role role;
} roles[] = {
    { "owner", ROLE_OWNER }, { "admin", ROLE_ADMIN },   { "member", ROLE_MEMBER },
    { "agent", ROLE_AGENT }, { "viewer", ROLE_VIEWER },
};

#define BINDINGS (sizeof(bindings) / sizeof(bindings[0]))
#define ROLES    (sizeof(roles) / sizeof(roles[0]))

/* The rule in the test's own words: who speaks as an agent is one, whatever was written on the token. */
static bool may_call(const struct op *op, const struct binding *binding, enum role role)
{
    if (op->needs & ROLE_ANYONE)
        return true;
    if (binding->agent && role != ROLE_VIEWER)
        role = ROLE_AGENT;
    return (op->needs & (unsigned)role) && !(binding->project && op->reaches == REACH_WORKSPACE);
}

static void check(struct t *t, const struct op *op, const struct binding *binding, const char *role, int want)
{
    if (t->status != want)
        fail_msg("%s, for a token of the role %s that is bound %s: %d, wanted %d: %s", op->name, role,
                 binding->name, t->status, want, t->text);
}

/*
 * Everything is in one project, the tokens are bound to another. Writes that a path does not aim at somebody
 * else's thing are a bound token's own business and left out.
 */
static int try_row(struct t *t, const struct op *op, const json_t *params, const struct binding *binding,
                   size_t role)
{
    bool named = strchr(op->http, '{') != NULL;

    if (!may_call(op, binding, roles[role].role)) {
        call_json(t, op->name, params);
        check(t, op, binding, roles[role].name, 403);
    } else if (binding->project && named) {
        call_json(t, op->name, params);
        check(t, op, binding, roles[role].name, 404);
    } else {
        return 0;
    }
    return 1;
}

CONTRACT(bound_tokens_reach_nothing_beyond_what_they_are_bound_to)
{
    int cases = 0;

    if (getenv("WITAN_RACES_ONLY"))
        skip();
    advance(t, (int64_t)25 * 3600 * 1000);

    struct subjects subjects = make_subjects(t);
    const char *elsewhere, *before, *tokens[BINDINGS][ROLES];

    call(t, "project_create", "{s:s}", "name", "Another one");
    CHECK_STATUS(201);
    elsewhere = text_at(t, "id");
    for (size_t i = 0; i < BINDINGS; i++)
        for (size_t r = 0; r < ROLES; r++)
            tokens[i][r] = token_bound(t, roles[r].name, bindings[i].agent ? "Builder" : NULL,
                                       bindings[i].project ? elsewhere : NULL);
    before = fingerprint(t);
    for (const struct op *const *op = op_all(); *op; op++) {
        json_t *params = valid_params(*op, &subjects);

        for (size_t i = 0; i < BINDINGS; i++) {
            for (size_t r = 0; r < ROLES; r++) {
                t->as = tokens[i][r];
                cases += try_row(t, *op, params, &bindings[i], r);
            }
        }
        json_decref(params);
        if (strcmp(before, fingerprint(t)) != 0)
            fail_msg("%s changed something although every call was refused", (*op)->name);
    }
    printf("    %d cases in all\n", cases);
    assert_true(cases > 500);
}
