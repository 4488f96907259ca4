#include "core/upkeep/deadline.h"

#include "base/clock.h"
#include "core/chat/mention.h"
#include "core/identity/token.h"
#include "core/questions/question.h"

struct sweep {
    bool (*apply)(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *ended,
                  struct err *err);
    bool (*next)(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err);
};

static bool end_prompts(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *ended,
                        struct err *err)
{
    return db_exec(db, arena, SQL_DEADLINE_PROMPTS,
                   DB_ARGS(db_int(now_ms), db_text(clock_text(arena, now_ms)), db_int((int64_t)limit)), ended,
                   err);
}

static bool next_prompt(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_DEADLINE_PROMPTS_NEXT, DB_NO_ARGS, &rows, err))
        return false;
    *due_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}

/* What another program wrote waits for nothing but somebody to read it: it has just become due. */
static bool next_mention(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err)
{
    bool waiting;

    if (!mention_waiting(db, arena, &waiting, err))
        return false;
    *due_ms = waiting ? clock_now_ms() - 1 : 0;
    return true;
}

static const struct sweep sweeps[] = {
    { end_prompts, next_prompt },
    { question_sweep, question_next_due },
    { mention_sweep, next_mention },
    { token_notice_sweep, token_notice_next },
};

#define SWEEPS (sizeof(sweeps) / sizeof(*sweeps))

bool deadline_apply(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *ended,
                    struct err *err)
{
    size_t all = 0;

    for (size_t i = 0; i < SWEEPS && all < limit; i++) {
        size_t count = 0;

        if (!sweeps[i].apply(db, arena, now_ms, limit - all, &count, err))
            return false;
        all += count;
    }
    *ended = all;
    return true;
}

bool deadline_next(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err)
{
    int64_t earliest = 0;

    for (size_t i = 0; i < SWEEPS; i++) {
        int64_t due = 0;

        if (!sweeps[i].next(db, arena, &due, err))
            return false;
        if (due != 0 && (earliest == 0 || due < earliest))
            earliest = due;
    }
    *due_ms = earliest;
    return true;
}
