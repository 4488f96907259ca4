/* The list of all commands, grouped by what one wants to do, and wrapped to the terminal. */
#include "cli/help_groups.h"

#include "cli/term.h"

#include <string.h>

#define NAME_COLUMN   23
#define NARROW_COLUMN 6
#define WIDTH_USUAL   100
#define ROOM_LEAST    30 /* with less of it behind a name, what is said of that stands under it */

/* Commands by the first word of their names; those of none come last. */
static const struct group {
    const char *wish;
    const char *words[16]; /* ends with NULL */
} groups[] = {
    { "ask people, and wait for them",
      { "ask", "wait", "cancel", "extend", "link", "restart", "template", "decide" } },
    { "answer", { "inbox", "show", "answer", "resolve", "open-questions", "notifications", "search" } },
    { "confer with other agents",
      { "prompt", "chat-post", "chat-log", "events", "discuss", "rehearse", "chat", "agent", "model" } },
    { "work on projects", { "project", "task", "result", "feedback", "job" } },
    { "be somebody", { "login", "logout", "whoami" } },
    { "run a server",
      { "serve", "config", "doctor", "user", "token", "workspace", "backup", "restore", "migrate", "purge",
        "audit", "analytics" } },
};

static bool begins_with(const char *name, const char *word)
{
    size_t len = strlen(word);

    return strncmp(name, word, len) == 0 && (name[len] == '\0' || name[len] == ' ');
}

static bool is_grouped(const char *name)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        for (const char *const *word = groups[i].words; *word; word++)
            if (begins_with(name, *word))
                return true;
    return false;
}

/* A list shows the first sentence; --help the rest. */
static size_t first_sentence(const char *help)
{
    const char *end = strstr(help, ". ");

    return end ? (size_t)(end - help) + 1 : strlen(help);
}

static size_t width_of(const struct cli *cli)
{
    struct term term;

    if (!cli)
        return WIDTH_USUAL;
    term_init(&term, cli->arena, NULL, false);
    return term.width == 0 ? WIDTH_USUAL : term.width;
}

void help_write_wrapped(const struct cli *cli, const char *text, size_t len, size_t indent, struct buf *into)
{
    size_t column = indent, width = width_of(cli);

    for (size_t at = 0; at < len;) {
        size_t word = strcspn(text + at, " ");

        if (at + word > len)
            word = len - at;
        if (column > indent && column + 1 + word > width) {
            buf_format(into, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            buf_char(into, ' ');
            column++;
        }
        buf_add(into, text + at, word);
        column += word;
        at += word;
        at += strspn(text + at, " ");
    }
    buf_char(into, '\n');
}

void help_write_entry(const struct cli *cli, const char *name, const char *text, size_t len, size_t column,
                      struct buf *into)
{
    bool below = width_of(cli) < column + ROOM_LEAST;

    column = below ? NARROW_COLUMN : column;
    if (below || strlen(name) + 3 > column)
        buf_format(into, "  %s\n%*s", name, (int)column, "");
    else
        buf_format(into, "  %-*s", (int)column - 2, name);
    help_write_wrapped(cli, text, len, column, into);
}

void help_write_line(const struct cli *cli, const struct cli_command *command, struct buf *into)
{
    const struct op *op = command->op ? op_find(command->op) : NULL;
    const char *help = command->help ? command->help : op ? op->help : "";

    help_write_entry(cli, command->name, help, first_sentence(help), NAME_COLUMN, into);
}

void help_write_groups(const struct cli *cli, struct buf *into)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        buf_format(into, "to %s:\n", groups[i].wish);
        for (const char *const *word = groups[i].words; *word; word++)
            for (const struct cli_command *const *at = cli->commands; *at; at++)
                if (begins_with((*at)->name, *word))
                    help_write_line(cli, *at, into);
        buf_char(into, '\n');
    }
    buf_text(into, "and more:\n");
    for (const struct cli_command *const *at = cli->commands; *at; at++)
        if (!is_grouped((*at)->name))
            help_write_line(cli, *at, into);
}
