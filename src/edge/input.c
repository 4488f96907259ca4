/*
 * A body is measured before it is parsed, by a scan that allocates nothing, and its tree is charged to the
 * budget by that measure. A wrong input is not refused here but noted in bind_err: it is told only once the
 * caller is known.
 */
#include "edge/input.h"

#include <string.h>
#include <strings.h>

static bool is_json(const char *type)
{
    size_t len = type ? strcspn(type, ";") : 0;

    while (len > 0 && type[len - 1] == ' ')
        len--;
    if (len == strlen("application/json") && strncasecmp(type, "application/json", len) == 0)
        return true;
    return len > 5 && strncasecmp(type + len - 5, "+json", 5) == 0;
}

/* No body is an empty object: some operations need nothing to be said. */
static bool find_body(const struct input *input, struct request *request, struct err *err)
{
    enum http_method method = http_method(input->exchange);
    size_t len;
    const char *body = http_body(input->exchange, &len);

    if (len == 0 || method == HTTP_GET || method == HTTP_DELETE)
        return true;
    request->body = body;
    request->body_len = len;
    if (is_json(http_header(input->exchange, "Content-Type")))
        return true;
    err_set(err, ERR_NOT_JSON, "The body must be JSON.");
    return err_hint(err, "Send it with \"Content-Type: application/json\".");
}

static bool parse_body(struct input *input, const struct request *request, struct err *err)
{
    size_t bytes;

    if (request->body_len == 0)
        return true;
    if (!json_measure(request->body, request->body_len, &bytes, err))
        return false;
    if (!budget_grow(input->budget, 0, bytes)) {
        err_set(err, ERR_UNAVAILABLE,
                "The server has as much to read and to send as it can hold. Try again.");
        return false;
    }
    input->charged = bytes;
    if (!json_parse(request->body, request->body_len, &input->body, err))
        return false;
    if (!json_is_object(input->body))
        return err_set(err, ERR_INVALID, "The body must be a JSON object.");
    return true;
}

void input_bind(struct input *input, struct request *request)
{
    struct arena *arena = request->call.tx.arena;
    struct err *err = &request->bind_err;

    if (!parse_body(input, request, err))
        return;

    struct raw_value *query = arena_array(arena, struct raw_value, input->query.count);

    for (size_t i = 0; i < input->query.count; i++)
        query[i] = (struct raw_value){ input->query.pairs[i].name, input->query.pairs[i].value };

    struct raw_input raw = {
        .path = input->match.path,
        .path_count = input->match.path_count,
        .query = query,
        .query_count = input->query.count,
        .body = input->body,
    };

    (void)!bind_args(request->op, arena, &raw, request->call.args, err);
}

/* On a worker. */
static void bind_late(struct request *request)
{
    input_bind(request->input, request);
}

void input_read(struct input *input, struct request *request)
{
    struct err *err = &request->bind_err;

    request->input = input;
    if (!url_parse_query(request->call.tx.arena, http_query(input->exchange), &input->query, err) ||
        !find_body(input, request, err))
        return;
    if (request->body_len <= LIMIT_PARSE_HERE)
        input_bind(input, request);
    else
        request->bind = bind_late;
}

void input_done(struct input *input)
{
    json_decref(input->body);
    input->body = NULL;
    if (input->charged > 0)
        budget_give(input->budget, input->charged);
    input->charged = 0;
}
