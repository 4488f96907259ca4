/*
 * A line is put together in memory and written with one call, so that lines of several threads do not mix.
 * What could end a line or steer a terminal is escaped: values come from callers.
 */
#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = { "debug", "info", "warn", "error" };
static atomic_int least_level = LOG_INFO;
static atomic_bool as_json;

void log_setup(enum log_level least, bool json)
{
    atomic_store(&least_level, (int)least);
    atomic_store(&as_json, json);
}

bool log_level_parse(const char *text, enum log_level *level)
{
    for (int i = LOG_DEBUG; i <= LOG_ERROR; i++)
        if (str_equal(text, level_names[i])) {
            *level = (enum log_level)i;
            return true;
        }
    return false;
}

bool log_wants(enum log_level level)
{
    return (int)level >= atomic_load(&least_level);
}

/* A character that could end the line, steer a terminal, or hide what is shown. */
static bool is_dangerous(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

static void put_safe(struct buf *buf, const char *text, size_t len, bool quoted)
{
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t code = 0xFFFD;

        step = str_decode(text + at, len - at, &code);
        if (step == 0 || is_dangerous(code))
            buf_format(buf, "\\u%04x", (unsigned)code);
        else if (quoted && (code == '"' || code == '\\'))
            buf_format(buf, "\\%c", (int)code);
        else
            buf_add(buf, text + at, step);
        if (step == 0)
            step = 1;
    }
}

static bool needs_quotes(const char *value, size_t len)
{
    if (len == 0)
        return true;
    for (size_t i = 0; i < len; i++)
        if (value[i] <= ' ' || value[i] > '~' || strchr("\"\\=", value[i]))
            return true;
    return false;
}

static void put_text_pair(struct buf *buf, const char *key, const char *value)
{
    if (!value)
        return;

    size_t len = str_fitting(value, LIMIT_LOG_VALUE);
    bool quoted = needs_quotes(value, len);

    buf_format(buf, " %s=", key);
    if (quoted)
        buf_char(buf, '"');
    put_safe(buf, value, len, quoted);
    if (quoted)
        buf_char(buf, '"');
}

static void build_text(struct buf *buf, enum log_level level, const char *message, va_list pairs)
{
    char time[CLOCK_TEXT_SIZE];
    const char *key;

    clock_format(clock_now_ms(), time);
    buf_format(buf, "%s %-5s ", time, level_names[level]);
    put_safe(buf, message, str_fitting(message, LIMIT_LOG_VALUE), false);
    while (buf->len < LIMIT_LOG_LINE && (key = va_arg(pairs, const char *)))
        put_text_pair(buf, key, va_arg(pairs, const char *));
    buf_char(buf, '\n');
}

static void build_json(struct buf *buf, enum log_level level, const char *message, va_list pairs)
{
    struct json_out out;
    const char *key;

    json_begin(&out, buf);
    json_map(&out, NULL);
    json_time(&out, "time", clock_now_ms());
    json_text(&out, "level", level_names[level]);
    json_text_len(&out, "msg", message, str_fitting(message, LIMIT_LOG_VALUE));
    while (buf->len < LIMIT_LOG_LINE && (key = va_arg(pairs, const char *))) {
        const char *value = va_arg(pairs, const char *);

        if (value)
            json_text_len(&out, key, value, str_fitting(value, LIMIT_LOG_VALUE));
        else
            json_none(&out, key);
    }
    json_map_end(&out);
    buf_char(buf, '\n');
}

/* A log that cannot be written has nobody left to tell. */
static void write_line(const struct buf *buf)
{
    while (write(STDERR_FILENO, buf->bytes, buf->len) < 0 && errno == EINTR)
        continue;
}

void log_line(enum log_level level, const char *message, ...)
{
    BUF_AUTO buf = { 0 };
    va_list pairs;

    if (!log_wants(level))
        return;
    va_start(pairs, message);
    if (atomic_load(&as_json))
        build_json(&buf, level, message, pairs);
    else
        build_text(&buf, level, message, pairs);
    va_end(pairs);
    write_line(&buf);
}
