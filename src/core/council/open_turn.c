/*
 * A row, a notification and an event belong together: opening a turn that somebody outside owes makes all
 * three, and deleting it settles the notification. Turns of models have neither: nobody's inbox is for them.
 */
#include "core/council/open_turn.h"

#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/council/tell.h"
#include "core/inbox/notification.h"

enum {
    COL_WAITING_TOPIC = COL_TURN_USAGE_MISSING + 1,
    COL_WAITING_PROJECT,
    COL_WAITING_MODE
}; /* behind the columns of a turn */

int64_t open_turn_time_ms(void)
{
    return settings()->council_turn_deadline_ms;
}

static bool from_row(const struct db_rows *rows, size_t row, struct open_turn *turn, struct err *err)
{
    const char *strange = NULL;

    *turn = (struct open_turn){
        .id = db_cell(rows, row, COL_TURN_ID),
        .workspace_id = db_cell(rows, row, COL_TURN_WORKSPACE_ID),
        .discussion_id = db_cell(rows, row, COL_TURN_DISCUSSION_ID),
        .kind = db_cell_word(rows, row, COL_TURN_KIND, row_kinds, &strange),
        .round = (int)db_cell_int(rows, row, COL_TURN_ROUND_NUMBER),
        .turn_index = (int)db_cell_int(rows, row, COL_TURN_TURN_INDEX),
        .participant_id = db_cell(rows, row, COL_TURN_PARTICIPANT_ID),
        .agent_id = db_cell(rows, row, COL_TURN_AGENT_ID),
        .user_id = db_cell(rows, row, COL_TURN_USER_ID),
        .speaker = db_cell(rows, row, COL_TURN_SPEAKER),
        .role = db_cell(rows, row, COL_TURN_ROLE),
        .state = db_cell_word(rows, row, COL_TURN_STATE, turn_states, &strange),
        .attempt = (int)db_cell_int(rows, row, COL_TURN_ATTEMPT),
        .without_stops = db_cell_bool(rows, row, COL_TURN_WITHOUT_STOPS),
        .due_ms = db_cell_int(rows, row, COL_TURN_DUE_MS),
        .partial = db_cell(rows, row, COL_TURN_PARTIAL),
        .started_ms = db_cell_int(rows, row, COL_TURN_STARTED_AT),
        .created_ms = db_cell_int(rows, row, COL_TURN_CREATED_AT),
        .spent = { .calls = db_cell_int(rows, row, COL_TURN_CALLS),
                   .tokens_in = db_cell_int(rows, row, COL_TURN_TOKENS_IN),
                   .tokens_out = db_cell_int(rows, row, COL_TURN_TOKENS_OUT),
                   .missing = db_cell_int(rows, row, COL_TURN_USAGE_MISSING) },
    };
    return db_words_known(strange, err);
}

/* Another program may name people of its own; a turn of theirs is shown to the people at large. */
static bool reader_of(const struct tx *tx, const struct open_turn *turn, const char **user_id)
{
    struct db_rows rows;

    *user_id = NULL;
    if (!turn->user_id)
        return true;
    if (!tx_query(tx, SQL_MEMBER_ROLE, DB_ARGS(db_text(turn->workspace_id), db_text(turn->user_id)), &rows))
        return false;
    if (rows.count > 0)
        *user_id = turn->user_id;
    return true;
}

/* Those who owe a turn find it in their inbox: an agent by its name, a person by theirs, or the people at
 * large. */
static bool notify(const struct tx *tx, const struct discussion *d, const struct open_turn *turn,
                   const char *agent_key)
{
    struct notification notification = {
        .workspace_id = d->workspace_id,
        .project_id = d->project_id,
        .agent_key = agent_key,
        .kind = NOTIFICATION_TURN,
        .priority = PRIORITY_NORMAL,
        .title = "It is your turn in a discussion.",
        .body = arena_format(tx->arena, "Round %d of %d.", turn->round, d->rounds),
        .about = ABOUT_TURN,
        .ref_id = turn->id,
        .discussion_id = d->id,
    };

    return (agent_key || reader_of(tx, turn, &notification.user_id)) && notification_add(tx, &notification);
}

static void sit(const struct seats *seats, int seat, struct open_turn *turn)
{
    const struct participant *p = &seats->list[seat];

    turn->turn_index = seat;
    turn->participant_id = p->id;
    turn->agent_id = p->agent_id;
    turn->user_id = p->user_id;
    turn->speaker = p->name;
    turn->role = p->role;
    turn->state = seats->seats[seat].kind == SEAT_MODEL ? TURN_QUEUED : TURN_OUTSIDE;
}

bool open_turn_add(const struct tx *tx, const struct discussion *d, enum turn_kind kind,
                   const struct seats *seats, int seat, struct open_turn *turn)
{
    const char *agent_key = NULL;

    *turn = (struct open_turn){
        .id = uuid_new(tx->arena),
        .workspace_id = d->workspace_id,
        .discussion_id = d->id,
        .kind = kind,
        .round = d->round,
        .speaker = turn_kind_word(kind),
        .role = turn_kind_word(kind),
        .state = TURN_QUEUED,
        .attempt = 1,
        .created_ms = tx->now_ms,
    };
    if (seat >= 0)
        sit(seats, seat, turn);
    if (turn->state == TURN_OUTSIDE)
        turn->due_ms = tx->now_ms + open_turn_time_ms();
    if (turn->state == TURN_OUTSIDE && seats->seats[seat].kind == SEAT_OUTSIDE)
        agent_key = str_fold(tx->arena, turn->speaker);
    return tx_exec(tx, SQL_TURN_INSERT,
                   DB_ARGS(db_text(turn->id), db_text(turn->workspace_id), db_text(turn->discussion_id),
                           db_text(turn_kind_word(kind)), db_int(turn->round), db_int(turn->turn_index),
                           db_text(turn->participant_id), db_text(turn->agent_id), db_text(turn->user_id),
                           db_text(turn->speaker), db_text(turn->role), db_text(agent_key),
                           db_text(turn_state_word(turn->state)), db_ms(turn->due_ms),
                           db_int(turn->created_ms)),
                   NULL) &&
           (turn->state != TURN_OUTSIDE || (notify(tx, d, turn, agent_key) && tell_waiting(tx, d, turn)));
}

bool open_turn_list(const struct tx *tx, const char *discussion_id, struct open_turn **turns, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_LIST, DB_ARGS(db_text(discussion_id)), &rows))
        return false;
    *turns = arena_array(tx->arena, struct open_turn, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &(*turns)[row], tx->err))
            return false;
    return true;
}

bool open_turn_get(const struct tx *tx, const char *id, struct open_turn *turn)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_GET, DB_ARGS(db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "This turn is not open any more.");
    return from_row(&rows, 0, turn, tx->err);
}

bool open_turn_save(const struct tx *tx, const struct open_turn *turn)
{
    return tx_exec(tx, SQL_TURN_SAVE,
                   DB_ARGS(db_text(turn->id), db_text(turn_state_word(turn->state)), db_int(turn->attempt),
                           db_bool(turn->without_stops), db_text(turn->partial), db_ms(turn->started_ms),
                           db_int(turn->spent.calls), db_int(turn->spent.tokens_in),
                           db_int(turn->spent.tokens_out), db_int(turn->spent.missing)),
                   NULL);
}

bool open_turn_delete(const struct tx *tx, const struct open_turn *turn)
{
    struct event *events;
    size_t count;

    if (!tx_exec(tx, SQL_TURN_DELETE, DB_ARGS(db_text(turn->id)), NULL))
        return false;
    if (turn->state != TURN_OUTSIDE)
        return true;
    return notification_resolve(tx, ABOUT_TURN, &turn->id, 1, &events, &count) &&
           (count == 0 || event_append_many(tx, events, count));
}

void open_turn_count_cut_off(struct discussion *d, struct open_turn *turn)
{
    struct spent call = { .calls = 1, .missing = 1 };

    if (turn->state != TURN_CALLING)
        return;
    spent_add(&d->spent, &call);
    spent_add(&turn->spent, &call);
}

struct logged open_turn_logged(const struct open_turn *turn)
{
    return (struct logged){
        .kind = (enum row_kind)turn->kind,
        .manner = ENTRY_SAID,
        .agent_id = turn->agent_id,
        .user_id = turn->user_id,
        .speaker = turn->speaker,
        .role = turn->role,
        .content = "",
        .turn_index = turn->turn_index,
        .round = turn->round,
        .spent = turn->spent,
    };
}

bool open_turn_waiting(const struct tx *tx, const struct turn_filter *filter, struct waiting_turn **turns,
                       size_t *count)
{
    const char *agent = filter->agent ? str_fold(tx->arena, filter->agent) : NULL;
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_WAITING,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(agent),
                          db_text(filter->person ? tx->caller->id : NULL), db_text(tx->caller->project_id),
                          db_text(filter->cursor ? filter->cursor : ""), db_int((int64_t)filter->limit)),
                  &rows))
        return false;
    *turns = arena_array(tx->arena, struct waiting_turn, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++) {
        struct waiting_turn *waiting = &(*turns)[row];

        if (!from_row(&rows, row, &waiting->turn, tx->err))
            return false;
        waiting->topic = db_cell(&rows, row, COL_WAITING_TOPIC);
        waiting->project_id = db_cell(&rows, row, COL_WAITING_PROJECT);
        waiting->mode = db_cell_word(&rows, row, COL_WAITING_MODE, council_modes, &strange);
    }
    return db_words_known(strange, tx->err);
}

void waiting_turn_write(const struct waiting_turn *waiting, const char *key, struct json_out *out)
{
    const struct open_turn *turn = &waiting->turn;

    json_map(out, key);
    json_text(out, "id", turn->id);
    json_text(out, "discussionId", turn->discussion_id);
    json_text(out, "topic", waiting->topic);
    json_text(out, "projectId", waiting->project_id);
    json_text(out, "mode", council_mode_word(waiting->mode));
    json_text(out, "kind", turn_kind_word(turn->kind));
    json_text(out, "speaker", turn->speaker);
    json_text(out, "role", turn->role);
    json_text(out, "agentId", turn->agent_id);
    json_text(out, "userId", turn->user_id);
    json_int(out, "roundNumber", turn->round);
    json_int(out, "turnIndex", turn->turn_index);
    json_time(out, "createdAt", turn->created_ms);
    if (turn->due_ms)
        json_time(out, "dueAt", turn->due_ms);
    else
        json_none(out, "dueAt");
    json_map_end(out);
}
