/*
 * backup_commands.c - a copy of the store while it is in use.
 *
 * A backup of SQLite is a database file by itself, made with VACUUM INTO from one moment of the running
 * store; one of PostgreSQL is what pg_dump writes. Either is checked before it gets its name. It is the
 * rescue from a disk that is full or cannot be written: then it is made all the same, and only the row that
 * tells of it is missing.
 */
#include "cli/commands/tables.h"
#include "cli/store/copy.h"
#include "db/migrate.h"
#include "db/own_schema.h"
#include "db/pgtool.h"
#include "db/rescue.h"
#include "db/sqlite.h"
#include "server/files.h"

#include <fcntl.h>
#include <unistd.h>

/* That somebody took a copy of everything is written down, in the copy as well. */
static bool note_backup(struct copy_job *job, struct err *err)
{
    struct local_store local;
    bool good = local_open_on(&local, job->cli, &job->meant, true, err) &&
                local_audit(&local, "store_backup", copy_name(job->cli->arena, job->file), NULL) &&
                local_commit(&local);

    local_close_on(&local);
    return good;
}

/* A store that cannot be written can be copied all the same. */
static bool try_to_note(struct copy_job *job, const struct rescue *from, struct err *err)
{
    struct err why = { 0 };

    if (!from->alone && note_backup(job, &why))
        return true;
    if (!from->alone && why.code != ERR_UNAVAILABLE && why.code != ERR_OUTCOME_UNKNOWN) {
        *err = why;
        return false;
    }
    cli_note(job->cli, "The store cannot be written%s%s, so its audit log does not tell of this backup.",
             *why.text ? ": " : "", why.text);
    return true;
}

/* The file is the caller's. SQLite has everything of the store open by now, so the owner is not needed. */
static bool copy_sqlite(struct copy_job *job, struct db *db, struct copy *copy, struct err *err)
{
    return sqlite_copy(db, job->unchecked, err) &&
           copy_check_file(job->cli->arena, job->unchecked, copy, err);
}

/* pg_dump reads as the store's owner does, and writes to what the caller has opened. */
static bool copy_postgres(struct copy_job *job, struct db *db, struct copy *copy, struct err *err)
{
    const char *const argv[] = { "pg_dump",         "--format=custom",          "--no-owner",
                                 "--no-privileges", "--no-unlogged-table-data", NULL };
    struct pgtool_files files = { .in = -1 };

    if (!files_open(job->unchecked, O_WRONLY, &files.out, err))
        return false;
    bool good = meant_enter(&job->meant, job->cli, err) &&
                pgtool_run(job->cli->arena, job->meant.url, argv, &files, err) &&
                migrate_current(db, job->cli->arena, &copy->schema, err) &&
                own_schema_check(db, job->cli->arena, copy->schema, &copy->odd, err) &&
                meant_leave(&job->meant, err);

    close(files.out);
    copy->bytes = files_size(job->unchecked);
    return good;
}

/* As the store's owner, but for what is written. */
static bool copy_store(struct copy_job *job, struct rescue *from, struct copy *copy, struct err *err)
{
    int schema = 0;

    if (!meant_enter(&job->meant, job->cli, err) || !rescue_open(from, job->meant.url, err) ||
        !migrate_current(from->db, job->cli->arena, &schema, err))
        return false;
    if (schema == 0)
        return err_set(err, ERR_NOT_FOUND, "There is no store in this database yet.");
    /* An older store can be copied too, before it is brought up to date; its log is then left as it is. */
    if (schema == migrate_newest() && !try_to_note(job, from, err))
        return false;
    return meant_leave(&job->meant, err) &&
           (job->engine == DB_SQLITE ? copy_sqlite(job, from->db, copy, err)
                                     : copy_postgres(job, from->db, copy, err));
}

static bool backup(struct copy_job *job, struct copy *copy, struct err *err)
{
    struct rescue from = { 0 };
    struct err ignored = { 0 };

    if (local_is_missing(job->meant.url, err))
        return false;
    if (files_size(job->file) >= 0) {
        err_set(err, ERR_CONFLICT, "There is a file %s already.", job->file);
        return err_hint(err, "A backup never writes over anything: name another file.");
    }
    job->unchecked = arena_format(job->cli->arena, "%s.unfinished-%d", job->file, (int)getpid());
    /* First of all: that a copy was made is not written down where there is no place for one. */
    bool good = files_create(job->unchecked, err) && copy_store(job, &from, copy, err);

    rescue_close(&from);
    good = meant_leave(&job->meant, good ? err : &ignored) && good &&
           files_settle(job->unchecked, job->file, err);
    if (!good)
        unlink(job->unchecked);
    return good;
}

static int run_backup(struct cli *cli)
{
    struct err err = { 0 };
    struct copy_job job;
    struct copy copy = { 0 };
    bool good = copy_begin(&job, cli, &err) && backup(&job, &copy, &err);

    copy_end(&job);
    if (!good)
        return cli_fail(cli, &err);
    meant_say(&job.meant, cli);
    if (copy.odd)
        cli_note(cli, "`witan restore` will not take this copy: %s.", copy.odd);
    if (copy.audited && !copy.audit.whole)
        cli_note(cli, "The audit log is broken, in the store as in the copy: see `witan audit verify`.");
    return copy_say(cli, job.file, &copy);
}

const struct cli_command backup_commands[] = {
    {
        .name = "backup",
        .help = "Copy the whole store to a file, beside a running server, and check the copy. "
                "SQLite: a database file. "
                "PostgreSQL: what pg_dump writes (custom format), so pg_dump must be installed.",
        .examples = "witan backup \"/backups/witan-$(date +%F).db\"\n"
                    "witan backup --db postgres://witan@db.example/witan /backups/witan.dump",
        .uses = CLI_STORE | CLI_OWN | CLI_JSON,
        .args = { { "FILE", .help = "A new file. It holds everything, so it is made for its owner alone." } },
        .run = run_backup,
    },
    { 0 },
};
