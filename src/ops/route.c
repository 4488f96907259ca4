/*
 * A tree by segments, built once. A walk may have to step back (a literal that leads nowhere, then the
 * parameter), so values that it took on the way are forgotten by setting the count back.
 */
#include "ops/route.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A tree of path segments. Literal children are tried before the one parameter child, so that
 * /api/questions/pending is not taken for a question's id.
 */
struct node {
    const char *text; /* the segment, which goes on in the row, or the parameter's name */
    size_t len;
    bool is_param;
    struct node *child, *sibling;
    struct route_method *methods;
    char allow[64];
};

struct route_method {
    const char *name;
    size_t len;
    const struct op *op;
    struct route_method *next;
};

struct routes {
    struct arena arena;
    struct node root;
};

static struct node *node_child(struct routes *routes, struct node *parent, const char *segment, size_t len)
{
    bool is_param = segment[0] == '{';
    const char *text = is_param ? segment + 1 : segment;
    size_t text_len = is_param ? len - 2 : len;
    struct node **end = &parent->child;

    for (; *end; end = &(*end)->sibling)
        if ((*end)->is_param == is_param && (*end)->len == text_len &&
            memcmp((*end)->text, text, text_len) == 0)
            return *end;
    *end = arena_new(&routes->arena, struct node);
    if (is_param)
        text = arena_copy(&routes->arena, text, text_len);
    **end = (struct node){ .text = text, .len = text_len, .is_param = is_param };
    return *end;
}

static void node_add_method(struct routes *routes, struct node *node, const char *name, size_t len,
                            const struct op *op)
{
    struct route_method *method = arena_new(&routes->arena, struct route_method);
    size_t used = strlen(node->allow);

    *method = (struct route_method){ .name = name, .len = len, .op = op, .next = node->methods };
    node->methods = method;
    snprintf(node->allow + used, sizeof(node->allow) - used, "%s%.*s%s", used ? ", " : "", (int)len, name,
             len == 3 && memcmp(name, "GET", 3) == 0 ? ", HEAD" : "");
}

static void routes_add(struct routes *routes, const char *http, const struct op *op)
{
    const char *path = strchr(http, ' ') + 1;
    struct node *node = &routes->root;

    for (const char *segment = path + 1; segment;) {
        const char *slash = strchr(segment, '/');
        size_t len = slash ? (size_t)(slash - segment) : strlen(segment);

        node = node_child(routes, node, segment, len);
        segment = slash ? slash + 1 : NULL;
    }
    node_add_method(routes, node, http, (size_t)(path - 1 - http), op);
}

struct routes *routes_new(const struct op *const *ops)
{
    struct routes *routes = calloc(1, sizeof(*routes));

    if (!routes)
        abort();
    for (; *ops; ops++) {
        routes_add(routes, (*ops)->http, *ops);
        if ((*ops)->http_also)
            routes_add(routes, (*ops)->http_also, *ops);
    }
    return routes;
}

void routes_free(struct routes *routes)
{
    if (!routes)
        return;
    arena_done(&routes->arena);
    free(routes);
}

struct route_walk {
    struct arena *arena;
    struct route_match *match;
    const struct node *found;
    bool bad_escape;
};

static bool walk_param(struct route_walk *walk, const struct node *node, const char *segment, size_t len)
{
    struct route_match *match = walk->match;
    char *value = arena_copy(walk->arena, segment, len);

    if (len == 0 || match->path_count == sizeof(match->path) / sizeof(match->path[0]))
        return false;
    if (!str_url_decode(value, false)) {
        walk->bad_escape = true;
        return false;
    }
    match->path[match->path_count++] = (struct raw_value){ .name = node->text, .text = value };
    return true;
}

/* Depth is bounded by the table's longest path, since every step follows one of its nodes. */
static bool walk_node(struct route_walk *walk, const struct node *parent, const char *segment)
{
    const char *slash = strchr(segment, '/');
    size_t len = slash ? (size_t)(slash - segment) : strlen(segment);

    for (int params = 0; params < 2; params++) {
        for (const struct node *node = parent->child; node; node = node->sibling) {
            size_t kept = walk->match->path_count;

            if (node->is_param != (params == 1))
                continue;
            if (!node->is_param && (node->len != len || memcmp(node->text, segment, len) != 0))
                continue;
            if (node->is_param && !walk_param(walk, node, segment, len))
                continue;
            if (slash ? walk_node(walk, node, slash + 1) : node->methods != NULL) {
                if (!slash)
                    walk->found = node;
                return true;
            }
            walk->match->path_count = kept;
        }
    }
    return false;
}

bool route_find(const struct routes *routes, struct arena *arena, const char *method, const char *path,
                struct route_match *match, struct err *err)
{
    struct route_walk walk = { .arena = arena, .match = match };
    size_t len = strlen(method);

    *match = (struct route_match){ 0 };
    if (path[0] != '/' || !walk_node(&walk, &routes->root, path + 1))
        return !walk.bad_escape || err_set(err, ERR_NOT_FOUND, "The path holds a bad escape.");
    match->allow = walk.found->allow;
    for (const struct route_method *known = walk.found->methods; known; known = known->next)
        if (known->len == len && memcmp(known->name, method, len) == 0)
            match->op = known->op;
    return true;
}
