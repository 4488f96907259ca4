/*
 * The map from code to name, status and exit code is one X-macro (ERR_MAP), so that a code which lacks one of
 * them does not compile. The database's own words (raw) never reach a caller.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

/* What an earlier failure left behind must not decorate this one. */
static void err_start(struct err *err, enum err_code code)
{
    err->code = code;
    err->raw = false;
    err->retry_after_s = 0;
    err->name = NULL;
    err->detail = NULL;
    err->field[0] = '\0';
    err->hint[0] = '\0';
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list args;

    err_start(err, code);
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return false;
}

bool err_field(struct err *err, const char *field, const char *fmt, ...)
{
    va_list args;

    err_start(err, ERR_INVALID);
    snprintf(err->field, sizeof(err->field), "%s", field);
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return false;
}

bool err_hint(struct err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->hint, sizeof(err->hint), fmt, args);
    va_end(args);
    return false;
}

bool err_no_memory(struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, "The server is out of memory for this. Try again.");
    err->retry_after_s = 1;
    return false;
}

int err_http(enum err_code code)
{
    switch (code) {
    case ERR_NONE: return 200;
#define X(code, name, http, exit) \
    case ERR_##code: return http;
        ERR_MAP(X)
#undef X
    }
    return 500;
}

int err_exit(enum err_code code)
{
    switch (code) {
    case ERR_NONE: return 0;
#define X(code, name, http, exit) \
    case ERR_##code: return exit;
        ERR_MAP(X)
#undef X
    }
    return 1;
}

const char *err_name(const struct err *err)
{
    if (err->name)
        return err->name;
    switch (err->code) {
    case ERR_NONE: return "ok";
#define X(code, name, http, exit) \
    case ERR_##code: return name;
        ERR_MAP(X)
#undef X
    }
    return "internal";
}

const char *err_for_callers(const struct err *err)
{
    if (!err->raw)
        return err->text;
    switch (err->code) {
    case ERR_CONFLICT: return "This conflicts with something that is there already.";
    case ERR_INVALID: return "A value was refused by the store.";
    case ERR_UNAVAILABLE: return "The store cannot serve this right now. Try again.";
    default: return "Something went wrong in the server; its log says what.";
    }
}
