#include "cli/commands/tables.h"
#include "cli/store/local.h"
#include "core/upkeep/refold.h"
#include "db/claim.h"
#include "db/migrate.h"
#include "server/serve.h"

#include <sys/stat.h>

/* A server that is running goes by the schema that it found: it is not changed under it. */
static bool change_schema(struct cli *cli, const char *url, struct migrate_report *report, struct err *err)
{
    struct claim claim;
    size_t folded;

    if (!claim_take(&claim, url, err))
        return false;
    struct db *db = db_open(url, err);
    bool good = db && migrate_up(db, cli->arena, report, err) && refold_store(db, cli->arena, &folded, err);

    db_close(db);
    claim_release(&claim);
    return good;
}

/* With --check nothing is changed; a store that is behind is "no". */
static bool migrate(struct cli *cli, struct meant *meant, struct migrate_report *report, struct err *err)
{
    if (!cli_has(cli, "check"))
        return meant_enter(meant, cli, err) && serve_make_folder(meant->url, err) &&
               change_schema(cli, meant->url, report, err);
    /* A look must not make the file. */
    if (local_is_missing(meant->url, err) || !meant_enter(meant, cli, err))
        return false;
    struct db *db = db_open(meant->url, err);
    bool good = db && migrate_current(db, cli->arena, &report->from, err);

    report->to = migrate_newest();
    db_close(db);
    return good;
}

static int run_migrate(struct cli *cli)
{
    struct meant meant = { 0 };
    struct err err = { 0 };
    struct migrate_report report = { 0 };

    umask(077);
    bool good = meant_find(&meant, cli, &err) && migrate(cli, &meant, &report, &err);
    const char *url = meant.shown;

    meant_done(&meant);
    if (!good)
        return cli_fail(cli, &err);
    if (report.from == report.to)
        cli_note(cli, "%s is current: schema %d.", url, report.to);
    else if (!cli_has(cli, "check"))
        cli_note(cli, "Brought %s from schema %d to %d.", url, report.from, report.to);
    else
        cli_note(cli, "%s has schema %d; this witan works with %d.", url, report.from, report.to);
    return cli_has(cli, "check") && report.from != report.to ? CLI_NO : CLI_OK;
}

const struct cli_command migrate_commands[] = {
    {
        .name = "migrate",
        .help = "Bring the store to the schema of this witan. `witan serve` does so by itself.",
        .examples = "witan migrate --db postgres://witan@db.example/witan\nwitan migrate --check",
        .uses = CLI_STORE,
        .options = { { "check", .help = "Change nothing; exit code 3 when there is something to do." } },
        .run = run_migrate,
    },
    { 0 },
};
