#include "cli/store/copy.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/migrate.h"
#include "db/own_schema.h"
#include "db/sqlite.h"
#include "server/files.h"

#include <inttypes.h>
#include <libgen.h>
#include <sodium.h>
#include <sys/stat.h>

bool copy_begin(struct copy_job *job, struct cli *cli, struct err *err)
{
    const char *path;

    *job = (struct copy_job){ .cli = cli, .file = cli_get(cli, "FILE") };
    umask(077);
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "The random generator does not start.");
    return meant_find(&job->meant, cli, err) && db_url_engine(job->meant.url, &job->engine, &path, err);
}

void copy_end(struct copy_job *job)
{
    meant_done(&job->meant);
}

const char *copy_name(struct arena *arena, const char *path)
{
    return basename(arena_text(arena, path));
}

/* First of all what is in it: something odd could run when the rest is looked at. */
static bool look(struct db *db, struct arena *arena, const char *path, struct copy *copy, struct err *err)
{
    if (!migrate_current(db, arena, &copy->schema, err))
        return false;
    if (copy->schema == 0)
        return err_set(err, ERR_INVALID, "%s is not a store of witan.", path);
    if (copy->schema > migrate_newest())
        return migrate_refuse_newer(db, arena, copy->schema, err);
    return own_schema_check(db, arena, copy->schema, &copy->odd, err);
}

static bool verify(struct db *db, struct arena *arena, struct copy *copy, struct err *err)
{
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);

    copy->audited = copy->schema == migrate_newest();
    return !copy->audited || audit_verify(&tx, &copy->audit);
}

static bool check_pages(struct db *db, struct arena *arena, const char *path, struct err *err)
{
    struct db_rows rows;

    if (!db_query_text(db, arena, "PRAGMA integrity_check(1)", DB_NO_ARGS, &rows, err))
        return false;
    return (rows.count == 1 && str_equal(db_cell(&rows, 0, 0), "ok")) ||
           err_set(err, ERR_CONFLICT, "%s is damaged: %.200s.", path,
                   rows.count ? db_cell(&rows, 0, 0) : "it cannot be read");
}

bool copy_check(struct db *db, struct arena *arena, const char *path, struct copy *copy, struct err *err)
{
    return look(db, arena, path, copy, err) && (copy->odd || verify(db, arena, copy, err));
}

bool copy_check_file(struct arena *arena, const char *path, struct copy *copy, struct err *err)
{
    struct db *db =
        sqlite_open(&(struct sqlite_options){ .path = path, .readonly = true, .patient = true }, err);
    bool good = db && look(db, arena, path, copy, err) &&
                (copy->odd || (check_pages(db, arena, path, err) && verify(db, arena, copy, err)));

    db_close(db);
    copy->bytes = files_size(path);
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

int copy_say(struct cli *cli, const char *file, const struct copy *copy)
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
