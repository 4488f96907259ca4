/*
 * A question that a person has put to a council of agents. It is never the person's answer, and never
 * consent.
 */
#include "core/caller/caller.h"
#include "core/questions/docket.h"
#include "core/questions/question.h"
#include "core/questions/response.h"

#include <string.h>

bool question_needs_person(const struct question *question)
{
    return question_asks_consent(question) || question_is_of_witan(question) || question->action ||
           question->assigned_to || question->required_role || question->required_approvals > 1;
}

bool question_answer_by_agents(const struct tx *tx, const char *id, const json_t *given, bool *answered)
{
    struct question *question;
    struct response response;
    struct err ignored = { 0 };
    struct docket docket;

    *answered = false;
    if (!docket_of_questions(tx, &docket, tx->caller->workspace_id, &id, 1))
        return false;
    question = docket_question(&docket, id);
    if (question && question_is_open(question) && !question_needs_person(question) &&
        response_check_of(tx->arena, question, given, &response, &ignored)) {
        (void)docket_end(&docket, question,
                         &(struct ending){ .status = QUESTION_ANSWERED,
                                           .source = OUTCOME_AGENTS,
                                           .by = { tx->caller->name, tx->caller->id },
                                           .response = response.json,
                                           .response_text = response.summary });
        *answered = true;
    }
    return docket_close(&docket);
}
