/* The manual page, witan(1), from the same rows as the help. */
#include "base/buf.h"
#include "cli/cli.h"
#include "gen/version.h"

#include <string.h>

/* Text as roff takes it: its own signs are escaped, and no line begins a request. */
static void plain(const char *text, struct buf *into)
{
    bool begins = true;

    for (; text && *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            buf_text(into, "\\&");
        if (*text == '\\')
            buf_text(into, "\\e");
        else if (*text == '-')
            buf_text(into, "\\-");
        else
            buf_char(into, *text);
        begins = *text == '\n';
    }
}

static void write_option(const struct cli_command *command, const struct cli_option *option,
                         const char *dashes, struct buf *into)
{
    const struct field *field = cli_param(command, option);
    ARENA_AUTO arena = { 0 };

    buf_text(into, ".TP\n.B ");
    plain(dashes, into);
    plain(option->name, into);
    if (*dashes && option->value)
        buf_format(into, " \\fI%s\\fR", option->value);
    buf_char(into, '\n');
    plain(option->help ? option->help : field ? field->help : "", into);
    plain(cli_words_help(&arena, command, option), into);
    buf_char(into, '\n');
}

static void write_examples(const char *examples, struct buf *into)
{
    if (!examples)
        return;
    buf_text(into, ".PP\n.nf\n.RS\n");
    plain(examples, into);
    buf_text(into, "\n.RE\n.fi\n");
}

static void write_command(const struct cli_command *command, struct buf *into)
{
    const struct op *op = command->op ? op_find(command->op) : NULL;

    buf_text(into, ".SS witan ");
    plain(command->name, into);
    buf_char(into, '\n');
    plain(command->help ? command->help : op ? op->help : "", into);
    buf_char(into, '\n');
    write_examples(command->examples, into);
    for (const struct cli_option *arg = command->args; arg->name; arg++)
        write_option(command, arg, "", into);
    for (const struct cli_option *option = command->options; option->name; option++)
        write_option(command, option, "--", into);
}

static void write_common(struct buf *into)
{
    static const unsigned uses[] = { CLI_USE_ALL, CLI_JSON, CLI_SERVER, CLI_STORE };
    static const struct cli_command none = { .name = "" };

    buf_text(into, ".SH COMMON OPTIONS\n");
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
        for (const struct cli_option *option = cli_common_options(uses[i]); option->name; option++)
            if (uses[i] != CLI_STORE || strcmp(option->name, "config") != 0)
                write_option(&none, option, "--", into);
}

void cli_manpage(const struct cli *cli, struct buf *into)
{
    buf_text(into, ".TH WITAN 1 \"\" \"witan " WITAN_VERSION "\" \"User Commands\"\n"
                   ".SH NAME\nwitan \\- where agents confer with each other and with people\n"
                   ".SH SYNOPSIS\n.B witan\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
                   ".SH COMMANDS\n");
    for (const struct cli_command *const *at = cli->commands; *at; at++)
        write_command(*at, into);
    write_common(into);
    buf_text(into, ".SH EXIT STATUS\n.nf\n");
    cli_exit_codes(NULL, into);
    buf_text(into, ".fi\n");
}
