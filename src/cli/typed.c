/*
 * Commands in texts, as people type them here.
 */
#include "base/buf.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/cli.h"

#include <string.h>

#define USUAL "witan "

/* What stands before the name of a program: a space, a quote, the start of a command in a shell. */
static bool may_begin(const char *text, const char *at)
{
    return at == text || strchr(" \n\t`\"'(|;", at[-1]);
}

static bool is_word(const char *at, size_t len, const char *word)
{
    return strlen(word) == len && strncmp(at, word, len) == 0;
}

/* Whether a command of this program, or something that is asked of all of them, begins here. */
static bool is_command(const struct cli *cli, const char *at)
{
    size_t len = strcspn(at, " \n`\"').;,");

    if (str_starts(at, "--") || is_word(at, len, "COMMAND") || is_word(at, len, "help") ||
        is_word(at, len, "version"))
        return true;
    for (const struct cli_command *const *command = cli->commands; command && *command; command++)
        if (len == strcspn((*command)->name, " ") && strncmp(at, (*command)->name, len) == 0)
            return true;
    return false;
}

const char *cli_typed(const struct cli *cli, struct arena *arena, const char *text)
{
    const char *name = program_name(), *from = text, *at = text;
    BUF_AUTO out = { 0 };

    if (str_equal(name, "witan"))
        return text;
    buf_init(&out, 0);
    while ((at = strstr(at, USUAL))) {
        const char *end = at + strlen(USUAL);

        if (may_begin(text, at) && is_command(cli, end)) {
            buf_add(&out, from, (size_t)(at - from));
            buf_format(&out, "%s ", name);
            from = end;
        }
        at = end;
    }
    buf_text(&out, from);
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}
