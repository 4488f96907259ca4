/*
 * Only options that mean the same for the next command are carried over, and every word is quoted for a
 * shell: ids and paths come from elsewhere.
 */
#include "cli/client/resume.h"

#include "base/buf.h"
#include "base/program.h"
#include "base/str.h"

#include <string.h>

/* Options that mean the same for whatever goes on waiting. */
static const char *const carried[] = { "url",           "token-file", "workspace", "config", "json",
                                       "require-human", "patience",   "quiet",     "color",  NULL };

static bool is_carried(const char *name)
{
    for (const char *const *at = carried; *at; at++)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

/* Between single quotes a shell takes everything as it is, but the single quote. */
static void add_word(struct cli *cli, struct buf *into, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
    const char *text = str_sanitise(cli->arena, word);

    if (*text && strspn(text, plain) == strlen(text)) {
        buf_format(into, " %s", text);
        return;
    }
    buf_text(into, " '");
    for (const char *at = text; *at; at++) {
        if (*at == '\'')
            buf_text(into, "'\\''");
        else
            buf_char(into, *at);
    }
    buf_char(into, '\'');
}

const char *resume_command(struct cli *cli, const char *command)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_format(&text, "%s %s", program_name(), command);
    for (size_t i = 0; i < cli->value_count; i++) {
        const struct cli_option *option = cli->values[i].option;

        if (!is_carried(option->name))
            continue;
        buf_format(&text, " --%s", option->name);
        if (option->value)
            add_word(cli, &text, cli->values[i].text);
    }
    return arena_copy(cli->arena, text.bytes, text.len);
}

const char *resume_same(struct cli *cli, const char *key)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_text(&text, program_name());
    for (int i = 0; i < cli->argc; i++)
        add_word(cli, &text, cli->argv[i]);
    if (!cli_has(cli, "idempotency-key")) {
        buf_text(&text, " --idempotency-key");
        add_word(cli, &text, key);
    }
    return arena_copy(cli->arena, text.bytes, text.len);
}
