/*
 * Words are what `witan answer` takes: approve, yes, the value of an option, or a text. A set of questions is
 * answered one at a time, the first that has no answer; a prompt in the name of whoever answers; a turn is
 * spoken or passed.
 */
#include "cli/screen/reply.h"

#include "base/str.h"
#include "cli/client/question_view.h"

#include <string.h>

#define PASS "pass"

enum sort { SORT_QUESTION, SORT_SET, SORT_PROMPT, SORT_TURN };

static enum sort sort_of(const struct subject *subject)
{
    static const char *const types[] = { NULL, "open_questions", "prompt", "turn" };

    for (enum sort sort = SORT_SET; sort <= SORT_TURN; sort++)
        if (str_equal(subject->kind->type, types[sort]))
            return sort;
    return SORT_QUESTION;
}

static const json_t *question_in(const struct subject *subject)
{
    return json_object_get(subject->found, "question");
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool is_yes_or_no(const struct subject *subject)
{
    enum sort sort = sort_of(subject);
    const char *type = text_of(question_in(subject), "responseType");

    return sort == SORT_SET
               ? str_equal(text_of(subject->found, "kind"), "approval")
               : sort == SORT_QUESTION && (str_equal(type, "approval") || str_equal(type, "boolean"));
}

static enum reply_need not_here(const char *instead, struct err *err)
{
    err_set(err, ERR_INVALID, "%s", instead);
    return REPLY_NOT;
}

static enum reply_need choose(struct arena *arena, const struct subject *subject, size_t number,
                              const char **words, struct err *err)
{
    const json_t *options = json_object_get(question_in(subject), "options");
    size_t count = json_array_size(options);

    if (count == 0)
        return not_here("There are no options here to choose by number.", err);
    if (number > count)
        return not_here(arena_format(arena, "There are %zu options.", count), err);
    *words = member_text(arena, json_array_get(options, number - 1), "value");
    return *words ? REPLY_READY : not_here("This option has no value.", err);
}

enum reply_need reply_to(struct arena *arena, const struct subject *subject, struct deed deed,
                         const char **words, struct err *err)
{
    bool approval =
        str_equal(text_of(question_in(subject), "responseType"), "approval") || sort_of(subject) == SORT_SET;

    if (deed.act == ACT_CHOOSE)
        return choose(arena, subject, deed.code, words, err);
    if (is_yes_or_no(subject)) {
        *words = deed.act == ACT_YES ? approval ? "approve" : "yes" : approval ? "reject" : "no";
        return REPLY_READY;
    }
    if (deed.act == ACT_NO && sort_of(subject) == SORT_TURN) {
        *words = PASS;
        return REPLY_READY;
    }
    if (deed.act == ACT_NO)
        return not_here("This is not answered by yes or no.", err);
    if (json_array_size(json_object_get(question_in(subject), "options")) > 0 &&
        !json_is_true(json_object_get(question_in(subject), "allowOther")))
        return not_here("Choose an option by its number.", err);
    return REPLY_TYPE;
}

bool reply_check(struct arena *arena, const struct subject *subject, const char *words, struct err *err)
{
    json_t *response = NULL;

    if (str_is_blank(words))
        return err_set(err, ERR_INVALID, "The answer is empty.");
    if (sort_of(subject) != SORT_QUESTION)
        return true;
    if (!view_response(arena, question_in(subject), words, &response, err))
        return false;
    json_decref(response);
    return true;
}

static json_t *question_params(struct arena *arena, const struct subject *subject, const char *words,
                               struct err *err)
{
    json_t *response = NULL;

    if (!view_response(arena, question_in(subject), words, &response, err))
        return NULL;
    return json_pack("{s:s, s:o}", "id", subject->of.id, "response", response);
}

/* The first question of a set that nobody has answered yet. */
static const char *open_question(const struct subject *subject)
{
    const json_t *question, *response;
    size_t index, at;

    json_array_foreach(json_object_get(subject->found, "questions"), index, question)
    {
        bool answered = false;

        json_array_foreach(json_object_get(subject->found, "responses"), at, response) answered |=
            str_equal(text_of(response, "questionId"), text_of(question, "id"));
        if (!answered)
            return text_of(question, "id");
    }
    return NULL;
}

static json_t *set_params(const struct subject *subject, const char *words)
{
    const char *question = open_question(subject);
    json_t *params =
        json_pack("{s:O, s:s}", "id", json_object_get(subject->of.item, "projectId"), "nid", subject->of.id);

    if (is_yes_or_no(subject)) {
        json_object_set_new(params, "approved", json_boolean(str_equal(words, "approve")));
        return params;
    }
    json_object_set_new(params, "responses",
                        json_pack("[{s:s, s:s}]", "questionId", question ? question : "", "answer", words));
    json_object_set_new(params, "keepOpen", json_true());
    return params;
}

/* People have the name that the server knows them by. */
static json_t *prompt_params(struct cli *cli, const struct subject *subject, const char *words,
                             struct err *err)
{
    JSON_AUTO *none = json_object();
    JSON_AUTO *me = NULL;
    struct client_reply reply;

    if (!invoke_json(cli, op_find("me_get"), none, 0, &reply, &me, err))
        return NULL;
    return json_pack("{s:s, s:O, s:s, s:b}", "id", subject->of.id, "agent_name",
                     json_object_get(json_object_get(me, "caller"), "name"), "message", words, "is_human", 1);
}

static json_t *turn_params(const struct subject *subject, const char *words)
{
    const json_t *discussion = json_object_get(subject->of.item, "discussionId");

    return str_equal(words, PASS) ? json_pack("{s:O, s:b}", "id", discussion, "pass", 1)
                                  : json_pack("{s:O, s:s}", "id", discussion, "content", words);
}

bool reply_send(struct cli *cli, const struct subject *subject, const char *words, const char **said,
                struct err *err)
{
    static const char *const ops[] = { "question_answer", "open_question_resolve", "prompt_respond",
                                       "turn_take" };
    enum sort sort = sort_of(subject);
    JSON_AUTO *params = sort == SORT_QUESTION ? question_params(cli->arena, subject, words, err)
                        : sort == SORT_SET    ? set_params(subject, words)
                        : sort == SORT_PROMPT ? prompt_params(cli, subject, words, err)
                                              : turn_params(subject, words);
    JSON_AUTO *done = NULL;
    struct client_reply reply;

    if (!params || !invoke_json(cli, op_find(ops[sort]), params, 0, &reply, &done, err))
        return false;
    if (sort == SORT_QUESTION && view_needs_others(json_object_get(done, "approvals")))
        *said = "Noted; it needs the yes of another person.";
    else if (sort == SORT_SET && str_equal(text_of(done, "status"), "open"))
        *said = "Noted; other questions of the set are still open.";
    else
        *said = "Sent.";
    return true;
}
