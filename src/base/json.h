/*
 * json.h - JSON in and out.
 *
 * Out: a streaming writer that appends to a buffer. It knows where commas go, escapes everything, and
 * builds no tree. In: jansson, wrapped so that its errors become ours and duplicate keys, NUL bytes,
 * bad UTF-8, deep nesting and too many values are refused; out of memory is ERR_UNAVAILABLE.
 *
 * An object is opened with json_map, since jansson owns the names json_object, json_real and json_null.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_out {
    struct buf *buf;
    bool comma; /* the next value needs one */
};

void json_begin(struct json_out *out, struct buf *buf);
void json_map(struct json_out *out, const char *key); /* key NULL: inside a list, or the root */
void json_map_end(struct json_out *out);
void json_list(struct json_out *out, const char *key);
void json_list_end(struct json_out *out);
void json_text(struct json_out *out, const char *key, const char *text); /* NULL writes null */
void json_text_len(struct json_out *out, const char *key, const char *text, size_t len);
void json_int(struct json_out *out, const char *key, int64_t number);
void json_double(struct json_out *out, const char *key, double number); /* NaN and infinities: null */
void json_bool(struct json_out *out, const char *key, bool value);
void json_none(struct json_out *out, const char *key);
void json_time(struct json_out *out, const char *key, int64_t ms); /* RFC 3339, UTC, milliseconds */
/* Text that is JSON already; NULL writes null. */
void json_raw(struct json_out *out, const char *key, const char *json);
void json_value(struct json_out *out, const char *key, const json_t *value);

/*
 * What the tree of this text will take, roughly and rather too much, from one pass that builds nothing. False
 * when it is too deep or has too many values (LIMIT_JSON_DEPTH, LIMIT_JSON_VALUES); whether it is JSON at all
 * is for json_parse to say.
 */
CHECKED bool json_measure(const char *text, size_t len, size_t *bytes, struct err *err);
/* Parses one whole text, within the same limits. The caller json_decrefs the result. */
CHECKED bool json_parse(const char *text, size_t len, json_t **out, struct err *err);
/* Whether two texts are the same value, however they are written: a store may write its own way. NULLs are
 * equal to each other only, and what is no JSON to nothing. */
bool json_same(const char *one, const char *other);
/* The compact text of a value, in the arena. */
char *json_dump_text(struct arena *arena, const json_t *value);
/* Whether a text of one line, shown without its quotes, could be taken for another value than this text. */
bool json_reads_otherwise(const char *text);
/* A list of texts, as statements take it. */
char *json_texts(struct arena *arena, const char *const texts[], size_t count);

static inline void json_free_auto(json_t **value)
{
    json_decref(*value);
}
#define JSON_AUTO __attribute__((cleanup(json_free_auto))) json_t

#endif
