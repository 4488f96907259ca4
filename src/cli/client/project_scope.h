/*
 * project_scope.h - which project a command is about.
 *
 * People name a project by --project or WITAN_PROJECT, by its id or its name. Without either, the only
 * project there is is meant; and what has an id of its own (a task, a set of questions) is looked for in
 * every project that the caller sees, so that an id alone is enough on the command line.
 */
#ifndef CLI_CLIENT_PROJECT_SCOPE_H
#define CLI_CLIENT_PROJECT_SCOPE_H

#include "cli/client/invoke.h"

#define SCOPE_PROJECT \
    { \
        "project", "PROJECT", .help = "Id or name. Else WITAN_PROJECT, else the only one there is." \
    }
#define SCOPE_EACH \
    { \
        "project", "PROJECT", .help = "Id or name. Else WITAN_PROJECT, else all that you see." \
    }
#define SCOPE_FOUND \
    { \
        "project", "PROJECT", .help = "Id or name. Else WITAN_PROJECT, else the one that has it." \
    }

/* The id of the project that a word names; ERR_NOT_FOUND, or ERR_INVALID when several have that name. */
CHECKED bool scope_named(struct cli *cli, const char *word, const char **id, struct err *err);
/* Puts the id in the place of every project on the command line that was given by its name. */
CHECKED bool scope_resolve(struct cli *cli, struct err *err);
/* The project of --project, WITAN_PROJECT, or the only one. */
CHECKED bool scope_project(struct cli *cli, const char **id, struct err *err);
/*
 * That of --project or WITAN_PROJECT, else all that the caller sees: {id, name}, of a named one the id alone.
 * The caller json_decrefs them.
 */
CHECKED bool scope_each(struct cli *cli, json_t **projects, struct err *err);
/* That of scope_project, into the parameter `id`. */
CHECKED bool scope_into(struct cli *cli, json_t *params, struct err *err);
/* Whether a project has it; false with ERR_NOT_FOUND: it does not, any other error ends the search. */
typedef bool scope_holds(struct cli *cli, const char *project_id, const char *what, struct err *err);
/* The project that has `what`: a named one is believed, otherwise each is asked. `noun` is for the error. */
CHECKED bool scope_find(struct cli *cli, const char *noun, const char *what, scope_holds *holds,
                        const char **id, struct err *err);
/* As scope_find, of a task. */
CHECKED bool scope_task(struct cli *cli, const char *task_id, const char **id, struct err *err);

/*
 * A list as the server sends it, {member: [...], nextCursor}: all pages in one with --all, else the first.
 * The caller json_decrefs it.
 */
CHECKED bool scope_list(struct cli *cli, const struct op *op, json_t *params, const char *member,
                        json_t **list, struct err *err);
/* A value as one line of JSON. */
int scope_print(struct cli *cli, const json_t *value);

#endif
