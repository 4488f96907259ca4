/*
 * A filter and all its texts are one block, so that changing it is one pointer. Types are checked against the
 * table of events here, since a filter with a typo in it would listen for ever and hear nothing.
 */
#include "edge/stream_filter.h"

#include "base/limits.h"
#include "base/str.h"
#include "ops/event_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN ", "

/* A name that is not in the table would never be heard of. */
static bool check_type(const char *at, size_t len, struct err *err)
{
    char name[LIMIT_NAME + 1];
    const struct event_spec *spec;
    const char *nearest;

    snprintf(name, sizeof(name), "%.*s", (int)(len < LIMIT_NAME ? len : LIMIT_NAME), at);
    spec = event_type_spec(event_type_of(name));
    if (spec && !spec->word)
        return true;
    err_field(err, "types", "There is no event type %s.", name);
    nearest = event_type_nearest(name);
    if (!nearest)
        return err_hint(err, "docs/events.md lists them all.");
    return err_hint(err, "The nearest is %s; docs/events.md lists them all.", nearest);
}

static bool check_types(const char *types, struct err *err)
{
    size_t count = 0;

    for (const char *at = types + strspn(types, BETWEEN); *at; at += strspn(at, BETWEEN)) {
        size_t len = strcspn(at, BETWEEN);

        if (++count > LIMIT_TYPES_FILTER)
            return err_field(err, "types", "types names too many: %d at most.", LIMIT_TYPES_FILTER);
        if (!check_type(at, len, err))
            return false;
        at += len;
    }
    return true;
}

bool stream_filter_check(struct stream_filter *wanted, const char *after, struct err *err)
{
    wanted->after = -1;
    if (after && (!str_to_int(after, &wanted->after) || wanted->after < 0))
        return err_field(err, "after", "after must be the number of an event.");
    return !wanted->types || check_types(wanted->types, err);
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
char *stream_filter_apply(const struct stream_filter *wanted, struct notice_filter *filter)
{
    size_t list = (LIMIT_TYPES_FILTER + 1) * sizeof(enum event_type), count = 0;
    bool typed = wanted->types && wanted->types[0];

    list = typed ? list : 0;
    char *block = malloc(1 + list + size_of(wanted->project_id) + size_of(wanted->job_id) +
                         size_of(wanted->discussion_id) + size_of(wanted->types));
    char *room = block ? block + list : NULL;

    if (!block)
        abort();
    filter->project_id = put(&room, wanted->project_id);
    filter->job_id = put(&room, wanted->job_id);
    filter->discussion_id = put(&room, wanted->discussion_id);
    filter->types = NULL;
    if (!typed)
        return block;

    enum event_type *types = (enum event_type *)(void *)block;
    char *rest = put(&room, wanted->types), *save = NULL;

    for (char *name = strtok_r(rest, BETWEEN, &save); name && count < LIMIT_TYPES_FILTER;
         name = strtok_r(NULL, BETWEEN, &save)) {
        types[count] = event_type_of(name);
        count += types[count] != EVENT_UNKNOWN;
    }
    types[count] = EVENT_UNKNOWN;
    filter->types = types;
    return block;
}
