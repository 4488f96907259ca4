/*
 * offer.h - which tools a run may call: its own, and those of the operator that are there for it.
 *
 * Its own tools are part of the loop: what they do is done inside the transaction of the step that called
 * them. An operator's tool that is gone, switched off, or kept for other projects or roles is not offered,
 * and a call of it is wrong; nor is one that works in the folder of a task to a run that has none.
 */
#ifndef CORE_RUNS_OFFER_H
#define CORE_RUNS_OFFER_H

#include "core/runs/run.h"
#include "llm/llm.h"
#include "toolbox/tool.h"

/* The run's own tools, in the order in which models are told them. */
#define RUN_TOOLS(TOOL) \
    TOOL(ASK_QUESTION, "ask_question") \
    TOOL(REPORT_PROGRESS, "report_progress") \
    TOOL(ASK_SQUAD, "ask_squad") \
    TOOL(START_DISCUSSION, "start_discussion") \
    TOOL(FINISH, "finish")

#define RUN_TOOL_VALUE(name, word) RUN_TOOL_##name,
enum run_tool { RUN_TOOL_NONE, RUN_TOOLS(RUN_TOOL_VALUE) RUN_TOOL_END };
WORDS_OF(run_tool, run_tools);

/* RUN_TOOL_NONE: the operator's, or nobody's. */
enum run_tool run_tool_named(const char *name);
/* The schema of its arguments, as JSON text. */
const char *run_tool_schema(enum run_tool tool);

/* Whether a tool is there for this project (its id or name) and this role of who asked. */
bool offer_allows(const struct tool *tool, const struct run *run, const char *project_name);
/* Whether it has a place to work at: one that works in the folder of a task has none in a run without one. */
bool offer_has_place(const struct tool *tool, const struct run *run);
/* The names of those of a run's tools that work in the folder of its task, with commas between them; NULL:
 * there are none. */
CHECKED bool offer_in_task_folder(const struct tx *tx, const struct run *run, const char **names);
/* Whether the run was made with this tool. */
bool offer_names(const struct run *run, const char *tool);
/* The name of the run's project as far as tools may know it by that, or NULL: anybody may call a project of
 * theirs like another, so a name that two have is nobody's. */
CHECKED bool offer_project(const struct tx *tx, const struct run *run, const char **name);
/* How many projects a tool may mean by an id or name, as offer_allows takes it: 0, 1, or 2 for any more. */
CHECKED bool offer_find_projects(const struct tx *tx, const char *name, size_t *count);
/* What a run is told that it may call: its own tools, and the first LIMIT_RUN_TOOLS of the operator's. */
CHECKED bool offer_all(const struct tx *tx, const struct run *run, const struct tool_list *tools,
                       const struct llm_tool **list, size_t *count);
/* Checks what somebody asks for and writes it as it is stored; NULL: all. */
CHECKED bool offer_take(const struct tx *tx, const struct run *run, const char *const *names,
                        const char **stored);

#endif
