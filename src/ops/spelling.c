/*
 * The body's tree is changed in place before it is bound: a member under its twin's name is moved to the
 * row's, so that everything behind this knows one name only. jansson does not like members that move while
 * they are walked, so each round finds one stray and begins again.
 */
#include "ops/spelling.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* What a name is shown by when it is wrong: others may have sent anything. */
#define SHOWN_MAX   60
#define LISTED_SIZE 180 /* with the words around it, within a hint */
#define UNKNOWN     "There is no parameter "

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool spelling_same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (*a == *b)
            continue;
        if (*a == '_' && is_capital(*b))
            a++;
        else if (*b == '_' && is_capital(*a))
            b++;
        else
            return false;
        if ((*a | ' ') != (*b | ' ') || is_capital(*a) == is_capital(*b))
            return false;
    }
    return !*a && !*b;
}

static const struct field *field_named(const struct field *fields, const char *name)
{
    for (const struct field *field = fields; field && field->type; field++)
        if (spelling_same(field->name, name))
            return field;
    return NULL;
}

/* Without what tells the two spellings of a name apart, so that a slip is as near in either. */
static const char *folded(const char *name, char into[static SHOWN_MAX + 1])
{
    size_t len = 0;

    for (; *name && len < SHOWN_MAX; name++)
        if (*name != '_')
            into[len++] = is_capital(*name) ? (char)(*name | ' ') : *name;
    into[len] = '\0';
    return into;
}

/* The one that was probably meant; NULL: none is near. */
static const char *nearest_of(const char *name, const char *const *known)
{
    const char *nearest = NULL;
    char typed[SHOWN_MAX + 1], own[SHOWN_MAX + 1];
    size_t best = 0;

    folded(name, typed);
    for (; *known; known++) {
        size_t distance = str_distance(typed, folded(*known, own));

        if (str_is_near(typed, own) && (!nearest || distance < best)) {
            best = distance;
            nearest = *known;
        }
    }
    return nearest;
}

/* "kind, agent, projectId"; with "..." where not all of them fit. */
static const char *listed(const char *const *known, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (const char *const *at = known; *at; at++) {
        const char *before = at == known ? "" : ", ";

        if (len + strlen(before) + strlen(*at) + sizeof(", ...") > size) {
            snprintf(text + len, size - len, ", ...");
            break;
        }
        len += (size_t)snprintf(text + len, size - len, "%s%s", before, *at);
    }
    return text;
}

bool spelling_unknown(const char *name, const char *const *known, struct err *err)
{
    const char *nearest = nearest_of(name, known);
    char shown[SHOWN_MAX + 1], all[LISTED_SIZE];

    snprintf(shown, sizeof(shown), "%s", name);
    err_field(err, shown, UNKNOWN "%s.", shown);
    if (nearest)
        return err_hint(err, "The nearest is %s; docs/api.md lists them all.", nearest);
    if (!*known)
        return err_hint(err, "It takes none of that kind; docs/api.md lists what there is.");
    return err_hint(err, "It takes %s; docs/api.md says more.", listed(known, all, sizeof(all)));
}

static void names_of(const struct field *fields, const char *names[static LIMIT_PARAMS + 1])
{
    size_t count = 0;

    for (const struct field *field = fields; field && field->type && count < LIMIT_PARAMS; field++)
        names[count++] = field->name;
    names[count] = NULL;
}

static bool unknown_member(const struct field *fields, const char *name, struct err *err)
{
    const char *known[LIMIT_PARAMS + 1];

    names_of(fields, known);
    return spelling_unknown(name, known, err);
}

static bool told_twice(const char *name, const char *twin, struct err *err)
{
    return err_field(err, name, "%s and %s are the same parameter and say different things.", name, twin);
}

/* A member under its twin's name moves to its own. null says that there is nothing, as everywhere. */
static bool rename_member(json_t *object, const struct field *field, const char *twin, struct err *err)
{
    json_t *own = json_object_get(object, field->name), *other = json_object_get(object, twin);

    if (own && !json_is_null(own) && !json_is_null(other) && !json_equal(own, other))
        return told_twice(field->name, twin, err);
    if (!own || json_is_null(own))
        json_object_set(object, field->name, other);
    json_object_del(object, twin);
    return true;
}

/* The first member that is not under its row's name, with the field it means; false: it means none. */
static bool next_stray(const struct field *fields, json_t *object, const char **name,
                       const struct field **field, struct err *err)
{
    json_t *value;

    *field = NULL;
    json_object_foreach(object, *name, value)
    {
        *field = field_named(fields, *name);
        if (!*field)
            return unknown_member(fields, *name, err);
        if (strcmp((*field)->name, *name) != 0)
            return true;
    }
    *field = NULL;
    return true;
}

static bool settle(const struct field *fields, json_t *object, struct err *err);

/* What is wrong is in this object, or in this entry of a list: options.votee, participants[0].agentIdd. */
static bool in_member(const char *outer, struct err *err)
{
    const struct err inner = *err;

    snprintf(err->field, sizeof(err->field), "%.20s.%.40s", outer, inner.field);
    if (str_starts(inner.text, UNKNOWN))
        snprintf(err->text, sizeof(err->text), UNKNOWN "%s.", err->field);
    return false;
}

static bool settle_value(const struct field *field, json_t *value, struct err *err)
{
    if (!field->fields)
        return true;
    if (field->flags & F_OPEN)
        return !json_is_object(value) || spelling_of_slips(field->name, field->fields, value, err);
    if (field->type == T_OBJECT && json_is_object(value))
        return settle(field->fields, value, err) || in_member(field->name, err);
    for (size_t i = 0; field->type == T_LIST && i < json_array_size(value); i++) {
        json_t *item = json_array_get(value, i);
        char entry[48];

        snprintf(entry, sizeof(entry), "%.16s[%zu]", field->name, i);
        if (json_is_object(item) && !settle(field->fields, item, err))
            return in_member(entry, err);
    }
    return true;
}

/* As many rounds as there are twins, which are no more than the row has members. */
static bool settle(const struct field *fields, json_t *object, struct err *err)
{
    const struct field *field;
    const char *name;

    while (next_stray(fields, object, &name, &field, err) && field)
        if (!rename_member(object, field, name, err))
            return false;
    if (err->code != ERR_NONE)
        return false;
    for (field = fields; field->type; field++)
        if (!settle_value(field, json_object_get(object, field->name), err))
            return false;
    return true;
}

bool spelling_of_slips(const char *name, const struct field *fields, const json_t *object, struct err *err)
{
    const char *known[LIMIT_PARAMS + 1];
    const char *member;
    json_t *value;

    names_of(fields, known);
    json_object_foreach((json_t *)object, member, value)
    {
        bool exact = false;

        for (const char *const *at = known; *at && !exact; at++)
            exact = strcmp(*at, member) == 0 || spelling_same(*at, member);
        if (!exact && nearest_of(member, known)) {
            (void)spelling_unknown(member, known, err);
            return in_member(name, err);
        }
    }
    return true;
}

/* A body may repeat what stands in the path, and must not contradict it. */
static bool agrees_with_path(const struct raw_input *input, struct err *err)
{
    for (size_t i = 0; i < input->path_count; i++) {
        const json_t *value = json_object_get(input->body, input->path[i].name);

        if (value && !str_equal(json_string_value(value), input->path[i].text))
            return err_field(err, input->path[i].name,
                             "%s says one thing in the path and another in the body.", input->path[i].name);
    }
    return true;
}

bool spelling_of_body(const struct op *op, const struct raw_input *input, struct err *err)
{
    if (!input->body)
        return true;
    return settle(op->params, input->body, err) && agrees_with_path(input, err);
}

static bool check_query_name(const struct op *op, const char *name, struct err *err)
{
    const struct op_facts *facts = op_facts(op);
    const char *known[LIMIT_PARAMS + 2] = { NULL };
    size_t count = 0, exact = op_param(facts, name);

    if (exact != NO_PARAM && facts->places[exact] == IN_QUERY)
        return true;
    for (size_t i = 0; op->params[i].type; i++)
        if (facts->places[i] == IN_QUERY)
            known[count++] = op->params[i].name;
    if (op->waits || op->holds)
        known[count++] = "wait";
    for (size_t i = 0; i < count; i++)
        if (spelling_same(known[i], name))
            return true;
    if (field_named(op->params, name))
        return err_field(err, name, "%s belongs in the body, not in the query.", name);
    return spelling_unknown(name, known, err);
}

bool spelling_of_query(const struct op *op, const struct raw_input *input, struct err *err)
{
    for (size_t i = 0; i < input->query_count; i++) {
        const struct raw_value *value = &input->query[i];

        if (!check_query_name(op, value->name, err))
            return false;
        for (size_t j = 0; j < i; j++)
            if (spelling_same(input->query[j].name, value->name) &&
                strcmp(input->query[j].text, value->text) != 0)
                return told_twice(value->name, input->query[j].name, err);
    }
    return true;
}
