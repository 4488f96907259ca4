/*
 * config.h - fills the settings.
 *
 * From lowest to highest: defaults, config.yaml, environment variables, flags. Each value remembers where it
 * came from, for `witan config` and for error messages. A key that nobody knows, a value of the wrong kind or
 * out of range is refused with a sentence that names the place: a typo must not silently mean a default.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/settings.h"
#include "server/config_models.h"
#include "server/config_tools.h"

enum config_kind { CONFIG_TEXT, CONFIG_INT, CONFIG_BOOL, CONFIG_TIME, CONFIG_SIZE, CONFIG_MONEY };

struct config_row {
    const char *key; /* "server.listen" */
    const char *help;
    enum config_kind kind;
    const char *fallback;
    int64_t least, most;
    size_t offset; /* of the member in struct settings */
};

extern const struct config_row config_rows[];
extern const size_t config_row_count;

struct config {
    struct arena arena;
    struct settings settings;
    const char **values;  /* the text in force of each row */
    const char **origins; /* "default", "FILE:LINE", "environment WITAN_...", "flag --listen" */
    struct config_models models;
    struct config_tools tools;
    const char *file;                 /* that was read; NULL: none */
    const struct local_place *places; /* where models are looked for while there are none */
    size_t place_count;
    const struct program *const *programs; /* that tools and MCP servers are: all that can be started */
    size_t program_count;
};

struct config_sources {
    const char *file;               /* from --config; NULL: the default place, if there is a file */
    bool may_lack_file;             /* one that is named and not there is like an empty one */
    const char *listen, *store_url; /* flags, or NULL */
    bool require_auth, setup;
    bool needs_store;       /* no store is then an error */
    char *const *variables; /* an environment (variables.h); NULL: this process's */
};

/* The config lives until config_done; its settings are then in force through settings_use, and its models
 * through models_use. */
CHECKED bool config_load(struct config *config, const struct config_sources *sources, struct err *err);
/* For a server, before it locks itself in: what tools take from variables and files, and which programs can
 * be started. False: something that they need is not there. */
CHECKED bool config_prepare(struct config *config, struct err *err);
void config_done(struct config *config);
/* Whether somebody named the store; else it is the usual one, or "" where there is no place for that. */
bool config_names_store(const struct config *config);
/* Says that there is no place for a store, and what to do. */
bool config_refuse_homeless(struct err *err);

/* Every setting with help, value and origin, as a config.yaml that could be used, or as JSON. */
void config_print_yaml(const struct config *config, struct buf *into);
void config_print_json(const struct config *config, struct buf *into);
/* A config.yaml to begin with: every setting with its help and its default, all of them commented out. */
void config_print_template(struct buf *into);

/* "WITAN_SERVER_LISTEN" for "server.listen". */
const char *config_env_name(struct arena *arena, const char *key);
/*
 * Where this installation keeps its things; nothing is made. Each is NULL when neither HOME nor the XDG
 * variable for it says where.
 */
const char *config_config_dir(struct arena *arena);
const char *config_data_dir(struct arena *arena);
/* The file of settings that is read when none is named: ".../config.yaml". */
const char *config_file(struct arena *arena);
const char *config_file_of(struct arena *arena, char *const *variables); /* in another environment */
/*
 * How a server that listens there is reached from this machine; `port` replaces the one in `listen` unless it
 * is 0.
 */
const char *config_listen_url(struct arena *arena, const char *listen, int port);
/* A store URL without its password, for people. */
const char *config_mask_url(struct arena *arena, const char *url);

#endif
