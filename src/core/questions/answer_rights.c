/*
 * Projects' settings are read once for all questions of a batch, and only parsed where the word "answerers"
 * is in them at all.
 */
#include "core/questions/answer_rights.h"

#include "base/limits.h"
#include "base/str.h"

#include <string.h>

const char *const answer_bars[] = { "agent", "assigned",  "role",     "project",
                                    "token", "requester", "approved", NULL };
WORDS_FIT(answer_bars, BAR_END);

unsigned answer_rights_roles(const struct question *question)
{
    enum role least;

    if (!question->required_role || !role_parse(question->required_role, &least))
        return ROLES_PEOPLE;
    return roles_at_least(least) & ROLES_PEOPLE;
}

bool answer_rights_projects(const struct tx *tx, const char *workspace_id,
                            const struct question *const questions[], size_t count,
                            struct project_settings **projects, size_t *project_count)
{
    BUF_AUTO ids = { 0 };
    struct json_out out;
    struct db_rows rows;
    bool any = false;

    *project_count = 0;
    *projects = NULL;
    json_begin(&out, &ids);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!questions[i] || !questions[i]->project_id)
            continue;
        json_text(&out, NULL, questions[i]->project_id);
        any = true;
    }
    json_list_end(&out);
    if (!any)
        return true;
    if (!tx_query(tx, SQL_QUESTION_PROJECTS, DB_ARGS(db_text(ids.bytes), db_text(workspace_id)), &rows))
        return false;
    *projects = arena_array(tx->arena, struct project_settings, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        (*projects)[i] =
            (struct project_settings){ .id = db_cell(&rows, i, 0), .settings = db_cell(&rows, i, 1) };
    *project_count = rows.count;
    return true;
}

/* The list of those who may answer for a project; NULL when it does not restrict. The caller frees it. */
static bool answerers_of(const char *settings, json_t **answerers, struct err *err)
{
    JSON_AUTO *value = NULL;

    *answerers = NULL;
    if (!strstr(settings, "\"answerers\""))
        return true;
    if (!json_parse(settings, strlen(settings), &value, err))
        return false;
    json_t *list = json_object_get(value, "answerers");

    *answerers = json_is_array(list) ? json_incref(list) : NULL;
    return true;
}

static bool is_named(struct arena *arena, const json_t *answerers, const struct caller *caller)
{
    const char *key = str_fold(arena, caller->name);

    for (size_t i = 0; i < json_array_size(answerers); i++) {
        const char *name = json_string_value(json_array_get(answerers, i));

        if (name && (str_equal(name, caller->id) || str_equal(str_fold(arena, name), key)))
            return true;
    }
    return false;
}

static bool refuse_agents(const struct caller *caller, struct err *err)
{
    return caller_is_person(caller) ||
           err_set(err, ERR_FORBIDDEN, "%s", answer_rights_reason(NULL, BAR_AGENT, NULL));
}

/* Whether a project's settings leave it to this person to answer for it. */
static bool is_open_to(struct arena *arena, const struct caller *caller, const char *settings, bool *open,
                       struct err *err)
{
    JSON_AUTO *answerers = NULL;

    if (!answerers_of(settings, &answerers, err))
        return false;
    *open = !answerers || is_named(arena, answerers, caller);
    return true;
}

bool answer_rights_for(struct arena *arena, const struct caller *caller, const char *settings,
                       struct err *err)
{
    bool open;

    if (caller->kind == CALLER_LOCAL)
        return true;
    if (!refuse_agents(caller, err) || !is_open_to(arena, caller, settings, &open, err))
        return false;
    return open || err_set(err, ERR_FORBIDDEN, "%s", answer_rights_reason(arena, BAR_PROJECT, NULL));
}

const char *answer_rights_reason(struct arena *arena, enum answer_bar bar, const struct question *question)
{
    switch (bar) {
    case BAR_AGENT: return "Agents cannot answer questions for people.";
    case BAR_ASSIGNED:
        return arena_format(arena, "This question is assigned to %s.",
                            question->assignee ? question->assignee : "somebody else");
    case BAR_ROLE:
        return arena_format(arena, "This question needs somebody with the role %s.",
                            question->required_role ? question->required_role : "member");
    case BAR_PROJECT: return "This project names who may answer for it, and you are not among them.";
    case BAR_TOKEN: return "This token asked for the approval and cannot give it itself.";
    case BAR_REQUESTER:
        return "You asked for this yourself, so your approval does not count. Another person has to give it.";
    case BAR_APPROVED:
        return "You had approved this before, which counts once. Another person has to approve it.";
    case BAR_END: break;
    }
    return NULL;
}

/* What keeps somebody from answering at all. */
static bool find_bar(const struct tx *tx, const struct question *question, struct project_settings *projects,
                     size_t project_count, enum answer_bar *bar)
{
    const struct caller *caller = tx->caller;

    *bar = 0;
    if (caller->kind == CALLER_LOCAL)
        return true;
    if (!caller_is_person(caller))
        *bar = BAR_AGENT;
    else if (question->assigned_to && !str_equal(question->assigned_to, caller->id))
        *bar = BAR_ASSIGNED;
    else if (!((unsigned)caller->role & answer_rights_roles(question)))
        *bar = BAR_ROLE;
    for (size_t i = 0; i < project_count && !*bar; i++) {
        struct project_settings *project = &projects[i];

        if (!str_equal(project->id, question->project_id))
            continue;
        if (!project->judged &&
            !is_open_to(tx->arena, caller, project->settings, &project->open_to_caller, tx->err))
            return false;
        project->judged = true;
        if (!project->open_to_caller)
            *bar = BAR_PROJECT;
    }
    return true;
}

bool answer_rights_is_requester(const struct caller *caller, const struct question *question)
{
    return caller->kind != CALLER_LOCAL && question->requested_by &&
           str_equal(question->requested_by, caller->id);
}

bool answer_rights_has_approved(const json_t *approvals, const char *id)
{
    for (size_t i = 0; i < json_array_size(approvals); i++)
        if (str_equal(json_string_value(json_object_get(json_array_get(approvals, i), "id")), id))
            return true;
    return false;
}

static bool is_own_token(const struct caller *caller, const char *asked_by_id)
{
    bool as_token = caller->kind == CALLER_TOKEN || caller->kind == CALLER_LINK;

    return as_token && ((unsigned)caller->role & ROLES_PEOPLE & ~(unsigned)ROLES_MANAGE) &&
           str_equal(caller->id, asked_by_id);
}

/* What keeps a yes of somebody who may answer from counting. Whatever follows a no is no matter of this. */
static enum answer_bar find_consent_bar(const struct caller *caller, const struct question *question)
{
    bool counted = question_counts_approvals(question);
    struct err ignored = { 0 };
    JSON_AUTO *approvals = NULL;

    if (question_asks_consent(question) && is_own_token(caller, question->asked_by_id))
        return BAR_TOKEN;
    if (counted && (question_traits(question->type)->consents || question->required_approvals > 1) &&
        answer_rights_is_requester(caller, question))
        return BAR_REQUESTER;
    if (counted && question->required_approvals > 1 && strcmp(question->approvals, "[]") != 0 &&
        json_parse(question->approvals, strlen(question->approvals), &approvals, &ignored) &&
        answer_rights_has_approved(approvals, caller->id))
        return BAR_APPROVED;
    return 0;
}

bool answer_rights_judge(const struct tx *tx, const struct question *question,
                         struct project_settings *projects, size_t project_count,
                         struct answer_rights *rights)
{
    const struct caller *caller = tx->caller;
    enum answer_bar bar;

    if (!find_bar(tx, question, projects, project_count, &bar))
        return false;
    *rights = (struct answer_rights){ .bar = bar, .may_answer = !bar };
    if (!bar)
        rights->bar = find_consent_bar(caller, question);
    rights->yes_counts = !rights->bar;
    rights->may_assign = caller->kind != CALLER_LINK && caller_is_person(caller) &&
                         (rights->may_answer || ((unsigned)caller->role & ROLES_MANAGE));
    return true;
}

bool answer_rights_check(const struct tx *tx, const struct question *question,
                         struct project_settings *projects, size_t project_count)
{
    enum answer_bar bar;

    if (!find_bar(tx, question, projects, project_count, &bar))
        return false;
    return !bar || err_set(tx->err, ERR_FORBIDDEN, "%s", answer_rights_reason(tx->arena, bar, question));
}

bool answer_rights_consent(const struct caller *caller, const char *asked_by_id, struct err *err)
{
    if (!is_own_token(caller, asked_by_id))
        return true;
    err_set(err, ERR_FORBIDDEN, "%s", answer_rights_reason(NULL, BAR_TOKEN, NULL));
    return err_hint(err, "Answer with a login, or with a token that did not ask.");
}

bool answer_rights_check_one(const struct tx *tx, const struct question *question)
{
    struct project_settings *projects;
    size_t count;

    return answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &count) &&
           answer_rights_check(tx, question, projects, count);
}

/* Whom it can be given to */

static struct caller person_at(const struct tx *tx, const struct db_rows *rows, size_t row)
{
    struct caller person = { .kind = CALLER_USER,
                             .id = db_cell(rows, row, 0),
                             .name = db_cell(rows, row, 1),
                             .workspace_id = tx->caller->workspace_id };

    return role_parse(db_cell(rows, row, 2), &person.role) ? person : (struct caller){ 0 };
}

bool answer_rights_person(const struct tx *tx, const char *field, const char *name, struct caller *person)
{
    struct db_rows rows;

    if (tx->caller->kind == CALLER_LOCAL && str_equal(name, CALLER_LOCAL_ID)) {
        *person = *tx->caller;
        return true;
    }
    if (!tx_query(tx, SQL_QUESTION_PERSON,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(name),
                          db_text(str_fold(tx->arena, name)), db_text(ROLES_PEOPLE_WORDS),
                          db_text(str_fold_apart(tx->arena, name))),
                  &rows))
        return false;
    if (rows.count == 0)
        return err_field(tx->err, field, "%s names nobody who can answer in this workspace.", field);
    *person = person_at(tx, &rows, 0);
    return true;
}

/* What they could do if it were theirs. */
static bool judge_person(const struct tx *tx, const struct question *question, const struct caller *person,
                         struct project_settings *projects, size_t project_count,
                         struct answer_rights *rights)
{
    struct question theirs = *question;
    struct tx as_them = *tx;

    as_them.caller = person;
    theirs.assigned_to = NULL;
    if (project_count > 0)
        projects[0].judged = false;
    return answer_rights_judge(&as_them, &theirs, projects, project_count, rights);
}

static bool refuse_person(const struct tx *tx, const char *field, const struct question *question,
                          const struct caller *person, enum answer_bar bar)
{
    switch (bar) {
    case BAR_ROLE:
        return err_field(tx->err, field, "%.80s has the role %s here; this question needs %s.", person->name,
                         role_name(person->role), question->required_role);
    case BAR_PROJECT:
        return err_field(tx->err, field,
                         "The project names who may answer for it, and %.80s is not among them.",
                         person->name);
    case BAR_REQUESTER:
        return err_field(
            tx->err, field,
            "%.80s asked for this approval: their own yes would not count, and nobody else could give theirs.",
            person->name);
    case BAR_AGENT:
    case BAR_ASSIGNED:
    case BAR_TOKEN:
    case BAR_APPROVED:
    case BAR_END: break;
    }
    return err_field(tx->err, field, "%.80s may not answer this question.", person->name);
}

bool answer_rights_assignee(const struct tx *tx, const char *field, const struct question *question,
                            const struct caller *person)
{
    struct project_settings *projects;
    struct answer_rights rights;
    size_t count;

    if (question->required_approvals > 1)
        return err_field(
            tx->err, field,
            "It needs the approval of %lld different people, so it cannot be given to one alone.",
            (long long)question->required_approvals);
    if (!answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &count) ||
        !judge_person(tx, question, person, projects, count, &rights))
        return false;
    return !rights.bar || refuse_person(tx, field, question, person, rights.bar);
}

bool answer_rights_candidates(const struct tx *tx, const struct question *question, const char *name,
                              struct caller **people, size_t *count)
{
    const char *part = name ? str_fold(tx->arena, name) : "";
    struct project_settings *projects;
    size_t project_count, found = 0;
    struct db_rows rows;

    if (!answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &project_count) ||
        !tx_query(
            tx, SQL_QUESTION_CANDIDATES,
            DB_ARGS(db_text(question->workspace_id), db_int(LIMIT_CANDIDATES), db_text(ROLES_PEOPLE_WORDS)),
            &rows))
        return false;
    *people = arena_array(tx->arena, struct caller, rows.count);
    for (size_t i = 0; i < rows.count && question->required_approvals <= 1; i++) {
        struct caller person = person_at(tx, &rows, i);
        struct answer_rights rights;

        if (!strstr(str_fold(tx->arena, person.name), part))
            continue;
        if (!judge_person(tx, question, &person, projects, project_count, &rights))
            return false;
        if (!rights.bar)
            (*people)[found++] = person;
    }
    *count = found;
    return true;
}

static const char *folded_list(struct arena *arena, const json_t *answerers)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < json_array_size(answerers); i++) {
        const char *name = json_string_value(json_array_get(answerers, i));

        if (name) {
            json_text(&out, NULL, str_fold(arena, name));
            json_text(&out, NULL, str_fold_apart(arena, name));
        }
    }
    json_list_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

bool answer_rights_people(const struct tx *tx, const struct question *question, const char *const **ids,
                          size_t *count)
{
    struct project_settings *projects;
    size_t project_count;
    struct db_rows rows;

    *count = 0;
    *ids = NULL;
    if (!answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &project_count))
        return false;
    JSON_AUTO *answerers = NULL;

    if (project_count > 0 && !answerers_of(projects[0].settings, &answerers, tx->err))
        return false;
    if (!answerers)
        return true;
    if (!tx_query(tx, SQL_QUESTION_PEOPLE,
                  DB_ARGS(db_text(question->workspace_id), db_text(folded_list(tx->arena, answerers)),
                          db_text(ROLES_PEOPLE_WORDS)),
                  &rows))
        return false;
    *ids = rows.cells;
    *count = rows.count;
    return true;
}
