/*
 * The set is read before and after, because the server takes the same settlement twice: only by comparing can
 * it be told whether this command line is what holds now.
 */
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "cli/terminal.h"

#include <string.h>

/* The caller json_decrefs it. */
static bool find_set(struct cli *cli, const char *project_id, const char *set_id, json_t **set,
                     struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", project_id, "nid", set_id);
    struct client_reply reply;

    return invoke_json(cli, op_find("open_question_get"), params, 0, &reply, set, err);
}

static bool holds_set(struct cli *cli, const char *project_id, const char *set_id, struct err *err)
{
    JSON_AUTO *set = NULL;

    return find_set(cli, project_id, set_id, &set, err);
}

/* The member of a list that has this text under this key, or NULL. */
static const json_t *with_text(const json_t *list, const char *key, const char *text)
{
    const json_t *item;
    size_t index;

    json_array_foreach(list, index, item)
    {
        if (str_equal(json_string_value(json_object_get(item, key)), text))
            return item;
    }
    return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_open(const json_t *set)
{
    return str_equal(text_of(set, "status"), "open");
}

/* QUESTION=ANSWER; where there is one question only, its answer alone will do. */
static bool read_answer(struct cli *cli, const json_t *set, const char *word, json_t *responses,
                        struct err *err)
{
    const char *equals = strchr(word, '=');
    const char *id = equals ? arena_copy(cli->arena, word, (size_t)(equals - word)) : NULL;
    const json_t *questions = json_object_get(set, "questions");

    if (!str_is_utf8(word, strlen(word)))
        return err_field(err, "responses", "An answer is not UTF-8 text.");
    if (id && with_text(questions, "id", id)) {
        json_array_append_new(responses, json_pack("{s:s, s:s}", "questionId", id, "answer", equals + 1));
        return true;
    }
    if (json_array_size(questions) == 1 && cli->rest_count == 1) {
        id = text_of(json_array_get(questions, 0), "id");
        json_array_append_new(responses, json_pack("{s:s, s:s}", "questionId", id, "answer", word));
        return true;
    }
    if (id)
        err_field(err, "responses", "There is no question %s in this set.", id);
    else
        err_field(err, "responses", "\"%s\" does not say which question it answers: QUESTION=ANSWER.", word);
    return err_hint(err, "`witan open-questions` shows the questions with their ids.");
}

/* To end it with the answers it has, these are said again: the server takes the same answer twice. */
static bool add_stored(const json_t *set, json_t *responses, struct err *err)
{
    const json_t *stored;
    size_t index;

    json_array_foreach(json_object_get(set, "responses"), index, stored)
    {
        const char *id = text_of(stored, "questionId");

        if (!with_text(responses, "questionId", id))
            json_array_append_new(
                responses, json_pack("{s:s, s:s}", "questionId", id, "answer", text_of(stored, "answer")));
    }
    if (json_array_size(responses) > 0)
        return true;
    err_set(err, ERR_INVALID, "Nothing in this set has been answered yet.");
    return err_hint(err, "Give an answer, or --dismiss to close it without any.");
}

/* What to send: answers keep the set open for the rest of its questions, unless that was said not to be. */
static bool read_wish(struct cli *cli, const json_t *set, json_t *params, struct err *err)
{
    JSON_AUTO *responses = json_array();
    bool approve = cli_has(cli, "approve"), reject = cli_has(cli, "reject");
    bool rest_unanswered = cli_has(cli, "rest-unanswered");

    for (size_t i = 0; i < cli->rest_count; i++)
        if (!read_answer(cli, set, cli->rest[i], responses, err))
            return false;
    if (str_equal(text_of(set, "kind"), "approval") && !approve && !reject && !cli_has(cli, "dismiss")) {
        err_set(err, ERR_INVALID, "This waits for a yes or a no: words alone do not settle it.");
        return err_hint(err, "Add --approve or --reject; the words go along.");
    }
    if (rest_unanswered && !add_stored(set, responses, err))
        return false;
    if (json_array_size(responses) > 0)
        json_object_set(params, "responses", responses);
    if (approve || reject)
        json_object_set_new(params, "approved", json_boolean(approve));
    else if (!rest_unanswered && json_array_size(responses) > 0)
        json_object_set_new(params, "keepOpen", json_true());
    return true;
}

/* A dismissal throws the question away, so it has to be said; an empty command line is a slip. */
static bool check_wish(const struct cli *cli, struct err *err)
{
    bool approve = cli_has(cli, "approve"), reject = cli_has(cli, "reject");
    bool dismiss = cli_has(cli, "dismiss"), rest_unanswered = cli_has(cli, "rest-unanswered");

    if (approve + reject + dismiss + rest_unanswered > 1)
        return err_set(err, ERR_INVALID,
                       "--approve, --reject, --dismiss and --rest-unanswered exclude each other.");
    if (dismiss && cli->rest_count > 0)
        return err_set(err, ERR_INVALID, "--dismiss takes no answers.");
    if (approve || reject || dismiss || rest_unanswered || cli->rest_count > 0)
        return true;
    err_set(err, ERR_INVALID, "`witan resolve` needs answers, --approve, --reject or --dismiss.");
    return err_hint(err, "For instance: witan resolve ID q1=\"PostgreSQL\" q2=yes.");
}

static bool same_text(struct arena *arena, const char *one, const char *other)
{
    return one && other && strcmp(str_trim(arena, one), str_trim(arena, other)) == 0;
}

/* Whether what is stored is what this command line says; a set that was settled before may hold otherwise. */
static bool stands_as_wished(struct cli *cli, const json_t *set, const json_t *params)
{
    const char *source = text_of(json_object_get(set, "outcome"), "source");
    const json_t *approved = json_object_get(params, "approved"), *wish;
    size_t index;

    if (cli_has(cli, "dismiss"))
        return str_equal(source, "cancelled");
    json_array_foreach(json_object_get(params, "responses"), index, wish)
    {
        const json_t *stored =
            with_text(json_object_get(set, "responses"), "questionId", text_of(wish, "questionId"));

        if (!same_text(cli->arena, text_of(stored, "answer"), text_of(wish, "answer")))
            return false;
    }
    if (!approved)
        return true;
    return str_equal(source, "human") && json_equal(json_object_get(set, "approved"), approved);
}

/* Every question with the answer it has: what a person wants to see before and after. */
static const char *questions_text(struct cli *cli, const json_t *set)
{
    const char *text = "";
    const json_t *question;
    size_t index;

    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        const char *id = text_of(question, "id");
        const json_t *response = with_text(json_object_get(set, "responses"), "questionId", id);
        const char *by = text_of(response, "by");
        const char *who = by ? arena_format(cli->arena, " (%s)", term_line(cli->arena, by)) : "";

        text = arena_format(cli->arena, "%s  %s: %s\n    %s%s%s\n", text, term_line(cli->arena, id),
                            term_line(cli->arena, text_of(question, "text")),
                            response ? "answered: " : "no answer",
                            response ? term_line(cli->arena, text_of(response, "answer")) : "", who);
    }
    return text;
}

static void note_questions(struct cli *cli, const json_t *set)
{
    const char *text = questions_text(cli, set);

    if (*text)
        cli_note(cli, "%.*s", (int)strlen(text) - 1, text);
}

static void note_ending(struct cli *cli, const json_t *set)
{
    const json_t *outcome = json_object_get(set, "outcome");
    const json_t *approved = json_object_get(set, "approved");
    const char *by = term_line(cli->arena, text_of(outcome, "by"));

    if (is_open(set))
        cli_note(cli, "What is stored; the set is open:");
    else if (str_equal(text_of(outcome, "source"), "cancelled"))
        cli_note(cli, "What is stored; %s dismissed it:", by);
    else if (json_is_boolean(approved))
        cli_note(cli, "What is stored; %s by %s:", json_is_true(approved) ? "approved" : "not approved", by);
    else
        cli_note(cli, "What is stored; settled by %s:", by);
    note_questions(cli, set);
}

static int report_conflict(struct cli *cli, const json_t *set, const struct err *err)
{
    int code = cli_fail(cli, err);

    if (cli->json)
        (void)scope_print(cli, set);
    else
        note_ending(cli, set);
    return code;
}

static size_t unanswered(const json_t *set)
{
    const json_t *question;
    size_t index, count = 0;

    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        if (!with_text(json_object_get(set, "responses"), "questionId", text_of(question, "id")))
            count++;
    }
    return count;
}

static void report(struct cli *cli, const json_t *set, bool was_open)
{
    const char *id = term_line(cli->arena, text_of(set, "id"));

    if (!was_open)
        cli_note(cli, "It had been settled like this before; nothing was changed.");
    else if (is_open(set))
        cli_note(cli,
                 "Noted. The set stays open and its task waits for %zu more: answer with `witan resolve %s "
                 "QUESTION=ANSWER`, or leave the rest without an answer with `witan resolve %s "
                 "--rest-unanswered`.",
                 unanswered(set), id, id);
    else
        cli_note(cli, cli_has(cli, "dismiss") ? "Dismissed." : "Resolved.");
    note_questions(cli, set);
}

/* As for `witan answer`: at a terminal a yes or a no waits for Enter, below what it is about. */
static bool confirm(struct cli *cli, const json_t *set, struct err *err)
{
    bool approve = cli_has(cli, "approve");
    char line[16] = "";
    bool yes = false;

    if ((!approve && !cli_has(cli, "reject")) || !terminal_can_ask(cli))
        return true;
    if (terminal_ask(arena_format(cli->arena, "%sAnswer: %s. Enter goes on, n leaves it as it is: ",
                                  questions_text(cli, set), approve ? "approved" : "not approved"),
                     line, sizeof(line)) &&
        (!*line || (view_yes_no(line, &yes) && yes)))
        return true;
    return err_set(err, ERR_INVALID, "Nothing was answered.");
}

static int settle(struct cli *cli, const char *project, const json_t *before, json_t *params)
{
    JSON_AUTO *set = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_json(cli, cli->op, params, 0, &reply, &set, &err)) {
        struct err ignored = { 0 };

        if (err.code == ERR_CONFLICT && find_set(cli, project, cli_get(cli, "ID"), &set, &ignored))
            return report_conflict(cli, set, &err);
        return cli_fail(cli, &err);
    }
    if (!stands_as_wished(cli, set, params)) {
        err_set(&err, ERR_CONFLICT, "This had been settled otherwise before; nothing was changed.");
        return report_conflict(cli, set, &err);
    }
    if (cli->json)
        return invoke_print(cli, &reply, false);
    report(cli, set, is_open(before));
    return CLI_OK;
}

static int run_resolve(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *set = NULL;
    const char *id = cli_get(cli, "ID"), *project;
    struct err err = { 0 };

    if (!check_wish(cli, &err) || !scope_find(cli, "open questions", id, holds_set, &project, &err) ||
        !find_set(cli, project, id, &set, &err) || !read_wish(cli, set, params, &err) ||
        !confirm(cli, set, &err))
        return cli_fail(cli, &err);
    json_object_set_new(params, "id", json_string(project));
    json_object_set_new(params, "nid", json_string(id));
    return settle(cli, project, set, params);
}

const struct cli_command resolve_commands[] = {
    {
        .name = "resolve",
        .op = "open_question_resolve",
        .help = "Answer a set of open questions, or dismiss it. Answers to some of them are noted; the set stays "
                "open, and its task waits, until the rest is answered or --rest-unanswered is given. Exit code "
                "7: it was answered otherwise before, and nothing was changed.",
        .examples = "witan resolve ID q1=\"PostgreSQL\" q2=\"yes, 50 a page\"\n"
                    "witan resolve ID q1=\"PostgreSQL\"                    # q2 can be answered later\n"
                    "witan resolve ID q1=\"PostgreSQL\" --rest-unanswered  # q2 never will be\n"
                    "witan resolve ID \"PostgreSQL\"\n"
                    "witan resolve ID --approve\n"
                    "witan resolve ID --dismiss",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The set." },
                  { "ANSWER", .help = "QUESTION=ANSWER; with one question, the answer alone.",
                    .flags = CLI_MAY | CLI_MANY } },
        .options = {
            { "approve", .help = "Yes to what was to be approved." },
            { "reject", .help = "No." },
            { "dismiss", .help = "Close it without an answer; this counts as no." },
            { "rest-unanswered", .help = "Settle it now: questions without an answer stay without one." },
            { "yes", .help = "Do not ask on the terminal: approve or reject." },
            SCOPE_FOUND,
        },
        .run = run_resolve,
    },
    { 0 },
};
