/*
 * Each kind is answered by what its own command does: a set as by `witan resolve`, a prompt as by `witan
 * prompt answer`, in the name of whoever answers, a turn by speaking or passing it.
 */
#include "cli/commands/answer_item.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/item_reply.h"
#include "cli/client/question_ref.h"
#include "cli/commands/resolve_set.h"
#include "cli/terminal.h"

#include <string.h>
#include <unistd.h>

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool answer_item_open(struct cli *cli, const struct item_ref *ref, struct err *err)
{
    const json_t *prompt = json_object_get(ref->whole.found, "prompt");
    const json_t *outcome = json_object_get(prompt ? prompt : ref->whole.found, "outcome");
    const char *by = text_of(outcome, "by");

    if (item_is_open(ref->kind, ref->whole.found))
        return true;
    return err_set(err, ERR_CONFLICT, "%s has been settled%s%.80s, %.40s; nothing was changed.",
                   question_ref_short(cli->arena, ref->of.id), by ? " by " : "",
                   by ? term_line(cli->arena, by) : "",
                   term_when(cli->arena, text_of(outcome, "at"), clock_now_ms()));
}

static const char *how(struct cli *cli, const struct item_ref *ref)
{
    return item_how(cli->arena, &ref->of, ref->kind, ref->whole.found);
}

/* What goes with answers to questions only. */
static bool check_options(struct cli *cli, const struct item_ref *ref, struct err *err)
{
    static const char *const only[] = { "approve", "reject", "note", "args" };

    for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
        if (cli_has(cli, only[i])) {
            err_field(err, only[i], "%s is %s, for which there is no --%s.",
                      question_ref_short(cli->arena, ref->of.id), ref->kind->noun, only[i]);
            return err_hint(err, "Answer it with: %s.", how(cli, ref));
        }
    return true;
}

static bool ask_line(const char *prompt, char *line, size_t size, struct err *err)
{
    return terminal_ask(prompt, line, size) || err_set(err, ERR_DECLINED, "Nothing was answered.");
}

static const char *whole_text(struct cli *cli, const struct item_ref *ref)
{
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    ref->kind->write(&term, ref->whole.found, clock_now_ms());
    return arena_copy(cli->arena, text.bytes ? text.bytes : "", text.len);
}

static bool is_answered(const json_t *set, const char *question)
{
    const json_t *response;
    size_t index;

    json_array_foreach(json_object_get(set, "responses"), index, response)
    {
        if (str_equal(text_of(response, "questionId"), question))
            return true;
    }
    return false;
}

/* One question of the set after the other, as QUESTION=ANSWER; an empty line leaves one without an answer. */
static bool ask_questions(struct cli *cli, const struct item_ref *ref, const char **answers, size_t *count,
                          struct err *err)
{
    const char *prompt = whole_text(cli, ref);
    const json_t *question;
    size_t index;

    *count = 0;
    json_array_foreach(json_object_get(ref->whole.found, "questions"), index, question)
    {
        const char *id = text_of(question, "id");
        char line[LIMIT_MESSAGE];

        if (!id || is_answered(ref->whole.found, id) || *count == LIMIT_QUESTIONS)
            continue;
        if (!ask_line(
                arena_format(cli->arena, "%s%s, or Enter for later> ", prompt, term_line(cli->arena, id)),
                line, sizeof(line), err))
            return false;
        prompt = "";
        if (!str_is_blank(line))
            answers[(*count)++] = arena_format(cli->arena, "%s=%s", id, line);
    }
    return *count > 0 || err_set(err, ERR_DECLINED, "Nothing was answered.");
}

static int answer_set(struct cli *cli, const struct item_ref *ref, const char *const words[], size_t count)
{
    struct set_wish wish = {
        .cli = cli,
        .project_id = json_string_value(json_object_get(ref->of.item, "projectId")),
        .id = ref->of.id,
        .answers = words,
        .count = count,
    };
    struct err err = { 0 };

    if (count == 0) {
        const char **answers = arena_array(cli->arena, const char *, LIMIT_QUESTIONS);

        if (!ask_questions(cli, ref, answers, &wish.count, &err))
            return cli_fail(cli, &err);
        wish.answers = answers;
    }
    return resolve_set(&wish, ref->whole.found);
}

static bool one_text(struct cli *cli, const struct item_ref *ref, const char *const words[], size_t count,
                     const char **text, struct err *err)
{
    bool turn = item_sort_of(ref->kind) == ITEM_TURN;
    char line[LIMIT_MESSAGE];

    if (count > 1) {
        err_set(err, ERR_INVALID, "It is not clear which of these words is the answer.");
        return err_hint(err, "An answer of several words needs quotes: %s.", how(cli, ref));
    }
    if (count == 1) {
        *text = words[0];
        return true;
    }
    if (!ask_line(
            arena_format(cli->arena, "%s%s> ", whole_text(cli, ref), turn ? "what you say, or pass" : ""),
            line, sizeof(line), err))
        return false;
    *text = str_trim(cli->arena, line);
    return **text || err_set(err, ERR_DECLINED, "Nothing was answered.");
}

static int answer_text(struct cli *cli, const struct item_ref *ref, const char *const words[], size_t count)
{
    struct subject subject = { .of = ref->of, .kind = ref->kind, .found = ref->whole.found };
    const char *text, *said;
    struct client_reply reply;
    struct err err = { 0 };

    if (!one_text(cli, ref, words, count, &text, &err) || !item_reply_check(cli->arena, &subject, text, &err))
        return cli_fail(cli, &err);
    if (!item_reply_send(cli, &subject, text, &reply, &said, &err)) {
        /* The server speaks of its own way to look. */
        if (err.code == ERR_CONFLICT && item_sort_of(ref->kind) == ITEM_TURN)
            err_hint(&err, "`witan inbox` shows under FOR whose turn it is.");
        return cli_fail(cli, &err);
    }
    if (cli->json)
        return invoke_print(cli, &reply, false);
    cli_note(cli, "Answered %s: %s", question_ref_short(cli->arena, ref->of.id), term_line(cli->arena, text));
    return CLI_OK;
}

int answer_item(struct cli *cli, const struct item_ref *ref, const char *const words[], size_t count)
{
    bool set = item_sort_of(ref->kind) == ITEM_SET;
    struct err err = { 0 };

    /* What was settled like this before is told apart by whoever settles sets. */
    if ((!(set && count > 0) && !answer_item_open(cli, ref, &err)) || !check_options(cli, ref, &err))
        return cli_fail(cli, &err);
    if (count == 0 && !terminal_can_ask(cli)) {
        err_set(&err, ERR_INVALID, "There is no answer: give one.");
        err_hint(&err, "For instance: %s.", how(cli, ref));
        return cli_fail(cli, &err);
    }
    return set ? answer_set(cli, ref, words, count) : answer_text(cli, ref, words, count);
}
