/*
 * run_agent.h - the tool with which a model has another agent work: starts a run, or goes on waiting for one.
 *
 * A run can take days, since it asks people and waits for them, and a client gives up after a minute. So the
 * call waits as others do and then says, in words that a model acts on, that the run goes on and how to wait
 * for it again.
 */
#ifndef EDGE_MCP_RUN_AGENT_H
#define EDGE_MCP_RUN_AGENT_H

#include "edge/mcp/call.h"

#define RUN_AGENT_INPUT \
    "{\"type\":\"object\",\"properties\":{" \
    "\"agent\":{\"type\":\"string\",\"description\":\"Who is to work on it: analyst, dreamer, planner, coder, or one of list_agents, by " \
    "name.\"}," \
    "\"task\":{\"type\":\"string\",\"description\":\"What is to be done. The agent knows nothing else of it: say " \
    "all that it needs.\"}," \
    "\"budget\":{\"type\":\"object\",\"description\":\"What it may take at most; the server's settings say the " \
    "rest.\",\"properties\":{" \
    "\"steps\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How often the model may be asked.\"}," \
    "\"tokens\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many tokens it may use.\"}," \
    "\"seconds\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How long it may take; waiting for others " \
    "does not count.\"}," \
    "\"money\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"description\":\"What it may cost, in the currency " \
    "of the models' prices.\"}},\"additionalProperties\":false}," \
    "\"tools\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"Only these tools beside the " \
    "built-in ones; without it, all that it may use.\"}," \
    "\"projectId\":{\"type\":\"string\",\"description\":\"The project it belongs to.\"}," \
    "\"taskId\":{\"type\":\"string\",\"description\":\"A task of that project that it works on; what is said of " \
    "it there may be all that the agent needs.\"}," \
    "\"recover\":{\"type\":\"boolean\",\"description\":\"Whether people are asked what to do when a model or a " \
    "tool cannot be reached, instead of the run failing.\"}," \
    "\"jobId\":{\"type\":\"string\",\"description\":\"Instead of all of these: a run that was started before, to " \
    "wait for.\"}," \
    "\"wait_seconds\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":50,\"default\":50," \
    "\"description\":\"How long to wait at most; 0 looks and returns at once.\"}}," \
    "\"additionalProperties\":false}"

#define RUN_AGENT_OUTPUT \
    "{\"type\":\"object\",\"properties\":{" \
    "\"jobId\":{\"type\":\"string\",\"description\":\"The run.\"}," \
    "\"agent\":{\"type\":[\"string\",\"null\"],\"description\":\"Who works on it.\"}," \
    "\"status\":{\"type\":\"string\",\"description\":\"Where it stands: pending, running, waiting_for_input, " \
    "waiting_for_approval, completed, failed or cancelled.\"}," \
    "\"progress\":{\"description\":\"How far it is, where it has said so.\"}," \
    "\"result\":{\"description\":\"What came out.\"}," \
    "\"error\":{\"type\":[\"string\",\"null\"],\"description\":\"Why it failed or was cancelled.\"}," \
    "\"pending\":{\"type\":\"boolean\",\"description\":\"It has not ended: call again.\"}," \
    "\"poll_after_ms\":{\"type\":\"integer\",\"description\":\"While pending: when to look again.\"}," \
    "\"next\":{\"type\":\"string\",\"description\":\"While pending: how to go on.\"}}," \
    "\"required\":[\"jobId\",\"status\",\"pending\"]}"

/* For the row of the table in tools.c. */
json_t *run_agent_prepare(struct mcp_call *call, const json_t *given);
void run_agent_begin(struct mcp_call *call);
void run_agent_shape(struct mcp_call *call, bool pending, struct buf *into);

#endif
