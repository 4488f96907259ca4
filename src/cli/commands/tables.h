/*
 * tables.h - the tables of commands, one for each file here. Each ends with an empty row.
 */
#ifndef CLI_COMMANDS_TABLES_H
#define CLI_COMMANDS_TABLES_H

#include "cli/cli.h"

/* Against a running server. */
extern const struct cli_command login_commands[];
extern const struct cli_command ask_commands[];
extern const struct cli_command inbox_commands[];
extern const struct cli_command show_commands[];
extern const struct cli_command answer_commands[];
extern const struct cli_command question_commands[];
extern const struct cli_command job_commands[];
extern const struct cli_command run_commands[];
extern const struct cli_command chat_commands[];
extern const struct cli_command prompt_commands[];
extern const struct cli_command project_commands[];
extern const struct cli_command task_commands[];
extern const struct cli_command orchestrate_commands[];
extern const struct cli_command result_commands[];
extern const struct cli_command resolve_commands[];
extern const struct cli_command decide_commands[];
extern const struct cli_command feedback_commands[];
extern const struct cli_command analytics_commands[];
extern const struct cli_command search_commands[];
extern const struct cli_command who_commands[];
extern const struct cli_command rehearse_commands[];
extern const struct cli_command agent_commands[];
extern const struct cli_command tool_commands[];
extern const struct cli_command discuss_commands[];
extern const struct cli_command repl_commands[];
extern const struct cli_command call_commands[];
extern const struct cli_command mcp_commands[];

/* On the store itself. */
extern const struct cli_command serve_commands[];
extern const struct cli_command user_commands[];
extern const struct cli_command token_commands[];
extern const struct cli_command workspace_commands[];
extern const struct cli_command audit_commands[];
extern const struct cli_command backup_commands[];
extern const struct cli_command restore_commands[];
extern const struct cli_command purge_commands[];
extern const struct cli_command migrate_commands[];
extern const struct cli_command doctor_commands[];

/* On neither. */
extern const struct cli_command config_commands[];
extern const struct cli_command model_commands[];
extern const struct cli_command model_add_commands[];
extern const struct cli_command docs_commands[];
extern const struct cli_command connect_commands[];

/* Runs a command that an operation brought along: sends its parameters, prints its reply. */
int client_run_generic(struct cli *cli);

#endif
