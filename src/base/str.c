/* Texts are UTF-8, decoded here and nowhere else; names are folded in str_fold.c. */
#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The smallest code point that may be written with so many bytes: anything less is overlong. */
static const uint32_t utf8_least[] = { 0, 0, 0x80, 0x800, 0x10000 };

size_t str_decode(const char *text, size_t len, uint32_t *code)
{
    if (len == 0)
        return 0;

    unsigned char first = (unsigned char)text[0];
    size_t size = first < 0x80   ? 1
                  : first < 0xC2 ? 0
                  : first < 0xE0 ? 2
                  : first < 0xF0 ? 3
                  : first < 0xF5 ? 4
                                 : 0;

    if (size == 0 || size > len)
        return 0;
    uint32_t value = size == 1 ? first : first & (0x7Fu >> size);

    for (size_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)text[i];

        if ((next & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3Fu);
    }
    if (value < utf8_least[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return size;
}

/* Eight plain ASCII bytes at once: none has its top bit set and none is zero. */
static bool eight_are_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    return ((word | (word - ones)) & tops) == 0;
}

bool str_is_utf8(const char *text, size_t len)
{
    uint32_t code;

    for (size_t at = 0, step; at < len; at += step) {
        if (len - at >= 8 && eight_are_plain(text + at)) {
            step = 8;
            continue;
        }
        step = str_decode(text + at, len - at, &code);
        if (step == 0 || code == 0)
            return false;
    }
    return true;
}

static bool is_space(uint32_t code)
{
    return (code >= 0x09 && code <= 0x0D) || code == ' ' || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x3000;
}

/* Where the text without surrounding space starts and ends. */
static void find_inner(const char *text, size_t *start, size_t *end)
{
    size_t len = strlen(text);
    bool seen = false;
    uint32_t code;

    *start = *end = 0;
    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(text + at, len - at, &code);
        if (step > 0 && is_space(code))
            continue;
        if (step == 0)
            step = 1;
        if (!seen)
            *start = at;
        seen = true;
        *end = at + step;
    }
}

bool str_is_blank(const char *text)
{
    size_t start, end;

    if (!text)
        return true;
    find_inner(text, &start, &end);
    return end == 0;
}

/* Marks, symbols and spaces among the letters of other scripts. */
static bool is_foreign_mark(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } marks[] = { { 0x80, 0xA9 },     { 0xAB, 0xB4 },     { 0xB6, 0xB9 },     { 0xBB, 0xBF },
                  { 0xD7, 0xD7 },     { 0xF7, 0xF7 },     { 0x2000, 0x206F }, { 0x20A0, 0x20CF },
                  { 0x2190, 0x2BFF }, { 0x3000, 0x3004 }, { 0x3008, 0x3020 }, { 0x3030, 0x3030 },
                  { 0xE000, 0xF8FF }, { 0xFE00, 0xFE6F }, { 0xFF00, 0xFF0F }, { 0xFF1A, 0xFF20 },
                  { 0xFF3B, 0xFF40 }, { 0xFF5B, 0xFF65 }, { 0xFFF0, 0xFFFF }, { 0x1F000, 0x1FAFF } };

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        if (code >= marks[i].from && code <= marks[i].to)
            return true;
    return false;
}

bool str_is_letter(uint32_t code)
{
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z');
    return !is_foreign_mark(code);
}

size_t str_chars(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

char *str_trim(struct arena *arena, const char *text)
{
    size_t start, end;

    find_inner(text, &start, &end);
    return arena_copy(arena, text + start, end - start);
}

const char *str_past_space(const char *text)
{
    uint32_t code;

    for (size_t step; (step = str_decode(text, strnlen(text, 4), &code)) > 0 && is_space(code); text += step)
        ;
    return text;
}

bool str_is_unwanted(uint32_t code)
{
    if (code < 0x20)
        return code != '\t' && code != '\n';
    return (code >= 0x7F && code <= 0x9F) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

char *str_sanitise(struct arena *arena, const char *text)
{
    size_t len = strlen(text), kept = 0;
    char *clean = arena_copy(arena, text, len);
    uint32_t code;

    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(text + at, len - at, &code);
        if (step == 0) {
            step = 1;
        } else if (code == '\r') {
            if (text[at + 1] != '\n')
                clean[kept++] = '\n';
        } else if (!str_is_unwanted(code)) {
            memcpy(clean + kept, text + at, step);
            kept += step;
        }
    }
    clean[kept] = '\0';
    return clean;
}

char *str_lines(struct arena *arena, const char *text)
{
    size_t len = strlen(text), kept = 0;
    char *lines = arena_copy(arena, text, len);
    uint32_t code;

    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(text + at, len - at, &code);
        if (step == 0) {
            lines[kept++] = text[at];
            step = 1;
        } else if (code == '\v' || code == '\f' || code == '\r' || code == 0x85 || code == 0x2028 ||
                   code == 0x2029) {
            if (code != '\r' || text[at + 1] != '\n')
                lines[kept++] = '\n';
        } else {
            memcpy(lines + kept, text + at, step);
            kept += step;
        }
    }
    lines[kept] = '\0';
    return lines;
}

/* Characters that nobody sees, or that change how their neighbours are read. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        { 0x00, 0x1F },       { 0x7F, 0x9F },       { 0xAD, 0xAD },       { 0x34F, 0x34F },
        { 0x61C, 0x61C },     { 0x115F, 0x1160 },   { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },
        { 0x200B, 0x200B },   { 0x200E, 0x200F },   { 0x2028, 0x202E },   { 0x2060, 0x206F },
        { 0x3164, 0x3164 },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 },   { 0xFFF9, 0xFFFB },
        { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
    };

    /* Nearly all that ever comes here. */
    if (code > 0x1F && code < 0x7F)
        return false;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* Written in Persian, in Indian scripts and in emoji; behind or before a plain letter they only deceive. */
static bool is_joiner(uint32_t code)
{
    return code == 0x200C || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F);
}

bool str_is_plain_line(const char *text)
{
    size_t len = strlen(text);
    uint32_t code, before = 0;

    for (size_t at = 0, step; at < len; at += step, before = code) {
        step = str_decode(text + at, len - at, &code);
        if (step == 0 || is_hidden(code))
            return false;
        if (is_joiner(code) && (before < 0x80 || (code < 0xFE00 && (unsigned char)text[at + step] < 0x80)))
            return false;
    }
    return true;
}

char *str_plain_line(struct arena *arena, const char *text)
{
    size_t len = strlen(text), kept = 0;
    char *line = arena_copy(arena, text, len);
    uint32_t code;

    if (str_is_plain_line(text))
        return str_trim(arena, text);
    for (size_t at = 0, step; at < len; at += step) {
        step = str_decode(text + at, len - at, &code);
        if (step == 0) {
            step = 1;
        } else if (code == '\n' || code == '\r' || code == '\t') {
            line[kept++] = ' ';
        } else if (!is_hidden(code) && !is_joiner(code)) {
            memcpy(line + kept, text + at, step);
            kept += step;
        }
    }
    line[kept] = '\0';
    return str_trim(arena, line);
}

char *str_normal(struct arena *arena, const char *text)
{
    char *normal = str_lower(arena, text);
    size_t len = 0;

    for (const char *from = normal; *from; from++) {
        if (!strchr(" \t\r\n", *from))
            normal[len++] = *from;
        else if (len > 0 && normal[len - 1] != ' ')
            normal[len++] = ' ';
    }
    while (len > 0 && strchr(" ?!.:", normal[len - 1]))
        len--;
    normal[len] = '\0';
    return normal;
}

size_t str_fitting(const char *text, size_t most)
{
    size_t len = strnlen(text, most);

    while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
        len--;
    return len;
}

const char *str_beginning(struct arena *arena, const char *text, size_t chars)
{
    const char *end = text;

    for (size_t i = 0; *end && i < chars; i++)
        do
            end++;
        while (((unsigned char)*end & 0xC0) == 0x80);
    return *end ? arena_format(arena, "%.*s...", (int)(end - text), text) : text;
}

bool str_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_starts(const char *text, const char *prefix)
{
    return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Reads digits up to something else, which *end then points to; false without digits or on overflow. */
static bool read_digits(const char *text, bool negative, int64_t *number, const char **end)
{
    int64_t value = 0;
    const char *at = text;

    for (; *at >= '0' && *at <= '9'; at++) {
        int64_t digit = negative ? '0' - *at : *at - '0';

        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (at == text)
        return false;
    *number = value;
    *end = at;
    return true;
}

bool str_to_int(const char *text, int64_t *number)
{
    const char *end;
    int64_t value;
    bool negative = text && *text == '-';

    if (!text || !read_digits(text + negative, negative, &value, &end) || *end)
        return false;
    *number = value;
    return true;
}

struct named_unit {
    const char *name;
    int64_t size;
};

static bool read_with_unit(const char *text, const struct named_unit *units, size_t count, int64_t *number)
{
    const char *end;
    int64_t value;

    if (!text || !read_digits(text, false, &value, &end))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(end, units[i].name) == 0) {
            if (__builtin_mul_overflow(value, units[i].size, &value))
                return false;
            *number = value;
            return true;
        }
    return false;
}

/* A number with up to three digits behind the point, in thousandths. */
static bool read_thousandths(const char *text, int64_t *number, const char **end)
{
    int64_t value, part = 0;

    if (!read_digits(text, false, &value, end) || __builtin_mul_overflow(value, 1000, &value))
        return false;
    if (**end == '.') {
        const char *from = *end + 1;

        if (!read_digits(from, false, &part, end) || *end - from > 3)
            return false;
        for (ptrdiff_t digits = *end - from; digits < 3; digits++)
            part *= 10;
    }
    return !__builtin_add_overflow(value, part, number);
}

/* One part of a duration, such as 5m or 1.5h, which must be of a smaller unit than the one before. */
static bool read_part(const char **text, size_t *from, int64_t *ms)
{
    static const struct named_unit units[] = {
        { "d", 24 * 3600 * 1000 }, { "h", 3600 * 1000 }, { "m", 60 * 1000 }, { "s", 1000 }, { "ms", 1 },
    };
    const char *end;
    int64_t thousandths;

    if (!read_thousandths(*text, &thousandths, &end))
        return false;
    size_t len = strspn(end, "abcdefghijklmnopqrstuvwxyz");

    for (size_t i = *from; i < sizeof(units) / sizeof(*units); i++) {
        if (strlen(units[i].name) != len || strncmp(units[i].name, end, len) != 0)
            continue;
        if (__builtin_mul_overflow(thousandths, units[i].size, &thousandths) || thousandths % 1000)
            return false;
        *ms = thousandths / 1000;
        *text = end + len;
        *from = i + 1;
        return true;
    }
    return false;
}

bool str_to_duration_ms(const char *text, int64_t *ms)
{
    int64_t all = 0, part;
    size_t from = 0;

    if (!text || !*text)
        return false;
    if (str_to_int(text, &part))
        return part >= 0 && (*ms = part, true);
    while (*text)
        if (!read_part(&text, &from, &part) || __builtin_add_overflow(all, part, &all))
            return false;
    *ms = all;
    return true;
}

bool str_to_bytes(const char *text, int64_t *bytes)
{
    static const struct named_unit units[] = {
        { "", 1 }, { "B", 1 }, { "KB", 1 << 10 }, { "MB", 1 << 20 }, { "GB", 1 << 30 },
    };

    return read_with_unit(text, units, sizeof(units) / sizeof(*units), bytes);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool str_url_decode(char *text, bool plus_is_space)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        char c = *from;

        if (c == '+' && plus_is_space) {
            c = ' ';
        } else if (c == '%') {
            int high = hex_value(from[1]);
            int low = high < 0 ? -1 : hex_value(from[2]);

            if (low < 0 || (high == 0 && low == 0))
                return false;
            c = (char)(high << 4 | low);
            from += 2;
        }
        *to++ = c;
    }
    *to = '\0';
    return true;
}

char *str_url_encode(struct arena *arena, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";
    char *encoded = arena_alloc(arena, strlen(text) * 3 + 1, 1);
    char *to = encoded;

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x80 && (isalnum(c) || strchr("-._~", c))) {
            *to++ = (char)c;
            continue;
        }
        *to++ = '%';
        *to++ = hex[c >> 4];
        *to++ = hex[c & 15];
    }
    return encoded;
}

size_t str_distance(const char *a, const char *b)
{
    size_t row[65];
    size_t len = strlen(b);

    if (len > 64 || strlen(a) > 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= len; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);
            size_t shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            corner = row[j];
            row[j] = change < shift ? change : shift;
        }
    }
    return row[len];
}

bool str_is_near(const char *a, const char *b)
{
    size_t one = strlen(a), other = strlen(b);
    size_t shorter = one < other ? one : other, longer = one < other ? other : one;
    size_t most = longer >= 12  ? longer / 4
                  : longer >= 4 ? 2
                                : 1; /* two letters that have changed places count twice */

    return str_distance(a, b) <= most || (shorter >= 3 && strncasecmp(a, b, shorter) == 0);
}

uint64_t str_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}
