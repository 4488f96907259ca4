/*
 * mcp_inputs.c - results that ask: inputRequests and a sealed requestState, round by round.
 */
#include "base/clock.h"
#include "tests/conformance/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM(message, member, type) \
    "{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"" member \
    "\":{\"type\":\"" type "\"}},\"required\":[\"" member "\"]}}"
#define SAMPLE(text, most) \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}]," \
    "\"maxTokens\":" most "}"

struct input_wanted {
    const char *key, *method, *params;
    unsigned can;
};

#define ELICIT(key, params) \
    { \
        key, "elicitation/create", params, CAN_ELICIT \
    }
#define ROOTS(key) \
    { \
        key, "roots/list", "{}", CAN_ROOTS \
    }

static const struct asking {
    const char *name;
    bool sealed;
    bool as_it_can;                   /* asks what the client can; the others need all of it */
    struct input_wanted rounds[2][4]; /* each ends with an empty one */
} askings[] = {
    { "test_streaming_elicitation", true, false, { { ELICIT("go_on", FORM("Go on?", "ok", "boolean")) } } },
    { "test_input_required_result_elicitation",
      false,
      false,
      { { ELICIT("user_name", FORM("What is your name?", "name", "string")) } } },
    { "test_input_required_result_prompt",
      false,
      false,
      { { ELICIT("user_context", FORM("What context should the prompt use?", "context", "string")) } } },
    { "test_input_required_result_sampling",
      false,
      false,
      { { { "capital_question", "sampling/createMessage", SAMPLE("What is the capital of France?", "100"),
            CAN_SAMPLE } } } },
    { "test_input_required_result_list_roots", false, false, { { ROOTS("client_roots") } } },
    { "test_input_required_result_request_state",
      true,
      false,
      { { ELICIT("confirm", FORM("Please confirm", "ok", "boolean")) } } },
    { "test_input_required_result_tampered_state",
      true,
      false,
      { { ELICIT("confirm", FORM("Please confirm", "ok", "boolean")) } } },
    { "test_input_required_result_multiple_inputs",
      true,
      false,
      { { ELICIT("user_name", FORM("What is your name?", "name", "string")),
          { "greeting", "sampling/createMessage", SAMPLE("Generate a greeting", "50"), CAN_SAMPLE },
          ROOTS("client_roots") } } },
    { "test_input_required_result_multi_round",
      true,
      false,
      { { ELICIT("step1", FORM("Step 1: What is your name?", "name", "string")) },
        { ELICIT("step2", FORM("Step 2: What is your favorite color?", "color", "string")) } } },
    { "test_input_required_result_capabilities",
      false,
      true,
      { { ELICIT("user_name", FORM("What is your name?", "name", "string")),
          { "greeting", "sampling/createMessage", SAMPLE("Generate a greeting", "50"), CAN_SAMPLE } } } },
};

static const struct asking *find(const char *name)
{
    for (size_t i = 0; i < sizeof(askings) / sizeof(askings[0]); i++)
        if (strcmp(askings[i].name, name) == 0)
            return &askings[i];
    return NULL;
}

/* Whose it is and what for. */
static const char *scope_of(struct mcp_call *call, const char *name)
{
    return arena_format(&call->arena, "%s %s %s", call->request.call.caller.id, call->message.method, name);
}

static bool has_all(const struct input_wanted *round, const json_t *responses)
{
    for (; round->key; round++)
        if (!json_object_get(responses, round->key))
            return false;
    return true;
}

static bool read_responses(struct mcp_call *call, const json_t **responses)
{
    const char *key;
    json_t *value, *given = json_object_get(call->message.params, "inputResponses");

    *responses = given;
    if (given && !json_is_object(given))
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "inputResponses must be an object.");
    json_object_foreach(given, key, value)
    {
        if (!json_is_object(value))
            return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "inputResponses.%.60s must be an object.",
                            key);
    }
    return true;
}

/* Which round the client is in, from the state that it brings back. */
static bool read_round(struct mcp_call *call, const struct asking *asking, int *round)
{
    const json_t *state = json_object_get(call->message.params, "requestState");
    const char *content;

    *round = 0;
    if (!state || !asking->sealed)
        return true;
    content = json_is_string(state) ? seal_open(&call->mcp->key, &call->arena, scope_of(call, asking->name),
                                                clock_now_ms(), json_string_value(state))
                                    : NULL;
    if (!content)
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400,
                        "requestState is not what this server gave for this call; begin anew.");
    *round = atoi(content) == 1 ? 1 : 0;
    return true;
}

static void ask(struct mcp_call *call, const struct asking *asking, int round)
{
    BUF_AUTO message = { 0 };
    struct json_out out;

    rpc_begin(&out, &message, call->outlet->id);
    json_map(&out, "result");
    json_text(&out, "resultType", "input_required");
    json_map(&out, "inputRequests");
    for (const struct input_wanted *input = asking->rounds[round]; input->key; input++) {
        if (!(call->client.can & input->can))
            continue;
        json_map(&out, input->key);
        json_text(&out, "method", input->method);
        json_raw(&out, "params", input->params);
        json_map_end(&out);
    }
    json_map_end(&out);
    if (asking->sealed)
        json_text(&out, "requestState",
                  seal_close(&call->mcp->key, &call->arena, scope_of(call, asking->name), clock_now_ms(),
                             round ? "1" : "0"));
    json_map_end(&out);
    json_map_end(&out);
    outlet_answer(call->outlet, 200, NULL, &message);
    call_free(call);
}

/* Nothing is asked of a client that has not said that it can answer. */
static bool check_can(struct mcp_call *call, const struct asking *asking, int round)
{
    for (const struct input_wanted *input = asking->rounds[round]; input->key && !asking->as_it_can;
         input++) {
        if (call->client.can & input->can)
            continue;
        rpc_fail(&call->error, MCP_MISSING_CAPABILITY, 400, "This needs a capability of the client: %s.",
                 input->method);
        call->error.data = input->can == CAN_ELICIT   ? "{\"requiredCapabilities\":{\"elicitation\":{}}}"
                           : input->can == CAN_SAMPLE ? "{\"requiredCapabilities\":{\"sampling\":{}}}"
                                                      : "{\"requiredCapabilities\":{\"roots\":{}}}";
        return false;
    }
    return true;
}

bool fixture_has_input(struct mcp_call *call, const char *name)
{
    const struct asking *asking = find(name);
    const json_t *responses;
    int round;

    if (call->client.era != MCP_STATELESS) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "Results that ask are for 2026-07-28 and later.");
        call_fail(call);
        return false;
    }
    if (!read_responses(call, &responses) || !read_round(call, asking, &round)) {
        call_fail(call);
        return false;
    }
    if (responses && has_all(asking->rounds[round], responses)) {
        if (round == 1 || !asking->rounds[1][0].key)
            return true;
        round++;
    }
    if (check_can(call, asking, round))
        ask(call, asking, round);
    else
        call_fail(call);
    return false;
}

void fixture_input(struct mcp_call *call)
{
    const json_t *responses = json_object_get(call->message.params, "inputResponses");

    if (fixture_has_input(call, call->tool->name))
        fixture_answer_text(
            call, arena_format(&call->arena, "state-ok: %s", json_dump_text(&call->arena, responses)));
}
