/*
 * A name is looked for before a row is written with it, since PostgreSQL runs nothing more in a transaction
 * after a statement that failed; the unique index is there for two who come at once. Deleting leaves the row,
 * for the log that names it, and frees the name.
 */
#include "core/council/agent.h"

#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/council/control.h"
#include "core/identity/workspace.h"
#include "core/log/event.h"

static void from_row(const struct db_rows *rows, size_t row, struct agent *agent)
{
    *agent = (struct agent){
        .id = db_cell(rows, row, COL_AGENT_ID),
        .workspace_id = db_cell(rows, row, COL_AGENT_WORKSPACE_ID),
        .name = db_cell(rows, row, COL_AGENT_NAME),
        .role = db_cell(rows, row, COL_AGENT_ROLE),
        .system_prompt = db_cell(rows, row, COL_AGENT_SYSTEM_PROMPT),
        .ai_model_config = db_cell(rows, row, COL_AGENT_AI_MODEL_CONFIG),
        .created_by = db_cell(rows, row, COL_AGENT_CREATED_BY),
        .created_ms = db_cell_int(rows, row, COL_AGENT_CREATED_AT),
        .updated_ms = db_cell_int(rows, row, COL_AGENT_UPDATED_AT),
    };
}

static bool find(const struct tx *tx, const char *name, struct agent *agent, bool *found)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AGENT_NAMED,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(str_fold(tx->arena, name))), &rows))
        return false;
    *found = rows.count > 0;
    if (*found)
        from_row(&rows, 0, agent);
    return true;
}

/* Asked before, since after a statement that failed PostgreSQL runs no other; the index is there for races.
 */
static bool name_is_free(const struct tx *tx, const struct agent *agent)
{
    struct agent other;
    bool found;

    if (!find(tx, agent->name, &other, &found))
        return false;
    if (!found || str_equal(other.id, agent->id))
        return true;
    err_set(tx->err, ERR_CONFLICT, "There is an agent of that name already: %s.", other.name);
    snprintf(tx->err->field, sizeof(tx->err->field), "name");
    return false;
}

static bool tell(const struct tx *tx, const struct agent *agent)
{
    return event_changed(
        tx,
        &(struct event){ .workspace_id = agent->workspace_id, .type = "agent.changed", .subject = agent->id },
        "agentId");
}

bool agent_create(const struct tx *tx, struct agent *agent)
{
    agent->id = uuid_new(tx->arena);
    agent->workspace_id = tx->caller->workspace_id;
    agent->created_by = tx->caller->name;
    agent->created_ms = tx->now_ms;
    return name_is_free(tx, agent) &&
           tx_exec(tx, SQL_AGENT_INSERT,
                   DB_ARGS(db_text(agent->id), db_text(agent->workspace_id), db_text(agent->name),
                           db_text(agent->role), db_text(agent->system_prompt),
                           db_text(agent->ai_model_config), db_text(agent->created_by),
                           db_int(agent->created_ms)),
                   NULL) &&
           tell(tx, agent);
}

bool agent_get(const struct tx *tx, const char *id, struct agent *agent)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AGENT_GET, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no agent with that id.");
    from_row(&rows, 0, agent);
    return true;
}

bool agent_find(const struct tx *tx, const char *name, struct agent *agent)
{
    bool found;

    return find(tx, name, agent, &found) &&
           (found || err_set(tx->err, ERR_NOT_FOUND, "There is no agent named %.100s.", name));
}

bool agent_save(const struct tx *tx, struct agent *agent)
{
    agent->updated_ms = tx->now_ms;
    return name_is_free(tx, agent) &&
           tx_exec(tx, SQL_AGENT_SAVE,
                   DB_ARGS(db_text(agent->id), db_text(agent->workspace_id), db_text(agent->name),
                           db_text(agent->role), db_text(agent->system_prompt),
                           db_text(agent->ai_model_config), db_int(agent->updated_ms)),
                   NULL) &&
           tell(tx, agent);
}

bool agent_delete(const struct tx *tx, const char *id)
{
    struct agent agent;

    return agent_get(tx, id, &agent) &&
           tx_exec(tx, SQL_AGENT_DELETE,
                   DB_ARGS(db_text(id), db_text(agent.workspace_id), db_int(tx->now_ms)), NULL) &&
           control_agent_gone(tx, agent.id) && tell(tx, &agent);
}

bool agent_list(const struct tx *tx, const char *cursor, size_t limit, struct agent **agents, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AGENT_LIST,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL),
                          db_int((int64_t)limit)),
                  &rows))
        return false;
    *agents = arena_array(tx->arena, struct agent, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        from_row(&rows, row, &(*agents)[row]);
    return true;
}

void agent_write(const struct agent *agent, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", agent->id);
    json_text(out, "workspace_id", agent->workspace_id);
    json_text(out, "name", agent->name);
    json_text(out, "role", agent->role);
    json_text(out, "system_prompt", agent->system_prompt);
    json_raw(out, "ai_model_config", agent->ai_model_config);
    json_text(out, "created_by", agent->created_by);
    json_time(out, "created_at", agent->created_ms);
    if (agent->updated_ms)
        json_time(out, "updated_at", agent->updated_ms);
    else
        json_none(out, "updated_at");
    json_map_end(out);
}
