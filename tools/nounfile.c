/*
 * The text is copied once and cut into its words in place: what a struct noun points at is that copy.
 */
#include "tools/nounfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 6

struct source {
    struct noun *noun;
    char *next; /* the rest of the text */
    int line;
    struct noun_error *err;
};

static bool fail(struct source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct source *source, const char *format, ...)
{
    va_list args;

    source->err->file = source->noun->file;
    source->err->line = source->line;
    va_start(args, format);
    vsnprintf(source->err->message, sizeof source->err->message, format, args);
    va_end(args);
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *trim(char *text)
{
    size_t len;

    while (is_space(*text))
        text++;
    for (len = strlen(text); len > 0 && is_space(text[len - 1]); len--)
        ;
    text[len] = '\0';
    return text;
}

/* The next line, which loses its end; NULL behind the last. */
static char *next_line(struct source *source)
{
    char *line = source->next, *end;

    if (!*line)
        return NULL;
    end = strchr(line, '\n');
    source->next = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    source->line++;
    return line;
}

/* Cuts the first word off; "" when there is none. */
static char *next_word(char **rest)
{
    char *word = trim(*rest), *end = word;

    while (*end && !is_space(*end))
        end++;
    *rest = *end ? trim(end + 1) : end;
    *end = '\0';
    return word;
}

static bool is_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return len > 0 && len <= NOUN_NAME_MAX && !text[len] && (text[0] < '0' || text[0] > '9');
}

static bool is_json_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return len > 0 && len <= NOUN_NAME_MAX && !text[len];
}

/* About the noun */

static bool take_name(struct source *source, const char *word, const char **out)
{
    if (!is_name(word))
        return fail(source, "a name is made of a-z, 0-9 and _, and starts with a letter");
    *out = word;
    return true;
}

static bool take_left(struct source *source, char *rest)
{
    struct noun *noun = source->noun;
    struct noun_left left = { .column = next_word(&rest), .why = rest };

    if (*left.why == '@') {
        left.engine = next_word(&rest) + 1;
        left.why = rest;
        if (strcmp(left.engine, "sqlite") != 0 && strcmp(left.engine, "postgres") != 0)
            return fail(source, "only @sqlite or @postgres has a column of its own");
    }
    if (!is_name(left.column) || !*left.why)
        return fail(source, "a column that is left out has a name and a reason");
    if (noun->left_count == NOUN_LINES_MAX)
        return fail(source, "more than %d columns are left out", NOUN_LINES_MAX);
    noun->left[noun->left_count++] = left;
    return true;
}

static bool take_one(struct source *source, const char *word, const char *list[], size_t *count)
{
    if (!*word || *count == NOUN_LINES_MAX)
        return fail(source, "a part or header has a name, and there are at most %d", NOUN_LINES_MAX);
    list[(*count)++] = word;
    return true;
}

static bool take_head(struct source *source, char *line)
{
    struct noun *noun = source->noun;
    const char *key = next_word(&line);

    if (noun->member_count > 0)
        return fail(source, "what is said about the noun comes before its members");
    if (strcmp(key, "noun") == 0)
        return take_name(source, line, &noun->name);
    if (strcmp(key, "table") == 0)
        return take_name(source, line, &noun->table);
    if (strcmp(key, "view") == 0)
        return take_name(source, line, &noun->view);
    if (strcmp(key, "left") == 0)
        return take_left(source, line);
    if (strcmp(key, "use") == 0)
        return take_one(source, line, noun->uses, &noun->use_count);
    if (strcmp(key, "part") == 0)
        return take_one(source, line, noun->parts, &noun->part_count);
    if (strcmp(key, "header") == 0)
        noun->header = line;
    else if (strcmp(key, "rows") == 0)
        noun->rows = true;
    else if (strcmp(key, "brief") == 0)
        noun->brief = true;
    else if (strcmp(key, "whole") == 0)
        noun->whole = true;
    else if (strcmp(key, "text") == 0)
        noun->whole = noun->as_text = true;
    else
        return fail(source, "\"%.60s\" says nothing about a noun", key);
    return true;
}

/* A member */

static bool take_kind(struct source *source, char *text, struct noun_member *member)
{
    static const char *const kinds[NOUN_KINDS] = { "text", "id",   "uuid",  "int",  "bool", "ms",
                                                   "time", "json", "jsonb", "enum", "keep", "written" };
    const char *word = next_word(&text);
    int kind = 0;

    while (kind < NOUN_KINDS && strcmp(word, kinds[kind]) != 0)
        kind++;
    if (kind == NOUN_KINDS)
        return fail(source, "there is no type \"%.60s\"", word);
    member->kind = (enum noun_kind)kind;
    if (kind == NOUN_KEPT) {
        member->c_type = text;
        member->traits |= NOUN_ALONE;
        return *text || fail(source, "what is kept has a type");
    }
    if (kind == NOUN_ENUM) {
        member->c_type = next_word(&text);
        member->words = next_word(&text);
        if (!is_name(member->c_type) || !is_name(member->words))
            return fail(source, "a state is \"enum NAME WORDS\"");
    }
    member->absent = strcmp(text, "absent") == 0;
    member->null = member->absent || strcmp(text, "null") == 0;
    return member->null || !*text || fail(source, "\"%.60s\" says nothing about a type", text);
}

/* A time in ms is named after that. */
static void name_member(struct noun_member *member)
{
    size_t len = strlen(member->column);

    memcpy(member->name, member->column, len + 1);
    if (member->kind == NOUN_MS && len > 3 && strcmp(member->column + len - 3, "_at") == 0)
        memcpy(member->name + len - 3, "_ms", 4);
}

static bool take_column(struct source *source, char *text, struct noun_member *member)
{
    const char *column = next_word(&text), *as = next_word(&text);

    if (strcmp(column, "-") == 0)
        return true;
    if (!is_name(column))
        return fail(source, "\"%.60s\" is no name of a column", column);
    member->column = column;
    name_member(member);
    if (*as) {
        if (strcmp(as, "as") != 0 || !is_name(text))
            return fail(source, "a column with another name in the struct is \"COLUMN as NAME\"");
        memcpy(member->name, text, strlen(text) + 1);
    }
    return true;
}

static bool take_trait(struct source *source, const char *word, struct noun_member *member)
{
    static const struct {
        const char *word;
        enum noun_trait trait;
    } traits[] = { { "insert", NOUN_INSERT },     { "update", NOUN_UPDATE }, { "large", NOUN_LARGE },
                   { "unread", NOUN_UNREAD },     { "behind", NOUN_BEHIND }, { "open", NOUN_OPEN },
                   { "optional", NOUN_OPTIONAL }, { "kept", NOUN_ALONE },    { "given", NOUN_GIVEN } };

    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++) {
        if (strcmp(word, traits[i].word) == 0) {
            member->traits |= traits[i].trait;
            return true;
        }
    }
    for (size_t i = 0; i < source->noun->part_count; i++) {
        if (strcmp(word, source->noun->parts[i]) == 0) {
            member->parts |= 1u << i;
            return true;
        }
    }
    return fail(source, "there is no trait, and no part, \"%.60s\"", word);
}

static bool take_traits(struct source *source, char *text, struct noun_member *member)
{
    while (*text)
        if (!take_trait(source, next_word(&text), member))
            return false;
    return true;
}

static bool take_since(struct source *source, const char *text, struct noun_member *member)
{
    if (strcmp(text, "-") == 0)
        return true;
    if (strlen(text) != 3 || strspn(text, "0123456789") != 3 || (member->since = atoi(text)) == 0)
        return fail(source, "since when is the number of a migration, as 003, or a dash");
    return true;
}

static bool take_json(struct source *source, const char *text, struct noun_member *member)
{
    if (strcmp(text, "-") == 0)
        return true;
    member->json = text;
    return is_json_name(text) || fail(source, "\"%.60s\" is no name of a member in JSON", text);
}

static bool cut_cells(struct source *source, char *line, char *cells[CELLS])
{
    for (size_t i = 0; i < CELLS; i++) {
        char *bar = i + 1 < CELLS ? strchr(line, '|') : NULL;

        if (!bar && i + 1 < CELLS)
            return fail(source, "a member has a column, a type, a JSON name, since when, traits and a help");
        if (bar)
            *bar = '\0';
        cells[i] = trim(line);
        line = bar ? bar + 1 : line;
    }
    return true;
}

static bool check_member(struct source *source, const struct noun_member *member)
{
    const struct noun *noun = source->noun;

    if (!*member->help)
        return fail(source, "a member has a help");
    if (!member->column && !member->json)
        return fail(source, "a member is in the store, in the struct, or shown");
    if (member->kind == NOUN_WRITTEN ? member->column || !member->json
                                     : member->kind == NOUN_KEPT && member->json)
        return fail(source, "what is written has only a JSON name, and what is kept none");
    if ((member->traits & (NOUN_INSERT | NOUN_UPDATE)) && (!member->column || !noun->table))
        return fail(source, "only a column of a table is inserted or updated");
    if (!noun->name)
        return fail(source, "the noun has no name");
    for (size_t i = 0; i < noun->member_count; i++)
        if ((member->json && noun->members[i].json && strcmp(member->json, noun->members[i].json) == 0) ||
            (*member->name && strcmp(member->name, noun->members[i].name) == 0))
            return fail(source, "the member stands at line %d already", noun->members[i].line);
    return true;
}

static bool take_member(struct source *source, char *line)
{
    struct noun *noun = source->noun;
    struct noun_member member = { .line = source->line };
    char *cells[CELLS];

    if (!cut_cells(source, line, cells) || !take_kind(source, cells[1], &member) ||
        !take_column(source, cells[0], &member) || !take_json(source, cells[2], &member) ||
        !take_since(source, cells[3], &member) || !take_traits(source, cells[4], &member))
        return false;
    member.help = cells[5];
    if (!check_member(source, &member))
        return false;
    if (noun->member_count == NOUN_MEMBERS_MAX)
        return fail(source, "more than %d members", NOUN_MEMBERS_MAX);
    noun->members[noun->member_count++] = member;
    return true;
}

static bool take_of(struct source *source, char *line, struct noun_member *member)
{
    if (member->kind != NOUN_WRITTEN || member->of)
        return fail(source, "of: says once of which members what is written is made");
    member->of = line;
    return true;
}

/* What differs from the rule. */
static bool take_more(struct source *source, char *line)
{
    struct noun *noun = source->noun;
    struct noun_member *member = noun->member_count > 0 ? &noun->members[noun->member_count - 1] : NULL;
    const char *key = next_word(&line);
    const char **slots[] = { NULL, NULL, NULL, NULL, NULL, NULL };
    static const char *const keys[] = { "sql:", "field:", "value:", "read:", "bind:", "set:" };

    if (!member || !*line)
        return fail(source, "an indented line says something about the member above it");
    if (strcmp(key, "of:") == 0)
        return take_of(source, line, member);
    slots[0] = &member->sql;
    slots[1] = &member->field;
    slots[2] = &member->value;
    slots[3] = &member->read;
    slots[4] = &member->bind;
    slots[5] = &member->set;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i]) != 0)
            continue;
        if (*slots[i])
            return fail(source, "%s stands here twice", key);
        *slots[i] = line;
        return true;
    }
    return fail(source, "\"%.60s\" says nothing about a member", key);
}

/* "source outcome_source" */
static bool take_inner(struct source *source, char *text, struct noun_member *member)
{
    const struct noun *noun = source->noun;
    struct noun_inner inner = { .json = next_word(&text) };

    while (inner.member < noun->member_count && strcmp(noun->members[inner.member].name, text) != 0)
        inner.member++;
    if (!is_json_name(inner.json) || !*text || inner.member == noun->member_count)
        return fail(source, "%s is made of pairs of a JSON name and a member", member->json);
    if (member->inner_count == NOUN_INNER_MAX)
        return fail(source, "%s is made of more than %d members", member->json, NOUN_INNER_MAX);
    member->inner[member->inner_count++] = inner;
    return true;
}

/* Of which members the objects are made; those may stand anywhere. */
static bool find_inner(struct source *source)
{
    for (size_t i = 0; i < source->noun->member_count; i++) {
        struct noun_member *member = &source->noun->members[i];

        source->line = member->line;
        for (char *rest = member->of, *comma; rest; rest = comma ? comma + 1 : NULL) {
            comma = strchr(rest, ',');
            if (comma)
                *comma = '\0';
            if (!take_inner(source, trim(rest), member))
                return false;
        }
    }
    return true;
}

static bool parse_all(struct source *source)
{
    char *line;

    while ((line = next_line(source))) {
        bool indented = is_space(*line);

        line = trim(line);
        if (!*line || *line == '#')
            continue;
        if (!(indented            ? take_more(source, line)
              : strchr(line, '|') ? take_member(source, line)
                                  : take_head(source, line)))
            return false;
    }
    if (source->noun->member_count == 0)
        return fail(source, "there are no members");
    return find_inner(source);
}

bool noun_parse(struct noun *noun, const char *file, const char *buf, size_t len, struct noun_error *err)
{
    struct source source = { .noun = noun, .err = err };

    *noun = (struct noun){ .file = file };
    if (memchr(buf, '\0', len))
        return fail(&source, "the file holds a NUL byte");
    noun->text = strndup(buf, len);
    if (!noun->text)
        return fail(&source, "out of memory");
    source.next = noun->text;
    if (parse_all(&source))
        return true;
    noun_done(noun);
    return false;
}

void noun_done(struct noun *noun)
{
    free(noun->text);
    *noun = (struct noun){ 0 };
}

bool noun_is_read(const struct noun *noun)
{
    return noun->table || noun->rows;
}

bool noun_member_is_listed(const struct noun_member *member)
{
    return member->column && !(member->traits & (NOUN_UNREAD | NOUN_BEHIND | NOUN_ALONE));
}
