/*
 * Every example of the reference is sent to a server as it stands there, with things that are there in place
 * of its ids, and is taken. A few cannot be: they show a secret that nobody has, or need a login.
 */
#include "subjects.h"

#include "ops/bind.h"
#include "ops/example.h"
#include "ops/openapi.h"

#include <stdio.h>

static const struct {
    const char *op;
    int status;
} others[] = {
    { "link_open", 401 },                                       /* a link's secret is shown once */
    { "session_login", 401 },                                   /* nobody has that password */
    { "password_change", 403 },                                 /* a token has none, */
    { "preferences_get", 403 },                                 /* no preferences, */
    { "preferences_put", 403 },    { "workspace_create", 403 }, /* and no other workspace */
    { "rehearsal_begin", 403 },    { "rehearsal_remove", 403 },
    { "setup_owner", 403 },        /* the code is printed once, by a server without an owner */
    { "question_restart", 409 },   /* only what was answered too late */
    { "discussion_message", 202 }, /* nobody speaks here, so it is not over when the reply comes */
    { "discussion_next", 409 },    /* nobody's turn is skipped before it has begun */
    { "turn_take", 409 },          /* it is not that agent's turn */
    { "run_replay", 404 },         { "run_trace", 404 }, /* the job that is there is not run by witan */
};

static int wanted_status(const struct op *op)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(others[i].op, op->name) == 0)
            return others[i].status;
    return op->status ? op->status : 200;
}

static bool has_body(const struct op *op)
{
    for (const struct field *field = op->params; field->type; field++)
        if (op_param_place(op, field) == IN_BODY)
            return true;
    return false;
}

/* What stands for a text that is the id of an example; NULL: it is none. */
static json_t *known_id(const json_t *text, const struct subjects *subjects)
{
    const struct raw_value known[] = {
        { EXAMPLE_WORKSPACE, subjects->workspace }, { EXAMPLE_PROJECT, subjects->project },
        { EXAMPLE_TASK, subjects->task },           { EXAMPLE_QUESTION, subjects->question },
        { EXAMPLE_USER, subjects->user },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (str_equal(json_string_value(text), known[i].name))
            return json_string(known[i].text);
    return NULL;
}

/* Texts that are ids of examples become those of what is there. */
static void fill_in(json_t *value, const struct subjects *subjects)
{
    json_t *member, *id;
    const char *key;
    void *next;
    size_t i;

    json_object_foreach_safe(value, next, key, member)
    {
        fill_in(member, subjects);
        if ((id = known_id(member, subjects)))
            json_object_set_new(value, key, id);
    }
    json_array_foreach(value, i, member)
    {
        fill_in(member, subjects);
        if ((id = known_id(member, subjects)))
            json_array_set_new(value, i, id);
    }
}

static int send_example(struct t *t, const struct op *op, const struct subjects *subjects)
{
    json_t *params = valid_params(op, subjects);
    json_t *example = example_parse(op);
    const char *key;
    json_t *value;

    /* What the row requires comes from the example, but for the path. */
    for (const struct field *field = op->params; field->type; field++)
        if (op_param_place(op, field) != IN_PATH)
            json_object_del(params, field->name);
    fill_in(example, subjects);
    json_object_foreach(example, key, value) json_object_set(params, key, value);
    call_json(t, op->name, params);
    json_decref(example);
    json_decref(params);
    return t->status;
}

/* With the agents that examples name. */
static struct subjects begin(struct t *t)
{
    static const char *const names[] = { "Architect", "Reviewer" };

    for (size_t i = 0; i < 2; i++) {
        call(t, "agent_create", "{s:s, s:{s:s}}", "name", names[i], "ai_model_config", "provider",
             "external");
        CHECK_STATUS(201);
    }
    return make_subjects(t);
}

/* Reads first: they leave everything as it was. What a write has ended is made anew for the next that needs
 * it. */
CONTRACT(every_example_of_the_reference_is_taken)
{
    int sent = 0, refused = 0;

    if (t->door != DOOR_REST)
        skip();
    struct subjects subjects = begin(t);

    for (int kind = OP_READ; kind <= OP_WRITE; kind++) {
        for (const struct op *const *op = op_all(); *op; op++) {
            if ((int)(*op)->kind != kind || strcmp((*op)->name, "workspace_delete") == 0)
                continue;
            if (has_body(*op) && !(*op)->example)
                fail_msg("%s takes a body and shows no example", (*op)->name);
            if (send_example(t, *op, &subjects) != wanted_status(*op)) {
                renew_subjects(t, &subjects);
                send_example(t, *op, &subjects);
            }
            if (t->status != wanted_status(*op) && !((*op)->status_made && t->status == (*op)->status_made)) {
                print_error("%s: its example gets %d: %s\n", (*op)->name, t->status, t->text);
                refused++;
            }
            sent++;
        }
    }
    send_example(t, op_find("workspace_delete"), &subjects); /* which ends all the others */
    CHECK_STATUS(204);
    printf("    %d examples\n", sent);
    assert_int_equal(refused, 0);
    assert_true(sent > 100);
}
