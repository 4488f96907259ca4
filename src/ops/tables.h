/*
 * tables.h - one array of rows for each noun. Each ends with an empty row.
 *
 * A new noun adds its array here and in op.c, and everything else follows.
 */
#ifndef OPS_TABLES_H
#define OPS_TABLES_H

#include "ops/op.h"

extern const struct op job_ops[];
extern const struct op run_ops[];
extern const struct op question_ops[];
extern const struct op answer_ops[];
extern const struct op assign_ops[];
extern const struct op template_ops[];
extern const struct op prompt_ops[];
extern const struct op chat_ops[];
extern const struct op agent_ops[];
extern const struct op model_ops[];
extern const struct op tool_ops[];
extern const struct op discussion_ops[];
extern const struct op discussion_control_ops[];
extern const struct op ruling_ops[];
extern const struct op spent_ops[];
extern const struct op orchestrator_ops[];
extern const struct op turn_ops[];
extern const struct op vote_ops[];
extern const struct op wording_ops[];
extern const struct op project_ops[];
extern const struct op task_ops[];
extern const struct op document_ops[];
extern const struct op result_ops[];
extern const struct op question_set_ops[];
extern const struct op decision_ops[];
extern const struct op waiting_ops[];
extern const struct op search_ops[];
extern const struct op notification_ops[];
extern const struct op session_ops[];
extern const struct op setup_ops[];
extern const struct op user_ops[];
extern const struct op presence_ops[];
extern const struct op token_ops[];
extern const struct op workspace_ops[];
extern const struct op rehearsal_ops[];
extern const struct op audit_ops[];
extern const struct op analytics_ops[];

#endif
