#include "base/str.h"
#include "cli/client/item_ref.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_ref.h"
#include "cli/commands/resolve_set.h"
#include "cli/commands/tables.h"

/* A dismissal throws the question away, so it has to be said; an empty command line is a slip. */
static bool check_wish(const struct set_wish *wish, struct err *err)
{
    if (wish->approve + wish->reject + wish->dismiss + wish->rest_unanswered > 1)
        return err_set(err, ERR_INVALID,
                       "--approve, --reject, --dismiss and --rest-unanswered exclude each other.");
    if (wish->dismiss && wish->count > 0)
        return err_set(err, ERR_INVALID, "--dismiss takes no answers.");
    if (wish->approve || wish->reject || wish->dismiss || wish->rest_unanswered || wish->count > 0)
        return true;
    err_set(err, ERR_INVALID, "`witan resolve` needs answers, --approve, --reject or --dismiss.");
    return err_hint(err, "For instance: witan resolve ID q1=\"PostgreSQL\" q2=yes.");
}

static bool holds_set(struct cli *cli, const char *project_id, const char *set_id, struct err *err)
{
    JSON_AUTO *set = NULL;

    return set_read(cli, project_id, set_id, &set, err);
}

/* A number, a short id or an id, of a set in any project; what is something else says so. */
static bool find(struct set_wish *wish, json_t **set, struct err *err)
{
    struct cli *cli = wish->cli;

    if (!question_ref_id(cli, cli_get(cli, "ID"), &wish->id, err))
        return false;
    if (scope_find(cli, "open questions", wish->id, holds_set, &wish->project_id, err) &&
        set_read(cli, wish->project_id, wish->id, set, err))
        return true;
    return item_ref_other(cli, wish->id, "open_questions", err);
}

static int run_resolve(struct cli *cli)
{
    JSON_AUTO *set = NULL;
    struct set_wish wish = {
        .cli = cli,
        .answers = cli->rest,
        .count = cli->rest_count,
        .approve = cli_has(cli, "approve"),
        .reject = cli_has(cli, "reject"),
        .dismiss = cli_has(cli, "dismiss"),
        .rest_unanswered = cli_has(cli, "rest-unanswered"),
    };
    struct err err = { 0 };

    if (!check_wish(&wish, &err) || !find(&wish, &set, &err))
        return cli_fail(cli, &err);
    return resolve_set(&wish, set);
}

const struct cli_command resolve_commands[] = {
    {
        .name = "resolve",
        .op = "open_question_resolve",
        .help = "Answer a set of open questions, or dismiss it. "
                "Answers to some of them are noted; the set stays open, and its task waits, until the rest is answered or --rest-unanswered is given. "
                "Exit code 7: it was answered differently before, and nothing was changed.",
        .examples = "witan resolve 2 q1=\"PostgreSQL\" q2=\"yes, 50 a page\"\n"
                    "witan resolve ID q1=\"PostgreSQL\"                    # q2 can be answered later\n"
                    "witan resolve ID q1=\"PostgreSQL\" --rest-unanswered  # q2 never will be\n"
                    "witan resolve ID \"PostgreSQL\"\n"
                    "witan resolve ID --approve\n"
                    "witan resolve ID --dismiss",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The set: its id, whole or short, or its number in this terminal." },
                  { "ANSWER", .help = "QUESTION=ANSWER; with one question, the answer alone.",
                    .flags = CLI_MAY | CLI_MANY } },
        .options = {
            { "approve", .help = "Yes to what was to be approved." },
            { "reject", .help = "No." },
            { "dismiss", .help = "Close it without an answer; this counts as no. "
                                 "Where the project's orchestrator is on, its task stays blocked until `witan task open`: nothing is run again by it." },
            { "rest-unanswered", .help = "Settle it now: questions without an answer stay without one." },
            { "yes", .help = "Do not ask on the terminal: approve or reject." },
            SCOPE_FOUND,
        },
        .run = run_resolve,
    },
    { 0 },
};
