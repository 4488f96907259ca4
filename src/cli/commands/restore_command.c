/*
 * restore_command.c - a store from a backup.
 *
 * The backup is copied beside the store, looked at, brought up to date and verified there, and gets the
 * store's name last. The file of the backup is the caller's; everything else is done as the store's owner.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/commands/tables.h"
#include "cli/store/copy.h"
#include "core/identity/workspace.h"
#include "db/claim.h"
#include "db/migrate.h"
#include "db/pgtool.h"
#include "server/files.h"
#include "server/serve.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The backup, opened by the caller and read by the store's owner. */
struct restore_source {
    int fd;
    bool dump; /* of PostgreSQL */
};

static bool open_source(const struct copy_job *job, struct restore_source *source, struct err *err)
{
    char head[5] = "";

    if (files_size(job->file) < 0)
        return err_set(err, ERR_NOT_FOUND, "There is no file %s.", job->file);
    if (!files_open(job->file, O_RDONLY, &source->fd, err))
        return false;
    source->dump = pread(source->fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
                   memcmp(head, "PGDMP", sizeof(head)) == 0;
    if (source->dump == (job->engine == DB_POSTGRES))
        return true;
    err_set(err, ERR_INVALID, "%s is a backup of the other kind of store.", job->file);
    return err_hint(err, source->dump
                             ? "It was made of PostgreSQL: name such a store with --db postgres://..."
                             : "PostgreSQL takes what `witan backup` made of a PostgreSQL store.");
}

static bool refuse_odd(const struct copy_job *job, const struct copy *copy, struct err *err)
{
    err_set(err, ERR_CONFLICT, "%s is not taken: %s.", job->file, copy->odd);
    return err_hint(
        err,
        "What is in a store runs in the server, with all its rights, so it is taken only as witan made it. "
        "Take another backup, or put a copy of this file right first.");
}

/* The copy becomes what this program works with: current, verified, and with a row that says where it came
 * from. */
static bool adopt(struct copy_job *job, struct db *db, struct copy *copy, struct err *err)
{
    struct arena *arena = job->cli->arena;
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);
    struct migrate_report report;
    struct audit_entry entry = {
        .workspace_id = DEFAULT_WORKSPACE_ID,
        .actor_kind = caller_kind_name(CALLER_LOCAL),
        .actor_id = "local",
        .actor = "local",
        .operation = "store_restore",
        .subject = copy_name(arena, job->file),
        .door = "store",
        .at_ms = tx.now_ms,
    };
    size_t sealed;

    if (!migrate_up(db, arena, &report, err) || !copy_check(db, arena, job->file, copy, err))
        return false;
    if (copy->odd)
        return refuse_odd(job, copy, err);
    if (!copy->audit.whole) {
        err_set(err, ERR_CONFLICT, "The audit log in %s is broken at row %" PRId64 ".", job->file,
                copy->audit.broken_at);
        return err_hint(err, "Take another backup, or add --broken if there is no better one.");
    }
    if (!db_begin(db, true, err))
        return false;
    if (audit_append(&tx, &entry) && audit_seal(&tx, &sealed) && db_commit(db, err))
        return true;
    db_rollback(db);
    return false;
}

/* With --broken a log that does not verify is taken all the same; anything else that is wrong is not. */
static bool adopted(struct copy_job *job, struct db *db, struct copy *copy, struct err *err)
{
    if (adopt(job, db, copy, err))
        return true;
    if (copy->audited && !copy->audit.whole && cli_has(job->cli, "broken")) {
        *err = (struct err){ 0 };
        return true;
    }
    return false;
}

static bool prepare_sqlite(struct copy_job *job, const struct restore_source *source, struct copy *copy,
                           struct err *err)
{
    struct copy before = { 0 };
    struct arena *arena = job->cli->arena;

    if (!files_copy_open(source->fd, job->file, job->unchecked, err) ||
        !copy_check_file(arena, job->unchecked, &before, err))
        return false;
    if (before.odd)
        return refuse_odd(job, &before, err);
    struct db *db = db_open(arena_format(arena, "sqlite:%s", job->unchecked), err);
    bool good = db && adopted(job, db, copy, err);

    db_close(db);
    copy->bytes = files_size(job->unchecked);
    return good;
}

/* What stands in a log beside it is missing in the file. */
static bool check_whole(const struct copy_job *job, struct err *err)
{
    if (files_size(arena_format(job->cli->arena, "%s-wal", job->file)) <= 0)
        return true;
    err_set(err, ERR_CONFLICT, "%s has a write-ahead log beside it, so it is not whole by itself.",
            job->file);
    return err_hint(err, "Was it copied while a server ran? `witan backup` makes a whole one.");
}

/* The store that was there, with its log, under a name that says when: nothing is thrown away. */
static bool move_aside(struct copy_job *job, struct err *err)
{
    static const char *const parts[] = { "-wal", "-shm", "" };
    struct arena *arena = job->cli->arena;
    char at[CLOCK_TEXT_SIZE];

    clock_format(clock_now_ms(), at);
    const char *aside = arena_format(arena, "%s.before-%s", job->meant.path, at);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *from = arena_format(arena, "%s%s", job->meant.path, parts[i]);

        if (files_size(from) >= 0 && rename(from, arena_format(arena, "%s%s", aside, parts[i])) != 0)
            return err_set(err, ERR_UNAVAILABLE, "Cannot move %s aside.", from);
    }
    cli_note(job->cli, "The store that was there is now %s.", aside);
    return true;
}

static bool put_in_place(struct copy_job *job, bool replace, struct err *err)
{
    return (!replace || move_aside(job, err)) && files_settle(job->unchecked, job->meant.path, err);
}

static bool restore_sqlite(struct copy_job *job, const struct restore_source *source, struct copy *copy,
                           struct err *err)
{
    bool there = files_size(job->meant.path) > 0;
    struct claim claim;

    if (there && !cli_has(job->cli, "replace")) {
        err_set(err, ERR_CONFLICT, "There is a store at %s already.", job->meant.path);
        return err_hint(err, "Add --replace to move it aside, or name another place with --db.");
    }
    if (!check_whole(job, err) || !meant_enter(&job->meant, job->cli, err) ||
        !serve_make_folder(job->meant.url, err) || !claim_take(&claim, job->meant.url, err))
        return false;
    job->unchecked = arena_format(job->cli->arena, "%s.restoring-%d", job->meant.path, (int)getpid());
    bool good = prepare_sqlite(job, source, copy, err) && put_in_place(job, there, err);

    if (!good) {
        unlink(job->unchecked);
        unlink(arena_format(job->cli->arena, "%s-wal", job->unchecked));
        unlink(arena_format(job->cli->arena, "%s-shm", job->unchecked));
        if (!there)
            unlink(job->meant.path); /* the claim made it */
    }
    claim_release(&claim);
    return good;
}

static bool refuse_store(struct err *err)
{
    err_set(err, ERR_CONFLICT, "There is a store in this database already.");
    return err_hint(
        err,
        "Restore into an empty one (`createdb witan_restored`, then --db with its name), check it, and point the nodes there.");
}

/* What was put into the database is looked at before the first migration could set it off. */
static bool look_before(struct copy_job *job, struct db *db, struct err *err)
{
    struct copy before = { 0 };

    if (!copy_check(db, job->cli->arena, job->file, &before, err))
        return false;
    if (!before.odd)
        return true;
    cli_note(job->cli, "The database of %s holds it now: drop it, and do not point a server there.",
             job->meant.shown);
    return refuse_odd(job, &before, err);
}

static bool restore_postgres(struct copy_job *job, const struct restore_source *source, struct copy *copy,
                             struct err *err)
{
    struct arena *arena = job->cli->arena;
    struct db *db = meant_enter(&job->meant, job->cli, err) ? db_open(job->meant.url, err) : NULL;
    struct pgtool_files files = { .in = source->fd, .out = -1 };
    const char *name;
    int schema;
    bool good = db && migrate_current(db, arena, &schema, err) && (schema == 0 || refuse_store(err)) &&
                pgtool_database(arena, job->meant.url, &name, err);

    if (good) {
        const char *const argv[] = {
            "pg_restore", "--exit-on-error", "--single-transaction",
            "--no-owner", "--no-privileges", arena_format(arena, "--dbname=%s", name),
            NULL
        };

        good = pgtool_run(arena, job->meant.url, argv, &files, err) && look_before(job, db, err) &&
               adopted(job, db, copy, err);
    }
    db_close(db);
    copy->bytes = files_size(job->file);
    return good;
}

static int run_restore(struct cli *cli)
{
    struct err err = { 0 };
    struct copy_job job;
    struct copy copy = { 0 };
    struct restore_source source = { .fd = -1 };
    bool good = copy_begin(&job, cli, &err) && open_source(&job, &source, &err) &&
                (job.engine == DB_SQLITE ? restore_sqlite(&job, &source, &copy, &err)
                                         : restore_postgres(&job, &source, &copy, &err));

    if (source.fd >= 0)
        close(source.fd);
    copy_end(&job);
    if (!good)
        return cli_fail(cli, &err);
    meant_say(&job.meant, cli);
    cli_note(
        cli,
        "Restored. "
        "What was revoked or removed since that backup is back: look at `witan token list` and `witan user list`.");
    return copy_say(cli, job.file, &copy);
}

const struct cli_command restore_commands[] = {
    {
        .name = "restore",
        .help = "Make a store from a backup: checked, brought up to date, its audit log verified. "
                "Refused while a server uses the store.",
        .examples = "witan restore /backups/witan-2026-11-15.db --replace\n"
                    "witan restore --db postgres://witan@db.example/witan_restored /backups/witan.dump",
        .uses = CLI_STORE | CLI_JSON,
        .args = { { "FILE", .help = "What `witan backup` made. It stays as it is." } },
        .options = {
            { "replace", .help = "SQLite: move a store that is there aside. PostgreSQL needs an empty database." },
            { "broken", .help = "Take it even though its audit log does not verify." },
        },
        .run = run_restore,
    },
    { 0 },
};
