/* The list of all commands, grouped by what one wants to do, and wrapped to the terminal: the names alone, or
 * each with what it is for. */
#include "cli/help_groups.h"

#include "cli/term.h"

#include <string.h>

#define NAME_COLUMN   23
#define WISH_COLUMN   28
#define WORDS_MAX     32
#define NARROW_COLUMN 6
#define WIDTH_USUAL   100
#define ROOM_LEAST    30 /* with less of it behind a name, what is said of that stands under it */

/* Commands by the first word of their names; those of none come last. */
static const struct group {
    const char *wish;
    const char *words[16]; /* ends with NULL */
} groups[] = {
    { "ask people", { "ask", "wait", "cancel", "extend", "link", "restart", "template" } },
    { "answer",
      { "inbox", "show", "answer", "assign", "unassign", "snooze", "wake", "resolve", "open-questions",
        "notifications", "search" } },
    { "confer with other agents",
      { "prompt", "chat-post", "chat-log", "events", "discuss", "rehearse", "chat", "agent", "model",
        "tool" } },
    { "work on projects",
      { "project", "task", "orchestrate", "result", "feedback", "run", "job", "decide" } },
    { "log in", { "login", "logout", "whoami", "who" } },
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

/* How the names of a group begin: "prompt" once, and not once for each of its commands. */
static void write_names(const struct cli *cli, const char *wish, const char *const words[], struct buf *into)
{
    BUF_AUTO names = { 0 };

    buf_init(&names, 0);
    for (; *words; words++)
        buf_format(&names, "%s%s", names.len > 0 ? ", " : "", *words);
    help_write_entry(cli, wish, names.bytes ? names.bytes : "", names.len, WISH_COLUMN, into);
}

/* The first words of those that are in no group, each once; ends with NULL. */
static const char *const *other_words(const struct cli *cli)
{
    const char **words = arena_array(cli->arena, const char *, WORDS_MAX + 1);
    size_t count = 0;

    for (const struct cli_command *const *at = cli->commands; *at; at++) {
        size_t len = strcspn((*at)->name, " ");

        if (is_grouped((*at)->name) || count == WORDS_MAX ||
            (count > 0 && begins_with((*at)->name, words[count - 1])))
            continue;
        words[count++] = arena_copy(cli->arena, (*at)->name, len);
    }
    words[count] = NULL;
    return words;
}

static void write_lines(const struct cli *cli, const char *const words[], struct buf *into)
{
    for (; *words; words++)
        for (const struct cli_command *const *at = cli->commands; *at; at++)
            if (begins_with((*at)->name, *words))
                help_write_line(cli, *at, into);
}

void help_write_groups(const struct cli *cli, bool whole, struct buf *into)
{
    const char *const *others = other_words(cli);

    buf_text(into, whole ? "" : "to:\n");
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (whole) {
            buf_format(into, "to %s:\n", groups[i].wish);
            write_lines(cli, groups[i].words, into);
            buf_char(into, '\n');
        } else {
            write_names(cli, groups[i].wish, groups[i].words, into);
        }
    }
    if (whole) {
        buf_text(into, "and more:\n");
        write_lines(cli, others, into);
    } else {
        write_names(cli, "do more", others, into);
    }
}
