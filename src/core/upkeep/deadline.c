/*
 * A row for each kind of wait: how to end what is due, and when the next is. A batch is shared by all kinds,
 * in the order of the table, so that one transaction stays small however many kinds there are.
 */
#include "core/upkeep/deadline.h"

#include "base/clock.h"
#include "core/chat/mention.h"
#include "core/council/take.h"
#include "core/identity/token.h"
#include "core/questions/question.h"
#include "core/upkeep/refold.h"

struct sweep {
    bool (*apply)(const struct tx *tx, size_t limit, size_t *ended);
    bool (*next)(const struct tx *tx, int64_t *due_ms);
};

static bool end_prompts(const struct tx *tx, size_t limit, size_t *ended)
{
    return tx_exec(
        tx, SQL_DEADLINE_PROMPTS,
        DB_ARGS(db_int(tx->now_ms), db_text(clock_text(tx->arena, tx->now_ms)), db_int((int64_t)limit)),
        ended);
}

static bool next_prompt(const struct tx *tx, int64_t *due_ms)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_DEADLINE_PROMPTS_NEXT, DB_NO_ARGS, &rows))
        return false;
    *due_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}

/* What another program wrote waits for nothing but somebody to read it: it has just become due. */
static bool next_mention(const struct tx *tx, int64_t *due_ms)
{
    bool waiting;

    if (!mention_waiting(tx, &waiting))
        return false;
    *due_ms = waiting ? clock_now_ms() - 1 : 0;
    return true;
}

/* The same of an agent whose name has to be folded. */
static bool next_refold(const struct tx *tx, int64_t *due_ms)
{
    bool waiting;

    if (!refold_waiting(tx, &waiting))
        return false;
    *due_ms = waiting ? clock_now_ms() - 1 : 0;
    return true;
}

static const struct sweep sweeps[] = {
    { end_prompts, next_prompt },    { question_sweep, question_next_due },
    { mention_sweep, next_mention }, { token_notice_sweep, token_notice_next },
    { take_sweep, take_next_due },   { refold_sweep, next_refold },
};

#define SWEEPS (sizeof(sweeps) / sizeof(*sweeps))

bool deadline_apply(const struct tx *tx, size_t limit, size_t *ended)
{
    size_t all = 0;

    for (size_t i = 0; i < SWEEPS && all < limit; i++) {
        size_t count = 0;

        if (!sweeps[i].apply(tx, limit - all, &count))
            return false;
        all += count;
    }
    *ended = all;
    return true;
}

bool deadline_next(const struct tx *tx, int64_t *due_ms)
{
    int64_t earliest = 0;

    for (size_t i = 0; i < SWEEPS; i++) {
        int64_t due = 0;

        if (!sweeps[i].next(tx, &due))
            return false;
        if (due != 0 && (earliest == 0 || due < earliest))
            earliest = due;
    }
    *due_ms = earliest;
    return true;
}
