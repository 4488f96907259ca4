/*
 * bare_sqlite.c - the most that SQLite can do here: a loop that runs recorded statements again.
 *
 *   bare_sqlite --db COPY --record FILE --operations N [--batch 64]
 *
 * COPY is the store as it was when the record began; FILE is what record.so wrote while the server ran N
 * operations. Every operation ends with its audit row; its statements are replayed with the values of then,
 * and COMMIT comes after every 64 operations, with WAL and synchronous=FULL. Schema, triggers, indexes and
 * values are the server's own.
 */
#include "oplog.h"
#include "util.h"

#include <getopt.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKPOINT_PAGES 2000 /* as the server's writer does */
#define AUDIT_ROW        "INSERT INTO audit (workspace_id"

struct replay {
    sqlite3 *db;
    const struct oplog *log;
    sqlite3_stmt **prepared; /* one for each statement of the record, made on first use */
    unsigned writer;         /* the recorded connection that ran the operations */
    long batch, in_batch, operations;
};

static void run_plain(struct replay *replay, const char *sql)
{
    if (sqlite3_exec(replay->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die("%s: %s", sql, sqlite3_errmsg(replay->db));
}

static void bind_arg(sqlite3_stmt *stmt, int index, const struct oplog_arg *arg)
{
    switch (arg->kind) {
    case 'i': sqlite3_bind_int64(stmt, index, arg->number); break;
    case 'd': sqlite3_bind_double(stmt, index, arg->real); break;
    case 't': sqlite3_bind_text(stmt, index, arg->text, (int)arg->len, SQLITE_STATIC); break;
    default: sqlite3_bind_null(stmt, index);
    }
}

static void run_recorded(struct replay *replay, const struct oplog_run *run)
{
    const char *sql = replay->log->statements[run->statement].text;
    sqlite3_stmt *stmt = replay->prepared[run->statement];
    int code;

    if (!stmt) {
        if (sqlite3_prepare_v3(replay->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK)
            die("%s: %s", sql, sqlite3_errmsg(replay->db));
        replay->prepared[run->statement] = stmt;
    }
    for (size_t i = 0; i < run->argc; i++)
        bind_arg(stmt, (int)i + 1, &run->argv[i]);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
        continue;
    if (code != SQLITE_DONE)
        die("%s: %s", sql, sqlite3_errmsg(replay->db));
    sqlite3_reset(stmt);
}

static bool is_word_of_transaction(const struct oplog *log, const struct oplog_run *run)
{
    return oplog_is(log, run, "BEGIN") || oplog_is(log, run, "COMMIT") || oplog_is(log, run, "END");
}

static void replay_run(struct replay *replay, const struct oplog_run *run)
{
    if (is_word_of_transaction(replay->log, run) || oplog_is(replay->log, run, "PRAGMA"))
        return;
    if (sqlite3_get_autocommit(replay->db))
        run_plain(replay, "BEGIN IMMEDIATE");
    run_recorded(replay, run);
    if (!oplog_is(replay->log, run, AUDIT_ROW))
        return;
    replay->operations++;
    if (++replay->in_batch < replay->batch)
        return;
    run_plain(replay, "COMMIT");
    replay->in_batch = 0;
}

/* The server's one SQL function: on SQLite times are text already. */
static void witan_time(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    sqlite3_result_value(context, argv[0]);
}

/* What the server set when it opened the store is part of the comparison; its checkpoints are not SQL. */
static void replay_open(struct replay *replay, const char *path)
{
    char sql[64];

    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (sqlite3_open_v2(path, &replay->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        die("cannot open %s", path);
    if (sqlite3_create_function(replay->db, "witan_time", 1,
                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, witan_time, NULL,
                                NULL) != SQLITE_OK)
        die("cannot add witan_time: %s", sqlite3_errmsg(replay->db));
    for (size_t i = 0; i < replay->log->run_count; i++) {
        const struct oplog_run *run = &replay->log->runs[i];

        if (run->connection == replay->writer && oplog_is(replay->log, run, "PRAGMA"))
            run_plain(replay, replay->log->statements[run->statement].text);
    }
    run_plain(replay, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    snprintf(sql, sizeof(sql), "PRAGMA wal_autocheckpoint=%d", CHECKPOINT_PAGES);
    run_plain(replay, sql);
}

static void find_writer(struct replay *replay)
{
    for (size_t i = 0; i < replay->log->run_count; i++) {
        if (!oplog_is(replay->log, &replay->log->runs[i], AUDIT_ROW))
            continue;
        replay->writer = replay->log->runs[i].connection;
        return;
    }
    die("the record holds no operation");
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        { "db", required_argument, NULL, 'd' },
        { "record", required_argument, NULL, 'r' },
        { "operations", required_argument, NULL, 'n' },
        { "batch", required_argument, NULL, 'b' },
        { NULL, 0, NULL, 0 },
    };
    struct oplog log;
    struct replay replay = { .log = &log, .batch = 64 };
    const char *path = NULL, *record = NULL;
    long wanted = 0;
    uint64_t start;
    double seconds;
    int letter;

    while ((letter = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        switch (letter) {
        case 'd': path = optarg; break;
        case 'r': record = optarg; break;
        case 'n': wanted = parse_count(optarg); break;
        case 'b': replay.batch = parse_count(optarg); break;
        default: die("usage: bare_sqlite --db COPY --record FILE --operations N [--batch 64]");
        }
    }
    if (!path || !record || !wanted)
        die("usage: bare_sqlite --db COPY --record FILE --operations N [--batch 64]");
    oplog_read(&log, record);
    find_writer(&replay);
    replay_open(&replay, path);
    replay.prepared = need_memory(log.statement_count * sizeof(sqlite3_stmt *));

    start = now_ns();
    for (size_t i = 0; i < log.run_count; i++) {
        if (log.runs[i].connection == replay.writer)
            replay_run(&replay, &log.runs[i]);
    }
    if (!sqlite3_get_autocommit(replay.db))
        run_plain(&replay, "COMMIT");
    seconds = seconds_since(start);
    if (replay.operations < wanted)
        die("the record holds %ld operations, not %ld", replay.operations, wanted);
    printf("{\"requests\":%ld,\"operations\":%ld,\"seconds\":%.3f,\"rps\":%.1f}\n", wanted, replay.operations,
           seconds, (double)wanted / seconds);
    for (size_t i = 0; i < log.statement_count; i++)
        sqlite3_finalize(replay.prepared[i]);
    sqlite3_close(replay.db);
    return 0;
}
