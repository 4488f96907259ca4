/*
 * A table from each kind of reach to the statement that finds a thing's project. The question is only asked
 * for tokens that are bound to a project; for all others it costs nothing.
 */
#include "ops/reach.h"

/* What there is to know about each kind. */
static const struct {
    const char *name, *sentence;
    enum sql_id
        project_of;      /* finds a thing's project; not asked where there is no thing, or it is a project */
    const char *missing; /* what is said of a thing that is not there; NULL: paths name none */
    bool common;         /* what belongs to no project is everybody's */
} kinds[] = {
    [REACH_WORKSPACE] = { "workspace", "A token bound to a project may not.", 0, NULL, false },
    [REACH_PROJECT] = { "project", "A token bound to a project reaches that project only.", 0,
                        "There is no such project.", false },
    [REACH_JOB] = { "job", "A token bound to a project reaches that project's jobs only.", SQL_REACH_JOB,
                    "There is no job with that id.", false },
    [REACH_QUESTION] = { "question", "A token bound to a project reaches that project's questions only.",
                         SQL_REACH_QUESTION, "There is no question with that id.", false },
    [REACH_SQUAD] = { "squad",
                      "A token bound to a project reaches what is about its tasks, or about no project's.",
                      SQL_REACH_PROMPT, "There is no discussion prompt with that id.", true },
    [REACH_DISCUSSION] = { "discussion",
                           "A token bound to a project reaches that project's discussions only.",
                           SQL_REACH_DISCUSSION, "There is no discussion with that id.", false },
    [REACH_INBOX] = { "inbox",
                      "A token bound to a project reaches what is about that project, and mentions that are about none.",
                      SQL_REACH_NOTIFICATION, "There is no notification with that id.", true },
    [REACH_OWN] = { "own", "", 0, NULL, true },
};

const char *reach_name(enum reach reach)
{
    return kinds[reach].name;
}

const char *reach_sentence(enum reach reach)
{
    return kinds[reach].sentence;
}

bool reach_row(const struct op *op, const struct caller *caller, struct err *err)
{
    if (!caller->project_id || op->reaches != REACH_WORKSPACE)
        return true;
    err_set(err, ERR_FORBIDDEN, "This token is bound to a project and may not do this (%s).", op->name);
    return err_hint(err, "Use a token that is not bound to one (`witan token create` without --project).");
}

/* The path's first parameter: what the row reaches stands first in it. */
static const char *id_of(const struct call *call)
{
    size_t id = op_facts(call->op)->id;

    return id == NO_PARAM ? NULL : call->args[id].text;
}

static bool sees(const struct caller *caller, enum reach reach, const char *project_id)
{
    return kinds[reach].common ? caller_hears_project(caller, project_id)
                               : caller_sees_project(caller, project_id);
}

/* A thing that is not there at all is left to the handler, which says so in the same words. */
bool reach_thing(const struct call *call, struct err *err)
{
    enum reach reach = call->op->reaches;
    const char *id = call->caller.project_id && kinds[reach].missing ? id_of(call) : NULL;
    const char *project_id = id;
    struct db_rows rows;

    if (!id)
        return true;
    if (reach != REACH_PROJECT) {
        if (!db_query(call->tx.db, call->tx.arena, kinds[reach].project_of,
                      DB_ARGS(db_text(id), db_text(call->caller.workspace_id)), &rows, err))
            return false;
        if (rows.count == 0)
            return true;
        project_id = db_cell(&rows, 0, 0);
    }
    return sees(&call->caller, reach, project_id) || err_set(err, ERR_NOT_FOUND, "%s", kinds[reach].missing);
}
