/*
 * The set is read before and after, because the server takes the same settlement twice: only by comparing can
 * it be told whether this command line is what holds now.
 */
#include "cli/commands/resolve_set.h"

#include "base/clock.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/term.h"
#include "cli/terminal.h"
#include "core/work/task.h"

#include <string.h>

bool set_read(struct cli *cli, const char *project_id, const char *set_id, json_t **set, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", project_id, "nid", set_id);
    struct client_reply reply;

    return invoke_json(cli, op_find("open_question_get"), params, 0, &reply, set, err);
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

static const json_t *answer_of(const json_t *set, const json_t *question)
{
    return with_text(json_object_get(set, "responses"), "questionId", text_of(question, "id"));
}

static size_t unanswered(const json_t *set)
{
    const json_t *question;
    size_t index, count = 0;

    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        count += !answer_of(set, question);
    }
    return count;
}

/* The only question, or the only one without an answer; NULL: there are several. */
static const char *only_question(const json_t *set)
{
    const json_t *questions = json_object_get(set, "questions"), *question;
    bool one = json_array_size(questions) == 1;
    size_t index;

    json_array_foreach(questions, index, question)
    {
        if (one || (unanswered(set) == 1 && !answer_of(set, question)))
            return text_of(question, "id");
    }
    return NULL;
}

static void add_response(json_t *responses, const char *question, const char *answer)
{
    json_array_append_new(responses, json_pack("{s:s, s:s}", "questionId", question, "answer", answer));
}

/* QUESTION=ANSWER; where there is one question only, its answer alone will do. */
static bool read_answer(const struct set_wish *wish, const json_t *set, const char *word, json_t *responses,
                        struct err *err)
{
    const char *equals = strchr(word, '='), *only = only_question(set);
    const char *id = equals ? arena_copy(wish->cli->arena, word, (size_t)(equals - word)) : NULL;

    if (!str_is_utf8(word, strlen(word)))
        return err_field(err, "responses", "An answer is not UTF-8 text.");
    if (id && with_text(json_object_get(set, "questions"), "id", id)) {
        add_response(responses, id, equals + 1);
        return true;
    }
    if (only && wish->count == 1) {
        add_response(responses, only, word);
        return true;
    }
    if (id)
        err_field(err, "responses", "There is no question %s in this set.", id);
    else
        err_field(err, "responses", "\"%s\" does not say which question it answers: QUESTION=ANSWER.", word);
    return err_hint(err, "`witan show %s` shows the questions with their ids.",
                    question_ref_short(wish->cli->arena, wish->id));
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
static bool read_wish(const struct set_wish *wish, const json_t *set, json_t *params, struct err *err)
{
    JSON_AUTO *responses = json_array();

    for (size_t i = 0; i < wish->count; i++)
        if (!read_answer(wish, set, wish->answers[i], responses, err))
            return false;
    if (str_equal(text_of(set, "kind"), "approval") && !wish->approve && !wish->reject && !wish->dismiss) {
        err_set(err, ERR_INVALID, "This needs a yes or a no: words alone do not settle it.");
        return err_hint(err, "Add --approve or --reject; the words go along.");
    }
    if (wish->rest_unanswered && !add_stored(set, responses, err))
        return false;
    if (json_array_size(responses) > 0)
        json_object_set(params, "responses", responses);
    if (wish->approve || wish->reject)
        json_object_set_new(params, "approved", json_boolean(wish->approve));
    else if (!wish->rest_unanswered && json_array_size(responses) > 0)
        json_object_set_new(params, "keepOpen", json_true());
    return true;
}

static bool same_text(struct arena *arena, const char *one, const char *other)
{
    return one && other && strcmp(str_trim(arena, one), str_trim(arena, other)) == 0;
}

/* Whether what is stored is what this command line says; a set that was settled before may hold otherwise. */
static bool stands_as_wished(const struct set_wish *wish, const json_t *set, const json_t *params)
{
    const char *source = text_of(json_object_get(set, "outcome"), "source");
    const json_t *approved = json_object_get(params, "approved"), *answer;
    size_t index;

    if (wish->dismiss)
        return str_equal(source, "cancelled") || (str_equal(text_of(set, "kind"), "approval") &&
                                                  json_is_false(json_object_get(set, "approved")));
    json_array_foreach(json_object_get(params, "responses"), index, answer)
    {
        const json_t *stored =
            with_text(json_object_get(set, "responses"), "questionId", text_of(answer, "questionId"));

        if (!same_text(wish->cli->arena, text_of(stored, "answer"), text_of(answer, "answer")))
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
        const json_t *response = answer_of(set, question);
        const char *by = text_of(response, "by");
        const char *who = by ? arena_format(cli->arena, " (%s)", term_line(cli->arena, by)) : "";

        const json_t *approved = json_object_get(set, "approved");
        const char *without = is_open(set) || !str_equal(text_of(set, "kind"), "approval") ? "no answer"
                              : json_is_true(approved)                                     ? "approved"
                                                                                           : "not approved";

        text = arena_format(cli->arena, "%s  %s: %s\n    %s%s%s\n", text, term_line(cli->arena, id),
                            term_shown(cli->arena, text_of(question, "text"), VISIBLE_PROSE),
                            response ? "answered: " : without,
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

/* What has become of the task that it is about, where that is not simply that it goes on; else "". */
static const char *task_text(const struct set_wish *wish, const json_t *set)
{
    struct arena *arena = wish->cli->arena;
    const json_t *task = json_object_get(set, "task");
    const char *status = text_of(task, "status"), *reason = text_of(task, "blockReason");

    if (str_equal(status, "closed"))
        return wish->dismiss ? " The task is closed, and stays so."
                             : " The task is closed, and stays so: the answer is kept with it.";
    if (!str_equal(status, "blocked"))
        return "";
    if (str_equal(reason, BLOCKED_BY_QUESTION))
        return " The task waits for other questions, too.";
    return arena_format(arena, " The task stays blocked: %s.\nOpen it with: %s task open %s",
                        reason ? term_shown(arena, reason, VISIBLE_PROSE) : "no reason was given",
                        program_name(), term_line(arena, text_of(task, "id")));
}

static void report(const struct set_wish *wish, const json_t *set)
{
    struct cli *cli = wish->cli;
    const char *id = question_ref_short(cli->arena, wish->id);

    if (is_open(set))
        cli_note(
            cli,
            "Noted. "
            "The set stays open and its task waits for %zu more: answer with `witan resolve %s QUESTION=ANSWER`, or leave the rest without an answer with `witan resolve %s --rest-unanswered`.",
            unanswered(set), id, id);
    else
        cli_note(cli, "%s%s", wish->dismiss ? "Dismissed." : "Resolved.", task_text(wish, set));
    note_questions(cli, set);
}

/* As for `witan answer`: at a terminal a yes or a no waits for Enter, below what it is about. */
static bool confirm(const struct set_wish *wish, const json_t *set, struct err *err)
{
    struct cli *cli = wish->cli;
    char line[16] = "";
    bool yes = false;

    if ((!wish->approve && !wish->reject) || !terminal_can_ask(cli))
        return true;
    if (terminal_ask(arena_format(cli->arena, "%sAnswer: %s. Enter goes on, n leaves it as it is: ",
                                  questions_text(cli, set), wish->approve ? "approved" : "not approved"),
                     line, sizeof(line)) &&
        (!*line || (view_yes_no(line, &yes) && yes)))
        return true;
    return err_set(err, ERR_DECLINED, "Nothing was answered.");
}

/* Who settled it, and when: the same again is no conflict, and nothing is sent. */
static int tell_settled(const struct set_wish *wish, const json_t *set, const json_t *params)
{
    struct cli *cli = wish->cli;
    const json_t *outcome = json_object_get(set, "outcome");
    const char *by = term_line(cli->arena, text_of(outcome, "by"));
    const char *when = term_when(cli->arena, text_of(set, "resolvedAt"), clock_now_ms());
    struct err err = { 0 };

    if (!stands_as_wished(wish, set, params)) {
        err_set(&err, ERR_CONFLICT, "This was settled differently by %.80s, %.40s; nothing was changed.", by,
                when);
        return report_conflict(cli, set, &err);
    }
    if (cli->json)
        return scope_print(cli, set);
    cli_note(cli, "It had been settled like this by %s, %s; nothing was changed.", by, when);
    note_questions(cli, set);
    return CLI_OK;
}

static int settle(const struct set_wish *wish, json_t *params)
{
    struct cli *cli = wish->cli;
    JSON_AUTO *set = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_json(cli, op_find("open_question_resolve"), params, 0, &reply, &set, &err)) {
        struct err ignored = { 0 };

        if (err.code == ERR_CONFLICT && set_read(cli, wish->project_id, wish->id, &set, &ignored))
            return report_conflict(cli, set, &err);
        return cli_fail(cli, &err);
    }
    if (!stands_as_wished(wish, set, params)) {
        err_set(&err, ERR_CONFLICT, "This had been settled differently before; nothing was changed.");
        return report_conflict(cli, set, &err);
    }
    if (cli->json)
        return invoke_print(cli, &reply, false);
    report(wish, set);
    return CLI_OK;
}

int resolve_set(const struct set_wish *wish, const json_t *set)
{
    JSON_AUTO *params = json_object();
    struct err err = { 0 };

    if (!read_wish(wish, set, params, &err))
        return cli_fail(wish->cli, &err);
    if (!is_open(set))
        return tell_settled(wish, set, params);
    if (!confirm(wish, set, &err))
        return cli_fail(wish->cli, &err);
    json_object_set_new(params, "id", json_string(wish->project_id));
    json_object_set_new(params, "nid", json_string(wish->id));
    return settle(wish, params);
}
