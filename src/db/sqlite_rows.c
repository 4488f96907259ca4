/*
 * Most cells are numbers and short texts, so a row costs two allocations of the arena: its pointers and one
 * piece for all its bytes. SQLite would make a text of each number on its own heap first.
 */
#include "db/sqlite_rows.h"

#include "base/memory.h"

#include <string.h>

#define DIGITS_MAX 24

/* SQLite converts through its printf and the heap; whole numbers are most of what is not text. */
static size_t format_int(int64_t number, char out[static DIGITS_MAX])
{
    char digits[DIGITS_MAX];
    size_t count = 0, len = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do
        digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0)
        out[len++] = '-';
    while (count > 0)
        out[len++] = digits[--count];
    return len;
}

static void rows_reserve(struct arena *arena, struct db_rows *rows, size_t *room)
{
    if (rows->count < *room)
        return;
    *room = *room == 0 ? 1 : *room < 16 ? 16 : *room * 2;
    const char **cells = arena_array(arena, const char *, *room * rows->width);

    if (rows->count > 0)
        memcpy(cells, rows->cells, rows->count * rows->width * sizeof(*cells));
    rows->cells = cells;
}

/* All cells of a row go to the arena in one piece. */
void sqlite_rows_add(sqlite3_stmt *stmt, struct arena *arena, struct db_rows *rows, size_t *room)
{
    struct {
        const void *from;
        size_t len;
    } cells[SQLITE_COLUMNS_MAX];
    char digits[SQLITE_COLUMNS_MAX][DIGITS_MAX];
    size_t total = 0;

    rows_reserve(arena, rows, room);
    for (size_t column = 0; column < rows->width; column++) {
        switch (sqlite3_column_type(stmt, (int)column)) {
        case SQLITE_NULL: cells[column].from = NULL; continue;
        case SQLITE_INTEGER:
            cells[column].from = digits[column];
            cells[column].len = format_int(sqlite3_column_int64(stmt, (int)column), digits[column]);
            break;
        default:
            cells[column].from = sqlite3_column_text(stmt, (int)column);
            cells[column].len = (size_t)sqlite3_column_bytes(stmt, (int)column);
            /* A text that SQLite had no memory for must not pass for none. */
            if (!cells[column].from)
                memory_gone(cells[column].len);
        }
        total += cells[column].len + 1;
    }
    char *to = total ? arena_alloc(arena, total, 1) : NULL;
    const char **out = rows->cells + rows->count * rows->width;

    for (size_t column = 0; column < rows->width; column++) {
        if (!cells[column].from)
            continue;
        memcpy(to, cells[column].from, cells[column].len);
        out[column] = to;
        to += cells[column].len + 1;
    }
    rows->count++;
}
