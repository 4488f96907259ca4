/*
 * The settings of tools, each read by its row. Numbers are remembered as they were written, so that what is
 * printed is what people wrote.
 */
#include "server/config_tools_parts.h"

#include "base/limits.h"
#include "base/shape.h"
#include "base/str.h"
#include "core/caller/role.h"
#include "core/work/autonomy.h"

#include <stddef.h>
#include <string.h>

#define ANY  (OF_COMMAND | OF_SERVER)
#define EACH (OF_COMMAND | OF_SERVER | OF_RULE)
#define RUNS (OF_COMMAND | OF_SERVER | OF_CODER)
#define DAY  86400000

#define AT(member) offsetof(struct tool_entry, member)
const struct tool_row tool_rows[] = {
    { "description", OF_COMMAND, TOOL_SET_TEXT, "", 0, LIMIT_TOOL_DESCRIPTION, AT(description),
      "What models are told about it." },
    { "input_schema", OF_COMMAND, TOOL_SET_SCHEMA, "", 0, LIMIT_TOOL_SCHEMA, AT(schema),
      "The JSON Schema of its arguments, which it gets as one line of JSON on its standard input." },
    { "argv", OF_COMMAND | OF_CODER, TOOL_SET_WORDS, "", 0, 0, AT(argv),
      "The program and its words; there is no shell." },
    { "command", OF_SERVER, TOOL_SET_WORDS, "", 0, 0, AT(argv),
      "A server that is a program, with its words." },
    { "url", OF_SERVER, TOOL_SET_TEXT, "", 0, LIMIT_URL, AT(url), "Or where it is reached over HTTP." },
    { "headers", OF_SERVER, TOOL_SET_PAIRS, "{}", 0, 0, AT(headers),
      "Header fields that go with each request to it. Not shown." },
    { "headers_from", OF_SERVER, TOOL_SET_NAMES, "{}", 0, 0, AT(headers_from),
      "The same, by the names of the variables that hold them." },
    { "api_key_env", OF_SERVER, TOOL_SET_TEXT, "\"\"", 0, LIMIT_NAME, AT(api_key_env),
      "The variable with a key that goes with each request as a bearer's." },
    { "api_key_file", OF_SERVER, TOOL_SET_PATH, "\"\"", 0, 0, AT(api_key_file),
      "A file that holds the key, instead of a variable." },
    { "timeout", OF_COMMAND, TOOL_SET_TIME, "30s", 1, DAY, AT(timeout_ms), "How long a call may take." },
    { "timeout", OF_SERVER, TOOL_SET_TIME, "60s", 1, DAY, AT(timeout_ms), "How long a call may take." },
    { "start_timeout", OF_SERVER, TOOL_SET_TIME, "60s", 1, DAY, AT(start_ms),
      "Until it must have listed its tools." },
    { "timeout", OF_CODER, TOOL_SET_TIME, "1h", 1, DAY, AT(timeout_ms), "How long it may work on a task." },
    { "output", OF_CODER, TOOL_SET_SIZE, "1MB", 1, LIMIT_RESULT_OUTPUT, AT(output),
      "How much it may print." },
    { "output", ANY, TOOL_SET_SIZE, "64KB", 1, LIMIT_RUN_OUTPUT, AT(output), "How much a call may bring." },
    { "folder", OF_COMMAND, TOOL_SET_FOLDER, "\"\"", 0, 0, AT(folder),
      "Where its program works, and what it may write; task: the folder of the run's task; empty: a folder of its own, gone afterwards." },
    { "folder", OF_SERVER, TOOL_SET_PATH, "\"\"", 0, 0, AT(folder),
      "Where its program works, and what it may write; empty: a folder of its own, gone afterwards." },
    { "reads", RUNS, TOOL_SET_PATHS, "[]", 0, 0, AT(reads),
      "What its program may read beside the system's files." },
    { "environment", RUNS, TOOL_SET_PAIRS, "{}", 0, 0, AT(environment), "Its variables. Not shown." },
    { "environment_from", RUNS, TOOL_SET_WORDS, "[]", 0, 0, AT(environment_from),
      "Variables of the server's that it gets as they are." },
    { "network", RUNS, TOOL_SET_BOOL, "false", 0, 0, AT(network),
      "Whether its program may use the network." },
    { "memory", RUNS, TOOL_SET_SIZE, "4GB", 16 * MB, 1LL << 40, AT(memory),
      "How much memory each of its processes may have." },
    { "file_size", RUNS, TOOL_SET_SIZE, "1GB", 1, 1LL << 40, AT(file_size),
      "How large a file of its may get." },
    { "cpu", OF_SERVER, TOOL_SET_TIME, "", 1, DAY, AT(cpu_ms),
      "How much time of a processor each of its processes may take in all; any, unless it says so." },
    { "restarts", OF_SERVER, TOOL_SET_COUNT, "5", 0, 1000, AT(restarts),
      "How often in a row it is started again." },
    { "enabled", OF_RULE, TOOL_SET_BOOL, "true", 0, 0, AT(enabled), "Whether agents can call it." },
    { "needs_approval", EACH, TOOL_SET_BOOL, "false", 0, 0, AT(needs_approval),
      "Whether somebody must approve each call." },
    { "category", EACH, TOOL_SET_CATEGORY, "\"\"", 0, 0, AT(category),
      "The category of a project's autonomy that says whether a call needs approval." },
    { "idempotent", EACH, TOOL_SET_BOOL, "false", 0, 0, AT(idempotent),
      "Whether it may be called again when nobody knows whether it ran." },
    { "alone", EACH, TOOL_SET_BOOL, "false", 0, 0, AT(alone),
      "Whether it is never run side by side with other calls of the same reply." },
    { "projects", EACH, TOOL_SET_WORDS, "[]", 0, 0, AT(projects),
      "Only for these, by name or id; empty: all." },
    { "roles", EACH, TOOL_SET_ROLES, "[]", 0, 0, AT(roles),
      "Only when the job was asked for with one of these roles; empty: all." },
};
#undef AT
const size_t tool_row_count = sizeof(tool_rows) / sizeof(*tool_rows);
_Static_assert(sizeof(tool_rows) / sizeof(*tool_rows) <= 64, "a bit for each");

static void *member_of(struct tool_entry *entry, const struct tool_row *row)
{
    return (char *)entry + row->offset;
}

static void put_text(struct tool_entry *entry, const struct tool_row *row, const char *text)
{
    memcpy(member_of(entry, row), &text, sizeof(text));
}

static void put_number(struct tool_entry *entry, const struct tool_row *row, int64_t number)
{
    memcpy(member_of(entry, row), &number, sizeof(number));
}

static bool to_bytes(struct arena *arena, const char *text, int64_t *bytes)
{
    char *large;

    if (str_to_bytes(text, bytes))
        return true;
    large = arena_format(arena, "%sB", text); /* 64k and 512M are as good as 64KB and 512MB */
    for (char *c = large; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return str_to_bytes(large, bytes);
}

static bool read_number(const struct tool_row *row, struct arena *arena, const char *text, int64_t *number)
{
    if (row->kind == TOOL_SET_TIME)
        return str_to_duration_ms(text, number);
    return row->kind == TOOL_SET_SIZE ? to_bytes(arena, text, number) : str_to_int(text, number);
}

static const char *wanted(const struct tool_row *row)
{
    switch (row->kind) {
    case TOOL_SET_TIME: return "a duration such as 30s or 5m, more than 0 and at most 24h";
    case TOOL_SET_SIZE: return "a size such as 64KB or 512MB within its bounds";
    case TOOL_SET_COUNT: return "a whole number, 0 to 1000";
    case TOOL_SET_BOOL: return "true or false";
    case TOOL_SET_TEXT: return "a text that is not empty";
    case TOOL_SET_PATH: return "an absolute path";
    case TOOL_SET_FOLDER: return "an absolute path, or " TOOL_OF_TASK " for the folder of the run's task";
    case TOOL_SET_PATHS: return "a list of absolute paths";
    case TOOL_SET_WORDS: return "a list of texts, none of them empty";
    case TOOL_SET_PAIRS: return "a map of names to texts";
    case TOOL_SET_NAMES: return "a map of names to names of variables";
    case TOOL_SET_SCHEMA: return "a JSON Schema";
    case TOOL_SET_CATEGORY: return "a category of a project's autonomy";
    case TOOL_SET_ROLES: return "a list of roles";
    }
    return "something else";
}

static bool refuse(const struct tool_row *row, struct err *err)
{
    return err_field(err, row->key, "it must be %s.", wanted(row));
}

static bool take_number(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                        const struct yaml_node *node, struct err *err)
{
    int64_t number;

    /* Whether these are seconds nobody knows; to take them for milliseconds would surprise everybody. */
    if (row->kind == TOOL_SET_TIME && node->kind == YAML_TEXT && str_to_int(node->text, &number) &&
        number > 0)
        return err_field(err, row->key, "%s has no unit; it must be %s.", node->text, wanted(row));
    if (node->kind != YAML_TEXT || !read_number(row, arena, node->text, &number))
        return refuse(row, err);
    if (number < row->least || number > row->most)
        return row->kind == TOOL_SET_SIZE ? err_field(err, row->key, "it must be from %lld to %lld bytes.",
                                                      (long long)row->least, (long long)row->most)
                                          : refuse(row, err);
    put_number(entry, row, number);
    return true;
}

static bool take_bool(struct tool_entry *entry, const struct tool_row *row, const struct yaml_node *node,
                      struct err *err)
{
    bool value = node->kind == YAML_TEXT && strcmp(node->text, "true") == 0;

    if (!value && (node->kind != YAML_TEXT || strcmp(node->text, "false") != 0))
        return refuse(row, err);
    memcpy(member_of(entry, row), &value, sizeof(value));
    return true;
}

static bool take_text(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                      const struct yaml_node *node, struct err *err)
{
    const char *text = node->text;

    if (node->kind != YAML_TEXT || !*text || str_is_blank(text) || !str_is_utf8(text, strlen(text)))
        return refuse(row, err);
    if (row->kind == TOOL_SET_PATH && *text != '/')
        return refuse(row, err);
    if (row->kind == TOOL_SET_FOLDER && *text != '/' && strcmp(text, TOOL_OF_TASK) != 0)
        return refuse(row, err);
    if (row->most && strlen(text) > (size_t)row->most)
        return err_field(err, row->key, "it is longer than %lld bytes.", (long long)row->most);
    put_text(entry, row, arena_text(arena, text));
    return true;
}

static bool is_category(const char *text)
{
    for (size_t i = 0; autonomy_category_at(i); i++)
        if (strcmp(autonomy_category_at(i), text) == 0)
            return true;
    return false;
}

static bool take_category(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                          const struct yaml_node *node, struct err *err)
{
    BUF_AUTO known = { 0 };

    if (node->kind == YAML_TEXT && is_category(node->text)) {
        put_text(entry, row, arena_text(arena, node->text));
        return true;
    }
    buf_init(&known, 0);
    for (size_t i = 0; autonomy_category_at(i); i++)
        buf_format(&known, "%s%s", i ? ", " : "", autonomy_category_at(i));
    return err_field(err, row->key, "it must be one of the categories of a project's autonomy: %s.",
                     known.bytes);
}

static bool is_good_word(const struct tool_row *row, const struct yaml_node *word)
{
    enum role role;

    if (word->kind != YAML_TEXT || !*word->text || strlen(word->text) > LIMIT_TOOL_WORD)
        return false;
    if (row->kind == TOOL_SET_PATHS)
        return word->text[0] == '/';
    return row->kind != TOOL_SET_ROLES || role_parse(word->text, &role);
}

/* argv may say a word twice; elsewhere it is a slip of the pen. */
static bool is_repeated(const struct tool_row *row, const char *const *words, size_t count, const char *word)
{
    if (row->offset == offsetof(struct tool_entry, argv))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool take_words(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                       const struct yaml_node *node, struct err *err)
{
    const struct yaml_node *first = node->kind == YAML_TEXT ? node : node->first;
    size_t count = node->kind == YAML_TEXT ? 1 : node->count, at = 0;
    const char **words;

    if (node->kind == YAML_MAP)
        return refuse(row, err);
    if (count > LIMIT_TOOL_WORDS)
        return err_field(err, row->key, "it has more than %d entries.", LIMIT_TOOL_WORDS);
    words = arena_array(arena, const char *, count + 1);
    for (const struct yaml_node *word = first; at < count; word = word->next) {
        if (!is_good_word(row, word) && row->kind == TOOL_SET_ROLES)
            return err_field(err, row->key,
                             "%s is no role; there are owner, admin, member, agent and viewer.",
                             word->text ? str_beginning(arena, word->text, 60) : "that");
        if (!is_good_word(row, word))
            return refuse(row, err);
        if (is_repeated(row, words, at, word->text))
            return err_field(err, row->key, "%s stands there twice.", str_beginning(arena, word->text, 60));
        words[at++] = arena_text(arena, word->text);
    }
    if (count == 0)
        words = NULL;
    memcpy(member_of(entry, row), &words, sizeof(words));
    return true;
}

static bool is_variable(const char *name)
{
    return *name && !strpbrk(name, "= \t\r\n") && str_is_utf8(name, strlen(name)) &&
           strlen(name) <= LIMIT_REF;
}

static bool is_field(const char *name)
{
    return *name && strlen(name) <= LIMIT_REF &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static bool is_good_pair(const struct tool_row *row, const struct yaml_node *node)
{
    bool field = strcmp(row->key, "environment") != 0;

    if (node->kind != YAML_TEXT || strlen(node->text) > LIMIT_TOOL_WORD || strpbrk(node->text, "\r\n"))
        return false;
    if (row->kind == TOOL_SET_NAMES && !is_variable(node->text))
        return false;
    return field ? is_field(node->key) : is_variable(node->key);
}

static bool take_pairs(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                       const struct yaml_node *node, struct err *err)
{
    struct tool_pair *pairs = arena_array(arena, struct tool_pair, node->count + 1);
    size_t at = 0;

    if (node->kind != YAML_MAP || node->count > LIMIT_TOOL_WORDS)
        return refuse(row, err);
    for (const struct yaml_node *pair = node->first; pair; pair = pair->next) {
        if (!is_good_pair(row, pair))
            return err_field(err, row->key, "%s must be a text of one line.",
                             str_plain_line(arena, str_beginning(arena, pair->key, 60)));
        pairs[at++] = (struct tool_pair){ arena_text(arena, pair->key), arena_text(arena, pair->text) };
    }
    if (at == 0)
        pairs = NULL;
    memcpy(member_of(entry, row), &pairs, sizeof(pairs));
    return true;
}

static bool check_lists(const json_t *schema, struct err *err);

/* The parts of a schema that are schemas themselves: one, a list of them, or by names. */
static bool check_parts(const json_t *schema, struct err *err)
{
    static const char *const by_names[] = { "properties", "patternProperties", "$defs", "definitions" };
    static const char *const others[] = { "items",    "prefixItems", "additionalProperties",
                                          "contains", "allOf",       "anyOf",
                                          "oneOf",    "not",         "if",
                                          "then",     "else" };
    json_t *map, *part;
    const char *key;
    size_t i, j;

    for (i = 0; i < sizeof(by_names) / sizeof(*by_names); i++) {
        map = json_object_get(schema, by_names[i]);
        json_object_foreach(map, key, part)
        {
            if (!check_lists(part, err))
                return false;
        }
    }
    for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
        map = json_object_get(schema, others[i]);
        if (!check_lists(map, err))
            return false;
        json_array_foreach(map, j, part)
        {
            if (!check_lists(part, err))
                return false;
        }
    }
    return true;
}

/* What the standard lets pass, though nobody means it: a choice of nothing, a name that is required twice.
 * Schemas of MCP servers may have them. */
static bool check_lists(const json_t *schema, struct err *err)
{
    const json_t *choice = json_object_get(schema, "enum"), *required = json_object_get(schema, "required");

    if (json_is_array(choice) && json_array_size(choice) == 0)
        return err_field(err, "input_schema",
                         "it is no JSON Schema: enum has no values, so nothing would fit.");
    for (size_t i = 0; i < json_array_size(required); i++)
        for (size_t j = 0; j < i; j++)
            if (json_equal(json_array_get(required, i), json_array_get(required, j)))
                return err_field(err, "input_schema", "it is no JSON Schema: required names %s twice.",
                                 json_string_value(json_array_get(required, i)));
    return !json_is_object(schema) || check_parts(schema, err);
}

static bool take_schema(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                        const struct yaml_node *node, struct err *err)
{
    JSON_AUTO *schema = yaml_json(node);
    struct err inner = { 0 };
    const char *text;

    if (!schema)
        return err_no_memory(err);
    if (!json_is_object(schema))
        return err_field(err, row->key, "it must be a JSON Schema, with type: object.");
    if (!shape_check(schema, &inner))
        return err_field(err, row->key, "it is no JSON Schema: %s", inner.text);
    if (!str_equal(json_string_value(json_object_get(schema, "type")), "object"))
        return err_field(err, row->key, "arguments are an object, so it must say type: object.");
    if (!check_lists(schema, err))
        return false;
    text = json_dump_text(arena, schema);
    if (strlen(text) > (size_t)row->most)
        return err_field(err, row->key, "it is longer than %lld bytes.", (long long)row->most);
    put_text(entry, row, text);
    return true;
}

static bool take(struct tool_entry *entry, struct arena *arena, const struct tool_row *row,
                 const struct yaml_node *node, struct err *err)
{
    switch (row->kind) {
    case TOOL_SET_TEXT:
    case TOOL_SET_PATH:
    case TOOL_SET_FOLDER: return take_text(entry, arena, row, node, err);
    case TOOL_SET_WORDS:
    case TOOL_SET_PATHS:
    case TOOL_SET_ROLES: return take_words(entry, arena, row, node, err);
    case TOOL_SET_PAIRS:
    case TOOL_SET_NAMES: return take_pairs(entry, arena, row, node, err);
    case TOOL_SET_SCHEMA: return take_schema(entry, arena, row, node, err);
    case TOOL_SET_TIME:
    case TOOL_SET_SIZE:
    case TOOL_SET_COUNT: return take_number(entry, arena, row, node, err);
    case TOOL_SET_BOOL: return take_bool(entry, row, node, err);
    case TOOL_SET_CATEGORY: return take_category(entry, arena, row, node, err);
    }
    return false;
}

/* Texts as they were read, whatever they look like; of what is secret the names alone. */
static void write_texts(struct json_out *out, const char *key, const struct yaml_node *node, bool secret)
{
    if (node->kind == YAML_TEXT) {
        json_text(out, key, secret ? "***" : node->text);
        return;
    }
    if (node->kind == YAML_LIST)
        json_list(out, key);
    else
        json_map(out, key);
    for (const struct yaml_node *child = node->first; child; child = child->next)
        write_texts(out, child->key, child, secret);
    if (node->kind == YAML_LIST)
        json_list_end(out);
    else
        json_map_end(out);
}

/* As JSON that YAML reads as well. */
static const char *written(struct arena *arena, const struct tool_row *row, const struct yaml_node *node)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    if (row->kind == TOOL_SET_SCHEMA) {
        JSON_AUTO *schema = yaml_json(node);

        json_value(&out, NULL, schema);
    } else if (row->kind == TOOL_SET_BOOL || row->kind == TOOL_SET_COUNT) {
        json_raw(&out, NULL, node->text);
    } else {
        write_texts(&out, NULL, node, row->kind == TOOL_SET_PAIRS);
    }
    return arena_copy(arena, text.bytes, text.len);
}

static bool unknown(const char *key, int of, struct err *err)
{
    err_field(err, key, "there is no such setting of %s.",
              of == OF_COMMAND  ? "a tool"
              : of == OF_SERVER ? "a server"
              : of == OF_CODER  ? "the coder"
                                : "a server's tool");
    for (size_t i = 0; i < tool_row_count; i++)
        if ((tool_rows[i].of & of) && str_is_near(key, tool_rows[i].key))
            return err_hint(err, "Did you mean %s?", tool_rows[i].key);
    return false;
}

bool tool_entry_set(struct tool_entry *entry, struct arena *arena, const struct yaml_node *node, int of,
                    struct err *err)
{
    size_t row = 0;

    while (row < tool_row_count && (!(tool_rows[row].of & of) || strcmp(tool_rows[row].key, node->key) != 0))
        row++;
    if (row == tool_row_count)
        return unknown(node->key, of, err);
    if (!take(entry, arena, &tool_rows[row], node, err))
        return false;
    entry->set |= (uint64_t)1 << row;
    entry->written[row] = written(arena, &tool_rows[row], node);
    entry->places[row] = arena_text(arena, node->place);
    return true;
}

struct tool_entry *tool_entry_new(struct arena *arena, const struct yaml_node *node, int of)
{
    struct tool_entry *entry = arena_new(arena, struct tool_entry);

    entry->name = arena_text(arena, node->key);
    entry->place = arena_text(arena, node->place);
    entry->written = arena_array(arena, const char *, tool_row_count);
    entry->places = arena_array(arena, const char *, tool_row_count);
    entry->enabled = true;
    for (size_t i = 0; i < tool_row_count; i++) {
        const struct tool_row *row = &tool_rows[i];
        int64_t number;

        if ((row->of & of) &&
            (row->kind == TOOL_SET_TIME || row->kind == TOOL_SET_SIZE || row->kind == TOOL_SET_COUNT) &&
            read_number(row, arena, row->fallback, &number))
            put_number(entry, row, number);
    }
    return entry;
}

static bool find_set(const struct tool_entry *entry, const char *key, size_t *row)
{
    for (*row = 0; *row < tool_row_count; ++*row)
        if ((entry->set & (uint64_t)1 << *row) && strcmp(tool_rows[*row].key, key) == 0)
            return true;
    return false;
}

bool tool_entry_has(const struct tool_entry *entry, const char *key)
{
    size_t row;

    return find_set(entry, key, &row);
}

bool tool_entry_is_of_task(const struct tool_entry *entry)
{
    return str_equal(entry->folder, TOOL_OF_TASK);
}

const char *tool_entry_place(const struct tool_entry *entry, const char *key)
{
    size_t row;

    return find_set(entry, key, &row) ? entry->places[row] : entry->place;
}
