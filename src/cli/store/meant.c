#include "cli/store/meant.h"

#include "base/str.h"
#include "cli/cli_config.h"
#include "db/claim.h"
#include "db/db.h"
#include "server/files.h"
#include "server/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *file_of(const char *url)
{
    enum db_engine engine;
    const char *path;
    struct err ignored = { 0 };

    return db_url_engine(url, &engine, &path, &ignored) && engine == DB_SQLITE ? path : NULL;
}

static bool is_there(const char *path)
{
    return path && access(path, F_OK) == 0;
}

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;

    if (!one || !other)
        return false;
    return strcmp(one, other) == 0 ||
           (stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Whether this user can open the service's store, or could make it. */
static bool may_open(const char *url)
{
    ARENA_AUTO arena = { 0 };
    const char *path = file_of(url);

    if (!path || geteuid() == 0)
        return true;
    if (access(path, F_OK) == 0)
        return access(path, R_OK | W_OK) == 0;
    if (errno != ENOENT)
        return false;
    char *folder = arena_text(&arena, path), *slash = strrchr(folder, '/');

    if (slash)
        *slash = '\0';
    return access(folder, W_OK | X_OK) == 0;
}

/* What there is to choose from, when nobody has named a store. */
struct choice {
    struct cli *cli;
    struct service service;
    const char *own; /* the caller's own, by its address; "" where there is no place for it */
};

/* Nobody gets a new store without having asked for one where a service has another. */
static bool own_or_refuse(const struct choice *choice, struct err *err)
{
    if (is_there(file_of(choice->own))) {
        cli_note(
            choice->cli,
            "The service of this machine has a store of its own, which this command would reach with sudo.");
        return true;
    }
    err_set(err, ERR_FORBIDDEN,
            "witan is a service of this machine (%s), and only root may work on its store.",
            choice->service.unit);
    return err_hint(err, "Put sudo before it: `sudo witan %s ...`. For a store of your own name it: --db %s",
                    choice->cli->command->name, *choice->own ? choice->own : "sqlite:/PATH/witan.db");
}

/* A server by hand and a service: whose store is meant cannot be told. */
static bool refuse_two(const struct choice *choice, const char *url, struct err *err)
{
    err_set(err, ERR_CONFLICT, "Two servers run here, the service on %s and one of yours on %s.", url,
            choice->own);
    return err_hint(err, "Say which store is meant: --db URL.");
}

/* The service's, unless a server of the caller's own runs; *takes says which. */
static bool weigh(const struct choice *choice, const char *url, bool *takes, struct err *err)
{
    const char *own = file_of(choice->own), *path = file_of(url);

    *takes = true;
    if (!is_there(own) || same_file(own, path))
        return true;
    if (claim_is_taken(own)) {
        *takes = false;
        return !path || !claim_is_taken(path) || refuse_two(choice, url, err);
    }
    cli_note(choice->cli, "There is another store, %s, which no server uses; --db names it.", choice->own);
    return true;
}

/* What is wrong with the service's files is root's to mend; others only learn that it is not theirs. */
static bool take_service(struct meant *meant, const struct choice *choice, bool *takes, struct err *err)
{
    struct err why = { 0 };
    bool good;

    *takes = false;
    config_done(&meant->config);
    bool loaded = service_config(choice->cli->arena, &choice->service, &meant->config, &why);

    if (!loaded && geteuid() == 0) {
        *err = why;
        return false;
    }
    if (loaded && may_open(meant->config.settings.store_url))
        good = weigh(choice, meant->config.settings.store_url, takes, err);
    else
        good = own_or_refuse(choice, err);
    if (!good || *takes)
        return good;
    config_done(&meant->config);
    return cli_config(choice->cli, &meant->config, err);
}

static bool refuse_owner(const struct service *service, const char *path, struct err *err)
{
    err_set(err, ERR_CONFLICT, "%s does not belong to %s, so the service could not open it.", path,
            service->user);
    return err_hint(err, "`sudo chown -R %s: %s` gives it back; then try again.", service->user, path);
}

/* A service's files are its user's, also those that are yet to be made. */
static bool own_service(struct meant *meant, const struct service *service, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *path = file_of(meant->config.settings.store_url);
    struct stat about;

    meant->unit = service->unit;
    meant->file = service->settings;
    if (!path) {
        service_use_postgres(&meant->config.arena, service);
        if (service->user_known)
            meant->owner = owner_of_ids(service->uid, service->gid);
        return true;
    }
    if (geteuid() != 0)
        return true;
    char *folder = arena_text(&arena, path), *slash = strrchr(folder, '/');

    if (slash && slash != folder)
        *slash = '\0';
    if (stat(folder, &about) == 0 && service->user_known && about.st_uid != service->uid)
        return refuse_owner(service, folder, err);
    if (stat(path, &about) == 0 && service->user_known && about.st_uid != service->uid)
        return refuse_owner(service, path, err);
    if (service->user_known) {
        meant->owner = owner_of_ids(service->uid, service->gid);
        return true;
    }
    if (stat(folder, &about) == 0) {
        meant->owner = owner_of_ids(about.st_uid, about.st_gid);
        return true;
    }
    err_set(err, ERR_CONFLICT, "The service has no folder for its store yet, and no user to make one for.");
    return err_hint(err, "Start it once: `sudo systemctl start witan`. Then try again.");
}

/* Tests of a machine leave the service of that machine alone. */
static bool under_test(void)
{
    const char *test = getenv("WITAN_TEST");

    return test && strcmp(test, "1") == 0;
}

/* Whether the service's store is the one, when nobody has named another. */
static bool choose(struct meant *meant, struct cli *cli, struct err *err)
{
    struct choice choice = { .cli = cli, .own = arena_text(cli->arena, meant->config.settings.store_url) };
    struct err why = { 0 };
    bool takes = false, found;

    if (config_names_store(&meant->config) || under_test())
        return true;
    found = service_find(cli->arena, "", &choice.service, &why);
    if (!choice.service.unit)
        return true;
    if (!found && why.code == ERR_FORBIDDEN)
        return own_or_refuse(&choice, err);
    if (!found) {
        *err = why;
        return err_hint(err, "Name the store: --db sqlite:/PATH/witan.db or --db postgres://...");
    }
    /* Settings that are not the service's belong to a server that is not the service. */
    if (cli_has(cli, "config") && !same_file(cli_get(cli, "config"), choice.service.settings))
        return true;
    return take_service(meant, &choice, &takes, err) && (!takes || own_service(meant, &choice.service, err));
}

bool meant_find(struct meant *meant, struct cli *cli, struct err *err)
{
    *meant = (struct meant){ .file = cli_get(cli, "config") };
    if (!meant->file)
        meant->file = config_file(cli->arena);
    if (!cli_config(cli, &meant->config, err) || !choose(meant, cli, err))
        return false;
    meant->url = meant->config.settings.store_url;
    if (!*meant->url)
        return config_refuse_homeless(err);
    meant->path = file_of(meant->url);
    meant->shown = arena_text(cli->arena, config_mask_url(cli->arena, meant->url));
    if (meant->path && !meant->unit)
        meant->owner = owner_of_file(meant->path);
    return true;
}

/* The folder is made as systemd would make it. */
static bool make_folder(const struct meant *meant, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    char *folder = arena_text(&arena, meant->path), *slash = strrchr(folder, '/');

    if (!slash || slash == folder)
        return true;
    *slash = '\0';
    if (access(folder, F_OK) == 0)
        return true;
    if (!files_make_folders(meant->path, err))
        return false;
    return lchown(folder, meant->owner.uid, meant->owner.gid) == 0 ||
           err_set(err, ERR_UNAVAILABLE, "Cannot give the folder %s to its owner: %s.", folder,
                   strerror(errno));
}

bool meant_enter(struct meant *meant, struct cli *cli, struct err *err)
{
    if (!meant->owner.other)
        return true;
    if (meant->unit && meant->path && !make_folder(meant, err))
        return false;
    return cli->command->uses & CLI_OWN ? owner_enter(&meant->owner, err) : owner_become(&meant->owner, err);
}

bool meant_leave(const struct meant *meant, struct err *err)
{
    return owner_leave(&meant->owner, err);
}

void meant_say(const struct meant *meant, const struct cli *cli)
{
    if (meant->unit)
        cli_note(cli, "The store is %s, that of the service (%s).", meant->shown, meant->unit);
    else
        cli_note(cli, "The store is %s.", meant->shown);
}

void meant_done(struct meant *meant)
{
    config_done(&meant->config);
}
