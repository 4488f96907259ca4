/*
 * Two lists that are both sorted by id are merged into one page with one cursor. An id may be a set's, a
 * decision's or that of the notification somebody was shown, and they are tried in that order.
 */
#include "core/work/project_inbox.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/inbox/notification.h"
#include "core/questions/answer_rights.h"
#include "core/work/decision.h"
#include "core/work/task.h"

#include <stdlib.h>
#include <string.h>

static char *one_question(struct arena *arena, const struct decision *decision)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_list(&out, NULL);
    json_map(&out, NULL);
    json_text(&out, "id", decision->question_id);
    json_text(&out, "text", decision->description);
    json_time(&out, "createdAt", decision->created_ms);
    json_map_end(&out);
    json_list_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static char *one_response(struct arena *arena, const struct decision *decision)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_list(&out, NULL);
    if (decision->comment) {
        json_map(&out, NULL);
        json_text(&out, "questionId", decision->question_id);
        json_text(&out, "answer", decision->comment);
        json_map_end(&out);
    }
    json_list_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static struct question_set from_decision(struct arena *arena, const struct project *project,
                                         const struct decision *decision)
{
    bool pending = decision_is_pending(decision);

    return (struct question_set){
        .id = decision->question_id,
        .workspace_id = project->workspace_id,
        .project_id = project->id,
        .source_id = decision->id,
        .kind = SET_APPROVAL,
        .questions = one_question(arena, decision),
        .responses = one_response(arena, decision),
        .status = pending ? SET_OPEN : SET_RESOLVED,
        .agent = decision->agent,
        .has_approved = !pending,
        .approved = decision->status == DECISION_APPROVED,
        .outcome_source = decision->outcome_source,
        .outcome_by = decision->outcome_by,
        .created_ms = decision->created_ms,
        .resolved_ms = decision->ended_ms,
    };
}

static int is_task(const void *id, const void *task)
{
    return strcmp(id, ((const struct task *)task)->id);
}

/* What the sets of a page are about, looked up once for all of them. */
static bool load_tasks(const struct tx *tx, const struct project *project, struct question_set *sets,
                       size_t count)
{
    const char **ids = arena_array(tx->arena, const char *, count);
    size_t wanted = 0, found;
    struct task *tasks;

    for (size_t i = 0; i < count; i++)
        if (sets[i].source == SOURCE_EXECUTE)
            ids[wanted++] = sets[i].source_id;
    if (!task_labels(tx, project, ids, wanted, &tasks, &found))
        return false;
    for (size_t i = 0; i < count; i++)
        if (sets[i].source == SOURCE_EXECUTE)
            sets[i].task = bsearch(sets[i].source_id, tasks, found, sizeof(*tasks), is_task);
    return true;
}

bool project_inbox_list(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                        struct question_set **notices, size_t *count)
{
    const struct decision_filter open = { .pending = true, .cursor = cursor, .limit = limit };
    struct question_set *sets, *merged = arena_array(tx->arena, struct question_set, limit);
    struct decision *decisions;
    size_t set_count, decision_count, s = 0, d = 0, n = 0;

    if (!question_set_list(tx, project, cursor, limit, &sets, &set_count) ||
        !decision_list(tx, project, &open, &decisions, &decision_count))
        return false;
    while (n < limit && (s < set_count || d < decision_count)) {
        bool set_next = d == decision_count || (s < set_count && strcmp(sets[s].id, decisions[d].id) > 0);

        merged[n++] = set_next ? sets[s++] : from_decision(tx->arena, project, &decisions[d++]);
    }
    *notices = merged;
    *count = n;
    return load_tasks(tx, project, merged, n);
}

/* A caller who heard of it as a notification in an inbox has that one's id. */
static bool find_by_inbox(const struct tx *tx, const struct project *project, const char *id,
                          struct decision *decision)
{
    struct err first = *tx->err;
    enum notification_subject type;
    const char *about;

    if (!notification_ref(tx, project->workspace_id, id, &type, &about))
        return false;
    if (type != ABOUT_QUESTION)
        return false;
    *tx->err = (struct err){ 0 };
    if (decision_get(tx, project, about, decision))
        return true;
    if (tx->err->code == ERR_NOT_FOUND)
        *tx->err = first;
    return false;
}

/* A decision that policy settled was never anybody's to settle. */
static bool find_decision(const struct tx *tx, const struct project *project, const char *id,
                          struct decision *decision)
{
    if (!decision_get(tx, project, id, decision) &&
        (tx->err->code != ERR_NOT_FOUND || !find_by_inbox(tx, project, id, decision))) {
        if (tx->err->code == ERR_NOT_FOUND)
            err_set(tx->err, ERR_NOT_FOUND, "There is no notification with that id in this project.");
        return false;
    }
    return decision->question_id ||
           err_set(tx->err, ERR_NOT_FOUND, "There is no notification with that id in this project.");
}

bool project_inbox_get(const struct tx *tx, const struct project *project, const char *id,
                       struct question_set *notice)
{
    struct err missing = { 0 };
    struct tx looking = tx_with_err(tx, &missing);
    struct decision decision;

    if (question_set_get(&looking, project, id, notice))
        return load_tasks(tx, project, notice, 1);
    if (missing.code != ERR_NOT_FOUND) {
        *tx->err = missing;
        return false;
    }
    if (!find_decision(tx, project, id, &decision))
        return false;
    *notice = from_decision(tx->arena, project, &decision);
    return true;
}

static bool check_comment(const char *id, const json_t *responses, const char **comment, struct err *err)
{
    for (size_t i = 0; i < json_array_size(responses); i++) {
        const json_t *response = json_array_get(responses, i);
        const char *question = json_string_value(json_object_get(response, "questionId"));

        if (!str_equal(question, id))
            return err_field(err, "questionId", "There is no question %.80s here.", question ? question : "");
        *comment = json_string_value(json_object_get(response, "answer"));
    }
    return true;
}

bool project_inbox_resolve(const struct tx *tx, const struct project *project, const char *id,
                           const struct question_set_reply *reply, struct question_set *notice)
{
    const char *comment = NULL;
    struct decision decision;

    if (!project_inbox_get(tx, project, id, notice))
        return false;
    if (notice->kind != SET_APPROVAL)
        return question_set_resolve(tx, project, id, reply, notice) && load_tasks(tx, project, notice, 1);
    if (!answer_rights_for(tx->arena, tx->caller, project->settings, tx->err))
        return false;
    if (!question_set_is_open(notice))
        return true;
    if (reply->keep_open && !reply->has_approved) {
        err_field(tx->err, "approved", "This needs a yes or a no: words alone do not settle it.");
        return err_hint(tx->err, "Send approved: true or false with them.");
    }
    if (!check_comment(notice->id, reply->responses, &comment, tx->err) ||
        !decision_settle(tx, project, notice->source_id, reply->has_approved && reply->approved, comment,
                         &decision))
        return false;
    *notice = from_decision(tx->arena, project, &decision);
    return true;
}

bool project_inbox_clear(const struct tx *tx, const struct project *project, size_t *count)
{
    const struct decision_filter open = { .pending = true, .limit = LIMIT_CLEAR };
    struct decision *decisions, settled;
    size_t decision_count;

    if (!question_set_clear(tx, project, count) ||
        !decision_list(tx, project, &open, &decisions, &decision_count))
        return false;
    for (size_t i = 0; i < decision_count; i++)
        if (!decision_settle(tx, project, decisions[i].id, false, NULL, &settled))
            return false;
    *count += decision_count;
    return true;
}
