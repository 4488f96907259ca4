/*
 * What MCP servers send to us: whatever it is, in whichever stage, what goes out is one line of JSON, tools
 * have names that every provider takes and schemas that are some, a call ends once and in words, and what is
 * asked for has a form or a link. The first byte chooses how far the session has come, and how many calls it
 * has.
 */
#include "base/limits.h"
#include "base/shape.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"
#include "toolbox/mcp_session.h"

static int64_t now_ms;
static size_t under_way, longest;
static uint64_t last_asked;
static char asked_id[24];

static int64_t fuzz_now(void)
{
    return now_ms;
}

static bool check_letter(void *user, const struct mcp_letter *letter)
{
    JSON_AUTO *tree = NULL;
    struct err err = { 0 };

    (void)user;
    DEMAND(!memchr(letter->text, '\n', letter->len));
    DEMAND(json_parse(letter->text, letter->len, &tree, &err) && json_is_object(tree));
    DEMAND(str_equal(json_string_value(json_object_get(tree, "jsonrpc")), "2.0"));
    for (const char *const *header = letter->headers; header && *header; header++)
        DEMAND(!strpbrk(*header, "\r\n"));
    return true;
}

static void drop(void *user, int64_t request)
{
    (void)user, (void)request;
}

static void check_end(void *user, struct mcp_errand *errand, const struct tool_result *result)
{
    (void)user;
    DEMAND(under_way > 0 && result->text && str_is_utf8(result->text, strlen(result->text)));
    DEMAND(strlen(result->text) <= LIMIT_MCP_TEXT);
    DEMAND(result->end != TOOL_FINE || !result->data || strlen(result->data) <= LIMIT_MCP_TEXT);
    under_way--;
    mcp_errand_free(errand);
}

static void check_asked(void *user, const struct tool_elicitation *asked)
{
    JSON_AUTO *schema = NULL;
    struct err err = { 0 };

    (void)user;
    DEMAND(asked->message && !asked->schema == (asked->url != NULL));
    DEMAND(!asked->schema ||
           (json_parse(asked->schema, strlen(asked->schema), &schema, &err) && shape_check(schema, &err)));
    DEMAND(!asked->url || str_starts(asked->url, "http") || str_starts(asked->url, "HTTP"));
    last_asked++;
    snprintf(asked_id, sizeof(asked_id), "%s", asked->id);
}

static void check_progress(void *user, double done, double total, const char *words)
{
    (void)user, (void)done, (void)total;
    DEMAND(!words || str_is_utf8(words, strlen(words)));
}

static void no_done(void *user, const struct tool_result *result)
{
    (void)user, (void)result;
}

static void check_tools(struct mcp_session *session)
{
    if (!session->listed)
        return;
    DEMAND(session->listed->count <= LIMIT_MCP_TOOLS);
    for (size_t i = 0; i < session->listed->count; i++) {
        const struct tool *tool = &session->listed->tools[i];
        JSON_AUTO *schema = NULL;
        struct err err = { 0 };

        DEMAND(tool_is_name(tool->name) && str_starts(tool->name, "box__") && strlen(tool->digest) == 64);
        DEMAND(strlen(tool->description) <= LIMIT_MCP_DESCRIPTION);
        DEMAND(json_parse(tool->schema, strlen(tool->schema), &schema, &err) && shape_check(schema, &err));
        if (strlen(tool->server_tool) > longest)
            longest = strlen(tool->server_tool);
    }
}

static void tell(struct mcp_session *session, const char *text)
{
    mcp_session_take(session, text, strlen(text), -1);
}

/* How far it has come: 0 nothing, 1 greeted, 2 listed in the older era, 3 in the newer one. */
static void come_so_far(struct mcp_session *session, unsigned stage)
{
    if (stage == 3) {
        tell(
            session,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}}");
        tell(session, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}");
    } else if (stage > 0) {
        tell(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"\"}}");
        tell(
            session,
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true}}}}");
        if (stage == 2)
            tell(session, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}");
    }
}

static void call(struct mcp_session *session)
{
    struct mcp_errand *errand = calloc(1, sizeof(*errand));

    DEMAND(errand);
    errand->request = -1;
    errand->timeout_ms = 1000;
    errand->tool = "add";
    errand->arguments = "{\"a\":\"1\"}";
    errand->schema = "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}";
    errand->callbacks =
        (struct tool_callbacks){ .asked = check_asked, .progress = check_progress, .done = no_done };
    under_way++;
    mcp_session_call(session, errand);
}

/* One line: a message, or (after "!") what came of the last thing that was asked for. */
static void take_line(struct mcp_session *session, const char *line)
{
    if (line[0] == '!' && session->errands)
        mcp_session_answer(session, session->errands, asked_id, TOOL_ACCEPT, line + 1);
    else if (line[0] == '@')
        mcp_session_failed(session, session->last_request,
                           &(struct mcp_failure){ .loss = MCP_REFUSED,
                                                  .status = 400,
                                                  .why = "Refused.",
                                                  .body = line + 1,
                                                  .body_len = strlen(line + 1) });
    else
        mcp_session_take(session, line, strlen(line), line[0] == '[' ? session->last_request : -1);
    now_ms += 200;
    if (mcp_session_due(session) <= now_ms)
        mcp_session_tick(session);
    check_tools(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct mcp_setup setup = { .name = "box", .timeout_ms = 1000, .start_ms = 5000 };
    struct mcp_host host = { .now_ms = fuzz_now, .send = check_letter, .drop = drop, .ended = check_end };
    struct mcp_session session;

    if (len < 2)
        return 0;
    unsigned choice = bytes[0];

    under_way = longest = last_asked = 0;
    now_ms = 1000000;
    host.over_http = choice & 16;
    mcp_session_begin(&session, &setup, &host);
    come_so_far(&session, choice & 3);
    for (unsigned i = 0; session.stage == MCP_TALKING && i < (choice >> 2 & 3); i++)
        call(&session);
    bytes++, len--;
    while (len > 0) {
        char *line = fuzz_line(&bytes, &len);

        take_line(&session, line);
        free(line);
    }
    plant(longest, 16);
    for (struct mcp_errand *again = session.again, *next; again; again = next) {
        next = again->next;
        under_way--;
        mcp_errand_free(again);
    }
    session.again = NULL;
    mcp_session_end(&session, TOOL_BROKE_OFF, "The end.");
    DEMAND(under_way == 0);
    return 0;
}
