#include "server/service.h"

#include "base/str.h"
#include "server/unit.h"
#include "server/variables.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIT_NAME "witan.service"

static bool refuse(struct service *service, const char *why, struct err *err)
{
    return err_set(err, ERR_INVALID, "Cannot tell which store the service %s works on: %s.", service->unit,
                   why);
}

/* Marks that systemd takes for itself; behind an @ a second word is what the program is called. */
static const char *const marks = "@-:+!|";

/* The options of `witan serve` that say where its settings and its store are. */
static bool read_start(const struct unit *unit, struct service *service, struct err *err)
{
    char *const *words = unit->start.items;
    bool serves = false;

    if (unit->start.count == 0)
        return refuse(service, "it has no ExecStart=", err);
    const char *program = words[0] + strspn(words[0], marks), *slash = strrchr(program, '/');

    for (size_t i = 1; i < unit->start.count; i++) {
        const char **option = str_starts(words[i], "--db")       ? &service->db
                              : str_starts(words[i], "--config") ? &service->config
                                                                 : NULL;
        const char *equals = strchr(words[i], '=');

        serves |= strcmp(words[i], "serve") == 0;
        if (option && equals)
            *option = equals + 1;
        else if (option)
            *option = words[i + 1]; /* behind the last word stands NULL */
    }
    return (serves && str_starts(slash ? slash + 1 : program, "witan")) ||
           refuse(service, "its ExecStart= is not `witan serve`", err);
}

static void read_user(const struct unit *unit, struct service *service, struct arena *arena)
{
    const struct passwd *user;
    const struct group *group;
    int64_t number;

    service->user = unit->user ? unit->user : unit->dynamic_user ? "a user of its own" : "root";
    service->user_known = !unit->user && !unit->dynamic_user;
    user = unit->user ? getpwnam(unit->user) : NULL;
    if (!user && unit->user && str_to_int(unit->user, &number)) {
        service->user_known = true;
        service->uid = (uid_t)number;
        service->gid = (gid_t)number;
        user = getpwuid(service->uid);
    }
    if (user) {
        service->user_known = true;
        service->uid = user->pw_uid;
        service->gid = user->pw_gid;
        service->user = arena_text(arena, user->pw_name);
    }
    group = unit->group ? getgrnam(unit->group) : NULL;
    if (group)
        service->gid = group->gr_gid;
}

/* systemd gives a service the home of its user, unless the unit names another. */
static void add_home(const struct unit *unit, const struct service *service, struct word_list *variables,
                     struct arena *arena)
{
    const struct passwd *user = unit->user && service->user_known ? getpwuid(service->uid) : NULL;

    if (user && !variables_get(variables->items, "HOME"))
        word_list_set(variables, arena, arena_format(arena, "HOME=%s", user->pw_dir));
}

bool service_find(struct arena *arena, const char *root, struct service *service, struct err *err)
{
    struct unit unit;
    struct err why = { 0 };
    bool read = unit_read(arena, root, UNIT_NAME, &unit, &why);

    *service = (struct service){ .unit = unit.path };
    if (!unit.path)
        return true;
    read_user(&unit, service, arena);
    if (!read) {
        (void)refuse(service, why.text, err);
        err->code = why.code;
        return false;
    }
    if (unit.has_root || unit.has_image)
        return refuse(service, "it has a root folder of its own", err);
    if (!read_start(&unit, service, err))
        return false;
    add_home(&unit, service, &unit.variables, arena);
    service->variables = unit.variables.items ? unit.variables.items : arena_array(arena, char *, 1);
    service->settings = service->config ? service->config : config_file_of(arena, service->variables);
    return true;
}

bool service_config(struct arena *arena, const struct service *service, struct config *config,
                    struct err *err)
{
    struct word_list variables = { 0 };
    struct config_sources sources = { .file = service->config,
                                      .store_url = service->db,
                                      .needs_store = true };

    for (char *const *at = service->variables; *at; at++)
        word_list_add(&variables, arena, *at);
    for (char **at = environ; at && *at; at++)
        if (str_starts(*at, "WITAN_") && !str_starts(*at, "WITAN_DB="))
            word_list_set(&variables, arena, *at);
    sources.variables = variables.items ? variables.items : service->variables;
    return config_load(config, &sources, err);
}

void service_use_postgres(struct arena *arena, const struct service *service)
{
    const char *home = variables_get(service->variables, "HOME");
    const char *kept = home ? arena_format(arena, "%s/.pgpass", home) : NULL;

    if (kept && access(kept, R_OK) == 0)
        setenv("PGPASSFILE", kept, 1);
    for (char *const *at = service->variables; *at; at++)
        if (str_starts(*at, "PG") && strchr(*at, '='))
            setenv(arena_copy(arena, *at, strcspn(*at, "=")), strchr(*at, '=') + 1, 1);
}
