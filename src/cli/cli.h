/*
 * cli.h - the command line as a table.
 *
 * A command is one row: its name, its help, examples, arguments, options and what runs it. Parsing, help and
 * shell completion are derived from the rows. An argument or option that fills a parameter of the operation
 * table says so, and then takes its help from there; a row of the operation table whose .cli names no command
 * here becomes one by itself (see cli_command_of).
 *
 * Exit codes are the same everywhere: 0 yes, 1 error, 2 usage, 3 no, 4 not allowed, 5 timed out, 6 cancelled,
 * 7 conflict, 8 cannot reach the server, 9 approved with other arguments, 130 interrupted (129 and 143 by
 * SIGHUP and SIGTERM); `witan help exit-codes` prints them. What a command found goes to stdout, everything
 * said about it to stderr.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/arena.h"
#include "base/err.h"
#include "ops/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum cli_exit {
    CLI_OK = 0,
    CLI_ERROR = 1,
    CLI_USAGE = 2,
    CLI_NO = 3,
    CLI_AUTH = 4,
    CLI_TIMED_OUT = 5,
    CLI_CANCELLED = 6,
    CLI_CONFLICT = 7,
    CLI_UNREACHABLE = 8,
    CLI_CHANGED = 9,     /* a yes, but to other arguments than those proposed, which were not asked for */
    CLI_SIGNALLED = 128, /* and the signal's number */
    CLI_INTERRUPTED = 130,
};

/* What a command works with; each brings its common options. */
enum {
    CLI_SERVER = 1, /* a running server: --url, --token-file, --workspace, --config */
    CLI_STORE = 2,  /* the store itself: --db, --config */
    CLI_CONFIG = 4, /* the settings: --config */
    CLI_JSON = 8,   /* --json */
    CLI_OWN = 16,   /* files of the caller's own beside the store: a backup, a token, a key */
    CLI_MAKES = 32, /* the file of settings that --config names need not be there: it is made */
};

/* Flags of an argument or option. */
enum {
    CLI_MAY = 1,      /* an argument that may be left out */
    CLI_MANY = 2,     /* the last argument: any number of values */
    CLI_STDIN = 4,    /* the value "-" stands for what standard input holds */
    CLI_MINUTES = 8,  /* a duration such as 30m, handed on as minutes */
    CLI_MUST = 16,    /* an option that must be there */
    CLI_EXPIRES = 32, /* a duration such as 90d, handed on as the moment it ends */
    CLI_LIST = 64,    /* several of its words, with commas between */
    CLI_OTHER = 128,  /* its words are those that people mostly want; others will do, too */
};

struct cli_option {
    const char *name;  /* "agent" for --agent; of an argument: "ID", as help shows it */
    const char *value; /* what help calls the value; NULL for a switch; unused for arguments */
    const char *param; /* the parameter it fills, or NULL */
    const char *help;  /* NULL: the parameter's own */
    unsigned flags;
    /*
     * The words that it may be, for help, completion and the parser, which refuses others: a list that ends
     * with NULL, or a function that gives them one by one, NULL behind the last. Without either, those of the
     * parameter, which the server checks.
     */
    const char *const *words;
    const char *(*word_at)(size_t at);
};

#define CLI_WORDS_SHOWN 12 /* longer lists are not written out in help and errors */

#define CLI_ARGS    4
#define CLI_OPTIONS LIMIT_PARAMS

struct cli;

struct cli_command {
    const char *name; /* "prompt ask" */
    const char *help; /* NULL: the operation's own */
    const char *op;   /* the operation it offers, or NULL */
    const char *examples;
    unsigned uses;
    struct cli_option args[CLI_ARGS];       /* ends with an empty one */
    struct cli_option options[CLI_OPTIONS]; /* ends with an empty one */
    int (*run)(struct cli *cli);
};

/* Where the server is and who calls (client/target.h). */
struct cli_target {
    const char *url;       /* without a slash at the end */
    const char *token;     /* or NULL */
    const char *session;   /* a person's login (client/login.h), or NULL */
    const char *workspace; /* or NULL */
};

struct cli_value {
    const struct cli_option *option;
    const char *text; /* "true" for a switch */
};

#define CLI_VALUES 64

/* One run of one command. */
struct cli {
    const struct cli_command *const *commands; /* all of them; ends with NULL */
    const struct cli_command *command;
    const struct op *op; /* the command's, or NULL */
    int argc;            /* the words after the program's name */
    char **argv;
    struct arena *arena;
    struct cli_value values[CLI_VALUES];
    size_t value_count;
    const char *rest[CLI_VALUES]; /* of the argument that takes many */
    size_t rest_count;
    struct cli_target target;
    bool json, quiet, colour, help;
    bool utc;                    /* --utc: whole times in UTC for people too */
    const char *idempotency_key; /* sent when the command line gives none; or NULL */
    int64_t patience_ms;         /* how long what may be repeated is tried again; 0: not at all */
    int64_t away_since_ms;       /* since when the server is away; 0: it is there */
    /* Called about once a second while a request waits, or NULL; its false ends the request. */
    bool (*pulse)(struct cli *cli);
    void *pulse_state; /* the pulse's own */
};

/* Options that a command has by what it uses; ends with an empty one. */
const struct cli_option *cli_common_options(unsigned use);
enum { CLI_USE_ALL = 0 }; /* those of every command */

/*
 * The commands of this table and those that operations bring along, in the arena. `generic` runs the latter.
 */
const struct cli_command *const *cli_join(struct arena *arena, const struct cli_command *const tables[],
                                          int (*generic)(struct cli *cli));
/* A command made from a row: values of the path are arguments, the rest are options. */
struct cli_command *cli_command_of(struct arena *arena, const struct op *op);

/*
 * Reads the words after the program's name. A wrong word is ERR_INVALID with the nearest right one as hint.
 * cli->command is NULL when only help was asked for, or nothing.
 */
CHECKED bool cli_parse(struct cli *cli, int argc, char **argv, struct err *err);
/* Whether a word is the first of commands that have two. */
bool cli_is_group(const struct cli *cli, const char *word);

/* The value of an option or argument, or NULL. */
const char *cli_get(const struct cli *cli, const char *name);
bool cli_has(const struct cli *cli, const char *name);

/* The parameter that an option or argument fills, or NULL. */
const struct field *cli_param(const struct cli_command *command, const struct cli_option *option);
/* The words that a value may be, one by one; NULL behind the last. */
const char *cli_word(const struct cli_command *command, const struct cli_option *option, size_t at);
/* All of them: "eu, us or asia". */
const char *cli_words_text(struct arena *arena, const struct cli_command *command,
                           const struct cli_option *option);
/* What is said of them behind the help: " One of: eu, us or asia."; "" when it says so itself, or they are
 * too many to read. */
const char *cli_words_help(struct arena *arena, const struct cli_command *command,
                           const struct cli_option *option);
/* Refuses a value that is none of the option's own words, where it has some. */
CHECKED bool cli_check_words(struct arena *arena, const struct cli_option *option, const char *given,
                             struct err *err);

/*
 * The value of an option as a duration. A number alone is refused, for it could mean any unit; 0 is the same
 * in all of them.
 */
CHECKED bool cli_duration(const char *option, const char *text, int64_t *ms, struct err *err);

/* Standard input as a value, without the line end that every tool adds. */
CHECKED bool cli_read_stdin(struct arena *arena, const char **text, struct err *err);

#define CLI_HELP_ALL "all" /* no command has this name */

/*
 * The help of one command; of all commands whose name starts with `prefix`; of everything, on one screen
 * (NULL) or with a line for each (CLI_HELP_ALL).
 */
void cli_help(const struct cli *cli, const char *prefix, struct buf *into);
/* The table of exit codes: for help, or as the rows of a Markdown table. */
void cli_exit_codes(const struct cli *cli, struct buf *into);
void cli_exit_code_table(struct buf *into); /* the same in Markdown */
/* witan(1), for man. */
void cli_manpage(const struct cli *cli, struct buf *into);
/* Completion for bash, zsh or fish; nothing for another shell. */
void cli_completion(const char *shell, struct buf *into);

/*
 * A text of ours in which commands stand as `witan ask`, with what people type here (base/program.h) for the
 * name. Only what is followed by a command is a command.
 */
const char *cli_typed(const struct cli *cli, struct arena *arena, const char *text);

/* "witan: sentence" and the hint on stderr; the exit code that belongs to it. */
int cli_fail(const struct cli *cli, const struct err *err);
/* A remark for people on stderr, unless --quiet. */
void cli_note(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Everything to stdout, or elsewhere; CLI_ERROR when nobody takes it. Whatever it is, and wherever it goes,
 * nothing in it steers a terminal (term_harmless) but our own colours, if they are wanted.
 */
int cli_print(const void *bytes, size_t len);
int cli_print_to(FILE *out, const void *bytes, size_t len);
void cli_use_colours(bool wanted);
/* A text from the server as it is, but cleaned: what somebody said. */
int cli_print_text(const struct cli *cli, const char *text);
/* A text from the server as one line of its own: an id, an address, a time. */
int cli_print_line(const struct cli *cli, const char *text);

#endif
