#include "fixture.h"

#include "base/log.h"
#include "base/settings.h"
#include "core/log/audit.h"
#include "edge/edge.h"
#include "tests/support/units.h"

#include <stdio.h>
#include <unistd.h>

/* Rates are tested on their own; here they would only slow the cases down. Discussions are driven by the
 * cases. How long the store may take depends on the machine, which these cases are not about. */
static void lift_rates(void)
{
    static struct settings lifted;

    lifted = *settings();
    lifted.limits_token_rate = 1000000;
    lifted.limits_token_burst = 1000000;
    lifted.council_drive = false;
    lifted.runner_drive = false;
    lifted.store_timeout_ms = PATIENCE_MS;
    settings_use(&lifted);
}

static void must(bool good, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "The contract tests cannot start: %s\n", err->text);
    exit(1);
}

/* A folder of its own for SQLite, a database of its own on the PostgreSQL server. */
static void make_store(struct fixture *fixture)
{
    if (fixture->engine == DB_SQLITE) {
        snprintf(fixture->dir, sizeof(fixture->dir), "/tmp/witan-contract-XXXXXX");
        if (!mkdtemp(fixture->dir))
            abort();
        snprintf(fixture->url, sizeof(fixture->url), "sqlite:%s/test.db", fixture->dir);
        return;
    }
    const char *server = getenv("WITAN_TEST_PG");
    char sql[96];

    snprintf(sql, sizeof(sql), "CREATE DATABASE contract_%d", (int)getpid());
    units_script(server, sql);
    snprintf(fixture->url, sizeof(fixture->url), "%.*s/contract_%d?connect_timeout=%d",
             (int)(strrchr(server, '/') - server), server, (int)getpid(), PATIENCE_MS / 1000);
}

static bool seal(struct db *db, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    size_t sealed;

    return audit_seal(&(struct tx){ .db = db, .arena = &arena, .err = err }, &sealed);
}

static void fatal(void *user, const char *why)
{
    (void)user;
    fprintf(stderr, "%s\n", why);
    abort();
}

void fixture_open(struct fixture *fixture, const char *name)
{
    struct err err = { 0 };

    *fixture = (struct fixture){ .name = name };
    fixture->engine = strcmp(name, "sqlite") == 0 ? DB_SQLITE : DB_POSTGRES;
    log_setup(LOG_ERROR, false);
    lift_rates();
    make_store(fixture);
    units_migrate(fixture->url);
    fixture->clockwork = engine_new();
    fixture->store = store_open(&(struct store_options){ .url = fixture->url,
                                                         .seal = seal,
                                                         .committed = engine_poke,
                                                         .user = fixture->clockwork,
                                                         .wait_ms = PATIENCE_MS,
                                                         .fatal = fatal },
                                &err);
    must(fixture->store != NULL, &err);
    must(engine_start(fixture->clockwork, fixture->store, fixture->url, true, &err), &err);
    fixture->edge = edge_open(&(struct edge_options){ .store = fixture->store,
                                                      .engine = fixture->clockwork,
                                                      .listen = "127.0.0.1:0",
                                                      .version = "test" },
                              &err);
    must(fixture->edge != NULL, &err);
    fixture->port = edge_port(fixture->edge);
}

static void remove_folder(const char *dir)
{
    static const char *const files[] = { "test.db", "test.db-wal", "test.db-shm" };
    char path[128];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
        unlink(path);
    }
    rmdir(dir);
}

void fixture_close(struct fixture *fixture)
{
    edge_close(fixture->edge, 5000);
    engine_stop(fixture->clockwork);
    store_close(fixture->store);
    engine_free(fixture->clockwork);
    if (fixture->dir[0])
        remove_folder(fixture->dir);
}
