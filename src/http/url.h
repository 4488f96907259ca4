/*
 * url.h - query strings, taken apart.
 *
 * The raw text behind the '?' becomes pairs of decoded texts in an arena. '+' reads as a space, as forms
 * send it. Bad escapes, %00, text that is not UTF-8, a name given twice and more than URL_PAIRS pairs are
 * refused, so that nothing below has two opinions about what was asked.
 */
#ifndef HTTP_URL_H
#define HTTP_URL_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

#define URL_PAIRS 64

struct url_pair {
    const char *name, *value; /* "a" and "a=" both have the value "" */
};

struct url_query {
    struct url_pair pairs[URL_PAIRS];
    size_t count;
};

CHECKED bool url_parse_query(struct arena *arena, const char *raw, struct url_query *query, struct err *err);
/* The same for the body of a form (application/x-www-form-urlencoded), which may be as long as a body. */
CHECKED bool url_parse_form(struct arena *arena, const char *body, size_t len, struct url_query *fields,
                            struct err *err);
/* The value of a name, or NULL. */
const char *url_value(const struct url_query *query, const char *name);

#endif
