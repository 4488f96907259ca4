/*
 * All of a message is hidden as a value is, and then what is sent back is put in its place again, from a copy
 * of how it came.
 */
#include "toolbox/mcp_hide.h"

#include "base/str.h"
#include "toolbox/secrets.h"

/* What a schema says to people and models. All else in it is a name, or what an argument may be. */
static bool is_said(const char *key)
{
    static const char *const keys[] = { "title", "description", "$comment", "default", "examples" };

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (str_equal(key, keys[i]))
            return true;
    return false;
}

/* As deep as a text may be that json_parse takes. A property may be called "title", and is a schema then. */
static void hide_in_schema(json_t *schema, const struct secret_forms *secrets)
{
    const char *key;
    json_t *member;
    void *next;
    size_t i;

    json_array_foreach(schema, i, member)
    {
        hide_in_schema(member, secrets);
    }
    json_object_foreach_safe(schema, next, key, member)
    {
        JSON_AUTO *said = is_said(key) && !json_is_object(member) ? json_pack("{s:O}", key, member) : NULL;

        if (said) {
            secrets_hide_in(said, secrets);
            json_object_set(schema, key, json_object_get(said, key));
        } else {
            hide_in_schema(member, secrets);
        }
    }
}

static void put_back(json_t *hidden, const json_t *came, const char *key)
{
    json_t *member = json_object_get(came, key);

    if (member && json_is_object(hidden))
        json_object_set(hidden, key, member);
}

static void put_back_schema(json_t *hidden, const json_t *came, const char *key,
                            const struct secret_forms *secrets)
{
    hide_in_schema(json_object_get(came, key), secrets);
    put_back(hidden, came, key);
}

static void put_back_tools(json_t *hidden, const json_t *came, const struct secret_forms *secrets)
{
    const json_t *tool;
    size_t i;

    json_array_foreach(came, i, tool)
    {
        put_back(json_array_get(hidden, i), tool, "name");
        put_back_schema(json_array_get(hidden, i), tool, "inputSchema", secrets);
    }
}

/* What it asks for in its result, by names of its own. */
static void put_back_requests(json_t *result, const json_t *came, const struct secret_forms *secrets)
{
    const char *key;
    json_t *request;

    if (!json_is_object(json_object_get(result, "inputRequests")) || !json_is_object(came))
        return;
    json_t *requests = json_object();

    json_object_foreach((json_t *)(uintptr_t)came, key, request)
    {
        json_t *shown = json_deep_copy(request);

        secrets_hide_in(shown, secrets);
        put_back_schema(json_object_get(shown, "params"), json_object_get(request, "params"),
                        "requestedSchema", secrets);
        json_object_set_new(requests, key, shown);
    }
    json_object_set_new(result, "inputRequests", requests);
}

static void put_back_message(json_t *hidden, const json_t *came, const struct secret_forms *secrets)
{
    json_t *result = json_object_get(hidden, "result"), *params = json_object_get(hidden, "params");
    const json_t *result_came = json_object_get(came, "result"),
                 *params_came = json_object_get(came, "params");

    put_back(hidden, came, "id");
    put_back(result, result_came, "nextCursor");
    put_back(result, result_came, "requestState");
    put_back_tools(json_object_get(result, "tools"), json_object_get(result_came, "tools"), secrets);
    put_back_requests(result, json_object_get(result_came, "inputRequests"), secrets);
    put_back(params, params_came, "progressToken");
    put_back(params, params_came, "requestId");
    put_back_schema(params, params_came, "requestedSchema", secrets);
}

void mcp_hide(json_t *tree, const struct secret_forms *secrets)
{
    const json_t *message;
    size_t i;

    if (!secrets)
        return;
    JSON_AUTO *came = json_deep_copy(tree);

    secrets_hide_in(tree, secrets);
    if (json_equal(tree, came))
        return;
    if (!json_is_array(came))
        put_back_message(tree, came, secrets);
    json_array_foreach(came, i, message)
    {
        put_back_message(json_array_get(tree, i), message, secrets);
    }
}
