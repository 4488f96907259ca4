/*
 * plain_path.h - paths that are no operations, so that the description of the API names them too.
 *
 * Streams never end and health has no caller, so neither fits a row of the operation table; edge serves them
 * (edge/pages.c). What they take and give stands here, for openapi.json and docs/api.md.
 */
#ifndef OPS_PLAIN_PATH_H
#define OPS_PLAIN_PATH_H

#include "ops/op.h"

struct plain_path {
    const char *path; /* always GET */
    const char *name; /* for machines: its operationId */
    const char *tag, *help;
    bool open;              /* needs no token */
    const char *reply_type; /* content type */
    const char *reply_help;
    int status; /* 0: 200 */
    struct field params[8];
};

/* Ends with a NULL path. */
const struct plain_path *plain_path_all(void);

#endif
