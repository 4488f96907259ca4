/*
 * A table is kept whole and measured before it is written; only its last column is cut, to the width of the
 * terminal and never in a pipe. Characters are counted, not their widths: names in wide scripts may stand a
 * little off.
 */
#include "cli/term.h"

#include "base/clock.h"
#include "base/colour.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static size_t terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t number;

    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns && str_to_int(columns, &number) && number >= 20 && number < 10000)
        return (size_t)number;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

void term_init(struct term *term, struct arena *arena, struct buf *out, bool colour)
{
    *term = (struct term){ .arena = arena, .out = out, .colour = colour, .width = terminal_width() };
}

const char *term_line(struct arena *arena, const char *text)
{
    char *line;

    if (!text)
        return "-";
    line = str_sanitise(arena, colour_drop(arena, text));
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    return line;
}

/* Colours are nothing that anybody does; in what is done they are shown as what they are. */
static const char *marked(struct arena *arena, const char *text, enum visible_way way)
{
    return visible_flat(arena, way == VISIBLE_PROSE ? colour_drop(arena, text) : text, way);
}

const char *term_shown(struct arena *arena, const char *text, enum visible_way way)
{
    return text ? term_line(arena, marked(arena, text, way)) : "-";
}

static const char *colour_code(enum term_colour colour)
{
    switch (colour) {
    case TERM_PLAIN: return "";
    case TERM_DIM: return "\033[2m";
    case TERM_BOLD: return "\033[1m";
    case TERM_RED: return "\033[31m";
    case TERM_GREEN: return "\033[32m";
    case TERM_YELLOW: return "\033[33m";
    case TERM_BLUE: return "\033[34m";
    case TERM_MAGENTA: return "\033[35m";
    case TERM_CYAN: return "\033[36m";
    case TERM_LIGHT_RED: return "\033[91m";
    case TERM_LIGHT_GREEN: return "\033[92m";
    case TERM_LIGHT_YELLOW: return "\033[93m";
    case TERM_LIGHT_BLUE: return "\033[94m";
    case TERM_LIGHT_MAGENTA: return "\033[95m";
    }
    return "";
}

/* How many bytes one of our own colours has, which begins here; 0: none does. */
static size_t own_colour(const char *at, size_t len)
{
    static const char end[] = "\033[0m";

    if (len >= sizeof(end) - 1 && memcmp(at, end, sizeof(end) - 1) == 0)
        return sizeof(end) - 1;
    for (int colour = TERM_PLAIN + 1; colour <= TERM_LIGHT_MAGENTA; colour++) {
        const char *code = colour_code((enum term_colour)colour);

        if (len >= strlen(code) && memcmp(at, code, strlen(code)) == 0)
            return strlen(code);
    }
    return 0;
}

const char *term_harmless(struct arena *arena, const char *bytes, size_t len, bool colours)
{
    BUF_AUTO clean = { 0 };
    uint32_t code;
    size_t from = 0, step;

    for (size_t at = 0; at < len; at += step) {
        step = str_decode(bytes + at, len - at, &code);
        bool line_end = step > 0 && code == '\r' && at + 1 < len && bytes[at + 1] == '\n';
        size_t colour = colours && step > 0 && code == 033 ? own_colour(bytes + at, len - at) : 0;

        if (colour > 0) {
            step = colour;
        } else if (step == 0 || (str_is_unwanted(code) && !line_end)) {
            buf_add(&clean, bytes + from, at - from);
            if (step > 0)
                buf_format(&clean, "\\u%04x", (unsigned)code);
            step = step > 0 ? step : 1;
            from = at + step;
        }
    }
    if (from == 0)
        return arena_copy(arena, bytes, len);
    buf_add(&clean, bytes + from, len - from);
    return arena_copy(arena, clean.bytes ? clean.bytes : "", clean.len);
}

void term_paint(struct term *term, enum term_colour colour, const char *text)
{
    if (!term->colour || colour == TERM_PLAIN)
        buf_text(term->out, text);
    else
        buf_format(term->out, "%s%s\033[0m", colour_code(colour), text);
}

void term_block(struct term *term, const char *indent, const char *text)
{
    const char *clean = str_sanitise(term->arena, colour_drop(term->arena, text ? text : ""));

    do {
        size_t len = strcspn(clean, "\n");

        buf_text(term->out, indent);
        buf_add(term->out, clean, len);
        buf_char(term->out, '\n');
        clean += len + (clean[len] == '\n');
    } while (*clean);
}

void term_shown_block(struct term *term, const char *indent, const char *text, enum visible_way way)
{
    term_block(term, indent, marked(term->arena, text ? text : "", way));
}

enum term_colour term_status(const char *status)
{
    static const struct {
        const char *status;
        enum term_colour colour;
    } known[] = {
        { "resolved", TERM_GREEN }, { "ok", TERM_GREEN },    { "timed_out", TERM_RED },
        { "cancelled", TERM_DIM },  { "fail", TERM_RED },    { "collecting", TERM_YELLOW },
        { "pending", TERM_YELLOW }, { "warn", TERM_YELLOW },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_equal(known[i].status, status))
            return known[i].colour;
    return TERM_PLAIN;
}

const char *term_when(struct arena *arena, const char *time, int64_t now_ms)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "m" } };
    int64_t ms, far;
    const char *unit = "s";

    if (!time || !clock_parse(time, &ms))
        return "-";
    far = ((ms > now_ms ? ms - now_ms : now_ms - ms) + 500) / 1000;
    if (far == 0)
        return "now";
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (far >= 2 * units[i].seconds) {
            far = (far + units[i].seconds / 2) / units[i].seconds;
            unit = units[i].name;
            break;
        }
    return arena_format(arena, ms > now_ms ? "in %" PRId64 "%s" : "%" PRId64 "%s ago", far, unit);
}

const char *term_time(struct arena *arena, const char *time, int64_t now_ms, bool utc)
{
    struct tm at, now;
    char text[64];
    int64_t ms;

    if (!time || !clock_parse(time, &ms))
        return "-";
    time_t seconds = (time_t)(ms / 1000), now_seconds = (time_t)(now_ms / 1000);

    if (utc) {
        gmtime_r(&seconds, &at);
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &at);
        return arena_text(arena, text);
    }
    localtime_r(&seconds, &at);
    localtime_r(&now_seconds, &now);
    bool today = at.tm_year == now.tm_year && at.tm_yday == now.tm_yday;

    strftime(text, sizeof(text), today ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &at);
    return arena_text(arena, text);
}

void term_table_init(struct term_table *table, struct term *term, size_t columns, const char *const heads[])
{
    *table = (struct term_table){ .term = term, .columns = columns };
    term_table_row(table, heads);
}

void term_table_row(struct term_table *table, const char *const cells[])
{
    if (table->count == table->room) {
        size_t room = table->room ? table->room * 2 : 32;
        const char **grown = arena_array(table->term->arena, const char *, room * table->columns);

        if (table->count > 0)
            memcpy(grown, table->cells, table->count * table->columns * sizeof(*grown));
        table->cells = grown;
        table->room = room;
    }
    for (size_t column = 0; column < table->columns; column++)
        table->cells[table->count * table->columns + column] = term_line(table->term->arena, cells[column]);
    table->count++;
}

/* The bytes of at most `most` characters. */
static size_t cut_at(const char *text, size_t most)
{
    const char *at = text;

    for (size_t chars = 0; *at && chars < most; chars++)
        do
            at++;
        while ((*at & 0xc0) == 0x80);
    return (size_t)(at - text);
}

static void write_last(struct term_table *table, const char *cell, size_t used)
{
    struct term *term = table->term;
    size_t space = term->width > used + 8 ? term->width - used : 8;

    if (term->width == 0 || str_chars(cell) <= space) {
        buf_text(term->out, cell);
        return;
    }
    buf_add(term->out, cell, cut_at(cell, space - 1));
    buf_text(term->out, "…");
}

void term_table_end(struct term_table *table)
{
    size_t widths[TABLE_COLUMNS] = { 0 };

    for (size_t i = 0; i < table->count * table->columns; i++) {
        size_t chars = str_chars(table->cells[i]);

        if (chars > widths[i % table->columns])
            widths[i % table->columns] = chars;
    }
    for (size_t row = 0; row < table->count; row++) {
        size_t used = 0;

        for (size_t column = 0; column + 1 < table->columns; column++) {
            const char *cell = table->cells[row * table->columns + column];
            size_t pad = widths[column] - str_chars(cell) + 2;

            term_paint(table->term, row == 0 ? TERM_DIM : term_status(cell), cell);
            buf_format(table->term->out, "%*s", (int)pad, "");
            used += widths[column] + 2;
        }
        write_last(table, table->cells[row * table->columns + table->columns - 1], used);
        buf_char(table->term->out, '\n');
    }
}

const char *member_text(struct arena *arena, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return arena_format(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    return NULL;
}

int64_t member_int(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

/* "about.name": a member of a member. */
static const char *cell_text(struct arena *arena, const json_t *row, const char *key)
{
    const char *dot = strchr(key, '.');

    if (!dot)
        return member_text(arena, row, key);
    return member_text(arena, json_object_get(row, arena_copy(arena, key, (size_t)(dot - key))), dot + 1);
}

void term_table(struct term *term, const json_t *rows, const struct term_column *columns, size_t width,
                int64_t now_ms)
{
    const char *cells[TABLE_COLUMNS];
    struct term_table table;
    const json_t *row;
    size_t index;

    for (size_t column = 0; column < width; column++)
        cells[column] = columns[column].head;
    term_table_init(&table, term, width, cells);
    json_array_foreach(rows, index, row)
    {
        for (size_t column = 0; column < width; column++) {
            cells[column] = cell_text(term->arena, row, columns[column].key);
            if (columns[column].is_time)
                cells[column] = term_when(term->arena, cells[column], now_ms);
        }
        term_table_row(&table, cells);
    }
    term_table_end(&table);
}
