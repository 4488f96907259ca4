/*
 * Of all keys only those that say who runs what with which environment are looked at. A drop-in of one name
 * hides those of the same name in folders that come later, and an empty value takes back what stood before.
 */
#include "server/unit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "server/variables.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where systemd looks for units of the system, and what it finds first counts. */
static const char *const folders[] = { "/etc/systemd/system", "/run/systemd/system",
                                       "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                       "/lib/systemd/system" };

#define FOLDER_COUNT (sizeof(folders) / sizeof(folders[0]))

struct unit_reader {
    struct arena *arena;
    const char *root, *name;
    struct unit *unit;
    struct word_list pairs, unset, files; /* Environment=, UnsetEnvironment=, EnvironmentFile= */
    struct err *err;
};

static bool cannot_read(const char *path, int why, struct err *err)
{
    return err_set(err, why == EACCES || why == EPERM ? ERR_FORBIDDEN : ERR_UNAVAILABLE,
                   "%s cannot be read: %s", path, strerror(why));
}

static bool read_text(struct unit_reader *reader, const char *path, const char **text)
{
    BUF_AUTO bytes = { 0 };
    char part[4096];
    size_t got;
    FILE *file = fopen(path, "re");

    if (!file)
        return cannot_read(path, errno, reader->err);
    buf_init(&bytes, LIMIT_UNIT);
    while ((got = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(&bytes, part, got);
    int failed = ferror(file) ? EIO : 0;

    fclose(file);
    *text = arena_copy(reader->arena, bytes.len ? bytes.bytes : "", bytes.len);
    if (failed)
        return cannot_read(path, failed, reader->err);
    return !bytes.full || err_set(reader->err, ERR_INVALID, "%s is too large", path);
}

static bool is_yes(const char *value)
{
    return strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0 || strcasecmp(value, "on") == 0 ||
           strcmp(value, "1") == 0 || strcasecmp(value, "y") == 0 || strcasecmp(value, "t") == 0;
}

/* A list goes on with each line of its key; an empty one begins it anew. */
static bool take_words(struct unit_reader *reader, const char *value, struct word_list *list)
{
    if (!*value)
        *list = (struct word_list){ 0 };
    return unit_words(reader->arena, reader->name, value, list, reader->err);
}

static bool take_file(struct unit_reader *reader, const char *value)
{
    char *path;

    if (!*value) {
        reader->files = (struct word_list){ 0 };
        return true;
    }
    if (!unit_value(reader->arena, reader->name, value, &path, reader->err))
        return false;
    if (strpbrk(path, "*?["))
        return err_set(reader->err, ERR_INVALID, "EnvironmentFile=%s names more than one file", path);
    word_list_add(&reader->files, reader->arena, path);
    return true;
}

static bool take_name(struct unit_reader *reader, const char *value, const char **name)
{
    char *filled;

    if (!unit_value(reader->arena, reader->name, value, &filled, reader->err))
        return false;
    *name = *filled ? filled : NULL;
    return true;
}

static bool take_key(struct unit_reader *reader, const char *key, const char *value)
{
    struct unit *unit = reader->unit;

    if (strcmp(key, "User") == 0)
        return take_name(reader, value, &unit->user);
    if (strcmp(key, "Group") == 0)
        return take_name(reader, value, &unit->group);
    if (strcmp(key, "DynamicUser") == 0)
        unit->dynamic_user = is_yes(value);
    if (strcmp(key, "RootDirectory") == 0)
        unit->has_root = *value && strcmp(value, "/") != 0;
    if (strcmp(key, "RootImage") == 0)
        unit->has_image = *value != '\0';
    if (strcmp(key, "Environment") == 0)
        return take_words(reader, value, &reader->pairs);
    if (strcmp(key, "UnsetEnvironment") == 0)
        return take_words(reader, value, &reader->unset);
    if (strcmp(key, "EnvironmentFile") == 0)
        return take_file(reader, value);
    if (strcmp(key, "ExecStart") == 0 && *value && unit->start.count > 0)
        return err_set(reader->err, ERR_INVALID, "it has more than one ExecStart=");
    return strcmp(key, "ExecStart") != 0 || take_words(reader, value, &unit->start);
}

/* The next line, without space around it, and with those that a \ at its end joins to it; NULL at the end. */
static const char *next_line(struct unit_reader *reader, const char **at)
{
    BUF_AUTO line = { 0 };
    bool more = true;

    if (!**at)
        return NULL;
    buf_init(&line, 0);
    while (more && **at) {
        size_t len = strcspn(*at, "\n");
        const char *text = str_trim(reader->arena, arena_copy(reader->arena, *at, len));
        size_t kept = strlen(text);

        *at += len + ((*at)[len] == '\n');
        if (*text == '#' || *text == ';')
            continue; /* also among joined lines */
        more = kept > 0 && text[kept - 1] == '\\';
        buf_add(&line, text, more ? kept - 1 : kept);
        if (more)
            buf_char(&line, ' ');
    }
    return str_trim(reader->arena, line.len ? line.bytes : "");
}

static bool read_unit_file(struct unit_reader *reader, const char *path)
{
    bool wanted = false;
    const char *text, *line;

    if (!read_text(reader, path, &text))
        return false;
    while ((line = next_line(reader, &text))) {
        const char *equals = strchr(line, '=');

        if (*line == '[')
            wanted = strcmp(line, "[Service]") == 0;
        if (!wanted || !equals)
            continue;
        const char *key = str_trim(reader->arena, arena_copy(reader->arena, line, (size_t)(equals - line)));

        if (!take_key(reader, key, str_trim(reader->arena, equals + 1)))
            return false;
    }
    return true;
}

/* A unit that is a link to /dev/null, or is empty, is switched off for good. */
static bool is_masked(const char *path)
{
    char real[PATH_MAX];
    struct stat about;

    return realpath(path, real) && stat(real, &about) == 0 &&
           (strcmp(real, "/dev/null") == 0 || (S_ISREG(about.st_mode) && about.st_size == 0));
}

static void find_unit_file(struct unit_reader *reader)
{
    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        const char *path = arena_format(reader->arena, "%s%s/%s", reader->root, folders[i], reader->name);

        if (access(path, F_OK) != 0)
            continue;
        if (!is_masked(path))
            reader->unit->path = path;
        return;
    }
}

static bool has_name(const struct word_list *paths, const char *name)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(strrchr(paths->items[i], '/') + 1, name) == 0)
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    const char *const *one = a, *const *other = b;

    return strcmp(strrchr(*one, '/') + 1, strrchr(*other, '/') + 1);
}

static bool read_drop_ins(struct unit_reader *reader)
{
    struct word_list paths = { 0 };

    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        glob_t found = { 0 };
        const char *pattern =
            arena_format(reader->arena, "%s%s/%s.d/*.conf", reader->root, folders[i], reader->name);

        if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc; j++)
                if (!has_name(&paths, strrchr(found.gl_pathv[j], '/') + 1))
                    word_list_add(&paths, reader->arena, arena_text(reader->arena, found.gl_pathv[j]));
        globfree(&found);
    }
    if (paths.count > 1)
        qsort(paths.items, paths.count, sizeof(*paths.items), by_name);
    for (size_t i = 0; i < paths.count; i++)
        if (!is_masked(paths.items[i]) && !read_unit_file(reader, paths.items[i]))
            return false;
    return true;
}

/* Files go over what the unit itself says, later ones over earlier ones. */
static bool read_variables(struct unit_reader *reader)
{
    struct word_list *variables = &reader->unit->variables;

    for (size_t i = 0; i < reader->pairs.count; i++)
        word_list_set(variables, reader->arena, reader->pairs.items[i]);
    for (size_t i = 0; i < reader->files.count; i++) {
        bool may = reader->files.items[i][0] == '-';
        const char *path = arena_format(reader->arena, "%s%s", reader->root, reader->files.items[i] + may);
        const char *text;

        if (may && access(path, F_OK) != 0 && errno == ENOENT)
            continue;
        if (!read_text(reader, path, &text))
            return false;
        unit_variables(reader->arena, text, variables);
    }
    for (size_t i = 0; i < reader->unset.count; i++)
        word_list_unset(variables, reader->unset.items[i]);
    return true;
}

static void add_parts(struct arena *arena, const char *value, struct word_list *into)
{
    for (value += strspn(value, " \t\n"); *value; value += strspn(value, " \t\n")) {
        size_t len = strcspn(value, " \t\n");

        word_list_add(into, arena, arena_copy(arena, value, len));
        value += len;
    }
}

/* "${NAME}" anywhere, and "$NAME" as a word of its own, which may be several words or none. */
static void fill_in_variables(struct unit_reader *reader)
{
    struct word_list filled = { 0 };
    struct unit *unit = reader->unit;

    for (size_t i = 0; i < unit->start.count; i++) {
        BUF_AUTO word = { 0 };
        const char *c = unit->start.items[i];

        if (c[0] == '$' && c[1] && c[1] != '{' && c[1] != '$') {
            const char *value = variables_get(unit->variables.items, c + 1);

            add_parts(reader->arena, value ? value : "", &filled);
            continue;
        }
        buf_init(&word, 0);
        for (size_t len; *c; c += len) {
            len = c[0] == '$' && c[1] == '$' ? 2 : 1;
            if (c[0] == '$' && c[1] == '{' && strchr(c, '}')) {
                len = strcspn(c, "}") + 1;
                const char *value =
                    variables_get(unit->variables.items, arena_copy(reader->arena, c + 2, len - 3));

                buf_text(&word, value ? value : "");
            } else {
                buf_char(&word, *c);
            }
        }
        word_list_add(&filled, reader->arena,
                      arena_copy(reader->arena, word.len ? word.bytes : "", word.len));
    }
    unit->start = filled;
}

bool unit_read(struct arena *arena, const char *root, const char *name, struct unit *unit, struct err *err)
{
    struct unit_reader reader = { .arena = arena, .root = root, .name = name, .unit = unit, .err = err };

    *unit = (struct unit){ 0 };
    find_unit_file(&reader);
    if (!unit->path)
        return true;
    if (!read_unit_file(&reader, unit->path) || !read_drop_ins(&reader) || !read_variables(&reader))
        return false;
    fill_in_variables(&reader);
    return true;
}
