/*
 * The number of a row is given by the statement that inserts it, under the lock of the discussion, so numbers
 * have no gaps and no twins. Metadata is only parsed where a plain search finds one of the words that matter:
 * most rows have none of them.
 */
#include "core/council/logged.h"

#include "base/uuid.h"
#include "core/council/participant.h"

#include <string.h>

static const char *const manners[] = {
    [ENTRY_SAID] = "said", [ENTRY_PASSED] = "passed", [ENTRY_SKIPPED] = "skipped"
};

static enum entry_kind manner_of(const char *text, const char **strange)
{
    for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++)
        if (strcmp(manners[i], text) == 0)
            return (enum entry_kind)i;
    *strange = text;
    return ENTRY_SAID;
}

static bool from_row(const struct db_rows *rows, size_t row, struct logged *logged, struct err *err)
{
    const char *strange = NULL;

    *logged = (struct logged){
        .id = db_cell(rows, row, COL_LOGGED_ID),
        .seq = db_cell_int(rows, row, COL_LOGGED_SEQ),
        .kind = row_kind_of(db_cell(rows, row, COL_LOGGED_KIND), &strange),
        .manner = manner_of(db_cell(rows, row, COL_LOGGED_MANNER), &strange),
        .agent_id = db_cell(rows, row, COL_LOGGED_AGENT_ID),
        .user_id = db_cell(rows, row, COL_LOGGED_USER_ID),
        .speaker = db_cell(rows, row, COL_LOGGED_SPEAKER),
        .role = db_cell(rows, row, COL_LOGGED_ROLE),
        .content = db_cell(rows, row, COL_LOGGED_CONTENT),
        .turn_index = (int)db_cell_int(rows, row, COL_LOGGED_TURN_INDEX),
        .round = (int)db_cell_int(rows, row, COL_LOGGED_ROUND_NUMBER),
        .metadata = db_cell(rows, row, COL_LOGGED_METADATA),
        .created_ms = db_cell_int(rows, row, COL_LOGGED_CREATED_AT),
        .spent = { .calls = db_cell_int(rows, row, COL_LOGGED_CALLS),
                   .tokens_in = db_cell_int(rows, row, COL_LOGGED_TOKENS_IN),
                   .tokens_out = db_cell_int(rows, row, COL_LOGGED_TOKENS_OUT),
                   .missing = db_cell_int(rows, row, COL_LOGGED_USAGE_MISSING) },
    };
    return db_words_known(strange, err);
}

static bool take_rows(const struct tx *tx, const struct db_rows *rows, struct logged **list, size_t *count)
{
    *list = arena_array(tx->arena, struct logged, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        if (!from_row(rows, row, &(*list)[row], tx->err))
            return false;
    return true;
}

bool logged_add(const struct tx *tx, const struct discussion *discussion, struct logged *logged)
{
    struct db_rows rows;

    logged->id = uuid_new(tx->arena);
    logged->created_ms = tx->now_ms;
    if (!logged->metadata)
        logged->metadata = "{}";
    if (!tx_query(tx, SQL_LOGGED_INSERT,
                  DB_ARGS(db_text(logged->id), db_text(discussion->workspace_id), db_text(discussion->id),
                          db_text(discussion->project_id), db_text(row_kind_text(logged->kind)),
                          db_text(manners[logged->manner]), db_text(logged->agent_id),
                          db_text(logged->user_id), db_text(logged->speaker), db_text(logged->role),
                          db_text(logged->content), db_int(logged->turn_index), db_int(logged->round),
                          db_text(logged->metadata), db_int(logged->created_ms), db_int(logged->spent.calls),
                          db_int(logged->spent.tokens_in), db_int(logged->spent.tokens_out),
                          db_int(logged->spent.missing)),
                  &rows))
        return false;
    logged->seq = db_cell_int(&rows, 0, 0);
    return true;
}

bool logged_all(const struct tx *tx, const char *discussion_id, int64_t after, struct logged **list,
                size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_ALL, DB_ARGS(db_text(discussion_id), db_int(after), db_int(LIMIT_ENTRIES)),
                  &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_shown(const struct tx *tx, const char *discussion_id, const char *after_id, size_t most,
                  struct logged **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_SHOWN,
                  DB_ARGS(db_text(discussion_id), db_text(after_id ? after_id : ""), db_int((int64_t)most)),
                  &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_counts(const struct tx *tx, const char *discussion_id, struct speaker_count **counts,
                   size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_COUNTS, DB_ARGS(db_text(discussion_id), db_int(LIMIT_SPEAKERS)), &rows))
        return false;
    *counts = arena_array(tx->arena, struct speaker_count, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        (*counts)[row] = (struct speaker_count){ .name = db_cell(&rows, row, 0),
                                                 .count = (size_t)db_cell_int(&rows, row, 1) };
    return true;
}

bool logged_last(const struct tx *tx, const char *discussion_id, size_t most, struct logged **list,
                 size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_LAST, DB_ARGS(db_text(discussion_id), db_int((int64_t)most)), &rows))
        return false;
    *list = arena_array(tx->arena, struct logged, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &(*list)[rows.count - 1 - row], tx->err))
            return false;
    return true;
}

bool logged_round(const struct tx *tx, const char *discussion_id, enum row_kind kind, int round,
                  struct logged **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_ROUND,
                  DB_ARGS(db_text(discussion_id), db_text(row_kind_text(kind)), db_int(round)), &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_last_seq(const struct tx *tx, const char *discussion_id, int64_t *seq)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_LAST_SEQ, DB_ARGS(db_text(discussion_id)), &rows))
        return false;
    *seq = db_cell_int(&rows, 0, 0);
    return true;
}

static bool holds_place(const struct logged *logged)
{
    return logged->kind == ROW_TURN && logged->turn_index >= 0;
}

/* Those who are asked at once answer in any order: their round is over when each place of it is taken. */
static bool round_is_over(const struct seating *seating, const struct logged *rows, size_t count, int round)
{
    size_t taken = 0;

    for (size_t i = 0; i < count; i++)
        taken += holds_place(&rows[i]) && rows[i].round == round;
    return taken >= seating->count;
}

struct slot logged_place(const struct seating *seating, const struct logged *rows, size_t count)
{
    struct slot at = order_first();

    for (size_t i = 0; i < count; i++)
        if (holds_place(&rows[i]))
            at = order_after(seating, (struct slot){ rows[i].round, rows[i].turn_index });
    if (seating->mode == MODE_PARALLEL && at.round > 1 && !round_is_over(seating, rows, count, at.round - 1))
        at.round--;
    return at;
}

bool logged_is_shown(const struct logged *logged)
{
    return logged->kind == ROW_MESSAGE || logged->kind == ROW_TURN;
}

static bool is_marked(json_t *metadata, const char *name)
{
    return json_is_true(json_object_get(metadata, name));
}

struct entry logged_entry(const struct logged *logged)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;
    struct entry entry = {
        .kind = logged->manner,
        .speaker = logged->speaker,
        .role = logged->role,
        .content = logged->content,
        .round = logged->round,
        .turn = logged->turn_index,
        .person = logged->user_id != NULL || participant_is_person(logged->role),
    };

    /* Only what is unusual is marked, and most rows have a plain reply's figures alone. */
    if (!strstr(logged->metadata, "\"partial\"") && !strstr(logged->metadata, "\"failed\""))
        return entry;
    if (json_parse(logged->metadata, strlen(logged->metadata), &parsed, &ignored)) {
        JSON_AUTO *metadata = parsed;

        entry.partial = is_marked(metadata, "partial");
        entry.failed = is_marked(metadata, "failed");
    }
    return entry;
}

struct entry *logged_entries(struct arena *arena, const struct logged *rows, size_t count,
                             size_t *entry_count)
{
    struct entry *entries = arena_array(arena, struct entry, count);

    *entry_count = 0;
    for (size_t i = 0; i < count; i++)
        if (logged_is_shown(&rows[i]))
            entries[(*entry_count)++] = logged_entry(&rows[i]);
    return entries;
}

void logged_write(const struct logged *logged, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", logged->id);
    json_text(out, "speaker", logged->speaker);
    json_text(out, "agentId", logged->agent_id);
    json_text(out, "role", logged->role);
    json_text(out, "content", logged->content);
    json_int(out, "turnIndex", logged->turn_index);
    json_int(out, "roundNumber", logged->round);
    json_raw(out, "metadata", logged->metadata);
    json_time(out, "createdAt", logged->created_ms);
    json_map_end(out);
}
