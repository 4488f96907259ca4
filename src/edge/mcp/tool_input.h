/*
 * tool_input.h - a question put to the person in front of a client of 2026-07-28, beside the inbox.
 *
 * There the server sends no requests of its own: the result of ask_question asks (resultType
 * "input_required"), and the client calls again with what the person said and the sealed requestState, which
 * names the question. Whether that comes to this process, to the next one or to another node is all the same:
 * the question is a row, and the key of the seal is shared. An answer that came from the inbox meanwhile
 * wins, and is the result of the second call.
 */
#ifndef EDGE_MCP_TOOL_INPUT_H
#define EDGE_MCP_TOOL_INPUT_H

#include "edge/mcp/tools.h"

/* Whether the client could be asked at all; once who calls is known. */
bool input_possible(const struct mcp_call *call);
/* Asks the client what call->request's reply, a question, asks, and ends the call. False: it cannot. */
CHECKED bool input_ask(struct mcp_call *call);

/* The call brings back a requestState. */
bool input_is_brought(const struct mcp_call *call);
/* Goes on with it, once who calls is known. */
void input_go_on(struct mcp_call *call);

#endif
