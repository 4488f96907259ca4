/*
 * A command works in one transaction that ends with its audit row, but for those that are too large for that
 * and commit page by page. The clock is set from the database first, as a server does, so that times written
 * from here fit between those written by others.
 */
#include "cli/store/local.h"

#include "base/clock.h"
#include "base/str.h"
#include "core/identity/workspace.h"
#include "core/upkeep/timekeeping.h"
#include "db/migrate.h"
#include "server/serve.h"

#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool local_role(const struct cli *cli, enum role usual, enum role *role, struct err *err)
{
    const char *name = cli_get(cli, "role");

    *role = usual;
    if (!name || role_parse(name, role))
        return true;
    err_field(err, "role", "There is no role \"%s\".", name);
    return err_hint(err, "The roles are owner, admin, member, agent and viewer.");
}

bool local_is_missing(const char *url, struct err *err)
{
    enum db_engine engine;
    const char *path;
    struct err ignored = { 0 };

    if (!db_url_engine(url, &engine, &path, &ignored) || engine != DB_SQLITE || access(path, F_OK) == 0)
        return false;
    err_set(err, ERR_NOT_FOUND, "There is no store at %s yet.", path);
    err_hint(err, "`witan serve` makes it; --db or WITAN_DB names another one.");
    return true;
}

static bool check_schema(struct local_store *local, bool write, struct err *err)
{
    struct migrate_report report;
    int number;

    if (!migrate_current(local->tx.db, local->tx.arena, &number, err))
        return false;
    if (number == migrate_newest())
        return true;
    if (number > migrate_newest())
        return migrate_refuse_newer(local->tx.db, local->tx.arena, number, err);
    if (number == 0 && write)
        return migrate_up(local->tx.db, local->tx.arena, &report, err);
    err_set(err, ERR_CONFLICT, "This store has schema %d; this witan works with %d.", number,
            migrate_newest());
    return err_hint(err, "`witan migrate` brings it up to date.");
}

/* Times in the store are the database's, wherever the command runs. */
static bool set_clock(struct local_store *local)
{
    struct timekeeping read;
    int64_t ignored;

    if (!timekeeping_read(&local->tx, &read))
        return false;
    timekeeping_apply(&read, true, &ignored);
    local->tx.now_ms = clock_now_ms();
    return true;
}

static bool find_workspace(struct local_store *local)
{
    const char *name = cli_get(local->cli, "workspace");
    struct workspace workspace;

    if (!workspace_get(&local->tx, name ? name : "default", &workspace))
        return false;
    local->workspace_id = workspace.id;
    return true;
}

/* To read, also from a disk that takes no more writes; to write, only in the usual way. */
static bool open_db(struct local_store *local, bool write, struct err *err)
{
    const char *url = local->meant->url;

    if (write)
        local->rescue.db = serve_make_folder(url, err) ? db_open(url, err) : NULL;
    else if (!rescue_open(&local->rescue, url, err))
        return false;
    local->tx.db = local->rescue.db;
    return local->tx.db != NULL;
}

bool local_begin(struct local_store *local, bool write, struct err *err)
{
    local->tx.arena = local->cli->arena;
    local->tx.err = err;
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "The random generator does not start.");
    if (!write && local_is_missing(local->meant->url, err))
        return false;
    umask(077);
    return meant_enter(local->meant, local->cli, err) && open_db(local, write, err) &&
           check_schema(local, write, err) && set_clock(local) && db_begin(local->tx.db, write, err) &&
           caller_solo_allowed(&local->tx, &local->was_solo) && find_workspace(local);
}

bool local_open_on(struct local_store *local, struct cli *cli, struct meant *meant, bool write,
                   struct err *err)
{
    *local = (struct local_store){ .cli = cli, .meant = meant };
    return local_begin(local, write, err);
}

bool local_find(struct local_store *local, struct cli *cli, struct err *err)
{
    *local = (struct local_store){ .cli = cli, .meant = &local->found };
    return meant_find(&local->found, cli, err);
}

bool local_open(struct local_store *local, struct cli *cli, bool write, struct err *err)
{
    return local_find(local, cli, err) && local_begin(local, write, err);
}

bool local_as_caller(struct local_store *local)
{
    return meant_leave(local->meant, local->tx.err);
}

bool local_as_owner(struct local_store *local)
{
    return meant_enter(local->meant, local->cli, local->tx.err);
}

bool local_audit(struct local_store *local, const char *operation, const char *subject, const char *detail)
{
    struct audit_entry entry = {
        .workspace_id = local->workspace_id,
        .actor_kind = caller_kind_name(CALLER_LOCAL),
        .actor_id = "local",
        .actor = "local",
        .operation = operation,
        .subject = subject,
        .door = "store",
        .detail = detail ? detail : "{}",
        .at_ms = local->tx.now_ms,
    };

    return audit_append(&local->tx, &entry);
}

bool local_take_time(struct local_store *local)
{
    return local->tx.db->engine != DB_POSTGRES ||
           db_script(local->tx.db, "SET statement_timeout = 0; SET lock_timeout = '60s'", local->tx.err);
}

bool local_commit(struct local_store *local)
{
    size_t sealed;

    /* On PostgreSQL the servers seal; an attempt here could wait for none of them and gain nothing. */
    if (local->tx.db->engine == DB_SQLITE && !audit_seal(&local->tx, &sealed))
        return false;
    return db_commit(local->tx.db, local->tx.err);
}

void local_note_solo(const struct local_store *local, enum role made)
{
    if (!local->was_solo)
        return;
    cli_note(local->cli, "This is the first user or token: from now on every request needs one.");
    if (made == ROLE_OWNER)
        return;
    if (cli_has(local->cli, "db"))
        cli_note(local->cli,
                 "`witan token create --name me --role owner --db %s` makes one that may do everything.",
                 cli_get(local->cli, "db"));
    else
        cli_note(local->cli, "`witan token create --name me --role owner` makes one that may do everything.");
}

void local_close_on(struct local_store *local)
{
    if (local->tx.db)
        db_rollback(local->tx.db);
    rescue_close(&local->rescue);
}

void local_close(struct local_store *local)
{
    local_close_on(local);
    meant_done(&local->found);
}

int local_end(struct local_store *local, bool good, const struct err *err)
{
    local_close(local);
    if (!good)
        return cli_fail(local->cli, err);
    meant_say(local->meant, local->cli);
    return CLI_OK;
}
