/*
 * mcp_hide.h - takes what a server was given out of what it says (secrets.h), but not out of what it must
 * hear again.
 *
 * The names of its tools, of their arguments and of what it asks people for, its ids, cursors and states are
 * sent back to it: with something else in its place such a one would mean nothing to it. All words beside
 * them are only read.
 */
#ifndef TOOLBOX_MCP_HIDE_H
#define TOOLBOX_MCP_HIDE_H

#include "base/json.h"

struct secret_forms;

/* Of a message, or of a list of them. `secrets` may be NULL: there are none. */
void mcp_hide(json_t *tree, const struct secret_forms *secrets);

#endif
