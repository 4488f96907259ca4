#include "core/work/project.h"

#include "base/uuid.h"
#include "core/identity/workspace.h"

static bool unknown(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no such project.");
}

static bool from_row(const struct db_rows *rows, size_t row, struct project *project, struct err *err)
{
    *project = (struct project){
        .id = db_cell(rows, row, COL_PROJECT_ID),
        .workspace_id = db_cell(rows, row, COL_PROJECT_WORKSPACE_ID),
        .name = db_cell(rows, row, COL_PROJECT_NAME),
        .description = db_cell(rows, row, COL_PROJECT_DESCRIPTION),
        .settings = db_cell(rows, row, COL_PROJECT_SETTINGS),
        .created_ms = db_cell_int(rows, row, COL_PROJECT_CREATED_AT),
    };
    return hil_load(db_cell(rows, row, COL_PROJECT_HIL_CONFIG), &project->hil, err);
}

bool project_see(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                 struct project *project, struct err *err)
{
    struct db_rows rows;

    /* A token that is bound to a project does not learn which others there are. */
    if (!caller_sees_project(caller, id))
        return unknown(err);
    if (!db_query(db, arena, SQL_PROJECT_GET, DB_ARGS(db_text(id), db_text(caller->workspace_id)), &rows,
                  err))
        return false;
    return rows.count > 0 ? from_row(&rows, 0, project, err) : unknown(err);
}

static bool lock(struct db *db, struct arena *arena, enum sql_id how, const struct project *project,
                 struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, how, DB_ARGS(db_text(project->id)), &rows, err))
        return false;
    return rows.count > 0 || unknown(err);
}

bool project_lock(struct db *db, struct arena *arena, const struct project *project, struct err *err)
{
    return lock(db, arena, SQL_PROJECT_LOCK, project, err);
}

bool project_lock_whole(struct db *db, struct arena *arena, const struct project *project, struct err *err)
{
    return lock(db, arena, SQL_PROJECT_LOCK_WHOLE, project, err);
}

bool project_create(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
                    struct project *project, struct err *err)
{
    project->id = uuid_new(arena);
    project->workspace_id = caller->workspace_id;
    project->created_ms = now_ms;
    return db_exec(db, arena, SQL_PROJECT_INSERT,
                   DB_ARGS(db_text(project->id), db_text(project->workspace_id), db_text(project->name),
                           db_text(project->description), db_text(hil_text(arena, &project->hil)),
                           db_text(project->settings), db_int(now_ms)),
                   NULL, err);
}

bool project_save(struct db *db, struct arena *arena, const struct project *project, struct err *err)
{
    size_t changed;

    if (!db_exec(db, arena, SQL_PROJECT_SAVE,
                 DB_ARGS(db_text(project->id), db_text(project->workspace_id), db_text(project->name),
                         db_text(project->description), db_text(hil_text(arena, &project->hil)),
                         db_text(project->settings)),
                 &changed, err))
        return false;
    return changed > 0 || unknown(err);
}

bool project_delete(struct db *db, struct arena *arena, const struct project *project, struct err *err)
{
    return db_exec(db, arena, SQL_PROJECT_DELETE,
                   DB_ARGS(db_text(project->id), db_text(project->workspace_id)), NULL, err);
}

bool project_list(struct db *db, struct arena *arena, const struct caller *caller, const char *cursor,
                  size_t limit, struct project **projects, size_t *count, struct err *err)
{
    struct db_rows rows;
    struct project *found;

    if (!db_query(db, arena, SQL_PROJECT_LIST,
                  DB_ARGS(db_text(caller->workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL),
                          db_int((int64_t)limit), db_text(caller->project_id)),
                  &rows, err))
        return false;
    found = arena_array(arena, struct project, rows.count);
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &found[row], err))
            return false;
    *projects = found;
    *count = rows.count;
    return true;
}

void project_write(struct arena *arena, const struct project *project, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", project->id);
    json_text(out, "name", project->name);
    json_text(out, "description", project->description);
    hil_write(&project->hil, "hilConfig", out);
    json_text(out, "autonomyLevel", hil_word(&project->hil));
    json_text(out, "autonomyDescription", hil_description(arena, &project->hil));
    json_raw(out, "settings", project->settings);
    json_time(out, "createdAt", project->created_ms);
    json_map_end(out);
}
