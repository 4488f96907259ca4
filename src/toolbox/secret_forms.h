/*
 * secret_forms.h - the forms in which secrets are looked for (secrets.h), in the order in which they are
 * found.
 *
 * Thread: any; nothing changes.
 */
#ifndef TOOLBOX_SECRET_FORMS_H
#define TOOLBOX_SECRET_FORMS_H

#include "toolbox/secrets.h"

#include <stddef.h>
#include <stdint.h>

/* Each has SECRET_LEAST bytes or more. */
struct secret_form {
    uint64_t begin; /* its first eight bytes */
    const char *text;
    size_t len;
};

#define SECRET_BEGINNINGS 65536

/* Sorted by how they begin, the longer first. */
struct secret_forms {
    const struct secret_form *all;
    size_t count;
    uint64_t begins[SECRET_BEGINNINGS / 64]; /* a bit for each beginning, some of which share one */
};

/* How long the longest is that stands at the beginning of these bytes; 0: none does. */
size_t secret_forms_at(const struct secret_forms *forms, const char *bytes, size_t len);

#endif
