/*
 * project.h - what the operations inside a project have in common.
 *
 * In all of them the path's {id} is the project. A handler begins with project_of: the functions of the
 * domain take the project it gives, and there is no other way to come by one.
 */
#ifndef OPS_PROJECT_H
#define OPS_PROJECT_H

#include "core/work/project.h"
#include "ops/op.h"

#define TAG_PROJECTS "Projects and tasks"

#define PROJECT_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The project." \
    }

/* Members of the replies of several of them. */
extern const struct field autonomy_fields[]; /* hilConfig */
extern const char *const autonomy_words[];   /* autonomyLevel */
extern const struct field brief_fields[];    /* what an agent's next prompt must hold */

/* The project that the path names, as this caller sees it. */
CHECKED bool project_of(struct call *call, struct project *project);
/* The same for something in it: the audit row then names that. `name` is the path's parameter. */
CHECKED bool project_of_thing(struct call *call, const char *name, struct project *project, const char **id);
/* Under which name the caller writes: the agent's that its token is bound to, or its own. */
const char *author_of(const struct call *call);

#endif
