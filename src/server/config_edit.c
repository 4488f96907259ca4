/*
 * libyaml says where `models` and its last entry stand; the new one is put behind it as text. libyaml counts
 * characters, the file is bytes, so places are counted again.
 */
#include "server/config_edit.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "server/config_tools.h"
#include "server/files.h"
#include "server/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#define SECTION     "models"
#define FILE_MOST   (1 * MB)
#define USUAL_DEPTH 2

/* Where things stand, in characters from the beginning. */
struct layout {
    bool root, root_flow;   /* there is a mapping at all; {...} */
    bool has, flow, filled; /* `models`: it is there; {...}; it has entries */
    size_t root_end, key_end, value_start, end, indent;
};

/* Plain words need no quotes; anything else is written as JSON writes it, which YAML reads. */
static void print_word(const char *word, bool quoted, struct buf *into)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:-";
    size_t len = strlen(word);
    struct json_out out;

    if (!quoted && len > 0 && strspn(word, plain) == len && word[0] != '-' && word[0] != ':' &&
        word[len - 1] != ':') {
        buf_text(into, word);
        return;
    }
    json_begin(&out, into);
    json_text(&out, NULL, word);
}

void config_entry_print(const struct model_entry *entry, size_t indent, struct buf *into)
{
    buf_format(into, "%*s", (int)indent, "");
    print_word(entry->name, false, into);
    buf_text(into, ":\n");
    for (size_t row = 0; row < model_row_count; row++) {
        if (!entry->values[row])
            continue;
        buf_format(into, "%*s%s: ", (int)(indent + USUAL_DEPTH), "", model_rows[row].key);
        print_word(entry->values[row], false, into);
        buf_char(into, '\n');
    }
}

static void print_flow(const struct model_entry *entry, bool section, struct buf *into)
{
    const char *comma = "";

    if (section)
        buf_text(into, "\"" SECTION "\": {");
    print_word(entry->name, true, into);
    buf_text(into, ": {");
    for (size_t row = 0; row < model_row_count; row++) {
        if (!entry->values[row])
            continue;
        buf_format(into, "%s\"%s\": ", comma, model_rows[row].key);
        print_word(entry->values[row], true, into);
        comma = ", ";
    }
    buf_text(into, section ? "}}" : "}");
}

/* Events. */

struct layout_walk {
    struct layout *layout;
    int depth;
    bool key_next;   /* at depth 1: what comes is a key */
    bool in_section; /* inside the value of `models` */
};

static void take_scalar(struct layout_walk *walk, const yaml_event_t *event)
{
    struct layout *layout = walk->layout;

    if (walk->depth == 1 && walk->key_next) {
        walk->in_section = strcmp((const char *)event->data.scalar.value, SECTION) == 0;
        if (walk->in_section)
            layout->key_end = event->end_mark.index;
        return;
    }
    if (!walk->in_section)
        return;
    if (walk->depth == 1) { /* "models:" with nothing behind it */
        layout->has = true;
        layout->value_start = layout->end = layout->key_end + 1;
    } else {
        if (walk->depth == 2 && !layout->filled) {
            layout->filled = true;
            layout->indent = event->start_mark.column;
        }
        layout->end = event->end_mark.index;
    }
}

static void take_start(struct layout_walk *walk, const yaml_event_t *event)
{
    struct layout *layout = walk->layout;
    bool flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;

    if (walk->depth == 0) {
        layout->root = true;
        layout->root_flow = flow;
    } else if (walk->depth == 1 && walk->in_section) {
        layout->has = true;
        layout->flow = flow;
        layout->value_start = event->start_mark.index;
    }
    walk->depth++;
}

static void take_end(struct layout_walk *walk, const yaml_event_t *event)
{
    struct layout *layout = walk->layout;
    bool closed = event->end_mark.index > event->start_mark.index; /* by a brace */

    walk->depth--;
    if (walk->in_section && walk->depth >= 1 && closed)
        layout->end = event->end_mark.index;
    if (walk->depth == 0)
        layout->root_end = event->end_mark.index;
}

static bool find_layout(const char *text, size_t len, struct layout *layout)
{
    struct layout_walk walk = { .layout = layout };
    yaml_parser_t parser;
    bool good = true;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    for (bool more = true; more && good;) {
        yaml_event_t event;

        good = yaml_parser_parse(&parser, &event);
        if (!good)
            break;
        bool value = event.type == YAML_SCALAR_EVENT || event.type == YAML_MAPPING_START_EVENT;

        if (value && walk.depth == 1)
            walk.key_next = !walk.key_next;
        if (event.type == YAML_SCALAR_EVENT)
            take_scalar(&walk, &event);
        else if (event.type == YAML_MAPPING_START_EVENT)
            take_start(&walk, &event);
        else if (event.type == YAML_MAPPING_END_EVENT)
            take_end(&walk, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

/* The byte at which that many characters have passed. */
static size_t byte_at(const char *text, size_t len, size_t chars)
{
    size_t at = 0;

    for (; at < len && chars > 0; chars--)
        for (at++; at < len && ((unsigned char)text[at] & 0xc0) == 0x80; at++)
            ;
    return at;
}

static size_t end_of_line(const char *text, size_t len, size_t at)
{
    const char *end = at < len ? memchr(text + at, '\n', len - at) : NULL;

    return end ? (size_t)(end - text) : len;
}

/* Before a closing brace, behind what stands there. */
static void add_in_flow(const char *text, size_t len, size_t brace, const struct model_entry *entry,
                        bool section, struct buf *into)
{
    size_t last = brace;

    while (last > 0 && strchr(" \t\r\n", text[last - 1]))
        last--;
    buf_add(into, text, last);
    buf_text(into, last > 0 && strchr("{,", text[last - 1]) ? " " : ", ");
    print_flow(entry, section, into);
    buf_add(into, text + last, len - last);
}

/* As lines behind the line in which `at` is. */
static void add_lines(const char *text, size_t len, size_t at, size_t indent, const struct model_entry *entry,
                      struct buf *into)
{
    size_t end = at > 0 && at <= len && text[at - 1] == '\n' ? at : end_of_line(text, len, at);

    buf_add(into, text, end);
    if (end > 0 && text[end - 1] != '\n')
        buf_char(into, '\n');
    config_entry_print(entry, indent, into);
    if (end < len)
        buf_add(into, text + end + (text[end] == '\n'), len - end - (text[end] == '\n'));
}

static void add_section(const char *text, size_t len, const struct model_entry *entry, struct buf *into)
{
    buf_add(into, text, len);
    if (len > 0)
        buf_text(into, text[len - 1] == '\n' ? "\n" : "\n\n");
    buf_text(into, SECTION ":\n");
    config_entry_print(entry, USUAL_DEPTH, into);
}

/* `models: {}` becomes `models:` with lines behind it. */
static void open_section(const char *text, size_t len, const struct layout *layout,
                         const struct model_entry *entry, struct buf *into)
{
    size_t start = byte_at(text, len, layout->value_start), end = byte_at(text, len, layout->end);
    BUF_AUTO bare = { 0 };

    while (start > 0 && text[start - 1] == ' ')
        start--;
    buf_init(&bare, 0);
    buf_add(&bare, text, start);
    buf_add(&bare, text + end, len - end);
    add_lines(bare.bytes, bare.len, start, USUAL_DEPTH, entry, into);
}

static void add_entry(const char *text, size_t len, const struct layout *layout,
                      const struct model_entry *entry, struct buf *into)
{
    if (layout->has && layout->flow && (layout->filled || layout->root_flow))
        add_in_flow(text, len, byte_at(text, len, layout->end) - 1, entry, false, into);
    else if (layout->has && layout->filled)
        add_lines(text, len, byte_at(text, len, layout->end), layout->indent, entry, into);
    else if (layout->has)
        open_section(text, len, layout, entry, into);
    else if (layout->root_flow)
        add_in_flow(text, len, byte_at(text, len, layout->root_end) - 1, entry, true, into);
    else
        add_section(text, len, entry, into);
}

/* Reading back. */

struct said {
    const char *skip; /* "models.NAME." */
    struct buf *lines;
    size_t skipped;
};

static bool take_said(void *user, const char *key, const char *value, const char *origin, struct err *err)
{
    struct said *said = user;

    (void)origin, (void)err;
    /* Names may hold dots, settings do not. */
    if (str_starts(key, said->skip) && !strchr(key + strlen(said->skip), '.'))
        said->skipped++;
    else if (strcmp(key, SECTION) != 0)
        buf_format(said->lines, "%s=%s\n", key, value);
    return true;
}

/* Tools and the like, as one line of JSON. */
static bool take_said_tree(void *user, const struct yaml_node *node, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct said *said = user;
    JSON_AUTO *value = yaml_json(node);

    (void)err;
    buf_format(said->lines, "%s=%s\n", node->key, value ? json_dump_text(&arena, value) : "");
    return true;
}

/* Whether the new file says what the old one did, and the model besides. */
static bool same_but_for(const char *old_path, const char *new_path, const struct model_entry *entry)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO before = { 0 };
    BUF_AUTO after = { 0 };
    struct said was = { arena_format(&arena, SECTION ".%s.", entry->name), &before, 0 }, is = was;
    const struct yaml_trees trees = { config_tool_sections, take_said_tree };
    struct err ignored = { 0 };
    size_t wanted = 0;

    is.lines = &after;
    buf_init(&before, 0);
    buf_init(&after, 0);
    for (size_t row = 0; row < model_row_count; row++)
        wanted += entry->values[row] != NULL;
    return (!old_path || yaml_read_file(old_path, take_said, &trees, &was, &ignored)) &&
           yaml_read_file(new_path, take_said, &trees, &is, &ignored) && was.skipped == 0 &&
           is.skipped == wanted && before.len == after.len &&
           (before.len == 0 || memcmp(before.bytes, after.bytes, before.len) == 0);
}

static bool read_file(const char *path, struct buf *into, struct err *err)
{
    FILE *file = fopen(path, "r");
    char piece[4096];
    size_t got;

    if (!file)
        return err_set(err, ERR_INVALID, "Cannot read %s: %s.", path, strerror(errno));
    while ((got = fread(piece, 1, sizeof(piece), file)) > 0 && !into->full)
        buf_add(into, piece, got);
    bool good = !ferror(file) && !into->full;

    fclose(file);
    return good ||
           err_set(err, ERR_INVALID, "%s cannot be read, or is larger than %d KB.", path, FILE_MOST / KB);
}

/* The new file is as much its owner's, its group's and others' as the old one. */
static bool keep_rights(const char *from, const char *to, struct err *err)
{
    struct stat old;

    if (stat(from, &old) != 0)
        return err_set(err, ERR_UNAVAILABLE, "Cannot look at %s: %s.", from, strerror(errno));
    return files_give(to, old.st_uid == geteuid() ? (uid_t)-1 : old.st_uid,
                      old.st_gid == getegid() ? (gid_t)-1 : old.st_gid, old.st_mode, err);
}

static bool unchanged(const char *path, const struct buf *text, struct err *err)
{
    BUF_AUTO now = { 0 };

    buf_init(&now, FILE_MOST);
    if (!read_file(path, &now, err))
        return false;
    return (now.len == text->len && (now.len == 0 || memcmp(now.bytes, text->bytes, now.len) == 0)) ||
           err_set(err, ERR_CONFLICT, "Somebody else has just changed %s; nothing was written.", path);
}

static bool replace_file(const char *path, const struct buf *old, const char *made,
                         const struct model_entry *entry, struct err *err)
{
    if (!same_but_for(path, made, entry)) {
        err_set(err, ERR_INVALID, "%s is laid out in a way that cannot be added to; nothing was written.",
                path);
        return err_hint(
            err, "Write the entry under models: by hand; `witan config` then says whether it is right.");
    }
    return keep_rights(path, made, err) && unchanged(path, old, err) && files_settle(made, path, err);
}

static bool change_file(const char *path, const struct model_entry *entry, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO old = { 0 };
    BUF_AUTO text = { 0 };
    struct layout layout = { 0 };
    const char *made = arena_format(&arena, "%s.new", path);

    buf_init(&old, FILE_MOST);
    buf_init(&text, 0);
    if (!read_file(path, &old, err))
        return false;
    const char *bytes = old.bytes ? old.bytes : "";

    if (!find_layout(bytes, old.len, &layout))
        return err_set(err, ERR_INVALID, "%s cannot be read as YAML.", path);
    add_entry(bytes, old.len, &layout, entry, &text);
    if (!files_write(made, text.bytes, text.len, err))
        return false;
    if (replace_file(path, &old, made, entry, err))
        return true;
    unlink(made);
    return false;
}

bool config_add_model(const char *path, const struct model_entry *entry, struct err *err)
{
    BUF_AUTO text = { 0 };
    char *real = realpath(path, NULL); /* what a link leads to is changed, and the link stays */

    if (real) {
        bool good = change_file(real, entry, err);

        free(real);
        return good;
    }
    if (errno != ENOENT)
        return err_set(err, ERR_INVALID, "Cannot read %s: %s.", path, strerror(errno));
    buf_init(&text, 0);
    add_section("", 0, entry, &text);
    return files_make_folders(path, err) && files_write(path, text.bytes, text.len, err);
}
