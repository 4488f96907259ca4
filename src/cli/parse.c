/*
 * One pass over the words with the command's own table of options, after the one or two words of its name.
 * Conversions that belong to the command line (durations, "-" for standard input) are done here, so that
 * commands only see values.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const colours[] = { "auto", "always", "never", NULL };

static const struct cli_option options_of_all[] = {
    { "help", .help = "Show this help." },
    { "quiet", .help = "Print nothing but errors on stderr." },
    { "color", "WHEN", .help = "Whether to use colours. NO_COLOR is heeded too.", .words = colours },
    { "utc",
      .help =
          "Print whole times in UTC, for scripts; otherwise they are local, with the date when it is not today." },
    { 0 },
};
static const struct cli_option options_of_server[] = {
    { "url", "URL", .help = "The server. Else WITAN_URL, else from the settings." },
    { "token-file", "FILE",
      .help = "A file with the token. Else WITAN_TOKEN, else `token` beside config.yaml." },
    { "workspace", "NAME", .help = "Id or slug of the workspace. Else WITAN_WORKSPACE." },
    { "config", "FILE", .help = "Read the settings from FILE." },
    { 0 },
};
static const struct cli_option options_of_store[] = {
    { "db", "URL",
      .help =
          "sqlite:PATH or postgres://... Else WITAN_DB, else from the settings; else, but for `serve`, that of this machine's service, else your own." },
    { "config", "FILE", .help = "Read the settings from FILE." },
    { 0 },
};
static const struct cli_option options_of_config[] = {
    { "config", "FILE", .help = "Read the settings from FILE." },
    { 0 },
};
static const struct cli_option options_of_json[] = {
    { "json", .help = "Print JSON." },
    { 0 },
};

const struct cli_option *cli_common_options(unsigned use)
{
    switch (use) {
    case CLI_SERVER: return options_of_server;
    case CLI_STORE: return options_of_store;
    case CLI_CONFIG: return options_of_config;
    case CLI_JSON: return options_of_json;
    default: return options_of_all;
    }
}

static const struct cli_option *option_in(const struct cli_option *options, const char *name)
{
    for (const struct cli_option *option = options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static const struct cli_option *find_option(const struct cli_command *command, const char *name)
{
    const struct cli_option *option = option_in(command->options, name);

    for (unsigned use = CLI_SERVER; !option && use <= CLI_JSON; use <<= 1)
        if (command->uses & use)
            option = option_in(cli_common_options(use), name);
    return option ? option : option_in(options_of_all, name);
}

static void nearer(const char *word, const char *candidate, const char **nearest, size_t *best)
{
    size_t distance = str_distance(word, candidate);

    if (distance < *best) {
        *best = distance;
        *nearest = candidate;
    }
}

static const char *nearest_option(const struct cli_command *command, const char *name)
{
    const char *nearest = NULL;
    size_t best = strlen(name) < 4 ? 2 : 4;

    for (const struct cli_option *option = command->options; option->name; option++)
        nearer(name, option->name, &nearest, &best);
    for (unsigned use = CLI_SERVER; use <= CLI_JSON; use <<= 1)
        for (const struct cli_option *option = cli_common_options(use); command->uses & use && option->name;
             option++)
            nearer(name, option->name, &nearest, &best);
    for (const struct cli_option *option = options_of_all; option->name; option++)
        nearer(name, option->name, &nearest, &best);
    return nearest;
}

static bool unknown_option(const struct cli *cli, const char *word, const char *name, struct err *err)
{
    const char *nearest = nearest_option(cli->command, name);

    err_set(err, ERR_INVALID, "`witan %s` has no option %s.", cli->command->name, word);
    if (strcmp(name, "token") == 0 && cli->command->uses & CLI_SERVER)
        return err_hint(
            err,
            "A token on the command line would show in the list of processes: use WITAN_TOKEN or --token-file.");
    if (nearest)
        return err_hint(err, "Did you mean --%s?", nearest);
    return err_hint(err, "`witan %s --help` lists its options.", cli->command->name);
}

bool cli_read_stdin(struct arena *arena, const char **text, struct err *err)
{
    BUF_AUTO all = { 0 };
    char chunk[16 * KB];
    ssize_t got;

    buf_init(&all, LIMIT_BODY);
    while ((got = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0)
        buf_add(&all, chunk, (size_t)got);
    if (got < 0)
        return err_set(err, ERR_INVALID, "Cannot read standard input: %s.", strerror(errno));
    if (all.full)
        return err_set(err, ERR_TOO_LARGE, "Standard input holds more than %d bytes.", LIMIT_BODY);
    while (all.len > 0 && (all.bytes[all.len - 1] == '\n' || all.bytes[all.len - 1] == '\r'))
        all.len--;
    if (all.len > 0 && memchr(all.bytes, '\0', all.len))
        return err_set(err, ERR_INVALID, "Standard input holds a NUL byte, so it is not text.");
    *text = arena_copy(arena, all.bytes ? all.bytes : "", all.len);
    return true;
}

/* As it is typed: an argument has a name and no dashes. */
static const char *dashes(const struct cli_option *option)
{
    return option->value ? "--" : "";
}

static bool read_duration(const char *before, const char *name, const char *text, int64_t *ms,
                          struct err *err)
{
    int64_t number;

    if (str_to_int(text, &number) && number > 0) {
        err_field(err, name, "%s%s %s does not say whether these are minutes.", before, name, text);
        return err_hint(err, "Write %sm for minutes, %sh for hours or %ss for seconds.", text, text, text);
    }
    return str_to_duration_ms(text, ms) ||
           err_field(err, name, "%s%s takes a duration such as 30m, 1.5h, 5m30s or 3d, not \"%s\".", before,
                     name, text);
}

bool cli_duration(const char *option, const char *text, int64_t *ms, struct err *err)
{
    return read_duration("--", option, text, ms, err);
}

static const char *brief(struct arena *arena, int64_t minutes)
{
    if (minutes % 1440 == 0)
        return arena_format(arena, "%lldd", (long long)(minutes / 1440));
    if (minutes % 60 == 0)
        return arena_format(arena, "%lldh", (long long)(minutes / 60));
    return arena_format(arena, "%lldm", (long long)minutes);
}

/* The server would say its limits in minutes, which is not how they were given here. */
static bool check_minutes(const struct cli *cli, const struct cli_option *option, int64_t ms, struct err *err)
{
    const struct field *field = cli_param(cli->command, option);

    if (!field || field->max == 0 || (ms >= field->min * 60000 && ms <= field->max * 60000))
        return true;
    return err_field(err, option->name, "%s%s must be from %s to %s.", dashes(option), option->name,
                     brief(cli->arena, field->min), brief(cli->arena, field->max));
}

/* Whether the parameter behind it may be a part of a minute. */
static bool takes_parts(const struct cli_command *command, const struct cli_option *option)
{
    const struct field *field = cli_param(command, option);

    return field && field->type == T_REAL;
}

static bool convert(const struct cli *cli, const struct cli_option *option, const char **text,
                    struct err *err)
{
    int64_t ms;

    if (option->flags & CLI_STDIN && strcmp(*text, "-") == 0)
        return cli_read_stdin(cli->arena, text, err);
    if (!(option->flags & (CLI_MINUTES | CLI_EXPIRES)))
        return true;
    if (!read_duration(dashes(option), option->name, *text, &ms, err))
        return false;
    if (ms <= 0)
        return err_field(err, option->name, "%s%s must be more than zero.", dashes(option), option->name);
    if (option->flags & CLI_EXPIRES)
        *text = clock_text(cli->arena, clock_now_ms() + ms);
    else if (ms % 60000 == 0)
        *text = arena_format(cli->arena, "%lld", (long long)(ms / 60000));
    else if (takes_parts(cli->command, option))
        *text = arena_format(cli->arena, "%.6f", (double)ms / 60000.0);
    else
        return err_field(err, option->name, "%s%s takes whole minutes, not \"%s\".", dashes(option),
                         option->name, *text);
    return option->flags & CLI_EXPIRES || check_minutes(cli, option, ms, err);
}

static bool add_value(struct cli *cli, const struct cli_option *option, const char *text, struct err *err)
{
    if (cli->value_count == CLI_VALUES)
        return err_set(err, ERR_INVALID, "That is too many options.");
    if (!convert(cli, option, &text, err) || !cli_check_words(cli->arena, option, text, err))
        return false;
    cli->values[cli->value_count++] = (struct cli_value){ .option = option, .text = text };
    return true;
}

/* Reads one option; *at is moved past its value. */
static bool take_option(struct cli *cli, int argc, char **argv, int *at, struct err *err)
{
    const char *word = argv[*at];
    const char *name = word + strspn(word, "-");
    size_t len = strcspn(name, "=");
    const char *given = name[len] ? name + len + 1 : NULL;
    const struct cli_option *option;

    if (strcmp(word, "-h") == 0) {
        cli->help = true;
        return true;
    }
    name = arena_copy(cli->arena, name, len);
    option = word[1] == '-' ? find_option(cli->command, name) : NULL;
    if (!option)
        return unknown_option(cli, arena_format(cli->arena, "%.*s", (int)strcspn(word, "="), word), name,
                              err);
    if (!option->value) {
        if (given)
            return err_field(err, name, "--%s takes no value.", name);
        cli->help |= strcmp(name, "help") == 0;
        return add_value(cli, option, "true", err);
    }
    if (!given && *at + 1 < argc)
        given = argv[++*at];
    if (!given)
        return err_field(err, name, "--%s needs a value: --%s %s.", name, name, option->value);
    return add_value(cli, option, given, err);
}

static bool take_argument(struct cli *cli, const char *word, size_t *taken, struct err *err)
{
    const struct cli_option *arg = cli->command->args;

    for (size_t i = 0; i < *taken && arg->name && !(arg->flags & CLI_MANY); i++)
        arg++;
    if (!arg->name) {
        err_set(err, ERR_INVALID, "`witan %s` takes no further argument: \"%s\".", cli->command->name, word);
        if (!cli->command->args->name)
            return err_hint(err, "`witan %s --help` shows how.", cli->command->name);
        return err_hint(err, "A text of several words needs quotes around it.");
    }
    (*taken)++;
    if (!(arg->flags & CLI_MANY))
        return add_value(cli, arg, word, err);
    if (cli->rest_count == CLI_VALUES)
        return err_set(err, ERR_INVALID, "That is too many arguments.");
    cli->rest[cli->rest_count++] = word;
    return true;
}

static bool check_complete(const struct cli *cli, struct err *err)
{
    const struct cli_command *command = cli->command;

    for (const struct cli_option *arg = command->args; arg->name; arg++) {
        if (arg->flags & (CLI_MAY | CLI_MANY) || cli_has(cli, arg->name))
            continue;
        err_set(err, ERR_INVALID, "`witan %s` needs %s.", command->name, arg->name);
        return err_hint(err, "`witan %s --help` shows how.", command->name);
    }
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (!(option->flags & CLI_MUST) || cli_has(cli, option->name))
            continue;
        err_set(err, ERR_INVALID, "`witan %s` needs --%s %s.", command->name, option->name,
                option->value ? option->value : "");
        return err_hint(err, "`witan %s --help` shows how.", command->name);
    }
    return true;
}

static const struct cli_command *command_named(const struct cli *cli, const char *name)
{
    for (const struct cli_command *const *at = cli->commands; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

/* `longer` is the name with the word after it, which may belong to it. */
static bool unknown_command(const struct cli *cli, const char *name, const char *longer, struct err *err)
{
    const char *nearest = NULL;
    size_t best = 4;

    if (name[0] == '-') {
        err_set(err, ERR_INVALID, "The command comes first, and %s behind it.", name);
        return err_hint(err, "For instance: witan inbox --url http://127.0.0.1:7117.");
    }
    for (const struct cli_command *const *at = cli->commands; *at; at++) {
        nearer(name, (*at)->name, &nearest, &best);
        nearer(longer, (*at)->name, &nearest, &best);
    }
    err_set(err, ERR_INVALID, "There is no command `witan %s`.", name);
    if (nearest)
        return err_hint(err, "Did you mean `witan %s`?", nearest);
    return err_hint(err, "`witan --help` lists the commands.");
}

bool cli_is_group(const struct cli *cli, const char *word)
{
    size_t len = strlen(word);

    for (const struct cli_command *const *at = cli->commands; *at; at++)
        if (strncmp((*at)->name, word, len) == 0 && (*at)->name[len] == ' ')
            return true;
    return false;
}

/* A name is one word, or two ("prompt ask"). A first word alone asks for the help of its commands. */
static bool find_command(struct cli *cli, int argc, char **argv, int *used, struct err *err)
{
    const char *first = argc > 0 ? argv[0] : NULL;
    const char *both = first;

    *used = 0;
    if (!first || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        cli->help = true;
        return true;
    }
    if (argc > 1 && argv[1][0] != '-')
        both = arena_format(cli->arena, "%s %s", first, argv[1]);
    if ((cli->command = command_named(cli, both))) {
        *used = both == first ? 1 : 2;
        return true;
    }
    if ((cli->command = command_named(cli, first))) {
        *used = 1;
        return true;
    }
    if (!cli_is_group(cli, first))
        return unknown_command(cli, first, both, err);
    if (both != first)
        return unknown_command(cli, both, both, err);
    cli->help = true;
    return true;
}

static bool wants_colour(const struct cli *cli)
{
    const char *when = cli_get(cli, "color");
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return isatty(STDOUT_FILENO) && !(none && *none) && !(term && strcmp(term, "dumb") == 0);
}

/* Options that many commands have may also stand before the command. */
static const struct cli_option *early_option(const char *word)
{
    static const unsigned uses[] = { CLI_USE_ALL, CLI_SERVER, CLI_STORE, CLI_CONFIG, CLI_JSON };
    char name[32];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        const struct cli_option *option = option_in(cli_common_options(uses[i]), name);

        if (option)
            return option;
    }
    return NULL;
}

/* How many words stand before the command. */
static int count_early(int argc, char **argv)
{
    int count = 0;

    while (count < argc && str_starts(argv[count], "--") && strcmp(argv[count], "--help") != 0) {
        const struct cli_option *option = early_option(argv[count]);

        if (!option)
            return count;
        count += option->value && !strchr(argv[count], '=') ? 2 : 1;
    }
    return count < argc ? count : argc;
}

bool cli_parse(struct cli *cli, int argc, char **argv, struct err *err)
{
    size_t taken = 0;
    bool only_arguments = false;
    int at, early = count_early(argc, argv);

    cli->argc = argc;
    cli->argv = argv;
    if (!find_command(cli, argc - early, argv + early, &at, err))
        return false;
    if (!cli->command)
        return true;
    cli->op = cli->command->op ? op_find(cli->command->op) : NULL;
    for (int i = 0; i < early; i++)
        if (!take_option(cli, early, argv, &i, err))
            return false;
    for (at += early; at < argc; at++) {
        const char *word = argv[at];

        if (!only_arguments && strcmp(word, "--") == 0)
            only_arguments = true;
        else if (!only_arguments && word[0] == '-' && word[1]) {
            if (!take_option(cli, argc, argv, &at, err))
                return false;
        } else if (!take_argument(cli, word, &taken, err))
            return false;
    }
    cli->json = cli_has(cli, "json");
    cli->quiet = cli_has(cli, "quiet");
    cli->utc = cli_has(cli, "utc");
    cli->colour = wants_colour(cli);
    cli_use_colours(cli->colour);
    return cli->help || check_complete(cli, err);
}

const char *cli_get(const struct cli *cli, const char *name)
{
    const char *text = NULL;

    for (size_t i = 0; i < cli->value_count; i++)
        if (strcmp(cli->values[i].option->name, name) == 0)
            text = cli->values[i].text;
    return text;
}

bool cli_has(const struct cli *cli, const char *name)
{
    return cli_get(cli, name) != NULL;
}
