/*
 * The one list of commands, and the frame in which each is run: parsing, help, signals, the server's address.
 */
#include "cli/commands/commands.h"

#include "base/buf.h"
#include "cli/cli_config.h"
#include "cli/client/ask_wait.h"
#include "cli/client/patience.h"
#include "cli/client/project_scope.h"
#include "cli/client/target.h"
#include "cli/commands/tables.h"
#include "gen/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command *const tables[] = {
    serve_commands,
    ask_commands,
    login_commands,
    inbox_commands,
    show_commands,
    answer_commands,
    question_commands,
    job_commands,
    run_commands,
    prompt_commands,
    chat_commands,
    project_commands,
    orchestrate_commands,
    task_commands,
    result_commands,
    discuss_commands,
    repl_commands,
    agent_commands,
    tool_commands,
    resolve_commands,
    decide_commands,
    search_commands,
    who_commands,
    rehearse_commands,
    feedback_commands,
    analytics_commands,
    call_commands,
    user_commands,
    token_commands,
    workspace_commands,
    audit_commands,
    backup_commands,
    restore_commands,
    purge_commands,
    config_commands,
    model_commands,
    model_add_commands,
    migrate_commands,
    doctor_commands,
    docs_commands,
    mcp_commands,
    connect_commands,
    NULL,
};

const struct cli_command *const *commands_all(struct arena *arena)
{
    return cli_join(arena, tables, client_run_generic);
}

static int show_help(const struct cli *cli, int argc, char **argv)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    cli_help(cli, argc > 0 && argv[0][0] != '-' ? argv[0] : NULL, &text);
    buf_char(&text, '\0');
    const char *typed = cli_typed(cli, cli->arena, text.bytes);

    return cli_print(typed, strlen(typed));
}

/* Commands that only talk end at once; `serve` sets up its own way. */
static void interrupted(int number)
{
    (void)number;
    _exit(CLI_INTERRUPTED);
}

static void set_signals(void)
{
    struct sigaction on_interrupt = { .sa_handler = interrupted };
    struct sigaction ignore = { .sa_handler = SIG_IGN };

    sigaction(SIGINT, &on_interrupt, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* The server, and what was named by its name there. */
static bool find_places(struct cli *cli, struct err *err)
{
    return !(cli->command->uses & CLI_SERVER) ||
           (target_find(cli, err) && patience_begin(cli, err) && scope_resolve(cli, err));
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct err err = { 0 };

    if (!cli_parse(cli, argc, argv, &err))
        return cli_fail(cli, &err);
    if (cli->help)
        return show_help(cli, argc, argv);
    if (cli->command->uses & (CLI_SERVER | CLI_STORE | CLI_CONFIG))
        cli_config_variables(cli);
    if (!find_places(cli, &err))
        return ask_not_sent(cli, &err);
    return cli->command->run(cli);
}

static bool asks_for_version(int argc, char **argv)
{
    return argc == 1 && (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0 ||
                         strcmp(argv[0], "version") == 0);
}

/* Help about what is no command: `witan help all`, `witan help exit-codes`. False: it is one. */
static bool show_chapter(const struct cli *cli, int argc, char **argv, int *code)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (argc != 2 || strcmp(argv[0], "help") != 0)
        return false;
    if (strcmp(argv[1], CLI_HELP_ALL) == 0)
        cli_help(cli, CLI_HELP_ALL, &text);
    else if (strcmp(argv[1], "exit-codes") == 0)
        cli_exit_codes(cli, &text);
    else
        return false;
    buf_char(&text, '\0');
    const char *typed = cli_typed(cli, cli->arena, text.bytes);

    *code = cli_print(typed, strlen(typed));
    return true;
}

int commands_run(int argc, char **argv)
{
    ARENA_AUTO arena = { 0 };
    struct cli cli = { .arena = &arena, .commands = commands_all(&arena) };
    int code;

    set_signals();
    if (asks_for_version(argc, argv)) {
        puts("witan " WITAN_VERSION);
        return CLI_OK;
    }
    if (argc > 0 && strcmp(argv[0], "__complete") == 0)
        return commands_complete(&cli, argc - 1, argv + 1);
    if (show_chapter(&cli, argc, argv, &code))
        return code;
    if (argc > 0 && strcmp(argv[0], "help") == 0) {
        argc--;
        argv++;
        cli.help = true;
    }
    if (argc == 0 && !cli.help) {
        show_help(&cli, argc, argv);
        return CLI_USAGE;
    }
    return run(&cli, argc, argv);
}
