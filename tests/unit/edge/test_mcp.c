/*
 * The parts of the MCP door that need no server: messages, session ids, seals, and the table of tools.
 */
#include "base/str.h"
#include "edge/mcp/peer.h"
#include "edge/mcp/seal.h"
#include "edge/mcp/tasks.h"
#include "edge/mcp/tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sodium.h>

#include <string.h>

static bool reads(const char *text, struct rpc_message *message, struct rpc_error *error, json_t **tree)
{
    struct err err = { 0 };

    assert_true(json_parse(text, strlen(text), tree, &err));
    return rpc_read(*tree, message, error);
}

static void a_message_is_one_of_three(void **state)
{
    struct rpc_message message;
    struct rpc_error error;
    JSON_AUTO *request = NULL, *notification = NULL, *response = NULL;

    (void)state;
    assert_true(reads("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}", &message, &error, &request));
    assert_int_equal(message.kind, RPC_REQUEST);
    assert_int_equal(json_integer_value(message.id), 7);
    assert_true(reads("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", &message, &error, &notification));
    assert_int_equal(message.kind, RPC_NOTIFICATION);
    assert_true(reads("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}", &message, &error, &response));
    assert_int_equal(message.kind, RPC_RESPONSE);
}

static void what_is_none_is_refused_and_named(void **state)
{
    static const struct {
        const char *text;
        int code;
        bool named;
    } cases[] = {
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}", RPC_INVALID_PARAMS, true },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}", RPC_INVALID_REQUEST, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rpc_message message;
        struct rpc_error error = { 0 };
        JSON_AUTO *tree = NULL;

        if (reads(cases[i].text, &message, &error, &tree))
            fail_msg("%s was taken", cases[i].text);
        assert_int_equal(error.code, cases[i].code);
        assert_int_equal(message.id != NULL, cases[i].named);
    }
}

static void a_session_id_is_all_there_is_to_a_session(void **state)
{
    static struct ended_sessions ended = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ARENA_AUTO arena = { 0 };
    struct peer peer = { .version = mcp_versions[2], .name = "Claude Code", .can = CAN_ELICIT | CAN_ROOTS };
    struct peer again = { 0 };
    struct seal_key key = { { 1, 2, 3 } }, other_key = { { 4, 5, 6 } };
    struct caller ada = { .kind = CALLER_TOKEN, .id = "ada" }, ben = { .kind = CALLER_TOKEN, .id = "ben" },
                  user = { .kind = CALLER_USER, .id = "ada" };
    const char *id = peer_new_session(&key, &arena, &peer, &ada);

    (void)state;
    assert_true(peer_of_session(&ended, &arena, id, &again));
    assert_string_equal(again.name, "Claude Code");
    assert_string_equal(again.version, mcp_versions[2]);
    assert_int_equal(again.can, CAN_ELICIT | CAN_ROOTS);
    assert_true(strcmp(id, peer_new_session(&key, &arena, &peer, &ada)) != 0);
    assert_true(peer_owns_session(&key, &again, &ada));
    assert_false(peer_owns_session(&key, &again, &ben));
    assert_false(peer_owns_session(&key, &again, &user));
    assert_false(peer_owns_session(&other_key, &again, &ada));
    peer_end_session(&ended, &again);
    assert_false(peer_of_session(&ended, &arena, id, &again));
    assert_false(peer_of_session(&ended, &arena, "nonsense", &again));
    assert_false(peer_of_session(&ended, &arena, "", &again));
}

/* Sessions that began before there were marks go on, and can be neither heard nor ended. */
static void a_session_without_a_mark_is_nobodys_own(void **state)
{
    static struct ended_sessions ended = { .lock = PTHREAD_MUTEX_INITIALIZER };
    static const char plain[] = "2025-06-18 1 00112233445566778899aabbccddeeff Claude Code";
    ARENA_AUTO arena = { 0 };
    struct seal_key key = { { 1, 2, 3 } };
    struct caller ada = { .kind = CALLER_TOKEN, .id = "ada" };
    struct peer peer = { 0 };
    char id[200];

    (void)state;
    sodium_bin2base64(id, sizeof(id), (const unsigned char *)plain, strlen(plain),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    assert_true(peer_of_session(&ended, &arena, id, &peer));
    assert_string_equal(peer.name, "Claude Code");
    assert_false(peer_owns_session(&key, &peer, &ada));
    assert_false(peer_owns_session(&key, &(struct peer){ 0 }, &ada));
}

static void a_seal_opens_for_whom_it_was_closed(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct seal_key key = { { 1, 2, 3 } }, other = { { 4, 5, 6 } };
    const char *sealed = seal_close(&key, &arena, "local tools/call ask", 1000, "round 1");

    (void)state;
    assert_string_equal(seal_open(&key, &arena, "local tools/call ask", 2000, sealed), "round 1");
    assert_null(seal_open(&other, &arena, "local tools/call ask", 2000, sealed));
    assert_null(seal_open(&key, &arena, "another tools/call ask", 2000, sealed));
    assert_null(seal_open(&key, &arena, "local tools/call ask", 1000 + SEAL_LIFETIME_MS + 1, sealed));
    assert_null(
        seal_open(&key, &arena, "local tools/call ask", 2000, arena_format(&arena, "%s-TAMPERED", sealed)));
    for (size_t i = 0; sealed[i]; i++) {
        char *changed = arena_text(&arena, sealed);

        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        if (seal_open(&key, &arena, "local tools/call ask", 2000, changed))
            fail_msg("changed at %zu, it still opens", i);
    }
}

static void the_id_of_a_task_is_the_sum_of_its_parts(void **state)
{
    static const char *const parts[] = { "request_decision", "0197", "shop.eu" };
    ARENA_AUTO arena = { 0 };
    const char *id = task_id_join(&arena, parts, 3), *found[TASK_PARTS];

    (void)state;
    assert_string_equal(id, "request_decision.0197.shop.eu");
    assert_true(task_id_split(&arena, id, found, 3));
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(found[i], parts[i]);
    assert_false(task_id_split(&arena, "request_decision.0197", found, 3));
    assert_false(task_id_split(&arena, "request_decision..shop", found, 3));
    assert_false(task_id_split(&arena, "request_decision.0197.", found, 3));
    assert_false(task_id_split(&arena, "", found, 1));
}

/* Each row with a tool is described for models, and each tool leads to a row. */
static void tools_and_rows_know_each_other(void **state)
{
    (void)state;
    for (const struct mcp_tool *tool = tools_all(); tool->name; tool++) {
        if (!tool_op(tool))
            fail_msg("%s has no row", tool->name);
        assert_non_null(strstr(tool->help, "Example: {"));
        assert_non_null(tool->title);
        assert_true(!tool->then || op_find(tool->then));
    }
    for (const struct op *const *op = op_all(); *op; op++) {
        bool found = !(*op)->tool;

        for (const struct mcp_tool *tool = tools_all(); tool->name && !found; tool++)
            found = strcmp(tool->name, (*op)->tool) == 0;
        if (!found)
            fail_msg("%s is a tool that nobody has described", (*op)->tool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_one_of_three),
        cmocka_unit_test(what_is_none_is_refused_and_named),
        cmocka_unit_test(a_session_id_is_all_there_is_to_a_session),
        cmocka_unit_test(a_session_without_a_mark_is_nobodys_own),
        cmocka_unit_test(a_seal_opens_for_whom_it_was_closed),
        cmocka_unit_test(the_id_of_a_task_is_the_sum_of_its_parts),
        cmocka_unit_test(tools_and_rows_know_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
