/*
 * How a set of open questions is settled: by answers, by dismissal, or because its subject went away.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/questions/answer_rights.h"
#include "core/work/question_set.h"
#include "core/work/question_set_row.h"
#include "core/work/task.h"

#include <string.h>

static const char *response_text(const json_t *response, const char *key)
{
    return json_string_value(json_object_get(response, key));
}

static const char *question_text(const json_t *questions, const char *id)
{
    for (size_t i = 0; i < json_array_size(questions); i++) {
        const json_t *question = json_array_get(questions, i);

        if (str_equal(response_text(question, "id"), id))
            return response_text(question, "text");
    }
    return NULL;
}

/* Nothing is taken of a reply of which a part cannot be: the person would not know which. */
static bool check_responses(const json_t *questions, const json_t *responses, struct err *err)
{
    for (size_t i = 0; i < json_array_size(responses); i++) {
        const json_t *response = json_array_get(responses, i);
        const char *id = response_text(response, "questionId"), *answer = response_text(response, "answer");

        if (!id || !question_text(questions, id))
            return err_field(err, "questionId", "There is no question %.80s here.", id ? id : "");
        if (!answer || str_is_blank(answer))
            return err_field(err, "answer", "The answer to %.80s must not be empty.", id);
        for (size_t before = 0; before < i; before++)
            if (str_equal(response_text(json_array_get(responses, before), "questionId"), id))
                return err_field(err, "questionId", "The question %.80s is answered twice.", id);
        if (!chat_check_text("answer", answer, err))
            return false;
    }
    return true;
}

static const json_t *response_to(const json_t *responses, const char *id)
{
    for (size_t i = 0; i < json_array_size(responses); i++) {
        const json_t *response = json_array_get(responses, i);

        if (str_equal(response_text(response, "questionId"), id))
            return response;
    }
    return NULL;
}

/*
 * What a reply says that was not said before. An answer that was given while the set stayed open stands as it
 * was given: it is in the chat already.
 */
static bool leave_out_given(struct arena *arena, const struct question_set *set, const json_t *given,
                            const json_t *responses, json_t *fresh, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    for (size_t i = 0; i < json_array_size(responses); i++) {
        json_t *response = json_array_get(responses, i);
        const char *id = response_text(response, "questionId");
        const json_t *before = response_to(given, id);

        if (!before) {
            json_array_append(fresh, response);
        } else if (!str_equal(response_text(before, "answer"), response_text(response, "answer"))) {
            json_begin(&out, &text);
            json_raw(&out, "responses", set->responses);
            err_set(err, ERR_CONFLICT, "The question %.80s has been answered already.", id);
            err->detail = arena_copy(arena, text.bytes, text.len);
            return false;
        }
    }
    return true;
}

/* As they are stored. Who gave an answer is the outcome's to say, unless the set stays open. */
static char *responses_text(struct arena *arena, const json_t *given, const json_t *fresh,
                            const struct caller *giver, int64_t now_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < json_array_size(given); i++)
        json_value(&out, NULL, json_array_get(given, i));
    for (size_t i = 0; i < json_array_size(fresh); i++) {
        const json_t *response = json_array_get(fresh, i);

        json_map(&out, NULL);
        json_text(&out, "questionId", response_text(response, "questionId"));
        json_text(&out, "answer", response_text(response, "answer"));
        if (giver) {
            json_text(&out, "by", giver->name);
            json_time(&out, "at", now_ms);
        }
        json_map_end(&out);
    }
    json_list_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

/* Who gave them, by id, for each of them: stored beside them in the same order, and never shown. */
static const char *giver_ids(const struct tx *tx, const json_t *fresh)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    for (size_t i = 0; i < json_array_size(fresh); i++)
        buf_format(&text, " %s", tx->caller->id);
    return arena_copy(tx->arena, text.bytes, text.len);
}

static bool say_answer(const struct tx *tx, const struct question_set *set, const char *question,
                       const char *answer)
{
    size_t len = str_fitting(question, SET_QUESTION_BYTES);
    struct chat chat = {
        .workspace_id = set->workspace_id,
        .agent_name = tx->caller->name,
        .is_human = true,
        .message_type = MESSAGE_PLAIN,
        .task_ref = set->source_id,
        .project_id = set->project_id,
        .message = arena_format(tx->arena, "Question: %.*s\nAnswer: %s", (int)len, question, answer),
    };

    return chat_insert(tx, &chat) && chat_tell_mentions(tx, &chat);
}

/* What a reply comes to: the set's questions, what had been answered before, and what is answered now. */
struct set_answering {
    json_t *questions, *given, *fresh;
};

static bool is_answered(const struct set_answering *answering, const char *id)
{
    return response_to(answering->given, id) || response_to(answering->fresh, id);
}

static bool all_answered(const struct set_answering *answering)
{
    for (size_t i = 0; i < json_array_size(answering->questions); i++)
        if (!is_answered(answering, response_text(json_array_get(answering->questions, i), "id")))
            return false;
    return true;
}

/* Each answer is a message of its own, with its question above it; a bare yes or no answers the rest. */
static bool say_in_chat(const struct tx *tx, const struct question_set *set,
                        const struct set_answering *answering, const struct question_set_reply *reply)
{
    const json_t *questions = answering->questions;

    for (size_t i = 0; i < json_array_size(answering->fresh); i++) {
        const json_t *response = json_array_get(answering->fresh, i);

        if (!say_answer(tx, set, question_text(questions, response_text(response, "questionId")),
                        response_text(response, "answer")))
            return false;
    }
    for (size_t i = 0; reply->has_approved && i < json_array_size(questions); i++) {
        const json_t *question = json_array_get(questions, i);

        if (!is_answered(answering, response_text(question, "id")) &&
            !say_answer(tx, set, response_text(question, "text"),
                        reply->approved ? "Approved." : "Not approved."))
            return false;
    }
    return true;
}

struct settling {
    const char *responses; /* as stored; NULL: those that the set has */
    enum outcome_source source;
    bool has_approved, approved;
};

/* The row, its inbox row, and the word to everybody. */
static bool settle(const struct tx *tx, struct question_set *set, const struct settling *settling)
{
    set->status = SET_RESOLVED;
    if (settling->responses)
        set->responses = settling->responses;
    set->has_approved = settling->has_approved;
    set->approved = settling->approved;
    set->outcome_source = settling->source;
    set->outcome_by = tx->caller->name;
    set->resolved_ms = tx->now_ms;
    return tx_exec(tx, SQL_QUESTION_SET_RESOLVE,
                   DB_ARGS(db_text(set->id), db_text(set->project_id), db_text(set->responses),
                           set->has_approved ? db_bool(set->approved) : db_null(),
                           db_text(outcome_source_word(set->outcome_source)), db_text(set->outcome_by),
                           db_int(set->resolved_ms), db_text(tx->caller->id)),
                   NULL) &&
           tx_exec(tx, SQL_QUESTION_SET_INBOX_RESOLVE, DB_ARGS(db_text(set->id), db_int(set->resolved_ms)),
                   NULL) &&
           question_set_tell(tx, set, EVENT_NOTIFICATION_RESOLVED, NULL, NULL);
}

static struct settling dismissal(void)
{
    return (struct settling){
        .source = OUTCOME_CANCELLED,
        .has_approved = true,
    };
}

/* A bare no says of no question what should be done. */
static bool is_bare_no(const struct question_set *set)
{
    return set->has_approved && !set->approved && str_equal(set->responses, "[]");
}

/*
 * The task goes on when nothing about it is open any more. A dismissal is no go-ahead, nor is a no without a
 * word: where an orchestrator takes whatever is open, a task that nobody has would be begun again by it.
 */
static bool let_go(const struct tx *tx, const struct project *project, const struct question_set *set)
{
    const char *open, *stays = NULL;

    if (set->source != SOURCE_EXECUTE)
        return true;
    if (!question_set_newest_open(tx, project, set->source, set->source_id, &open))
        return false;
    if (project->orchestrator.on && set->outcome_source == OUTCOME_CANCELLED)
        stays = BLOCKED_BY_DISMISSAL;
    else if (project->orchestrator.on && is_bare_no(set))
        stays = BLOCKED_BY_NO;
    return open || task_unblock(tx, project, set->source_id, stays);
}

/* Some are answered and the set stays open: its inbox row too, and whatever waits for it goes on waiting. */
static bool note_answers(const struct tx *tx, const struct set_answering *answering, struct question_set *set)
{
    if (json_array_size(answering->fresh) == 0)
        return true;
    set->responses = responses_text(tx->arena, answering->given, answering->fresh, tx->caller, tx->now_ms);
    return tx_exec(tx, SQL_QUESTION_SET_ANSWER,
                   DB_ARGS(db_text(set->id), db_text(set->project_id), db_text(set->responses),
                           db_text(giver_ids(tx, answering->fresh))),
                   NULL) &&
           question_set_tell(tx, set, EVENT_NOTIFICATION_UPDATED, NULL, NULL);
}

static bool settle_answered(const struct tx *tx, const struct project *project,
                            const struct question_set_reply *reply, const struct set_answering *answering,
                            struct question_set *set)
{
    struct settling settling = dismissal();
    bool answered = json_array_size(reply->responses) > 0;

    if (answered || reply->has_approved) {
        settling.source = OUTCOME_HUMAN;
        settling.responses = responses_text(tx->arena, answering->given, answering->fresh, NULL, tx->now_ms);
        settling.has_approved = reply->has_approved;
        settling.approved = reply->approved;
    }
    return settle(tx, set, &settling) && let_go(tx, project, set);
}

/* `answering` has its lists when this returns, whatever it returns: the caller frees them. */
static bool read_reply(struct arena *arena, const struct question_set *set,
                       const struct question_set_reply *reply, struct set_answering *answering,
                       struct err *err)
{
    answering->fresh = json_array();
    if (!json_parse(set->questions, strlen(set->questions), &answering->questions, err) ||
        !json_parse(set->responses, strlen(set->responses), &answering->given, err) ||
        !check_responses(answering->questions, reply->responses, err))
        return false;
    if (reply->keep_open && json_array_size(reply->responses) == 0 && !reply->has_approved) {
        err_field(err, "keepOpen", "keepOpen needs answers: without any, this would dismiss the set.");
        return err_hint(err, "Give responses, or leave keepOpen out.");
    }
    return leave_out_given(arena, set, answering->given, reply->responses, answering->fresh, err);
}

static bool take_reply(const struct tx *tx, const struct project *project,
                       const struct question_set_reply *reply, struct question_set *set)
{
    struct set_answering answering = { 0 };
    bool good = read_reply(tx->arena, set, reply, &answering, tx->err);

    if (good && set->source == SOURCE_EXECUTE)
        good = say_in_chat(tx, set, &answering, reply);
    if (good && reply->keep_open && !reply->has_approved && !all_answered(&answering))
        good = note_answers(tx, &answering, set);
    else if (good)
        good = settle_answered(tx, project, reply, &answering, set);
    json_decref(answering.questions);
    json_decref(answering.given);
    json_decref(answering.fresh);
    return good;
}

bool question_set_resolve(const struct tx *tx, const struct project *project, const char *id,
                          const struct question_set_reply *reply, struct question_set *set)
{
    if (!answer_rights_for(tx->arena, tx->caller, project->settings, tx->err) || !project_lock(tx, project) ||
        !question_set_get(tx, project, id, set))
        return false;
    if (!question_set_is_open(set))
        return true;
    if (reply->has_approved && reply->approved &&
        !answer_rights_consent(tx->caller, set->asked_by_id, tx->err))
        return false;
    return take_reply(tx, project, reply, set);
}

static bool is_last_of_source(const struct question_set *sets, size_t count, size_t which)
{
    for (size_t i = which + 1; i < count; i++)
        if (strcmp(sets[i].source_id, sets[which].source_id) == 0 && sets[i].source == sets[which].source)
            return false;
    return true;
}

/* What a source waits for is asked once, when the last of its sets has been settled. */
bool question_set_clear(const struct tx *tx, const struct project *project, size_t *count)
{
    struct settling settling = dismissal();
    struct question_set *sets;

    if (!answer_rights_for(tx->arena, tx->caller, project->settings, tx->err) || !project_lock(tx, project) ||
        !question_set_list(tx, project, NULL, LIMIT_CLEAR, &sets, count))
        return false;
    for (size_t i = 0; i < *count; i++)
        if (!settle(tx, &sets[i], &settling) ||
            (is_last_of_source(sets, *count, i) && !let_go(tx, project, &sets[i])))
            return false;
    return true;
}

/* So many that are open, of a source or of the whole project. */
static bool list_open(const struct tx *tx, const struct project *project, enum work_source source,
                      const char *source_id, struct question_set **sets, size_t *count)
{
    if (!source)
        return question_set_list(tx, project, NULL, LIMIT_CLEAR, sets, count);
    return question_set_of_source(
        tx, project,
        &(struct question_set_filter){
            .source = source, .source_id = source_id, .status = SET_OPEN, .limit = LIMIT_CONTEXT_SETS },
        sets, count);
}

/* Until none is left: nobody could settle one whose subject is gone. */
bool question_set_drop(const struct tx *tx, const struct project *project, enum work_source source,
                       const char *source_id)
{
    struct settling settling = dismissal();
    struct question_set *sets;
    size_t count;

    if (!project_lock(tx, project))
        return false;
    do {
        if (!list_open(tx, project, source, source_id, &sets, &count))
            return false;
        for (size_t i = 0; i < count; i++)
            if (!settle(tx, &sets[i], &settling))
                return false;
    } while (count > 0);
    return true;
}
