/*
 * about.h - what a row of a list is about, as an object of its reply: its kind, what it is called, and by
 * which ids it is opened.
 */
#ifndef OPS_ABOUT_H
#define OPS_ABOUT_H

#include "core/search/naming.h"
#include "ops/op.h"

extern const struct field about_fields[];

/* The object, or null when there is no name. */
void about_write(const struct named *named, struct json_out *out);

#endif
