/*
 * libyaml's events, a stack of prefixes, and nothing else: no anchors, and no tree but where one is asked
 * for. What the settings cannot mean is refused with its line.
 */
#include "server/yaml.h"

#include "base/arena.h"
#include "base/limits.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* A mapping or a list that is being read, and the end of what is in it. */
struct yaml_open {
    struct yaml_node *node;
    const struct yaml_node **end;
};

struct yaml_reader {
    yaml_parser_t parser;
    struct arena arena;
    const char *path;
    const char *prefix[CONFIG_DEPTH]; /* the key under which each open mapping stands; "" at the root */
    size_t depth;
    const char *key; /* read, and waiting for its value */
    yaml_take *take;
    const struct yaml_trees *trees;
    void *user;

    struct yaml_open open[LIMIT_JSON_DEPTH]; /* of the tree that is being read: what is not closed yet */
    size_t opened, nodes;
    const char *tree_key, *tree_place; /* read, and waiting for its value */
};

static const char *place(struct yaml_reader *reader, const yaml_event_t *event)
{
    return arena_format(&reader->arena, "%s:%zu", reader->path, event->start_mark.line + 1);
}

static bool read_scalar(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    const char *text = (const char *)event->data.scalar.value;

    if (reader->depth == 0) {
        if (!*text)
            return true; /* an empty file is one empty scalar */
        return err_set(err, ERR_INVALID, "%s: settings are written as \"section:\" and \"key: value\".",
                       place(reader, event));
    }
    if (!reader->key) {
        const char *prefix = reader->prefix[reader->depth - 1];

        reader->key = arena_format(&reader->arena, "%s%s%s", prefix, *prefix ? "." : "", text);
        return true;
    }
    const char *key = reader->key;

    reader->key = NULL;
    return reader->take(reader->user, key, text, place(reader, event), err);
}

static bool open_mapping(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    if (reader->depth == CONFIG_DEPTH)
        return err_set(err, ERR_INVALID, "%s: nested too deeply.", place(reader, event));
    if (reader->depth > 0 && !reader->key)
        return err_set(err, ERR_INVALID, "%s: a setting's name is a word.", place(reader, event));
    reader->prefix[reader->depth++] = reader->key ? reader->key : "";
    reader->key = NULL;
    return true;
}

/* Whether what comes now begins a tree. */
static bool begins_tree(const struct yaml_reader *reader)
{
    if (!reader->trees || reader->depth != 1 || !reader->key)
        return false;
    for (const char *const *name = reader->trees->names; *name; name++)
        if (strcmp(*name, reader->key) == 0)
            return true;
    return false;
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *name)
{
    for (const struct yaml_node *node = map->first; node; node = node->next)
        if (node->key && strcmp(node->key, name) == 0)
            return node;
    return NULL;
}

static bool close_tree(struct yaml_reader *reader, const struct yaml_node *node, struct err *err)
{
    reader->key = NULL;
    return reader->trees->take(reader->user, node, err);
}

/* Puts a node where it belongs: into what is open, or it is the tree itself. */
static bool place_node(struct yaml_reader *reader, struct yaml_node *node, struct err *err)
{
    struct yaml_open *into = reader->opened ? &reader->open[reader->opened - 1] : NULL;

    if (++reader->nodes > LIMIT_JSON_VALUES)
        return err_set(err, ERR_INVALID, "%s: there is too much of it.", node->place);
    if (into) {
        node->key = reader->tree_key;
        reader->tree_key = NULL;
        *into->end = node;
        into->end = &node->next;
        into->node->count++;
    } else {
        node->key = reader->key;
    }
    if (node->kind == YAML_TEXT)
        return into || close_tree(reader, node, err);
    if (reader->opened == LIMIT_JSON_DEPTH)
        return err_set(err, ERR_INVALID, "%s: nested too deeply.", node->place);
    reader->open[reader->opened++] = (struct yaml_open){ node, &node->first };
    return true;
}

static bool read_tree_key(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    const char *key = (const char *)event->data.scalar.value;

    if (yaml_get(reader->open[reader->opened - 1].node, key))
        return err_set(err, ERR_INVALID, "%s: %s stands there twice.", place(reader, event), key);
    reader->tree_key = arena_text(&reader->arena, key);
    reader->tree_place = place(reader, event);
    return true;
}

static bool read_in_tree(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    bool wants_key =
        reader->opened > 0 && reader->open[reader->opened - 1].node->kind == YAML_MAP && !reader->tree_key;
    struct yaml_node *node;

    if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT) {
        const struct yaml_node *closed = reader->open[--reader->opened].node;

        return reader->opened > 0 || close_tree(reader, closed, err);
    }
    if (event->type == YAML_ALIAS_EVENT)
        return err_set(err, ERR_INVALID, "%s: aliases are not taken here.", place(reader, event));
    if (wants_key && event->type != YAML_SCALAR_EVENT)
        return err_set(err, ERR_INVALID, "%s: a setting's name is a word.", place(reader, event));
    if (wants_key)
        return read_tree_key(reader, event, err);
    node = arena_new(&reader->arena, struct yaml_node);
    node->place = reader->tree_key ? reader->tree_place : place(reader, event);
    node->kind = event->type == YAML_SCALAR_EVENT           ? YAML_TEXT
                 : event->type == YAML_SEQUENCE_START_EVENT ? YAML_LIST
                                                            : YAML_MAP;
    if (node->kind == YAML_TEXT) {
        node->text = arena_text(&reader->arena, (const char *)event->data.scalar.value);
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    }
    return place_node(reader, node, err);
}

/* What stands behind a "\0" would be cut off without a word. */
static bool check_text(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    return event->type != YAML_SCALAR_EVENT ||
           strlen((const char *)event->data.scalar.value) == event->data.scalar.length ||
           err_set(err, ERR_INVALID, "%s: there is a zero byte (\"\\0\") in a text.", place(reader, event));
}

static bool read_event(struct yaml_reader *reader, const yaml_event_t *event, struct err *err)
{
    if (!check_text(reader, event, err))
        return false;
    if (reader->opened > 0 || begins_tree(reader))
        return read_in_tree(reader, event, err);
    switch (event->type) {
    case YAML_SCALAR_EVENT: return read_scalar(reader, event, err);
    case YAML_MAPPING_START_EVENT: return open_mapping(reader, event, err);
    case YAML_MAPPING_END_EVENT: reader->depth--; return true;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_ALIAS_EVENT:
        return err_set(err, ERR_INVALID, "%s: %s takes one value, not a list or an alias.",
                       place(reader, event), reader->key ? reader->key : "a setting");
    default: return true;
    }
}

static bool read_all(struct yaml_reader *reader, struct err *err)
{
    for (bool more = true; more;) {
        yaml_event_t event;

        if (!yaml_parser_parse(&reader->parser, &event))
            return err_set(err, ERR_INVALID, "%s:%zu: %s.", reader->path,
                           reader->parser.problem_mark.line + 1,
                           reader->parser.problem ? reader->parser.problem : "cannot be read as YAML");
        more = event.type != YAML_STREAM_END_EVENT;
        bool good = read_event(reader, &event, err);

        yaml_event_delete(&event);
        if (!good)
            return false;
    }
    return true;
}

bool yaml_read_file(const char *path, yaml_take *take, const struct yaml_trees *trees, void *user,
                    struct err *err)
{
    struct yaml_reader reader = { .path = path, .take = take, .trees = trees, .user = user };
    FILE *file = fopen(path, "r");

    if (!file)
        return err_set(err, ERR_INVALID, "Cannot read %s: %s.", path, strerror(errno));
    yaml_parser_initialize(&reader.parser);
    yaml_parser_set_input_file(&reader.parser, file);
    bool good = read_all(&reader, err);

    yaml_parser_delete(&reader.parser);
    fclose(file);
    arena_done(&reader.arena);
    return good;
}

/* A number as JSON writes it; the whole of the text. */
static json_t *number_of(const char *text)
{
    json_error_t error;
    json_t *value;
    int64_t whole;

    if (str_to_int(text, &whole))
        return json_integer(whole);
    if (!*text || text[strspn(text, "0123456789+-.eE")])
        return NULL;
    value = json_loads(text, JSON_DECODE_ANY, &error);
    if (value && json_is_number(value))
        return value;
    json_decref(value);
    return NULL;
}

static json_t *scalar_json(const struct yaml_node *node)
{
    json_t *number;

    if (node->quoted)
        return json_string(node->text);
    if (!*node->text || strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0)
        return json_null();
    if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
        return json_boolean(node->text[0] == 't');
    number = number_of(node->text);
    return number ? number : json_string(node->text);
}

json_t *yaml_json(const struct yaml_node *node)
{
    json_t *value;

    if (node->kind == YAML_TEXT)
        return scalar_json(node);
    value = node->kind == YAML_LIST ? json_array() : json_object();
    for (const struct yaml_node *child = node->first; value && child; child = child->next) {
        json_t *part = yaml_json(child);
        int bad = node->kind == YAML_LIST ? json_array_append_new(value, part)
                                          : json_object_set_new(value, child->key, part);

        if (bad) { /* also for a part that is NULL */
            json_decref(value);
            return NULL;
        }
    }
    return value;
}
