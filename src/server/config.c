/*
 * Every source goes through config_set, which knows the row, the bounds and the place, so that a flag is
 * checked like a line of the file. Rows come from the one table of settings; only values that are words are
 * checked by hand, at the end, when the last source has spoken.
 */
#include "server/config.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "db/db.h"
#include "net/net.h"
#include "server/variables.h"
#include "server/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW(kind_, member, key_, fallback_, least_, most_, help_) \
    { .key = key_, \
      .help = help_, \
      .kind = kind_, \
      .fallback = fallback_, \
      .least = least_, \
      .most = most_, \
      .offset = offsetof(struct settings, member) },
#define TEXT(member, key, fallback, help) ROW(CONFIG_TEXT, member, key, fallback, 0, 0, help)
#define INT(member, key, fallback, least, most, help) \
    ROW(CONFIG_INT, member, key, #fallback, least, most, help)
#define BOOL(member, key, fallback, help) ROW(CONFIG_BOOL, member, key, #fallback, 0, 0, help)
#define TIME(member, key, fallback, least, most, help) \
    ROW(CONFIG_TIME, member##_ms, key, fallback, least, most, help)
#define SIZE(member, key, fallback, least, most, help) \
    ROW(CONFIG_SIZE, member, key, fallback, least, most, help)
#define MONEY(member, key, fallback, least, most, help) \
    ROW(CONFIG_MONEY, member##_millionths, key, #fallback, (int64_t)MONEY_MILLIONTHS *(least), \
        (int64_t)MONEY_MILLIONTHS *(most), help)
const struct config_row config_rows[] = { SETTINGS(TEXT, INT, BOOL, TIME, SIZE, MONEY) };
#undef TEXT
#undef INT
#undef BOOL
#undef TIME
#undef SIZE
#undef MONEY
const size_t config_row_count = sizeof(config_rows) / sizeof(config_rows[0]);

const char *config_env_name(struct arena *arena, const char *key)
{
    char *name = arena_format(arena, "WITAN_%s", key);

    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return name;
}

static const char *xdg_dir(struct arena *arena, char *const *variables, const char *variable,
                           const char *under_home)
{
    const char *base = variables_get(variables, variable);
    const char *home = variables_get(variables, "HOME");

    if (base && base[0] == '/')
        return arena_format(arena, "%s/witan", base);
    /* Never a folder that others can write, such as that of temporary files. */
    return home && home[0] == '/' ? arena_format(arena, "%s/%s/witan", home, under_home) : NULL;
}

const char *config_config_dir(struct arena *arena)
{
    return xdg_dir(arena, environ, "XDG_CONFIG_HOME", ".config");
}

const char *config_file_of(struct arena *arena, char *const *variables)
{
    const char *folder = xdg_dir(arena, variables, "XDG_CONFIG_HOME", ".config");

    return folder ? arena_format(arena, "%s/config.yaml", folder) : NULL;
}

const char *config_file(struct arena *arena)
{
    return config_file_of(arena, environ);
}

static const char *data_dir_of(struct arena *arena, char *const *variables)
{
    return xdg_dir(arena, variables, "XDG_DATA_HOME", ".local/share");
}

const char *config_data_dir(struct arena *arena)
{
    return data_dir_of(arena, environ);
}

static const char *default_store(struct arena *arena, char *const *variables)
{
    const char *folder = data_dir_of(arena, variables);

    return folder ? arena_format(arena, "sqlite:%s/witan.db", folder) : NULL;
}

/* A server that listens on every address is reached on this machine by its loopback. */
const char *config_listen_url(struct arena *arena, const char *listen, int port)
{
    const char *colon = strrchr(listen, ':');
    const char *host = listen;

    if (!colon)
        return arena_format(arena, "http://%s", listen);
    host = arena_copy(arena, listen, (size_t)(colon - listen));
    if (!*host || strcmp(host, "0.0.0.0") == 0)
        host = "127.0.0.1";
    else if (strcmp(host, "[::]") == 0)
        host = "[::1]";
    return port ? arena_format(arena, "http://%s:%d", host, port)
                : arena_format(arena, "http://%s%s", host, colon);
}

/* libpq takes a password after the name and also as a parameter. In what it cannot read it may be anywhere.
 */
const char *config_mask_url(struct arena *arena, const char *url)
{
    enum db_engine engine;
    const char *path;
    struct err ignored = { 0 };

    if (!db_url_engine(url, &engine, &path, &ignored)) {
        size_t word = strspn(url, "abcdefghijklmnopqrstuvwxyz");

        return url[word] == ':' ? arena_format(arena, "%.*s://***", (int)word, url) : "***";
    }
    if (engine == DB_SQLITE)
        return url;

    const char *scheme = strstr(url, "://");
    const char *at = scheme ? strrchr(scheme, '@') : NULL;
    const char *colon = at ? strchr(scheme + 3, ':') : NULL;

    if (colon && colon < at)
        url = arena_format(arena, "%.*s:***%s", (int)(colon - url), url, at);

    const char *param = scheme ? strcasestr(url, "password=") : NULL;

    if (!param)
        return url;
    param += strlen("password=");
    return arena_format(arena, "%.*s***%s", (int)(param - url), url, param + strcspn(param, "&"));
}

static bool bad_value(const struct config_row *row, const char *origin, const char *text, const char *want,
                      struct err *err)
{
    return err_field(err, row->key, "%s: %s must be %s, not \"%s\".", origin, row->key, want, text);
}

static bool in_range(const struct config_row *row, int64_t number)
{
    return number >= row->least && number <= row->most;
}

/* "0.50": up to the six places that are counted. */
static bool to_millionths(const char *text, int64_t *number)
{
    size_t whole = strspn(text, "0123456789"), places = 0;
    int64_t sum = 0, worth = MONEY_MILLIONTHS;

    if (text[whole] == '.')
        places = strspn(text + whole + 1, "0123456789");
    if (whole == 0 || whole > 10 || places > 6 || text[whole + (places > 0 ? places + 1 : 0)])
        return false;
    for (size_t i = 0; i < whole; i++)
        sum = sum * 10 + (text[i] - '0');
    sum *= MONEY_MILLIONTHS;
    for (size_t i = 0; i < places; i++)
        sum += (worth /= 10) * (text[whole + 1 + i] - '0');
    *number = sum;
    return true;
}

static bool number_of(const struct config_row *row, const char *text, int64_t *number)
{
    switch (row->kind) {
    case CONFIG_TIME: return str_to_duration_ms(text, number);
    case CONFIG_SIZE: return str_to_bytes(text, number);
    case CONFIG_MONEY: return to_millionths(text, number);
    default: return str_to_int(text, number);
    }
}

/* "5m", "64KB", "12": as a person would write it. */
static const char *written(const struct config_row *row, struct arena *arena, int64_t number)
{
    static const struct {
        enum config_kind kind;
        int64_t worth;
        const char *unit;
    } units[] = {
        { CONFIG_TIME, 86400000, "d" }, { CONFIG_TIME, 3600000, "h" },
        { CONFIG_TIME, 60000, "m" },    { CONFIG_TIME, 1000, "s" },
        { CONFIG_TIME, 1, "ms" },       { CONFIG_SIZE, 1048576, "MB" },
        { CONFIG_SIZE, 1024, "KB" },    { CONFIG_MONEY, MONEY_MILLIONTHS, "" },
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (units[i].kind == row->kind && number >= units[i].worth && number % units[i].worth == 0)
            return arena_format(arena, "%lld%s", (long long)(number / units[i].worth), units[i].unit);
    return arena_format(arena, "%lld", (long long)number);
}

static const char *wanted(const struct config_row *row, struct arena *arena)
{
    const char *what = row->kind == CONFIG_TIME    ? "a duration such as 30s, 5m or 24h,"
                       : row->kind == CONFIG_SIZE  ? "a size such as 64KB or 1MB,"
                       : row->kind == CONFIG_MONEY ? "an amount such as 0.50,"
                                                   : "a whole number";

    return arena_format(arena, "%s from %s to %s", what, written(row, arena, row->least),
                        written(row, arena, row->most));
}

static bool set_bool(const struct config_row *row, const char *text, const char *origin, bool *value,
                     struct err *err)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0 || strcmp(text, "yes") == 0 ||
        strcmp(text, "on") == 0)
        *value = true;
    else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0 || strcmp(text, "no") == 0 ||
             strcmp(text, "off") == 0)
        *value = false;
    else
        return bad_value(row, origin, text, "true or false", err);
    return true;
}

static bool config_set(struct config *config, size_t index, const char *text, const char *origin,
                       struct err *err)
{
    const struct config_row *row = &config_rows[index];
    void *member = (char *)&config->settings + row->offset;
    int64_t number;

    text = arena_text(&config->arena, text);
    if (row->kind == CONFIG_TEXT) {
        memcpy(member, &text, sizeof(text));
    } else if (row->kind == CONFIG_BOOL) {
        if (!set_bool(row, text, origin, member, err))
            return false;
    } else {
        if (!number_of(row, text, &number) || !in_range(row, number))
            return bad_value(row, origin, text, wanted(row, &config->arena), err);
        memcpy(member, &number, sizeof(number));
    }
    config->values[index] = text;
    config->origins[index] = arena_text(&config->arena, origin);
    return true;
}

static bool find_row(const char *key, size_t *index)
{
    for (size_t i = 0; i < config_row_count; i++) {
        if (strcmp(config_rows[i].key, key) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static const char *nearest_key(const char *key)
{
    const char *nearest = NULL;
    size_t best = 4; /* further away than this is no help */

    for (size_t i = 0; i < config_row_count; i++) {
        size_t distance = str_distance(key, config_rows[i].key);

        if (distance < best) {
            best = distance;
            nearest = config_rows[i].key;
        }
    }
    return nearest;
}

static bool take_yaml(void *user, const char *key, const char *value, const char *origin, struct err *err)
{
    struct config *config = user;
    size_t index;

    if (find_row(key, &index)) {
        if (strcmp(config->origins[index], "default") != 0)
            return err_field(err, key, "%s: %s was set before, at %s.", origin, key, config->origins[index]);
        return config_set(config, index, value, origin, err);
    }
    if (config_models_has(key))
        return config_models_take(&config->models, &config->arena, key, value, origin, err);
    const char *nearest = nearest_key(key);

    err_field(err, key, "%s: there is no setting %s.", origin, key);
    if (nearest)
        return err_hint(err, "Did you mean %s?", nearest);
    return err_hint(err, "`witan config` lists every setting.");
}

static bool take_tree(void *user, const struct yaml_node *node, struct err *err)
{
    struct config *config = user;

    return config_tools_take(&config->tools, &config->arena, node, err);
}

static bool load_file(struct config *config, const struct config_sources *sources, char *const *variables,
                      struct err *err)
{
    const char *path = sources->file ? sources->file : config_file_of(&config->arena, variables);
    const struct yaml_trees trees = { config_tool_sections, take_tree };

    if (!path || ((!sources->file || sources->may_lack_file) && access(path, F_OK) != 0))
        return true;
    config->file = arena_text(&config->arena, path);
    return yaml_read_file(path, take_yaml, &trees, config, err);
}

static bool load_environment(struct config *config, char *const *variables, struct err *err)
{
    size_t store;
    const char *db = variables_get(variables, "WITAN_DB");

    if (!variables_check(variables, &config->arena, err))
        return false;
    if (db && *db && find_row("store.url", &store) &&
        !config_set(config, store, db, "environment WITAN_DB", err))
        return false;
    for (size_t i = 0; i < config_row_count; i++) {
        const char *name = config_env_name(&config->arena, config_rows[i].key);
        const char *value = variables_get(variables, name);

        if (value && !config_set(config, i, value, arena_format(&config->arena, "environment %s", name), err))
            return false;
    }
    return true;
}

static bool set_flag(struct config *config, const char *key, const char *value, const char *origin,
                     struct err *err)
{
    size_t index;

    return !value || (find_row(key, &index) && config_set(config, index, value, origin, err));
}

static bool bad_word(const struct config *config, const char *key, const char *want, const char *text,
                     struct err *err)
{
    size_t index = 0;

    (void)find_row(key, &index);
    return bad_value(&config_rows[index], config->origins[index], text, want, err);
}

/* Values that are words of a small set, or a URL: checked once all sources have had their say. */
/* "name:port", "1.2.3.4:port" or "[v6]:port"; whether there is such an address is seen when it is opened. */
static bool has_port(const char *listen)
{
    const char *colon = strrchr(listen, ':');
    int64_t port;

    return colon && colon > listen && (listen[0] != '[' || colon[-1] == ']') &&
           isdigit((unsigned char)colon[1]) && str_to_int(colon + 1, &port) && port <= 65535;
}

/* "all", "majority", or a share such as 0.75. */
static bool is_threshold(const char *text)
{
    char *end;
    double share;

    if (strcmp(text, "all") == 0 || strcmp(text, "majority") == 0)
        return true;
    if (!*text || text[strspn(text, "0123456789.")])
        return false;
    share = strtod(text, &end);
    return *end == '\0' && share > 0 && share <= 1;
}

/* Commas between them; "any" stands alone. */
static bool is_ports(const char *text)
{
    int64_t port;

    if (!*text || strcmp(text, "any") == 0)
        return true;
    for (;;) {
        char number[8];
        size_t len = strcspn(text, ",");

        snprintf(number, sizeof(number), "%.*s", (int)(len < sizeof(number) ? len : sizeof(number)), text);
        if (!str_to_int(number, &port) || port < 1 || port > 65535)
            return false;
        if (!text[len])
            return true;
        text += len + 1 + (text[len + 1] == ' ');
    }
}

static bool check_words(struct config *config, struct err *err)
{
    const struct settings *s = &config->settings;
    enum log_level level;
    struct err why = { 0 };

    if (!log_level_parse(s->log_level, &level))
        return bad_word(config, "log.level", "debug, info, warn or error", s->log_level, err);
    if (strcmp(s->log_format, "text") != 0 && strcmp(s->log_format, "json") != 0)
        return bad_word(config, "log.format", "text or json", s->log_format, err);
    if (*s->store_url && !str_starts(s->store_url, "sqlite:") && !str_starts(s->store_url, "postgres://") &&
        !str_starts(s->store_url, "postgresql://"))
        return bad_word(config, "store.url", "sqlite:PATH or postgres://...",
                        config_mask_url(&config->arena, s->store_url), err);
    if (!has_port(s->server_listen))
        return bad_word(config, "server.listen", "an address and a port such as 127.0.0.1:7117",
                        s->server_listen, err);
    if (*s->server_public_url && !str_starts(s->server_public_url, "http://") &&
        !str_starts(s->server_public_url, "https://"))
        return bad_word(config, "server.public_url", "a URL with http:// or https://", s->server_public_url,
                        err);
    if (!is_ports(s->server_connect_ports))
        return bad_word(config, "server.connect_ports", "ports separated by commas, or any",
                        s->server_connect_ports, err);
    if (!local_ports_valid(s->council_local_ports))
        return bad_word(config, "council.local_ports", "a few ports separated by commas, or off",
                        s->council_local_ports, err);
    if (strcmp(s->council_ollama, LOCAL_OFF) != 0 && !net_url_check(s->council_ollama, &why))
        return bad_word(config, "council.ollama", "a URL with http:// or https://, or off", s->council_ollama,
                        err);
    if (!is_threshold(s->consensus_agreement_threshold))
        return bad_word(config, "consensus.agreement_threshold",
                        "all, majority or a share above 0 and up to 1 such as 0.75",
                        s->consensus_agreement_threshold, err);
    return true;
}

bool config_refuse_homeless(struct err *err)
{
    err_set(err, ERR_INVALID, "HOME is not set, so there is no place for the store.");
    return err_hint(err,
                    "Set HOME or XDG_DATA_HOME, or name the store: --db sqlite:/PATH/witan.db or WITAN_DB.");
}

bool config_names_store(const struct config *config)
{
    size_t index;

    return find_row("store.url", &index) && strcmp(config->origins[index], "default") != 0;
}

static bool choose_store(struct config *config, char *const *variables, bool must, struct err *err)
{
    const char *usual = default_store(&config->arena, variables);

    if (usual)
        config->settings.store_url = usual;
    return usual || !must || config_refuse_homeless(err);
}

bool config_load(struct config *config, const struct config_sources *sources, struct err *err)
{
    char *const *variables = sources->variables ? sources->variables : environ;

    *config = (struct config){ 0 };
    config->values = arena_array(&config->arena, const char *, config_row_count);
    config->origins = arena_array(&config->arena, const char *, config_row_count);
    for (size_t i = 0; i < config_row_count; i++)
        if (!config_set(config, i, config_rows[i].fallback, "default", err))
            return false;
    if (!load_file(config, sources, variables, err) || !load_environment(config, variables, err))
        return false;
    if (!set_flag(config, "server.listen", sources->listen, "flag --listen", err) ||
        !set_flag(config, "store.url", sources->store_url, "flag --db", err) ||
        !set_flag(config, "server.require_auth", sources->require_auth ? "true" : NULL, "flag --require-auth",
                  err) ||
        !set_flag(config, "server.setup", sources->setup ? "true" : NULL, "flag --setup", err))
        return false;
    if (!check_words(config, err) ||
        !config_models_check(&config->models, &config->arena, &config->settings, err) ||
        !config_tools_check(&config->tools, &config->arena, err))
        return false;
    if (!*config->settings.store_url && !choose_store(config, variables, sources->needs_store, err))
        return false;
    config->places = local_places(&config->arena, &config->settings, &config->place_count);
    settings_use(&config->settings);
    return true;
}

void config_done(struct config *config)
{
    settings_use(NULL);
    models_use(NULL);
    arena_done(&config->arena);
}
