#include "core/council/replay_rows.h"

#include "base/settings.h"
#include "core/council/machine.h"
#include "core/council/result.h"
#include "core/council/spent_by.h"

static bool read_stored(const struct tx *tx, const char *id, struct replay_facts *facts)
{
    const char *strange = NULL;
    struct ruling *list;
    struct db_rows rows;

    if (!tx_query(tx, SQL_DECIDED_LIST, DB_ARGS(db_text(id), db_int(LIMIT_ENTRIES)), &rows))
        return false;
    list = arena_array(tx->arena, struct ruling, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        list[i] = (struct ruling){
            .kind = db_cell_word(&rows, i, COL_DECIDED_KIND, ruling_kinds, &strange),
            .round = (int)db_cell_int(&rows, i, COL_DECIDED_ROUND_NUMBER),
            .turn = (int)db_cell_int(&rows, i, COL_DECIDED_TURN_INDEX),
            .after_seq = db_cell_int(&rows, i, COL_DECIDED_AFTER_SEQ),
            .inputs = db_cell(&rows, i, COL_DECIDED_INPUTS),
            .verdict = db_cell(&rows, i, COL_DECIDED_VERDICT),
            .reason = db_cell(&rows, i, COL_DECIDED_REASON),
        };
    facts->stored = list;
    facts->stored_count = rows.count;
    return db_words_known(strange, tx->err);
}

/* A fork's log begins with what people saw of the other one up to where it was forked. */
static bool count_taken_over(const struct tx *tx, const struct discussion *d, struct replay_facts *facts)
{
    struct logged *rows;
    size_t count;

    if (!d->forked_from)
        return true;
    if (!logged_all(tx, d->forked_from, 0, &rows, &count))
        return false;
    for (size_t i = 0; i < count && rows[i].seq <= d->forked_at; i++)
        facts->taken_over += logged_is_shown(&rows[i]);
    if (facts->taken_over > facts->log.count)
        facts->taken_over = facts->log.count;
    return true;
}

static bool find_beginning(const struct tx *tx, const struct discussion *d, struct replay_facts *facts)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DISCUSSION_USED, DB_ARGS(db_text(d->root_id)), &rows))
        return false;
    facts->since_ms = db_cell_int(&rows, 0, 2);
    return true;
}

bool replay_run(const struct tx *tx, const char *id, struct replay *replay)
{
    struct discussion d;
    struct machine m;

    if (!discussion_get(tx, id, &d) || !machine_begin(tx, &d, &m))
        return false;
    struct replay_facts facts = {
        .seating = participant_seating(&d, &m.seats),
        .options = m.options,
        .vote_rounds = settings()->consensus_max_rounds,
        .added = result_recall(tx, &d, "added"),
        .has_ended = discussion_has_ended(&d),
        .broken_off = d.status == STATUS_CANCELLED ||
                      (d.status == STATUS_FAILED && result_recall(tx, &d, RESULT_FAILURE)),
        .created_ms = d.created_ms,
        .ended_ms = d.ended_ms,
    };

    if (!logged_all(tx, d.id, 0, &facts.log.rows, &facts.log.count) || !count_taken_over(tx, &d, &facts) ||
        !find_beginning(tx, &d, &facts) || !spent_by_others(tx, &d, &facts.others, &facts.others_count) ||
        !read_stored(tx, d.id, &facts))
        return false;
    *replay = replay_judge(tx->arena, &facts);
    return true;
}
