/*
 * Runs the operation's own handler on the store, without a server, as its owner: the rows and the JSON are
 * then the same as over the API.
 */
#include "cli/store/list.h"

#include "base/json.h"
#include "ops/bind.h"

/* The operation is run as it is, by the owner of the store. */
static bool read_page(struct local_store *local, const struct op *op, const char *cursor, json_t **page,
                      struct err *err)
{
    BUF_AUTO reply = { 0 };
    struct raw_value query[] = { { "limit", "200" }, { "cursor", cursor } };
    struct raw_input input = { .query = query, .query_count = cursor ? 2 : 1 };
    struct call call = {
        .op = op,
        .tx = local->tx,
        .caller = { .kind = CALLER_LOCAL,
                    .role = ROLE_OWNER,
                    .id = "local",
                    .name = "local",
                    .credential = "local",
                    .workspace_id = local->workspace_id },
    };

    call.tx.caller = &call.caller;
    call.tx.err = &call.err;
    if (!bind_args(op, local->tx.arena, &input, call.args, err))
        return false;
    buf_init(&reply, 0);
    json_begin(&call.out, &reply);
    if (!op->run(&call)) {
        *err = call.err;
        return false;
    }
    return json_parse(reply.bytes, reply.len, page, err);
}

static bool read_all(struct local_store *local, const struct store_list *list, json_t *rows, struct err *err)
{
    const struct op *op = op_find(list->op);
    const char *cursor = NULL;

    do {
        JSON_AUTO *page = NULL;

        if (!read_page(local, op, cursor, &page, err))
            return false;
        json_array_extend(rows, json_object_get(page, list->plural));
        cursor = arena_text(local->tx.arena, json_string_value(json_object_get(page, "nextCursor")));
    } while (cursor);
    return true;
}

static int print_rows(const struct local_store *local, const struct store_list *list, const json_t *rows)
{
    BUF_AUTO text = { 0 };
    struct term term;
    struct json_out out;

    buf_init(&text, 0);
    if (local->cli->json) {
        json_begin(&out, &text);
        json_map(&out, NULL);
        json_value(&out, list->plural, rows);
        json_none(&out, "nextCursor");
        json_map_end(&out);
        buf_char(&text, '\n');
    } else if (json_array_size(rows) > 0) {
        JSON_AUTO *lines = list->lines ? list->lines(rows) : json_copy((json_t *)(uintptr_t)rows);

        term_init(&term, local->tx.arena, &text, local->cli->colour);
        term_table(&term, lines, list->columns, list->width, local->tx.now_ms);
    } else
        cli_note(local->cli, "There are no %s.", list->plural);
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

int list_run(struct cli *cli, const struct store_list *list)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    JSON_AUTO *rows = json_array();
    bool good = local_open(&local, cli, false, &err) && read_all(&local, list, rows, &err);
    int printed = good ? print_rows(&local, list, rows) : CLI_OK;
    int code = local_end(&local, good, &err);

    return code ? code : printed;
}

const char *list_detail(struct arena *arena, const char *key, const char *value)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, key, value);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}
