/*
 * libyaml's events, a stack of prefixes, and nothing else: no tree, no anchors, no lists. What the settings
 * cannot mean is refused with its line.
 */
#include "server/yaml.h"

#include "base/arena.h"
#include "base/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    struct arena arena;
    const char *path;
    const char *prefix[CONFIG_DEPTH]; /* the key under which each open mapping stands; "" at the root */
    size_t depth;
    const char *key; /* read, and waiting for its value */
    yaml_take *take;
    void *user;
};

static const char *place(struct reader *reader, const yaml_event_t *event)
{
    return arena_format(&reader->arena, "%s:%zu", reader->path, event->start_mark.line + 1);
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event, struct err *err)
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

static bool open_mapping(struct reader *reader, const yaml_event_t *event, struct err *err)
{
    if (reader->depth == CONFIG_DEPTH)
        return err_set(err, ERR_INVALID, "%s: nested too deeply.", place(reader, event));
    if (reader->depth > 0 && !reader->key)
        return err_set(err, ERR_INVALID, "%s: a setting's name is a word.", place(reader, event));
    reader->prefix[reader->depth++] = reader->key ? reader->key : "";
    reader->key = NULL;
    return true;
}

static bool read_event(struct reader *reader, const yaml_event_t *event, struct err *err)
{
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

static bool read_all(struct reader *reader, struct err *err)
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

bool yaml_read_file(const char *path, yaml_take *take, void *user, struct err *err)
{
    struct reader reader = { .path = path, .take = take, .user = user };
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
