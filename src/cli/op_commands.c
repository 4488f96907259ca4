/*
 * An operation that has a name for the command line and no command of its own gets one made from its row:
 * path parameters become arguments, the rest options.
 */
#include "base/buf.h"
#include "base/str.h"
#include "cli/cli.h"

#include <string.h>

#define COMMANDS_MAX 256

/* What is shown of those that no other command shows. */
static const struct {
    const char *command, *examples;
} shown[] = {
    { "template list", "witan template list" },
    { "template add",
      "witan template add --name deploy --question \"Deploy {version}?\" --type approval --response-type approval" },
    { "template show", "witan template show 01890a5d-ac96-774b-bcce-b302099a8057" },
    { "template set", "witan template set 01890a5d-ac96-774b-bcce-b302099a8057 --timeout-minutes 60" },
    { "template remove", "witan template remove 01890a5d-ac96-774b-bcce-b302099a8057" },
    { "chat-log", "witan chat-log --limit 20\nwitan chat-log --task-ref search-page" },
};

/* As options are written: response-type for responseType and response_type. */
static char *dashes(struct arena *arena, const char *name)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    for (const char *c = name; *c; c++) {
        bool capital = *c >= 'A' && *c <= 'Z';

        if (capital)
            buf_char(&text, '-');
        buf_char(&text, *c == '_' ? '-' : capital ? (char)(*c - 'A' + 'a') : *c);
    }
    return arena_copy(arena, text.bytes, text.len);
}

static char *capitals(struct arena *arena, const char *name)
{
    char *text = arena_text(arena, name);

    for (char *c = text; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return text;
}

static const char *value_name(enum type type)
{
    switch (type) {
    case T_BOOL: return NULL;
    case T_INT:
    case T_REAL: return "N";
    case T_TIME: return "TIME";
    case T_OBJECT:
    case T_JSON: return "JSON";
    case T_LIST: return "LIST";
    case T_ENUM: return "WORD";
    default: return "TEXT";
    }
}

struct cli_command *cli_command_of(struct arena *arena, const struct op *op)
{
    struct cli_command *command = arena_new(arena, struct cli_command);
    size_t args = 0, options = 0;

    command->name = op->cli;
    command->op = op->name;
    command->uses = CLI_SERVER | CLI_JSON;
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
        if (strcmp(shown[i].command, op->cli) == 0)
            command->examples = shown[i].examples;
    for (const struct field *field = op->params; field->type; field++) {
        bool in_path = op_param_place(op, field) == IN_PATH;

        if (in_path && args + 1 < CLI_ARGS)
            command->args[args++] =
                (struct cli_option){ .name = capitals(arena, field->name), .param = field->name };
        else if (options + 1 < CLI_OPTIONS)
            command->options[options++] = (struct cli_option){
                .name = dashes(arena, field->name),
                .value = value_name(field->type),
                .param = field->name,
                .flags = field->need == REQUIRED ? CLI_MUST : 0,
            };
    }
    return command;
}

static bool has_command(const struct cli_command *const *commands, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return true;
    return false;
}

const struct cli_command *const *cli_join(struct arena *arena, const struct cli_command *const tables[],
                                          int (*generic)(struct cli *cli))
{
    const struct cli_command **all = arena_array(arena, const struct cli_command *, COMMANDS_MAX + 1);
    size_t count = 0;

    for (; *tables; tables++)
        for (const struct cli_command *command = *tables; command->name && count < COMMANDS_MAX; command++)
            all[count++] = command;
    for (const struct op *const *op = op_all(); *op; op++) {
        if (!(*op)->cli || has_command(all, count, (*op)->cli) || count == COMMANDS_MAX)
            continue;
        struct cli_command *command = cli_command_of(arena, *op);

        command->run = generic;
        all[count++] = command;
    }
    return all;
}
