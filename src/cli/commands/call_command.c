#include "base/str.h"
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"

#include <string.h>

static int finish(struct cli *cli, const struct client_reply *reply)
{
    struct err err = { 0 };

    if (reply->status < 400)
        return invoke_print(cli, reply, !cli->json);
    if (cli->json) {
        client_error(cli, reply, &err);
        (void)invoke_print(cli, reply, false);
        return err_exit(err.code);
    }
    client_error(cli, reply, &err);
    return cli_fail(cli, &err);
}

int client_run_generic(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_collect(cli, params, &err) || !invoke(cli, cli->op, params, 0, &reply, &err))
        return cli_fail(cli, &err);
    return finish(cli, &reply);
}

static const struct op *find_op(const struct cli *cli, struct err *err)
{
    const char *name = cli_get(cli, "OP");
    const struct op *found = op_find(name);
    const char *nearest = NULL;
    size_t best = 5;

    if (found)
        return found;
    for (const struct op *const *op = op_all(); *op; op++) {
        size_t distance = str_distance(name, (*op)->name);

        if (distance < best) {
            best = distance;
            nearest = (*op)->name;
        }
    }
    err_set(err, ERR_INVALID, "There is no operation %s.", name);
    if (nearest)
        (void)err_hint(err, "Did you mean %s?", nearest);
    else
        (void)err_hint(err, "`witan call` lists them.");
    return NULL;
}

/* "key=text" is converted as the row says, "key:=JSON" is taken as it stands. */
static bool take_word(const struct op *op, const char *word, struct arena *arena, json_t *params, int *wait_s,
                      struct err *err)
{
    const char *equals = strchr(word, '=');
    bool raw = equals && equals > word && equals[-1] == ':';
    const char *name = equals ? arena_copy(arena, word, (size_t)(equals - word) - raw) : "";
    json_t *value;
    int64_t number;

    if (!*name) {
        err_set(err, ERR_INVALID, "\"%s\" is neither key=value nor key:=JSON.", word);
        return err_hint(err, "`witan call %s --describe` lists its parameters.", op->name);
    }
    if (op->waits && strcmp(name, "wait") == 0) {
        if (!str_to_int(equals + 1, &number) || number < 0 || number > WAIT_SECONDS_MAX)
            return err_field(err, "wait", "wait takes seconds, at most %d.", WAIT_SECONDS_MAX);
        *wait_s = (int)number;
        return true;
    }
    if (!raw)
        return invoke_set(op, params, name, equals + 1, err);
    if (!json_parse(equals + 1, strlen(equals + 1), &value, err))
        return false;
    json_object_set_new(params, name, value);
    return true;
}

static const char *type_name(const struct field *field)
{
    switch (field->type) {
    case T_INT:
    case T_REAL: return "number";
    case T_BOOL: return "true or false";
    case T_TIME: return "time";
    case T_LIST: return "list";
    case T_OBJECT:
    case T_JSON: return "JSON";
    default: return "text";
    }
}

/* Without parameters, `call` tells what there is to call. */
static int list_ops(void)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    for (const struct op *const *op = op_all(); *op; op++)
        buf_format(&text, "%-24s %s\n", (*op)->name, (*op)->help);
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

static int describe(const struct op *op)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_format(&text, "%s\n\n  %s\n\n", op->help, op->http);
    for (const struct field *field = op->params; field->type; field++)
        buf_format(&text, "  %-22s %s (%s%s)\n", field->name, field->help, type_name(field),
                   field->need == REQUIRED ? ", required" : "");
    if (op->waits)
        buf_format(&text, "  %-22s Seconds to wait for the end, at most %d.\n", "wait", WAIT_SECONDS_MAX);
    return cli_print(text.bytes, text.len);
}

static int run_call(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    struct client_reply reply;
    struct err err = { 0 };
    const struct op *op;
    int wait_s = 0;

    if (!cli_has(cli, "OP"))
        return list_ops();
    op = find_op(cli, &err);
    if (!op)
        return cli_fail(cli, &err);
    if (cli_has(cli, "describe"))
        return describe(op);
    for (size_t i = 0; i < cli->rest_count; i++)
        if (!take_word(op, cli->rest[i], cli->arena, params, &wait_s, &err))
            return cli_fail(cli, &err);
    if (!invoke(cli, op, params, wait_s, &reply, &err))
        return cli_fail(cli, &err);
    return finish(cli, &reply);
}

const struct cli_command call_commands[] = {
    {
        .name = "call",
        .help = "Call any operation of the server; without one, list them.",
        .examples =
            "witan call\n"
            "witan call prompt_list --describe\n"
            "witan call prompt_list agent=Builder limit=5\n"
            "witan call workspace_create name=Research settings:='{\"limits\":{}}' --idempotency-key k1",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "OP", .help = "The operation's name.", .flags = CLI_MAY },
                  { "KEY=VALUE", .help = "A parameter; KEY:=JSON takes JSON as it stands.",
                    .flags = CLI_MANY } },
        .options = { { "idempotency-key", "KEY", .help = "Repeating with the same key does it once." },
                     { "describe", .help = "List the operation's parameters instead of calling it." } },
        .run = run_call,
    },
    { 0 },
};
