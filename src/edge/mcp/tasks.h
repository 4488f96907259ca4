/*
 * tasks.h - long waits as tasks: core and experimental in 2025-11-25, an extension in 2026-07-28.
 *
 * A task is a view of the row that is waited for: its id names the tool and that row, its state is read from
 * the row each time. So nothing is kept, a restart loses none, every node knows all of them, and who may read
 * a task is who may read the row. What cancels a task withdraws what the tool has made; a tool that only
 * waits made nothing, and its tasks end by themselves.
 */
#ifndef EDGE_MCP_TASKS_H
#define EDGE_MCP_TASKS_H

#include "edge/mcp/tools.h"

#define TASKS_EXTENSION "io.modelcontextprotocol/tasks"

#define TASK_PARTS 5 /* the tool's name, and values of its row's path */

/*
 * The text of an id out of its parts, and back: exactly `count` of them, none empty. All but the last are
 * without dots.
 */
const char *task_id_join(struct arena *arena, const char *const parts[], size_t count);
CHECKED bool task_id_split(struct arena *arena, const char *id, const char *parts[], size_t count);

/* Whether this client's version has tasks in it. */
bool tasks_are_core(const struct mcp_call *call);
/* Sets call->as_task. False and call->error: this tool makes none. */
CHECKED bool task_wanted(struct mcp_call *call);
/* Answers tools/call with a task, after a look at its row (call->request.op, with call->args). */
void task_made(struct mcp_call *call);
/* What a method of tasks needs the client to have said; ends the call when it has not. */
CHECKED bool tasks_are_known(struct mcp_call *call);

void tasks_get(struct mcp_call *call);
void tasks_result(struct mcp_call *call);
void tasks_list(struct mcp_call *call);
void tasks_cancel(struct mcp_call *call);
void tasks_update(struct mcp_call *call);

#endif
