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

static bool find(const struct tx *tx, const char *name, struct agent *agent, bool *found)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AGENT_NAMED,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(str_fold(tx->arena, name)),
                          db_text(str_fold_apart(tx->arena, name))),
                  &rows))
        return false;
    *found = rows.count > 0;
    return !*found || agent_from_row(&rows, 0, agent, tx->err);
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
    return event_changed(tx,
                         &(struct event){ .workspace_id = agent->workspace_id,
                                          .type = EVENT_AGENT_CHANGED,
                                          .subject = agent->id },
                         "agentId");
}

bool agent_create(const struct tx *tx, struct agent *agent)
{
    struct db_arg row[AGENT_INSERT_WIDTH];

    agent->id = uuid_new(tx->arena);
    agent->workspace_id = tx->caller->workspace_id;
    agent->created_by = tx->caller->name;
    agent->created_by_id = tx->caller->id;
    agent->created_ms = tx->now_ms;
    agent->name_fold = str_fold_beyond(tx->arena, agent->name);
    agent_put_insert(agent, row);
    return name_is_free(tx, agent) && tx_exec(tx, SQL_AGENT_INSERT, AGENT_INSERT_WIDTH, row, NULL) &&
           tell(tx, agent);
}

bool agent_get(const struct tx *tx, const char *id, struct agent *agent)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AGENT_GET, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no agent with that id.");
    return agent_from_row(&rows, 0, agent, tx->err);
}

bool agent_find(const struct tx *tx, const char *name, struct agent *agent)
{
    bool found;

    return find(tx, name, agent, &found) &&
           (found || err_set(tx->err, ERR_NOT_FOUND, "There is no agent named %.100s.", name));
}

bool agent_save(const struct tx *tx, struct agent *agent)
{
    struct db_arg row[AGENT_UPDATE_WIDTH];

    agent->updated_ms = tx->now_ms;
    agent_put_update(agent, row);
    return name_is_free(tx, agent) && tx_exec(tx, SQL_AGENT_SAVE, AGENT_UPDATE_WIDTH, row, NULL) &&
           tx_exec(tx, SQL_AGENT_FOLD,
                   DB_ARGS(db_text(agent->id), db_text(str_fold_beyond(tx->arena, agent->name))), NULL) &&
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
    *count = rows.count;
    return agent_from_rows(tx, &rows, rows.count, agents);
}
