/*
 * doctor_command.c - looks at the settings, the store and the server, and says what is wrong and what to do.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/cli_config.h"
#include "cli/client/client.h"
#include "cli/client/target.h"
#include "cli/commands/tables.h"
#include "cli/store/meant.h"
#include "cli/term.h"
#include "core/upkeep/refold.h"
#include "db/migrate.h"
#include "db/own_schema.h"
#include "db/store_file.h"
#include "llm/catalog.h"
#include "llm/model_choice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_OFF_MS 2000
#define CHECKS_ROOM  32 /* at first */

enum verdict { FINE, DOUBTFUL, BAD };

struct check {
    const char *name, *text, *hint;
    enum verdict verdict;
};

struct doctor {
    struct cli *cli;
    struct meant meant;
    const char *url; /* of the service, where its store is looked at; or NULL */
    struct check *checks;
    size_t count, room;
};

static const char *const verdict_names[] = { [FINE] = "ok", [DOUBTFUL] = "warn", [BAD] = "fail" };

__attribute__((format(printf, 5, 6))) static void add(struct doctor *doctor, const char *name,
                                                      enum verdict verdict, const char *hint, const char *fmt,
                                                      ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (doctor->count == doctor->room) {
        size_t room = doctor->room ? doctor->room * 2 : CHECKS_ROOM;
        struct check *more = arena_array(doctor->cli->arena, struct check, room);

        if (doctor->count > 0)
            memcpy(more, doctor->checks, doctor->count * sizeof(*more));
        doctor->checks = more;
        doctor->room = room;
    }
    doctor->checks[doctor->count++] = (struct check){
        .name = name,
        .verdict = verdict,
        .text = arena_text(doctor->cli->arena, text),
        .hint = arena_text(doctor->cli->arena, hint),
    };
}

static void add_err(struct doctor *doctor, const char *name, const struct err *err)
{
    add(doctor, name, BAD, err->hint[0] ? err->hint : NULL, "%s", err->text);
}

/* The settings may hold the database's password. Their group may read them: a service's user, say. */
static void check_settings_file(struct doctor *doctor, const char *file)
{
    const char *url = doctor->meant.config.settings.store_url;
    struct stat about;

    if (stat(file, &about) == 0 && about.st_mode & 027 &&
        !str_equal(url, config_mask_url(doctor->cli->arena, url)))
        add(doctor, "settings", DOUBTFUL, arena_format(doctor->cli->arena, "chmod 600 %s", file),
            "Others on this machine can read %s, and the store's address has a password.", file);
    else
        add(doctor, "settings", FINE, NULL, "%s can be read.", file);
}

/* Where the store is the service's and not this user's to open, the rest can be looked at all the same. */
static bool find_store(struct doctor *doctor, bool *reached)
{
    struct err err = { 0 };

    *reached = meant_find(&doctor->meant, doctor->cli, &err);
    if (*reached)
        return true;
    if (err.code != ERR_FORBIDDEN) {
        add_err(doctor, err.code == ERR_INVALID ? "settings" : "store", &err);
        return false;
    }
    add(doctor, "store", DOUBTFUL, err.hint, "%s", err.text);
    meant_done(&doctor->meant);
    return cli_config(doctor->cli, &doctor->meant.config, &err);
}

static bool check_settings(struct doctor *doctor, bool *reached)
{
    if (!find_store(doctor, reached))
        return false;
    const char *file = doctor->meant.file;

    if (doctor->meant.unit)
        doctor->url = config_listen_url(doctor->cli->arena, doctor->meant.config.settings.server_listen, 0);
    if (!file)
        add(doctor, "settings", FINE, NULL, "HOME is not set; defaults and environment hold.");
    else if (access(file, F_OK) == 0)
        check_settings_file(doctor, file);
    else
        add(doctor, "settings", FINE, NULL, "There is no %s; defaults and environment hold.", file);
    return true;
}

static int64_t wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void check_clock(struct doctor *doctor, const char *name, int64_t there_ms, int64_t exact_ms)
{
    int64_t off_ms = there_ms - wall_ms();

    if (off_ms > -CLOCK_OFF_MS - exact_ms && off_ms < CLOCK_OFF_MS)
        add(doctor, name, FINE, NULL, "It agrees with this machine's clock.");
    else
        add(doctor, name, DOUBTFUL, "Keep both machines on network time (NTP).",
            "It is %" PRId64 " ms away from this machine's clock.", off_ms);
}

static bool check_schema(struct doctor *doctor, struct db *db, struct err *err)
{
    struct err newer = { 0 };
    const char *odd = NULL;
    int number;

    if (!migrate_current(db, doctor->cli->arena, &number, err) ||
        (number == migrate_newest() && !own_schema_check(db, doctor->cli->arena, number, &odd, err)))
        return false;
    if (odd)
        add(doctor, "schema", DOUBTFUL,
            "Remove it if you do not know it: it runs in the server, and `witan restore` refuses backups with it.",
            "Schema %d, but %s.", number, odd);
    else if (number == migrate_newest())
        add(doctor, "schema", FINE, NULL, "Schema %d, as this witan has it.", number);
    else if (number > migrate_newest() && !migrate_refuse_newer(db, doctor->cli->arena, number, &newer))
        add_err(doctor, "schema", &newer);
    else
        add(doctor, "schema", DOUBTFUL, "`witan migrate` or the next `witan serve` brings it up to date.",
            "Schema %d; this witan works with %d.", number, migrate_newest());
    return number == migrate_newest();
}

static bool check_integrity(struct doctor *doctor, struct db *db, struct err *err)
{
    struct db_rows rows;

    if (db->engine != DB_SQLITE)
        return true;
    if (!db_query_text(db, doctor->cli->arena, "PRAGMA quick_check(1)", DB_NO_ARGS, &rows, err))
        return false;
    if (rows.count == 1 && str_equal(db_cell(&rows, 0, 0), "ok"))
        add(doctor, "integrity", FINE, NULL, "The file is sound.");
    else
        add(doctor, "integrity", BAD,
            "Stop the server, keep a copy of the file, and go back to a backup: `witan restore FILE --replace`.",
            "The file is damaged: %s", rows.count ? db_cell(&rows, 0, 0) : "it cannot be read");
    return true;
}

static bool check_audit(struct doctor *doctor, struct db *db, struct err *err)
{
    struct db_rows rows;

    if (!db_query_text(
            db, doctor->cli->arena,
            "SELECT COALESCE((SELECT MAX(seq) FROM audit_heads), 0), (SELECT COUNT(*) FROM audit WHERE hash IS NULL)",
            DB_NO_ARGS, &rows, err))
        return false;
    add(doctor, "audit", FINE, NULL,
        "The log is sealed up to row %" PRId64 ", %" PRId64 " to go; `witan audit verify` checks it all.",
        db_cell_int(&rows, 0, 0), db_cell_int(&rows, 0, 1));
    return true;
}

/* They came to be one when names began to be folded by Unicode, or with a newer version of it. */
static bool check_names(struct doctor *doctor, struct db *db, struct err *err)
{
    struct tx tx = tx_of(db, doctor->cli->arena, clock_now_ms(), err);
    const char *apart;

    if (!refold_apart(&tx, &apart))
        return false;
    if (apart)
        add(doctor, "names", DOUBTFUL,
            "Each is found by exactly this spelling, and another by all others. Give an agent another name with `witan agent set NAME --name OTHER`.",
            "Others have the same name in another spelling: %s.", apart);
    return true;
}

static bool check_database(struct doctor *doctor, struct db *db, struct err *err)
{
    struct db_rows rows;

    if (!check_schema(doctor, db, err))
        return err->code == ERR_NONE;
    if (!check_integrity(doctor, db, err) || !check_audit(doctor, db, err) || !check_names(doctor, db, err) ||
        !db_query(db, doctor->cli->arena, SQL_DATABASE_NOW, DB_NO_ARGS, &rows, err))
        return false;
    if (db->engine == DB_POSTGRES)
        check_clock(doctor, "store clock", db_cell_int(&rows, 0, 0), 0);
    return true;
}

static void check_store(struct doctor *doctor)
{
    const char *path = doctor->meant.path;
    struct err err = { 0 };
    struct db *db;

    if (path && access(path, F_OK) != 0) {
        if (store_file_can_be_made(path, &err))
            add(doctor, "store", DOUBTFUL, "`witan serve` makes it; --db names another one.",
                "There is no %s yet.", path);
        else
            add_err(doctor, "store", &err);
        return;
    }
    db = meant_enter(&doctor->meant, doctor->cli, &err) ? db_open(doctor->meant.url, &err) : NULL;
    if (!db) {
        add_err(doctor, "store", &err);
    } else {
        add(doctor, "store", FINE, NULL,
            doctor->meant.unit ? "%s, the service's, can be opened." : "%s can be opened.",
            doctor->meant.shown);
        if (!check_database(doctor, db, &err))
            add_err(doctor, "store", &err);
        db_close(db);
    }
    if (!meant_leave(&doctor->meant, &err))
        add_err(doctor, "store", &err);
}

/* How the MCP servers are is known to the server alone, and told to whoever may read there. */
static void check_servers(struct doctor *doctor)
{
    struct client_request request = { .method = "GET", .path = "/api/tools?limit=1", .timeout_s = 5 };
    struct client_reply reply;
    struct err err = { 0 };
    JSON_AUTO *found = NULL;
    const json_t *server;
    size_t i;

    if (!client_send(doctor->cli, &request, &reply, &err) || reply.status != 200 ||
        !json_parse(reply.body, reply.len, &found, &err))
        return;
    json_array_foreach(json_object_get(found, "servers"), i, server)
    {
        const char *name = json_string_value(json_object_get(server, "name")),
                   *state = json_string_value(json_object_get(server, "state")),
                   *why = json_string_value(json_object_get(server, "why"));
        bool given_up = str_equal(state, "unavailable");

        add(doctor, arena_format(doctor->cli->arena, "mcp %s", name ? name : ""),
            str_equal(state, "ready") ? FINE : DOUBTFUL,
            given_up ? "A program is started again with the server, and a URL tried every five minutes."
                     : NULL,
            "It is %s%s %s", state ? state : "unknown", why ? ":" : ".", why ? why : "");
    }
}

/* Settings that cannot be read are told once. */
static void check_server(struct doctor *doctor, bool settings_hold)
{
    struct client_request request = { .method = "GET", .path = "/readyz", .timeout_s = 5 };
    struct client_reply reply;
    struct err err = { 0 };

    bool known = target_find(doctor->cli, &err);

    if (!known && !settings_hold)
        return;
    if (known && doctor->url && !cli_get(doctor->cli, "url") && !getenv("WITAN_URL"))
        doctor->cli->target.url = doctor->url;
    if (!known || !client_send(doctor->cli, &request, &reply, &err)) {
        add_err(doctor, "server", &err);
        return;
    }
    if (reply.status == 200)
        add(doctor, "server", FINE, NULL, "%s is ready.", doctor->cli->target.url);
    else
        add(doctor, "server", BAD, "Its log says why.", "%s answers, but is not ready (%ld).",
            doctor->cli->target.url, reply.status);
    /* A Date header counts whole seconds. */
    if (reply.date_ms)
        check_clock(doctor, "server clock", reply.date_ms, 1000);
    if (reply.status == 200)
        check_servers(doctor);
}

/* A line for each program that is missing, and one for all that are there. */
static void check_program(struct doctor *doctor, const char *kind, const char *name,
                          const struct program *program, size_t *there)
{
    struct err err = { 0 };

    if (program_check(program, &err))
        ++*there;
    else /* the service's user may see what this one cannot */
        add(doctor, arena_format(doctor->cli->arena, "%s %s", kind, name),
            doctor->meant.unit ? DOUBTFUL : BAD,
            err.hint[0] ? err.hint : "`witan serve` does not start before it is there.", "%s", err.text);
}

static void check_programs(struct doctor *doctor)
{
    const struct config_tools *tools = &doctor->meant.config.tools;
    const struct toolbox_setup *setup = &tools->setup;
    size_t there = 0;

    for (size_t i = 0; i < setup->command_count; i++)
        check_program(doctor, "tool", setup->commands[i].tool.name, &setup->commands[i].program, &there);
    for (size_t i = 0; i < setup->server_count; i++) {
        struct program program;

        if (!setup->servers[i].command)
            continue;
        toolbox_server_program(&setup->servers[i], &program);
        check_program(doctor, "mcp", setup->servers[i].name, &program, &there);
    }
    if (tools->coder)
        check_program(doctor, "coder", "argv", &tools->coder_program, &there);
    if (there > 0)
        add(doctor, "tools", FINE, NULL, "Programs of config.yaml that are there: %zu.", there);
}

static void check_files(struct doctor *doctor)
{
    struct rlimit limit;
    int64_t wanted = doctor->meant.config.settings.server_connections;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_max == RLIM_INFINITY || (int64_t)limit.rlim_max >= wanted)
        add(doctor, "open files", FINE, NULL, "Enough for %" PRId64 " connections.", wanted);
    else
        add(doctor, "open files", DOUBTFUL,
            "Raise it (LimitNOFILE= of the service, or ulimit -n), or lower server.connections.",
            "At most %" PRId64 " files may be open; server.connections allows %" PRId64 ".",
            (int64_t)limit.rlim_max, wanted);
}

/* Whom the agents of discussions speak with. A server may run without: questions and prompts need no model.
 */
static void check_model(struct doctor *doctor)
{
    const struct config *config = &doctor->meant.config;
    struct arena *arena = doctor->cli->arena;
    size_t places = config->place_count;
    struct catalog catalog = { 0 };
    struct llm_model model;
    struct err err = { 0 };
    struct net *net = NULL;

    if (models()->count > 0 && model_of_config(doctor->cli->arena, NULL, &model, &err)) {
        add(doctor, "model", FINE, NULL,
            "Agents that name none speak with %s of config.yaml; `witan model test` asks it.", model.name);
        return;
    }
    if (places > 0 && !net_open(&net, &err))
        places = 0;
    for (size_t i = 0; i < places && !catalog.speaker; i++)
        if (!catalog_read(net, &config->places[i], arena, &catalog, &err))
            catalog.speaker = NULL;
    if (catalog.speaker) {
        catalog_model(&catalog, arena, catalog.speaker, &model);
        add(doctor, "model", FINE, NULL, "Agents that name none speak with %s, found at %s.",
            local_word(arena, &model), model.base_url);
    } else
        add(doctor, "model", FINE, NULL,
            "There is none, so discussions can only be rehearsed; `witan model list` says how to get one.");
    if (net)
        net_close(net);
}

static void check_token_file(struct doctor *doctor)
{
    const char *path = cli_get(doctor->cli, "token-file");
    struct stat about;

    if (!path)
        path = target_token_file(doctor->cli->arena);
    if (!path || stat(path, &about) != 0)
        return;
    if (about.st_mode & 077)
        add(doctor, "token file", BAD, arena_format(doctor->cli->arena, "chmod 600 %s", path),
            "Others on this machine can read or change %s.", path);
    else
        add(doctor, "token file", FINE, NULL, "%s is for its owner alone.", path);
}

static void write_json(const struct doctor *doctor, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_list(&out, "checks");
    for (size_t i = 0; i < doctor->count; i++) {
        json_map(&out, NULL);
        json_text(&out, "name", doctor->checks[i].name);
        json_text(&out, "status", verdict_names[doctor->checks[i].verdict]);
        json_text(&out, "text", doctor->checks[i].text);
        json_text(&out, "hint", doctor->checks[i].hint);
        json_map_end(&out);
    }
    json_list_end(&out);
    json_map_end(&out);
    buf_char(into, '\n');
}

static const char *typed(const struct doctor *doctor, const char *text)
{
    return term_line(doctor->cli->arena, cli_typed(doctor->cli, doctor->cli->arena, text));
}

static void write_lines(const struct doctor *doctor, struct buf *into)
{
    struct term term;

    term_init(&term, doctor->cli->arena, into, doctor->cli->colour);
    for (size_t i = 0; i < doctor->count; i++) {
        const struct check *check = &doctor->checks[i];
        const char *verdict = verdict_names[check->verdict];

        term_paint(&term, term_status(verdict), verdict);
        buf_format(into, "%*s%-12s  %s\n", (int)(6 - strlen(verdict)), "", check->name,
                   typed(doctor, check->text));
        if (check->hint)
            buf_format(into, "%20s%s\n", "", typed(doctor, check->hint));
    }
}

/* Exit code 1 when something fails, 0 when all is well or only worth a warning. */
static int run_doctor(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct doctor doctor = { .cli = cli };
    bool reached, settings_hold = check_settings(&doctor, &reached), bad = false;

    if (settings_hold) {
        if (reached)
            check_store(&doctor);
        check_files(&doctor);
        check_model(&doctor);
        check_programs(&doctor);
    }
    meant_done(&doctor.meant);
    check_token_file(&doctor);
    check_server(&doctor, settings_hold);
    buf_init(&text, 0);
    if (cli->json)
        write_json(&doctor, &text);
    else
        write_lines(&doctor, &text);
    for (size_t i = 0; i < doctor.count; i++)
        bad |= doctor.checks[i].verdict == BAD;
    int code = cli_print(text.bytes, text.len);

    return bad ? CLI_ERROR : code;
}

const struct cli_command doctor_commands[] = {
    {
        .name = "doctor",
        .help = "Check settings, store and server, and say what to do about what is wrong.",
        .examples = "witan doctor\nwitan doctor --json",
        .uses = CLI_STORE | CLI_OWN | CLI_JSON,
        .options = {
            { "url", "URL", .help = "The server. Else WITAN_URL, else from the settings." },
            { "token-file", "FILE", .help = "A file with the token." },
        },
        .run = run_doctor,
    },
    { 0 },
};
