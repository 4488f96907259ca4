/*
 * elicit.h - a question put to the person in front of the client as well, while it stands in the inbox.
 *
 * For clients up to 2025-11-25 that can elicit and call with a person's own rights: agents answer no
 * questions, so theirs are not asked that way. Approvals are not either: who asks for one does not give it.
 * The first answer wins; when it comes from elsewhere, the form is taken back.
 */
#ifndef EDGE_MCP_ELICIT_H
#define EDGE_MCP_ELICIT_H

#include "edge/mcp/call.h"

/* Whether the question that call->args ask can be put to the person at the client. */
bool elicit_fits(const struct mcp_call *call);
/* elicitation/create for it; `told` gets what the person did. Before the outlet is open. */
void elicit_ask(const struct mcp_call *call, void (*told)(struct outlet *outlet, const json_t *result));
/* The arguments of question_answer; NULL: the person gave no answer. */
json_t *elicit_answer(const json_t *result, const char *question_id, const char *response_type);

#endif
