/*
 * elicit.h - a question put to the person in front of the client as well, while it stands in the inbox.
 *
 * For clients that can elicit and call with a person's own rights: agents answer no questions, so theirs are
 * not asked that way. Approvals are not either: who asks for one does not give it. The first answer wins.
 * Up to 2025-11-25 the form is a request of ours, which is taken back when the answer comes from elsewhere;
 * from 2026-07-28 on it is part of a result (tool_input.h) or of a task (tasks.h).
 */
#ifndef EDGE_MCP_ELICIT_H
#define EDGE_MCP_ELICIT_H

#include "edge/mcp/call.h"

#define ELICIT_KEY "answer" /* the request's among inputRequests, and the member of the form */

/* Whether a question, as it is asked or as it is shown, can be put to the person at the client. */
bool elicit_fits(const struct mcp_call *call, const json_t *question);
/* The params of elicitation/create for it. */
void elicit_write(const json_t *question, struct buf *into);
/* Sends it to a client up to 2025-11-25; `told` gets what the person did. Before the outlet is open. */
void elicit_ask(const struct mcp_call *call, void (*told)(struct outlet *outlet, const json_t *result));
/* The arguments of question_answer; NULL: the person gave no answer. */
json_t *elicit_answer(const json_t *result, const char *question_id, const char *response_type);

#endif
