/*
 * A fixed number of hex digits. The checksum is no secret and keeps nobody out; it catches cursors that were
 * cut, altered or brought from another list before they can be a place that means something else.
 */
#include "core/log/cursor.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* group, time, id without dashes, checksum; all in hex. */
#define GROUP_DIGITS 1
#define TIME_DIGITS  12
#define ID_DIGITS    32
#define SUM_DIGITS   8
#define PLACE_DIGITS (GROUP_DIGITS + TIME_DIGITS + ID_DIGITS)

void cursor_start(int group, struct cursor *cursor)
{
    *cursor = (struct cursor){ .group = group,
                               .created_at = "9999-12-31T23:59:59.999Z",
                               .id = "ffffffff-ffff-ffff-ffff-ffffffffffff" };
}

static unsigned checksum(const char *list, const char *place)
{
    uLong sum = crc32(0, (const Bytef *)list, (uInt)strlen(list));

    return (unsigned)crc32(sum, (const Bytef *)place, PLACE_DIGITS);
}

static bool all_hex(const char *text)
{
    return text[strspn(text, "0123456789abcdef")] == '\0';
}

static bool hex_number(const char *digits, size_t count, uint64_t *number)
{
    char copy[TIME_DIGITS + 1] = { 0 };
    char *end;

    memcpy(copy, digits, count);
    *number = strtoull(copy, &end, 16);
    return *end == '\0';
}

static void put_dashes(const char *digits, char id[static UUID_SIZE])
{
    snprintf(id, UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12, digits + 16,
             digits + 20);
}

bool cursor_read(const char *list, const char *text, struct cursor *cursor, struct err *err)
{
    uint64_t group, ms, sum;

    if (!text) {
        cursor_start(0, cursor);
        return true;
    }
    if (strlen(text) != PLACE_DIGITS + SUM_DIGITS || !all_hex(text) ||
        !hex_number(text + PLACE_DIGITS, SUM_DIGITS, &sum) || sum != checksum(list, text) ||
        !hex_number(text, GROUP_DIGITS, &group) || !hex_number(text + GROUP_DIGITS, TIME_DIGITS, &ms))
        return err_field(err, "cursor", "cursor is not one that this list gave out.");
    cursor->group = (int)group;
    clock_format((int64_t)ms, cursor->created_at);
    put_dashes(text + GROUP_DIGITS + TIME_DIGITS, cursor->id);
    return true;
}

const char *cursor_after(struct arena *arena, const char *list, int group, const char *created_at,
                         const char *id)
{
    char place[PLACE_DIGITS + 1];
    int64_t ms;

    if (!clock_parse(created_at, &ms) || ms < 0 || !uuid_valid(id))
        return NULL;
    snprintf(place, sizeof(place), "%1x%012" PRIx64 "%.8s%.4s%.4s%.4s%.12s", (unsigned)group & 15U,
             (uint64_t)ms, id, id + 9, id + 14, id + 19, id + 24);
    return arena_format(arena, "%s%08x", place, checksum(list, place));
}
