/*
 * The address is taken apart by libpq and handed on as PGHOST, PGPASSWORD and so on. Variables of this
 * process that mean the same are left out, or one from the shell would win over the address.
 */
#include "db/pgtool.h"

#include <errno.h>
#include <libpq-fe.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool parse(const char *url, PQconninfoOption **options, struct err *err)
{
    *options = PQconninfoParse(url, NULL);
    return *options || err_set(err, ERR_INVALID, "The address of the PostgreSQL store cannot be read.");
}

bool pgtool_database(struct arena *arena, const char *url, const char **name, struct err *err)
{
    PQconninfoOption *options;

    if (!parse(url, &options, err))
        return false;
    *name = NULL;
    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (strcmp(o->keyword, "dbname") == 0)
            *name = arena_text(arena, o->val);
    PQconninfoFree(options);
    return *name || err_set(err, ERR_INVALID, "The address of the PostgreSQL store names no database.");
}

/* This process's environment, in which the url's parts take the place of variables of the same meaning. */
static char **environment(struct arena *arena, const PQconninfoOption *options)
{
    size_t count = 0, at = 0;

    while (environ[count])
        count++;
    for (const PQconninfoOption *o = options; o->keyword; o++)
        count++;
    char **env = arena_array(arena, char *, count + 1);

    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (o->envvar && o->val)
            env[at++] = arena_format(arena, "%s=%s", o->envvar, o->val);
    size_t own = at;

    for (char **old = environ; *old; old++) {
        size_t len = strcspn(*old, "=") + 1;
        bool taken = false;

        for (size_t i = 0; i < own && !taken; i++)
            taken = strncmp(env[i], *old, len) == 0;
        if (!taken)
            env[at++] = *old;
    }
    env[at] = NULL;
    return env;
}

static bool wait_for(pid_t child, const char *program, struct err *err)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, ERR_INTERNAL, "%s got lost: %s.", program, strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return err_set(err, ERR_UNAVAILABLE, "%s failed; what it said stands above.", program);
}

bool pgtool_run(struct arena *arena, const char *url, const char *const argv[],
                const struct pgtool_files *files, struct err *err)
{
    PQconninfoOption *options;
    posix_spawn_file_actions_t actions;
    pid_t child;

    if (!parse(url, &options, err))
        return false;
    char **env = environment(arena, options);

    posix_spawn_file_actions_init(&actions);
    if (files->in >= 0)
        posix_spawn_file_actions_adddup2(&actions, files->in, STDIN_FILENO);
    if (files->out >= 0)
        posix_spawn_file_actions_adddup2(&actions, files->out, STDOUT_FILENO);
    /* posix_spawnp does not change the words, though its type cannot say so. */
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, env);

    posix_spawn_file_actions_destroy(&actions);
    PQconninfoFree(options);
    if (failed == ENOENT) {
        err_set(err, ERR_NOT_FOUND, "There is no %s here.", argv[0]);
        return err_hint(err, "It comes with PostgreSQL's client programs (Debian: postgresql-client).");
    }
    if (failed)
        return err_set(err, ERR_UNAVAILABLE, "%s does not start: %s.", argv[0], strerror(failed));
    return wait_for(child, argv[0], err);
}
