/*
 * err.h - how a function says no.
 *
 * A function that can fail returns bool and takes a `struct err *` last. True: it did what its name
 * says, and err is untouched. False: err holds one code for machines, one sentence for people and,
 * where there is one, the field that was wrong. Nothing below the edge logs or exits; the edge turns
 * the code into its own dialect (HTTP status, exit code) with the one map below.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

/* The machine name is what callers see as "code" unless err->name says something more exact. */
/* clang-format off */
#define ERR_MAP(X)                                                        \
    /* name             machine name              http  exit */           \
    X(INVALID,          "invalid",                 400,  2)               \
    X(UNAUTHORIZED,     "unauthorized",            401,  4)               \
    X(FORBIDDEN,        "forbidden",               403,  4)               \
    X(NOT_FOUND,        "not_found",               404,  1)               \
    X(BAD_METHOD,       "method_not_allowed",      405,  1)               \
    X(CONFLICT,         "conflict",                409,  7)               \
    X(TOO_LARGE,        "too_large",               413,  1)               \
    X(NOT_JSON,         "unsupported_media_type",  415,  1)               \
    X(RATE_LIMITED,     "rate_limited",            429,  1)               \
    X(UNAVAILABLE,      "unavailable",             503,  8)               \
    X(OUTCOME_UNKNOWN,  "outcome_unknown",         503,  8)               \
    X(INTERNAL,         "internal",                500,  1)               \
    X(DUE,              "due",                     503,  8)               \
    X(RETRY,            "retry",                   503,  8)               \
    X(DECLINED,         "declined",                500,  6)
/* clang-format on */

/*
 * Two codes never leave the server: ERR_DUE (a read met an overdue row: apply deadlines, read again)
 * and ERR_RETRY (PostgreSQL asked for the transaction to be run again from scratch). One never reaches it:
 * ERR_DECLINED (whoever sits at the terminal was asked whether to go on, and did not say so).
 */
enum err_code {
    ERR_NONE,
#define X(code, name, http, exit) ERR_##code,
    ERR_MAP(X)
#undef X
};

struct err {
    enum err_code code;
    bool raw;           /* the text has the database's own words: for logs and tools, not for callers */
    int retry_after_s;  /* for 429 and 503; 0: the edge's default */
    const char *name;   /* a more exact machine name with static lifetime ("late"), or NULL */
    const char *detail; /* further JSON members in the call's arena ("\"winner\":{...}"), or NULL */
    char field[64];     /* the field that was wrong, or "" */
    char text[320];     /* one sentence for people */
    char hint[240];     /* what to do about it, or "" */
};

/* Each records the failure and returns false, so `return err_set(...)` reads as one thought. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool err_field(struct err *err, const char *field, const char *fmt, ...) /* ERR_INVALID */
    __attribute__((format(printf, 3, 4)));
bool err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool err_no_memory(struct err *err); /* ERR_UNAVAILABLE, for a moment */

int err_http(enum err_code code);
int err_exit(enum err_code code);
const char *err_name(const struct err *err);
/*
 * The text as callers may see it. What the database said names its tables and may quote rows: they get a
 * sentence of ours instead.
 */
const char *err_for_callers(const struct err *err);

#define CHECKED __attribute__((warn_unused_result))

#endif
