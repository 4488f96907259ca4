/*
 * A result handed in as an object goes the same way as one that was printed: its values are turned into ours,
 * and the same normalisers read them.
 */
#include "base/json.h"
#include "output/parts.h"

#include <string.h>

struct convert {
    struct arena *arena;
    size_t room;
    bool deep;
    bool full, in_questions; /* more values than are kept, beside the questions */
};

static struct value *convert(struct convert *c, const json_t *json, unsigned depth);

static void convert_entry(struct convert *c, struct value *parent, const char *key, const json_t *json,
                          unsigned depth)
{
    struct value *child = c->room > 0 ? convert(c, json, depth) : NULL;

    if (!child) {
        c->full |= !c->in_questions;
        parent->passed++;
        return;
    }
    child->key = key ? arena_text(c->arena, key) : NULL;
    value_append(parent, child);
}

static struct value *convert_scalar(struct convert *c, const json_t *json)
{
    struct value *value = value_new(c->arena, VALUE_NULL);

    value->whole = true;
    switch (json_typeof(json)) {
    case JSON_STRING:
        value->type = VALUE_TEXT;
        value->text = value_decode(c->arena, json_string_value(json), json_string_length(json), false);
        return value;
    case JSON_INTEGER:
    case JSON_REAL: value->type = VALUE_NUMBER; break;
    case JSON_TRUE:
    case JSON_FALSE: value->type = VALUE_BOOL; break;
    default: break;
    }
    value->text = json_dump_text(c->arena, json);
    return value;
}

static struct value *convert(struct convert *c, const json_t *json, unsigned depth)
{
    bool is_map = json_is_object(json);
    const char *key;
    const json_t *item;
    size_t i;

    c->room--;
    if (!is_map && !json_is_array(json))
        return convert_scalar(c, json);
    struct value *value = value_new(c->arena, is_map ? VALUE_MAP : VALUE_LIST);

    value->whole = true;
    if (depth == LIMIT_JSON_DEPTH) {
        c->deep = true;
        value->type = VALUE_NULL;
        return value;
    }
    if (is_map)
        json_object_foreach((json_t *)(uintptr_t)json, key, item)
            convert_entry(c, value, key, item, depth + 1);
    else
        json_array_foreach(json, i, item) convert_entry(c, value, NULL, item, depth + 1);
    return value;
}

/* The known members of an object; documents also as the text that callers get. */
static struct value *convert_known(struct convert *c, const json_t *object)
{
    struct value *map = value_new(c->arena, VALUE_MAP);

    map->whole = true;
    for (enum known_key key = KEY_OTHER + 1; key < KEY_COUNT; key++) {
        const char *name = known_key_name(key);
        const json_t *json = json_object_get(object, name);

        if (!json)
            continue;
        c->in_questions = is_questions_key(key);
        c->room = c->in_questions ? LIMIT_ASKED_VALUES : LIMIT_RESULT_VALUES;
        convert_entry(c, map, name, json, 2);
        if (!map->last->text && !is_questions_key(key) && key != KEY_TASKS)
            map->last->text = json_dump_text(c->arena, json);
    }
    return map;
}

static bool has_questions(const json_t *object)
{
    return json_object_get(object, known_key_name(KEY_QUESTIONS)) ||
           json_object_get(object, known_key_name(KEY_QUESTIONS_CAMEL));
}

/* The object that holds the questions: this one, or the first of its members; `others` counts the rest. */
static const json_t *find_holder(const json_t *object, size_t *others)
{
    const json_t *holder = has_questions(object) ? object : NULL, *member;
    const char *key;

    *others = 0;
    json_object_foreach((json_t *)(uintptr_t)object, key, member)
    {
        if (!json_is_object(member) || !has_questions(member))
            continue;
        if (holder)
            ++*others;
        else
            holder = member;
    }
    return holder;
}

bool output_read_object(struct arena *arena, const json_t *object, const struct output_options *options,
                        struct output *out, struct err *err)
{
    struct convert c = { .arena = arena };
    struct problems *problems = arena_new(arena, struct problems);
    struct output read = { .found = true };
    size_t others;

    if (!json_is_object(object))
        return err_field(err, "result", "A result is an object.");
    const json_t *inner = find_holder(object, &others);
    struct value *outer = convert_known(&c, object);
    struct value *holder = inner && inner != object ? convert_known(&c, inner) : outer;

    problems->arena = arena;
    if (c.deep)
        problems_add(problems, "Values nested deeper than %d in the result were passed over.",
                     LIMIT_JSON_DEPTH);
    if (others)
        problems_add(problems, "%zu further object%s with `open_questions` passed over.", others,
                     others == 1 ? " was" : "s were");
    if (c.full)
        output_too_many_values(arena, &read);
    output_questions_read(arena, holder, &read, problems);
    output_fields_read(arena, holder, holder == outer ? NULL : outer, options && options->coder, &read,
                       problems);
    problems_hand_over(problems, &read);
    *out = read;
    return true;
}
