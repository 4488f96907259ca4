/*
 * yaml.h - a YAML file as dotted keys, and some of its sections as trees.
 *
 * Mappings nest into "a.b.c"; only scalars may stand at the leaves. Each leaf is handed over with its place
 * ("FILE:LINE") so that complaints can point at it. A section that is read as a tree may have lists and
 * mappings in it as it likes, but no name twice in one mapping.
 */
#ifndef SERVER_YAML_H
#define SERVER_YAML_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

typedef bool yaml_take(void *user, const char *key, const char *value, const char *origin, struct err *err);

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    const char *key;                      /* in a mapping, else NULL */
    const char *text;                     /* of YAML_TEXT, else NULL */
    bool quoted;                          /* so that it is a text whatever it looks like */
    const char *place;                    /* its name's, in a mapping */
    const struct yaml_node *first, *next; /* what is in it, in its order; and what stands beside it */
    size_t count;                         /* of what is in it */
};
typedef bool yaml_take_tree(void *user, const struct yaml_node *node, struct err *err);

/* Sections at the top of the file that are trees. */
struct yaml_trees {
    const char *const *names; /* ends with NULL */
    yaml_take_tree *take;     /* the node's key is the section's name; it is gone after the call */
};

/* `trees` may be NULL: then there are none. */
CHECKED bool yaml_read_file(const char *path, yaml_take *take, const struct yaml_trees *trees, void *user,
                            struct err *err);
/* A node as JSON: a plain scalar that looks like a number, true, false or null is one. NULL: no memory. The
 * caller json_decrefs it. */
json_t *yaml_json(const struct yaml_node *node);
/* What stands under that name in a mapping, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *name);

#endif
