/*
 * Projects' settings are read once for all questions of a batch, and only parsed where the word "answerers"
 * is in them at all.
 */
#include "core/questions/answer_rights.h"

#include "base/str.h"

#include <string.h>

unsigned answer_rights_roles(const struct question *question)
{
    enum role least;

    if (!question->required_role || !role_parse(question->required_role, &least))
        return ROLES_PEOPLE;
    return least == ROLE_OWNER ? ROLE_OWNER : least == ROLE_ADMIN ? ROLES_MANAGE : ROLES_PEOPLE;
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
        (*projects)[i] = (struct project_settings){ db_cell(&rows, i, 0), db_cell(&rows, i, 1) };
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
           err_set(err, ERR_FORBIDDEN, "Agents cannot answer questions for people.");
}

bool answer_rights_for(struct arena *arena, const struct caller *caller, const char *settings,
                       struct err *err)
{
    JSON_AUTO *answerers = NULL;

    if (caller->kind == CALLER_LOCAL)
        return true;
    if (!refuse_agents(caller, err) || !answerers_of(settings, &answerers, err))
        return false;
    if (!answerers || is_named(arena, answerers, caller))
        return true;
    return err_set(err, ERR_FORBIDDEN, "This project names those who may answer for it, and not you.");
}

bool answer_rights_check(struct arena *arena, const struct caller *caller, const struct question *question,
                         const struct project_settings *projects, size_t project_count, struct err *err)
{
    if (caller->kind == CALLER_LOCAL)
        return true;
    if (!refuse_agents(caller, err))
        return false;
    if (question->assigned_to && !str_equal(question->assigned_to, caller->id))
        return err_set(err, ERR_FORBIDDEN, "This question is assigned to somebody else.");
    if (!((unsigned)caller->role & answer_rights_roles(question)))
        return err_set(err, ERR_FORBIDDEN, "This question needs somebody with the role %s.",
                       question->required_role ? question->required_role : "member");
    for (size_t i = 0; i < project_count; i++)
        if (str_equal(projects[i].id, question->project_id))
            return answer_rights_for(arena, caller, projects[i].settings, err);
    return true;
}

bool answer_rights_consent(const struct caller *caller, const char *asked_by_id, struct err *err)
{
    bool as_token = caller->kind == CALLER_TOKEN || caller->kind == CALLER_LINK;

    if (!as_token || caller->role != ROLE_MEMBER || !str_equal(caller->id, asked_by_id))
        return true;
    err_set(err, ERR_FORBIDDEN, "This token asked for the approval and cannot give it itself.");
    return err_hint(err, "Answer with a login, or with a token that did not ask.");
}

bool answer_rights_check_one(const struct tx *tx, const struct question *question)
{
    struct project_settings *projects;
    size_t count;

    return answer_rights_projects(tx, question->workspace_id, &question, 1, &projects, &count) &&
           answer_rights_check(tx->arena, tx->caller, question, projects, count, tx->err);
}

static const char *folded_list(struct arena *arena, const json_t *answerers)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < json_array_size(answerers); i++) {
        const char *name = json_string_value(json_array_get(answerers, i));

        if (name)
            json_text(&out, NULL, str_fold(arena, name));
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
                  DB_ARGS(db_text(question->workspace_id), db_text(folded_list(tx->arena, answerers))),
                  &rows))
        return false;
    *ids = rows.cells;
    *count = rows.count;
    return true;
}
