#include "cli/client/item_reply.h"

#include "base/str.h"
#include "cli/client/council_call.h"
#include "cli/client/question_view.h"

enum item_sort item_sort_of(const struct item_kind *kind)
{
    static const char *const types[] = { NULL, "open_questions", "prompt", "turn" };

    for (enum item_sort sort = ITEM_SET; sort <= ITEM_TURN; sort++)
        if (str_equal(kind->type, types[sort]))
            return sort;
    return ITEM_QUESTION;
}

static const json_t *question_in(const struct subject *subject)
{
    return json_object_get(subject->found, "question");
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool item_is_yes_or_no(const struct subject *subject)
{
    enum item_sort sort = item_sort_of(subject->kind);
    const char *type = text_of(question_in(subject), "responseType");

    return sort == ITEM_SET
               ? str_equal(text_of(subject->found, "kind"), "approval")
               : sort == ITEM_QUESTION && (str_equal(type, "approval") || str_equal(type, "boolean"));
}

bool item_reply_check(struct arena *arena, const struct subject *subject, const char *words, struct err *err)
{
    json_t *response = NULL;

    if (str_is_blank(words))
        return err_set(err, ERR_INVALID, "The answer is empty.");
    if (item_sort_of(subject->kind) != ITEM_QUESTION)
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

    if (item_is_yes_or_no(subject)) {
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

/* A turn of a certain person is taken in the name of whoever sits here, where no login says who that is. */
static json_t *turn_params(struct cli *cli, const struct subject *subject, const char *words, struct err *err)
{
    json_t *params = json_pack("{s:O}", "id", json_object_get(subject->of.item, "discussionId"));
    const char *speaker = NULL;

    if (json_is_string(json_object_get(subject->of.item, "assignedTo")) &&
        !council_speaker(cli, &speaker, err)) {
        json_decref(params);
        return NULL;
    }
    if (speaker)
        json_object_set_new(params, "userId", json_string(speaker));
    if (str_equal(words, ITEM_PASS))
        json_object_set_new(params, "pass", json_true());
    else
        json_object_set_new(params, "content", json_string(words));
    return params;
}

/* What is said about a yes that ends nothing yet: that it counts, or why it does not. */
static const char *needs_others(struct arena *arena, const json_t *approvals)
{
    const char *why = member_text(arena, approvals, "why");

    return why ? arena_format(arena, "Not counted: %s", term_line(arena, why))
               : "Noted; another person has to approve it too.";
}

bool item_reply_send(struct cli *cli, const struct subject *subject, const char *words,
                     struct client_reply *reply, const char **said, struct err *err)
{
    static const char *const ops[] = { "question_answer", "open_question_resolve", "prompt_respond",
                                       "turn_take" };
    enum item_sort sort = item_sort_of(subject->kind);
    JSON_AUTO *params = sort == ITEM_QUESTION ? question_params(cli->arena, subject, words, err)
                        : sort == ITEM_SET    ? set_params(subject, words)
                        : sort == ITEM_PROMPT ? prompt_params(cli, subject, words, err)
                                              : turn_params(cli, subject, words, err);
    JSON_AUTO *done = NULL;

    if (!params || !invoke_json(cli, op_find(ops[sort]), params, 0, reply, &done, err))
        return false;
    if (sort == ITEM_QUESTION && view_needs_others(json_object_get(done, "approvals")))
        *said = needs_others(cli->arena, json_object_get(done, "approvals"));
    else if (sort == ITEM_SET && str_equal(text_of(done, "status"), "open"))
        *said = "Noted; other questions of the set are still open.";
    else
        *said = "Sent.";
    return true;
}
