/*
 * MCP's messages and what clients bring back: whatever is sent, a message is a request, a notification or a
 * response and nothing between, a refusal can be written, a session id that is read back is the client's and
 * the caller's,
 * nothing that was not sealed here opens, and the id of a task is the sum of its parts.
 */
#include "edge/mcp/peer.h"
#include "edge/mcp/seal.h"
#include "edge/mcp/tasks.h"
#include "tests/fuzz/fuzz.h"

static void check_message(const struct rpc_message *message)
{
    switch (message->kind) {
    case RPC_REQUEST:
        DEMAND(message->id && message->method && *message->method && !message->result);
        plant(strlen(message->method), 13);
        break;
    case RPC_NOTIFICATION: DEMAND(!message->id && message->method && !message->result); break;
    case RPC_RESPONSE: DEMAND(!message->method && !message->params); break;
    }
    DEMAND(!message->params || json_is_object(message->params));
    DEMAND(!message->id || json_is_string(message->id) || json_is_integer(message->id));
}

static void check_refusal(struct arena *arena, const struct rpc_message *message,
                          const struct rpc_error *error)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *told = NULL;
    struct err err = { 0 };

    DEMAND(error->code < 0 && error->http >= 400 && error->text[0]);
    rpc_write_error(&text, message->id ? json_dump_text(arena, message->id) : NULL, error);
    DEMAND(json_parse(text.bytes, text.len, &told, &err));
    DEMAND(!message->id || json_equal(json_object_get(told, "id"), message->id));
}

static void check_peer(struct arena *arena, const json_t *params)
{
    static const struct seal_key key = { { 1 } };
    static const struct caller ada = { .kind = CALLER_USER, .id = "ada", .workspace_id = "w" },
                               ben = { .kind = CALLER_USER, .id = "ben", .workspace_id = "w" };
    static struct ended_sessions ended = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct peer peer = { .version = mcp_versions[1] }, again = { .version = NULL };

    peer_read(arena, json_object_get(params, "clientInfo"), json_object_get(params, "capabilities"), &peer);
    DEMAND(peer.name && *peer.name);
    DEMAND(peer_of_session(&ended, arena, peer_new_session(&key, arena, &peer, &ada), &again));
    DEMAND(strcmp(again.name, peer.name) == 0 && again.can == peer.can && again.version == peer.version);
    DEMAND(peer_owns_session(&key, &again, &ada) && !peer_owns_session(&key, &again, &ben));
}

static void check_task_id(struct arena *arena, const char *text)
{
    const char *parts[TASK_PARTS];

    for (size_t count = 1; count <= TASK_PARTS; count++)
        if (task_id_split(arena, text, parts, count))
            DEMAND(strcmp(task_id_join(arena, parts, count), text) == 0);
}

static void check_text(struct arena *arena, const char *text)
{
    static const struct seal_key key = { { 1 } };
    static struct ended_sessions ended = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct peer peer = { .version = NULL };
    const char *sealed = seal_close(&key, arena, "scope", 0, text);

    DEMAND(!seal_open(&key, arena, "scope", 0, text));
    DEMAND(strcmp(seal_open(&key, arena, "scope", 0, sealed), text) == 0);
    DEMAND(!seal_open(&key, arena, "another", 0, sealed));
    if (peer_of_session(&ended, arena, text, &peer))
        DEMAND(peer.name && *peer.name && peer.version);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    JSON_AUTO *tree = NULL;
    struct rpc_message message;
    struct rpc_error error = { 0 };
    struct err err = { 0 };
    const uint8_t *rest = bytes;
    size_t left = len;
    char *line = fuzz_line(&rest, &left);

    check_text(&arena, line);
    check_task_id(&arena, line);
    free(line);
    if (!json_parse((const char *)bytes, len, &tree, &err))
        return 0;
    if (rpc_read(tree, &message, &error)) {
        check_message(&message);
        check_peer(&arena, message.params);
    } else {
        check_refusal(&arena, &message, &error);
    }
    return 0;
}
