/*
 * All state is one row, read whole and written whole under its lock, so that a crash between two writes
 * cannot leave a discussion that is half in one phase and half in another.
 */
#include "core/council/discussion.h"

#include "base/str.h"
#include "core/caller/caller.h"
#include "core/identity/workspace.h"

static bool from_row(const struct db_rows *rows, size_t row, struct discussion *d, struct err *err)
{
    const char *strange = NULL;

#define CELL(column)        db_cell(rows, row, COL_DISCUSSION_##column)
#define NUMBER(column)      db_cell_int(rows, row, COL_DISCUSSION_##column)
#define WORD(column, words) db_cell_word(rows, row, COL_DISCUSSION_##column, words, &strange)
    *d = (struct discussion){
        .id = CELL(DISCUSSION_ID),
        .workspace_id = CELL(WORKSPACE_ID),
        .project_id = CELL(PROJECT_ID),
        .task_id = CELL(TASK_ID),
        .topic = CELL(TOPIC),
        .mode = WORD(MODE, council_modes),
        .turn_index = (int)NUMBER(CURRENT_TURN_INDEX),
        .round = (int)NUMBER(CURRENT_ROUND),
        .rounds = (int)NUMBER(ROUNDS),
        .status = WORD(STATUS, council_statuses),
        .end_reason = WORD(END_REASON, council_ends),
        .ending = WORD(ENDING, council_ends),
        .outcome_source = CELL(OUTCOME_SOURCE),
        .outcome_by = CELL(OUTCOME_BY),
        .result = CELL(RESULT),
        .options = CELL(OPTIONS),
        .phase = WORD(PHASE, council_phases),
        .parent_id = CELL(PARENT_ID),
        .root_id = CELL(ROOT_ID) ? CELL(ROOT_ID) : CELL(DISCUSSION_ID),
        .depth = (int)NUMBER(DEPTH),
        .ref_kind = WORD(REF_KIND, council_refs),
        .ref_id = CELL(REF_ID),
        .forked_from = CELL(FORKED_FROM),
        .forked_at = NUMBER(FORKED_AT),
        .session_id = CELL(SESSION_ID),
        .spent = { .calls = NUMBER(CALLS),
                   .tokens_in = NUMBER(TOKENS_IN),
                   .tokens_out = NUMBER(TOKENS_OUT),
                   .missing = NUMBER(USAGE_MISSING) },
        .iterations = (int)NUMBER(ITERATIONS),
        .settled_round = (int)NUMBER(SETTLED_ROUND),
        .wants_drive = db_cell_bool(rows, row, COL_DISCUSSION_WANTS_DRIVE),
        .driver = CELL(DRIVER),
        .driver_epoch = NUMBER(DRIVER_EPOCH),
        .summary = CELL(SUMMARY),
        .summary_seq = NUMBER(SUMMARY_SEQ),
        .created_by_kind = CELL(CREATED_BY_KIND),
        .created_by_id = CELL(CREATED_BY_ID),
        .created_by_name = CELL(CREATED_BY_NAME),
        .created_ms = NUMBER(CREATED_AT),
        .updated_ms = NUMBER(UPDATED_AT),
        .ended_ms = NUMBER(ENDED_AT),
    };
#undef CELL
#undef NUMBER
#undef WORD
    return db_words_known(strange, err);
}

static bool not_found(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no discussion with that id.");
}

/* By the project's id only where it is plain which one is meant. */
bool discussion_get(const struct tx *tx, const char *id, struct discussion *discussion)
{
    struct discussion found;
    struct db_rows rows;

    if (!tx_query(tx, SQL_DISCUSSION_FIND, DB_ARGS(db_text(id), db_text(tx->caller->workspace_id)), &rows))
        return false;
    if (rows.count == 0)
        return not_found(tx->err);
    if (!from_row(&rows, 0, &found, tx->err))
        return false;
    if (!caller_sees_project(tx->caller, found.project_id))
        return not_found(tx->err);
    if (rows.count > 1 && !str_equal(found.id, id)) {
        err_set(tx->err, ERR_NOT_FOUND, "This project has several discussions.");
        return err_hint(tx->err, "Name one of them: GET /api/discussions?projectId=%.40s lists them.", id);
    }
    *discussion = found;
    return true;
}

bool discussion_lock_any(const struct tx *tx, const char *id, struct discussion *discussion)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DISCUSSION_LOCK, DB_ARGS(db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        return not_found(tx->err);
    return from_row(&rows, 0, discussion, tx->err);
}

bool discussion_lock(const struct tx *tx, const char *id, struct discussion *discussion)
{
    struct discussion found;

    return discussion_get(tx, id, &found) && discussion_lock_any(tx, found.id, discussion);
}

bool discussion_save(const struct tx *tx, struct discussion *d)
{
    d->updated_ms = tx->now_ms;
    return tx_exec(tx, SQL_DISCUSSION_SAVE,
                   DB_ARGS(db_text(d->id), db_int(d->turn_index), db_int(d->round),
                           db_text(council_status_word(d->status)), db_text(council_end_word(d->end_reason)),
                           db_text(d->outcome_source), db_text(d->outcome_by), db_text(d->result),
                           db_int(d->rounds), db_text(council_phase_word(d->phase)),
                           db_text(council_end_word(d->ending)), db_int(d->spent.calls),
                           db_int(d->spent.tokens_in), db_int(d->spent.tokens_out), db_int(d->spent.missing),
                           db_int(d->iterations), db_bool(d->wants_drive), db_text(d->driver),
                           db_text(d->summary), db_int(d->summary_seq), db_int(d->updated_ms),
                           db_ms(d->ended_ms), db_int(d->settled_round), db_text(d->outcome_by_id)),
                   NULL);
}

bool discussion_has_ended(const struct discussion *discussion)
{
    return discussion->status != STATUS_ACTIVE && discussion->status != STATUS_PAUSED;
}

int discussion_last_round(const struct discussion *d)
{
    int round = d->turn_index == 0 && d->round > 1 ? d->round - 1 : d->round;

    return round > d->rounds ? d->rounds : round;
}

bool discussion_is_busy(const struct discussion *discussion)
{
    return discussion->status == STATUS_ACTIVE && discussion->wants_drive;
}

void discussion_want(struct discussion *discussion)
{
    discussion->wants_drive = true;
    discussion->driver = NULL;
    discussion->phase = PHASE_OPENING;
}

void discussion_rest(struct discussion *discussion, enum council_phase phase)
{
    discussion->wants_drive = false;
    discussion->driver = NULL;
    discussion->phase = phase;
}

bool discussion_list(const struct tx *tx, const struct discussion_filter *filter, struct discussion **list,
                     size_t *count)
{
    const char *project_id = filter->project_id ? filter->project_id : tx->caller->project_id;
    struct db_rows rows;

    *list = NULL;
    *count = 0;
    if (!caller_sees_project(tx->caller, project_id))
        return true;
    if (!tx_query(tx, SQL_DISCUSSION_LIST,
                  DB_ARGS(db_text(tx->caller->workspace_id),
                          db_text(filter->cursor ? filter->cursor : ID_ABOVE_ALL),
                          db_text(council_mode_word(filter->mode)),
                          db_text(council_status_word(filter->status)), db_text(project_id),
                          db_text(filter->task_id), db_text(filter->parent_id), db_text(filter->session_id),
                          db_int((int64_t)filter->limit)),
                  &rows))
        return false;
    *list = arena_array(tx->arena, struct discussion, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &(*list)[row], tx->err))
            return false;
    return true;
}

static void write_outcome(const struct discussion *d, struct json_out *out)
{
    if (!d->outcome_source) {
        json_none(out, "outcome");
        return;
    }
    json_map(out, "outcome");
    json_text(out, "source", d->outcome_source);
    json_text(out, "by", d->outcome_by);
    json_time(out, "at", d->ended_ms);
    json_map_end(out);
}

static void write_ref(const struct discussion *d, struct json_out *out)
{
    if (d->ref_kind == REF_NONE) {
        json_none(out, "ref");
        return;
    }
    json_map(out, "ref");
    json_text(out, "kind", council_ref_word(d->ref_kind));
    json_text(out, "id", d->ref_id);
    json_map_end(out);
}

void discussion_write(const struct discussion *d, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", d->id);
    json_text(out, "topic", d->topic);
    json_text(out, "mode", council_mode_word(d->mode));
    json_text(out, "status", council_status_word(d->status));
    json_text(out, "phase", council_phase_word(d->phase));
    json_int(out, "round",
             discussion_has_ended(d) ? discussion_last_round(d)
             : d->round > d->rounds  ? d->rounds
                                     : d->round);
    json_int(out, "rounds", d->rounds);
    json_int(out, "turnIndex", d->turn_index);
    json_text(out, "endReason", council_end_word(d->end_reason));
    write_outcome(d, out);
    json_text(out, "projectId", d->project_id);
    json_text(out, "taskId", d->task_id);
    json_text(out, "parentId", d->parent_id);
    json_int(out, "depth", d->depth);
    write_ref(d, out);
    json_text(out, "forkedFrom", d->forked_from);
    json_text(out, "sessionId", d->session_id);
    json_raw(out, "options", d->options);
    json_map(out, "usage");
    spent_members(&d->spent, out);
    json_map_end(out);
    json_text(out, "createdBy", d->created_by_name);
    json_time(out, "createdAt", d->created_ms);
    json_time(out, "updatedAt", d->updated_ms);
    if (d->ended_ms)
        json_time(out, "endedAt", d->ended_ms);
    else
        json_none(out, "endedAt");
    json_map_end(out);
}
