#include "tools/sqlcolumns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *at;
    size_t len;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_name_char(char c)
{
    return starts_name(c) || (c >= '0' && c <= '9');
}

static bool is_name(struct span span)
{
    if (span.len == 0 || span.len > SQLCOLUMNS_NAME_MAX || !starts_name(span.at[0]))
        return false;
    for (size_t i = 0; i < span.len; i++)
        if (!is_name_char(span.at[i]))
            return false;
    return true;
}

static struct span trimmed(struct span span)
{
    while (span.len > 0 && is_space(span.at[0])) {
        span.at++;
        span.len--;
    }
    while (span.len > 0 && is_space(span.at[span.len - 1]))
        span.len--;
    return span;
}

/* Up to the next comma that stands in no brackets and no quotes. */
static struct span next_entry(const char *text)
{
    int depth = 0;
    bool quoted = false;
    size_t len = 0;

    for (; text[len]; len++) {
        char c = text[len];

        quoted ^= c == '\'';
        if (quoted)
            continue;
        if (c == ',' && depth == 0)
            break;
        depth += c == '(';
        depth -= c == ')';
    }
    return (struct span){ text, len };
}

/* The name behind the last AS of an expression. */
static bool split_name(struct span entry, struct span *expression, struct span *name)
{
    for (size_t i = entry.len; i >= 4; i--) {
        const char *at = entry.at + i - 4;

        if (is_space(at[0]) && at[1] == 'A' && at[2] == 'S' && is_space(at[3])) {
            *expression = trimmed((struct span){ entry.at, i - 4 });
            *name = trimmed((struct span){ entry.at + i, entry.len - i });
            return expression->len > 0 && is_name(*name);
        }
    }
    return false;
}

static bool has_name(const struct sqlcolumns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->items[i].name, name) == 0)
            return true;
    return false;
}

static bool read_entry(struct sqlcolumns *columns, struct span entry, const char **why)
{
    struct sqlcolumn column = { 0 };
    struct span name = entry, expression = { NULL, 0 };

    if (!is_name(entry) && !split_name(entry, &expression, &name)) {
        *why = "an entry is a column's name, or an expression with AS and a name";
        return false;
    }
    memcpy(column.name, name.at, name.len);
    if (has_name(columns, column.name)) {
        *why = "an entry stands in the list twice";
        return false;
    }
    if (columns->count == SQLCOLUMNS_MAX) {
        *why = "the list is too long";
        return false;
    }
    if (expression.at) {
        column.expression = strndup(expression.at, expression.len);
        if (!column.expression) {
            *why = "out of memory";
            return false;
        }
    }
    columns->items[columns->count++] = column;
    return true;
}

bool sqlcolumns_read(struct sqlcolumns *columns, const char *text, const char **why)
{
    columns->count = 0;
    for (;;) {
        struct span entry = next_entry(text);

        if (!read_entry(columns, trimmed(entry), why)) {
            sqlcolumns_done(columns);
            return false;
        }
        text += entry.len;
        if (*text == '\0')
            return true;
        text++;
    }
}

void sqlcolumns_done(struct sqlcolumns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->items[i].expression);
    columns->count = 0;
}

/* A dot that begins a name stands for the table; one behind a name, or in a number or a text, does not. */
static void write_expression(FILE *out, const char *text, const char *table)
{
    bool quoted = false;

    for (const char *at = text; *at; at++) {
        bool begins = at == text || !(is_name_char(at[-1]) || at[-1] == '"');

        quoted ^= *at == '\'';
        if (*at != '.' || quoted || !begins || !starts_name(at[1]))
            fputc(*at, out);
        else if (*table)
            fprintf(out, "%s.", table);
    }
}

char *sqlcolumns_text(const struct sqlcolumns *columns, const char *table)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (!out)
        return NULL;
    for (size_t i = 0; i < columns->count; i++) {
        const struct sqlcolumn *column = &columns->items[i];

        fputs(i > 0 ? ", " : "", out);
        if (column->expression)
            write_expression(out, column->expression, table);
        else
            fprintf(out, "%s%s%s", table, *table ? "." : "", column->name);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
