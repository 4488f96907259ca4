/*
 * What an agent says and which model it has is joined in each time the seats are read, never copied into the
 * seat: a change holds from its next turn on.
 */
#include "core/council/participant.h"

#include "base/uuid.h"
#include "core/council/model_config.h"

#include <string.h>

enum { COL_LIVE_AGENT = 6, COL_LIVE_PROMPT, COL_LIVE_CONFIG }; /* behind the columns of the list */

static void from_row(const struct tx *tx, const struct db_rows *rows, size_t row, struct participant *p,
                     struct seat *seat)
{
    struct model_config config;

    *p = (struct participant){
        .id = db_cell(rows, row, COL_PARTICIPANT_ID),
        .agent_id = db_cell(rows, row, COL_PARTICIPANT_AGENT_ID),
        .user_id = db_cell(rows, row, COL_PARTICIPANT_USER_ID),
        .name = db_cell(rows, row, COL_PARTICIPANT_NAME),
        .role = db_cell(rows, row, COL_PARTICIPANT_ROLE),
        .sequence_order = (int)db_cell_int(rows, row, COL_PARTICIPANT_SEQUENCE_ORDER),
        .system_prompt = db_cell(rows, row, COL_LIVE_PROMPT),
        .model_config = db_cell(rows, row, COL_LIVE_CONFIG),
    };
    if (!p->name)
        p->name = p->role;
    model_config_read(tx->arena, p->model_config, &config);
    p->stops = config.stops;
    p->stop_count = config.stop_count;
    *seat = (struct seat){ .name = p->name,
                           .role = p->role,
                           .kind = role_is_person(p->role) ? SEAT_PERSON
                                   : config.external       ? SEAT_OUTSIDE
                                                           : SEAT_MODEL };
    seat->gone = seat->kind != SEAT_PERSON && !db_cell(rows, row, COL_LIVE_AGENT);
}

bool participant_list(const struct tx *tx, const char *discussion_id, struct seats *seats)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_PARTICIPANT_LIST, DB_ARGS(db_text(discussion_id)), &rows))
        return false;
    seats->count = rows.count;
    seats->list = arena_array(tx->arena, struct participant, rows.count);
    seats->seats = arena_array(tx->arena, struct seat, rows.count);
    for (size_t row = 0; row < rows.count; row++)
        from_row(tx, &rows, row, &seats->list[row], &seats->seats[row]);
    return true;
}

bool participant_insert(const struct tx *tx, const struct discussion *discussion, const struct participant *p)
{
    return tx_exec(tx, SQL_PARTICIPANT_INSERT,
                   DB_ARGS(db_text(uuid_new(tx->arena)), db_text(discussion->workspace_id),
                           db_text(discussion->id), db_text(discussion->project_id), db_text(p->agent_id),
                           db_text(p->user_id), db_text(p->name), db_text(p->role), db_int(p->sequence_order),
                           db_int(tx->now_ms)),
                   NULL);
}

struct seating participant_seating(const struct discussion *discussion, const struct seats *seats)
{
    return (struct seating){
        .mode = discussion->mode, .seats = seats->seats, .count = seats->count, .rounds = discussion->rounds
    };
}
