/*
 * Help is put together from the command's row and, where it says nothing itself, from the operation's.
 * Whatever is printed goes through cli_print, which takes the power out of what could steer a terminal.
 */
#include "base/buf.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/help_groups.h"
#include "cli/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_COLUMN 25 /* where the help of an option begins */

static const char *help_of(const struct cli_command *command)
{
    const struct op *op = command->op ? op_find(command->op) : NULL;

    return command->help ? command->help : op ? op->help : "";
}

static void write_option(const struct cli *cli, const char *name, const struct cli_option *option,
                         struct buf *into)
{
    const struct field *field = cli_param(cli->command, option);
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_text(&text, option->help ? option->help : field ? field->help : "");
    buf_text(&text, cli_words_help(cli->arena, cli->command, option));
    if (field && !option->help && field->fallback && *field->fallback)
        buf_format(&text, " Default: %s.", field->fallback);
    if (option->flags & CLI_STDIN)
        buf_text(&text, " \"-\" reads it from standard input.");
    help_write_entry(cli, name, text.bytes ? text.bytes : "", text.len, HELP_COLUMN, into);
}

static void write_options(const struct cli *cli, const struct cli_option *options, struct buf *into)
{
    for (const struct cli_option *option = options; option->name; option++) {
        char left[64];

        snprintf(left, sizeof(left), "--%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        write_option(cli, left, option, into);
    }
}

static void write_usage(const struct cli *cli, struct buf *into)
{
    const struct cli_command *command = cli->command;
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_format(&text, "usage: witan %s", command->name);
    for (const struct cli_option *arg = command->args; arg->name; arg++)
        buf_format(&text,
                   arg->flags & CLI_MANY  ? " [%s...]"
                   : arg->flags & CLI_MAY ? " [%s]"
                                          : " %s",
                   arg->name);
    for (const struct cli_option *option = command->options; option->name; option++)
        if (option->flags & CLI_MUST)
            buf_format(&text, " --%s %s", option->name, option->value);
    buf_text(&text, " [OPTION...]");
    help_write_wrapped(cli, text.bytes, text.len, 0, into);
}

static void write_examples(const char *examples, struct buf *into)
{
    buf_text(into, "\nexamples:\n");
    while (*examples) {
        size_t len = strcspn(examples, "\n");

        buf_format(into, "  %.*s\n", (int)len, examples);
        examples += len + (examples[len] == '\n');
    }
}

static void write_command(const struct cli *cli, struct buf *into)
{
    const struct cli_command *command = cli->command;

    help_write_wrapped(cli, help_of(command), strlen(help_of(command)), 0, into);
    if (command->examples)
        write_examples(command->examples, into);
    buf_char(into, '\n');
    write_usage(cli, into);
    if (command->args[0].name)
        buf_text(into, "\narguments:\n");
    for (const struct cli_option *arg = command->args; arg->name; arg++)
        write_option(cli, arg->name, arg, into);
    buf_text(into, "\noptions:\n");
    write_options(cli, command->options, into);
    for (unsigned use = CLI_JSON; use > 0; use >>= 1)
        if (command->uses & use)
            write_options(cli, cli_common_options(use), into);
    write_options(cli, cli_common_options(CLI_USE_ALL), into);
}

static void write_list(const struct cli *cli, const char *prefix, struct buf *into)
{
    size_t len = prefix ? strlen(prefix) : 0;

    for (const struct cli_command *const *at = cli->commands; *at; at++)
        if (!prefix || (strncmp((*at)->name, prefix, len) == 0 && (*at)->name[len] == ' '))
            help_write_line(cli, *at, into);
}

/* Of a command that others begin with, such as `config` and `config init`. */
static void write_group(const struct cli *cli, const char *name, struct buf *into)
{
    BUF_AUTO list = { 0 };

    buf_init(&list, 0);
    write_list(cli, name, &list);
    if (list.len > 0)
        buf_format(into, "\ncommands:\n%s", list.bytes);
}

void cli_help(const struct cli *cli, const char *prefix, struct buf *into)
{
    static const char title[] = "witan: where agents confer with each other and with people.";
    static const char closing[] =
        "`witan help all` says what each is for, `witan help exit-codes` how they end, `witan COMMAND --help` explains one, `witan version` prints the version.";

    if (cli->command) {
        write_command(cli, into);
        write_group(cli, cli->command->name, into);
        return;
    }
    if (!prefix || strcmp(prefix, CLI_HELP_ALL) == 0) {
        help_write_wrapped(cli, title, strlen(title), 0, into);
        write_examples("witan ask --approve \"Deploy to production?\" && ./deploy\n"
                       "witan inbox\n"
                       "witan answer 1 --approve\n"
                       "witan discuss --rehearse \"Microservices or a monolith?\"",
                       into);
        buf_char(into, '\n');
    }
    if (prefix && strcmp(prefix, CLI_HELP_ALL) != 0) {
        buf_text(into, "commands:\n");
        write_list(cli, prefix, into);
    } else {
        help_write_groups(cli, prefix != NULL, into);
    }
    buf_char(into, '\n');
    help_write_wrapped(cli, closing, strlen(closing), 0, into);
}

static const struct {
    const char *code, *means;
} exit_codes[] = {
    { "0", "yes: it was answered, approved or done; for a yes-or-no question: yes" },
    { "1", "an error, or an answer that cannot be used" },
    { "2", "the command line is wrong" },
    { "3", "no: it was rejected, or there is nothing" },
    { "4", "not allowed: log in, or another role is needed" },
    { "5", "nobody answered in time" },
    { "6",
      "cancelled: a question, or, by saying so at the terminal, the command itself; nothing was decided" },
    { "7", "conflict: it was settled differently before" },
    { "8", "the server cannot be reached, or stayed away for `--patience` (5 minutes)" },
    { "9",
      "approved, but with other arguments than those proposed, which were not asked for (`ask --print-args`, `wait --args`)" },
    { "129", "the terminal went away (SIGHUP); what was asked stays open" },
    { "130", "Ctrl-C; `ask` cancels its question, or keeps it with `--keep`" },
    { "143", "SIGTERM; what was asked stays open" },
};

void cli_exit_codes(const struct cli *cli, struct buf *into)
{
    buf_text(into, "exit codes, the same for every command:\n");
    for (size_t i = 0; i < sizeof(exit_codes) / sizeof(exit_codes[0]); i++) {
        char code[8];

        snprintf(code, sizeof(code), "%4s", exit_codes[i].code);
        help_write_entry(cli, code, exit_codes[i].means, strlen(exit_codes[i].means), 8, into);
    }
}

void cli_exit_code_table(struct buf *into)
{
    buf_text(into, "| exit code | means |\n|---|---|\n");
    for (size_t i = 0; i < sizeof(exit_codes) / sizeof(exit_codes[0]); i++)
        buf_format(into, "| %s | %s |\n", exit_codes[i].code, exit_codes[i].means);
}

static bool stderr_colour(const struct cli *cli)
{
    return cli->colour && isatty(STDERR_FILENO);
}

/* A command that fills a parameter by hand calls its option the same: --type, or --job for jobId. */
static bool means_same(const char *option, const char *field)
{
    size_t len = strlen(option);

    return strncmp(option, field, len) == 0 && (!field[len] || strcmp(field + len, "Id") == 0);
}

/* What the command line calls a parameter: --to for assignedTo; NULL: it has no name of its own here. */
static const char *word_for(const struct cli *cli, struct arena *arena, const char *field)
{
    const struct cli_command *command = cli->command;

    if (!command || !*field)
        return NULL;
    for (const struct cli_option *option = command->options; option->name; option++)
        if (option->param && strcmp(option->param, field) == 0)
            return arena_format(arena, "--%s", option->name);
    for (const struct cli_option *arg = command->args; arg->name; arg++)
        if (arg->param && strcmp(arg->param, field) == 0)
            return arg->name;
    for (const struct cli_option *option = command->options; option->name; option++)
        if (!option->param && means_same(option->name, field))
            return arena_format(arena, "--%s", option->name);
    return NULL;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Whether a place stands between two backquotes: a command to type, which holds what it holds. */
static bool in_quotes(const char *text, const char *at)
{
    bool open = false;

    for (; text < at; text++)
        open ^= *text == '`';
    return open;
}

/* The server speaks of parameters, people have typed options. */
static const char *in_own_words(const struct cli *cli, struct arena *arena, const struct err *err,
                                const char *text)
{
    const char *word = word_for(cli, arena, err->field), *from = text, *at = text;
    BUF_AUTO out = { 0 };

    if (!word)
        return text;
    buf_init(&out, 0);
    while ((at = strstr(at, err->field))) {
        const char *end = at + strlen(err->field);

        if ((at > text && in_word(at[-1])) || in_word(*end) || in_quotes(text, at)) {
            at = end;
            continue;
        }
        buf_add(&out, from, (size_t)(at - from));
        buf_text(&out, word);
        from = at = end;
    }
    buf_text(&out, from);
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}

int cli_fail(const struct cli *cli, const struct err *err)
{
    ARENA_AUTO arena = { 0 };
    bool colour = stderr_colour(cli);

    fprintf(stderr, "%switan:%s %s\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "",
            str_sanitise(&arena, cli_typed(cli, &arena, in_own_words(cli, &arena, err, err->text))));
    if (err->hint[0])
        fprintf(stderr, "       %s\n",
                str_sanitise(&arena, cli_typed(cli, &arena, in_own_words(cli, &arena, err, err->hint))));
    return err_exit(err->code);
}

void cli_note(const struct cli *cli, const char *fmt, ...)
{
    ARENA_AUTO arena = { 0 };
    char *text = NULL;
    va_list args;
    int len;

    if (cli->quiet)
        return;
    va_start(args, fmt);
    len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0)
        abort();
    fprintf(stderr, "%s\n", str_sanitise(&arena, cli_typed(cli, &arena, text)));
    free(text);
}

static bool colours; /* whether the command line and the terminal want any */

void cli_use_colours(bool wanted)
{
    colours = wanted;
}

int cli_print_to(FILE *out, const void *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const char *text = term_harmless(&arena, len > 0 ? bytes : "", len, colours);

    len = strlen(text);
    if (fwrite(text, 1, len, out) != len || fflush(out) != 0)
        return CLI_ERROR;
    return CLI_OK;
}

int cli_print(const void *bytes, size_t len)
{
    return cli_print_to(stdout, bytes, len);
}

int cli_print_text(const struct cli *cli, const char *text)
{
    const char *clean = str_sanitise(cli->arena, text);

    return cli_print(clean, strlen(clean));
}

int cli_print_line(const struct cli *cli, const char *text)
{
    const char *line = term_line(cli->arena, text);

    return cli_print(arena_format(cli->arena, "%s\n", line), strlen(line) + 1);
}
