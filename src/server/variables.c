#include "server/variables.h"

#include "base/str.h"
#include "server/config.h"

#include <string.h>

/* Variables that are no settings. */
static const char *const other_variables[] = {
    "WITAN_DB", "WITAN_URL", "WITAN_TOKEN", "WITAN_WORKSPACE", "WITAN_PROJECT", "WITAN_TEST",
};

static bool looks_like(const char *name, const char *known, bool *same)
{
    size_t distance = str_distance(name, known);

    *same |= distance == 0;
    return distance <= 2;
}

/*
 * A variable that is nearly one of ours is a slip of the pen, and would do nothing. One that is like none
 * belongs to somebody else: whoever runs containers names variables after services, too.
 */
static bool check_variable(struct arena *arena, const char *name, struct err *err)
{
    const char *nearest = NULL;
    bool known = false;

    for (size_t i = 0; i < config_row_count; i++) {
        const char *variable = config_env_name(arena, config_rows[i].key);

        if (looks_like(name, variable, &known))
            nearest = variable;
    }
    for (size_t i = 0; i < sizeof(other_variables) / sizeof(other_variables[0]); i++)
        if (looks_like(name, other_variables[i], &known))
            nearest = other_variables[i];
    if (known || !nearest)
        return true;
    err_set(err, ERR_INVALID, "There is no variable %s.", name);
    return err_hint(err, "Did you mean %s?", nearest);
}

const char *variables_get(char *const *variables, const char *name)
{
    size_t len = strlen(name);

    for (char *const *at = variables; at && *at; at++)
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
            return *at + len + 1;
    return NULL;
}

bool variables_check(char *const *variables, struct arena *arena, struct err *err)
{
    for (char *const *at = variables; at && *at; at++) {
        size_t len = strcspn(*at, "=");

        if (str_starts(*at, "WITAN_") && !check_variable(arena, arena_copy(arena, *at, len), err))
            return false;
    }
    return true;
}
