/*
 * Words become JSON by the row's types, and one that does not look like its type is sent as it is: the
 * server's sentence about it is better than one made here. Only what can be repeated without doing it twice
 * is tried again.
 */
#include "cli/client/invoke.h"

#include "base/str.h"
#include "cli/client/patience.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_SLACK_S 15 /* beyond ?wait=, before the server counts as gone */

static const struct field *field_named(const struct op *op, const char *name)
{
    for (const struct field *field = op->params; field->type; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

static bool unknown_param(const struct op *op, const char *name, struct err *err)
{
    const char *nearest = NULL;
    size_t best = 4;

    for (const struct field *field = op->params; field->type; field++) {
        size_t distance = str_distance(name, field->name);

        if (distance < best) {
            best = distance;
            nearest = field->name;
        }
    }
    err_field(err, name, "There is no parameter %s.", name);
    if (nearest)
        return err_hint(err, "Did you mean %s?", nearest);
    return err_hint(err, "`witan call %s --describe` lists them.", op->name);
}

static json_t *text_list(const char *text)
{
    json_t *list = json_array();

    while (*text) {
        size_t len = strcspn(text, ",");

        json_array_append_new(list, json_stringn(text, len));
        text += len + (text[len] == ',');
    }
    return list;
}

/* What does not look like the type is sent as text: the server says what is wrong with it. */
static bool convert(const struct field *field, const char *text, json_t **value, struct err *err)
{
    int64_t number;
    char *end;
    double real;

    switch (field->type) {
    case T_INT: *value = str_to_int(text, &number) ? json_integer(number) : json_string(text); return true;
    case T_REAL:
        real = strtod(text, &end);
        *value = *text && !*end ? json_real(real) : json_string(text);
        return true;
    case T_BOOL:
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
            *value = json_boolean(strcmp(text, "true") == 0);
        else
            *value = json_string(text);
        return true;
    case T_LIST:
        if (text[0] != '[' && field->items != T_OBJECT) {
            *value = text_list(text);
            return true;
        }
        return json_parse(text, strlen(text), value, err);
    case T_OBJECT:
    case T_JSON: return json_parse(text, strlen(text), value, err);
    default: *value = json_string(text); return true;
    }
}

bool invoke_set(const struct op *op, json_t *params, const char *name, const char *text, struct err *err)
{
    const struct field *field = field_named(op, name);
    struct err why = { 0 };
    json_t *value = NULL;

    if (!field)
        return unknown_param(op, name, err);
    if (!str_is_utf8(text, strlen(text)))
        return err_field(err, name, "%s is not UTF-8 text.", name);
    if (!convert(field, text, &value, &why))
        return err_field(err, name, "%s must be JSON: %s", name, why.text);
    json_object_set_new(params, name, value);
    return true;
}

bool invoke_collect(const struct cli *cli, json_t *params, struct err *err)
{
    for (size_t i = 0; i < cli->value_count; i++) {
        const struct cli_value *value = &cli->values[i];

        if (value->option->param && !invoke_set(cli->op, params, value->option->param, value->text, err))
            return false;
    }
    return true;
}

bool invoke_unknown(const struct cli *cli, const char *option, struct err *err)
{
    if (err->code == ERR_NOT_FOUND && cli_has(cli, option))
        err_set(err, ERR_NOT_FOUND, "--%s names something that does not exist: \"%s\".", option,
                cli_get(cli, option));
    return false;
}

/* As it stands in a path or a query. */
static const char *plain(struct arena *arena, const json_t *value)
{
    const char *text = json_is_string(value) ? json_string_value(value) : json_dump_text(arena, value);

    return str_url_encode(arena, text);
}

static bool fill_path(struct cli *cli, const struct op *op, const json_t *params, struct buf *into,
                      struct err *err)
{
    for (const char *at = op_path(op); *at;) {
        size_t len = strcspn(at, "{");

        buf_add(into, at, len);
        at += len;
        if (!*at)
            break;
        const char *name = arena_copy(cli->arena, at + 1, strcspn(at + 1, "}"));
        const json_t *value = json_object_get(params, name);

        if (!value)
            return err_field(err, name, "%s needs %s.", op->name, name);
        buf_text(into, plain(cli->arena, value));
        at += strlen(name) + 2;
    }
    return true;
}

static void fill_query(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
                       struct buf *into)
{
    char mark = '?';

    for (const struct field *field = op->params; field->type; field++) {
        const json_t *value = json_object_get(params, field->name);

        if (!value || op_param_place(op, field) != IN_QUERY)
            continue;
        buf_format(into, "%c%s=%s", mark, field->name, plain(cli->arena, value));
        mark = '&';
    }
    if (op->waits && wait_s > 0)
        buf_format(into, "%cwait=%d", mark, wait_s);
    if (op->holds && wait_s == INVOKE_AT_ONCE)
        buf_format(into, "%cwait=0", mark);
}

static const char *body_of(struct cli *cli, const struct op *op, const json_t *params)
{
    JSON_AUTO *body = json_object();

    for (const struct field *field = op->params; field->type; field++) {
        json_t *value = json_object_get(params, field->name);

        if (value && op_param_place(op, field) == IN_BODY)
            json_object_set(body, field->name, value);
    }
    return json_dump_text(cli->arena, body);
}

bool invoke(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
            struct client_reply *reply, struct err *err)
{
    BUF_AUTO path = { 0 };
    struct client_request request = {
        .method = op_method(op, cli->arena),
        .idempotency_key = cli_get(cli, "idempotency-key"),
        .timeout_s = wait_s > 0 ? wait_s + WAIT_SLACK_S : 0,
    };

    if (!request.idempotency_key)
        request.idempotency_key = cli->idempotency_key;
    buf_init(&path, 0);
    if (!fill_path(cli, op, params, &path, err))
        return false;
    fill_query(cli, op, params, wait_s, &path);
    request.path = path.bytes;
    if (strcmp(request.method, "GET") != 0 && strcmp(request.method, "DELETE") != 0)
        request.body = body_of(cli, op, params);
    return client_send(cli, &request, reply, err);
}

static bool send_once(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
                      struct client_reply *reply, json_t **out, struct err *err)
{
    *reply = (struct client_reply){ 0 };
    *err = (struct err){ 0 };
    if (!invoke(cli, op, params, wait_s, reply, err))
        return false;
    if (reply->status >= 400) {
        client_error(cli, reply, err);
        return false;
    }
    if (!out || json_parse(reply->body, reply->len, out, err))
        return true;
    return err_set(err, ERR_INTERNAL,
                   "The server at %s answered with something that is not JSON; is it witan?",
                   cli->target.url);
}

/* Whether the same request twice is the same as once: reads, and writes under a key. */
static bool may_repeat(const struct cli *cli, const struct op *op)
{
    return op->kind == OP_READ || cli_has(cli, "idempotency-key") || cli->idempotency_key;
}

bool invoke_json(struct cli *cli, const struct op *op, const json_t *params, int wait_s,
                 struct client_reply *reply, json_t **out, struct err *err)
{
    while (!send_once(cli, op, params, wait_s, reply, out, err)) {
        if (cli->patience_ms == 0 || !may_repeat(cli, op) || !patience_lasts(cli, reply, err))
            return false;
        if (wait_s > 0)
            wait_s = 0;
    }
    patience_rests(cli);
    return true;
}

int invoke_print(const struct cli *cli, const struct client_reply *reply, bool indented)
{
    struct err ignored = { 0 };
    JSON_AUTO *value = NULL;
    const char *text = reply->body;

    if (reply->len == 0)
        return CLI_OK;
    if (indented && str_starts(reply->type, "application/json") &&
        json_parse(reply->body, reply->len, &value, &ignored)) {
        char *pretty = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);

        text = str_sanitise(cli->arena, pretty ? pretty : "");
        free(pretty);
    }
    size_t len = text == reply->body ? reply->len : strlen(text);
    int code = cli_print(text, len);

    if (code == CLI_OK && text[len - 1] != '\n')
        code = cli_print("\n", 1);
    return code;
}
