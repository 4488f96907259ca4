#include "server/variables.h"

#include "base/str.h"
#include "server/config.h"

#include <string.h>

#define PREFIX "WITAN_"

/* Variables that are no settings. */
static const char *const other_variables[] = {
    "WITAN_DB", "WITAN_URL", "WITAN_TOKEN", "WITAN_WORKSPACE", "WITAN_PROJECT", "WITAN_TEST",
};

/*
 * What others set under this name, by how it begins: whoever runs containers names variables after services,
 * and witan may be one (WITAN_PORT=tcp://..., which a person would not write); and those of the tests.
 */
static const char *const foreign_variables[] = { "WITAN_SERVICE_HOST=", "WITAN_SERVICE_PORT",
                                                 "WITAN_PORT=tcp:", "WITAN_PORT_", "WITAN_TEST_" };

#define OTHERS  (sizeof(other_variables) / sizeof(other_variables[0]))
#define FOREIGN (sizeof(foreign_variables) / sizeof(foreign_variables[0]))

/* All that are read, one by one; NULL behind the last. */
static const char *known_at(struct arena *arena, size_t at)
{
    if (at < config_row_count)
        return config_env_name(arena, config_rows[at].key);
    return at - config_row_count < OTHERS ? other_variables[at - config_row_count] : NULL;
}

static bool is_known(struct arena *arena, const char *name)
{
    const char *known;

    for (size_t i = 0; (known = known_at(arena, i)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static bool is_foreign(const char *entry)
{
    for (size_t i = 0; i < FOREIGN; i++)
        if (str_starts(entry, foreign_variables[i]))
            return true;
    return false;
}

const char *variables_mistyped(struct arena *arena, const char *name)
{
    const char *nearest = NULL, *known;

    for (size_t i = 0; (known = known_at(arena, i)); i++)
        if (str_distance(name, known) <= 2)
            nearest = known;
    return nearest;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len > end_len && text[len - end_len - 1] == '_' && strcmp(text + len - end_len, end) == 0;
}

/* What may be meant: WITAN_SERVER_LISTEN by WITAN_LISTEN, or what is spelled alike; NULL: nothing. */
static const char *meant(struct arena *arena, const char *name)
{
    const char *nearest = NULL, *known;
    size_t best = strlen(name) / 3;

    for (size_t i = 0; (known = known_at(arena, i)); i++) {
        size_t distance = str_distance(name, known);

        if (ends_with(known, name + strlen(PREFIX)))
            return known;
        if (distance < best) {
            best = distance;
            nearest = known;
        }
    }
    return nearest;
}

const char *variables_unknown(char *const *variables, struct arena *arena, size_t *at, const char **nearest)
{
    while (variables && variables[*at]) {
        const char *entry = variables[(*at)++];
        const char *name = arena_copy(arena, entry, strcspn(entry, "="));

        if (!str_starts(name, PREFIX) || is_foreign(entry) || is_known(arena, name))
            continue;
        *nearest = meant(arena, name);
        return name;
    }
    return NULL;
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
    const char *name, *nearest;
    size_t at = 0;

    while ((name = variables_unknown(variables, arena, &at, &nearest))) {
        nearest = variables_mistyped(arena, name);
        if (!nearest)
            continue;
        err_set(err, ERR_INVALID, "There is no variable %s.", name);
        return err_hint(err, "Did you mean %s?", nearest);
    }
    return true;
}
