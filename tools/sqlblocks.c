#include "tools/sqlblocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NAME_MARK[] = "-- name:";
static const char COLUMNS_MARK[] = "-- columns:";

/* What the scanner stands in; a literal or a comment may run over several lines. */
enum scan_state { IN_SQL, IN_LITERAL, IN_IDENTIFIER, IN_COMMENT };

struct scan {
    enum scan_state state;
    enum sqlblock_engine engine;
    bool ended; /* a semicolon was seen: only comments and space may follow */
    int params;
    char *text;
    size_t len;
    size_t line_start; /* where the current line begins in text */
    bool is_list;      /* of columns, not a statement */
};

struct line {
    const char *at;
    size_t len;
};

struct source {
    struct sqlblocks *blocks;
    const char *file;
    const char *buf;
    size_t len;
    size_t pos;
    int line;
    struct sqlblocks_error *err;
};

static bool fail(struct sqlblocks_error *err, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(struct sqlblocks_error *err, const char *file, int line, const char *format, ...)
{
    va_list args;

    err->file = file;
    err->line = line;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return false;
}

void sqlblocks_init(struct sqlblocks *blocks)
{
    *blocks = (struct sqlblocks){ 0 };
}

void sqlblocks_done(struct sqlblocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        free(blocks->items[i].text);
    for (size_t i = 0; i < blocks->list_count; i++) {
        sqlcolumns_done(&blocks->lists[i]->columns);
        free(blocks->lists[i]);
    }
    free(blocks->items);
    sqlblocks_init(blocks);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

static struct line trimmed(struct line line)
{
    while (line.len > 0 && is_space(line.at[0])) {
        line.at++;
        line.len--;
    }
    while (line.len > 0 && is_space(line.at[line.len - 1]))
        line.len--;
    return line;
}

static bool next_line(struct source *source, struct line *out)
{
    const char *end;

    if (source->pos >= source->len)
        return false;
    out->at = source->buf + source->pos;
    end = memchr(out->at, '\n', source->len - source->pos);
    out->len = end ? (size_t)(end - out->at) : source->len - source->pos;
    source->pos += out->len + (end ? 1 : 0);
    source->line++;
    return true;
}

static bool starts_with(struct line line, const char *mark)
{
    return line.len >= strlen(mark) && memcmp(line.at, mark, strlen(mark)) == 0;
}

static bool is_columns_line(struct line line)
{
    return starts_with(line, COLUMNS_MARK);
}

static bool is_name_line(struct line line)
{
    return starts_with(line, NAME_MARK) || is_columns_line(line);
}

static bool parse_engine(struct source *source, struct line words, struct sqlblock *block)
{
    static const struct {
        const char *words;
        enum sqlblock_engine engine;
        bool only;
    } known[] = {
        { "", SQLBLOCK_BOTH, false },
        { "@sqlite", SQLBLOCK_SQLITE, false },
        { "@sqlite only", SQLBLOCK_SQLITE, true },
        { "@postgres", SQLBLOCK_POSTGRES, false },
        { "@postgres only", SQLBLOCK_POSTGRES, true },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (words.len == strlen(known[i].words) && memcmp(words.at, known[i].words, words.len) == 0) {
            block->engine = known[i].engine;
            block->only = known[i].only;
            return true;
        }
    }
    return fail(source->err, source->file, source->line,
                "after the name only @sqlite or @postgres may stand, and behind them the word only");
}

static bool parse_name(struct source *source, struct line line, struct sqlblock *block)
{
    size_t mark = strlen(is_columns_line(line) ? COLUMNS_MARK : NAME_MARK), len = 0;
    struct line rest = { line.at + mark, line.len - mark };

    rest = trimmed(rest);
    while (len < rest.len && is_name_char(rest.at[len]))
        len++;
    if (len == 0 || is_digit(rest.at[0]) || (len < rest.len && !is_space(rest.at[len])))
        return fail(source->err, source->file, source->line,
                    "a name is made of a-z, 0-9 and _, and starts with a letter");
    if (len > SQLBLOCKS_NAME_MAX)
        return fail(source->err, source->file, source->line, "a name has at most %d characters",
                    SQLBLOCKS_NAME_MAX);
    memcpy(block->name, rest.at, len);
    block->name[len] = '\0';
    block->file = source->file;
    block->line = source->line;
    return parse_engine(source, trimmed((struct line){ rest.at + len, rest.len - len }), block);
}

static bool check_unused(struct source *source, const struct sqlblock *block)
{
    for (size_t i = 0; i < source->blocks->count; i++) {
        const struct sqlblock *other = &source->blocks->items[i];

        if (other->engine == block->engine && strcmp(other->name, block->name) == 0)
            return fail(source->err, block->file, block->line, "%s is already defined at %.60s:%d",
                        block->name, other->file, other->line);
    }
    return true;
}

static bool append(struct source *source, const struct sqlblock *block)
{
    struct sqlblocks *blocks = source->blocks;

    if (blocks->count == SQLBLOCKS_MAX)
        return fail(source->err, block->file, block->line, "more than %d blocks", SQLBLOCKS_MAX);
    if (blocks->count == blocks->capacity) {
        size_t capacity = blocks->capacity ? blocks->capacity * 2 : 32;
        struct sqlblock *items = realloc(blocks->items, capacity * sizeof *items);

        if (!items)
            return fail(source->err, block->file, block->line, "out of memory");
        blocks->items = items;
        blocks->capacity = capacity;
    }
    blocks->items[blocks->count++] = *block;
    return true;
}

/* Notes the number after a `$`; a `$` without digits is not a parameter. */
static bool scan_param(struct source *source, struct scan *scan, struct line rest)
{
    int number = 0;

    if (rest.len < 2 || !is_digit(rest.at[1]))
        return true;
    for (size_t i = 1; i < rest.len && is_digit(rest.at[i]) && number <= SQLBLOCKS_PARAMS_MAX; i++)
        number = number * 10 + (rest.at[i] - '0');
    if (number < 1 || number > SQLBLOCKS_PARAMS_MAX)
        return fail(source->err, source->file, source->line, "parameters go from $1 to $%d",
                    SQLBLOCKS_PARAMS_MAX);
    if (number > scan->params)
        scan->params = number;
    return true;
}

static bool put(struct source *source, struct scan *scan, char c)
{
    if (scan->len == SQLBLOCKS_TEXT_MAX)
        return fail(source->err, source->file, source->line, "a block has at most %d bytes",
                    SQLBLOCKS_TEXT_MAX);
    scan->text[scan->len++] = c;
    return true;
}

/* The list that a statement for this engine means: its own, or the one for both. */
static const struct sqllist *find_list(const struct sqlblocks *blocks, struct line name,
                                       enum sqlblock_engine engine)
{
    const struct sqllist *found = NULL;

    for (size_t i = 0; i < blocks->list_count; i++) {
        const struct sqllist *list = blocks->lists[i];

        if (strlen(list->name) != name.len || memcmp(list->name, name.at, name.len) != 0)
            continue;
        if (list->engine == engine)
            return list;
        if (list->engine == SQLBLOCK_BOTH)
            found = list;
    }
    return found;
}

/* Puts the columns in place of `{name}` or `{name table}`. */
static bool scan_list(struct source *source, struct scan *scan, struct line rest, size_t *used)
{
    const char *end = memchr(rest.at, '}', rest.len);
    struct line inside = { rest.at + 1, end ? (size_t)(end - rest.at) - 1 : 0 }, name = inside, table;
    char alias[SQLBLOCKS_NAME_MAX + 1] = "";

    name.len = 0;
    while (name.len < inside.len && is_name_char(inside.at[name.len]))
        name.len++;
    table = trimmed((struct line){ inside.at + name.len, inside.len - name.len });
    if (!end || name.len == 0 || table.len > SQLBLOCKS_NAME_MAX)
        return fail(source->err, source->file, source->line, "a list is named as {name} or {name table}");
    for (size_t i = 0; i < table.len; i++)
        if (!is_name_char(table.at[i]))
            return fail(source->err, source->file, source->line, "a list is named as {name} or {name table}");
    memcpy(alias, table.at, table.len);
    const struct sqllist *list = find_list(source->blocks, name, scan->engine);

    if (!list)
        return fail(source->err, source->file, source->line, "there is no list of columns %.*s before this",
                    (int)(name.len < SQLBLOCKS_NAME_MAX ? name.len : SQLBLOCKS_NAME_MAX), name.at);
    char *text = sqlcolumns_text(&list->columns, alias);
    bool good = text || fail(source->err, source->file, source->line, "out of memory");

    if (list->params > scan->params)
        scan->params = list->params;
    *used = (size_t)(end - rest.at) + 1;
    /* Two signs that stand side by side only now could become one: a comment, say. */
    good = good && (scan->len == 0 || is_space(scan->text[scan->len - 1]) || put(source, scan, ' '));
    for (const char *c = text; good && *c; c++)
        good = put(source, scan, *c);
    free(text);
    return good && (*used == rest.len || is_space(rest.at[*used]) || rest.at[*used] == ',' ||
                    rest.at[*used] == ')' || put(source, scan, ' '));
}

/* Takes one character of plain SQL; a comment to the end of the line is the caller's business. */
static bool scan_sql(struct source *source, struct scan *scan, struct line rest, size_t *used)
{
    char c = rest.at[0];

    *used = 1;
    if (rest.len > 1 && c == '/' && rest.at[1] == '*') {
        scan->state = IN_COMMENT;
        *used = 2;
        return put(source, scan, ' ');
    }
    if (c == ';') {
        scan->ended = true;
        return true;
    }
    if (scan->ended && !is_space(c))
        return fail(source->err, source->file, source->line, "a block holds one statement");
    if (c == '{')
        return scan_list(source, scan, rest, used);
    if (c == '\'')
        scan->state = IN_LITERAL;
    else if (c == '"')
        scan->state = IN_IDENTIFIER;
    else if (c == '$' && !scan_param(source, scan, rest))
        return false;
    return put(source, scan, c);
}

static bool scan_char(struct source *source, struct scan *scan, struct line rest, size_t *used)
{
    char c = rest.at[0];
    unsigned char byte = (unsigned char)c;

    *used = 1;
    if ((byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7f)
        return fail(source->err, source->file, source->line, "control character 0x%02x", byte);
    if (scan->state == IN_SQL)
        return scan_sql(source, scan, rest, used);
    if (scan->state == IN_COMMENT) {
        if (rest.len > 1 && c == '*' && rest.at[1] == '/') {
            scan->state = IN_SQL;
            *used = 2;
        }
        return true;
    }
    /* A doubled quote ends the literal and begins it again at once, which comes to the same. */
    if ((scan->state == IN_LITERAL && c == '\'') || (scan->state == IN_IDENTIFIER && c == '"'))
        scan->state = IN_SQL;
    return put(source, scan, c);
}

static bool is_quoted(const struct scan *scan)
{
    return scan->state == IN_LITERAL || scan->state == IN_IDENTIFIER;
}

static bool scan_line(struct source *source, struct scan *scan, struct line line)
{
    bool began_quoted = is_quoted(scan);

    scan->line_start = scan->len;
    for (size_t i = 0, used; i < line.len; i += used) {
        struct line rest = { line.at + i, line.len - i };

        if (scan->state == IN_SQL && rest.len > 1 && rest.at[0] == '-' && rest.at[1] == '-')
            break;
        if (!scan_char(source, scan, rest, &used))
            return false;
    }
    if (is_quoted(scan))
        return put(source, scan, '\n');
    while (scan->len > scan->line_start && is_space(scan->text[scan->len - 1]))
        scan->len--;
    if (scan->len == scan->line_start && !began_quoted)
        return true;
    return put(source, scan, '\n');
}

static bool same_names(const struct sqlcolumns *a, const struct sqlcolumns *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i].name, b->items[i].name) != 0)
            return false;
    return true;
}

/* Cells are picked by place, so twins must agree in it. */
static bool check_twin(struct source *source, const struct sqllist *list)
{
    for (size_t i = 0; i < source->blocks->list_count; i++) {
        const struct sqllist *other = source->blocks->lists[i];

        if (strcmp(other->name, list->name) != 0)
            continue;
        if (other->engine == list->engine)
            return fail(source->err, list->file, list->line, "%s is already defined at %.60s:%d", list->name,
                        other->file, other->line);
        if (!same_names(&other->columns, &list->columns))
            return fail(source->err, list->file, list->line,
                        "%s has other names, or another order, than at %.60s:%d", list->name, other->file,
                        other->line);
    }
    return true;
}

static bool append_list(struct source *source, const char *text, const struct sqlblock *block)
{
    struct sqlblocks *blocks = source->blocks;
    struct sqllist *list = calloc(1, sizeof *list);
    const char *why = "out of memory";

    if (!list || !sqlcolumns_read(&list->columns, text, &why)) {
        free(list);
        return fail(source->err, block->file, block->line, "%s: %s", block->name, why);
    }
    memcpy(list->name, block->name, sizeof list->name);
    list->engine = block->engine;
    list->params = block->params;
    list->file = block->file;
    list->line = block->line;
    if (check_twin(source, list) &&
        (blocks->list_count < SQLBLOCKS_LISTS_MAX ||
         fail(source->err, block->file, block->line, "more than %d lists", SQLBLOCKS_LISTS_MAX))) {
        blocks->lists[blocks->list_count++] = list;
        return true;
    }
    sqlcolumns_done(&list->columns);
    free(list);
    return false;
}

static bool finish_block(struct source *source, struct scan *scan, struct sqlblock *block)
{
    if (scan->state != IN_SQL)
        return fail(source->err, block->file, block->line, "%s ends inside a %s", block->name,
                    scan->state == IN_COMMENT ? "comment" : "quoted text");
    while (scan->len > 0 && (scan->text[scan->len - 1] == '\n' || is_space(scan->text[scan->len - 1])))
        scan->len--;
    if (scan->len == 0)
        return fail(source->err, block->file, block->line, "%s is empty", block->name);
    scan->text[scan->len] = '\0';
    block->params = scan->params;
    if (scan->is_list)
        return append_list(source, scan->text, block);
    block->text = strdup(scan->text);
    if (!block->text)
        return fail(source->err, block->file, block->line, "out of memory");
    if (append(source, block))
        return true;
    free(block->text);
    return false;
}

/* Reads the text of the block whose name line was just taken, up to the next name line, which is left. */
static bool parse_text(struct source *source, struct scan *scan, struct sqlblock *block)
{
    for (;;) {
        struct source before = *source;
        struct line line;

        if (!next_line(source, &line))
            return finish_block(source, scan, block);
        if (is_name_line(line)) {
            *source = before;
            return finish_block(source, scan, block);
        }
        if (!scan_line(source, scan, line))
            return false;
    }
}

static bool parse_block(struct source *source, struct line name_line, char *text)
{
    struct sqlblock block = { 0 };
    struct scan scan = { .text = text, .is_list = is_columns_line(name_line) };

    if (!parse_name(source, name_line, &block) || (!scan.is_list && !check_unused(source, &block)))
        return false;
    scan.engine = block.engine;
    return parse_text(source, &scan, &block);
}

static bool parse_all(struct source *source, char *text)
{
    struct line line;

    while (next_line(source, &line)) {
        struct line words = trimmed(line);

        if (is_name_line(line)) {
            if (!parse_block(source, line, text))
                return false;
            continue;
        }
        if (words.len > 0 && (words.len < 2 || memcmp(words.at, "--", 2) != 0))
            return fail(source->err, source->file, source->line, "text before the first -- name: line");
    }
    return true;
}

bool sqlblocks_parse(struct sqlblocks *blocks, const char *file, const char *buf, size_t len,
                     struct sqlblocks_error *err)
{
    struct source source = { .blocks = blocks, .file = file, .buf = buf, .len = len, .err = err };
    char *text = malloc(SQLBLOCKS_TEXT_MAX + 1);
    bool ok;

    if (!text)
        return fail(err, file, 0, "out of memory");
    ok = parse_all(&source, text);
    free(text);
    return ok;
}

bool sqlblocks_is_first(const struct sqlblocks *blocks, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(blocks->items[i].name, blocks->items[index].name) == 0)
            return false;
    }
    return true;
}

bool sqlblocks_statement(const struct sqlblocks *blocks, size_t index, struct sqlblocks_statement *out,
                         struct sqlblocks_error *err)
{
    const struct sqlblock *found[SQLBLOCK_ENGINES] = { NULL };
    const struct sqlblock *first = &blocks->items[index];
    struct sqlblocks_statement statement;

    for (size_t i = index; i < blocks->count; i++) {
        if (strcmp(blocks->items[i].name, first->name) == 0)
            found[blocks->items[i].engine] = &blocks->items[i];
    }
    statement.sqlite = found[SQLBLOCK_SQLITE] ? found[SQLBLOCK_SQLITE] : found[SQLBLOCK_BOTH];
    statement.postgres = found[SQLBLOCK_POSTGRES] ? found[SQLBLOCK_POSTGRES] : found[SQLBLOCK_BOTH];
    if (!statement.sqlite || !statement.postgres) {
        if (!first->only)
            return fail(err, first->file, first->line, "%s has no text for %s", first->name,
                        statement.sqlite ? "PostgreSQL" : "SQLite");
        *out = statement;
        return true;
    }
    for (int i = 0; i < SQLBLOCK_ENGINES; i++) {
        if (found[i] && found[i]->only)
            return fail(err, found[i]->file, found[i]->line, "%s has a text for the other engine as well",
                        first->name);
    }
    if (found[SQLBLOCK_BOTH] && found[SQLBLOCK_SQLITE] && found[SQLBLOCK_POSTGRES])
        return fail(err, found[SQLBLOCK_BOTH]->file, found[SQLBLOCK_BOTH]->line,
                    "%s has a text for each engine, so this one is never used", first->name);
    if (statement.sqlite->params != statement.postgres->params)
        return fail(err, first->file, first->line, "%s takes %d parameters on SQLite but %d on PostgreSQL",
                    first->name, statement.sqlite->params, statement.postgres->params);
    *out = statement;
    return true;
}
