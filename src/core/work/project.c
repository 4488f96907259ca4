/*
 * Two locks on the project's row: one under which others may still add rows that refer to it, and a whole one
 * for those who are about to delete it. What belongs to a project is found by its id alone, since only
 * project_see gives one out.
 */
#include "core/work/project.h"

#include "base/uuid.h"
#include "core/identity/workspace.h"

const char *const project_coders[] = { "runner", "command", NULL };
WORDS_FIT(project_coders, CODER_END);

static bool unknown(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no such project.");
}

static bool from_row(const struct db_rows *rows, size_t row, struct project *project, struct err *err)
{
    const char *strange = NULL;

    *project = (struct project){
        .id = db_cell(rows, row, COL_PROJECT_ID),
        .workspace_id = db_cell(rows, row, COL_PROJECT_WORKSPACE_ID),
        .name = db_cell(rows, row, COL_PROJECT_NAME),
        .description = db_cell(rows, row, COL_PROJECT_DESCRIPTION),
        .settings = db_cell(rows, row, COL_PROJECT_SETTINGS),
        .created_ms = db_cell_int(rows, row, COL_PROJECT_CREATED_AT),
        .orchestrator = { .on = db_cell_int(rows, row, COL_PROJECT_ORCHESTRATOR_ON) != 0,
                          .parallel = db_cell_int(rows, row, COL_PROJECT_ORCHESTRATOR_PARALLEL),
                          .coder = db_cell_word(rows, row, COL_PROJECT_ORCHESTRATOR_CODER, project_coders,
                                                &strange) },
    };
    return db_words_known(strange, err) &&
           autonomy_load(db_cell(rows, row, COL_PROJECT_HIL_CONFIG), &project->autonomy, err);
}

bool project_see(const struct tx *tx, const char *id, struct project *project)
{
    struct db_rows rows;

    /* A token that is bound to a project does not learn which others there are. */
    if (!caller_sees_project(tx->caller, id))
        return unknown(tx->err);
    if (!tx_query(tx, SQL_PROJECT_GET, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    return rows.count > 0 ? from_row(&rows, 0, project, tx->err) : unknown(tx->err);
}

static bool lock(const struct tx *tx, enum sql_id how, const struct project *project)
{
    struct db_rows rows;

    if (!tx_query(tx, how, DB_ARGS(db_text(project->id)), &rows))
        return false;
    return rows.count > 0 || unknown(tx->err);
}

bool project_lock(const struct tx *tx, const struct project *project)
{
    return lock(tx, SQL_PROJECT_LOCK, project);
}

bool project_lock_whole(const struct tx *tx, const struct project *project)
{
    return lock(tx, SQL_PROJECT_LOCK_WHOLE, project);
}

bool project_create(const struct tx *tx, struct project *project)
{
    project->id = uuid_new(tx->arena);
    project->workspace_id = tx->caller->workspace_id;
    project->created_ms = tx->now_ms;
    project->orchestrator = (struct orchestrator_switch){ .parallel = 1, .coder = CODER_RUNNER };
    return tx_exec(tx, SQL_PROJECT_INSERT,
                   DB_ARGS(db_text(project->id), db_text(project->workspace_id), db_text(project->name),
                           db_text(project->description),
                           db_text(autonomy_text(tx->arena, &project->autonomy)), db_text(project->settings),
                           db_int(tx->now_ms)),
                   NULL);
}

bool project_save(const struct tx *tx, const struct project *project)
{
    size_t changed;

    if (!tx_exec(tx, SQL_PROJECT_SAVE,
                 DB_ARGS(db_text(project->id), db_text(project->workspace_id), db_text(project->name),
                         db_text(project->description), db_text(autonomy_text(tx->arena, &project->autonomy)),
                         db_text(project->settings), db_int(project->orchestrator.on),
                         db_int(project->orchestrator.parallel),
                         db_text(project_coder_word(project->orchestrator.coder))),
                 &changed))
        return false;
    return changed > 0 || unknown(tx->err);
}

bool project_delete(const struct tx *tx, const struct project *project)
{
    return tx_exec(tx, SQL_PROJECT_DELETE, DB_ARGS(db_text(project->id), db_text(project->workspace_id)),
                   NULL);
}

bool project_list(const struct tx *tx, const char *cursor, size_t limit, struct project **projects,
                  size_t *count)
{
    struct db_rows rows;
    struct project *found;

    if (!tx_query(tx, SQL_PROJECT_LIST,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL),
                          db_int((int64_t)limit), db_text(tx->caller->project_id)),
                  &rows))
        return false;
    found = arena_array(tx->arena, struct project, rows.count);
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &found[row], tx->err))
            return false;
    *projects = found;
    *count = rows.count;
    return true;
}

static void write_orchestrator(const struct orchestrator_switch *orchestrator, struct json_out *out)
{
    json_map(out, "orchestrator");
    json_bool(out, "on", orchestrator->on);
    json_int(out, "parallel", orchestrator->parallel);
    json_text(out, "coder", project_coder_word(orchestrator->coder));
    json_map_end(out);
}

void project_write(struct arena *arena, const struct project *project, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", project->id);
    json_text(out, "name", project->name);
    json_text(out, "description", project->description);
    autonomy_write(&project->autonomy, "hilConfig", out);
    json_text(out, "autonomyLevel", autonomy_word(&project->autonomy));
    json_text(out, "autonomyDescription", autonomy_description(arena, &project->autonomy));
    json_raw(out, "settings", project->settings);
    write_orchestrator(&project->orchestrator, out);
    json_time(out, "createdAt", project->created_ms);
    json_map_end(out);
}
