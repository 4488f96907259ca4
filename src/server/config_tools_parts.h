/*
 * config_tools_parts.h - what the files of config_tools.h share: config_tool_rows.c reads one setting by its
 * row, config_tools.c holds entries against each other and makes the setup of them, config_tools_prepare.c
 * adds what a server finds at its start, config_tools_apart.c holds paths against each other.
 */
#ifndef SERVER_CONFIG_TOOLS_PARTS_H
#define SERVER_CONFIG_TOOLS_PARTS_H

#include "server/config_tools.h"

enum tool_setting {
    TOOL_SET_TEXT,
    TOOL_SET_PATH,   /* an absolute one */
    TOOL_SET_FOLDER, /* the same, or TOOL_OF_TASK */
    TOOL_SET_PATHS,  /* a list of them */
    TOOL_SET_WORDS,  /* a list of texts, or one */
    TOOL_SET_PAIRS,  /* a map of texts, whose values are not shown */
    TOOL_SET_NAMES,  /* a map of names of variables */
    TOOL_SET_SCHEMA, /* of arguments */
    TOOL_SET_TIME,
    TOOL_SET_SIZE,
    TOOL_SET_COUNT,
    TOOL_SET_BOOL,
    TOOL_SET_CATEGORY,
    TOOL_SET_ROLES,
};

/* What a row is for. */
enum { OF_COMMAND = 1, OF_SERVER = 2, OF_RULE = 4, OF_CODER = 8 };

struct tool_row {
    const char *key;
    int of;
    enum tool_setting kind;
    const char *fallback;
    int64_t least, most;
    size_t offset; /* in struct tool_entry */
    const char *help;
};
extern const struct tool_row tool_rows[];
extern const size_t tool_row_count;

/* The folder of the run's task, for the setting `folder`; no path begins so. */
#define TOOL_OF_TASK "task"

/* A name and a value. */
struct tool_pair {
    const char *name, *value;
};

/* A command, a server, or what is said of one tool of a server. */
struct tool_entry {
    struct tool_entry *next;
    const char *name, *place;
    uint64_t set;         /* rows that the file has, a bit for each */
    const char **written; /* of those: as JSON, secrets masked */
    const char **places;

    const char *description, *schema, *folder, *category, *url, *api_key_env, *api_key_file;
    const char *const *argv, *const *reads, *const *environment_from, *const *projects, *const *roles;
    const struct tool_pair *environment, *headers, *headers_from; /* end with a name of NULL */
    int64_t timeout_ms, start_ms, cpu_ms, output, memory, file_size, restarts;
    bool network, needs_approval, idempotent, alone, enabled;

    struct tool_entry *rules; /* of a server */
    size_t rule_count;
};

/* A fresh one with the fallbacks. */
struct tool_entry *tool_entry_new(struct arena *arena, const struct yaml_node *node, int of);
/* Takes one setting. False: there is none, or its value is not what it must be; err->field is its key. */
CHECKED bool tool_entry_set(struct tool_entry *entry, struct arena *arena, const struct yaml_node *node,
                            int of, struct err *err);
bool tool_entry_has(const struct tool_entry *entry, const char *key);
/* Whether it is a command that works in the folder of the run's task. */
bool tool_entry_is_of_task(const struct tool_entry *entry);
/* Where a setting stands, or the entry when it has none. */
const char *tool_entry_place(const struct tool_entry *entry, const char *key);
/* Says what is wrong with a setting of an entry (key "": with the entry itself), by place and key. */
bool tool_entry_refuse(const struct tool_entry *entry, struct arena *arena, const char *section,
                       const char *key, const char *what, struct err *err);

#endif
