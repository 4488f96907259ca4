#include "edge/wish.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

bool stream_wish_check(struct stream_wish *wish, const char *after, struct err *err)
{
    size_t types = 1;

    wish->after = -1;
    if (after && (!str_to_int(after, &wish->after) || wish->after < 0))
        return err_field(err, "after", "after must be the number of an event.");
    for (const char *at = wish->types; at && *at; at++)
        types += *at == ',';
    if (types > LIMIT_TYPES_FILTER)
        return err_field(err, "types", "types names too many: %d at most.", LIMIT_TYPES_FILTER);
    return true;
}

static char *put(char **room, const char *text)
{
    char *at = *room;

    if (!text)
        return NULL;
    *room = stpcpy(at, text) + 1;
    return at;
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* One block: the list of types, then all texts. Empty names are left out. */
char *stream_wish_filter(const struct stream_wish *wish, const char *workspace_id, const char *bound_project,
                         struct notice_filter *filter)
{
    const char *project = bound_project ? bound_project : wish->project_id;
    size_t list = (LIMIT_TYPES_FILTER + 1) * sizeof(char *), count = 0;
    bool typed = wish->types && wish->types[0];

    list = typed ? list : 0;
    char *block = malloc(1 + list + size_of(project) + size_of(wish->job_id) + size_of(wish->discussion_id) +
                         size_of(wish->types));
    char *room = block ? block + list : NULL;

    if (!block)
        abort();
    *filter = (struct notice_filter){ .workspace_id = workspace_id,
                                      .project_id = put(&room, project),
                                      .job_id = put(&room, wish->job_id),
                                      .discussion_id = put(&room, wish->discussion_id) };
    if (!typed)
        return block;

    const char **types = (const char **)(void *)block;
    char *rest = put(&room, wish->types), *save = NULL;

    for (char *type = strtok_r(rest, ", ", &save); type && count < LIMIT_TYPES_FILTER;
         type = strtok_r(NULL, ", ", &save))
        types[count++] = type;
    types[count] = NULL;
    filter->types = types;
    return block;
}
