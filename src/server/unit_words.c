#include "server/unit_words.h"

#include "base/buf.h"

#include <string.h>

#define SPACE " \t\r\n"

void word_list_add(struct word_list *list, struct arena *arena, char *item)
{
    if (list->count + 1 >= list->room) {
        size_t room = list->room ? list->room * 2 : 16;
        char **items = arena_array(arena, char *, room);

        for (size_t i = 0; i < list->count; i++)
            items[i] = list->items[i];
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
    list->items[list->count] = NULL;
}

void word_list_set(struct word_list *list, struct arena *arena, char *pair)
{
    size_t len = strcspn(pair, "=") + 1;

    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->items[i], pair, len) == 0) {
            list->items[i] = pair;
            return;
        }
    }
    word_list_add(list, arena, pair);
}

void word_list_unset(struct word_list *list, const char *name)
{
    size_t len = strlen(name), kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        const char *item = list->items[i];

        if (strncmp(item, name, len) != 0 || (item[len] && (item[len] != '=' || strchr(name, '='))))
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    if (list->items)
        list->items[kept] = NULL;
}

/* What % and this letter stand for in a unit of the system; NULL where that is not the same everywhere. */
static const char *specifier(struct arena *arena, const char *name, char letter)
{
    const char *dot = strrchr(name, '.');

    switch (letter) {
    case '%': return "%";
    case 'n': return name;
    case 'N':
    case 'p': return arena_copy(arena, name, dot ? (size_t)(dot - name) : strlen(name));
    case 'i':
    case 'I': return "";
    case 'E': return "/etc";
    case 'S': return "/var/lib";
    case 'C': return "/var/cache";
    case 'L': return "/var/log";
    case 't': return "/run";
    case 'h': return "/root";
    case 'U':
    case 'G': return "0";
    case 'u':
    case 'g': return "root";
    default: return NULL;
    }
}

static bool fill_in(struct arena *arena, const char *name, char letter, struct buf *into, struct err *err)
{
    const char *text = specifier(arena, name, letter);

    if (!text)
        return err_set(err, ERR_INVALID, "it says %%%c, which only systemd can fill in", letter);
    buf_text(into, text);
    return true;
}

/* The character that \ and this letter stand for; 0: it is no escape, and both stay. */
static char escaped(char letter)
{
    static const char letters[] = "abfnrtvs\\\"'", means[] = "\a\b\f\n\r\t\v \\\"'";
    const char *at = letter ? strchr(letters, letter) : NULL;

    return at ? means[at - letters] : '\0';
}

/* One word, from its first character on; *at is then behind it. */
static bool take_word(struct arena *arena, const char *name, const char **at, struct buf *word,
                      struct err *err)
{
    char quote = '\0';

    for (const char *c = *at;; c++) {
        if (!*c && quote)
            return err_set(err, ERR_INVALID, "a quote in it does not end");
        if (!*c || (!quote && strchr(SPACE, *c))) {
            *at = c;
            return true;
        }
        if (quote ? *c == quote : *c == '"' || *c == '\'') {
            quote = quote ? '\0' : *c;
        } else if (*c == '\\' && c[1]) {
            char means = escaped(*++c);

            if (!means)
                buf_char(word, '\\');
            buf_char(word, means ? means : *c);
        } else if (*c == '%' && c[1]) {
            if (!fill_in(arena, name, *++c, word, err))
                return false;
        } else {
            buf_char(word, *c);
        }
    }
}

bool unit_words(struct arena *arena, const char *name, const char *line, struct word_list *into,
                struct err *err)
{
    for (const char *at = line + strspn(line, SPACE); *at; at += strspn(at, SPACE)) {
        BUF_AUTO word = { 0 };

        buf_init(&word, 0);
        if (!take_word(arena, name, &at, &word, err))
            return false;
        word_list_add(into, arena, arena_copy(arena, word.len ? word.bytes : "", word.len));
    }
    return true;
}

bool unit_value(struct arena *arena, const char *name, const char *text, char **value, struct err *err)
{
    BUF_AUTO filled = { 0 };

    buf_init(&filled, 0);
    for (const char *c = text; *c; c++) {
        if (*c != '%' || !c[1])
            buf_char(&filled, *c);
        else if (!fill_in(arena, name, *++c, &filled, err))
            return false;
    }
    *value = arena_copy(arena, filled.len ? filled.bytes : "", filled.len);
    return true;
}

/* What stands between double quotes: a \ escapes what a shell would take for more than itself. */
static const char *take_quoted(const char *c, struct buf *value)
{
    for (; *c && *c != '"'; c++) {
        if (*c == '\\' && c[1] && strchr("\"\\`$\n", c[1])) {
            if (*++c != '\n')
                buf_char(value, *c);
        } else {
            buf_char(value, *c);
        }
    }
    return *c ? c + 1 : c;
}

/* A value, up to the end of its line; quotes may reach over several. Space at its end does not count. */
static const char *take_value(const char *c, struct buf *value)
{
    size_t keep = 0;

    c += strspn(c, " \t");
    while (*c && *c != '\n') {
        if (*c == '"') {
            c = take_quoted(c + 1, value);
            keep = value->len;
        } else if (*c == '\'') {
            size_t len = strcspn(++c, "'");

            buf_add(value, c, len);
            c += len + (c[len] == '\'');
            keep = value->len;
        } else {
            if (*c == '\\' && c[1] && *++c == '\n') {
                c++;
                continue;
            }
            buf_char(value, *c);
            if (!strchr(SPACE, *c))
                keep = value->len;
            c++;
        }
    }
    value->len = keep;
    return c;
}

void unit_variables(struct arena *arena, const char *text, struct word_list *into)
{
    for (const char *at = text + strspn(text, SPACE); *at; at += strspn(at, SPACE)) {
        size_t name = strcspn(at, "=\n");

        if (*at == '#' || *at == ';' || at[name] != '=') {
            at += strcspn(at, "\n");
            continue;
        }
        BUF_AUTO value = { 0 };
        const char *start = at;

        buf_init(&value, 0);
        at = take_value(at + name + 1, &value);
        while (name > 0 && strchr(SPACE, start[name - 1]))
            name--;
        word_list_set(
            into, arena,
            arena_format(arena, "%.*s=%.*s", (int)name, start, (int)value.len, value.len ? value.bytes : ""));
    }
}
