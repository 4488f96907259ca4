/*
 * backup_commands.c - a copy of the store while it is in use, and a store from a copy.
 *
 * A backup of SQLite is a database file by itself, made with VACUUM INTO from one moment of the running
 * store; one of PostgreSQL is what pg_dump writes. Either is checked before it gets its name, and before it
 * becomes a store.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/commands/tables.h"
#include "cli/store/local.h"
#include "db/claim.h"
#include "db/migrate.h"
#include "db/pgtool.h"
#include "db/sqlite.h"
#include "server/files.h"
#include "server/serve.h"

#include <inttypes.h>
#include <libgen.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was found in a copy. */
struct copy {
    int schema;
    int64_t bytes;
    struct audit_verdict audit; /* only looked at where the schema is this program's */
    bool audited;
};

struct job {
    struct cli *cli;
    struct config config;
    const char *url, *path; /* the store's; path is the file of an SQLite one */
    enum db_engine engine;
    const char *file;      /* the backup */
    const char *unchecked; /* what has not got its name yet */
};

static bool begin(struct job *job, struct cli *cli, struct err *err)
{
    *job = (struct job){ .cli = cli, .file = cli_get(cli, "FILE") };
    umask(077);
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "The random generator does not start.");
    if (!cli_config(cli, &job->config, err))
        return false;
    job->url = job->config.settings.store_url;
    return db_url_engine(job->url, &job->engine, &job->path, err);
}

static const char *base_name(struct arena *arena, const char *path)
{
    return basename(arena_text(arena, path));
}

static bool check_file(struct db *db, struct arena *arena, const char *path, struct err *err)
{
    struct db_rows rows;

    if (!db_query_text(db, arena, "PRAGMA integrity_check(1)", DB_NO_ARGS, &rows, err))
        return false;
    return (rows.count == 1 && str_equal(db_cell(&rows, 0, 0), "ok")) ||
           err_set(err, ERR_CONFLICT, "%s is damaged: %.200s.", path,
                   rows.count ? db_cell(&rows, 0, 0) : "it cannot be read");
}

/* Whether a database is a store of ours, and a whole one. */
static bool check_store(struct db *db, struct arena *arena, const char *path, struct copy *copy,
                        struct err *err)
{
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);

    if (!migrate_current(db, arena, &copy->schema, err))
        return false;
    if (copy->schema == 0)
        return err_set(err, ERR_INVALID, "%s is not a store of witan.", path);
    copy->audited = copy->schema == migrate_newest();
    return !copy->audited || audit_verify(&tx, &copy->audit);
}

/* For reading alone, so that the copy stays one file. */
static bool check_sqlite(struct job *job, const char *path, struct copy *copy, struct err *err)
{
    struct db *db = sqlite_open(&(struct sqlite_options){ .path = path, .readonly = true }, err);
    bool good =
        db && check_file(db, job->cli->arena, path, err) && check_store(db, job->cli->arena, path, copy, err);

    db_close(db);
    copy->bytes = files_size(path);
    return good;
}

/* Backup */

/* That somebody took a copy of everything is written down, in the copy as well. */
static bool note_backup(struct job *job, struct err *err)
{
    struct local local;
    struct arena *arena = job->cli->arena;
    bool good = local_open(&local, job->cli, true, err) &&
                local_audit(&local, "store_backup", base_name(arena, job->file), NULL) &&
                local_commit(&local);

    local_close(&local);
    settings_use(&job->config.settings);
    return good;
}

static bool copy_sqlite(struct job *job, struct db *db, struct copy *copy, struct err *err)
{
    struct db_rows rows;

    return files_create(job->unchecked, err) &&
           db_query_text(db, job->cli->arena, "VACUUM INTO $1", DB_ARGS(db_text(job->unchecked)), &rows,
                         err) &&
           check_sqlite(job, job->unchecked, copy, err);
}

static bool copy_postgres(struct job *job, struct db *db, struct copy *copy, struct err *err)
{
    const char *file = arena_format(job->cli->arena, "--file=%s", job->unchecked);
    const char *const argv[] = { "pg_dump", "--format=custom", "--no-owner", "--no-privileges", file, NULL };

    if (!files_create(job->unchecked, err) || !pgtool_run(job->cli->arena, job->url, argv, err) ||
        !migrate_current(db, job->cli->arena, &copy->schema, err))
        return false;
    copy->bytes = files_size(job->unchecked);
    return true;
}

static bool copy_store(struct job *job, struct copy *copy, struct err *err)
{
    struct db *db = db_open(job->url, err);
    int schema = 0;
    bool good = db && migrate_current(db, job->cli->arena, &schema, err);

    if (good && schema == 0)
        good = err_set(err, ERR_NOT_FOUND, "There is no store in this database yet.");
    /* An older store can be copied too, before it is brought up to date; its log is then left as it is. */
    good = good && (schema != migrate_newest() || note_backup(job, err)) &&
           (job->engine == DB_SQLITE ? copy_sqlite(job, db, copy, err) : copy_postgres(job, db, copy, err));
    db_close(db);
    return good;
}

static bool backup(struct job *job, struct copy *copy, struct err *err)
{
    if (local_is_missing(job->url, err))
        return false;
    if (files_size(job->file) >= 0) {
        err_set(err, ERR_CONFLICT, "There is a file %s already.", job->file);
        return err_hint(err, "A backup never writes over anything: name another file.");
    }
    job->unchecked = arena_format(job->cli->arena, "%s.unfinished-%d", job->file, (int)getpid());
    bool good = copy_store(job, copy, err) && files_settle(job->unchecked, job->file, err);

    if (!good)
        unlink(job->unchecked);
    return good;
}

static void write_copy(const char *file, const struct copy *copy, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "file", file);
    json_int(&out, "bytes", copy->bytes);
    json_int(&out, "schema", copy->schema);
    if (copy->audited) {
        json_bool(&out, "auditWhole", copy->audit.whole);
        json_int(&out, "auditRows", copy->audit.rows);
    }
    json_map_end(&out);
    buf_char(into, '\n');
}

static int say_copy(struct cli *cli, const char *file, const struct copy *copy)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (cli->json)
        write_copy(file, copy, &text);
    else if (!copy->audited)
        buf_format(&text, "%s: %" PRId64 " bytes, schema %d.\n", file, copy->bytes, copy->schema);
    else
        buf_format(&text, "%s: %" PRId64 " bytes, schema %d, %" PRId64 " audit rows%s.\n", file, copy->bytes,
                   copy->schema, copy->audit.rows, copy->audit.whole ? ", whole" : "");
    return cli_print(text.bytes, text.len);
}

static int run_backup(struct cli *cli)
{
    struct err err = { 0 };
    struct job job;
    struct copy copy = { 0 };
    bool good = begin(&job, cli, &err) && backup(&job, &copy, &err);

    config_done(&job.config);
    if (!good)
        return cli_fail(cli, &err);
    if (copy.audited && !copy.audit.whole)
        cli_note(cli, "The audit log is broken, in the store as in the copy: see `witan audit verify`.");
    return say_copy(cli, job.file, &copy);
}

/* Restore */

static bool is_dump(const char *file)
{
    char head[5] = "";
    FILE *stream = fopen(file, "re");
    bool dump = stream && fread(head, 1, sizeof(head), stream) == sizeof(head) &&
                memcmp(head, "PGDMP", sizeof(head)) == 0;

    if (stream)
        fclose(stream);
    return dump;
}

static bool check_kind(const struct job *job, struct err *err)
{
    if (files_size(job->file) < 0)
        return err_set(err, ERR_NOT_FOUND, "There is no file %s.", job->file);
    if (is_dump(job->file) == (job->engine == DB_POSTGRES))
        return true;
    err_set(err, ERR_INVALID, "%s is a backup of the other kind of store.", job->file);
    return err_hint(err, is_dump(job->file)
                             ? "It was made of PostgreSQL: name such a store with --db postgres://..."
                             : "PostgreSQL takes what `witan backup` made of a PostgreSQL store.");
}

/* The copy becomes what this program works with: current, verified, and with a row that says where it came
 * from. */
static bool adopt(struct job *job, struct db *db, struct copy *copy, struct err *err)
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
        .subject = base_name(arena, job->file),
        .door = "store",
        .at_ms = tx.now_ms,
    };
    size_t sealed;

    if (!migrate_up(db, arena, &report, err) || !check_store(db, arena, job->file, copy, err))
        return false;
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
static bool adopted(struct job *job, struct db *db, struct copy *copy, struct err *err)
{
    if (adopt(job, db, copy, err))
        return true;
    if (copy->audited && !copy->audit.whole && cli_has(job->cli, "broken")) {
        *err = (struct err){ 0 };
        return true;
    }
    return false;
}

static bool prepare_sqlite(struct job *job, struct copy *copy, struct err *err)
{
    struct copy before = { 0 };

    if (files_size(arena_format(job->cli->arena, "%s-wal", job->file)) > 0) {
        err_set(err, ERR_CONFLICT, "%s has a write-ahead log beside it, so it is not whole by itself.",
                job->file);
        return err_hint(err, "Was it copied while a server ran? `witan backup` makes a whole one.");
    }
    if (!files_copy(job->file, job->unchecked, err) || !check_sqlite(job, job->unchecked, &before, err))
        return false;
    struct db *db = db_open(arena_format(job->cli->arena, "sqlite:%s", job->unchecked), err);
    bool good = db && adopted(job, db, copy, err);

    db_close(db);
    copy->bytes = files_size(job->unchecked);
    return good;
}

/* The store that was there, with its log, under a name that says when: nothing is thrown away. */
static bool move_aside(struct job *job, struct err *err)
{
    static const char *const parts[] = { "-wal", "-shm", "" };
    struct arena *arena = job->cli->arena;
    char at[CLOCK_TEXT_SIZE];

    clock_format(clock_now_ms(), at);
    const char *aside = arena_format(arena, "%s.before-%s", job->path, at);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *from = arena_format(arena, "%s%s", job->path, parts[i]);

        if (files_size(from) >= 0 && rename(from, arena_format(arena, "%s%s", aside, parts[i])) != 0)
            return err_set(err, ERR_UNAVAILABLE, "Cannot move %s aside.", from);
    }
    cli_note(job->cli, "The store that was there is now %s.", aside);
    return true;
}

static bool put_in_place(struct job *job, bool replace, struct err *err)
{
    return (!replace || move_aside(job, err)) && files_settle(job->unchecked, job->path, err);
}

static bool restore_sqlite(struct job *job, struct copy *copy, struct err *err)
{
    bool there = files_size(job->path) > 0;
    struct claim claim;

    if (there && !cli_has(job->cli, "replace")) {
        err_set(err, ERR_CONFLICT, "There is a store at %s already.", job->path);
        return err_hint(err, "Add --replace to move it aside, or name another place with --db.");
    }
    if (!serve_make_folder(job->url, err) || !claim_take(&claim, job->url, err))
        return false;
    job->unchecked = arena_format(job->cli->arena, "%s.restoring-%d", job->path, (int)getpid());
    bool good = prepare_sqlite(job, copy, err) && put_in_place(job, there, err);

    if (!good) {
        unlink(job->unchecked);
        unlink(arena_format(job->cli->arena, "%s-wal", job->unchecked));
        unlink(arena_format(job->cli->arena, "%s-shm", job->unchecked));
        if (!there)
            unlink(job->path); /* the claim made it */
    }
    claim_release(&claim);
    return good;
}

static bool refuse_store(struct err *err)
{
    err_set(err, ERR_CONFLICT, "There is a store in this database already.");
    return err_hint(
        err, "Restore into an empty one (`createdb witan_restored`, then --db with its name), check it, "
             "and point the nodes there.");
}

static bool restore_postgres(struct job *job, struct copy *copy, struct err *err)
{
    struct arena *arena = job->cli->arena;
    struct db *db = db_open(job->url, err);
    const char *name;
    int schema;
    bool good = db && migrate_current(db, arena, &schema, err) && (schema == 0 || refuse_store(err)) &&
                pgtool_database(arena, job->url, &name, err);

    if (good) {
        const char *const argv[] = { "pg_restore",
                                     "--exit-on-error",
                                     "--single-transaction",
                                     "--no-owner",
                                     "--no-privileges",
                                     arena_format(arena, "--dbname=%s", name),
                                     job->file,
                                     NULL };

        good = pgtool_run(arena, job->url, argv, err) && adopted(job, db, copy, err);
    }
    db_close(db);
    copy->bytes = files_size(job->file);
    return good;
}

static int run_restore(struct cli *cli)
{
    struct err err = { 0 };
    struct job job;
    struct copy copy = { 0 };
    bool good =
        begin(&job, cli, &err) && check_kind(&job, &err) &&
        (job.engine == DB_SQLITE ? restore_sqlite(&job, &copy, &err) : restore_postgres(&job, &copy, &err));
    const char *url = good ? config_mask_url(cli->arena, arena_text(cli->arena, job.url)) : NULL;

    config_done(&job.config);
    if (!good)
        return cli_fail(cli, &err);
    cli_note(
        cli,
        "Restored %s. What was revoked or removed since that backup is back: look at `witan token list` and "
        "`witan user list`.",
        url);
    return say_copy(cli, job.file, &copy);
}

const struct cli_command backup_commands[] = {
    {
        .name = "backup",
        .help = "Copy the whole store to a file, beside a running server, and check the copy. SQLite: a database file. "
                "PostgreSQL: what pg_dump writes (custom format), so pg_dump must be installed.",
        .examples = "witan backup \"/backups/witan-$(date +%F).db\"\n"
                    "witan backup --db postgres://witan@db.example/witan /backups/witan.dump",
        .uses = CLI_STORE | CLI_JSON,
        .args = { { "FILE", .help = "A new file. It holds everything, so it is made for its owner alone." } },
        .run = run_backup,
    },
    {
        .name = "restore",
        .help = "Make a store from a backup: checked, brought up to date, its audit log verified. Refused while a "
                "server uses the store.",
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
