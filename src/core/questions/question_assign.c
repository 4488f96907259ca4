/*
 * Giving an open question to one person, or back to all who may answer. Those who were told of it before are
 * told no more, and whoever it is for now is told as if it had just been asked.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/questions/answer_rights.h"
#include "core/questions/docket.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"
#include "core/questions/snooze.h"

static bool may_assign(const struct tx *tx, const struct question *question)
{
    struct project_settings *projects;
    struct answer_rights rights;
    size_t count;

    if (!answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &count) ||
        !answer_rights_judge(tx, question, projects, count, &rights))
        return false;
    if (rights.may_assign)
        return true;
    err_set(tx->err, ERR_FORBIDDEN, "%s", answer_rights_reason(tx->arena, rights.bar, question));
    return err_hint(tx->err, "Whoever may answer it may assign it; so may owners and admins.");
}

static void tell(struct docket *docket, const struct question *question, const char *note)
{
    const struct tx *tx = docket->tx;
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    json_text(&out, "by", tx->caller->name);
    json_text(&out, "assignedTo", question->assigned_to);
    json_text(&out, "assignee", question->assignee);
    json_text(&out, "note", note);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = question->workspace_id,
                                          .type = EVENT_QUESTION_ASSIGNED,
                                          .project_id = question->project_id,
                                          .job_id = question->job_id,
                                          .subject = question->id,
                                          .data = arena_copy(tx->arena, data.bytes, data.len) });
}

/* The line names two people: its data says by id who the other one is. */
static void log_assigned(struct docket *docket, const struct question *question, const char *note)
{
    struct arena *arena = docket->tx->arena;
    const char *by = docket->tx->caller->name, *what;
    BUF_AUTO data = { 0 };
    struct json_out out;

    if (!question->assigned_to)
        what = arena_format(arena, "%s gave the question back to all who may answer", by);
    else if (str_equal(question->assigned_to, docket->tx->caller->id))
        what = arena_format(arena, "%s took the question", by);
    else
        what = arena_format(arena, "%s assigned the question to %s", by,
                            question->assignee ? question->assignee : question->assigned_to);
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "assignedTo", question->assigned_to);
    json_map_end(&out);
    docket_log(docket, docket_job(docket, question->job_id), LINE_ASSIGNED, LINE_INFO,
               arena_format(arena, "%s%s%s", what, note ? ": " : ".", note ? note : ""),
               arena_copy(arena, data.bytes, data.len));
}

static bool give(const struct tx *tx, struct docket *docket, struct question *question,
                 const struct caller *to, const char *note)
{
    question->assigned_to = to ? to->id : NULL;
    question->assignee = to ? to->name : NULL;
    question->handover = handover_text(
        tx->arena,
        &(struct handover){ .id = tx->caller->id, .by = tx->caller->name, .at = docket->now, .note = note });
    docket_changed(docket, question);
    docket_settle(docket, question);
    log_assigned(docket, question, note);
    tell(docket, question, note);
    return snooze_end_all(tx, question->id) && question_notify(docket, question);
}

bool question_assign(const struct tx *tx, const char *id, const char *to, const char *note,
                     struct question *question)
{
    struct docket docket;
    struct question *found;
    struct caller person = { 0 };

    note = note ? str_sanitise(tx->arena, note) : NULL;
    if (!question_open_one(tx, &docket, id, &found) || !may_assign(tx, found) ||
        !question_must_be_open(tx->arena, found, tx->err))
        return false;
    if (to &&
        (!answer_rights_person(tx, "to", to, &person) || !answer_rights_assignee(tx, "to", found, &person)))
        return false;
    /* The same once more is no news to anybody. */
    if ((note || !str_equal(found->assigned_to, person.id)) &&
        !give(tx, &docket, found, to ? &person : NULL, note))
        return false;
    *question = *found;
    return docket_close(&docket);
}
