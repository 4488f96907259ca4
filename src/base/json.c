/*
 * Writing is what every reply does, so plain text is looked at eight bytes at a time and goes out in one
 * copy. Before anything is parsed, the text is measured in one pass without memory: depth and the number of
 * values bound what the parser may build.
 */
#include "base/json.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_begin(struct json_out *out, struct buf *buf)
{
    *out = (struct json_out){ .buf = buf };
}

/* Characters that a JSON text forbids, and those that a terminal or a script would take for more than text.
 */
static bool needs_escape(uint32_t code)
{
    return code < 0x20 || code == '"' || code == '\\' || (code >= 0x7F && code <= 0x9F) || code == 0x2028 ||
           code == 0x2029 || code == 0xFFFE || code == 0xFFFF;
}

static void put_escape(struct buf *buf, uint32_t code)
{
    switch (code) {
    case '"': buf_add(buf, "\\\"", 2); return;
    case '\\': buf_add(buf, "\\\\", 2); return;
    case '\n': buf_add(buf, "\\n", 2); return;
    case '\r': buf_add(buf, "\\r", 2); return;
    case '\t': buf_add(buf, "\\t", 2); return;
    default: buf_format(buf, "\\u%04x", (unsigned)code);
    }
}

/* Eight bytes at once: none below 0x20, none from 0x7F on, no quote and no backslash. */
static bool eight_are_plain(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    uint64_t quotes = word ^ ones * '"', slashes = word ^ ones * '\\';

    return ((word | (word - ones * 0x20) | (word + ones) | (quotes - ones) | (slashes - ones)) & tops) == 0;
}

/* How many bytes from here on are ASCII that goes out as it is: nearly all text is one such run. */
static size_t plain_run(const char *text, size_t len)
{
    size_t at = 0;

    while (len - at >= 8 && eight_are_plain(text + at))
        at += 8;
    /* The rest is looked at once more together with the bytes before it. */
    if (len >= 8 && len - at < 8 && eight_are_plain(text + len - 8))
        return len;
    for (; at < len; at++) {
        unsigned char c = (unsigned char)text[at];

        if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\')
            break;
    }
    return at;
}

/* Short plain text, which most is, goes out in one piece; false when it has to take the longer way. */
static bool put_plain(struct buf *buf, const char *text, size_t len)
{
    if (buf->full || buf->room - buf->len < len + 3 || plain_run(text, len) < len)
        return false;

    char *at = buf->bytes + buf->len;

    *at++ = '"';
    if (len > 0)
        memcpy(at, text, len);
    memcpy(at + len, "\"", 2);
    buf->len += len + 2;
    return true;
}

/* The same for a key with the comma before it and the colon behind. */
static bool put_plain_key(struct buf *buf, bool comma, const char *key, size_t len)
{
    if (buf->full || buf->room - buf->len < len + 5 || plain_run(key, len) < len)
        return false;

    char *at = buf->bytes + buf->len;

    *at = ',';
    at += comma;
    *at++ = '"';
    memcpy(at, key, len);
    memcpy(at + len, "\":", 3);
    buf->len += comma + len + 3;
    return true;
}

/* A byte that is no UTF-8 becomes U+FFFD, so that one bad column cannot spoil a whole reply. */
static void put_quoted(struct buf *buf, const char *text, size_t len)
{
    size_t written = 0;

    if (put_plain(buf, text, len))
        return;
    buf_char(buf, '"');
    for (size_t at = plain_run(text, len); at < len; at += plain_run(text + at, len - at)) {
        uint32_t code = 0xFFFD;
        size_t step = str_decode(text + at, len - at, &code);

        if (step == 0 || needs_escape(code)) {
            buf_add(buf, text + written, at - written);
            put_escape(buf, code);
            written = at + (step ? step : 1);
        }
        at += step ? step : 1;
    }
    buf_add(buf, text + written, len - written);
    buf_char(buf, '"');
}

/* What stands before a value: a comma where one is due, and the key where there is one. */
static void put_key(struct json_out *out, const char *key)
{
    size_t len = key ? strlen(key) : 0;
    bool comma = out->comma;

    out->comma = true;
    if (key && put_plain_key(out->buf, comma, key, len))
        return;
    if (comma)
        buf_char(out->buf, ',');
    if (key) {
        put_quoted(out->buf, key, len);
        buf_char(out->buf, ':');
    }
}

static void put_open(struct json_out *out, const char *key, char bracket)
{
    put_key(out, key);
    buf_char(out->buf, bracket);
    out->comma = false;
}

static void put_close(struct json_out *out, char bracket)
{
    buf_char(out->buf, bracket);
    out->comma = true;
}

void json_map(struct json_out *out, const char *key)
{
    put_open(out, key, '{');
}

void json_map_end(struct json_out *out)
{
    put_close(out, '}');
}

void json_list(struct json_out *out, const char *key)
{
    put_open(out, key, '[');
}

void json_list_end(struct json_out *out)
{
    put_close(out, ']');
}

void json_text(struct json_out *out, const char *key, const char *text)
{
    if (text)
        json_text_len(out, key, text, strlen(text));
    else
        json_none(out, key);
}

void json_text_len(struct json_out *out, const char *key, const char *text, size_t len)
{
    put_key(out, key);
    put_quoted(out->buf, text, len);
}

void json_int(struct json_out *out, const char *key, int64_t number)
{
    char digits[24], *at = digits + sizeof(digits);
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--at = '-';
    put_key(out, key);
    buf_add(out->buf, at, (size_t)(digits + sizeof(digits) - at));
}

/* The shorter of the two spellings that reads back as the same number, with a point in every locale. */
void json_double(struct json_out *out, const char *key, double number)
{
    char digits[40];

    if (!isfinite(number)) {
        json_none(out, key);
        return;
    }
    snprintf(digits, sizeof(digits), "%.15g", number);
    if (fabs(strtod(digits, NULL) - number) > 0)
        snprintf(digits, sizeof(digits), "%.17g", number);

    char *comma = strchr(digits, ',');

    if (comma)
        *comma = '.';
    json_raw(out, key, digits);
}

void json_bool(struct json_out *out, const char *key, bool value)
{
    json_raw(out, key, value ? "true" : "false");
}

void json_none(struct json_out *out, const char *key)
{
    json_raw(out, key, "null");
}

void json_time(struct json_out *out, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT_SIZE];

    clock_format(ms, text);
    json_text_len(out, key, text, sizeof(text) - 1);
}

void json_raw(struct json_out *out, const char *key, const char *json)
{
    put_key(out, key);
    buf_text(out->buf, json ? json : "null");
}

static void put_members(struct json_out *out, const json_t *value)
{
    const char *key;
    json_t *member;

    json_object_foreach((json_t *)(uintptr_t)value, key, member) json_value(out, key, member);
}

void json_value(struct json_out *out, const char *key, const json_t *value)
{
    if (json_is_object(value)) {
        json_map(out, key);
        put_members(out, value);
        json_map_end(out);
    } else if (json_is_array(value)) {
        json_list(out, key);
        for (size_t i = 0; i < json_array_size(value); i++)
            json_value(out, NULL, json_array_get(value, i));
        json_list_end(out);
    } else if (json_is_string(value)) {
        json_text_len(out, key, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        json_int(out, key, json_integer_value(value));
    } else if (json_is_real(value)) {
        json_double(out, key, json_real_value(value));
    } else if (json_is_boolean(value)) {
        json_bool(out, key, json_is_true(value));
    } else {
        json_none(out, key);
    }
}

bool json_reads_otherwise(const char *text)
{
    static const char *const words[] = { "", "true", "false", "null" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_equal(text, words[i]))
            return true;
    if (strchr("\"{[", *text))
        return !strchr(text, '\n');
    return text[strspn(text, "+-.0123456789eE")] == '\0' &&
           strpbrk(text, "0123456789") == text + (*text == '-');
}

char *json_texts(struct arena *arena, const char *const texts[], size_t count)
{
    BUF_AUTO list = { 0 };
    struct json_out out;

    json_begin(&out, &list);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++)
        json_text(&out, NULL, texts[i]);
    json_list_end(&out);
    return arena_copy(arena, list.bytes, list.len);
}

char *json_dump_text(struct arena *arena, const json_t *value)
{
    BUF_AUTO buf = { 0 };
    struct json_out out;

    json_begin(&out, &buf);
    json_value(&out, NULL, value);
    return arena_copy(arena, buf.bytes, buf.len);
}

/* Where the string that starts with the quote at `at` ends: at its closing quote, or at `end`. */
static size_t string_end(const char *text, size_t at, size_t end)
{
    for (at++; at < end && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < end ? at : end;
}

static bool is_plain_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
            return false;
    return len > 0;
}

/* Names the member of the outermost object whose value holds this place, where there is one. */
static void name_field(const char *text, size_t at, struct err *err)
{
    size_t key = 0, key_len = 0;
    bool in_value = false;
    int depth = 0;

    for (size_t i = 0; i < at; i++) {
        char c = text[i];

        if (c == '"') {
            size_t end = string_end(text, i, at);

            if (depth == 1 && !in_value) {
                key = i + 1;
                key_len = end - key;
            }
            i = end;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (depth == 1 && (c == ':' || c == ',')) {
            in_value = c == ':';
        }
    }
    if (in_value && depth > 0 && is_plain_name(text + key, key_len))
        snprintf(err->field, sizeof(err->field), "%.*s", (int)key_len, text + key);
}

/* Lines and characters are counted from 1, as editors do. */
static bool refuse_at(const char *text, size_t at, const char *why, struct err *err)
{
    int line = 1, column = 1;

    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    err_set(err, ERR_INVALID, "The JSON text is wrong at line %d, column %d: %s.", line, column, why);
    name_field(text, at, err);
    return false;
}

/* What jansson takes for each, with what malloc adds; a text takes its own length more. */
#define OBJECT_BYTES 256
#define LIST_BYTES   160
#define VALUE_BYTES  64
#define KEY_BYTES    96

/*
 * Looks at brackets, commas and strings only, before anything is built: a megabyte of '[' must cost one pass
 * and no memory. A comma stands before each value but the first of a list or object, so values are counted
 * by commas and brackets. Whether it all fits together is the parser's business.
 */
bool json_measure(const char *text, size_t len, size_t *bytes, struct err *err)
{
    bool in_string = false;
    int depth = 0;
    size_t objects = 0, lists = 0, commas = 0, keys = 0;

    for (size_t at = 0; at < len; at++) {
        char c = text[at];

        if (in_string && c == '\\')
            at++;
        else if (c == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if (c == ',')
            commas++;
        else if (c == ':')
            keys++;
        else if (c == '[' || c == '{') {
            *(c == '[' ? &lists : &objects) += 1;
            depth++;
        } else if (c == ']' || c == '}')
            depth--;
        if (depth > LIMIT_JSON_DEPTH)
            return refuse_at(text, at, "it is nested too deeply", err);
        if (commas + objects + lists > LIMIT_JSON_VALUES)
            return refuse_at(text, at, "it has too many values", err);
    }
    *bytes =
        objects * OBJECT_BYTES + lists * LIST_BYTES + (commas + 1) * VALUE_BYTES + keys * KEY_BYTES + len;
    return true;
}

static const char *what_was_wrong(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_premature_end_of_input: return "it ends too early";
    case json_error_end_of_input_expected: return "something follows after its end";
    case json_error_invalid_utf8: return "it is not valid UTF-8";
    case json_error_null_character:
    case json_error_null_byte_in_key: return "NUL characters are not allowed";
    case json_error_duplicate_key: return "an object has the same key twice";
    case json_error_numeric_overflow: return "a number is too large";
    case json_error_stack_overflow: return "it is nested too deeply";
    default: return "this is not expected here";
    }
}

/*
 * The parser gives back what it had when there is no more, though it does not always say why; everything else
 * that makes values does not look.
 */
static _Thread_local bool parsing, ran_out;

static void *take_memory(size_t size)
{
    void *memory = parsing ? malloc(size) : memory_take(size);

    ran_out |= !memory;
    return memory;
}

__attribute__((constructor)) static void use_our_memory(void)
{
    json_set_alloc_funcs(take_memory, free);
}

bool json_parse(const char *text, size_t len, json_t **out, struct err *err)
{
    const char *nul = len ? memchr(text, '\0', len) : NULL;
    json_error_t error;
    size_t bytes;

    if (len == 0)
        return err_set(err, ERR_INVALID, "The JSON text is empty.");
    if (nul)
        return refuse_at(text, (size_t)(nul - text), "NUL characters are not allowed", err);
    if (!json_measure(text, len, &bytes, err))
        return false;

    ran_out = false;
    parsing = true;
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

    parsing = false;
    if (!value && ran_out)
        return err_no_memory(err);
    if (!value) {
        err_set(err, ERR_INVALID, "The JSON text is wrong at line %d, column %d: %s.", error.line,
                error.column, what_was_wrong(&error));
        name_field(text, (size_t)error.position < len ? (size_t)error.position : len, err);
        return false;
    }
    *out = value;
    return true;
}

bool json_same(const char *one, const char *other)
{
    JSON_AUTO *a = NULL;
    JSON_AUTO *b = NULL;
    struct err ignored = { 0 };

    if (!one || !other)
        return one == other;
    return json_parse(one, strlen(one), &a, &ignored) && json_parse(other, strlen(other), &b, &ignored) &&
           json_equal(a, b);
}
