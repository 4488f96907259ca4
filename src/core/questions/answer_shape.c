/*
 * The first thing that does not fit is told with its path: whoever answers mends one after the other, at the
 * same door, and the question is open meanwhile.
 */
#include "core/questions/answer_shape.h"

#include "base/shape.h"
#include "base/str.h"

#include <string.h>

#define PATH_SHOWN  80 /* bytes */
#define WORDS_SHOWN 160

bool answer_shape_is_schema(const json_t *of, const char *member, const char *field, struct err *err)
{
    const json_t *schema = json_object_get(of, member);
    struct err wrong = { 0 };

    if (!schema)
        return true;
    if (!json_is_object(schema))
        return err_field(err, field, "%s of %s must be a JSON Schema, an object.", member, field);
    if (!shape_check(schema, &wrong))
        return err_field(err, field, "%s of %s is no JSON Schema: %s", member, field, wrong.text);
    return true;
}

static const char *shown(struct arena *arena, const char *text, size_t most)
{
    return arena_copy(arena, text, str_fitting(text, most));
}

static bool fits(struct arena *arena, const json_t *schema, const json_t *value, const char **where,
                 const char **words)
{
    struct shape_problem problems[SHAPE_PROBLEMS];
    size_t count = 0;

    if (shape_fits(arena, schema, value, problems, &count))
        return true;
    *where = count > 0 && *problems[0].path
                 ? arena_format(arena, ", at %s", shown(arena, problems[0].path, PATH_SHOWN))
                 : "";
    *words = count > 0 ? shown(arena, problems[0].words, WORDS_SHOWN) : "It does not fit.";
    return false;
}

bool answer_shape_args(struct arena *arena, const json_t *schema, const json_t *args, const char *field,
                       struct err *err)
{
    const char *where, *words;

    if (!schema || fits(arena, schema, args, &where, &words))
        return true;
    err_field(err, field, "These args are not what the action takes%s: %s", where, words);
    return err_hint(err, "The question is still open: its action's inputSchema says what args must be.");
}

/* The name of a form's only member, where that is a text; else NULL. */
static const char *only_text(const json_t *schema)
{
    const json_t *members = json_object_get(schema, "properties");
    void *only = json_object_iter((json_t *)(uintptr_t)members);
    const char *type = only ? json_string_value(json_object_get(json_object_iter_value(only), "type")) : NULL;

    return json_object_size(members) == 1 && str_equal(type, "string") ? json_object_iter_key(only) : NULL;
}

static bool read_form(const json_t *schema, const char *text, const char *field, json_t **filled,
                      struct err *err)
{
    const char *name = only_text(schema);
    struct err wrong = { 0 };

    if (name) { /* whoever fills in the whole form means that */
        if (!json_parse(text, strlen(text), filled, &wrong) || !json_object_get(*filled, name)) {
            json_decref(*filled);
            *filled = json_pack("{s:s}", name, text);
        }
        return true;
    }
    if (!json_parse(text, strlen(text), filled, &wrong)) {
        err_field(err, field, "This form is answered by JSON. %s", wrong.text);
        return err_hint(err, "The question is still open: answerSchema of its context says what is wanted.");
    }
    if (json_object_get(schema, "properties") && !json_is_object(*filled))
        return err_field(err, field, "This form has members: its answer must be a JSON object of them.");
    return true;
}

bool answer_shape_form(struct arena *arena, const json_t *schema, const char *text, const char *field,
                       json_t **filled, struct err *err)
{
    JSON_AUTO *form = NULL;
    const char *where, *words;

    if (!read_form(schema, text, field, &form, err))
        return false;
    if (fits(arena, schema, form, &where, &words)) {
        *filled = json_incref(form);
        return true;
    }
    err_field(err, field, "The answer does not fit the form%s: %s", where, words);
    return err_hint(err, "The question is still open: answerSchema of its context says what is wanted.");
}
