/*
 * Written from the same table as the help. zsh reads the script of bash; fish has conditions of its own for
 * each command.
 */
#include "base/buf.h"
#include "cli/cli.h"

#include <string.h>

/* Calls `each` for every option of a command, the common ones included. */
static void each_option(const struct cli_command *command, struct buf *into,
                        void (*each)(const struct cli_command *command, const struct cli_option *option,
                                     struct buf *into))
{
    for (const struct cli_option *option = command->options; option->name; option++)
        each(command, option, into);
    for (unsigned use = CLI_SERVER; use <= CLI_JSON; use <<= 1)
        for (const struct cli_option *option = cli_common_options(use); command->uses & use && option->name;
             option++)
            each(command, option, into);
    for (const struct cli_option *option = cli_common_options(CLI_USE_ALL); option->name; option++)
        each(command, option, into);
}

static size_t first_word(const char *name)
{
    return strcspn(name, " ");
}

/* Whether an earlier command begins with the same word. */
static bool seen_before(const struct cli_command *const *commands, size_t index)
{
    size_t len = first_word(commands[index]->name);

    for (size_t i = 0; i < index; i++)
        if (first_word(commands[i]->name) == len &&
            strncmp(commands[i]->name, commands[index]->name, len) == 0)
            return true;
    return false;
}

static void second_words(const struct cli_command *const *commands, const char *name, struct buf *into)
{
    size_t len = first_word(name);

    for (; *commands; commands++)
        if (strncmp((*commands)->name, name, len) == 0 && (*commands)->name[len] == ' ')
            buf_format(into, " %s", (*commands)->name + len + 1);
}

static void bash_option(const struct cli_command *command, const struct cli_option *option, struct buf *into)
{
    (void)command;
    buf_format(into, " --%s", option->name);
}

static bool is_group(const struct cli_command *const *commands, const char *name)
{
    BUF_AUTO words = { 0 };

    buf_init(&words, 0);
    second_words(commands, name, &words);
    return words.len > 0;
}

/* `config init` before `config`, whose pattern fits both. */
static void bash_options(const struct cli *cli, bool two_words, struct buf *into)
{
    for (const struct cli_command *const *at = cli->commands; *at; at++) {
        if (((*at)->name[first_word((*at)->name)] != '\0') != two_words)
            continue;
        buf_format(into, "    '%s '*) words='", (*at)->name);
        each_option(*at, into, bash_option);
        buf_text(into, "' ;;\n");
    }
}

/* A first word that is a command by itself keeps its options beside the second words. */
static void bash_second_words(const struct cli *cli, struct buf *into)
{
    for (size_t i = 0; cli->commands[i]; i++) {
        const char *name = cli->commands[i]->name;

        if (seen_before(cli->commands, i) || !is_group(cli->commands, name))
            continue;
        buf_format(into, "        %.*s) words=\"$words", (int)first_word(name), name);
        second_words(cli->commands, name, into);
        buf_text(into, "\" ;;\n");
    }
}

static void write_bash(const struct cli *cli, struct buf *into)
{
    buf_text(into, "_witan() {\n"
                   "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
                   "    case \"${COMP_WORDS[1]} ${COMP_WORDS[2]} \" in\n");
    bash_options(cli, true, into);
    bash_options(cli, false, into);
    buf_text(into, "    esac\n"
                   "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                   "        words='");
    for (size_t i = 0; cli->commands[i]; i++)
        if (!seen_before(cli->commands, i))
            buf_format(into, " %.*s", (int)first_word(cli->commands[i]->name), cli->commands[i]->name);
    buf_text(into, "'\n    elif [ \"$COMP_CWORD\" = 2 ]; then\n"
                   "        case \"${COMP_WORDS[1]}\" in\n");
    bash_second_words(cli, into);
    buf_text(into, "        esac\n"
                   "    fi\n"
                   "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                   "}\n"
                   "complete -o default -F _witan witan\n");
}

/* Inside single quotes; help texts have no backslashes. */
static void quoted(const char *text, struct buf *into)
{
    buf_char(into, '\'');
    for (; text && *text; text++) {
        if (*text == '\'')
            buf_text(into, "\\'");
        else
            buf_char(into, *text);
    }
    buf_char(into, '\'');
}

static void fish_condition(const struct cli_command *command, struct buf *into)
{
    size_t len = first_word(command->name);

    buf_format(into, "complete -c witan -n '__fish_seen_subcommand_from %.*s", (int)len, command->name);
    if (command->name[len])
        buf_format(into, "; and __fish_seen_subcommand_from %s", command->name + len + 1);
    buf_char(into, '\'');
}

static void fish_option(const struct cli_command *command, const struct cli_option *option, struct buf *into)
{
    fish_condition(command, into);
    buf_format(into, " -l %s%s -d ", option->name, option->value ? " -r" : "");
    quoted(option->help, into);
    buf_char(into, '\n');
}

static void write_fish(const struct cli *cli, struct buf *into)
{
    for (size_t i = 0; cli->commands[i]; i++) {
        const char *name = cli->commands[i]->name;
        size_t len = first_word(name);

        if (!seen_before(cli->commands, i))
            buf_format(into, "complete -c witan -f -n __fish_use_subcommand -a %.*s\n", (int)len, name);
        if (name[len]) {
            buf_format(into, "complete -c witan -f -n '__fish_seen_subcommand_from %.*s' -a %s -d ", (int)len,
                       name, name + len + 1);
            quoted(cli->commands[i]->help, into);
            buf_char(into, '\n');
        }
        each_option(cli->commands[i], into, fish_option);
    }
}

bool cli_completion(const struct cli *cli, const char *shell, struct buf *into)
{
    if (strcmp(shell, "fish") == 0) {
        write_fish(cli, into);
        return true;
    }
    if (strcmp(shell, "zsh") == 0)
        buf_text(into, "autoload -U +X bashcompinit && bashcompinit\n");
    else if (strcmp(shell, "bash") != 0)
        return false;
    write_bash(cli, into);
    return true;
}
