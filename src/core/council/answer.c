/*
 * The council speaks as a caller of its own who is nobody, so that no rule can take it for a person. What has
 * ended since it was asked is no error: the discussion ends all the same, and its result says that the reply
 * was not posted.
 */
#include "core/council/answer.h"

#include "core/caller/caller.h"
#include "core/chat/prompt.h"
#include "core/council/result.h"
#include "core/council/rules/conclusion.h"
#include "core/questions/question.h"

#include <string.h>

#define COUNCIL_NAME "Council"

static bool wrong_ref(const struct tx *tx, const char *what)
{
    return err_field(tx->err, "ref", "%s", what);
}

static bool prompt_may(const struct tx *tx, const char *id, const char **project_id)
{
    struct prompt prompt;

    if (!prompt_get(tx, id, &prompt)) {
        if (tx->err->code == ERR_NOT_FOUND)
            snprintf(tx->err->field, sizeof(tx->err->field), "ref");
        return false;
    }
    if (!prompt_is_open(&prompt))
        return err_set(tx->err, ERR_CONFLICT, "This discussion prompt has already ended: %s.",
                       prompt_status_word(prompt.status));
    *project_id = prompt.project_id;
    return true;
}

/*
 * Only a person may leave a question that was put to people to a council, and none that asks for somebody's
 * consent, names who must answer, needs several, or is what witan asks about a run.
 */
static bool question_may(const struct tx *tx, const char *id, const char **project_id)
{
    struct question question;

    if (!caller_is_person(tx->caller))
        return err_set(tx->err, ERR_FORBIDDEN, "Only a person may put a question to a council.");
    if (!question_get(tx, id, &question)) {
        if (tx->err->code == ERR_NOT_FOUND)
            snprintf(tx->err->field, sizeof(tx->err->field), "ref");
        return false;
    }
    if (!question_is_open(&question))
        return err_set(tx->err, ERR_CONFLICT, "This question has already ended: %s.",
                       question_status_word(question.status));
    if (question_needs_person(&question))
        return wrong_ref(tx, "Only people can answer this question: no council decides it.");
    *project_id = question.project_id;
    return true;
}

bool answer_may_be_put(const struct tx *tx, enum council_ref kind, const char *id, const char **project_id)
{
    struct db_rows rows;

    if (kind == REF_PROMPT ? !prompt_may(tx, id, project_id) : !question_may(tx, id, project_id))
        return false;
    if (!tx_query(tx, SQL_DISCUSSION_REF_HOLD, DB_ARGS(db_text(id)), &rows) ||
        !tx_query(tx, SQL_DISCUSSION_REF_OPEN, DB_ARGS(db_text(id), db_text(council_ref_word(kind))), &rows))
        return false;
    return rows.count == 0 ||
           err_set(tx->err, ERR_CONFLICT, "A council is already working on it: %s.", db_cell(&rows, 0, 0));
}

static json_t *vote_of(struct machine *m)
{
    const char *text = result_recall(m->tx, m->d, "vote");
    struct err ignored = { 0 };
    json_t *vote = NULL;

    return text && json_parse(text, strlen(text), &vote, &ignored) ? vote : NULL;
}

bool answer_summary(struct machine *m, const char **text)
{
    JSON_AUTO *vote = vote_of(m);
    struct conclusion of = { .round = discussion_last_round(m->d),
                             .end = m->d->ending != END_NONE ? m->d->ending : m->d->end_reason,
                             .vote = vote };

    if (!logged_all(m->tx, m->d->id, 0, &of.log.rows, &of.log.count))
        return false;
    *text = conclusion_text(m->tx->arena, &of);
    return true;
}

/* The council calls as the server itself, in the discussion's workspace. */
struct council_call {
    struct tx tx;
    struct caller caller;
    struct err err;
};

static void call_as_council(struct machine *m, struct council_call *as)
{
    *as = (struct council_call){ .tx = *m->tx };
    as->caller = (struct caller){
        .kind = CALLER_NOBODY, .id = "system", .name = COUNCIL_NAME, .workspace_id = m->d->workspace_id
    };
    as->tx.caller = &as->caller;
    as->tx.err = &as->err;
}

/* A thing that is gone, or whose time is up, takes no reply; anything else went wrong. */
static bool is_gone(struct machine *m, const struct council_call *as)
{
    if (as->err.code == ERR_NOT_FOUND || as->err.code == ERR_DUE)
        return true;
    *m->tx->err = as->err;
    return false;
}

static bool post_to_prompt(struct machine *m, const char *text, bool *posted)
{
    struct council_call as;
    struct prompt prompt;
    struct chat reply = { .workspace_id = m->d->workspace_id,
                          .agent_name = COUNCIL_NAME,
                          .message = arena_format(m->tx->arena, "[Council] %s", text),
                          .message_type = MESSAGE_RESPONSE,
                          .discussion_prompt_id = m->d->ref_id };

    call_as_council(m, &as);
    if (!prompt_get(&as.tx, m->d->ref_id, &prompt))
        return is_gone(m, &as);
    *posted = prompt_is_open(&prompt);
    reply.project_id = prompt.project_id;
    return !*posted || chat_insert(m->tx, &reply);
}

/* As the kind of answer that the question takes; a vote without a winner decides nothing. */
static json_t *response_for(struct machine *m, const struct question *question, const char *text)
{
    JSON_AUTO *vote = vote_of(m);
    const char *winner = json_string_value(json_object_get(vote, "winner"));

    if (question->response_type == RESPONSE_TEXT)
        return json_pack("{s:s, s:s}", "type", "text", "value", text);
    if (!winner)
        return NULL;
    if (question->response_type == RESPONSE_CHOICE)
        return json_pack("{s:s, s:s, s:s}", "type", "choice", "value", winner, "text", text);
    if (question->response_type == RESPONSE_BOOLEAN)
        return json_pack("{s:s, s:b, s:s}", "type", "boolean", "value",
                         strcasecmp(winner, "true") == 0 || strcasecmp(winner, "yes") == 0, "text", text);
    return NULL;
}

static bool post_to_question(struct machine *m, const char *text, bool *posted)
{
    struct council_call as;
    struct question question;

    call_as_council(m, &as);
    if (!question_get(&as.tx, m->d->ref_id, &question))
        return is_gone(m, &as);
    JSON_AUTO *response = question_is_open(&question) ? response_for(m, &question, text) : NULL;

    return !response || question_answer_by_agents(&as.tx, question.id, response, posted) || is_gone(m, &as);
}

bool answer_post(struct machine *m)
{
    const char *text;
    bool posted = false;

    if (!answer_summary(m, &text))
        return false;
    if (m->d->ref_kind == REF_PROMPT ? !post_to_prompt(m, text, &posted)
                                     : !post_to_question(m, text, &posted))
        return false;
    result_remember(m->tx, m->d, "answered",
                    arena_format(m->tx->arena, "{\"kind\":\"%s\",\"id\":\"%s\",\"posted\":%s}",
                                 council_ref_word(m->d->ref_kind), m->d->ref_id, posted ? "true" : "false"));
    return true;
}
