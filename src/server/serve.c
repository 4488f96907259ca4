/*
 * The order of starting is that of who needs whom, and stopping goes the other way. Signals are blocked in
 * all threads and taken by the main one; once a stop has begun they are let through, so that a second one
 * ends the process at once.
 */
#include "server/serve.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/identity/setup.h"
#include "core/log/audit.h"
#include "core/upkeep/refold.h"
#include "db/claim.h"
#include "db/migrate.h"
#include "db/needs.h"
#include "db/store.h"
#include "edge/edge.h"
#include "edge/hosts.h"
#include "engine/engine.h"
#include "gen/version.h"
#include "net/net.h"
#include "ops/op.h"
#include "programs/programs.h"
#include "server/address_space.h"
#include "server/files.h"
#include "server/model_prices.h"
#include "server/neighbours.h"
#include "server/notify.h"
#include "server/sandbox.h"
#include "server/tool_projects.h"
#include "toolbox/toolbox.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FATAL_GRACE_MS  1000 /* for answers on their way out after the disk has failed */
#define FATAL_LIMIT_S   5
#define SETUP_CODE_SIZE 64

struct server {
    const struct config *config;
    bool test_clock;
    struct engine *engine;
    struct store *store;
    struct edge *edge;
    struct notify notify;
    struct sandbox sandbox;
    struct programs *programs; /* NULL: config.yaml names none */
    struct net *tool_net;      /* of MCP servers, who must not hold up models; NULL: there are none */
    struct toolbox *toolbox;   /* NULL: there are no tools */
    struct arena arena;        /* what lives as long as the server */
    const char *tasks;         /* a folder for them that is not the store's, or NULL */
    struct orchestrator_setup orchestrating;
    struct program coder;
    atomic_bool failed;               /* the store can no longer be trusted */
    char setup_code[SETUP_CODE_SIZE]; /* "": somebody can log in, or need not */
};

bool serve_is_loopback(const char *listen)
{
    struct authority authority;

    return hosts_parse(listen, &authority) && authority.is_loopback;
}

bool serve_make_folder(const char *store_url, struct err *err)
{
    enum db_engine engine;
    const char *path;

    if (!db_url_engine(store_url, &engine, &path, err))
        return false;
    if (engine != DB_SQLITE || files_make_folders(path, err))
        return true;
    return err_hint(err, "Make it for the user that runs witan, or name another store with --db.");
}

static bool refuse_open_door(const char *why, struct err *err)
{
    err_set(err, ERR_FORBIDDEN, "%s, but there are no users and no tokens yet, so nobody could log in.", why);
    return err_hint(
        err,
        "Make one first: `witan token create --name me --role owner`, or `witan user add NAME --role owner` (with the same --db). "
        "Or start it with --setup, and make the owner's account in a browser by the link that it prints.");
}

static bool open_for_setup(const struct tx *tx, struct server *server)
{
    const char *code;

    if (!setup_make_code(tx, &code))
        return false;
    snprintf(server->setup_code, sizeof(server->setup_code), "%s", code);
    return true;
}

/* A server that others can reach never runs in solo mode, where everybody is the owner. */
static bool check_doors(struct server *server, struct db *db, struct arena *arena, struct err *err)
{
    const struct settings *s = &server->config->settings;
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);
    bool fresh;

    if (!caller_solo_allowed(&tx, &fresh))
        return false;
    if (!fresh || (serve_is_loopback(s->server_listen) && !s->server_require_auth))
        return true;
    if (s->server_setup)
        return open_for_setup(&tx, server);
    return refuse_open_door(s->server_require_auth && serve_is_loopback(s->server_listen)
                                ? "Everybody must show a token or log in"
                                : "This address can be reached by others",
                            err);
}

static bool prepare_names(struct db *db, struct arena *arena, struct err *err)
{
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);
    const char *apart;
    size_t changed;

    if (!refold_store(db, arena, &changed, err) || !refold_apart(&tx, &apart))
        return false;
    if (changed > 0)
        log_line(LOG_INFO, "folded names anew", "keys", arena_format(arena, "%zu", changed), NULL);
    if (apart)
        log_line(LOG_WARN, "names that are others' too are told apart as they were before", "names", apart,
                 NULL);
    return true;
}

static bool say_projects(struct db *db, struct arena *arena, const struct config *config, struct err *err)
{
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);

    return tool_projects_say(&tx, &config->tools.setup);
}

static bool prepare_schema(struct server *server, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct migrate_report report = { 0 };
    struct db *db = db_open(server->config->settings.store_url, err);

    if (!db)
        return false;
    bool good = migrate_up(db, &arena, &report, err) && prepare_names(db, &arena, err) &&
                check_doors(server, db, &arena, err) && say_projects(db, &arena, server->config, err);

    db_close(db);
    if (report.to != report.from)
        log_line(LOG_INFO, "migrated the store", "from", arena_format(&arena, "%d", report.from), "to",
                 arena_format(&arena, "%d", report.to), NULL);
    return good;
}

static bool seal(struct db *db, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct tx tx = tx_of(db, &arena, clock_now_ms(), err);
    size_t sealed;

    return audit_seal(&tx, &sealed);
}

static void committed(void *user)
{
    struct server *server = user;

    engine_poke(server->engine);
}

/* Runs on the writer's thread; the main thread hears it as a signal and ends the process. */
static void fatal(void *user, const char *why)
{
    struct server *server = user;

    log_line(LOG_ERROR, "the store failed; stopping, recovery at the next start decides", "why", why, NULL);
    atomic_store(&server->failed, true);
    kill(getpid(), SIGTERM);
}

static bool open_tools(struct server *server, struct err *err)
{
    const struct toolbox_setup *setup = &server->config->tools.setup;

    if (server->programs && !programs_open(server->programs, err))
        return false;
    if (setup->command_count + setup->server_count == 0)
        return true;
    if ((setup->server_count > 0 && !net_open(&server->tool_net, err)) ||
        !toolbox_open(&server->toolbox, setup, server->programs, server->tool_net, err))
        return false;
    engine_tools(server->engine, server->toolbox);
    return true;
}

static void close_tools(struct server *server)
{
    toolbox_close(server->toolbox);
    if (server->tool_net)
        net_close(server->tool_net);
}

static const char *real_of(struct arena *arena, const char *path)
{
    char *real = path ? realpath(path, NULL) : NULL;
    const char *copy = arena_text(arena, real);

    free(real);
    return copy;
}

static bool place_coder(struct server *server, struct err *err)
{
    const char *folder = server->orchestrating.folder;

    if (!server->config->tools.coder)
        return true;
    if (!folder) {
        err_field(err, "orchestrator.folder", "A coder needs a place for the folders of its tasks.");
        return err_hint(err, "orchestrator.folder names one.");
    }
    server->coder = server->config->tools.coder_program;
    server->coder.within = folder;
    server->orchestrating.coder = &server->coder;
    server->orchestrating.coder_secrets = server->config->tools.coder_secrets;
    toolbox_name_coder(true);
    return true;
}

/* The operator's command and tools of `folder: task` work in the folder of their task, and nowhere else. */
static bool place_programs(struct server *server, struct err *err)
{
    const struct config_tools *tools = &server->config->tools;
    const char *folder = server->orchestrating.folder;

    if (!place_coder(server, err) || !config_tools_place(tools, &server->arena, folder, err))
        return false;
    return !config_tools_want_tasks(tools) || mkdir(folder, S_IRWXU) == 0 || errno == EEXIST ||
           err_field(err, "orchestrator.folder", "%s cannot be made: %s.", folder, strerror(errno));
}

/* Where the embedded store would be. Few servers have orchestrators, so it is no reason not to start. */
static void place_usual(struct server *server)
{
    const char *data = config_data_dir(&server->arena);
    const char *folder = data ? arena_format(&server->arena, "%s/tasks/", data) : NULL;
    struct err why = { 0 };

    if (folder && files_make_folders(folder, &why) && access(folder, W_OK) == 0)
        server->tasks = server->orchestrating.folder = real_of(&server->arena, folder);
    else
        log_line(
            LOG_WARN,
            "tasks that orchestrators take have no folders and no config.json; orchestrator.folder names a place",
            "why",
            *why.text ? why.text
            : folder  ? "it may not be written"
                      : "HOME is not set",
            NULL);
}

/* Where tasks have their folders: where the settings say, or beside the embedded store. */
static bool place_tasks(struct server *server, struct err *err)
{
    const struct settings *s = &server->config->settings;
    const char *folder = s->orchestrator_folder;
    struct needs needs;
    struct stat found;

    if (!*folder) {
        if (!needs_of_store(s->store_url, &server->arena, &needs, err))
            return false;
        const char *whole = real_of(&server->arena, needs.folder);

        if (whole)
            server->orchestrating.folder = arena_format(&server->arena, "%s/tasks", whole);
        else
            place_usual(server);
        return place_programs(server, err);
    }
    if (*folder != '/' || stat(folder, &found) != 0 || !S_ISDIR(found.st_mode) || access(folder, W_OK) != 0) {
        err_field(err, "orchestrator.folder", "orchestrator.folder is no folder that witan may write: %s.",
                  folder);
        return err_hint(err, "Make it for the user that runs witan, and give its whole path.");
    }
    server->tasks = server->orchestrating.folder = folder;
    return place_programs(server, err);
}

/* Once the folders of the store and of tasks are there. */
static bool check_apart(struct server *server, struct err *err)
{
    const struct settings *s = &server->config->settings;
    struct arena *arena = &server->arena;
    struct config_own own = { .settings = real_of(arena, server->config->file) };
    enum db_engine engine;
    struct needs needs;
    const char *path;

    if (!needs_of_store(s->store_url, arena, &needs, err) ||
        !db_url_engine(s->store_url, &engine, &path, err))
        return false;
    own.store_folder = real_of(arena, needs.folder);
    if (own.store_folder) {
        const char *slash = strrchr(path, '/');

        own.store = real_of(arena, path);
        if (!own.store)
            own.store = arena_format(arena, "%s/%s", own.store_folder, slash ? slash + 1 : path);
    }
    if (*s->orchestrator_folder || config_tools_want_tasks(&server->config->tools))
        own.tasks = server->orchestrating.folder;
    return config_tools_apart(&server->config->tools, arena, &own, err);
}

static bool start(struct server *server, struct err *err)
{
    const struct settings *s = &server->config->settings;
    struct store_options store = {
        .url = s->store_url,
        .readers = (int)s->store_readers,
        .workers = (int)s->store_workers,
        .queue = (size_t)s->store_queue,
        .wait_ms = s->store_wait_ms,
        .wal_bytes = s->store_wal,
        .seal = seal,
        .committed = committed,
        .fatal = fatal,
        .user = server,
    };

    memory_reserve(MEMORY_RESERVE); /* before the store's threads, which read its size */
    server->engine = engine_new();
    server->orchestrating.programs = server->programs;
    engine_orchestrate(server->engine, &server->orchestrating);
    engine_scout(server->engine, server->config->places, server->config->place_count);
    server->store = store_open(&store, err);
    if (!server->store || !open_tools(server, err) ||
        !engine_start(server->engine, server->store, s->store_url, server->test_clock, err))
        return false;
    struct edge_options edge = {
        .store = server->store,
        .engine = server->engine,
        .listen = s->server_listen,
        .version = WITAN_VERSION,
        .require_auth = s->server_require_auth,
        .test_clock = server->test_clock,
    };

    server->edge = edge_open(&edge, err);
    if (!server->edge && strstr(err->text, strerror(EADDRINUSE)))
        return err_hint(err, "Perhaps witan runs there already. --listen takes another address and port.");
    return server->edge != NULL;
}

static void stop(struct server *server, int grace_ms)
{
    edge_close(server->edge, grace_ms);
    if (server->store)
        engine_stop(server->engine);
    close_tools(server);
    store_close(server->store);
    engine_free(server->engine);
}

static void end_at_once(int number)
{
    (void)number;
    _exit(1);
}

/* Forks what starts programs, while this process still may; a server that needs none does without. */
static bool fork_helper(struct server *server, struct err *err)
{
    const struct config *config = server->config;

    size_t count = config->program_count;
    const struct program **all = arena_array(&server->arena, const struct program *, count + 1);

    if (count > 0)
        memcpy(all, config->programs, count * sizeof(*all));
    if (server->orchestrating.coder)
        all[count++] = server->orchestrating.coder;
    return count == 0 || programs_fork(all, count, &server->programs, err);
}

static void say_programs(const struct server *server)
{
    struct programs_bounds bounds;

    if (!server->programs)
        return;
    programs_bounds(server->programs, &bounds);
    log_line(bounds.writes && bounds.network ? LOG_INFO : LOG_WARN, "programs", "read",
             bounds.reads ? "the system and what they name" : "not held", "write",
             bounds.writes ? "their folder" : "not held", "rights",
             bounds.rights ? "their folder's" : "not held", "network",
             bounds.network ? "none unless they may" : "not held", "processes",
             bounds.processes ? "end with them" : "are ended one by one", "others",
             bounds.alone ? "not seen" : "seen, with their command lines", NULL);
}

/* Signals stay blocked in every thread; the main thread takes them one by one. */
static void hold_signals(sigset_t *set)
{
    struct sigaction at_once = { .sa_handler = end_at_once };

    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    sigaction(SIGTERM, &at_once, NULL);
    sigaction(SIGINT, &at_once, NULL);
    sigaction(SIGALRM, &at_once, NULL);
}

static void say_ready(const struct server *server)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO links = { 0 };
    const struct settings *s = &server->config->settings;
    const char *url = config_listen_url(&arena, s->server_listen, edge_port(server->edge));

    sandbox_say(&server->sandbox);
    say_programs(server);
    model_prices_say(s);
    log_line(LOG_INFO, "listening", "url", url, "store", config_mask_url(&arena, s->store_url), "version",
             WITAN_VERSION, NULL);
    buf_init(&links, 0);
    if (*s->server_public_url)
        url = s->server_public_url;
    else
        neighbours_links(&arena, s->server_listen, edge_port(server->edge), &links);
    /* Behind a # it is not sent, so that no log of a proxy on the way has it. */
    if (*server->setup_code)
        printf("Nobody can log in yet. Make the owner's account here, within a day: %s/account#%s\n", url,
               server->setup_code);
    printf("witan is ready: %s\n%.*s", url, (int)links.len, links.len ? links.bytes : "");
    fflush(stdout);
    notify_say(&server->notify, "READY=1");
}

/*
 * After a failed commit nothing is written any more: the answers go out, and the process ends without
 * closing the store, so that the next start finds what the disk really holds.
 */
static _Noreturn void end_failed(struct server *server)
{
    alarm(FATAL_LIMIT_S);
    edge_close(server->edge, FATAL_GRACE_MS);
    _exit(1);
}

static bool run(struct server *server, struct err *err)
{
    sigset_t set;
    int number;

    hold_signals(&set);
    if (!start(server, err)) {
        stop(server, 0);
        return false;
    }
    say_ready(server);
    while (sigwait(&set, &number) != 0)
        ;
    if (atomic_load(&server->failed))
        end_failed(server);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    notify_say(&server->notify, "STOPPING=1");
    log_line(LOG_INFO, "stopping", "signal", number == SIGINT ? "SIGINT" : "SIGTERM", NULL);
    stop(server, (int)server->config->settings.server_stop_grace_ms);
    log_line(LOG_INFO, "stopped", NULL);
    return true;
}

bool serve(const struct config *config, bool test_clock, struct err *err)
{
    const struct settings *s = &config->settings;
    struct server server = { .config = config, .test_clock = test_clock };
    struct claim claim = CLAIM_NONE;
    enum log_level level = LOG_INFO;

    if (log_level_parse(s->log_level, &level))
        log_setup(level, strcmp(s->log_format, "json") == 0);
    umask(077);
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "The random generator does not start.");
    if (!address_space_fit(s, err) || !op_check_table(op_all(), err) ||
        !serve_make_folder(s->store_url, err) || !place_tasks(&server, err) || !check_apart(&server, err) ||
        !claim_take(&claim, s->store_url, err))
        return false;
    server.notify = notify_open();
    bool good = fork_helper(&server, err) &&
                sandbox_enter(s, &config->tools.setup, server.tasks, &server.sandbox, err) &&
                prepare_schema(&server, err) && run(&server, err);

    programs_close(server.programs);
    notify_close(&server.notify);
    claim_release(&claim);
    arena_done(&server.arena);
    return good;
}
